/* SPDX-License-Identifier: MIT */
/* What export writes, taken apart again by readers that are made here. */
#include "ui/export.h"

#include "collect/import.h"
#include "model/err.h"
#include "schema/derive.h"
#include "tests/support/folder.h"
#include "tests/support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DATA "tests/data/bug_inputs/"

typedef int (*writer)(struct export_run *x, struct err *err);

/* Imports a text, exports its run 0; the result has a zero behind it. */
static uint8_t *export_input(struct scratch *y, const char *input, writer write,
			     const char *table, size_t *len)
{
	const struct import_options o = { .topology = DATA "topo2.txt" };
	struct err err = { 0 };
	struct run_info *runs;
	struct export_run x;
	uint8_t *bytes;
	int nr;

	OK(import_file(input, &o, y->s, NULL, NULL, &err));
	scratch_reopen(y, STORE_WRITE);
	OK(derive_run0(y->s, NULL, NULL, &err));
	OK(store_get_runs(y->s, &runs, &nr, &err));
	x = (struct export_run){
		.store = y->s, .run = &runs[0], .table = table,
		.out = tmpfile(),
	};
	assert_non_null(x.out);
	OK(export_load(&x, &err));
	OK(write(&x, &err));
	*len = (size_t)ftell(x.out);
	bytes = calloc(1, *len + 1);
	rewind(x.out);
	assert_int_equal(fread(bytes, 1, *len, x.out), *len);
	fclose(x.out);
	export_release(&x);
	for (int i = 0; i < nr; i++)
		run_info_release(&runs[i]);
	free(runs);
	return bytes;
}

/* -- protobuf ------------------------------------------------------------- */

struct field {
	int number, wire;
	uint64_t value;		/* of a varint; length of bytes */
	const uint8_t *bytes;
};

static uint64_t varint(const uint8_t **at, const uint8_t *end)
{
	uint64_t v = 0;
	int shift = 0;

	for (;;) {
		assert_true(*at < end && shift < 64);
		v |= (uint64_t)(**at & 0x7f) << shift;
		shift += 7;
		if (!(*(*at)++ & 0x80))
			return v;
	}
}

static bool next_field(const uint8_t **at, const uint8_t *end, struct field *f)
{
	uint64_t tag;

	if (*at == end)
		return false;
	tag = varint(at, end);
	*f = (struct field){ .number = (int)(tag >> 3), .wire = (int)(tag & 7) };
	assert_true(f->wire == 0 || f->wire == 2);
	f->value = varint(at, end);
	if (f->wire == 2) {
		assert_true(f->value <= (uint64_t)(end - *at));
		f->bytes = *at;
		*at += f->value;
	}
	return true;
}

/* A field of a message; number 0: there is none. */
static struct field get(const struct field *message, int number)
{
	const uint8_t *at = message->bytes, *end = at + message->value;
	struct field f, none = { 0 };

	while (next_field(&at, end, &f))
		if (f.number == number)
			return f;
	return none;
}

struct seen {
	int packets, switches, wakings, threads, instants, counters;
	char order[200];	/* of the switches on CPU 2 */
};

static void see_bundle(const struct field *bundle, struct seen *s)
{
	const uint8_t *at = bundle->bytes, *end = at + bundle->value;
	int cpu = (int)get(bundle, 1).value;
	struct field f;

	while (next_field(&at, end, &f)) {
		struct field sw, next;

		if (f.number != 2)
			continue;
		sw = get(&f, 4);
		s->wakings += get(&f, 20).number == 20;
		if (!sw.number)
			continue;
		s->switches++;
		next = get(&sw, 6);
		if (cpu == 2)
			snprintf(s->order + strlen(s->order), 40, "%d>%d@%d ",
				 (int)get(&sw, 2).value, (int)next.value,
				 (int)(get(&f, 1).value / 1000000));
	}
}

