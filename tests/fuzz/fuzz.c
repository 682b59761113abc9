/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void write_all(int fd, const uint8_t *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n <= 0)
			abort();
		data += n;
		len -= (size_t)n;
	}
}

const char *fuzz_file(const uint8_t *data, size_t len)
{
	static char path[40];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("input", 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (fd < 0 || ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	write_all(fd, data, len);
	return path;
}

static char folder[64];

static void remove_folder(void)
{
	DIR *dir = opendir(folder);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		char path[400];

		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		if (e->d_name[0] != '.')
			unlink(path);
	}
	if (dir)
		closedir(dir);
	rmdir(folder);
}

const char *fuzz_folder(void)
{
	if (!folder[0]) {
		snprintf(folder, sizeof(folder), "%s/homenode-fuzz-XXXXXX",
			 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
		if (!mkdtemp(folder))
			abort();
		atexit(remove_folder);
	}
	return folder;
}

void fuzz_put(const char *name, const uint8_t *data, size_t len)
{
	char path[200];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", fuzz_folder(), name);
	fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0)
		abort();
	write_all(fd, data, len);
	close(fd);
}
