/* SPDX-License-Identifier: MIT */
/* Runs one target on files, without libFuzzer: found cases as regressions. */
#include "tests/fuzz/fuzz.h"

#include "tests/support/folder.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		size_t len;
		uint8_t *bytes = file_read(argv[i], &len);

		if (!bytes) {
			fprintf(stderr, "cannot read '%s'\n", argv[i]);
			return 1;
		}
		LLVMFuzzerTestOneInput(bytes, len);
		free(bytes);
	}
	return 0;
}
