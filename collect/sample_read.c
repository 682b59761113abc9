/* SPDX-License-Identifier: MIT */
#include "collect/sample_local.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/numa_maps.h"
#include "collect/procfs.h"
#include "model/err.h"

#define QUERY_PAGES 1024	/* asked for at a time */
#define QUERY_LARGE 4096	/* pages asked for of an area over the limit */
#define QUERY_MIN_BYTES (UINT64_C(256) << 10)	/* smaller areas are left out */

void sample_release(struct sample *s)
{
	free(s->area);
	free(s->pages);
	free(s->names);
	*s = (struct sample){ 0 };
}

static bool same_pages(const struct sample *a, const struct sample_area *aa,
		       const struct sample *b, const struct sample_area *ba)
{
	return aa->nr_node_ids == ba->nr_node_ids &&
	       !memcmp(a->pages + aa->pages, b->pages + ba->pages,
		       (size_t)aa->nr_node_ids * sizeof(*a->pages));
}

bool sample_equal(const struct sample *a, const struct sample *b)
{
	if (a->nr != b->nr || a->source != b->source)
		return false;
	for (int i = 0; i < a->nr; i++) {
		const struct sample_area *aa = &a->area[i], *ba = &b->area[i];

		if (aa->start != ba->start || aa->bytes != ba->bytes ||
		    aa->kind != ba->kind || !same_pages(a, aa, b, ba))
			return false;
	}
	return true;
}

/* An array with room for `need` items; NULL: no memory, the old one stays. */
static void *grow(void *array, size_t *size, size_t need, size_t item,
		  struct err *err)
{
	size_t want = *size ? *size : 64;
	void *new;

	while (want < need)
		want *= 2;
	if (want == *size)
		return array;
	new = realloc(array, want * item);
	if (new)
		*size = want;
	else
		err_nomem(err);
	return new;
}

static bool make_room(struct sample *s, size_t nr_pages, size_t nr_names,
		      struct err *err)
{
	size_t size = (size_t)s->size;
	void *area, *pages, *names;

	area = grow(s->area, &size, (size_t)s->nr + 1, sizeof(*s->area), err);
	if (area)
		s->area = area;
	s->size = (int)size;
	pages = grow(s->pages, &s->size_pages, s->nr_pages + nr_pages,
		     sizeof(*s->pages), err);
	if (pages)
		s->pages = pages;
	names = grow(s->names, &s->size_names, s->nr_names + nr_names, 1, err);
	if (names)
		s->names = names;
	return area && pages && names;
}

static int add_area(struct sample *s, const struct sample_area *a,
		    const int64_t *pages, const char *name, struct err *err)
{
	size_t len = strlen(name) + 1;

	if (!make_room(s, (size_t)a->nr_node_ids, len, err))
		return err->code;
	s->area[s->nr] = *a;
	s->area[s->nr].pages = s->nr_pages;
	s->area[s->nr].name = s->nr_names;
	s->nr++;
	memcpy(s->pages + s->nr_pages, pages,
	       (size_t)a->nr_node_ids * sizeof(*pages));
	s->nr_pages += (size_t)a->nr_node_ids;
	memcpy(s->names + s->nr_names, name, len);
	s->nr_names += len;
	return 0;
}

static FILE *open_maps(const struct sampler_setup *setup, int pid,
		       const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%d/%s", setup->proc, pid, name);
	return fopen(path, "re");
}

struct bound {
	uint64_t start, end;
};

/* Where areas end, in order of their start. */
struct bounds {
	struct bound *area;
	size_t nr, size, at;
};

static int read_bounds(const struct sampler_setup *setup, int pid,
		       struct bounds *b, struct err *err)
{
	FILE *f = open_maps(setup, pid, "maps");
	char *line = NULL;
	size_t size = 0;

	if (!f)
		return 0;
	while (!err->code && getline(&line, &size, f) > 0) {
		struct procfs_map l;
		struct bound *new;

		if (!procfs_map_parse(line, &l))
			continue;
		new = grow(b->area, &b->size, b->nr + 1, sizeof(*new), err);
		if (!new)
			break;
		b->area = new;
		new[b->nr++] = (struct bound){ l.start, l.end };
	}
	free(line);
	fclose(f);
	return err->code;
}

static uint64_t bytes_of(struct bounds *b, uint64_t start)
{
	while (b->at < b->nr && b->area[b->at].start < start)
		b->at++;
	return b->at < b->nr && b->area[b->at].start == start ?
		       b->area[b->at].end - start : 0;
}

static enum sample_result why_not(int error)
{
	return error == EACCES || error == EPERM ? SAMPLE_REFUSED : SAMPLE_GONE;
}

static int read_lines(FILE *f, const struct sampler_setup *setup,
		      struct bounds *b, struct sample *s, struct err *err)
{
	struct numa_maps_area l = { 0 };
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int error;

