/* SPDX-License-Identifier: MIT */
#include "collect/numa_maps.h"

#include "collect/ingest.h"
#include "model/err.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 16384
#define MAX_PAGES (INT64_C(1) << 52)
#define MAX_PAGE_KB (INT64_C(1) << 26)	/* 64 GiB */

void numa_maps_area_release(struct numa_maps_area *a)
{
	free(a->pages);
	*a = (struct numa_maps_area){ 0 };
}

/* A number that fills [p, end); -1: it does not, or is too large. */
static int64_t number(const char *p, const char *end)
{
	int64_t v = 0;

	if (p == end)
		return -1;
	for (; p < end; p++) {
		if (*p < '0' || *p > '9')
			return -1;
		v = v * 10 + (*p - '0');
		if (v > MAX_PAGES)
			return -1;
	}
	return v;
}

static bool begins(const char *p, const char *end, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(end - p) >= len && memcmp(p, word, len) == 0;
}

static bool is_word(const char *p, const char *end, const char *word)
{
	return begins(p, end, word) && (size_t)(end - p) == strlen(word);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_start(const char **p, const char *end, uint64_t *start)
{
	const char *begin = *p;

	*start = 0;
	for (; *p < end && hex_digit(**p) >= 0; (*p)++)
		*start = *start << 4 | (uint64_t)hex_digit(**p);
	return *p > begin && *p - begin <= 16 && (*p == end || **p == ' ');
}

/* "\040" is a blank */
static void unescape(char *to, size_t size, const char *p, const char *end)
{
	size_t n = 0;

	while (p < end && n + 1 < size) {
		char c = *p++;

		if (c == '\\' && end - p >= 3 && p[0] >= '0' && p[0] <= '3' &&
		    p[1] >= '0' && p[1] <= '7' && p[2] >= '0' && p[2] <= '7') {
			c = (char)((p[0] - '0') << 6 | (p[1] - '0') << 3 |
				   (p[2] - '0'));
			p += 3;
		}
		to[n++] = c;
	}
	to[n] = '\0';
}

/* Files that stand for memory of no file. */
static int kind_of_file(const char *name)
{
	static const char *const shared[] = {
		"/dev/shm/", "/SYSV", "/memfd:", "/dev/zero", "/i915",
	};

	if (strncmp(name, "/anon_hugepage", 14) == 0)
		return AREA_ANON;
	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
		if (strncmp(name, shared[i], strlen(shared[i])) == 0)
			return AREA_SHARED;
	return AREA_FILE;
}

static int set_pages(struct numa_maps_area *a, int64_t node, int64_t pages,
		     struct err *err)
{
	if (node >= a->size) {
		int64_t *new;
		int size = (int)node + 8;

		new = realloc(a->pages, (size_t)size * sizeof(*new));
		if (!new)
			return err_nomem(err);
		a->pages = new;
		a->size = size;
	}
	for (; a->nr_node_ids <= node; a->nr_node_ids++)
		a->pages[a->nr_node_ids] = 0;
	a->pages[node] = pages;
	return 0;
}

/* Is it one of the words that follow the policy? */
static bool is_field(const char *p, const char *end)
{
	static const char *const keys[] = {
		"file=", "anon=", "dirty=", "mapped=", "mapmax=", "swapcache=",
		"active=", "writeback=", "kernelpagesize_kB=",
	};
	const char *eq;

	if (is_word(p, end, "heap") || is_word(p, end, "huge") ||
	    is_word(p, end, "stack") || begins(p, end, "stack:"))
		return true;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (begins(p, end, keys[i]))
			return true;
	eq = memchr(p, '=', (size_t)(end - p));
	return *p == 'N' && eq && number(p + 1, eq) >= 0;
}

static void add_policy(struct numa_maps_area *a, const char *p, const char *end)
{
	size_t len = strlen(a->policy);

	snprintf(a->policy + len, sizeof(a->policy) - len, "%s%.*s",
		 len ? " " : "", (int)(end - p), p);
}

static int bad_word(const char *p, const char *end, struct err *err)
{
	return err_set(err, ERR_FORMAT, "numa_maps: cannot read '%.*s'",
		       end - p < 100 ? (int)(end - p) : 100, p);
}

static int take_field(struct numa_maps_area *a, const char *p, const char *end,
		      int64_t *page_kb, struct err *err)
{
	const char *eq = memchr(p, '=', (size_t)(end - p));
	int64_t node, value;

	if (begins(p, end, "file=")) {
		unescape(a->name, sizeof(a->name), eq + 1, end);
		a->kind = kind_of_file(a->name);
	} else if (is_word(p, end, "heap")) {
		a->kind = AREA_HEAP;
	} else if (is_word(p, end, "stack")) {
		a->kind = AREA_STACK;
	} else if (is_word(p, end, "huge")) {
		a->is_huge = true;
	} else if (eq) {
		value = number(eq + 1, end);
		if (value < 0)
			return bad_word(p, end, err);
		node = *p == 'N' ? number(p + 1, eq) : -1;
		if (node >= TOPO_MAX_NODES)
			return bad_word(p, end, err);
		if (node >= 0)
			return set_pages(a, node, value, err);
		if (begins(p, end, "kernelpagesize_kB="))
			*page_kb = value;
	}
	return 0;
}

static int to_base_pages(struct numa_maps_area *a, int64_t page_kb,
			 int64_t base_page, struct err *err)
{
	bool any = false;

	if (page_kb <= 0 || page_kb > MAX_PAGE_KB)
		return err_set(err, ERR_FORMAT,
			       "numa_maps: a page size of %lld kB",
			       (long long)page_kb);
	for (int n = 0; n < a->nr_node_ids; n++) {
		if (a->pages[n] > INT64_MAX / (page_kb * 1024))
			return err_set(err, ERR_FORMAT,
				       "numa_maps: %lld pages of %lld kB",
				       (long long)a->pages[n],
				       (long long)page_kb);
		a->pages[n] = a->pages[n] * page_kb * 1024 / base_page;
		any = any || a->pages[n];
	}
	return any;
}

int numa_maps_parse(struct numa_maps_area *a, const char *line, size_t len,
		    int64_t base_page, struct err *err)
{
	const char *p = line, *end = line + len;
	int64_t page_kb = base_page / 1024;
	bool in_fields = false;

	a->policy[0] = a->name[0] = '\0';
	a->kind = AREA_ANON;
	a->is_huge = false;
	a->nr_node_ids = 0;
	if (!read_start(&p, end, &a->start))
		return err_set(err, ERR_FORMAT,
			       "numa_maps: no address at the start of '%.*s'",
			       len < 100 ? (int)len : 100, line);
	while (p < end) {
		const char *stop;

		if (*p == ' ') {
			p++;
			continue;
		}
		stop = memchr(p, ' ', (size_t)(end - p));
		if (!stop)
			stop = end;
		in_fields = in_fields || is_field(p, stop);
		if (!in_fields)
			add_policy(a, p, stop);
		else if (take_field(a, p, stop, &page_kb, err) < 0)
			return err->code;
		p = stop;
	}
	if (!a->policy[0])
		return err_set(err, ERR_FORMAT,
			       "numa_maps: no policy after %llx",
			       (unsigned long long)a->start);
	return to_base_pages(a, page_kb, base_page, err);
}

/* "12.406045" to ns; false: it is no such number. */
static bool read_seconds(const char **p, int64_t *ns)
{
	int64_t unit = 1000000000, v = 0;
	const char *at = *p;

	for (; *at >= '0' && *at <= '9'; at++)
		if ((v = v * 10 + (*at - '0')) > INT64_MAX / 2000000000)
			return false;
	if (at == *p)
		return false;
	v *= unit;
	if (*at == '.')
		for (at++; *at >= '0' && *at <= '9'; at++)
			v += (*at - '0') * (unit /= 10);
	*ns = v;
	*p = at;
	return true;
}

/* The text file and the round (process and time) that is being read. */
struct companion {
	struct ingest *in;
	int64_t base_page, shift_ns;
	struct numa_maps_area area;
	bool in_round;
	int pid;
	int64_t ts;
};

static int end_round(struct companion *c, struct err *err)
{
	if (!c->in_round)
		return 0;
	c->in_round = false;
	return ingest_placement_end(c->in, c->pid, c->ts, err);
}

static int take_line(struct companion *c, const char *line, size_t len,
		     struct err *err)
{
	const char *p = line;
	char *rest;
	int64_t ts;
	long pid;
	int got;

	if (!read_seconds(&p, &ts) || *p != ' ')
		return err_set(err, ERR_FORMAT,
			       "no time in seconds at the start of '%.60s'", line);
	errno = 0;
	pid = strtol(p, &rest, 10);
	if (errno || rest == p || *rest != ' ' || pid <= 0 || pid > INT_MAX)
		return err_set(err, ERR_FORMAT, "no process id in '%.60s'", line);
	rest++;
	ts += c->shift_ns;
	if (c->in_round && (ts != c->ts || pid != c->pid) && end_round(c, err) < 0)
		return err->code;
	c->in_round = true;
	c->ts = ts;
	c->pid = (int)pid;
	got = numa_maps_parse(&c->area, rest, len - (size_t)(rest - line),
			      c->base_page, err);
	if (got <= 0)
		return got;
	return ingest_placement(c->in, &(struct placement_fact){
		.ts = ts, .pid = c->pid, .start = c->area.start,
		.kind = c->area.kind, .name = c->area.name, .source = 'm',
		.nr_node_ids = c->area.nr_node_ids, .pages = c->area.pages,
	}, err);
}

static int take_lines(struct companion *c, FILE *f, struct err *err)
{
	char line[LINE_MAX_BYTES];
	int64_t nr = 0;

	while (fgets(line, sizeof(line), f)) {
		size_t len = strlen(line);

		nr++;
		if (len == 0 || line[len - 1] != '\n') {
			if (len + 1 < sizeof(line) && feof(f))
				return ingest_repair(c->in, "numa_maps_cut", 1,
						     err);
			return err_set(err, ERR_FORMAT,
				       "line %lld: longer than %d bytes, or not text",
				       (long long)nr, LINE_MAX_BYTES);
		}
		line[--len] = '\0';
		if (len == 0 || line[0] == '#')
			continue;
		if (take_line(c, line, len, err) < 0)
			return err_prefix(err, "line %lld", (long long)nr);
	}
	return 0;
}

int numa_maps_import(struct ingest *in, const char *path, int64_t base_page,
		     int64_t shift_ns, struct err *err)
{
	struct companion c = {
		.in = in, .base_page = base_page, .shift_ns = shift_ns,
	};
	FILE *f = fopen(path, "re");

	if (!f)
		return err_set(err, ERR_IO, "cannot open '%s': %s", path,
			       strerror(errno));
	if (take_lines(&c, f, err) == 0)
		end_round(&c, err);
	if (ferror(f))
		err_set(err, ERR_IO, "cannot read it: %s", strerror(errno));
	if (err->code)
		err_prefix(err, "'%s'", path);
	fclose(f);
	numa_maps_area_release(&c.area);
	return err->code;
}
