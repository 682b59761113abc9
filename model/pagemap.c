/* SPDX-License-Identifier: MIT */
#include "model/pagemap.h"

#include "model/err.h"

#include <stdlib.h>

#define VALUE_BITS 16
#define VALUE_MASK 0xffff
#define SIZE_MIN 64

void pagemap_release(struct pagemap *m)
{
	free(m->slot);
	*m = (struct pagemap){ 0 };
}

/* The slot of a page, or the free one where it would go.  Neighbours stay
 * neighbours within a line of the cache: faults often go page by page. */
static uint64_t *find(const struct pagemap *m, uint64_t page)
{
	size_t mask = m->size - 1;
	size_t i = (size_t)((page >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 20);

	for (i = (i << 3 | (page & 7)) & mask; m->slot[i]; i = (i + 1) & mask)
		if (m->slot[i] >> VALUE_BITS == page)
			break;
	return &m->slot[i];
}

int pagemap_get(const struct pagemap *m, uint64_t page)
{
	if (!m->nr || page > PAGEMAP_PAGE_MAX)
		return -1;
	return (int)(*find(m, page) & VALUE_MASK) - 1;
}

static int resize(struct pagemap *m, size_t size)
{
	struct pagemap bigger = { .size = size, .nr = m->nr };

	bigger.slot = calloc(size, sizeof(*bigger.slot));
	if (!bigger.slot)
		return ERR_NOMEM;
	for (size_t i = 0; i < m->size; i++)
		if (m->slot[i])
			*find(&bigger, m->slot[i] >> VALUE_BITS) = m->slot[i];
	free(m->slot);
	*m = bigger;
	return 0;
}

int pagemap_set(struct pagemap *m, uint64_t page, int value)
{
	uint64_t *slot;

	if (page > PAGEMAP_PAGE_MAX)
		return 0;
	if (m->nr + 1 > m->size / 4 * 3 &&
	    resize(m, m->size ? 2 * m->size : SIZE_MIN))
		return ERR_NOMEM;
	slot = find(m, page);
	m->nr += !*slot;
	*slot = page << VALUE_BITS | (uint64_t)(value + 1);
	return 0;
}

void pagemap_drop(struct pagemap *m, uint64_t first, uint64_t last)
{
	struct pagemap old = *m;

	if (!old.nr)
		return;
	/* In the same memory a removal would break the chains of others. */
	*m = (struct pagemap){ 0 };
	if (resize(m, old.size)) {
		*m = old;
		return;
	}
	for (size_t i = 0; i < old.size; i++) {
		uint64_t page = old.slot[i] >> VALUE_BITS;

		if (old.slot[i] && (page < first || page > last))
			pagemap_set(m, page,
				    (int)(old.slot[i] & VALUE_MASK) - 1);
	}
	free(old.slot);
}

int pagemap_next(const struct pagemap *m, size_t *at, uint64_t *page,
		 int *value)
{
	while (*at < m->size && !m->slot[*at])
		++*at;
	if (*at == m->size)
		return 0;
	*page = m->slot[*at] >> VALUE_BITS;
	*value = (int)(m->slot[*at] & VALUE_MASK) - 1;
	++*at;
	return 1;
}
