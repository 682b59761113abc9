/* SPDX-License-Identifier: MIT */
#include "tests/support/dat_build_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dat_build_die(const char *why)
{
	fprintf(stderr, "dat_build: %s\n", why);
	abort();
}

/* -- bytes of either order ------------------------------------------------ */

void dat_put(struct dat_bytes *b, const void *data, size_t len)
{
	if (b->len + len > b->size) {
		b->size = (b->len + len) * 2 + 64;
		b->at = realloc(b->at, b->size);
		if (!b->at)
			dat_build_die("no memory");
	}
	if (data)
		memcpy(b->at + b->len, data, len);
	else
		memset(b->at + b->len, 0, len);
	b->len += len;
}

void dat_set_number(uint8_t *to, uint64_t v, int size, bool big)
{
	for (int i = 0; i < size; i++)
		to[big ? size - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

void dat_put_number(const struct dat_build *b, struct dat_bytes *to,
		       uint64_t v, int size)
{
	uint8_t bytes[8];

	dat_set_number(bytes, v, size, b->form.big_endian);
	dat_put(to, bytes, (size_t)size);
}

void dat_put_text(struct dat_bytes *to, const char *text)
{
	dat_put(to, text, strlen(text) + 1);
}

void dat_build_init(struct dat_build *b, const struct dat_form *form)
{
	memset(b, 0, sizeof(*b));
	b->form = *form;
	if (!b->form.long_size)
		b->form.long_size = 8;
	if (!b->form.page_size)
		b->form.page_size = 4096;
	if (!b->form.compression)
		b->form.compression = "none";
	if (!b->form.chunk_pages)
		b->form.chunk_pages = 2;
	if (b->form.nr_cpus > DAT_BUILD_CPUS)
		dat_build_die("too many CPUs");
}

void dat_build_release(struct dat_build *b)
{
	for (int i = 0; i < DAT_BUILD_CPUS; i++)
		free(b->cpu[i].pages.at);
	free(b->options.at);
	free(b->out.at);
}

size_t dat_head_len(const struct dat_build *b)
{
	return 8 + (size_t)b->form.long_size;
}

/* -- pages ----------------------------------------------------------------- */

void dat_build_page(struct dat_build *b, int cpu)
{
	struct dat_build_cpu *c = &b->cpu[cpu];
	uint64_t commit = c->used;
	uint8_t *page;

	if (!c->open)
		return;
	page = c->pages.at + c->page_at;
	if (c->missed) {
		commit |= UINT64_C(1) << 31;
		if (c->missed > 0) {
			commit |= UINT64_C(1) << 30;
			dat_set_number(page + dat_head_len(b) + c->used,
				   (uint64_t)c->missed, b->form.long_size,
				   b->form.big_endian);
		}
		c->missed = 0;
	}
	dat_set_number(page + 8, commit, b->form.long_size, b->form.big_endian);
	c->open = false;
}

void dat_build_missed(struct dat_build *b, int cpu, int64_t missed)
{
	dat_build_page(b, cpu);
	b->cpu[cpu].missed = missed;
}

static uint8_t *room(struct dat_build *b, int cpu, int64_t ts, size_t len)
{
	struct dat_build_cpu *c = &b->cpu[cpu];
	size_t spare = c->missed > 0 ? (size_t)b->form.long_size : 0;

	if (c->open && dat_head_len(b) + c->used + len + spare > b->form.page_size)
		dat_build_page(b, cpu);
	if (!c->open) {
		c->open = true;
		c->page_at = c->pages.len;
		c->used = 0;
		c->ts = ts;
		dat_put(&c->pages, NULL, b->form.page_size);
		dat_set_number(c->pages.at + c->page_at, (uint64_t)ts, 8,
			   b->form.big_endian);
	}
	c->used += len;
	return c->pages.at + c->page_at + dat_head_len(b) + c->used - len;
}

static uint32_t entry_head(const struct dat_build *b, uint32_t type,
			   uint32_t delta)
{
	return b->form.big_endian ? type << 27 | delta : delta << 5 | type;
}

void dat_build_word(struct dat_build *b, int cpu, uint32_t type, uint32_t delta,
		    uint32_t more, bool has_more)
{
	uint8_t *to = room(b, cpu, b->cpu[cpu].ts, has_more ? 8 : 4);

	dat_set_number(to, entry_head(b, type, delta), 4, b->form.big_endian);
	if (has_more)
		dat_set_number(to + 4, more, 4, b->form.big_endian);
}

void dat_build_raw(struct dat_build *b, int cpu, int64_t ts, const void *data,
		   size_t len)
{
	struct dat_build_cpu *c = &b->cpu[cpu];
	size_t words = (len + 3) / 4;
	bool is_long = words > 28;
	int64_t delta;
	uint8_t *to;

	/* Room for all first, so that the delta is of the right page. */
	to = room(b, cpu, ts, 8 + 4 + words * 4);
	c->used -= 8 + 4 + words * 4;
	delta = ts - c->ts;
	if (delta < 0 || delta >= INT64_C(1) << 27) {
		/* An absolute stamp can run back, as real clocks do. */
		bool back = delta < 0;
		int64_t wide = back ? ts : delta;

		dat_build_word(b, cpu, back ? 31 : 30,
			       (uint32_t)(wide & ((1 << 27) - 1)),
			       (uint32_t)(wide >> 27), true);
		delta = 0;
	}
	to = room(b, cpu, ts, (is_long ? 8 : 4) + words * 4);
	dat_set_number(to, entry_head(b, is_long ? 0 : (uint32_t)words,
				  (uint32_t)delta), 4, b->form.big_endian);
	if (is_long)
		dat_set_number(to + 4, words * 4 + 4, 4, b->form.big_endian);
	memcpy(to + (is_long ? 8 : 4), data, len);
	c->ts = ts;
}

/* -- events ---------------------------------------------------------------- */

struct payload {
	uint8_t bytes[256];
	size_t len;
	bool big;
};

static void add(struct payload *p, int64_t v, int size)
{
	while (p->len % (size_t)size)
		p->len++;
	dat_set_number(p->bytes + p->len, (uint64_t)v, size, p->big);
	p->len += (size_t)size;
}

/* All 16 bytes are written; a name of 16 bytes has no zero. */
static void add_comm(struct payload *p, const char *comm)
{
	size_t len = strlen(comm);

	memcpy(p->bytes + p->len, comm, len < 16 ? len : 16);
	p->len += 16;
}

static void begin(const struct dat_build *b, struct payload *p, int id, int tid)
{
	memset(p, 0, sizeof(*p));
	p->big = b->form.big_endian;
	add(p, id, 2);
	add(p, 0, 1);
	add(p, 0, 1);
	add(p, tid, 4);
	if (b->form.wide_header)
		add(p, 0, 4);
}

static void end(struct dat_build *b, int cpu, int64_t ts, const struct payload *p)
{
	dat_build_raw(b, cpu, ts, p->bytes, p->len);
}

/* Puts a text at the end and where it is at `at`. */
static void add_loc(struct payload *p, size_t at, const char *text)
{
	size_t len = strlen(text) + 1;

	dat_set_number(p->bytes + at, len << 16 | p->len, 4, p->big);
	memcpy(p->bytes + p->len, text, len);
	p->len += len;
}

void dat_build_switch(struct dat_build *b, int cpu, int64_t ts,
		      const char *prev, int prev_tid, int64_t prev_state,
		      const char *next, int next_tid)
{
	struct payload p;

	begin(b, &p, DAT_ID_SWITCH, prev_tid);
	add_comm(&p, prev);
	add(&p, prev_tid, 4);
	add(&p, 120, 4);
	add(&p, prev_state, b->form.long_size);
	add_comm(&p, next);
	add(&p, next_tid, 4);
	add(&p, 120, 4);
	end(b, cpu, ts, &p);
}

void dat_build_wake(struct dat_build *b, int cpu, int64_t ts, int id,
		    const char *comm, int tid, int target_cpu, int by)
{
	struct payload p;

	begin(b, &p, id, by);
	add_comm(&p, comm);
	add(&p, tid, 4);
	add(&p, 120, 4);
	if (b->form.old_wakeup)
		add(&p, 1, 4);
	else
		add(&p, target_cpu, 4);
	end(b, cpu, ts, &p);
}

void dat_build_migrate(struct dat_build *b, int cpu, int64_t ts,
		       const char *comm, int tid, int from, int to, int by)
{
	struct payload p;
	size_t at;

	begin(b, &p, DAT_ID_MIGRATE, by);
	at = p.len;
	if (b->form.data_loc)
		add(&p, 0, 4);
	else
		add_comm(&p, comm);
	add(&p, tid, 4);
	add(&p, 120, 4);
	add(&p, from, 4);
	add(&p, to, 4);
	if (b->form.data_loc)
		add_loc(&p, at, comm);
	end(b, cpu, ts, &p);
}

void dat_build_fork(struct dat_build *b, int cpu, int64_t ts,
		    const char *parent, int parent_tid, const char *child,
		    int child_tid)
{
	struct payload p;
	size_t at, child_at;

	begin(b, &p, DAT_ID_FORK, parent_tid);
	at = p.len;
	if (b->form.data_loc)
		add(&p, 0, 4);
	else
		add_comm(&p, parent);
	add(&p, parent_tid, 4);
	child_at = p.len;
	if (b->form.data_loc)
		add(&p, 0, 4);
	else
		add_comm(&p, child);
	add(&p, child_tid, 4);
	if (b->form.data_loc) {
		add_loc(&p, at, parent);
		add_loc(&p, child_at, child);
	}
	end(b, cpu, ts, &p);
}

void dat_build_exec(struct dat_build *b, int cpu, int64_t ts, const char *path,
		    int tid, int old_tid)
{
	struct payload p;
	size_t at;

	begin(b, &p, DAT_ID_EXEC, tid);
	at = p.len;
	add(&p, 0, 4);
	add(&p, tid, 4);
	add(&p, old_tid, 4);
	add_loc(&p, at, path);
	end(b, cpu, ts, &p);
}

void dat_build_exit(struct dat_build *b, int cpu, int64_t ts, const char *comm,
		    int tid, int group_dead)
{
	struct payload p;

	begin(b, &p, DAT_ID_EXIT, tid);
	add_comm(&p, comm);
	add(&p, tid, 4);
	add(&p, 120, 4);
	add(&p, group_dead, 1);
	end(b, cpu, ts, &p);
}

void dat_build_fault(struct dat_build *b, int cpu, int64_t ts, int tid,
		     uint64_t address)
{
	struct payload p;

	begin(b, &p, DAT_ID_FAULT, tid);
	add(&p, (int64_t)address, b->form.long_size);
	add(&p, 0x401000, b->form.long_size);
	add(&p, 6, b->form.long_size);
	end(b, cpu, ts, &p);
}

void dat_build_pages(struct dat_build *b, int cpu, int64_t ts, int tid,
		     int64_t succeeded, int reason)
{
	struct payload p;

	begin(b, &p, DAT_ID_PAGES, tid);
	add(&p, succeeded, b->form.long_size);
	add(&p, 0, b->form.long_size);
	add(&p, 0, 4);
	add(&p, reason, 4);
	end(b, cpu, ts, &p);
}

void dat_build_swap(struct dat_build *b, int cpu, int64_t ts, int src_tid,
		    int src_tgid, int dst_tid, int dst_tgid)
{
	const int v[] = { src_tid, src_tgid, 0, 0, 0, dst_tid, dst_tgid, 0, 1, 1 };
	struct payload p;

	begin(b, &p, DAT_ID_SWAP_NUMA, src_tid);
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		add(&p, v[i], 4);
	end(b, cpu, ts, &p);
}

void dat_build_other(struct dat_build *b, int cpu, int64_t ts, int id)
{
	struct payload p;

	begin(b, &p, id, 0);
	add(&p, 42, 4);
	end(b, cpu, ts, &p);
}
