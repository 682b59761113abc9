/* SPDX-License-Identifier: MIT */
#include "collect/spool_local.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/merge.h"
#include "model/err.h"

#define BUFFERS_BYTES (16u << 20) /* of all CPUs together */

/* One cpuN.raw.  It is opened for each piece: hundreds of them would need as
 * many descriptors else. */
struct cpu_file {
	struct spool_source *source;
	int cpu;
	int64_t size, pos;	/* of the file; what was read of it */
	uint8_t *buf;
	size_t len, at;		/* in buf */
	int64_t mark;		/* complete up to here, 0 unknown */
	int64_t seen;		/* events that came out of it */
	int64_t known;		/* lost ones with a count */
};

struct spool_source {
	char dir[PATH_MAX - 64];
	const struct spool_info *info;
	const struct spool_end *end;
	struct decoder *decoder;
	size_t buf_bytes;
	struct cpu_file *file;
	int nr_files;
	struct merge *merge;
	int64_t bytes, done;
	struct loss *held;	/* of unknown size, until all are known */
	int nr_held, size_held;
	int next_held;		/* -1: events still come */
	int *by_cpu;		/* index of file by CPU number, -1 */
	int nr_by_cpu;
};

static int fail(const struct spool_source *s, int cpu, const char *what,
		struct err *err)
{
	return err_set(err, ERR_IO, "cannot %s '%s/cpu%d.raw': %s", what, s->dir,
		       cpu, strerror(errno));
}

