/* SPDX-License-Identifier: MIT */
#include "collect/numamaps.h"

#include <stdlib.h>
#include <string.h>

enum area_kind numamaps_file_kind(const char *path)
{
	static const char *const shared[] = {
		"/dev/shm/", "/dev/zero", "/SYSV", "/memfd:", "/anon_hugepage",
		"/i915",
	};

	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
		if (!strncmp(path, shared[i], strlen(shared[i])))
			return AREA_SHARED;
	return AREA_FILE;
}

/* The kernel writes blanks, '=' and line feeds of a path as \ooo. */
static void undo_octal(char *text)
{
	char *to = text;

	while (*text) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' &&
		    text[2] >= '0' && text[2] <= '7' && text[3] >= '0' &&
		    text[3] <= '7') {
			*to++ = (char)((text[1] - '0') << 6 |
				       (text[2] - '0') << 3 | (text[3] - '0'));
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

/* "N3=12" */
static void take_node(const char *word, struct numamaps_line *l)
{
	char *end;
	long node = strtol(word + 1, &end, 10);
	long long pages;

	if (end == word + 1 || *end != '=' || node < 0 ||
	    node >= NUMAMAPS_MAX_NODES)
		return;
	pages = strtoll(end + 1, NULL, 10);
	if (pages <= 0 || pages > INT64_C(1) << 50)
		return;
	for (; l->nr_node_ids <= node; l->nr_node_ids++)
		l->pages[l->nr_node_ids] = 0;
	l->pages[node] = pages;
}

static void scale(struct numamaps_line *l, int64_t factor)
{
	for (int i = 0; i < l->nr_node_ids; i++)
		if (l->pages[i] < INT64_MAX / 2 / factor)
			l->pages[i] *= factor;
}

bool numamaps_parse(char *line, int64_t page_size, struct numamaps_line *l)
{
	int64_t kernel_page = page_size;
	bool huge = false;
	char *word, *save = NULL, *end;

	l->kind = AREA_ANON;
	l->name = line + strlen(line);
	l->nr_node_ids = 0;
	word = strtok_r(line, " \n", &save);
	if (!word)
		return false;
	l->start = strtoull(word, &end, 16);
	if (end == word || *end)
		return false;
	word = strtok_r(NULL, " \n", &save);
	if (!word)
		return false;
	while ((word = strtok_r(NULL, " \n", &save))) {
		if (!strncmp(word, "file=", 5)) {
			l->name = word + 5;
			undo_octal(l->name);
			l->kind = numamaps_file_kind(l->name);
		} else if (!strcmp(word, "heap")) {
			l->kind = AREA_HEAP;
		} else if (!strcmp(word, "stack")) {
			l->kind = AREA_STACK;
		} else if (!strcmp(word, "huge")) {
			huge = true;
		} else if (!strncmp(word, "kernelpagesize_kB=", 18)) {
			kernel_page = strtoll(word + 18, NULL, 10) * 1024;
		} else if (word[0] == 'N') {
			take_node(word, l);
		}
	}
	/* Only areas of hugetlbfs count in their own page size. */
	if (huge && kernel_page > page_size && kernel_page < INT64_C(1) << 40)
		scale(l, kernel_page / page_size);
	return true;
}

bool maps_parse(char *line, struct maps_line *l)
{
	char *p, *end = strchr(line, '\n');

	if (end)
		*end = '\0';
	l->start = strtoull(line, &p, 16);
	if (p == line || *p != '-')
		return false;
	l->end = strtoull(p + 1, &end, 16);
	if (end == p + 1 || *end != ' ' || l->end <= l->start)
		return false;
	p = end + 1;
	if (strlen(p) < 5)
		return false;
	l->writable = p[1] == 'w';
	l->shared = p[3] == 's';
	/* permissions, offset, device, inode */
	for (int i = 0; i < 4 && p; i++) {
		p = strchr(p, ' ');
		while (p && *p == ' ')
			p++;
	}
	l->name = p ? p : line + strlen(line);
	return true;
}
