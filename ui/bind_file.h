/* SPDX-License-Identifier: MIT */
/*
 * bind_file: policies read no files, so "bind,file=F" becomes "bind,rules=..."
 * with what is in F: comments out, lines joined by ';', commas of lists as '+'.
 */
#ifndef UI_BIND_FILE_H
#define UI_BIND_FILE_H

struct err;

/* *out: the policy as it shall be parsed, allocated; a copy for all others. */
int bind_file_expand(const char *spec, char **out, struct err *err);

#endif
