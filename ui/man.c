/* SPDX-License-Identifier: MIT */
#include "ui/man.h"

/* A leading dot or quote would be a request, a backslash an escape, and a bare
 * dash a typographic hyphen that cannot be pasted. */
static void escaped(const char *text, FILE *out)
{
	const char *c;

	for (c = text; *c; c++) {
		if ((c == text || c[-1] == '\n') && (*c == '.' || *c == '\''))
			fputs("\\&", out);
		if (*c == '\\')
			fputs("\\e", out);
		else if (*c == '-')
			fputs("\\-", out);
		else
			putc(*c, out);
	}
}

static void command(const struct cmd *c, FILE *out)
{
	fputs(".SS ", out);
	escaped(c->name, out);
	fputs("\n", out);
	escaped(c->summary, out);
	fputs(".\n.PP\n.nf\n.B ", out);
	escaped(c->usage, out);
	fputs("\n\n", out);
	escaped(c->help, out);
	fputs(".fi\n", out);
}

void man_print(const struct cmd *const *commands, FILE *out)
{
	fputs(".TH HOMENODE 1 \"\" \"homenode " HOMENODE_VERSION "\" "
	      "\"User Commands\"\n"
	      ".SH NAME\nhomenode \\- record, replay and see where tasks and "
	      "their pages are on a NUMA host\n"
	      ".SH SYNOPSIS\n.B homenode\n.I COMMAND\n[\\fIARGUMENTS\\fR]\n"
	      ".SH DESCRIPTION\nRecords on which NUMA node each task runs and "
	      "where its memory is, replays the same work under other node "
	      "balancers, and shows the difference.  Everything of one study "
	      "is in one SQLite file.\n"
	      ".PP\nA run is named by its number or by what it is: "
	      "\\fIrecorded\\fR, \\fIo1\\fR, \\fInode\\-affine,seed=3\\fR.\n"
	      ".SH COMMANDS\n",
	      out);
	for (; *commands; commands++)
		command(*commands, out);
	fputs(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf set and not empty, nothing "
	      "is coloured.\n"
	      ".SH EXIT STATUS\n0 if all went well, 1 if an input or the system "
	      "did not allow it, 2 if the command line was wrong.  "
	      "\\fBrecord\\fR passes on the status of its command.\n"
	      ".SH SEE ALSO\n.BR trace\\-cmd (1),\n.BR perf\\-sched (1),\n"
	      ".BR numactl (8),\n.BR lstopo (1),\n.BR sqlite3 (1)\n",
	      out);
}
