/* SPDX-License-Identifier: MIT */
#include "replay/pelt.h"


#define PERIOD_SHIFT 20
#define HALF_LIFE 32		/* periods */

/* 2^32 * 2^(-k / 32) */
static const uint64_t power[HALF_LIFE + 1] = {
	4294967296, 4202935003, 4112874773, 4024744348,
	3938502376, 3854108391, 3771522796, 3690706840,
	3611622603, 3534232978, 3458501653, 3384393094,
	3311872529, 3240905930, 3171459999, 3103502151,
	3037000500, 2971923842, 2908241642, 2845924021,
	2784941738, 2725266179, 2666869345, 2609723834,
	2553802834, 2499080105, 2445529972, 2393127307,
	2341847524, 2291666561, 2242560872, 2194507417,
	2147483648
};

/* 2^32 * 2^(-ns / half-life), linear between two whole periods. */
static uint64_t factor(int64_t ns)
{
	uint64_t part = (uint64_t)ns & ((1 << PERIOD_SHIFT) - 1);
	int64_t periods = ns >> PERIOD_SHIFT;
	const uint64_t *p = &power[periods % HALF_LIFE];

	if (periods / HALF_LIFE >= 40)
		return 0;
	return (p[0] - ((p[0] - p[1]) * part >> PERIOD_SHIFT)) >>
		periods / HALF_LIFE;
}

/* Towards 0.  Without a branch: half of all x are negative. */
static int64_t times(int64_t x, uint64_t f)
{
	uint64_t sign = x < 0 ? UINT64_MAX : 0;
	uint64_t a = ((uint64_t)x ^ sign) - sign;
	uint64_t r = (a >> 32) * f + ((a & UINT32_MAX) * f >> 32);

	return (int64_t)((r ^ sign) - sign);
}

static int64_t towards(int64_t x, int64_t in, uint64_t f)
{
	in *= 1 << PELT_SHIFT;
	return in - times(in - x, f);
}

int64_t pelt_towards(int64_t x, int64_t in, int64_t ns)
{
	return ns > 0 ? towards(x, in, factor(ns)) : x;
}

void pelt_update(struct pelt *p, int64_t now, const struct pelt_input *in)
{
	uint64_t f;

	if (now <= p->at)
		return;
	f = factor(now - p->at);
	p->at = now;
	p->load = towards(p->load, in->load, f);
	p->runnable = towards(p->runnable, in->runnable, f);
	p->util = towards(p->util, in->util, f);
}
