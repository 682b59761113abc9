/* SPDX-License-Identifier: MIT */
#include "collect/scan.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "collect/clock.h"
#include "collect/procfs.h"
#include "model/err.h"

/* A task as it was found in a folder; inode tells a tid that is used again. */
struct seen {
	int pid, tid;
	uint64_t inode;
	uint64_t process_inode;
	bool kthread;
	bool pinned;		/* its affinity is not all CPUs */
	uint64_t cpus_hash;
};

struct seen_list {
	struct seen *task;
	int nr, size;
};

struct scan {
	struct scan_setup setup;
	struct seen_list now, before;
	int at;			/* how far `before` is merged */
	int64_t ts;
	int64_t deadline;	/* 0: only pinned ones are looked at again */
	struct procfs_task found;
	int64_t round;
	int64_t looking_ns, reading_ns;
};

struct entry {
	int number;
	uint64_t inode;
};

int scan_new(struct scan **s, const struct scan_setup *setup, struct err *err)
{
	*s = calloc(1, sizeof(**s));
	if (!*s)
		return err_nomem(err);
	(*s)->setup = *setup;
	return 0;
}

void scan_free(struct scan *s)
{
	if (!s)
		return;
	free(s->now.task);
	free(s->before.task);
	free(s);
}

int scan_nr_tasks(const struct scan *s)
{
	return s->now.nr;
}

void scan_cost(const struct scan *s, int64_t *looking, int64_t *reading)
{
	*looking = s->looking_ns;
	*reading = s->reading_ns;
}

static int by_number(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;

	return a->number < b->number ? -1 : a->number > b->number;
}

/* Entries of a folder whose names are numbers, sorted; -1: cannot be read (a
 * process that is gone) or no memory (err set). */
static int list_numbers(const char *path, struct entry **list, struct err *err)
{
	DIR *d = opendir(path);
	struct dirent *ent;
	int nr = 0, size = 0;

	*list = NULL;
	if (!d)
		return -1;
	while ((ent = readdir(d))) {
		if (ent->d_name[0] < '1' || ent->d_name[0] > '9')
			continue;
		if (nr == size) {
			struct entry *new;

			size = size ? size * 2 : 16;
			new = realloc(*list, (size_t)size * sizeof(*new));
			if (!new) {
				err_nomem(err);
				break;
			}
			*list = new;
		}
		(*list)[nr++] = (struct entry){ atoi(ent->d_name), ent->d_ino };
	}
	closedir(d);
	if (nr)
		qsort(*list, (size_t)nr, sizeof(**list), by_number);
	return nr;
}

static struct seen *add_seen(struct scan *s, struct err *err)
{
	if (s->now.nr == s->now.size) {
		int size = s->now.size ? s->now.size * 2 : 256;
		struct seen *new = realloc(s->now.task,
					   (size_t)size * sizeof(*new));

		if (!new) {
			err_nomem(err);
			return NULL;
		}
		s->now.task = new;
		s->now.size = size;
	}
	return &s->now.task[s->now.nr++];
}

static uint64_t hash_text(const char *text)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return h;
}

static bool is_pinned(const struct scan *s, const char *cpus)
{
	const struct cpumask *all = s->setup.all_cpus;
	struct cpumask mask = { 0 };
	struct err ignored = { 0 };
	bool pinned = false;

	if (!cpus[0] || cpumask_parse(&mask, cpus, &ignored) < 0)
		return false;
	for (int cpu = cpumask_next(all, -1); cpu >= 0 && !pinned;
	     cpu = cpumask_next(all, cpu))
		pinned = !cpumask_test(&mask, cpu);
	cpumask_release(&mask);
	return pinned;
}

static int tell(struct scan *s, const struct procfs_task *t, const char *cpus,
		struct err *err)
{
	const struct task_fact f = {
		.ts = s->ts,
		.tid = t->tid,
		.pid = t->pid,
		.comm = t->comm,
		.cgroup = t->cgroup,
		.nspid = t->nspid,
		.nice = t->nice,
		.flags = (t->kthread ? TASK_F_KTHREAD : 0) |
			 (t->pid == s->setup.own_pid ? TASK_F_RECORDER : 0) |
			 (t->tid == s->setup.command_pid ? TASK_F_COMMAND : 0),
	};

	return s->setup.task(s->setup.ctx, &f, cpus, err);
}

