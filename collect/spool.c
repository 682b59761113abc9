/* SPDX-License-Identifier: MIT */
#include "collect/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "collect/fields.h"
#include "model/err.h"

#define RESERVE "reserve" /* blocks for the tail, should the disk get full */
#define RESERVE_BYTES (256 * 1024)

struct spool {
	char dir[PATH_MAX - 64];
	int dir_fd;
	int marks_fd;
	FILE *tasks, *places, *knobs;
};

static int fail(const struct spool *sp, const char *what, const char *name,
		struct err *err)
{
	return err_set(err, ERR_IO, "cannot %s '%s/%s': %s", what, sp->dir, name,
		       strerror(errno));
}

static FILE *open_text(const struct spool *sp, const char *name, struct err *err)
{
	int fd = openat(sp->dir_fd, name,
			O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "a");

	if (!f) {
		fail(sp, "create", name, err);
		if (fd >= 0)
			close(fd);
	}
	return f;
}

static int close_text(const struct spool *sp, FILE *f, const char *name,
		      struct err *err)
{
	bool bad = ferror(f);

	if (fclose(f) || bad)
		return fail(sp, "write", name, err);
	return 0;
}

static void put_line(FILE *f, const char *key, const char *value)
{
	fputs(key, f);
	putc('\t', f);
	fields_put(f, value);
	putc('\n', f);
}

static int put_head(struct spool *sp, const struct spool_head *h,
		    struct err *err)
{
	const uint16_t one = 1;
	FILE *f = open_text(sp, SPOOL_MARKER, err);
	struct utsname uts = { 0 };

	if (!f)
		return err->code;
	uname(&uts);
	fprintf(f, "%s %d\n", SPOOL_MARKER, SPOOL_VERSION);
	put_line(f, "tool", "homenode " HOMENODE_VERSION);
	put_line(f, "kernel", uts.release);
	put_line(f, "arch", uts.machine);
	put_line(f, "command", h->command);
	put_line(f, "clock", "mono");
	fprintf(f, "page_size\t%ld\n", sysconf(_SC_PAGESIZE));
	fprintf(f, "page_bytes\t%" PRId64 "\n", h->page_bytes);
	fprintf(f, "big_endian\t%d\n", *(const uint8_t *)&one == 0);
	fprintf(f, "start_ns\t%" PRId64 "\n", h->start_ns);
	fprintf(f, "nr_cpus\t%d\n", h->nr_cpus);
	fprintf(f, "faults\t%d\n", h->faults);
	return close_text(sp, f, SPOOL_MARKER, err);
}

static void keep_room(const struct spool *sp)
{
	int fd = openat(sp->dir_fd, RESERVE, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return;
	/* Where it cannot be kept the tail may be missing: as after a kill. */
	if (fallocate(fd, 0, 0, RESERVE_BYTES))
		unlinkat(sp->dir_fd, RESERVE, 0);
	close(fd);
}

int spool_create(struct spool **sp, const char *dir,
		 const struct spool_head *head, struct err *err)
{
	struct spool *new = calloc(1, sizeof(*new));
	int code = 0;

	*sp = NULL;
	if (!new)
		return err_nomem(err);
	new->dir_fd = new->marks_fd = -1;
	snprintf(new->dir, sizeof(new->dir), "%s", dir);
	if (mkdir(dir, 0700) < 0) {
		code = err_set(err, errno == EEXIST ? ERR_EXISTS : ERR_IO,
			       "cannot create the folder '%s': %s", dir,
			       strerror(errno));
		free(new);
		return code;
	}
	new->dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (new->dir_fd < 0)
		code = fail(new, "open", ".", err);
	if (code == 0)
		code = put_head(new, head, err);
	if (code == 0) {
		keep_room(new);
		new->marks_fd = openat(new->dir_fd, "marks",
				       O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		new->knobs = open_text(new, "knobs", err);
		new->tasks = open_text(new, "tasks", err);
		new->places = open_text(new, "places", err);
		code = err->code;
	}
	if (code < 0) {
		struct err ignored = { 0 };

		spool_close(new);
		spool_remove(dir, &ignored);
		return code;
	}
	*sp = new;
	return 0;
}

void spool_close(struct spool *sp)
{
	if (!sp)
		return;
	if (sp->knobs)
		fclose(sp->knobs);
	if (sp->tasks)
		fclose(sp->tasks);
	if (sp->places)
		fclose(sp->places);
	if (sp->marks_fd >= 0)
		close(sp->marks_fd);
	if (sp->dir_fd >= 0)
		close(sp->dir_fd);
	free(sp);
}

const char *spool_dir(const struct spool *sp)
{
	return sp->dir;
}

int spool_put_file(struct spool *sp, const char *name, const char *text,
		   size_t len, struct err *err)
{
	FILE *f = open_text(sp, name, err);

	if (!f)
		return err->code;
	fwrite(text, 1, len, f);
	return close_text(sp, f, name, err);
}

int spool_put_topo(struct spool *sp, const struct topo *t, struct err *err)
{
	FILE *f = open_text(sp, "topology", err);

	if (!f)
		return err->code;
	for (int i = 0; i < t->nr_node_ids; i++)
		if (t->node[i].present)
			fprintf(f, "node\t%d\t%d\t%" PRId64 "\n", i,
				t->node[i].online, t->node[i].mem_bytes);
	for (int i = 0; i < t->nr_cpu_ids; i++) {
		const struct topo_cpu *c = &t->cpu[i];

		if (c->present)
			fprintf(f, "cpu\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", i,
				c->online, c->node, c->package, c->die,
				c->cluster, c->llc, c->core, c->smt);
	}
	for (int i = 0; i < t->nr_node_ids; i++)
		for (int j = 0; j < t->nr_node_ids; j++)
			if (t->node[i].present && t->node[j].present)
				fprintf(f, "distance\t%d\t%d\t%d\n", i, j,
					topo_distance(t, i, j));
	return close_text(sp, f, "topology", err);
}

int spool_put_knob(struct spool *sp, const char *name, const char *value,
		   struct err *err)
{
	put_line(sp->knobs, name, value);
	return ferror(sp->knobs) ? fail(sp, "write", "knobs", err) : 0;
}

int spool_put_task(struct spool *sp, const struct task_fact *f,
		   const char *cpus, struct err *err)
{
	const char *const text[] = { cpus, f->cgroup, f->nspid, f->comm };

	fprintf(sp->tasks, "%" PRId64 "\t%d\t%d\t%d\t%u", f->ts, f->tid, f->pid,
		f->nice, (unsigned)f->flags);
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		putc('\t', sp->tasks);
		fields_put(sp->tasks, text[i]);
	}
	putc('\n', sp->tasks);
	return ferror(sp->tasks) ? fail(sp, "write", "tasks", err) : 0;
}

int spool_put_place(struct spool *sp, const struct placement_fact *f,
		    struct err *err)
{
	const char *comma = "";

	fprintf(sp->places, "a\t%" PRId64 "\t%d\t%c\t%d\t%" PRIu64 "\t%" PRIu64
		"\t", f->ts, f->pid, f->source, f->kind, f->start, f->bytes);
	for (int i = 0; i < f->nr_node_ids; i++) {
		if (!f->pages[i])
			continue;
		fprintf(sp->places, "%s%d:%" PRId64, comma, i, f->pages[i]);
		comma = ",";
	}
	putc('\t', sp->places);
	fields_put(sp->places, f->name);
	putc('\n', sp->places);
	return ferror(sp->places) ? fail(sp, "write", "places", err) : 0;
}

int spool_put_place_end(struct spool *sp, int pid, int64_t ts, struct err *err)
{
	fprintf(sp->places, "e\t%" PRId64 "\t%d\n", ts, pid);
	return ferror(sp->places) ? fail(sp, "write", "places", err) : 0;
}

int spool_flush(struct spool *sp, struct err *err)
{
	if (fflush(sp->knobs))
		return fail(sp, "write", "knobs", err);
	if (fflush(sp->tasks))
		return fail(sp, "write", "tasks", err);
	if (fflush(sp->places))
		return fail(sp, "write", "places", err);
	return 0;
}

int spool_open_cpu(struct spool *sp, int cpu, struct err *err)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "cpu%d.raw", cpu);
	fd = openat(sp->dir_fd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	return fd < 0 ? fail(sp, "create", name, err) : fd;
}

