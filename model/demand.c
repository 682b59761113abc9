/* SPDX-License-Identifier: MIT */
/*
 * The code of an operation is its first byte; arguments follow as varints.  A
 * RUN without slow-down, which is most of them, has a byte of its own that leaves
 * both slow-downs out.
 */
#include "model/demand.h"

#include <limits.h>
#include <stddef.h>

#include "model/varint.h"

enum field { END, TASK, NS, SLOW, CROWD, CPU, AREA, FROM, TO, PAGES };

#define CODE_RUN_FAST 0x80

static const uint8_t fields[DEMAND_NR][5] = {
	[DEMAND_RUN] = { NS, SLOW, CROWD },
	[DEMAND_WAKE] = { TASK },
	[DEMAND_WAIT] = { TASK },
	[DEMAND_SLEEP] = { NS },
	[DEMAND_FORK] = { TASK },
	[DEMAND_TOUCH] = { AREA, PAGES },
	[DEMAND_FREE] = { AREA, PAGES },
	[DEMAND_PLACE] = { CPU, NS },
	[DEMAND_MOVED] = { AREA, FROM, TO, PAGES },
	[DEMAND_HELD] = { AREA, TO, PAGES },
	[DEMAND_OPEN] = { AREA, PAGES, FROM, TO },
	[DEMAND_SEND] = { AREA },
	[DEMAND_RECV] = { AREA },
	[DEMAND_TOUCH_AT] = { AREA, TO, PAGES },
	[DEMAND_FREE_AT] = { AREA, FROM, PAGES },
	[DEMAND_FOUND] = { AREA, FROM, TO, PAGES },
};

static const uint8_t fields_fast[] = { NS, END };

/* Where a field is in struct demand_op, and whether it is an int64_t. */
static const struct {
	uint8_t at;
	uint8_t wide;
} field_place[] = {
	[TASK] = { offsetof(struct demand_op, task), 0 },
	[NS] = { offsetof(struct demand_op, ns), 1 },
	[SLOW] = { offsetof(struct demand_op, slow), 0 },
	[CROWD] = { offsetof(struct demand_op, crowd), 0 },
	[CPU] = { offsetof(struct demand_op, cpu), 0 },
	[AREA] = { offsetof(struct demand_op, area), 0 },
	[FROM] = { offsetof(struct demand_op, from), 0 },
	[TO] = { offsetof(struct demand_op, to), 0 },
	[PAGES] = { offsetof(struct demand_op, pages), 1 },
};

static uint64_t field_get(const struct demand_op *op, int field)
{
	const char *p = (const char *)op + field_place[field].at;

	if (field_place[field].wide)
		return (uint64_t)*(const int64_t *)(const void *)p;
	if (field == CROWD && !op->crowd)
		return DEMAND_SLOW_ONE;
	return (uint64_t)*(const int *)(const void *)p;
}

static int field_set(struct demand_op *op, int field, uint64_t v)
{
	char *p = (char *)op + field_place[field].at;

	if (v > (field_place[field].wide ? INT64_MAX : INT_MAX))
		return -1;
	if (field_place[field].wide)
		*(int64_t *)(void *)p = (int64_t)v;
	else
		*(int *)(void *)p = (int)v;
	return 0;
}

size_t demand_encode(uint8_t *buf, const struct demand_op *op)
{
	const uint8_t *f = fields[op->code];
	uint8_t *p = buf;

	*p++ = op->code;
	if (op->code == DEMAND_RUN && op->slow == DEMAND_SLOW_ONE &&
	    (!op->crowd || op->crowd == DEMAND_SLOW_ONE)) {
		buf[0] = CODE_RUN_FAST;
		f = fields_fast;
	}
	for (; *f != END; f++)
		p = varint_put(p, field_get(op, *f));
	return (size_t)(p - buf);
}

/* Most operations of a program: kept apart because that is quicker. */
static size_t decode_fast(const uint8_t *buf, size_t len, struct demand_op *op)
{
	const uint8_t *at;
	uint64_t ns;

	op->code = DEMAND_RUN;
	op->slow = op->crowd = DEMAND_SLOW_ONE;
	at = varint_get(buf + 1, buf + len, &ns);
	if (!at || ns > INT64_MAX)
		return 0;
	op->ns = (int64_t)ns;
	return (size_t)(at - buf);
}

size_t demand_decode(const uint8_t *buf, size_t len, struct demand_op *op)
{
	const uint8_t *at = buf + 1, *f;
	uint64_t v;

	*op = (struct demand_op){ 0 };
	if (!len)
		return 0;
	if (buf[0] == CODE_RUN_FAST)
		return decode_fast(buf, len, op);
	if (buf[0] < DEMAND_NR) {
		op->code = buf[0];
		f = fields[buf[0]];
	} else {
		return 0;
	}
	for (; *f != END; f++) {
		at = varint_get(at, buf + len, &v);
		if (!at || field_set(op, *f, v))
			return 0;
	}
	if (op->code == DEMAND_RUN &&
	    (op->slow < DEMAND_SLOW_ONE || op->crowd < DEMAND_SLOW_ONE))
		return 0;
	return (size_t)(at - buf);
}
