/* SPDX-License-Identifier: MIT */
#include "collect/import_local.h"

#include "collect/dat.h"
#include "collect/numa_maps.h"
#include "collect/perf.h"
#include "collect/topo_read.h"
#include "model/err.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void import_note(const struct spool_watch *watch, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	if (!watch || !watch->note)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	watch->note(watch->ctx, text);
}

static int read_topology(struct topo *t, const struct import_options *o,
			 struct err *err)
{
	int code = topo_read(t, o->topology, err);

	for (int i = 0; i < o->memory_nodes.nr && code == 0; i++)
		code = topo_read_memory_node(t, o->memory_nodes.item[i], err);
	for (int i = 0; i < o->distances.nr && code == 0; i++)
		code = topo_read_distances(t, o->distances.item[i], err);
	return code;
}

static int put_knob(struct ingest *in, const char *text, struct err *err)
{
	const char *eq = strchr(text, '=');
	char *name;
	int code;

	if (!eq || eq == text)
		return err_set(err, ERR_USAGE, "--knob '%.80s': write name=value",
			       text);
	name = strndup(text, (size_t)(eq - text));
	if (!name)
		return err_nomem(err);
	code = ingest_knob(in, name, eq + 1, err);
	free(name);
	return code;
}

int import_settings(struct ingest *in, const struct import_options *o,
		    const char *clock, struct err *err)
{
	struct topo topo = { 0 };
	int code = 0;

	if (o->numa_maps.nr && !o->has_shift && strcmp(clock, "mono") != 0)
		return err_set(err, ERR_USAGE,
			       "'%s': its times are CLOCK_MONOTONIC's, those of the trace are of clock '%s' (--shift tells the difference)",
			       o->numa_maps.item[0], clock[0] ? clock : "unknown");
	if (o->topology) {
		code = read_topology(&topo, o, err);
		if (code == 0 && topo_nr_cpus(&topo))
			code = ingest_topo(in, &topo, err);
		topo_release(&topo);
	} else if (o->distances.nr || o->memory_nodes.nr) {
		code = err_set(err, ERR_USAGE,
			       "--distance and --memory-node need --topology");
	}
	for (int i = 0; i < o->knobs.nr && code == 0; i++)
		code = put_knob(in, o->knobs.item[i], err);
	return code;
}

int import_samples(struct ingest *in, const struct import_options *o,
		   int64_t page_size, struct err *err)
{
	int code = 0;

	for (int i = 0; i < o->numa_maps.nr && code == 0; i++)
		code = numa_maps_import(in, o->numa_maps.item[i], page_size,
					o->shift_ns, err);
	return code;
}

void import_remarks(const struct ingest_totals *t,
		    const struct import_options *o,
		    const struct spool_watch *watch)
{
	if (!o->topology)
		import_note(watch, "the file does not tell the machine: one node assumed (--topology gives it)");
	if (t->cpus_not_in_topology)
		import_note(watch, "CPU %d%s is not in the topology: put on a node of its own, %d, without memory",
			    t->first_stray_cpu,
			    t->cpus_not_in_topology > 1 ? " (and others)" : "",
			    t->stray_node);
	if (t->lost || t->loss_intervals)
		import_note(watch, "events are missing in %" PRId64 " place%s, %" PRId64 " %s known to be lost",
			    t->loss_intervals,
			    t->loss_intervals == 1 ? "" : "s", t->lost,
			    t->lost == 1 ? "is" : "are");
}

/* perf record --threads leaves a folder: events per thread beside the head. */
static bool is_of_perf_threads(const char *folder)
{
	char path[4096], bytes[16];
	bool is = false;
	ssize_t n;
	int fd;

	if (snprintf(path, sizeof(path), "%s/data", folder) >= (int)sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	n = read(fd, bytes, sizeof(bytes));
	if (n > 0)
		is = perf_magic((const uint8_t *)bytes, (size_t)n);
	close(fd);
	return is;
}

static int first_bytes(const char *path, uint8_t *bytes, size_t *len,
		       struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0) {
		int why = errno;

		if (fd >= 0)
			close(fd);
		return err_set(err, why == ENOENT ? ERR_NOTFOUND : ERR_IO,
			       "cannot open '%s': %s", path, strerror(why));
	}
	n = S_ISREG(st.st_mode) ? read(fd, bytes, *len) : 0;
	close(fd);
	if (S_ISDIR(st.st_mode))
		return err_set(err, ERR_FORMAT, is_of_perf_threads(path) ?
			       "'%s' is a folder of perf record --threads, which is not read: record without --threads" :
			       "'%s' is a folder, and not the spool of a recording",
			       path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_FORMAT, "'%s' is not a regular file",
			       path);
	if (n < 0)
		return err_set(err, ERR_IO, "cannot read '%s': %s", path,
			       strerror(errno));
	if (n == 0)
		return err_set(err, ERR_FORMAT, "'%s' is empty", path);
	*len = (size_t)n;
	return 0;
}

/* 0 for what may be a text. */
static int other_kind(const char *path, const uint8_t *bytes, size_t len,
			struct err *err)
{
	static const struct {
		const char *magic, *what;
	} others[] = {
		{ "SQLite format 3", "an SQLite file (info, report and others read those of homenode)" },
		{ "{", "JSON, not a trace" },
		{ "[{", "JSON, not a trace" },
		{ "TRACE:\n\x78", "compressed text of atrace -z (run it without -z)" },
	};
	const char *what = NULL;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		size_t n = strlen(others[i].magic);

		if (len >= n && memcmp(bytes, others[i].magic, n) == 0)
			what = others[i].what;
	}
	if (!what && import_text_is(bytes, len))
		return 0;
	return err_set(err, ERR_FORMAT,
		       "'%s' is %s; what can be imported is a trace.dat of trace-cmd (versions 6 and 7), a perf.data, a trace in text and the spool that an interrupted recording left",
		       path, what ? what : "of an unknown kind");
}

int import_file(const char *path, const struct import_options *o,
		struct store *s, const struct spool_watch *watch,
		struct ingest_totals *totals, struct err *err)
{
	uint8_t bytes[4096];
	size_t len = sizeof(bytes);
	int (*fn)(const char *path, const struct import_options *o,
		  struct ingest *in, const struct spool_watch *watch,
		  struct err *err);
	struct ingest *in;
	int code;

	if (spool_is(path))
		return spool_import(path, s, watch, totals, err);
	if (first_bytes(path, bytes, &len, err) < 0)
		return err->code;
	fn = dat_magic(bytes, len) ? import_dat :
	     perf_magic(bytes, len) ? import_perf : import_text;
	if (fn == import_text && other_kind(path, bytes, len, err) < 0)
		return err->code;
	if (ingest_new(&in, s, err) < 0)
		return err->code;
	code = fn(path, o, in, watch, err);
	if (totals)
		*totals = *ingest_totals(in);
	ingest_free(in);
	return code;
}
