/* SPDX-License-Identifier: MIT */
/* A shared object, but no plug-in. */
extern const int something_else;
const int something_else = 1;
