/* SPDX-License-Identifier: MIT */
/* dat_build_local: what the parts of dat_build share. */
#ifndef TESTS_SUPPORT_DAT_BUILD_LOCAL_H
#define TESTS_SUPPORT_DAT_BUILD_LOCAL_H

#include "tests/support/dat_build.h"

_Noreturn void dat_build_die(const char *why);

void dat_put(struct dat_bytes *b, const void *data, size_t len); /* NULL: 0s */
void dat_set_number(uint8_t *to, uint64_t v, int size, bool big);
void dat_put_number(const struct dat_build *b, struct dat_bytes *to, uint64_t v,
		    int size);
void dat_put_text(struct dat_bytes *to, const char *text);
size_t dat_head_len(const struct dat_build *b);	/* of a page */

/* header_page and header_event; event formats by system. */
void dat_put_headers(const struct dat_build *b, struct dat_bytes *to);
void dat_put_formats(const struct dat_build *b, struct dat_bytes *to);

#endif
