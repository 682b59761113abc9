/* SPDX-License-Identifier: MIT */
#include "tests/support/events_text.h"

#include "model/err.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void stop(const char *line)
{
	fprintf(stderr, "events_text: what is '%s'?\n", line);
	abort();
}

int events_text_task(const struct events_text *e, int tid, int n)
{
	for (int i = 0; i < e->tasks.nr; i++)
		if (e->tasks.task[i].tid == tid && !n--)
			return i;
	return -1;
}

/* The last task with a tid, made where there is none. */
static struct task *see(struct events_text *e, int tid)
{
	struct task *t;

	for (int i = e->tasks.nr - 1; i >= 0; i--)
		if (e->tasks.task[i].tid == tid)
			return &e->tasks.task[i];
	t = tasks_add(&e->tasks, tid, e->start_ns);
	assert(t);
	t->pid = tid;
	t->flags = TASK_F_BORN_BEFORE;
	return t;
}

static void born(struct events_text *e, int tid, int parent, int64_t ts)
{
	int id = parent > 0 ? see(e, parent)->id : TASK_NONE;
	struct task *t = tasks_add(&e->tasks, tid, ts);

	assert(t);
	t->pid = tid;
	t->parent = id;
}

static int number(const char *word)
{
	assert(word);
	return (int)strtol(word, NULL, 0);
}

static uint8_t context(const char *word)
{
	if (!word)
		return 0;
	return *word == 'h' ? EVENT_F_HARDIRQ :
	       *word == 's' ? EVENT_F_SOFTIRQ : EVENT_F_NMI;
}

static int state_of(const char *word)
{
	static const char letters[] = "RSDTIPX?";

	assert(word && strchr(letters, *word));
	return (int)(strchr(letters, *word) - letters);
}

static void read_wake(struct events_text *e, struct event *ev, int kind,
		      char **word)
{
	ev->kind = (uint8_t)kind;
	ev->wake.tid = number(word[4]);
	ev->wake.success = 1;
	ev->wake.target_cpu = ev->cpu;
	ev->flags = context(word[5]);
	see(e, ev->wake.tid);
}

static void read_memory(struct event *ev, char **word)
{
	if (!strcmp(word[3], "fault")) {
		assert(word[4]);
		ev->kind = EVENT_PAGE_FAULT_USER;
		ev->fault.address = strtoull(word[4], NULL, 0) * 4096 + 8;
		ev->fault.error_code = number(word[5]);
		return;
	}
	ev->kind = EVENT_MIGRATE_PAGES;
	ev->pages.succeeded = number(word[4]);
	ev->pages.failed = number(word[5]);
	ev->pages.reason = word[6] ? REASON_COMPACTION : REASON_NUMA_MISPLACED;
}

static void read_life(struct events_text *e, struct event *ev, char **word)
{
	if (!strcmp(word[3], "fork")) {
		ev->kind = EVENT_FORK;
		ev->fork.parent_tid = ev->tid;
		ev->fork.child_tid = number(word[4]);
		born(e, ev->fork.child_tid, ev->tid, ev->ts);
	} else if (!strcmp(word[3], "exec")) {
		ev->kind = EVENT_EXEC;
		ev->exec.tid = ev->tid;
		ev->exec.old_tid = word[4] ? number(word[4]) : ev->tid;
	} else {
		ev->kind = EVENT_EXIT;
		ev->exit.tid = ev->tid;
	}
}

