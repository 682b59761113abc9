/* SPDX-License-Identifier: MIT */
#include "replay/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SYMBOL "homenode_policy"

bool plugin_is_path(const char *name)
{
	return strchr(name, '/');
}

/* -- loading ---------------------------------------------------------------- */

/* dlerror() puts the path in front; it is named already. */
static const char *reason(const char *path)
{
	const char *text = dlerror();
	size_t len = strlen(path);

	if (!text)
		return "unknown error";
	if (!strncmp(text, path, len) && text[len] == ':')
		text += len + 1 + strspn(text + len + 1, " ");
	return text;
}

static int load(struct plugin *p, struct err *err)
{
	const struct policy_plugin *x;
	const ElfW(Sym) *sym = NULL;
	Dl_info info;

	p->handle = dlopen(p->path, RTLD_NOW | RTLD_LOCAL);
	if (!p->handle)
		return err_set(err, ERR_FORMAT, "%s", reason(p->path));
	x = dlsym(p->handle, SYMBOL);
	if (!x)
		return err_set(err, ERR_FORMAT, "no symbol '%s'", SYMBOL);
	if (!dladdr1(x, &info, (void **)&sym, RTLD_DL_SYMENT) || !sym)
		return err_set(err, ERR_FORMAT, "'%s' is no object", SYMBOL);
	if (plugin_check(x, sym->st_size, err))
		return err->code;
	p->ops = x->ops;
	return 0;
}

/* -- in a process of its own ------------------------------------------------ */

static void try_load(const struct plugin *p, int fd)
{
	struct plugin copy = *p;
	struct err err = { 0 };
	ssize_t n;

	load(&copy, &err);
	do {
		n = write(fd, &err, sizeof(err));
	} while (n < 0 && errno == EINTR);
	_exit(0);
}

/* How it went there: the report, or that there is none. */
static int hear(int pid, int fd, struct err *err)
{
	struct err said = { 0 };
	int status = 0;
	ssize_t n;

	do {
		n = read(fd, &said, sizeof(said));
	} while (n < 0 && errno == EINTR);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (n == (ssize_t)sizeof(said)) {
		said.text[sizeof(said.text) - 1] = '\0';
		return said.code ? err_set(err, said.code, "%s", said.text) : 0;
	}
	if (WIFSIGNALED(status))
		return err_set(err, ERR_FORMAT, "loading it died of signal %d "
			       "(%s)", WTERMSIG(status),
			       strsignal(WTERMSIG(status)));
	return err_set(err, ERR_FORMAT, "loading it ended the program");
}

static int probe(const struct plugin *p, struct err *err)
{
	int ends[2], pid;

	if (pipe(ends))
		return err_set(err, ERR_IO, "cannot make a pipe: %s",
			       strerror(errno));
	pid = fork();
	if (!pid) {
		close(ends[0]);
		try_load(p, ends[1]);
	}
	close(ends[1]);
	if (pid < 0)
		err_set(err, ERR_IO, "cannot start a process: %s",
			strerror(errno));
	else
		hear(pid, ends[0], err);
	close(ends[0]);
	return err->code;
}

int plugin_open(struct plugin *p, const char *path, struct err *err)
{
	*p = (struct plugin){ .path = strdup(path) };
	if (!p->path)
		return err_nomem(err);
	p->file = strrchr(p->path, '/') + 1;
	if (plugin_hash(path, &p->hash, err) && !probe(p, err))
		load(p, err);
	return err->code ? err_prefix(err, "plug-in '%s'", path) : 0;
}

void plugin_close(struct plugin *p)
{
	if (p->handle)
		dlclose(p->handle);
	free(p->path);
	*p = (struct plugin){ 0 };
}
