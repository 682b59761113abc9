/* SPDX-License-Identifier: MIT */
#include "schema/store_local.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse_existing(const char *path, bool force, struct err *err)
{
	struct stat st;

	if (lstat(path, &st)) {
		if (errno == ENOENT)
			return 0;
		return err_set(err, ERR_IO, "'%s': cannot create: %s", path,
			       strerror(errno));
	}
	if (S_ISDIR(st.st_mode))
		return err_set(err, ERR_IO, "'%s': cannot create: %s", path,
			       strerror(EISDIR));
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return err_set(err, ERR_IO, "'%s': cannot create: it exists "
			       "and is not a regular file", path);
	if (!force)
		return err_set(err, ERR_EXISTS, "'%s': exists; --force "
			       "replaces it", path);
	return 0;
}

int file_make_temp(const char *path, bool force, char **tmp, struct err *err)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	int dir_len = (int)(base - path), fd;

	*tmp = NULL;
	if (!*base)
		return err_set(err, ERR_USAGE, "'%s': not a file name", path);
	if (refuse_existing(path, force, err))
		return err->code;
	/* Cut, for the longest names leave no room for more. */
	if (asprintf(tmp, "%.*s.%.200s.XXXXXX", dir_len, path, base) < 0) {
		*tmp = NULL;
		return err_nomem(err);
	}
	fd = mkostemp(*tmp, O_CLOEXEC);	/* O_EXCL, 0600 */
	if (fd < 0) {
		err_set(err, errno == EACCES || errno == EPERM ? ERR_PERM :
			ERR_IO, "'%s': cannot create: %s", path,
			strerror(errno));
		free(*tmp);
		*tmp = NULL;
		return err->code;
	}
	close(fd);
	return 0;
}

static int sync_path(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC), rc, saved;

	if (fd < 0)
		return -1;
	rc = fsync(fd);
	saved = errno;
	close(fd);
	errno = saved;
	return rc;
}

/* Names that must not replace another: three ways, as file systems differ. */
static int rename_new(const char *tmp, const char *path)
{
	struct stat st;

	if (!renameat2(AT_FDCWD, tmp, AT_FDCWD, path, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (!link(tmp, path))
		return unlink(tmp);
	if (errno == EEXIST)
		return -1;
	if (!lstat(path, &st)) {
		errno = EEXIST;
		return -1;
	}
	return rename(tmp, path);
}

int file_put_in_place(const char *tmp, const char *path, bool force,
		      struct err *err)
{
	char *copy;

	if (sync_path(tmp, O_RDWR))
		return err_set(err, ERR_IO, "'%s': cannot write: %s", path,
			       strerror(errno));
	if (force ? rename(tmp, path) : rename_new(tmp, path)) {
		if (errno == EEXIST)
			return err_set(err, ERR_EXISTS, "'%s': exists; --force "
				       "replaces it", path);
		return err_set(err, ERR_IO, "'%s': cannot create: %s", path,
			       strerror(errno));
	}
	copy = strdup(path);
	if (!copy)
		return err_nomem(err);
	sync_path(dirname(copy), O_RDONLY | O_DIRECTORY);
	free(copy);
	return 0;
}
