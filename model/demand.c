/* SPDX-License-Identifier: MIT */
/*
 * The code of an operation is its first byte; arguments follow as base-128
 * varints, low bits first.  A RUN without slow-down, which is most of them,
 * has a byte of its own that leaves both slow-downs out.
 */
#include "model/demand.h"

#include <limits.h>
#include <string.h>

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
};

static const uint8_t fields_fast[] = { NS, END };

static uint64_t field_get(const struct demand_op *op, int field)
{
	switch (field) {
	case TASK:
		return (uint64_t)op->task;
	case NS:
		return (uint64_t)op->ns;
	case SLOW:
		return (uint64_t)op->slow;
	case CROWD:
		return (uint64_t)(op->crowd ? op->crowd : DEMAND_SLOW_ONE);
	case CPU:
		return (uint64_t)op->cpu;
	case AREA:
		return (uint64_t)op->area;
	case FROM:
		return (uint64_t)op->from;
	case TO:
		return (uint64_t)op->to;
	default:
		return (uint64_t)op->pages;
	}
}

static int field_set(struct demand_op *op, int field, uint64_t v)
{
	int *small = NULL;

	if (v > INT64_MAX)
		return -1;
	switch (field) {
	case NS:
		op->ns = (int64_t)v;
		return 0;
	case PAGES:
		op->pages = (int64_t)v;
		return 0;
	case TASK:
		small = &op->task;
		break;
	case SLOW:
		small = &op->slow;
		break;
	case CROWD:
		small = &op->crowd;
		break;
	case CPU:
		small = &op->cpu;
		break;
	case AREA:
		small = &op->area;
		break;
	case FROM:
		small = &op->from;
		break;
	default:
		small = &op->to;
		break;
	}
	if (v > INT_MAX)
		return -1;
	*small = (int)v;
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
	for (; *f != END; f++) {
		uint64_t v = field_get(op, *f);

		for (; v >= 0x80; v >>= 7)
			*p++ = (uint8_t)(v | 0x80);
		*p++ = (uint8_t)v;
	}
	return (size_t)(p - buf);
}

static size_t varint_read(const uint8_t *buf, size_t len, uint64_t *v)
{
	size_t i;

	*v = 0;
	for (i = 0; i < len && i < 9; i++) {
		*v |= (uint64_t)(buf[i] & 0x7f) << (7 * i);
		if (!(buf[i] & 0x80))
			return i + 1;
	}
	return 0;
}

size_t demand_decode(const uint8_t *buf, size_t len, struct demand_op *op)
{
	const uint8_t *f;
	size_t at = 1, n;
	uint64_t v;

	memset(op, 0, sizeof(*op));
	if (!len)
		return 0;
	if (buf[0] == CODE_RUN_FAST) {
		op->code = DEMAND_RUN;
		op->slow = op->crowd = DEMAND_SLOW_ONE;
		f = fields_fast;
	} else if (buf[0] < DEMAND_NR) {
		op->code = buf[0];
		f = fields[buf[0]];
	} else {
		return 0;
	}
	for (; *f != END; f++, at += n) {
		n = varint_read(buf + at, len - at, &v);
		if (!n || field_set(op, *f, v))
			return 0;
	}
	if (op->code == DEMAND_RUN &&
	    (op->slow < DEMAND_SLOW_ONE || op->crowd < DEMAND_SLOW_ONE))
		return 0;
	return at;
}