static int first_sight(struct scan *s, struct seen *seen, struct err *err)
{
	struct procfs_task *t = &s->found;
	int64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	bool there = procfs_task_read(s->setup.proc, seen->pid, seen->tid, t);

	s->reading_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
	if (!there)
		return 0;
	seen->kthread = t->kthread;
	seen->pinned = is_pinned(s, t->cpus);
	seen->cpus_hash = hash_text(t->cpus);
	if (tell(s, t, seen->pinned ? t->cpus : NULL, err) < 0)
		return err->code;
	if (seen->tid == seen->pid && !t->kthread && s->setup.process &&
	    seen->pid != s->setup.own_pid)
		return s->setup.process(s->setup.ctx, seen->pid, err);
	return 0;
}

/* The last affinity that is told is the one that holds. */
static int look_again(struct scan *s, struct seen *seen, struct err *err)
{
	struct procfs_task *t = &s->found;

	if (seen->kthread || (!seen->pinned && clock_now() >= s->deadline) ||
	    !procfs_cpus_read(s->setup.proc, seen->pid, seen->tid, t->cpus,
			      sizeof(t->cpus)) ||
	    hash_text(t->cpus) == seen->cpus_hash ||
	    !procfs_task_read(s->setup.proc, seen->pid, seen->tid, t))
		return 0;
	seen->pinned = is_pinned(s, t->cpus);
	seen->cpus_hash = hash_text(t->cpus);
	return tell(s, t, t->cpus, err);
}

/* Goes to the first task of the last round that is not before (pid, tid). */
static const struct seen *skip_to(struct scan *s, int pid, int tid)
{
	const struct seen_list *b = &s->before;

	while (s->at < b->nr &&
	       (b->task[s->at].pid < pid ||
		(b->task[s->at].pid == pid && b->task[s->at].tid < tid)))
		s->at++;
	return s->at < b->nr ? &b->task[s->at] : NULL;
}

static int take(struct scan *s, const struct entry *process,
		const struct entry *task, struct err *err)
{
	const struct seen *before = skip_to(s, process->number, task->number);
	struct seen *seen = add_seen(s, err);

	if (!seen)
		return err->code;
	if (before && before->pid == process->number &&
	    before->tid == task->number && before->inode == task->inode) {
		*seen = *before;
		return look_again(s, seen, err);
	}
	*seen = (struct seen){
		.pid = process->number, .tid = task->number,
		.inode = task->inode, .process_inode = process->inode,
	};
	return first_sight(s, seen, err);
}

/* How many tasks of the last round a process has that seems to be as it was
 * then; 0: it must be looked at. */
static int nr_unchanged(struct scan *s, const struct entry *process)
{
	const struct seen *first = skip_to(s, process->number, 0);
	const struct seen *end = s->before.task + s->before.nr, *t = first;
	char path[PATH_MAX];
	struct stat st;

	if (!first || first->pid != process->number ||
	    first->process_inode != process->inode)
		return 0;
	if (first->kthread)
		return 1;
	if (s->round % SCAN_FULL_EVERY == 0 || s->deadline)
		return 0;
	while (t < end && t->pid == process->number)
		t++;
	snprintf(path, sizeof(path), "%s/%d/task", s->setup.proc,
		 process->number);
	/* A folder has a link from each one in it, and two of its own. */
	return !stat(path, &st) && (long)st.st_nlink == 2 + (t - first) ?
		       (int)(t - first) : 0;
}

static int keep(struct scan *s, int nr, struct err *err)
{
	for (int i = 0; i < nr; i++) {
		struct seen *seen = add_seen(s, err);

		if (!seen)
			return err->code;
		*seen = s->before.task[s->at + i];
		if (look_again(s, seen, err) < 0)
			return err->code;
	}
	return 0;
}

static int scan_process(struct scan *s, const struct entry *process,
			struct err *err)
{
	char path[PATH_MAX];
	struct entry *task;
	int nr = nr_unchanged(s, process);

	if (nr)
		return keep(s, nr, err);
	snprintf(path, sizeof(path), "%s/%d/task", s->setup.proc,
		 process->number);
	nr = list_numbers(path, &task, err);
	for (int i = 0; i < nr && !err->code; i++)
		take(s, process, &task[i], err);
	free(task);
	return err->code;
}

int scan_round(struct scan *s, int64_t ts, struct err *err)
{
	struct seen_list swap = s->before;
	int64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct entry *process;
	int nr;

	s->before = s->now;
	s->now = swap;
	s->now.nr = 0;
	s->at = 0;
	s->ts = ts;
	s->round++;
	s->reading_ns = 0;
	nr = list_numbers(s->setup.proc, &process, err);
	for (int i = 0; i < nr && !err->code; i++)
		scan_process(s, &process[i], err);
	free(process);
	s->looking_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin - s->reading_ns;
	return err->code;
}

int scan_last(struct scan *s, int64_t ts, int64_t deadline, struct err *err)
{
	int code;

	s->deadline = deadline;
	code = scan_round(s, ts, err);
	s->deadline = 0;
	return code;
}
