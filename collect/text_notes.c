/* SPDX-License-Identifier: MIT */
#include "collect/text_local.h"

#include "model/cpumask.h"
#include "model/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_NOTE 300

static bool begins(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

void text_lose(struct text_cpu *c, int64_t events)
{
	if (!c->is_lost)
		c->missed = 0;
	c->is_lost = true;
	if (events < 0 || c->missed < 0 || events > INT64_MAX / 4 ||
	    c->missed > INT64_MAX / 4)
		c->missed = -1;
	else
		c->missed += events;
}

static int lose(struct text *t, long long cpu, long long events, struct err *err)
{
	struct text_cpu *c;

	if (cpu < 0 || cpu >= CPUMASK_MAX)
		return 0;
	c = text_cpu(t, (int)cpu, err);
	if (!c)
		return err->code;
	text_lose(c, events);
	return 1;
}

/* Text that was dropped may have been any CPU's. */
static int lose_everywhere(struct text *t)
{
	for (int i = 0; i < t->nr_cpus; i++)
		if (t->cpu[i].seen)
			text_lose(&t->cpu[i], -1);
	return 1;
}

static void read_states(struct text *t, const char *at)
{
	struct state_table s = { 0 };
	unsigned long bit;
	char letter;
	int used;

	while (sscanf(at, " %c=%lu%n", &letter, &bit, &used) == 2) {
		if (letter == '+')
			s.preempt_bit = (uint32_t)bit;
		else if (s.nr < (int)(sizeof(s.flag) / sizeof(s.flag[0]))) {
			s.flag[s.nr].letter = letter;
			s.flag[s.nr++].bit = (uint32_t)bit;
		}
		at += used;
	}
	if (s.nr)
		t->head.states = s;
}

static int64_t edge(const char *text, const char *word, int64_t value)
{
	return strcmp(text, word) == 0 ? value : strtoll(text, NULL, 10);
}

/* "CPU FROM TO EVENTS" */
static int read_lost(struct text *t, const char *at, struct err *err)
{
	char from[24], to[24];
	struct text_cpu *c;
	long long events;
	int cpu;

	if (sscanf(at, " %d %23s %23s %lld", &cpu, from, to, &events) != 4 ||
	    cpu < 0 || cpu >= CPUMASK_MAX)
		return 0;
	c = text_cpu(t, cpu, err);
	if (!c)
		return err->code;
	c->from = edge(from, "start", LOSS_FROM_START);
	c->to = edge(to, "end", LOSS_TO_END);
	c->has_edges = true;
	return 1;
}

static int own_comment(struct text *t, const char *at, struct err *err)
{
	struct text_head *h = &t->head;

	if (sscanf(at, " clock %31[^\n]", h->clock) == 1 ||
	    sscanf(at, " kernel %127[^\n]", h->kernel) == 1 ||
	    sscanf(at, " arch %31[^\n]", h->arch) == 1)
		return 1;
	if (begins(at, " page_size "))
		h->page_size = strtoll(at + 11, NULL, 10);
	if (begins(at, " states "))
		read_states(t, at + 8);
	if (begins(at, " lost "))
		return read_lost(t, at + 6, err) < 0 ? err->code : 1;
	return 1;
}

static int comment(struct text *t, const char *line, struct err *err)
{
	long long here, written;
	int cpu;

	if (sscanf(line, "##### CPU %d buffer started", &cpu) == 1)
		return lose(t, cpu, -1, err) < 0 ? err->code : 1;
	if (begins(line, "# homenode"))
		return own_comment(t, line + 10, err);
	if (sscanf(line, "# entries-in-buffer/entries-written: %lld/%lld",
		   &here, &written) == 2 && here >= 0 && written > here)
		t->head.overwritten = written - here;
	return 1;
}

/* Lines that trace-cmd, atrace and a dump have around the events. */
static bool is_frame(const char *line, size_t len)
{
	static const char *const starts[] = {
		"cpus=", "version = ", "TRACE:", "Dumping ftrace buffer",
		"(ftrace buffer empty)", "-----", "capturing trace", "Warning:",
		"trace-cmd: ", "Processed ", "Check IO/CPU overload",
	};
	int cpu, used = 0;

	if (sscanf(line, "CPU %d is empty%n", &cpu, &used) == 1 && used)
		return true;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (begins(line, starts[i]))
			return true;
	return len == 0;
}

int text_note(struct text *t, const char *line, size_t len, struct err *err)
{
	char copy[LINE_MAX_NOTE];
	long long events;
	int cpu, used = 0;

	while (len && (*line == ' ' || *line == '\t')) {
		line++;
		len--;
	}
	if (len >= sizeof(copy))
		return len && *line == '#';
	memcpy(copy, line, len);
	copy[len] = '\0';
	if (*copy == '#')
		return comment(t, copy, err);
	if (sscanf(copy, "CPU:%d [LOST %lld EVENTS]%n", &cpu, &events, &used) == 2 &&
	    used)
		return lose(t, cpu, events, err);
	if (sscanf(copy, "CPU:%d [%lld EVENTS DROPPED]%n", &cpu, &events, &used) ==
	    2 && used)
		return lose(t, cpu, events, err);
	if (sscanf(copy, "CPU:%d [LOST EVENTS]%n", &cpu, &used) == 1 && used)
		return lose(t, cpu, -1, err);
	if (sscanf(copy, "CPU:%d [EVENTS DROPPED]%n", &cpu, &used) == 1 && used)
		return lose(t, cpu, -1, err);
	if (begins(copy, "** ") && strstr(copy, "printk messages dropped"))
		return lose_everywhere(t);
	return is_frame(copy, len);
}
