/* SPDX-License-Identifier: MIT */
#include "ui/axis.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SECOND 1000000000LL
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

/* From a minute on, where steps stop being decimal. */
static const int64_t long_steps[] = {
	MINUTE,	  2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
	HOUR,	  2 * HOUR,   3 * HOUR,	  6 * HOUR,    12 * HOUR,   DAY,
	2 * DAY,  5 * DAY,    10 * DAY,	  30 * DAY,    100 * DAY,   1000 * DAY,
	5000 * DAY, 20000 * DAY, 50000 * DAY,
};

#define NR_LONG_STEPS ((int)(sizeof(long_steps) / sizeof(long_steps[0])))

static int64_t step_for(int64_t least)
{
	static const int factor[] = { 1, 2, 5 };
	int64_t power;
	int i;

	for (power = 1; power <= 10 * SECOND; power *= 10)
		for (i = 0; i < 3; i++)
			if (power * factor[i] >= least &&
			    power * factor[i] < MINUTE)
				return power * factor[i];
	for (i = 0; i < NR_LONG_STEPS - 1; i++)
		if (long_steps[i] >= least)
			break;
	return long_steps[i];
}

/* Decimals of the unit that a multiple of the step needs. */
static int decimals(int64_t step, int64_t unit)
{
	int n = 0;

	while (unit > 1 && step % unit) {
		unit /= 10;
		n++;
	}
	return n;
}

void axis_init(struct axis *a, int64_t from_ns, int64_t to_ns, int max_ticks)
{
	uint64_t width = (uint64_t)to_ns - (uint64_t)from_ns;
	int64_t last;

	a->step_ns = step_for(width / max_ticks + 1);
	a->first_ns = from_ns / a->step_ns * a->step_ns;
	if (a->first_ns < from_ns)
		a->first_ns += a->step_ns;
	last = (to_ns - 1) / a->step_ns * a->step_ns;
	a->nr = last < a->first_ns ? 0 : (last - a->first_ns) / a->step_ns + 1;
	if (a->nr > max_ticks)
		a->nr = max_ticks;
	a->clock = a->step_ns >= SECOND &&
		   a->first_ns + (a->nr - 1) * a->step_ns >= MINUTE;
	a->relative = a->step_ns < SECOND && decimals(a->step_ns, SECOND) > 3 &&
		      to_ns >= SECOND;
}

static const struct unit {
	int64_t ns;
	const char *name;
} units[] = {
	{ SECOND, "s" }, { 1000000, "ms" }, { 1000, "\302\265s" }, { 1, "ns" },
};

static const struct unit *unit_for(int64_t ns)
{
	int i = 0;

	while (i < 3 && ns < units[i].ns)
		i++;
	return &units[i];
}

static char *clock_text(int64_t ns, int64_t step, char *buf, int size)
{
	int64_t s = ns / SECOND;

	if (s >= 86400 && step >= HOUR)
		snprintf(buf, size, "%" PRId64 "d %02dh", s / 86400,
			 (int)(s % 86400 / 3600));
	else if (s >= 3600)
		snprintf(buf, size, "%" PRId64 ":%02d:%02d", s / 3600,
			 (int)(s % 3600 / 60), (int)(s % 60));
	else
		snprintf(buf, size, "%d:%02d", (int)(s / 60), (int)(s % 60));
	return buf;
}

static char *decimal(int64_t ns, const struct unit *u, int digits,
		     const char *sign, char *buf, int size)
{
	int64_t rest = ns % u->ns, scale = u->ns;
	char part[16] = ".";
	int i;

	for (i = 1; i <= digits && i < 10; i++) {
		scale /= 10;
		part[i] = '0' + (scale ? rest / scale % 10 : 0);
	}
	part[digits ? i : 0] = 0;
	snprintf(buf, size, "%s%" PRId64 "%s %s", sign, ns / u->ns, part,
		 u->name);
	return buf;
}

char *axis_point(int64_t ns, int64_t unit_ns, char *buf, int size)
{
	int64_t step = 1;
	const struct unit *u = unit_for(ns);

	if (ns < 0) {
		snprintf(buf, size, "-");
		if (size > 1)
			axis_point(-ns, unit_ns, buf + 1, size - 1);
		return buf;
	}
	while (step * 10 <= unit_ns)
		step *= 10;
	if (ns >= MINUTE && unit_ns >= SECOND)
		return clock_text(ns, unit_ns, buf, size);
	if (step > u->ns)
		step = u->ns;
	return decimal(ns, u, decimals(step, u->ns), "", buf, size);
}

char *axis_label(const struct axis *a, int i, char *buf, int size)
{
	int64_t ns = a->first_ns + i * a->step_ns;
	int64_t last = a->first_ns + (a->nr - 1) * a->step_ns;
	const struct unit *u;

	if (a->clock)
		return clock_text(ns, a->step_ns, buf, size);
	if (a->relative && i) {
		ns -= a->first_ns;
		u = unit_for(a->step_ns * 10 < SECOND ? a->step_ns * 10 :
							a->step_ns);
		return decimal(ns, u, decimals(a->step_ns, u->ns), "+", buf,
			       size);
	}
	if (a->relative)
		return axis_point(ns, a->step_ns, buf, size);
	/* One unit for all of them. */
	u = unit_for(last >= SECOND ? SECOND : a->step_ns * 10);
	return decimal(ns, u, decimals(a->step_ns, u->ns), "", buf, size);
}

char *axis_length(int64_t ns, char *buf, int size)
{
	const struct unit *u = unit_for(ns);
	double v = (double)ns / u->ns;

	if (!ns)
		snprintf(buf, size, "0");
	else if (ns < 0)
		snprintf(buf, size, "?");
	else if (ns >= 10000 * SECOND)
		snprintf(buf, size, "%.3g h", (double)ns / HOUR);
	else
		snprintf(buf, size, "%.*f %s",
			 u->ns == 1 ? 0 : v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v,
			 u->name);
	return buf;
}

char *axis_bytes(double bytes, char *buf, int size)
{
	static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	int i = 0;

	for (; bytes >= 999.5 && i < 4; i++)
		bytes /= 1024;
	snprintf(buf, size, "%.*f %s",
		 !i || bytes >= 99.95 ? 0 : bytes < 9.995 ? 2 : 1, bytes,
		 unit[i]);
	return buf;
}

char *axis_share(double share, char *buf, int size)
{
	if (share > 0 && share < 0.005)
		snprintf(buf, size, "<1 %%");
	else if (share < 1 && share >= 0.995)
		snprintf(buf, size, ">99 %%");
	else
		snprintf(buf, size, "%.0f %%", share * 100);
	return buf;
}
