/* SPDX-License-Identifier: MIT */
#include "ui/cmd.h"

#include "ui/bar.h"
#include "ui/export.h"
#include "ui/open.h"
#include "ui/opt.h"
#include "ui/outfile.h"
#include "ui/run_pick.h"
#include "ui/tty_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct form {
	const char *name;
	int (*write)(struct export_run *x, struct err *err);
	bool is_binary, has_tables;
};

static const struct form forms[] = {
	{ "chrome", export_chrome, false, false },
	{ "perfetto", export_perfetto, true, false },
	{ "csv", export_csv, false, true },
	{ "json", export_json, false, true },
	{ "text", export_text, false, false },
};

struct options {
	const char *format, *output, *table;
};

static const struct form *pick_form(const struct options *o, struct err *err)
{
	for (size_t i = 0; o->format && i < sizeof(forms) / sizeof(forms[0]); i++)
		if (strcmp(forms[i].name, o->format) == 0) {
			if (!o->table || forms[i].has_tables)
				return &forms[i];
			err_set(err, ERR_USAGE,
				"--table goes with --format csv or json");
			return NULL;
		}
	err_set(err, ERR_USAGE, o->format ? "--format '%.40s': chrome, perfetto, csv, json or text" :
		"--format: chrome, perfetto, csv, json or text?", o->format);
	return NULL;
}

static int write_to(struct export_run *x, const struct form *form, FILE *out,
		    struct err *err)
{
	int code = export_load(x, err);

	x->out = out;
	return code ? code : form->write(x, err);
}

static int write_stdout(struct export_run *x, const struct form *form,
			struct err *err)
{
	FILE *to = tty_out_open(stdout);
	int code;

	if (!to)
		return err_nomem(err);
	code = write_to(x, form, to, err);
	if (tty_out_close(to, stdout) < 0 || fflush(stdout) != 0)
		code = err_set(err, ERR_IO, "cannot write standard output: %s",
			       strerror(errno));
	return code;
}

static int write_file(struct export_run *x, const struct form *form,
		      const char *path, struct err *err)
{
	struct outfile o;

	if (outfile_open(&o, path, OUTFILE_REPLACE, err))
		return err->code;
	return outfile_close(&o, write_to(x, form, o.out, err), err);
}

static int export_one(struct store *s, const struct form *form,
		      const char *spec, const struct options *o,
		      struct err *err)
{
	struct run_info *runs;
	int nr, i;

	if (store_get_runs(s, &runs, &nr, err) < 0)
		return err->code;
	i = run_pick(runs, nr, spec, err);
	if (i >= 0) {
		struct export_run x = {
			.store = s, .run = &runs[i], .table = o->table,
		};

		if (o->output)
			write_file(&x, form, o->output, err);
		else
			write_stdout(&x, form, err);
		export_release(&x);
	}
	for (i = 0; i < nr; i++)
		run_info_release(&runs[i]);
	free(runs);
	return err->code;
}

static int run(int argc, char **argv, struct err *err)
{
	struct options o = { 0 };
	const struct opt table[] = {
		{ "format", 'F', OPT_TEXT, &o.format },
		{ "output", 'o', OPT_TEXT, &o.output },
		{ "table", 't', OPT_TEXT, &o.table },
		{ .name = NULL },
	};
	int nr = opt_parse(table, argc, argv, false, err);
	const struct form *form;
	struct store *s = NULL;
	struct bar bar;

	if (nr < 0)
		return nr;
	if (nr < 1 || nr > 2)
		return err_set(err, ERR_USAGE, nr ? "one file and one run, please" :
						    "which file?");
	form = pick_form(&o, err);
	if (!form)
		return err->code;
	if (form->is_binary && !o.output && isatty(STDOUT_FILENO))
		return err_set(err, ERR_USAGE,
			       "--output FILE: a terminal cannot show it");
	bar_init(&bar);
	if (open_study(&s, argv[1], &bar, err) == 0)
		export_one(s, form, nr > 1 ? argv[2] : "recorded", &o, err);
	store_close(s);
	return err->code;
}

const struct cmd cmd_export = {
	.name = "export",
	.summary = "write a run for Perfetto, spreadsheets, or as ftrace text",
	.usage = "homenode export FILE [RUN] --format FORM [-o OUT]",
	.help =
"RUN is a number, \"recorded\" (the default), or a policy: \"o1,seed=3\".\n"
"\n"
"  -F, --format FORM  perfetto  for ui.perfetto.dev: CPUs, states of threads,\n"
"                               pages of each process on each node, changes\n"
"                               of node\n"
"                     chrome    the same as JSON of the trace event format\n"
"                     csv       rows of one table\n"
"                     json      an object a line, of one table or of all\n"
"                     text      the recorded events as ftrace prints them; import\n"
"                               takes it back\n"
"  -o, --output OUT   default: standard output\n"
"  -t, --table T      of csv and json: spans (who ran where from when to when),\n"
"                     moves (from CPU to CPU), residency (sums for each task);\n"
"                     csv takes spans by itself\n"
"\n"
"Times are ns of the trace's clock.  For Parquet, DuckDB reads the file itself:\n"
"  duckdb -c \"ATTACH 'x.homenode' AS h (TYPE sqlite);\n"
"             COPY (SELECT * FROM h.spans) TO 'spans.parquet'\"\n",
	.run = run,
};
