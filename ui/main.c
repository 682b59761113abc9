/* SPDX-License-Identifier: MIT */
/* The program: finds the subcommand, prints errors, maps them to statuses. */
#include "ui/cmd.h"
#include "ui/man.h"
#include "ui/say.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct cmd *const commands[] = {
	&cmd_record, &cmd_import,  &cmd_info,	 &cmd_report, &cmd_policies,
	&cmd_replay, &cmd_fidelity, &cmd_compare, &cmd_image, &cmd_heatmap,
	&cmd_export, &cmd_tui,    &cmd_sql,	   &cmd_synth,	 &cmd_reproduce,
	&cmd_calibrate,
	NULL,
};

static const struct cmd *find(const char *name)
{
	int i;

	for (i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static void print_usage(FILE *out)
{
	int i;

	fputs("usage: homenode COMMAND [ARGUMENTS]\n\n"
	      "Record where tasks run and where their pages are on a NUMA host,"
	      "\nreplay the same work under other node balancers, see the "
	      "difference.\n\n",
	      out);
	for (i = 0; commands[i]; i++)
		fprintf(out, "  %-10s %s\n", commands[i]->name,
			commands[i]->summary);
	fputs("\n'homenode help COMMAND' tells more; 'homenode --version'.\n",
	      out);
}

static void print_help(const struct cmd *c)
{
	printf("homenode %s - %s\n\nusage: %s\n\n%s", c->name, c->summary,
	       c->usage, c->help);
}

static int help(int argc, char **argv)
{
	const struct cmd *c;

	if (argc < 2) {
		print_usage(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--man")) {
		man_print(commands, stdout);
		return 0;
	}
	c = find(argv[1]);
	if (!c) {
		say("no command '%s'", argv[1]);
		return 2;
	}
	print_help(c);
	return 0;
}

static int asks_help(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help"))
			return 1;
		else if (argv[i][0] != '-' && !strcmp(argv[0], "record"))
			return 0;
	return 0;
}

static int run(const struct cmd *c, int argc, char **argv)
{
	struct err err = { 0 };
	int ret;

	if (asks_help(argc, argv)) {
		print_help(c);
		return 0;
	}
	ret = c->run(argc, argv, &err);
	if (ret >= 0)
		return ret;
	fflush(stdout);
	say("%s", err.text);
	if (ret == ERR_USAGE)
		fprintf(stderr, "usage: %s\n'homenode help %s' tells more\n",
			c->usage, c->name);
	return err_exit_status(ret);
}

static int dispatch(int argc, char **argv)
{
	const struct cmd *c;

	if (argc < 2) {
		print_usage(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") ||
	    !strcmp(argv[1], "-h"))
		return help(argc - 1, argv + 1);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")) {
		puts("homenode " HOMENODE_VERSION);
		return 0;
	}
	c = find(argv[1]);
	if (!c) {
		say("no command '%s'; 'homenode help' lists them", argv[1]);
		return 2;
	}
	return run(c, argc - 1, argv + 1);
}

static void on_too_large(int sig)
{
}

int main(int argc, char **argv)
{
	/* A file beyond its limit is an error of write(), no end; commands that
	 * are recorded get their own way back with exec. */
	const struct sigaction too_large = { .sa_handler = on_too_large };
	int status;

	sigaction(SIGXFSZ, &too_large, NULL);

	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
	status = dispatch(argc, argv);
	if (fflush(stdout) || ferror(stdout)) {
		if (!status && errno != EPIPE)
			fprintf(stderr, "homenode: cannot write output: %s\n",
				strerror(errno));
		return status ? status : 1;
	}
	return status;
}
