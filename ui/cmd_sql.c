/* SPDX-License-Identifier: MIT */
#include "ui/cmd.h"

#include "schema/store.h"
#include "ui/bar.h"
#include "ui/open.h"
#include "ui/opt.h"
#include "ui/say.h"
#include "ui/sql_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct session {
	struct store *s;
	enum sql_form form;
	bool prompt;
};

/* All statements of a text, one after the other. */
static int run_text(const struct session *n, const char *sql, struct err *err)
{
	struct store_query *q;

	while (*sql) {
		if (store_query_open(n->s, sql, &sql, &q, err))
			return err->code;
		if (!q)
			continue;	/* a comment or blanks */
		sql_output(q, n->form, stdout, err);
		store_query_close(q);
		if (err->code)
			return err->code;
	}
	return 0;
}

/* What hands used to sqlite3 type first. */
static const struct {
	const char *word, *sql;
} words[] = {
	{ ".tables", "SELECT name, type FROM sqlite_schema"
		     " WHERE type IN ('table', 'view') ORDER BY type, name" },
	{ ".schema", "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"
		     " ORDER BY type, name" },
};

static const char *meaning(const char *line)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(line, words[i].word, strlen(words[i].word)))
			return words[i].sql;
	return NULL;
}

static bool is_quit(const char *line)
{
	return !strncmp(line, ".quit", 5) || !strncmp(line, ".exit", 5);
}

/* At a terminal an error ends the statement only. */
static int run_input(const struct session *n, const char *sql, struct err *err)
{
	struct err own = { 0 };

	if (!n->prompt)
		return run_text(n, sql, err);
	if (run_text(n, sql, &own)) {
		fflush(stdout);
		say("%s", own.text);
	}
	return 0;
}

static int append(char **text, size_t *len, const char *line, size_t n,
		  struct err *err)
{
	char *more = realloc(*text, *len + n + 1);

	if (!more)
		return err_nomem(err);
	memcpy(more + *len, line, n + 1);
	*text = more;
	*len += n;
	return 0;
}

static void prompt(const struct session *n, size_t len)
{
	if (!n->prompt)
		return;
	fputs(len ? "     ...> " : "homenode> ", stdout);
	fflush(stdout);
}

static int read_statements(const struct session *n, struct err *err)
{
	char *line = NULL, *text = NULL;
	size_t size = 0, len = 0;
	const char *sql;
	ssize_t got;

	prompt(n, 0);
	while (!err->code && (got = getline(&line, &size, stdin)) >= 0) {
		if (!len && is_quit(line))
			break;
		sql = len ? NULL : meaning(line);
		if (sql) {
			run_input(n, sql, err);
		} else if (!append(&text, &len, line, (size_t)got, err) &&
			   store_query_complete(text)) {
			run_input(n, text, err);
			len = 0;
		}
		prompt(n, len);
	}
	if (!err->code && len)
		run_input(n, text, err);	/* without its semicolon */
	if (n->prompt)
		putchar('\n');
	free(line);
	free(text);
	return err->code;
}

static int run(int argc, char **argv, struct err *err)
{
	bool csv = false, json = false;
	const struct opt table[] = {
		{ "csv", 0, OPT_FLAG, &csv },
		{ "json", 0, OPT_FLAG, &json },
		{ .name = NULL },
	};
	struct session n = { 0 };
	struct bar bar;
	int operands = opt_parse(table, argc, argv, false, err);

	if (operands < 0)
		return operands;
	if (operands < 1 || operands > 2)
		return err_set(err, ERR_USAGE, "sql needs a file and at most "
			       "one text of SQL");
	n.form = json ? SQL_JSON : csv ? SQL_CSV : SQL_TEXT;
	n.prompt = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	bar_init(&bar);
	if (open_read(&n.s, argv[1], &bar, err))
		return err->code;
	if (operands == 2)
		run_text(&n, meaning(argv[2]) ? meaning(argv[2]) : argv[2], err);
	else
		read_statements(&n, err);
	store_close(n.s);
	return err->code;
}

const struct cmd cmd_sql = {
	.name = "sql",
	.summary = "ask a file in SQL",
	.usage = "homenode sql FILE [SQL] [--csv|--json]",
	.help =
	"Runs the statements in SQL, or those read from standard input, on\n"
	"FILE, which they cannot change.  Any SQLite client works as well.\n"
	"\n"
	"  --csv   rows as CSV, names of the columns first\n"
	"  --json  rows as an array of objects per statement\n"
	"\n"
	"Views have the names of the kernel's events and fields:\n"
	"\n"
	"  homenode sql x.hn 'SELECT ts, cpu, prev_comm, next_comm\n"
	"                     FROM sched_switch LIMIT 10'\n"
	"\n"
	".tables lists tables and views, .schema describes them.  A range of\n"
	"time is quick by the column at: ns since the first event.\n",
	.run = run,
};
