/* SPDX-License-Identifier: MIT */
/*
 * opt: one table of options per subcommand, read the GNU way: --name VALUE,
 * --name=VALUE, short forms, bundles are not offered, `--` ends options,
 * operands and options may be mixed.  --help is always known.
 */
#ifndef UI_OPT_H
#define UI_OPT_H

#include <stdbool.h>
#include <stdint.h>

struct err;

enum opt_type {
	OPT_FLAG,	/* bool */
	OPT_INT,	/* int64_t, decimal */
	OPT_COUNT,	/* int64_t from 1 up: a default of 0 is "not given" */
	OPT_TEXT,	/* const char * into argv */
	OPT_LIST,	/* struct opt_list: may be given several times */
	OPT_TIME,	/* int64_t ns: "1.5s", "20ms", "3us", "7" = seconds */
	OPT_SIZE,	/* int64_t bytes: "4M", "64K" */
};

struct opt_list {
	const char **item;	/* into argv; opt_list_release() frees the array */
	int nr;
};
void opt_list_release(struct opt_list *l);

struct opt {
	const char *name;	/* long, without dashes; NULL ends the table */
	char letter;		/* short, 0: none */
	enum opt_type type;
	void *value;		/* where it goes; holds the default before */
};

/*
 * Reads argv[1..]; operands are moved to the front of argv (argv[1..]) and
 * their number is returned.  ERR_USAGE for anything unknown or malformed.
 * stop_at_operand: the first operand ends the options (record's COMMAND).
 */
int opt_parse(const struct opt *table, int argc, char **argv,
	      bool stop_at_operand, struct err *err);

/* "1.5s", "20ms", "3us", "40ns", "7" (seconds), "2m", "1h" to ns. */
int opt_time(const char *text, int64_t *ns, struct err *err);

#endif
