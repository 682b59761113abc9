/* SPDX-License-Identifier: MIT */
/*
 * The palette measured: OKLab distances under normal vision and simulated
 * colour-vision deficiencies.  The matrices are those of Machado, Oliveira and
 * Fernandes, "A Physiologically-based Model for Simulation of Color Vision
 * Deficiency" (2009), severity 1, applied to linear RGB.  0.02 is about what can
 * just be told apart.
 */
#include "ui/palette.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static const double vision[4][3][3] = {
	{ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
	/* protanopia */
	{ { 0.152286, 1.052583, -0.204868 },
	  { 0.114503, 0.786281, 0.099216 },
	  { -0.003882, -0.048116, 1.051998 } },
	/* deuteranopia */
	{ { 0.367322, 0.860646, -0.227968 },
	  { 0.280085, 0.672501, 0.047413 },
	  { -0.011820, 0.042940, 0.968881 } },
	/* tritanopia */
	{ { 1.255528, -0.076749, -0.178779 },
	  { -0.078411, 0.930809, 0.147602 },
	  { 0.004733, 0.691367, 0.303900 } },
};

struct lab {
	double l, a, b;
};

static double linear(uint32_t c)
{
	double v = (c & 255) / 255.;

	return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static struct lab seen(uint32_t rgb, int kind)
{
	double in[3] = { linear(rgb >> 16), linear(rgb >> 8), linear(rgb) };
	double v[3], l, m, s;
	int i;

	for (i = 0; i < 3; i++) {
		v[i] = vision[kind][i][0] * in[0] + vision[kind][i][1] * in[1] +
		       vision[kind][i][2] * in[2];
		v[i] = v[i] < 0 ? 0 : v[i] > 1 ? 1 : v[i];
	}
	l = cbrt(0.4122214708 * v[0] + 0.5363325363 * v[1] + 0.0514459929 * v[2]);
	m = cbrt(0.2119034982 * v[0] + 0.6806995451 * v[1] + 0.1073969566 * v[2]);
	s = cbrt(0.0883024619 * v[0] + 0.2817188376 * v[1] + 0.6299787005 * v[2]);
	return (struct lab){
		0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
		1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
		0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
	};
}

/* The least over all kinds of vision. */
static double distance(uint32_t a, uint32_t b)
{
	double least = 10;
	int k;

	for (k = 0; k < 4; k++) {
		struct lab x = seen(a, k), y = seen(b, k);
		double d = sqrt((x.l - y.l) * (x.l - y.l) +
				(x.a - y.a) * (x.a - y.a) +
				(x.b - y.b) * (x.b - y.b));

		least = d < least ? d : least;
	}
	return least;
}

static double least_of(int nr)
{
	double least = 10;
	int i, k;

	for (i = 0; i < nr; i++)
		for (k = 0; k < i; k++) {
			double d = distance(palette_node_rgb(i),
					    palette_node_rgb(k));

			least = d < least ? d : least;
		}
	return least;
}

static void test_nodes_apart(void **state)
{
	printf("least distance of 4 nodes %.3f, of 8 %.3f, of 16 %.3f\n",
	       least_of(4), least_of(8), least_of(16));
	assert_true(least_of(4) >= 0.14);
	assert_true(least_of(8) >= 0.11);
	assert_true(least_of(16) >= 0.07);
}

static void test_nodes_apart_from_ground(void **state)
{
	int i, theme;

	for (theme = 0; theme < 2; theme++)
		for (i = 0; i < PALETTE_NODES; i++) {
			uint32_t c = palette_node_rgb(i);

			assert_true(distance(c, palette_role_rgb(theme,
					     ROLE_PAGE)) >= 0.12);
			assert_true(distance(c, palette_role_rgb(theme,
					     ROLE_ALIVE)) >= 0.12);
		}
}

/* The first four nodes are told apart also where they ran half of the time. */
static void test_half_shares_apart(void **state)
{
	int i, k, theme;

	for (theme = 0; theme < 2; theme++)
		for (i = 0; i < 4; i++)
			for (k = 0; k < i; k++)
				assert_true(distance(
					paint_node(theme, i, 0.5).rgb,
					paint_node(theme, k, 0.5).rgb) >= 0.06);
}

/* Any share above 0 differs from idle, and idle from nobody. */
static void test_small_share_is_seen(void **state)
{
	int i, theme;

	for (theme = 0; theme < 2; theme++) {
		uint32_t idle = paint_idle(theme).rgb;

		assert_true(distance(idle, paint_nothing(theme).rgb) >= 0.04);
		for (i = 0; i < PALETTE_NODES; i++)
			assert_true(distance(idle, paint_node(theme, i, 1e-9)
					     .rgb) >= 0.02);
		assert_int_equal(paint_node(theme, 0, 0).rgb, idle);
	}
	assert_int_equal(paint_idle(THEME_LIGHT).letter, '.');
	assert_int_equal(paint_nothing(THEME_LIGHT).letter, ' ');
	assert_int_equal(paint_node(THEME_LIGHT, 1, 0.2).letter, 'b');
	assert_int_equal(paint_node(THEME_LIGHT, 1, 0.5).letter, 'B');
	assert_true(paint_node(THEME_LIGHT, 0, 1e-9).shade > 0);
}

/* Locality: neighbouring tenths differ, ends lie far apart, for everyone. */
static void test_locality_apart(void **state)
{
	int i, theme;

	for (theme = 0; theme < 2; theme++) {
		assert_true(distance(paint_locality(theme, 0, 1).rgb,
				     paint_locality(theme, 1, 1).rgb) >= 0.08);
		assert_true(distance(paint_locality(theme, 0, 1).rgb,
				     paint_locality(theme, 0.5, 1).rgb) >= 0.2);
		assert_true(distance(paint_locality(theme, 1, 1).rgb,
				     paint_locality(theme, 0.5, 1).rgb) >= 0.15);
		for (i = 0; i < 10; i++)
			assert_true(distance(
				paint_locality(theme, i / 10., 1).rgb,
				paint_locality(theme, (i + 1) / 10., 1).rgb) >=
				0.015);
	}
	assert_int_equal(paint_locality(THEME_LIGHT, -1, 1).letter, '?');
	assert_int_equal(paint_locality(THEME_LIGHT, -1, 1).pattern,
			 PAINT_DOTS);
	assert_int_equal(paint_locality(THEME_LIGHT, 0, 1).letter, '0');
	assert_int_equal(paint_locality(THEME_LIGHT, 0.97, 1).letter, '9');
	assert_int_equal(paint_locality(THEME_LIGHT, 1, 1).letter, '*');
}

/* Ran alike in both runs, did not run in either, was not there. */
static void test_no_difference(void **state)
{
	int theme;

	for (theme = 0; theme < 2; theme++) {
		uint32_t same = paint_diff(theme, 0, 1).rgb;

		assert_true(distance(same, paint_idle(theme).rgb) >= 0.04);
		assert_true(distance(same, paint_nothing(theme).rgb) >= 0.07);
		assert_true(distance(same, paint_diff(theme, 1, 1).rgb) >= 0.2);
		assert_true(distance(same, paint_diff(theme, -1, 1).rgb) >=
			    0.2);
		assert_true(distance(paint_diff(theme, 1, 1).rgb,
				     paint_diff(theme, -1, 1).rgb) >= 0.07);
	}
}

/* More nodes than colours differ by pattern; the basic eight by letter. */
static void test_many_nodes(void **state)
{
	assert_int_equal(paint_node(THEME_LIGHT, 15, 1).pattern, PAINT_PLAIN);
	assert_int_equal(paint_node(THEME_LIGHT, 16, 1).pattern, PAINT_BANDS);
	assert_int_equal(paint_node(THEME_LIGHT, 16, 1).rgb,
			 paint_node(THEME_LIGHT, 0, 1).rgb);
	assert_int_equal(paint_node(THEME_LIGHT, 300, 1).pattern, PAINT_CHECKS);
	assert_int_equal(palette_letter(25), 'Z');
}

static void test_256(void **state)
{
	int i, k;

	/* Colours of the terminal are found again; black is the cube's. */
	assert_int_equal(palette_256(0x000000), 16);
	assert_int_equal(palette_256(0xffffff), 231);
	assert_int_equal(palette_256(0xff0000), 196);
	assert_int_equal(palette_256(0x5f87af), 67);
	assert_int_equal(palette_256(0x080808), 232);
	assert_int_equal(palette_256(0x767676), 243);
	for (i = 0; i < 8; i++)
		for (k = 0; k < i; k++)
			assert_int_not_equal(palette_256(palette_node_rgb(i)),
					     palette_256(palette_node_rgb(k)));
}

/* Shares and localities out of range, and NaN, do no harm. */
static void test_any_number(void **state)
{
	assert_int_equal(paint_node(THEME_DARK, 0, 7).rgb,
			 paint_node(THEME_DARK, 0, 1).rgb);
	assert_int_equal(paint_node(THEME_DARK, -1, 1).rgb,
			 paint_idle(THEME_DARK).rgb);
	assert_int_equal(paint_amount(THEME_DARK, NAN).rgb,
			 paint_idle(THEME_DARK).rgb);
	assert_int_equal(paint_diff(THEME_DARK, 9, 1).rgb,
			 paint_diff(THEME_DARK, 1, 1).rgb);
	assert_int_equal(paint_locality(THEME_DARK, 2, 1).letter, '*');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nodes_apart),
		cmocka_unit_test(test_nodes_apart_from_ground),
		cmocka_unit_test(test_half_shares_apart),
		cmocka_unit_test(test_small_share_is_seen),
		cmocka_unit_test(test_locality_apart),
		cmocka_unit_test(test_no_difference),
		cmocka_unit_test(test_many_nodes),
		cmocka_unit_test(test_256),
		cmocka_unit_test(test_any_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