static int refill(struct cpu_file *c, struct err *err)
{
	struct spool_source *s = c->source;
	char path[PATH_MAX];
	ssize_t n = 0;
	int fd, code = 0;

	snprintf(path, sizeof(path), "%s/cpu%d.raw", s->dir, c->cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail(s, c->cpu, "open", err);
	c->len = c->at = 0;
	while (c->len < s->buf_bytes && code == 0) {
		n = pread(fd, c->buf + c->len, s->buf_bytes - c->len, c->pos);
		if (n < 0)
			code = fail(s, c->cpu, "read", err);
		if (n <= 0)
			break;
		c->len += (size_t)n;
		c->pos += n;
		s->done += n;
	}
	close(fd);
	return code;
}

static bool is_blank(const uint8_t *page, size_t len)
{
	for (size_t i = 0; i < len && i < 16; i++)
		if (page[i])
			return false;
	return true;
}

static int next_page(void *ctx, const uint8_t **page, size_t *len, bool *hole,
		     struct err *err)
{
	struct cpu_file *c = ctx;
	size_t page_bytes = (size_t)c->source->info->page_bytes;

	for (;;) {
		if (c->at == c->len && refill(c, err) < 0)
			return err->code;
		if (!c->len)
			return 0;
		*page = c->buf + c->at;
		*len = c->len - c->at < page_bytes ? c->len - c->at : page_bytes;
		c->at += *len;
		if (!is_blank(*page, *len))
			return 1;
		/* After a crash of the system: blocks that were never written. */
		*hole = true;
	}
}

static int add_file(struct spool_source *s, int cpu, int64_t size,
		    struct err *err)
{
	struct cpu_file *new;

	new = realloc(s->file, ((size_t)s->nr_files + 1) * sizeof(*new));
	if (!new)
		return err_nomem(err);
	s->file = new;
	new[s->nr_files++] = (struct cpu_file){ .cpu = cpu, .size = size };
	s->bytes += size;
	if (cpu >= s->nr_by_cpu)
		s->nr_by_cpu = cpu + 1;
	return 0;
}

static int by_cpu(const void *pa, const void *pb)
{
	const struct cpu_file *a = pa, *b = pb;

	return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

static int find_files(struct spool_source *s, struct err *err)
{
	DIR *d = opendir(s->dir);
	struct dirent *ent;
	int code = 0;

	if (!d)
		return err_set(err, ERR_IO, "cannot open '%s': %s", s->dir,
			       strerror(errno));
	while (code == 0 && (ent = readdir(d))) {
		struct stat st;
		int cpu, len = 0;

		if (sscanf(ent->d_name, "cpu%d.raw%n", &cpu, &len) != 1 || !len ||
		    ent->d_name[len] || cpu < 0 || cpu >= CPUMASK_MAX)
			continue;
		if (fstatat(dirfd(d), ent->d_name, &st, 0) ||
		    !S_ISREG(st.st_mode))
			code = fail(s, cpu, "read", err);
		else
			code = add_file(s, cpu, st.st_size, err);
	}
	closedir(d);
	if (s->nr_files)
		qsort(s->file, (size_t)s->nr_files, sizeof(*s->file), by_cpu);
	return code;
}

static int prepare_files(struct spool_source *s, struct err *err)
{
	size_t page_bytes = (size_t)s->info->page_bytes;
	size_t pages = BUFFERS_BYTES / page_bytes / ((size_t)s->nr_files + 1);
	char path[PATH_MAX];
	int fd;

	s->buf_bytes = page_bytes * (pages < 1 ? 1 : pages > 64 ? 64 : pages);
	s->by_cpu = malloc(((size_t)s->nr_by_cpu + 1) * sizeof(*s->by_cpu));
	if (!s->by_cpu)
		return err_nomem(err);
	for (int i = 0; i < s->nr_by_cpu; i++)
		s->by_cpu[i] = -1;
	snprintf(path, sizeof(path), "%s/marks", s->dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	for (int i = 0; i < s->nr_files; i++) {
		struct cpu_file *c = &s->file[i];

		c->source = s;
		c->buf = malloc(s->buf_bytes);
		if (!c->buf)
			break;
		s->by_cpu[c->cpu] = i;
		if (fd < 0 || pread(fd, &c->mark, 8, (off_t)c->cpu * 8) != 8)
			c->mark = 0;
	}
	if (fd >= 0)
		close(fd);
	return s->nr_files && !s->file[s->nr_files - 1].buf ? err_nomem(err) : 0;
}

int spool_source_new(struct spool_source **s, const char *dir,
		     const struct spool_info *info, const struct spool_end *end,
		     const struct ring_format *format, struct decoder *d,
		     struct err *err)
{
	struct spool_source *new = calloc(1, sizeof(*new));
	struct page_stream *stream = NULL;
	int code;

	*s = NULL;
	if (!new)
		return err_nomem(err);
	snprintf(new->dir, sizeof(new->dir), "%s", dir);
	new->info = info;
	new->end = end;
	new->decoder = d;
	new->next_held = -1;
	code = find_files(new, err);
	if (code == 0)
		code = prepare_files(new, err);
	if (code == 0) {
		stream = calloc((size_t)new->nr_files + 1, sizeof(*stream));
		if (!stream)
			code = err_nomem(err);
	}
	for (int i = 0; i < new->nr_files && code == 0; i++)
		stream[i] = (struct page_stream){
			.cpu = new->file[i].cpu,
			.ctx = &new->file[i],
			.next = next_page,
		};
	if (code == 0)
		code = merge_new(&new->merge, stream, new->nr_files, format, d,
				 err);
	free(stream);
	if (code < 0)
		spool_source_free(new);
	else
		*s = new;
	return code;
}

void spool_source_free(struct spool_source *s)
{
	if (!s)
		return;
	merge_free(s->merge);
	for (int i = 0; i < s->nr_files; i++)
		free(s->file[i].buf);
	free(s->file);
	free(s->held);
	free(s->by_cpu);
	free(s);
}

static int hold(struct spool_source *s, const struct loss *l, struct err *err)
{
	if (s->nr_held == s->size_held) {
		int size = s->size_held ? s->size_held * 2 : 16;
		struct loss *new = realloc(s->held, (size_t)size * sizeof(*new));

		if (!new)
			return err_nomem(err);
		s->held = new;
		s->size_held = size;
	}
	s->held[s->nr_held++] = *l;
	return 0;
}

static int count_skipped(void *ctx, const char *name, int64_t count,
			 struct err *err)
{
	*(int64_t *)ctx += count;
	return 0;
}

/* Events of a CPU that were lost in all: those that the kernel lost, and those
 * that it gave to the recorder and that are not in the file. */
static int64_t lost_in_all(const struct spool_source *s,
			   const struct cpu_file *c, int64_t *not_saved)
{
	const struct cpu_stats *k;
	struct err ignored = { 0 };
	int64_t skipped = 0, seen;

	*not_saved = 0;
	if (c->cpu >= s->end->nr_cpus)
		return 0;
	k = &s->end->stats[c->cpu];
	/* With events that are not kept, the file's cannot be counted so. */
	decoder_each_skipped(s->decoder, count_skipped, &skipped, &ignored);
	seen = c->seen + decoder_clones(s->decoder, c->cpu);
	if (!skipped && k->read + k->entries > seen)
		*not_saved = k->read + k->entries - seen;
	return k->overrun + k->commit_overrun + k->dropped + *not_saved;
}

static int64_t length(const struct spool_source *s, const struct loss *l)
{
	int64_t from = l->from_ns == LOSS_FROM_START ? s->info->start_ns :
						       l->from_ns;
	int64_t to = l->to_ns == LOSS_TO_END ? s->end->end_ns : l->to_ns;

	return to > from && to - from < INT64_MAX / 2 ? to - from : 1;
}

/* Shares `rest` events among the CPU's held losses by their length, at least
 * one for each if there are so many. */
static void share(struct spool_source *s, int cpu, int64_t rest)
{
	int64_t given = 0, nr = 0, each;
	double all = 0, sum = 0;

	for (int i = 0; i < s->nr_held; i++)
		if (s->held[i].cpu == cpu) {
			all += (double)length(s, &s->held[i]);
			nr++;
		}
	each = rest >= nr;
	rest -= each * nr;
	for (int i = 0; i < s->nr_held; i++) {
		int64_t upto;

		if (s->held[i].cpu != cpu)
			continue;
		sum += (double)length(s, &s->held[i]);
		upto = --nr ? (int64_t)((double)rest * (sum / all)) : rest;
		s->held[i].events = upto - given + each;
		given = upto;
	}
}

static bool holds_any(const struct spool_source *s, int cpu)
{
	for (int i = 0; i < s->nr_held; i++)
		if (s->held[i].cpu == cpu)
			return true;
	return false;
}

/* What is missing at the end of one CPU's file. */
static int end_file(struct spool_source *s, int index, struct err *err)
{
	struct cpu_file *c = &s->file[index];
	int64_t first, last, not_saved, rest;
	bool any = merge_edges(s->merge, index, &first, &last);
	struct loss tail = {
		.cpu = c->cpu,
		.from_ns = any ? last : LOSS_FROM_START,
		.to_ns = LOSS_TO_END,
		.events = -1,
	};

	if (!s->end->has_end) {
		if (c->mark > 0 && (!any || c->mark > last))
			tail.from_ns = c->mark;
		return hold(s, &tail, err);
	}
	rest = lost_in_all(s, c, &not_saved) - c->known;
	if (not_saved && (!holds_any(s, c->cpu) ||
			  !strncmp(s->end->reason, "cannot write", 12)) &&
	    hold(s, &tail, err) < 0)
		return err->code;
	if (rest > 0)
		share(s, c->cpu, rest);
	return 0;
}

static int next_held(struct spool_source *s, struct record *r)
{
	if (s->next_held >= s->nr_held)
		return 0;
	*r = (struct record){ .what = RECORD_LOSS,
			      .loss = s->held[s->next_held++] };
	return 1;
}

static int next_record(void *ctx, struct record *r, struct err *err)
{
	struct spool_source *s = ctx;
	struct cpu_file *c;
	int got;

	while (s->next_held < 0) {
		got = merge_next(s->merge, r, err);
		if (got < 0)
			return err_prefix(err, "'%s'", s->dir);
		if (got == 0) {
			s->next_held = 0;
			for (int i = 0; i < s->nr_files; i++)
				if (end_file(s, i, err) < 0)
					return err->code;
			break;
		}
		if (r->what == RECORD_EVENT) {
			s->file[s->by_cpu[r->event.cpu]].seen++;
			return 1;
		}
		c = &s->file[s->by_cpu[r->loss.cpu]];
		if (r->loss.events >= 0) {
			c->known += r->loss.events;
			return 1;
		}
		if (hold(s, &r->loss, err) < 0)
			return err->code;
	}
	return next_held(s, r);
}

static double progress(void *ctx)
{
	const struct spool_source *s = ctx;

	return s->bytes ? (double)s->done / (double)s->bytes : 1;
}

void spool_source_record(struct spool_source *s, struct record_source *src)
{
	*src = (struct record_source){
		.ctx = s, .next = next_record, .progress = progress,
	};
}

int spool_source_finish(struct spool_source *s, struct ingest *in,
			struct err *err)
{
	int64_t not_saved;
	int code = 0;

	for (int i = 0; i < s->nr_files && code == 0; i++)
		code = ingest_lost(in, s->file[i].cpu,
				   lost_in_all(s, &s->file[i], &not_saved), err);
	if (code == 0)
		code = ingest_repair(in, "backward_time",
				     merge_backward(s->merge), err);
	if (code == 0)
		code = ingest_repair(in, "damaged_page",
				     merge_damaged(s->merge), err);
	return code;
}
