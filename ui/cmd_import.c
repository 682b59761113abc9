/* SPDX-License-Identifier: MIT */
#include "ui/cmd.h"

#include "collect/import.h"
#include "ui/bar.h"
#include "ui/json.h"
#include "ui/opt.h"
#include "ui/say.h"
#include "ui/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct options {
	const char *input, *output, *shift, *unit;
	bool force, json;
	struct opt_list distances, memory_nodes, numa_maps, knobs;
	struct import_options o;
};

static void release(struct options *p)
{
	opt_list_release(&p->distances);
	opt_list_release(&p->memory_nodes);
	opt_list_release(&p->numa_maps);
	opt_list_release(&p->knobs);
}

static struct import_list list_of(const struct opt_list *l)
{
	return (struct import_list){ l->item, l->nr };
}

/* "1.5s" or "-20ms" */
static int read_shift(struct options *p, struct err *err)
{
	const char *text = p->shift;
	bool minus = text && text[0] == '-';

	if (!text)
		return 0;
	if (opt_time(text + minus, &p->o.shift_ns, err) < 0)
		return err_prefix(err, "--shift");
	if (minus)
		p->o.shift_ns = -p->o.shift_ns;
	p->o.has_shift = true;
	return 0;
}

static int read_unit(struct options *p, struct err *err)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", 1000000000 },
	};

	if (!p->unit)
		return 0;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(p->unit, units[i].name) == 0)
			p->o.unit_ns = units[i].ns;
	return p->o.unit_ns ? 0 : err_set(err, ERR_USAGE,
					  "--unit '%.20s': ns, us, ms or s",
					  p->unit);
}

static int parse(struct options *p, int argc, char **argv, struct err *err)
{
	const struct opt table[] = {
		{ "output", 'o', OPT_TEXT, &p->output },
		{ "force", 'f', OPT_FLAG, &p->force },
		{ "topology", 't', OPT_TEXT, &p->o.topology },
		{ "distance", 0, OPT_LIST, &p->distances },
		{ "memory-node", 0, OPT_LIST, &p->memory_nodes },
		{ "numa-maps", 0, OPT_LIST, &p->numa_maps },
		{ "shift", 0, OPT_TEXT, &p->shift },
		{ "unit", 0, OPT_TEXT, &p->unit },
		{ "knob", 'k', OPT_LIST, &p->knobs },
		{ "buffer", 0, OPT_TEXT, &p->o.buffer },
		{ "partial", 0, OPT_FLAG, &p->o.partial },
		{ "json", 0, OPT_FLAG, &p->json },
		{ .name = NULL },
	};
	int nr = opt_parse(table, argc, argv, false, err);

	if (nr < 0)
		return nr;
	if (nr != 1)
		return err_set(err, ERR_USAGE, nr ? "one FILE, please" :
						    "which FILE?");
	p->input = argv[1];
	p->o.distances = list_of(&p->distances);
	p->o.memory_nodes = list_of(&p->memory_nodes);
	p->o.numa_maps = list_of(&p->numa_maps);
	p->o.knobs = list_of(&p->knobs);
	if (read_unit(p, err) < 0)
		return err->code;
	return read_shift(p, err);
}

/* "DIR/trace.dat" becomes "trace.homenode" in the current folder. */
static char *default_output(const char *input)
{
	size_t len = strlen(input);
	const char *base;
	char *name;

	while (len > 1 && input[len - 1] == '/')
		len--;
	base = memrchr(input, '/', len);
	base = base ? base + 1 : input;
	len -= (size_t)(base - input);
	if (len > 4 && strncmp(base + len - 4, ".dat", 4) == 0)
		len -= 4;
	return asprintf(&name, "%.*s.homenode", (int)len, base) < 0 ? NULL : name;
}

struct screen {
	struct bar bar;
};

static int show_progress(void *ctx, double done)
{
	struct screen *s = ctx;

	return bar_show(&s->bar, "import", done);
}

static void show_note(void *ctx, const char *text)
{
	struct screen *s = ctx;

	bar_clear(&s->bar);
	say("%s", text);
}

static int json_number(void *ctx, const char *name, int64_t count)
{
	json_key(ctx, name);
	json_int(ctx, count);
	return 0;
}

static int print_json(struct store *s, const char *output,
		      const struct ingest_totals *t, struct err *err)
{
	struct json j;
	int code;

	json_open(&j, stdout);
	json_object(&j);
	json_key(&j, "output");
	json_text(&j, output);
	json_number(&j, "events", t->events);
	json_key(&j, "by_kind");
	json_object(&j);
	for (int i = 0; i < EVENT_NR_KINDS; i++)
		if (t->by_kind[i])
			json_number(&j, event_kind_name(i), t->by_kind[i]);
	json_end(&j, '}');
	json_number(&j, "skipped", t->skipped);
	json_number(&j, "lost", t->lost);
	json_number(&j, "loss_intervals", t->loss_intervals);
	json_number(&j, "start_ns", t->start_ns);
	json_number(&j, "end_ns", t->end_ns);
	json_number(&j, "window_start_ns", t->window_start_ns);
	json_number(&j, "window_end_ns", t->window_end_ns);
	json_number(&j, "cpus", t->cpus);
	json_number(&j, "tasks", t->tasks);
	json_number(&j, "processes", t->processes);
	json_number(&j, "areas", t->areas);
	json_number(&j, "placement_samples", t->samples);
	json_key(&j, "repairs");
	json_object(&j);
	code = store_each_repair(s, json_number, &j, err);
	json_end(&j, '}');
	json_end(&j, '}');
	json_done(&j);
	return code;
}

