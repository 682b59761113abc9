/* SPDX-License-Identifier: MIT */
/*
 * The first byte picks: a file (XML or numactl), a description, distances, a
 * node of memory, homenode's own text.  What hwloc reads, a child reads, which
 * costs as much as thousands of other inputs: it is asked about one in
 * FOREIGN_EVERY, chosen by content so that a case found stays one.
 */
#include "tests/fuzz/fuzz.h"

#include "collect/topo_numactl.h"
#include "collect/topo_read.h"
#include "model/err.h"
#include "model/topo_text.h"

#include <stdlib.h>
#include <string.h>

#define FOREIGN_EVERY 256

static bool ask_hwloc(const char *text)
{
	uint32_t hash = 2166136261;

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * 16777619;
	return hash % FOREIGN_EVERY == 0;
}

static void read_file(struct topo *t, const char *text, const uint8_t *data,
		      size_t len)
{
	struct err err = { 0 };

	if (topo_numactl_is(text) || ask_hwloc(text))
		topo_read(t, fuzz_file(data, len), &err);
}

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
		read_file(&t, text, data + 1, len - 1);
		break;
	case 1:
		if (ask_hwloc(text))
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
