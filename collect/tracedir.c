/* SPDX-License-Identifier: MIT */
#include "collect/tracedir.h"

#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "model/err.h"

/* The initial pid namespace has this inode number on every kernel. */
#define PID_NAMESPACE_INITIAL "pid:[4026531836]"

bool tracedir_find_mount(const char *mounts, const char *type, char *path)
{
	FILE *f = setmntent(mounts, "re");
	struct mntent ent, *found;
	char text[2 * PATH_MAX];

	if (!f)
		return false;
	do {
		found = getmntent_r(f, &ent, text, sizeof(text));
	} while (found && strcmp(found->mnt_type, type));
	if (found)
		snprintf(path, PATH_MAX, "%s", found->mnt_dir);
	endmntent(f);
	return found != NULL;
}

/* A mount without a place in the tree; -1 and errno. */
static int mount_detached(const char *type)
{
	int fs, fd, saved;

	fs = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
	if (fs < 0)
		return -1;
	fd = (int)syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
	if (!fd)
		fd = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	saved = errno;
	close(fs);
	errno = saved;
	return fd;
}

static bool open_type(struct tracedir *t, const char *type)
{
	*t = (struct tracedir){ .mount_fd = -1 };
	if (tracedir_find_mount("/proc/self/mounts", type, t->path))
		return true;
	t->mount_fd = mount_detached(type);
	if (t->mount_fd < 0)
		return false;
	snprintf(t->path, sizeof(t->path), "/proc/%d/fd/%d", (int)getpid(),
		 t->mount_fd);
	return true;
}

int tracedir_open(struct tracedir *t, struct err *err)
{
	char hint[400];

	if (open_type(t, "tracefs"))
		return 0;
	if (errno == ENODEV)
		return err_set(err, ERR_NOTFOUND,
			       "this kernel has no tracefs (it was built without "
			       "CONFIG_EVENT_TRACING)");
	if (errno == ENOSYS)
		return err_set(err, ERR_NOTFOUND,
			       "tracefs is not mounted: try 'mount -t tracefs "
			       "nodev /sys/kernel/tracing'");
	return err_set(err, ERR_PERM,
		       "tracefs is not mounted and cannot be mounted: %s%s",
		       strerror(errno), tracedir_hint(errno, hint, sizeof(hint)));
}

bool tracedir_open_debug(struct tracedir *t)
{
	return open_type(t, "debugfs");
}

void tracedir_close(struct tracedir *t)
{
	if (t->mount_fd >= 0)
		close(t->mount_fd);
	t->mount_fd = -1;
}

static bool locked_down(void)
{
	char text[200] = "";
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");

	if (!f)
		return false;
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	return strstr(text, "[confidentiality]") != NULL;
}

const char *tracedir_hint(int error, char *buf, int size)
{
	buf[0] = '\0';
	if (error != EPERM && error != EACCES)
		return buf;
	if (geteuid() == 0 && locked_down())
		snprintf(buf, (size_t)size,
			 "; the kernel is locked down (confidentiality), which "
			 "forbids tracing to everybody");
	else if (geteuid() == 0)
		snprintf(buf, (size_t)size,
			 "; root is not enough here: a container must be given "
			 "CAP_SYS_ADMIN and /sys/kernel/tracing");
	else
		snprintf(buf, (size_t)size,
			 "; it takes root (sudo homenode record ...) or "
			 "CAP_DAC_OVERRIDE for tracefs, CAP_SYS_PTRACE for other "
			 "users' memory and CAP_SYS_ADMIN where tracefs is not "
			 "mounted ('setcap cap_dac_override,cap_sys_ptrace,"
			 "cap_sys_admin+ep' on the program)");
	return buf;
}

bool tracedir_in_pid_namespace(const char *proc)
{
	char path[PATH_MAX], name[64];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/self/ns/pid", proc);
	n = readlink(path, name, sizeof(name) - 1);
	if (n < 0)
		return false;
	name[n] = '\0';
	return strcmp(name, PID_NAMESPACE_INITIAL) != 0;
}
