/* SPDX-License-Identifier: MIT */
/* perf.data files that are made here, whole and damaged. */
#include "collect/import.h"
#include "collect/perf.h"
#include "model/err.h"
#include "tests/support/dat_pack.h"
#include "tests/support/folder.h"
#include "tests/support/perf_build.h"
#include "tests/support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX_RECORDS 32

/* Two rounds of the buffers of CPUs 0 and 2; CPU 2 lost 5 events in between. */
static uint8_t *make(const struct perf_form *form, size_t *len)
{
	struct perf_build b;

	perf_build_init(&b, form);
	perf_build_comm(&b, 10, 12, "worker");
	perf_build_cycles(&b, 0, 900);
	if (!form->no_tracepoint) {
		perf_build_switch(&b, 0, 1000, 0, "swapper/0", 0, "a", 11);
		perf_build_switch(&b, 0, 2000, 10, "a", 11, "swapper/0", 0);
		perf_build_switch(&b, 2, 1500, 0, "swapper/2", 0, "b", 12);
		perf_build_round(&b);
		perf_build_fork(&b, 2500, 20, 21);
		perf_build_switch(&b, 0, 3000, 0, "swapper/0", 0, "c", 21);
		perf_build_lost(&b, 2, 2600, 5);
		perf_build_switch(&b, 2, 2600, 10, "b", 12, "swapper/2", 0);
		/* older than a sample of the round before */
		perf_build_switch(&b, 2, 1900, 0, "swapper/2", 0, "b", 12);
		perf_build_round(&b);
		perf_build_switch(&b, 0, 4000, 20, "c", 21, "swapper/0", 0);
		/* the 5 again, and 2 of nobody knows where */
		perf_build_lost_samples(&b, 0, 7);
	}
	return perf_build_done(&b, len);
}

struct reading {
	char *folder, path[200];
	struct perf *perf;
	struct record r[MAX_RECORDS];
	int nr, code;
	struct err err;
};

static void write_file(struct reading *t, const uint8_t *bytes, size_t len)
{
	*t = (struct reading){ .folder = folder_new() };
	snprintf(t->path, sizeof(t->path), "%s",
		 folder_path(t->folder, "perf.data"));
	assert_int_equal(file_write(t->path, bytes, len), 0);
}

static void read_all(struct reading *t, bool partial)
{
	int got = 1;

	t->code = perf_open(&t->perf, t->path, partial, &t->err);
	while (t->code == 0 && got == 1 && t->nr < MAX_RECORDS) {
		got = perf_next(t->perf, &t->r[t->nr], &t->err);
		t->nr += got == 1;
		if (got < 0)
			t->code = got;
	}
}

static void done(struct reading *t)
{
	perf_close(t->perf);
	folder_remove(t->folder);
}

static void check_switch(const struct record *r, int cpu, int64_t ts, int prev,
			 int next)
{
	assert_int_equal(r->what, RECORD_EVENT);
	assert_int_equal(r->event.kind, EVENT_SWITCH);
	assert_int_equal(r->event.cpu, cpu);
	assert_int_equal(r->event.ts, ts);
	assert_int_equal(r->event.sw.prev_tid, prev);
	assert_int_equal(r->event.sw.next_tid, next);
	assert_int_equal(r->event.sw.state, STATE_SLEEPING);
}

static void check_machine(const struct perf_info *i)
{
	assert_string_equal(i->clock, "mono");
	assert_string_equal(i->kernel, "6.1.0-test");
	assert_int_equal(i->nr_cpus, 4);
	assert_true(i->has_topo);
	assert_int_equal(topo_nr_nodes(&i->topo), 2);
	assert_int_equal(topo_node_of(&i->topo, 1), 0);
	assert_int_equal(topo_node_of(&i->topo, 2), 3);
	assert_true(i->topo.node[3].mem_bytes == INT64_C(1) << 30);
	assert_int_equal(i->topo.cpu[0].core, i->topo.cpu[1].core);
	assert_int_not_equal(i->topo.cpu[2].core, i->topo.cpu[3].core);
	assert_int_equal(i->topo.cpu[1].smt, 1);
}

static int count_skipped(void *ctx, const char *name, int64_t count,
			 struct err *err)
{
	(void)err;
	assert_string_equal(name, "cycles");
	*(int *)ctx += (int)count;
	return 0;
}

