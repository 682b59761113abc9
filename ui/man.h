/* SPDX-License-Identifier: MIT */
/* man: homenode(1), made from the same tables that `homenode help` prints. */
#ifndef UI_MAN_H
#define UI_MAN_H

#include "ui/cmd.h"

#include <stdio.h>

/* Writes the page as man(7) source; commands ends with NULL. */
void man_print(const struct cmd *const *commands, FILE *out);

#endif
