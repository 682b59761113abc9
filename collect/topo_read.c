/* SPDX-License-Identifier: MIT */
#include "collect/topo_read.h"

#include "collect/topo_hwloc.h"
#include "collect/topo_numactl.h"
#include "collect/topo_sysfs.h"
#include "model/err.h"
#include "model/preset.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XML_MAX (64 << 20)

static int read_file(const char *path, char **text, size_t *len, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t n = 0;

	*len = 0;
	if (fd < 0 || fstat(fd, &st) < 0) {
		if (fd >= 0)
			close(fd);
		return err_set(err, ERR_IO, "cannot open it: %s", strerror(errno));
	}
	*text = S_ISREG(st.st_mode) && st.st_size <= XML_MAX ?
		calloc(1, (size_t)st.st_size + 1) : NULL;
	while (*text && *len < (size_t)st.st_size &&
	       (n = read(fd, *text + *len, (size_t)st.st_size - *len)) > 0)
		*len += (size_t)n;
	close(fd);
	if (!*text)
		return err_set(err, ERR_FORMAT,
			       "neither an lstopo XML nor the text of numactl --hardware");
	if (n < 0)
		return err_set(err, ERR_IO, "cannot read it: %s", strerror(errno));
	return 0;
}

static int read_machine(struct topo *t, const char *path, struct err *err)
{
	char *text = NULL;
	size_t len;

	if (read_file(path, &text, &len, err) == 0) {
		if (topo_numactl_is(text))
			topo_numactl(t, text, err);
		else if (strchr(text, '<'))
			topo_hwloc_xml(t, text, len, err);
		else
			err_set(err, ERR_FORMAT,
				"neither an lstopo XML nor the text of numactl --hardware");
	}
	free(text);
	return err->code ? err_prefix(err, "topology '%s'", path) : 0;
}

static int read_synthetic(struct topo *t, const char *text, struct err *err)
{
	char desc[1024];
	size_t len = 0;

	/* "node" as numactl says it */
	for (const char *p = text; *p && len + 8 < sizeof(desc); p++) {
		if (strncmp(p, "node:", 5) == 0 && (p == text || p[-1] == ' ')) {
			memcpy(desc + len, "numa", 4);
			len += 4;
			p += 3;
		} else {
			desc[len++] = *p;
		}
	}
	desc[len] = '\0';
	if (strlen(text) >= sizeof(desc) / 2)
		err_set(err, ERR_USAGE, "too long");
	else
		topo_hwloc_synthetic(t, desc, err);
	return err->code ? err_prefix(err, "topology '%.100s'", text) : 0;
}

int topo_read(struct topo *t, const char *text, struct err *err)
{
	const struct preset *p = preset_find(text);

	if (access(text, F_OK) == 0)
		return read_machine(t, text, err);
	return p ? preset_topo(p, t, err) : read_synthetic(t, text, err);
}

int topo_read_live(struct topo *t, const char *root, struct err *err)
{
	topo_release(t);
	if (!root[0] && topo_hwloc_live(t, err) < 0)
		return err->code;
	return topo_sysfs(t, root, err);
}