static void see_packet(const struct field *packet, struct seen *s)
{
	struct field bundle = get(packet, 1), tree = get(packet, 2);
	struct field event = get(packet, 11);

	s->packets++;
	if (bundle.number)
		see_bundle(&bundle, s);
	if (tree.number)
		s->threads += get(&tree, 2).number == 2;
	if (event.number) {
		s->instants += get(&event, 9).value == 3;
		s->counters += get(&event, 9).value == 4;
	}
}

static struct seen see(const uint8_t *bytes, size_t len)
{
	const uint8_t *at = bytes;
	struct seen s = { 0 };
	struct field f;

	while (next_field(&at, bytes + len, &f)) {
		assert_int_equal(f.number, 1);
		see_packet(&f, &s);
	}
	return s;
}

static void test_perfetto(void **state)
{
	size_t len;
	uint8_t *bytes = export_input(*state, DATA "30_pid_reuse.txt",
				      export_perfetto, NULL, &len);
	struct seen s = see(bytes, len);

	/* CPU 0: a comes, a goes; CPU 2: sh runs from the start, its child
	 * follows and goes.  The child was woken once.  Three tasks. */
	assert_int_equal(s.switches, 5);
	assert_string_equal(s.order, "0>5@10000 5>11@11100 11>0@11200 ");
	assert_int_equal(s.wakings, 1);
	assert_int_equal(s.threads, 3);
	assert_int_equal(s.instants, 0);
	free(bytes);
}

static void test_perfetto_node_change(void **state)
{
	size_t len;
	uint8_t *bytes = export_input(*state, DATA "41_migrate_after_switch.txt",
				      export_perfetto, NULL, &len);

	assert_int_equal(see(bytes, len).instants, 1);
	free(bytes);
}

/* -- JSON ----------------------------------------------------------------- */

static const char *skip_value(const char *p);

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

static const char *skip_string(const char *p)
{
	assert_int_equal(*p++, '"');
	for (; *p != '"'; p++) {
		assert_true((unsigned char)*p >= ' ');
		if (*p == '\\')
			p++;
	}
	return p + 1;
}

static const char *skip_list(const char *p, bool has_keys)
{
	char close = has_keys ? '}' : ']';

	p = skip_blanks(p + 1);
	while (*p != close) {
		if (has_keys) {
			p = skip_blanks(skip_string(p));
			assert_int_equal(*p++, ':');
		}
		p = skip_blanks(skip_value(p));
		if (*p == ',')
			p = skip_blanks(p + 1);
		else
			assert_int_equal(*p, close);
	}
	return p + 1;
}

static const char *skip_value(const char *p)
{
	size_t len;

	p = skip_blanks(p);
	if (*p == '{' || *p == '[')
		return skip_list(p, *p == '{');
	if (*p == '"')
		return skip_string(p);
	len = strspn(p, "+-.0123456789eEtruefalsn");
	assert_true(len > 0);
	return p + len;
}