static void test_forms(void **state)
{
	(void)state;
	for (int form = 0; form < 8; form++) {
		const struct perf_form f = {
			.big_endian = form & 1, .is_pipe = form & 2,
			.pack = form & 4 ? dat_pack : NULL,
		};
		struct reading t;
		uint8_t *bytes;
		int skipped = 0;
		size_t len;

		bytes = make(&f, &len);
		write_file(&t, bytes, len);
		free(bytes);
		read_all(&t, false);
		if (t.code)
			fail_msg("form %d: %s", form, t.err.text);
		assert_int_equal(t.nr, 8);
		check_switch(&t.r[0], 0, 1000, 0, 11);
		check_switch(&t.r[1], 2, 1500, 0, 12);
		check_switch(&t.r[2], 2, 1900, 0, 12);
		check_switch(&t.r[3], 0, 2000, 11, 0);
		assert_int_equal(t.r[4].what, RECORD_LOSS);
		assert_int_equal(t.r[4].loss.cpu, 2);
		assert_int_equal(t.r[4].loss.from_ns, 1900);
		assert_int_equal(t.r[4].loss.to_ns, 2600);
		assert_int_equal(t.r[4].loss.events, 5);
		check_switch(&t.r[5], 2, 2600, 12, 0);
		check_switch(&t.r[6], 0, 3000, 0, 21);
		check_switch(&t.r[7], 0, 4000, 21, 0);
		check_machine(perf_info(t.perf));
		assert_int_equal(perf_late(t.perf), 0);
		assert_int_equal(perf_bad_samples(t.perf), 0);
		assert_int_equal(perf_unplaced(t.perf), 2);
		perf_each_skipped(t.perf, count_skipped, &skipped, &t.err);
		assert_int_equal(skipped, 1);
		done(&t);
	}
}

/* Through the one path: names, thread groups and nodes come along. */
static void test_import(void **state)
{
	struct scratch *y = *state;
	const struct perf_form f = { .pack = dat_pack };
	const struct import_options o = { 0 };
	struct ingest_totals totals;
	struct err err = { 0 };
	struct reading t;
	size_t len;
	uint8_t *bytes = make(&f, &len);

	write_file(&t, bytes, len);
	free(bytes);
	OK(import_file(t.path, &o, y->s, NULL, &totals, &err));
	scratch_reopen(y, STORE_READ);
	assert_int_equal(totals.events, 7);
	assert_int_equal(totals.lost, 5);
	assert_int_equal(totals.skipped, 1);
	assert_string_equal(scratch_ask(y->s,
		"SELECT group_concat(tid || ':' || pid || ':' || comm) FROM "
		"(SELECT * FROM task WHERE tid IN (11, 12, 21) ORDER BY tid)"),
		"11:10:a,12:10:b,21:20:c");
	assert_string_equal(scratch_ask(y->s,
		"SELECT group_concat(id || ':' || node) FROM cpu"),
		"0:0,1:0,2:3,3:3");
	assert_string_equal(scratch_ask(y->s, "SELECT topology_known FROM capture"),
			    "1");
	done(&t);
}

static void test_no_tracepoint(void **state)
{
	struct scratch *y = *state;
	const struct perf_form f = { .no_tracepoint = true };
	const struct import_options o = { 0 };
	struct err err = { 0 };
	struct reading t;
	size_t len;
	uint8_t *bytes = make(&f, &len);

	write_file(&t, bytes, len);
	free(bytes);
	assert_int_equal(import_file(t.path, &o, y->s, NULL, NULL, &err),
			 ERR_FORMAT);
	assert_non_null(strstr(err.text, "it has: cycles 1"));
	done(&t);
}

/* perf that was killed never wrote how long its data is. */
static void test_killed(void **state)
{
	const struct perf_form f = { 0 };
	struct reading t;
	size_t len;
	uint8_t *bytes = make(&f, &len);

	(void)state;
	memset(bytes + 48, 0, 8);
	write_file(&t, bytes, len);
	free(bytes);
	read_all(&t, false);
	assert_true(perf_info(t.perf)->is_cut);
	done(&t);
}

static void test_cut(void **state)
{
	(void)state;
	for (int form = 0; form < 4; form++) {
		const struct perf_form f = {
			.is_pipe = form & 1, .pack = form & 2 ? dat_pack : NULL,
		};
		size_t len;
		uint8_t *bytes = make(&f, &len);

		for (size_t at = 0; at < len; at += 7) {
			struct reading t;

			write_file(&t, bytes, at);
			read_all(&t, true);
			if (t.code && !t.err.text[0])
				fail_msg("cut at %zu: no reason", at);
			done(&t);
		}
		free(bytes);
	}
}

/* Random damage: any outcome but a crash or a hang. */
static void test_damage(void **state)
{
	uint64_t seed = 12345;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		const struct perf_form f = {
			.big_endian = round & 1, .is_pipe = round & 2,
			.pack = round & 4 ? dat_pack : NULL,
		};
		struct reading t;
		size_t len;
		uint8_t *bytes = make(&f, &len);

		for (int i = 0; i < 1 + round % 4; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			bytes[(seed >> 33) % len] = (uint8_t)(seed >> 20);
		}
		write_file(&t, bytes, len);
		read_all(&t, round & 8);
		assert_true(t.nr < MAX_RECORDS);
		done(&t);
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		SCRATCH_TEST(test_import),
		SCRATCH_TEST(test_no_tracepoint),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
