/* SPDX-License-Identifier: MIT */
/* say: the messages of the program, on stderr. */
#ifndef UI_SAY_H
#define UI_SAY_H

/* "homenode: ..." and a newline.  Names of files and tasks, and all else that
 * comes from outside, are shown as text_safe() shows them. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
