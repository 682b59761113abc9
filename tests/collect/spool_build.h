/* SPDX-License-Identifier: MIT */
/* spool_build: what a spool needs, taken from the trace.dat builder. */
#ifndef TESTS_COLLECT_SPOOL_BUILD_H
#define TESTS_COLLECT_SPOOL_BUILD_H

#include "collect/spool.h"
#include "model/err.h"
#include "tests/support/dat_build_local.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t spool_build_number(const uint8_t **at, int size)
{
	uint64_t v = 0;

	for (int i = size; i-- > 0;)
		v = v << 8 | (*at)[i];
	*at += size;
	return v;
}

/* The builder's formats, one file each. */
static void spool_build_formats(struct spool *spool, struct dat_build *b)
{
	static const char header[] =
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
	struct dat_bytes bytes = { 0 };
	struct err err = { 0 };
	const uint8_t *at;
	uint64_t systems;

	dat_put_formats(b, &bytes);
	dat_put(&bytes, NULL, 1);	/* for sscanf() below */
	at = bytes.at;
	systems = spool_build_number(&at, 4);
	while (systems--) {
		const char *system = (const char *)at;
		uint64_t events;

		at += strlen(system) + 1;
		events = spool_build_number(&at, 4);
		while (events--) {
			uint64_t len = spool_build_number(&at, 8);
			char name[100], file[200];

			assert_int_equal(sscanf((const char *)at, "name: %99s",
						name), 1);
			snprintf(file, sizeof(file), "%s.%s.format", system, name);
			assert_int_equal(spool_put_file(spool, file,
							(const char *)at, len,
							&err), 0);
			at += len;
		}
	}
	free(bytes.at);
	assert_int_equal(spool_put_file(spool, "header_page", header,
					strlen(header), &err), 0);
}

#endif