static void read_event(struct events_text *e, struct event *ev, char **word,
		       const char *line)
{
	const char *kind = word[3];

	if (!strcmp(kind, "switch")) {
		ev->kind = EVENT_SWITCH;
		ev->sw.prev_tid = ev->tid;
		ev->sw.state = state_of(word[4]);
		ev->sw.next_tid = number(word[5]);
		if (ev->sw.next_tid > 0)
			see(e, ev->sw.next_tid);
	} else if (!strcmp(kind, "waking")) {
		read_wake(e, ev, EVENT_WAKING, word);
	} else if (!strcmp(kind, "wakeup")) {
		read_wake(e, ev, EVENT_WAKEUP, word);
	} else if (!strcmp(kind, "new")) {
		read_wake(e, ev, EVENT_WAKEUP_NEW, word);
	} else if (!strcmp(kind, "fork") || !strcmp(kind, "exec") ||
		   !strcmp(kind, "exit")) {
		read_life(e, ev, word);
	} else if (!strcmp(kind, "migrate")) {
		ev->kind = EVENT_MIGRATE_TASK;
		ev->migrate.tid = number(word[4]);
		ev->migrate.orig_cpu = number(word[5]);
		ev->migrate.dest_cpu = number(word[6]);
	} else if (!strcmp(kind, "fault") || !strcmp(kind, "pages")) {
		read_memory(ev, word);
	} else if (!strcmp(kind, "numa_move") || !strcmp(kind, "numa_swap")) {
		ev->kind = kind[5] == 'm' ? EVENT_MOVE_NUMA : EVENT_SWAP_NUMA;
		ev->numa.src_tid = number(word[4]);
		ev->numa.dst_tid = word[5] ? number(word[5]) : -1;
	} else {
		stop(line);
	}
}

static void read_line(struct events_text *e, char *line)
{
	char *word[8] = { 0 }, *copy = strdup(line), *save = NULL;
	struct event *ev;
	int nr = 0;

	assert(copy);
	for (char *w = strtok_r(line, " \t", &save); w && nr < 7;
	     w = strtok_r(NULL, " \t", &save))
		word[nr++] = w;
	if (!nr) {
		free(copy);
		return;
	}
	if (nr < 2)
		stop(copy);
	if (!strcmp(word[0], "start")) {
		e->start_ns = strtoll(word[1], NULL, 0);
	} else if (!strcmp(word[0], "end")) {
		e->end_ns = strtoll(word[1], NULL, 0);
	} else if (!strcmp(word[0], "name")) {
		struct task *t = see(e, number(word[1]));

		free(t->comm);
		t->comm = strdup(word[2]);
	} else if (!strcmp(word[0], "pid")) {
		see(e, number(word[1]))->pid = number(word[2]);
	} else if (!strcmp(word[0], "kthread")) {
		see(e, number(word[1]))->flags |= TASK_F_KTHREAD;
	} else {
		if (nr < 4)
			stop(copy);
		e->event = realloc(e->event, (e->nr + 1) * sizeof(*e->event));
		assert(e->event);
		ev = &e->event[e->nr];
		*ev = (struct event){
			.ts = strtoll(word[0], NULL, 0),
			.cpu = number(word[1]), .tid = number(word[2]),
		};
		if (!e->nr && e->start_ns == INT64_MIN)
			e->start_ns = ev->ts;
		if (ev->tid > 0)
			see(e, ev->tid);
		read_event(e, ev, word, copy);
		e->nr++;
	}
	free(copy);
}

void events_text_parse(struct events_text *e, const char *text)
{
	char *copy = strdup(text), *save = NULL;
	struct err err = { 0 };

	assert(copy);
	*e = (struct events_text){
		.start_ns = INT64_MIN, .end_ns = INT64_MIN,
	};
	for (char *line = strtok_r(copy, ";\n", &save); line;
	     line = strtok_r(NULL, ";\n", &save)) {
		line[strcspn(line, "#")] = '\0';
		read_line(e, line);
	}
	free(copy);
	for (size_t i = 0; i < e->nr; i++)
		if (e->event[i].ts > e->end_ns)
			e->end_ns = e->event[i].ts;
	for (int i = 0; i < e->tasks.nr; i++)
		if (e->tasks.task[i].flags & TASK_F_BORN_BEFORE)
			e->tasks.task[i].start_ns = e->start_ns;
	if (tasks_index(&e->tasks, &err))
		abort();
}

void events_text_release(struct events_text *e)
{
	free(e->event);
	tasks_release(&e->tasks);
	*e = (struct events_text){ 0 };
}
