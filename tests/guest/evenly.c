// SPDX-License-Identifier: MIT
/*
 * evenly SLICE_US COMMAND... - run COMMAND with a short scheduler slice
 *
 * Many emulated CPUs share few real ones.  With the host's slice of some
 * milliseconds an emulated CPU stands still for as long as all others take
 * their turn; a short slice makes the turns short.  Since 6.12 the kernel takes
 * a slice for ordinary tasks (100 us to 100 ms) from sched_setattr(2), and
 * threads inherit it.  Older kernels ignore it, and COMMAND runs in any case.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* struct sched_attr of linux/sched/types.h, first version: not in glibc 2.36 */
struct slice_attr {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime;
	uint64_t deadline;
	uint64_t period;
};

int main(int argc, char **argv)
{
	struct slice_attr attr = {
		.size = sizeof(attr),
		.policy = SCHED_OTHER,
	};

	if (argc < 3) {
		fprintf(stderr, "usage: evenly SLICE_US COMMAND...\n");
		return 125;
	}
	attr.runtime = strtoull(argv[1], NULL, 10) * 1000;
	if (syscall(SYS_sched_setattr, 0, &attr, 0))
		perror("evenly: cannot set the slice");
	execvp(argv[2], argv + 2);
	perror("evenly: cannot run the command");
	return 125;
}
