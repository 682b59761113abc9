/* SPDX-License-Identifier: MIT */
/*
 * axis: times as people read them, and the ticks of a time axis.
 *
 * Ticks are multiples of 1, 2 or 5 x 10^n ns (from a minute on of 1, 2, 5, 10,
 * 15, 30 min, 1, 2, 6, 12 h, 1 d ...), counted from the begin of the recording.
 * Where their labels would need more than three decimals, the first says the
 * whole time and the others how much later they are ("+20 µs").
 */
#ifndef UI_AXIS_H
#define UI_AXIS_H

#include <stdbool.h>
#include <stdint.h>

struct axis {
	int64_t step_ns;
	int64_t first_ns;	/* first tick at or after the window's begin */
	int nr;
	bool clock;		/* minutes and more: "1:20", "1:00:00" */
	bool relative;		/* labels of all but the first are "+..." */
};

/* At most max_ticks (>= 2) ticks for [from, to), both from the begin. */
void axis_init(struct axis *a, int64_t from_ns, int64_t to_ns, int max_ticks);

/* The label of tick i. */
char *axis_label(const struct axis *a, int i, char *buf, int size);

/* A length of time with three significant digits: "13.7 s", "850 µs", "0". */
char *axis_length(int64_t ns, char *buf, int size);

/* A point in time exact to a fraction of `unit` ns: "12.345 678 s". */
char *axis_point(int64_t ns, int64_t unit_ns, char *buf, int size);

/* Bytes with three significant digits: "20.0 MiB", "512 B". */
char *axis_bytes(double bytes, char *buf, int size);

/* A share with what digits it deserves: "0 %", "<1 %", "48 %", ">99 %". */
char *axis_share(double share, char *buf, int size);

#endif
