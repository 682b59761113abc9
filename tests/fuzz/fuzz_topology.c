/* SPDX-License-Identifier: MIT */
/* The first byte picks: a file (XML or numactl), a description, distances, a
 * node of memory. */
#include "tests/fuzz/fuzz.h"

#include "collect/topo_read.h"
#include "model/err.h"
#include "model/topo_text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct topo t = { 0 };
	struct err err = { 0 };
	char *text;

	if (!len)
		return 0;
	text = malloc(len);
	memcpy(text, data + 1, len - 1);
	text[len - 1] = '\0';
	switch (data[0] % 5) {
	case 0:
		topo_read(&t, fuzz_file(data + 1, len - 1), &err);
		break;
	case 1:
		topo_read(&t, text, &err);
		break;
	case 2:
		if (topo_flat(&t, 4, &err) == 0)
			topo_read_distances(&t, text, &err);
		break;
	case 3:
		if (topo_flat(&t, 4, &err) == 0)
			topo_read_memory_node(&t, text, &err);
		break;
	case 4:
		topo_from_text(&t, text, &err);
		break;
	}
	topo_release(&t);
	free(text);
	return 0;
}
