/* SPDX-License-Identifier: MIT */
#include "collect/sample_local.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/numamaps.h"
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

static int grow(void *array, size_t *size, size_t need, size_t item,
		struct err *err)
{
	void **at = array, *new;
	size_t want = *size ? *size : 64;

	while (want < need)
		want *= 2;
	if (want == *size)
		return 0;
	new = realloc(*at, want * item);
	if (!new)
		return err_nomem(err);
	*at = new;
	*size = want;
	return 0;
}

static int add_area(struct sample *s, const struct sample_area *a,
		    const int64_t *pages, const char *name, struct err *err)
{
	size_t len = strlen(name) + 1, size = (size_t)s->size;

	if (grow(&s->area, &size, (size_t)s->nr + 1, sizeof(*s->area), err) < 0 ||
	    grow(&s->pages, &s->size_pages, s->nr_pages + (size_t)a->nr_node_ids,
		 sizeof(*pages), err) < 0 ||
	    grow(&s->names, &s->size_names, s->nr_names + len, 1, err) < 0)
		return err->code;
	s->size = (int)size;
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

/* Where areas end, in order of their start. */
struct bounds {
	struct {
		uint64_t start, end;
	} *area;
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
		struct maps_line l;

		if (!maps_parse(line, &l) ||
		    grow(&b->area, &b->size, b->nr + 1, sizeof(*b->area), err) < 0)
			continue;
		b->area[b->nr].start = l.start;
		b->area[b->nr++].end = l.end;
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
	struct numamaps_line l;
	char *line = NULL;
	size_t size = 0;
	int error;

	errno = 0;
	while (!err->code && getline(&line, &size, f) > 0) {
		struct sample_area a;

		if (!numamaps_parse(line, setup->page_size, &l) || !l.nr_node_ids)
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

/* Counts the nodes of one page in `stride`; SAMPLE_OK or why not. */
static enum sample_result count_pages(const struct sampler_setup *setup, int pid,
				      const struct maps_line *l, int64_t stride,
				      struct numamaps_line *counts)
{
	uint64_t step = (uint64_t)(stride * setup->page_size);
	uint64_t at = l->start;

	counts->nr_node_ids = 0;
	while (at < l->end) {
		void *page[QUERY_PAGES];
		int status[QUERY_PAGES], nr = 0;

		for (; nr < QUERY_PAGES && at < l->end; at += step)
			page[nr++] = (void *)(uintptr_t)at;
		if (ask(setup, pid, nr, page, status) < 0)
			return why_not(errno);
		for (int i = 0; i < nr; i++) {
			if (status[i] < 0 || status[i] >= NUMAMAPS_MAX_NODES)
				continue;
			while (counts->nr_node_ids <= status[i])
				counts->pages[counts->nr_node_ids++] = 0;
			counts->pages[status[i]] += stride;
		}
	}
	return SAMPLE_OK;
}

static int query_area(const struct sampler_setup *setup, int pid,
		      const struct maps_line *l, int64_t stride,
		      struct sample *s, struct err *err)
{
	struct numamaps_line counts;
	enum sample_result result;
	struct sample_area a = { .start = l->start, .bytes = l->end - l->start };

	a.kind = !strcmp(l->name, "[heap]")	  ? AREA_HEAP :
		 !strncmp(l->name, "[stack", 6) ? AREA_STACK :
		 l->name[0] == '/'		  ? numamaps_file_kind(l->name) :
						    AREA_ANON;
	result = count_pages(setup, pid, l, stride, &counts);
	if (result != SAMPLE_OK)
		return (int)result;
	a.nr_node_ids = counts.nr_node_ids;
	if (!a.nr_node_ids)
		return SAMPLE_OK;
	return add_area(s, &a, counts.pages, l->name[0] == '/' ? l->name : "",
			err);
}

int sample_query(const struct sampler_setup *setup, int pid, struct sample *s,
		 int64_t *max_stride, struct err *err)
{
	FILE *f = open_maps(setup, pid, "maps");
	char *line = NULL;
	size_t size = 0;
	int result = SAMPLE_OK;

	s->source = 'q';
	if (!f)
		return (int)why_not(errno);
	while (result == SAMPLE_OK && getline(&line, &size, f) > 0) {
		struct maps_line l;
		int64_t stride = 1;
		uint64_t bytes;

		if (!maps_parse(line, &l) || (!l.writable && !l.shared) ||
		    l.end - l.start < QUERY_MIN_BYTES)
			continue;
		bytes = l.end - l.start;
		if (bytes > (uint64_t)SAMPLE_EXACT_BYTES)
			stride = (int64_t)(bytes / QUERY_LARGE /
					   (uint64_t)setup->page_size);
		if (stride > *max_stride)
			*max_stride = stride;
		result = query_area(setup, pid, &l, stride, s, err);
	}
	free(line);
	fclose(f);
	return result == SAMPLE_OK && !s->nr ? SAMPLE_GONE : result;
}
