/* SPDX-License-Identifier: MIT */
#include "replay/plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The constants of FNV-1a with 64 bits. */
#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static bool add_all(int fd, uint64_t *hash, struct err *err)
{
	unsigned char buf[16384];
	ssize_t n;

	*hash = FNV_START;
	while ((n = read(fd, buf, sizeof(buf))) > 0 ||
	       (n < 0 && errno == EINTR))
		for (ssize_t i = 0; i < n; i++)
			*hash = (*hash ^ buf[i]) * FNV_PRIME;
	if (n < 0)
		err_set(err, ERR_IO, "%s", strerror(errno));
	return !n;
}

bool plugin_hash(const char *path, uint64_t *hash, struct err *err)
{
	/* Not to wait for the writer of a pipe. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	bool ok = false;

	if (fd < 0 || fstat(fd, &st))
		err_set(err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO, "%s",
			strerror(errno));
	else if (S_ISDIR(st.st_mode))
		err_set(err, ERR_FORMAT, "is a directory");
	else if (!S_ISREG(st.st_mode))
		err_set(err, ERR_FORMAT, "is no regular file");
	else if (!st.st_size)
		err_set(err, ERR_FORMAT, "is empty");
	else
		ok = add_all(fd, hash, err);
	if (fd >= 0)
		close(fd);
	return ok;
}
