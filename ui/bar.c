/* SPDX-License-Identifier: MIT */
#include "ui/bar.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collect/clock.h"

#define WAIT_NS 300000000	/* before the first drawing */
#define EVERY_NS 100000000
#define WIDTH 40

void bar_init(struct bar *b)
{
	*b = (struct bar){ .on = isatty(STDERR_FILENO), .since_ns = clock_now() };
}

void bar_lines(struct bar *b)
{
	b->on = b->lines = true;
}

int bar_show(void *bar, const char *what, double done)
{
	struct bar *b = bar;
	char line[WIDTH + 1];
	int64_t now;
	int n;

	if (!b->on)
		return 0;
	now = clock_now();
	if (now - b->since_ns < WAIT_NS || now - b->drawn_ns < EVERY_NS)
		return 0;
	done = done < 0 ? 0 : done > 1 ? 1 : done;
	if (b->lines) {
		fprintf(stderr, "progress %.4f\n", done);
		b->drawn_ns = now;
		return 0;
	}
	n = done * WIDTH;
	memset(line, '.', WIDTH);
	memset(line, '#', n);
	line[WIDTH] = 0;
	fprintf(stderr, "\r\033[K%-10s [%s] %3.0f %%", what, line, done * 100);
	fflush(stderr);
	b->drawn = true;
	b->drawn_ns = now;
	return 0;
}

void bar_clear(struct bar *b)
{
	if (b->drawn)
		fputs("\r\033[K", stderr);
	b->drawn = false;
}
