/* SPDX-License-Identifier: MIT */
#include "ui/cmd.h"

#include "schema/derive.h"
#include "ui/bar.h"
#include "ui/info.h"
#include "ui/opt.h"

struct options {
	bool json, csv, upgrade;
};

static int print(const struct options *o, const struct info *in,
		 struct err *err)
{
	if (o->json) {
		info_json(in, stdout);
		return 0;
	}
	return o->csv ? info_csv(in, stdout, err) : info_text(in, stdout, err);
}

static int show(void *bar, double done)
{
	return bar_show(bar, "deriving", done);
}

/* What was mended is known once the timeline was made; nothing is kept. */
static int derive(struct store *s, struct err *err)
{
	struct bar bar;

	bar_init(&bar);
	derive_run0(s, show, &bar, err);
	bar_clear(&bar);
	return err->code;
}

static int run(int argc, char **argv, struct err *err)
{
	struct options o = { 0 };
	const struct opt table[] = {
		{ "json", 0, OPT_FLAG, &o.json },
		{ "csv", 0, OPT_FLAG, &o.csv },
		{ "upgrade", 0, OPT_FLAG, &o.upgrade },
		{ .name = NULL },
	};
	struct store *s = NULL;
	struct info in = { 0 };
	int n = opt_parse(table, argc, argv, false, err);

	if (n < 0)
		return n;
	if (n != 1)
		return err_set(err, ERR_USAGE, "info needs one file");
	if (!store_open(&s, argv[1], o.upgrade ? STORE_WRITE : STORE_READ,
			err) &&
	    !derive(s, err) && !info_load(&in, s, argv[1], err))
		print(&o, &in, err);
	info_release(&in);
	store_close(s);
	return err->code;
}

const struct cmd cmd_info = {
	.name = "info",
	.summary = "what is in a file: machine, settings, losses, runs",
	.usage = "homenode info FILE [--json|--csv] [--upgrade]",
	.help =
	"Tells when and on which machine FILE was recorded, how many events\n"
	"of each kind it holds, what was lost or mended, the settings in\n"
	"force, and which replays are stored in it.\n"
	"\n"
	"  --json     as one JSON object\n"
	"  --csv      as lines of section, name, value\n"
	"  --upgrade  first convert a file of an older homenode to this one's\n"
	"             format; its replays are dropped, what was recorded\n"
	"             stays\n",
	.run = run,
};