void spool_mark(struct spool *sp, int cpu, int64_t ns)
{
	/* A mark that is not there only makes the window of a recording that was
	 * killed a little shorter. */
	if (pwrite(sp->marks_fd, &ns, sizeof(ns), (off_t)cpu * 8) < 0)
		return;
}

int spool_put_tail(struct spool *sp, const struct spool_tail *t, struct err *err)
{
	FILE *f;

	unlinkat(sp->dir_fd, RESERVE, 0);
	if (spool_flush(sp, err) < 0)
		return err->code;
	f = open_text(sp, "tail.new", err);
	if (!f)
		return err->code;
	for (int cpu = 0; cpu < t->nr_cpus; cpu++) {
		const struct cpu_stats *s = &t->stats[cpu];

		fprintf(f, "cpu\t%d\t%" PRId64 "\t%" PRId64 "\t%" PRId64
			"\t%" PRId64 "\t%" PRId64 "\n", cpu, s->entries, s->read,
			s->overrun, s->commit_overrun, s->dropped);
	}
	fprintf(f, "end\t%" PRId64 "\t", t->end_ns);
	fields_put(f, t->reason);
	putc('\n', f);
	if (close_text(sp, f, "tail.new", err) < 0)
		return err->code;
	if (renameat(sp->dir_fd, "tail.new", sp->dir_fd, "tail"))
		return fail(sp, "write", "tail", err);
	return 0;
}

bool spool_is(const char *dir)
{
	char path[PATH_MAX], text[sizeof(SPOOL_MARKER)] = "";
	FILE *f;
	bool is;

	snprintf(path, sizeof(path), "%.*s/%s", PATH_MAX - 64, dir, SPOOL_MARKER);
	f = fopen(path, "re");
	if (!f)
		return false;
	is = fread(text, 1, sizeof(text) - 1, f) == sizeof(text) - 1 &&
	     !strcmp(text, SPOOL_MARKER);
	fclose(f);
	return is;
}

static bool is_ours(const char *name)
{
	static const char *const names[] = {
		"header_page", "topology", "knobs",    "tasks", "places",
		"marks",       "tail",	   "tail.new", RESERVE,
	};
	int cpu, len = 0;
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	if (dot && !strcmp(dot, ".format"))
		return true;
	return sscanf(name, "cpu%d.raw%n", &cpu, &len) == 1 && len && !name[len];
}

int spool_remove(const char *dir, struct err *err)
{
	struct dirent *ent;
	DIR *d = opendir(dir);

	if (!d)
		return err_set(err, ERR_IO, "cannot open '%s': %s", dir,
			       strerror(errno));
	while ((ent = readdir(d)))
		if (is_ours(ent->d_name))
			unlinkat(dirfd(d), ent->d_name, 0);
	/* Last, so that half a removal can be told and done again. */
	unlinkat(dirfd(d), SPOOL_MARKER, 0);
	closedir(d);
	if (rmdir(dir))
		return err_set(err, ERR_IO, "cannot remove '%s': %s", dir,
			       strerror(errno));
	return 0;
}
