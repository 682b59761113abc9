/* SPDX-License-Identifier: MIT */
/*
 * cmd: the subcommands of homenode, one a file (cmd_NAME.c), each with a const
 * descriptor.  run() prints results to stdout, returns an exit status or a
 * negative enum err_code with err set; main prints the error as
 * "homenode: TEXT" (for ERR_USAGE followed by a hint at `homenode help NAME`).
 */
#ifndef UI_CMD_H
#define UI_CMD_H

#include "model/err.h"

struct cmd {
	const char *name;
	const char *summary;	/* one line for `homenode help` */
	const char *usage;	/* "homenode report F [RUN] [options]" */
	const char *help;	/* the options and what they do, 80 columns */
	int (*run)(int argc, char **argv, struct err *err);	/* argv[0] = name */
};

extern const struct cmd cmd_record, cmd_import, cmd_info, cmd_policies,
	cmd_replay, cmd_report, cmd_compare, cmd_image, cmd_tui, cmd_sql,
	cmd_synth, cmd_fidelity, cmd_reproduce, cmd_heatmap, cmd_export,
	cmd_calibrate;

#endif