static int count(const char *text, const char *what)
{
	int n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

static void test_chrome(void **state)
{
	size_t len;
	char *text = (char *)export_input(*state, DATA "41_migrate_after_switch.txt",
					  export_chrome, NULL, &len);

	assert_int_equal(*skip_blanks(skip_value(text)), '\0');
	/* a ran twice, b's span at the end; each on its CPU and its own track */
	assert_int_equal(count(text, "\"ph\":\"X\""), 6);
	assert_int_equal(count(text, "\"node 0 to 1\""), 1);
	assert_int_equal(count(text, "\"dur\":100000.000"), 4);
	assert_int_equal(count(text, "\"name\":\"node 1\""), 1);
	assert_int_equal(count(text, "\"name\":\"CPU 3\""), 1);
	free(text);
}

static void test_json_lines(void **state)
{
	size_t len;
	char *text = (char *)export_input(*state, DATA "41_migrate_after_switch.txt",
					  export_json, NULL, &len);
	const char *p = text;
	int lines = 0;

	for (; *p; lines++) {
		p = skip_value(p);
		assert_int_equal(*p++, '\n');
	}
	/* three spans, one move, two tasks */
	assert_int_equal(lines, 6);
	assert_int_equal(count(text, "\"table\":\"moves\""), 1);
	assert_non_null(strstr(text, "\"from_cpu\":0,\"from_node\":0,\"to_cpu\":2,\"to_node\":1"));
	free(text);
}

static void test_csv(void **state)
{
	static const char input[] =
		"x-1 [000] 1.0: sched_switch: prev_comm=x prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=a,\"b next_pid=2 next_prio=120\n"
		"a-2 [000] 2.0: sched_switch: prev_comm=a,\"b prev_pid=2 prev_prio=120 prev_state=D ==> next_comm=x next_pid=1 next_prio=120\n";
	struct scratch *y = *state;
	char path[300], *text;
	size_t len;

	snprintf(path, sizeof(path), "%s", folder_path(y->folder, "t"));
	assert_int_equal(file_write(path, input, strlen(input)), 0);
	text = (char *)export_input(y, path, export_csv, "spans", &len);
	assert_memory_equal(text, "run,task,tid,", 13);
	assert_non_null(strstr(text,
		",2,,\"a,\"\"b\",0,0,1000000000,2000000000,,,D,0\n"));
	free(text);
}

/* The text of a file, imported, gives the same text. */
static void test_text(void **state)
{
	static const char input[] =
		"# homenode clock mono\n"
		"# homenode states S=1 D=2 Q=4 +=64\n"
		"a b-11    (   10) [001] .nH.. 1.000000001: sched_switch: prev_comm=a b prev_pid=11 prev_prio=120 prev_state=Q ==> next_comm=swapper/1 next_pid=0 next_prio=120\n"
		"<idle>-0 [001] ..s.. 2.000000000: sched_waking: comm=a b pid=11 prio=120 target_cpu=001\n"
		"CPU:1 [LOST 7 EVENTS]\n"
		"<idle>-0 [001] ..z.. 3.000000000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a b next_pid=11 next_prio=120\n"
		"a b-11 [001] ..... 4.000000000: sched_process_exec: filename=/bin/new pid=11 old_pid=11\n"
		"new-11 [001] ..... 5.000000000: mm_migrate_pages: nr_succeeded=5 nr_failed=0 nr_thp_succeeded=1 nr_thp_failed=0 mode=MIGRATE_SYNC reason=demotion\n"
		"new-11 [001] ..... 6.000000000: sched_switch: prev_comm=new prev_pid=11 prev_prio=120 prev_state=D+ ==> next_comm=swapper/1 next_pid=0 next_prio=120\n"
		"CPU:1 [LOST EVENTS]\n";
	struct scratch *y = *state, *z;
	char path[300], *first, *second;
	size_t len;

	snprintf(path, sizeof(path), "%s", folder_path(y->folder, "t"));
	assert_int_equal(file_write(path, input, strlen(input)), 0);
	first = (char *)export_input(y, path, export_text, NULL, &len);
	assert_non_null(strstr(first, "prev_state=Q ==> next_comm=swapper/1"));
	assert_non_null(strstr(first, "# homenode lost 1 2000000000 3000000000 7\n"));
	assert_non_null(strstr(first, "sched_switch: prev_comm=new prev_pid=11"));
	assert_non_null(strstr(first, "(     10) [001] .nH.. "));
	assert_int_equal(file_write(path, first, len), 0);
	scratch_setup((void **)&z);
	second = (char *)export_input(z, path, export_text, NULL, &len);
	assert_string_equal(first, second);
	scratch_teardown((void **)&z);
	free(first);
	free(second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(test_perfetto),
		SCRATCH_TEST(test_perfetto_node_change),
		SCRATCH_TEST(test_chrome),
		SCRATCH_TEST(test_json_lines),
		SCRATCH_TEST(test_csv),
		SCRATCH_TEST(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
