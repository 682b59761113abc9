/* SPDX-License-Identifier: MIT */
/*
 * command: the program whose run is recorded.  It is forked early, before there
 * are threads, and waits; it is executed when everything else runs.
 *
 * It keeps the caller's user, terminal and standard files.  If the caller dies
 * while it waits, it ends too.
 */
#ifndef COLLECT_COMMAND_H
#define COLLECT_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct err;

struct command {
	pid_t pid;		/* 0: none, or it ended and was waited for */
	int go_fd;		/* written: it executes */
	int failed_fd;		/* read: errno of a failed exec, else the end */
	bool ended;
	int status;		/* as wait(2) gives it, once it ended */
};

#define COMMAND_INIT { .go_fd = -1, .failed_fd = -1 }

/* mask: the signals that it shall have blocked. */
int command_start(struct command *c, char *const argv[], const sigset_t *mask,
		  struct err *err);

/* Executes it; ERR_NOTFOUND: there is no such program (a shell's status 127),
 * ERR_PERM: it is none that can be executed (126). */
int command_go(struct command *c, const char *name, struct err *err);

/* True once it ended; does not wait. */
bool command_ended(struct command *c);

/* Ends it if it still waits to be executed; gives back what is left. */
void command_release(struct command *c);

/* A wait status as a shell's exit status: 128 + signal where one ended it. */
int command_exit_status(int status);

#endif