static void print_text(const char *output, const struct ingest_totals *t)
{
	char *name = text_safe_copy(output);

	printf("%s: %" PRId64 " event%s of %d task%s on %d CPU%s in %.3f s",
	       name ? name : "", t->events, text_s(t->events), t->tasks, text_s(t->tasks),
	       t->cpus, text_s(t->cpus), (double)(t->end_ns - t->start_ns) / 1e9);
	if (t->samples)
		printf(", %d memory area%s", t->areas, text_s(t->areas));
	if (t->skipped)
		printf(", %" PRId64 " other event%s left out", t->skipped,
		       text_s(t->skipped));
	printf("\n");
	free(name);
}

/* --force replaces a file, but never the one that is being read. */
static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

static int import(struct options *p, const char *output, struct err *err)
{
	struct ingest_totals totals = { 0 };
	struct screen screen = { 0 };
	const struct spool_watch watch = {
		&screen, show_progress, show_note,
	};
	struct store *s = NULL;
	int code;

	if (is_same_file(p->input, output))
		return err_set(err, ERR_USAGE, "'%s': is the input itself", output);
	bar_init(&screen.bar);
	code = store_create(&s, output, p->force, err);
	if (code == 0)
		code = import_file(p->input, &p->o, s, &watch, &totals, err);
	bar_clear(&screen.bar);
	if (code == 0)
		code = store_commit(s, err);
	if (code == 0 && p->json)
		code = print_json(s, output, &totals, err);
	else if (code == 0)
		print_text(output, &totals);
	store_close(s);
	return code;
}

static int run(int argc, char **argv, struct err *err)
{
	struct options p = { 0 };
	char *output = NULL;
	int code = parse(&p, argc, argv, err);

	if (code == 0) {
		output = p.output ? strdup(p.output) : default_output(p.input);
		code = output ? import(&p, output, err) : err_nomem(err);
	}
	free(output);
	release(&p);
	return code;
}

const struct cmd cmd_import = {
	.name = "import",
	.summary = "make a file of a trace.dat, a perf.data, a trace in text",
	.usage = "homenode import FILE [-o OUT] [--topology T] [options]",
	.help =
"FILE is a trace.dat of trace-cmd (versions 6 and 7, compressed or not), a\n"
"perf.data (perf sched record, or perf record -a -e sched:sched_switch,...; also\n"
"through a pipe, with -z), a trace in text (tracefs' trace and trace_pipe,\n"
"trace-cmd report, perf script, atrace, systrace with its HTML, ftrace's dump in\n"
"dmesg, homenode export), or the spool folder that a killed `homenode record`\n"
"left; with at least sched_switch in it.  Its kind is found by its content.\n"
"\n"
"  -o, --output OUT    default: FILE's name with .homenode for .dat, in the\n"
"                      current folder\n"
"  -f, --force         replace OUT if it exists\n"
"  -t, --topology T    the machine: an XML of lstopo, the text of numactl\n"
"                      --hardware, or a description such as \"numa:4 core:2\n"
"                      pu:1\"; else one node is assumed\n"
"  --distance D        beside T: rows \"10,20;20,10\" or pairs \"0,1=21\", which\n"
"                      hold both ways unless both are given\n"
"  --memory-node N     beside T: a node without CPUs, \"4\" or \"4=64G\"\n"
"  --numa-maps F       samples of memory, lines \"SECONDS PID LINE\" with LINE\n"
"                      of /proc/PID/numa_maps and SECONDS of CLOCK_MONOTONIC\n"
"  --shift TIME        to add to those times: needed if the trace has another\n"
"                      clock than mono (may be negative: --shift=-20ms)\n"
"  --unit U            of a text's times without a point: ns, us, ms, s\n"
"  -k, --knob N=V      a setting that was in force (kernel.numa_balancing=1)\n"
"  --buffer NAME       a further buffer of FILE (trace-cmd record -B NAME)\n"
"  --partial           take what is there of a FILE that is cut off in its data\n"
"                      (not of a trace.dat of version 7, which tells at its end\n"
"                      whose the data is)\n"
"                      (a trace.dat of version 7 that was cut off has lost at its\n"
"                      end where its data is, and cannot be taken)\n"
"  --json              print what came in as JSON\n"
"\n"
"--distance, --memory-node, --numa-maps and --knob may be given several times.\n"
"Events that homenode does not keep are counted by name.\n",
	.run = run,
};