	errno = 0;
	while (!err->code && (len = getline(&line, &size, f)) > 0) {
		struct err damaged = { 0 };
		struct sample_area a;

		/* Of a line that a later kernel writes otherwise nothing is
		 * known; the others still count. */
		if (numa_maps_parse(&l, line, (size_t)len - 1, setup->page_size,
				    &damaged) != 1)
			continue;
		a = (struct sample_area){
			.start = l.start,
			.bytes = bytes_of(b, l.start),
			.kind = l.kind,
			.nr_node_ids = l.nr_node_ids,
		};
		add_area(s, &a, l.pages, l.name, err);
	}
	error = errno;
	free(line);
	numa_maps_area_release(&l);
	if (err->code)
		return err->code;
	/* Some kernels let the file be opened and refuse to read it. */
	return ferror(f) ? (int)why_not(error) : s->nr ? SAMPLE_OK : SAMPLE_GONE;
}

int sample_read_maps(const struct sampler_setup *setup, int pid,
		     struct sample *s, struct err *err)
{
	struct bounds b = { 0 };
	FILE *f;
	int result;

	s->source = 'm';
	if (read_bounds(setup, pid, &b, err) < 0) {
		free(b.area);
		return err->code;
	}
	f = open_maps(setup, pid, "numa_maps");
	if (f) {
		result = read_lines(f, setup, &b, s, err);
		fclose(f);
	} else if (errno == ENOENT && b.nr) {
		result = SAMPLE_NO_MAPS;
	} else {
		result = why_not(errno);
	}
	free(b.area);
	return result;
}

static int ask(const struct sampler_setup *setup, int pid, int nr, void **page,
	       int *status)
{
	if (setup->query)
		return setup->query(setup->ctx, pid, nr, page, status);
	return (int)syscall(SYS_move_pages, pid, (long)nr, page, NULL, status, 0);
}

/* Pages by node of one area, while they are counted. */
struct counts {
	int nr_node_ids;
	int64_t pages[TOPO_MAX_NODES];
};

/* Counts the nodes of one page in `stride`; SAMPLE_OK or why not. */
static enum sample_result count_pages(const struct sampler_setup *setup, int pid,
				      const struct procfs_map *m, int64_t stride,
				      struct counts *c)
{
	uint64_t step = (uint64_t)(stride * setup->page_size);
	uint64_t at = m->start;

	c->nr_node_ids = 0;
	while (at < m->end) {
		void *page[QUERY_PAGES];
		int status[QUERY_PAGES], nr = 0;

		for (; nr < QUERY_PAGES && at < m->end; at += step)
			page[nr++] = (void *)(uintptr_t)at;
		if (ask(setup, pid, nr, page, status) < 0)
			return why_not(errno);
		for (int i = 0; i < nr; i++) {
			if (status[i] < 0 || status[i] >= TOPO_MAX_NODES)
				continue;
			while (c->nr_node_ids <= status[i])
				c->pages[c->nr_node_ids++] = 0;
			c->pages[status[i]] += stride;
		}
	}
	return SAMPLE_OK;
}

static int kind_of(const struct procfs_map *m)
{
	if (!strcmp(m->name, "[heap]"))
		return AREA_HEAP;
	if (!strncmp(m->name, "[stack", 6))
		return AREA_STACK;
	return m->shared ? AREA_SHARED :
	       m->name[0] == '/' ? AREA_FILE :
				   AREA_ANON;
}

static int query_area(const struct sampler_setup *setup, int pid,
		      const struct procfs_map *m, int64_t stride,
		      struct sample *s, struct err *err)
{
	struct counts c;
	enum sample_result result = count_pages(setup, pid, m, stride, &c);
	const struct sample_area a = {
		.start = m->start,
		.bytes = m->end - m->start,
		.kind = kind_of(m),
		.nr_node_ids = c.nr_node_ids,
	};

	if (result != SAMPLE_OK || !c.nr_node_ids)
		return (int)result;
	return add_area(s, &a, c.pages, m->name[0] == '/' ? m->name : "", err);
}

static int64_t stride_of(const struct sampler_setup *setup, uint64_t bytes)
{
	if (bytes <= (uint64_t)SAMPLE_EXACT_BYTES)
		return 1;
	return (int64_t)(bytes / QUERY_LARGE / (uint64_t)setup->page_size);
}

int sample_query(const struct sampler_setup *setup, int pid, struct sample *s,
		 int64_t *max_stride, struct err *err)
{
	FILE *f = open_maps(setup, pid, "maps");
	char *line = NULL;
	size_t size = 0;
	int result = SAMPLE_OK;

	s->source = 'e';
	if (!f)
		return (int)why_not(errno);
	while (result == SAMPLE_OK && getline(&line, &size, f) > 0) {
		struct procfs_map m;
		int64_t stride;

		if (!procfs_map_parse(line, &m) || (!m.writable && !m.shared) ||
		    m.end - m.start < QUERY_MIN_BYTES)
			continue;
		stride = stride_of(setup, m.end - m.start);
		if (stride > 1)
			s->source = 'q';
		if (stride > *max_stride)
			*max_stride = stride;
		result = query_area(setup, pid, &m, stride, s, err);
	}
	free(line);
	fclose(f);
	return result == SAMPLE_OK && !s->nr ? SAMPLE_GONE : result;
}
