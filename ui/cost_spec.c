/* SPDX-License-Identifier: MIT */
#include "ui/cost_spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/calibration.h"
#include "model/err.h"
#include "model/preset.h"
#include "model/topo.h"
#include "schema/store.h"

#define WORD "calibrated"

/* The length of the item "calibrated[:FILE]" at the start, 0: none. */
static size_t measured_item(const char *spec)
{
	size_t len = strlen(WORD);

	if (strncmp(spec, WORD, len) ||
	    (spec[len] && spec[len] != ',' && spec[len] != ':'))
		return 0;
	return strcspn(spec, ",");
}

static int use_measured(struct cost *c, const struct topo *t, struct store *s,
			int *missing, struct err *err)
{
	struct latency *l = NULL;
	int nr = 0;

	if (store_get_latencies(s, &l, &nr, err) == 0 && !nr)
		err_set(err, ERR_NOTFOUND, "nothing was measured in '%s': "
			"'homenode calibrate -o %s' does, on the host where it "
			"was recorded", store_path(s), store_path(s));
	if (!err->code && cost_calibrate(c, t, l, nr, missing, err))
		err_prefix(err, "'%s'", store_path(s));
	free(l);
	return err->code;
}

static int use_file(struct cost *c, const struct topo *t, const char *path,
		    int *missing, struct err *err)
{
	struct store *s = NULL;

	if (store_open(&s, path, STORE_READ, err) == 0)
		use_measured(c, t, s, missing, err);
	store_close(s);
	return err->code;
}

int cost_spec(struct cost *c, const struct topo *t, struct store *s,
	      const char *spec, int *missing, struct err *err)
{
	size_t len = spec ? measured_item(spec) : 0, word = strlen(WORD);
	char *path;

	if (missing)
		*missing = 0;
	if (cost_init(c, t, err) || !spec)
		return err->code;
	if (len > word) {
		path = strndup(spec + word + 1, len - word - 1);
		if (!path)
			return err_nomem(err);
		use_file(c, t, path, missing, err);
		free(path);
	} else if (len) {
		use_measured(c, t, s, missing, err);
	}
	if (err->code)
		return err->code;
	return cost_parse(c, spec + len + (len && spec[len]), err);
}

/* An item that tells what other nodes cost. */
static bool tells_remote(const char *item, size_t len)
{
	char name[64];

	if (measured_item(item) || !strncmp(item, "remote", 6))
		return true;
	snprintf(name, sizeof(name), "%.*s", (int)len, item);
	return !strcmp(name, "flat") || preset_find(name);
}

bool cost_spec_by_distance(const struct topo *t, const char *spec)
{
	if (topo_nr_nodes(t) < 2)
		return false;
	while (spec && *spec) {
		size_t len = strcspn(spec, ",");

		if (tells_remote(spec, len))
			return false;
		spec += len + (spec[len] != 0);
	}
	return true;
}
