/* SPDX-License-Identifier: MIT */
#include "ui/outfile.h"

#include "model/err.h"
#include "ui/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot(const struct outfile *o, const char *what, struct err *err)
{
	if (errno == EEXIST)
		return err_set(err, ERR_EXISTS, "'%s' exists", o->name);
	return err_set(err, ERR_IO, "cannot %s '%s': %s", what, o->name,
		       strerror(errno));
}

static bool is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) &&
	       !S_ISDIR(st.st_mode);
}

/* As open() would find out: later it is too late. */
static int check_place(struct outfile *o, struct err *err)
{
	const char *slash = strrchr(o->path, '/');
	struct stat st;
	char *folder;
	int bad;

	if (!lstat(o->path, &st)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EEXIST;
		if (S_ISDIR(st.st_mode) || o->mode == OUTFILE_NEW)
			return cannot(o, "create", err);
	}
	folder = slash ? strndup(o->path, slash - o->path + 1) : strdup(".");
	if (!folder)
		return err_nomem(err);
	bad = access(folder, W_OK | X_OK);
	free(folder);
	return bad ? cannot(o, "create", err) : 0;
}

int outfile_open(struct outfile *o, const char *path, enum outfile_mode mode,
		 struct err *err)
{
	int fd = -1, ret = 0;

	*o = (struct outfile){ .name = path, .mode = mode };
	if (mode == OUTFILE_REPLACE && is_special(path)) {
		o->out = fopen(path, "we");
		return o->out ? 0 : cannot(o, "open", err);
	}
	/* Not the link is replaced but what it leads to. */
	if (mode == OUTFILE_REPLACE)
		o->path = realpath(path, NULL);
	if (!o->path)
		o->path = strdup(path);
	if (!o->path)
		ret = err_nomem(err);
	if (!ret)
		ret = check_place(o, err);
	if (!ret)
		ret = fd = spill_file(o->path, err);
	if (ret >= 0) {
		o->out = fdopen(fd, "w+");
		ret = o->out ? 0 : err_nomem(err);
	}
	if (ret < 0) {
		if (fd >= 0)
			close(fd);
		free(o->path);
		o->path = NULL;
	}
	return ret;
}

/* -- a name for it -------------------------------------------------------- */

static int link_fd(int fd, const char *path)
{
	char name[40];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, name, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

static int copy(int from, int to)
{
	char buf[65536];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(from, buf, sizeof(buf), at)) > 0) {
		if (write(to, buf, n) != n)
			return -1;
		at += n;
	}
	return n < 0 ? -1 : 0;
}

/* For file systems on which what has no name cannot get one. */
static int copy_to(int fd, const char *path, mode_t mode)
{
	int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int bad;

	if (to < 0)
		return -1;
	bad = fchmod(to, mode) || copy(fd, to);
	bad = close(to) || bad;
	return bad ? -1 : 0;
}

/* A name that no one has: one was found, and is free again. */
static char *temp_name(const struct outfile *o)
{
	const char *slash = strrchr(o->path, '/');
	int len = slash ? slash - o->path + 1 : 0, fd;
	char *tmp;

	if (asprintf(&tmp, "%.*s.homenode-XXXXXX", len, o->path) < 0)
		return NULL;
	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0) {
		free(tmp);
		return NULL;
	}
	close(fd);
	unlink(tmp);
	return tmp;
}

static int through_temp(const struct outfile *o, int fd, mode_t mode)
{
	char *tmp = temp_name(o);
	int bad, saved;

	if (!tmp)
		return -1;
	bad = link_fd(fd, tmp) && copy_to(fd, tmp, mode);
	if (!bad)
		bad = o->mode == OUTFILE_REPLACE ? rename(tmp, o->path) :
						   link(tmp, o->path);
	saved = errno;
	unlink(tmp);
	free(tmp);
	errno = saved;
	return bad;
}

static mode_t mode_for(const struct outfile *o)
{
	struct stat st;
	mode_t mask = umask(0);

	umask(mask);
	return o->mode == OUTFILE_REPLACE && !stat(o->path, &st) ?
		       st.st_mode & 0777 : 0666 & ~mask;
}

/* No signal ends it between two names. */
static int put_in_place(const struct outfile *o)
{
	mode_t mode = mode_for(o);
	int fd = fileno(o->out), bad, saved;
	sigset_t all, was;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &was);
	bad = fchmod(fd, mode) || link_fd(fd, o->path);
	if (bad && (errno != EEXIST || o->mode == OUTFILE_REPLACE))
		bad = through_temp(o, fd, mode);
	saved = errno;
	sigprocmask(SIG_SETMASK, &was, NULL);
	errno = saved;
	return bad;
}

int outfile_close(struct outfile *o, int ret, struct err *err)
{
	if (!o->out)
		return ret;
	if (!ret && ferror(o->out)) {
		/* Why, is long forgotten: one more byte fails alike. */
		if (write(fileno(o->out), "", 1) == 1)
			errno = EIO;
		ret = cannot(o, "write", err);
	}
	if (!ret && fflush(o->out))
		ret = cannot(o, "write", err);
	if (!ret && o->path && put_in_place(o))
		ret = cannot(o, "create", err);
	if (fclose(o->out) && !ret)
		ret = cannot(o, "write", err);
	free(o->path);
	*o = (struct outfile){ 0 };
	return ret;
}
