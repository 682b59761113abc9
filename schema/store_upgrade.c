/* SPDX-License-Identifier: MIT */
#include "schema/store_local.h"

#include <stddef.h>

/*
 * Steps from one format to the next, in order.  A step changes recorded tables
 * and adds derived ones; where derived ones change, they are made anew after the
 * last step.
 *
 * (A file of generated demand has its demand from nowhere else: a step from a
 * format that had such files must leave their derived tables.)
 *
 * Format 0 was that of the first recordings: capture did not tell whether page
 * faults had been recorded.  Format 1 kept nothing for drawing.
 * Format 2 had no measured latencies.
 */
static const struct upgrade {
	int from;
	bool anew;		/* derived tables are made anew */
	const char *sql;
} upgrades[] = {
	{ 0, true,
	  "ALTER TABLE capture ADD COLUMN"
	  " has_faults INTEGER NOT NULL DEFAULT 0;"
	  "UPDATE capture SET has_faults = EXISTS"
	  " (SELECT 1 FROM event_kind WHERE kind = 11 AND events > 0);" },
	{ 1, false,
	  "CREATE TABLE drawing(run INTEGER PRIMARY KEY,"
	  " version INTEGER NOT NULL, spans INTEGER NOT NULL);"
	  "CREATE TABLE drawing_track(id INTEGER PRIMARY KEY,"
	  " head BLOB NOT NULL);"
	  "CREATE TABLE drawing_node(id INTEGER PRIMARY KEY,"
	  " data BLOB NOT NULL);" },
	{ 2, false,
	  "CREATE TABLE latency("
	  "cpu_node INTEGER NOT NULL, mem_node INTEGER NOT NULL,"
	  "co_runners INTEGER NOT NULL, median_ps INTEGER NOT NULL,"
	  "low_ps INTEGER NOT NULL, high_ps INTEGER NOT NULL,"
	  "samples INTEGER NOT NULL, buffer_bytes INTEGER NOT NULL,"
	  "huge_bytes INTEGER NOT NULL,"
	  "PRIMARY KEY (cpu_node, mem_node, co_runners)) WITHOUT ROWID;" },
};

static int upgrade(struct store *s, int64_t version, struct err *err)
{
	bool anew = false;

	if (store_exec(s, "BEGIN IMMEDIATE", err))
		return err->code;
	for (size_t i = 0; i < sizeof(upgrades) / sizeof(upgrades[0]); i++) {
		if (upgrades[i].from < version)
			continue;
		if (store_exec(s, upgrades[i].sql, err))
			return err->code;
		anew = anew || upgrades[i].anew;
	}
	if ((anew && store_exec(s, store_derived_sql, err)) ||
	    store_exec(s, "PRAGMA user_version = 3; COMMIT", err))
		return err->code;
	return 0;
}

int store_check_version(struct store *s, bool may_upgrade, struct err *err)
{
	int64_t version;

	if (store_int(s, "PRAGMA user_version", 0, &version, err))
		return err->code;
	if (version > STORE_VERSION)
		return err_set(err, ERR_VERSION, "'%s': written by a newer "
			       "homenode (format %lld, this one knows %d)",
			       s->path, (long long)version, STORE_VERSION);
	s->format = !may_upgrade && version > 0 ? (int)version : STORE_VERSION;
	if (version == STORE_VERSION)
		return 0;
	if (version < 0)
		return store_damaged(s, err, "format %lld", (long long)version);
	/* What formats from 1 on lack is done without by those who only read. */
	if (!may_upgrade && version > 0)
		return 0;
	if (!may_upgrade)
		return err_set(err, ERR_VERSION, "'%s': written by an older "
			       "homenode (format %lld, this one needs %d); "
			       "'homenode info --upgrade' converts it", s->path,
			       (long long)version, STORE_VERSION);
	return upgrade(s, version, err);
}
