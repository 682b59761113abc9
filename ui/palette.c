/* SPDX-License-Identifier: MIT */
#include "ui/palette.h"

#include <math.h>

/* Found by search: each further one lies as far as can be from all before it,
 * from both papers and from ROLE_ALIVE, in OKLab under normal vision and the
 * three simulated deficiencies (Machado et al. 2009). */
static const uint32_t node_rgb[PALETTE_NODES] = {
	0x0072b2, 0xe69f00, 0x65beaa, 0xb0305c, 0xa27cff, 0x2c27b9,
	0xa57811, 0x69fa6a, 0xc8b1fd, 0x943ff8, 0x774501, 0x199ba7,
	0xda726b, 0xca4b69, 0x672c89, 0x995907,
};

/* blue, yellow, cyan, red, magenta, green; white is for text */
static const uint8_t node_basic[] = { 4, 3, 6, 1, 5, 2 };

static const uint32_t role_rgb[2][NR_ROLES] = {
	[THEME_LIGHT] = {
		[ROLE_PAGE] = 0xffffff,
		[ROLE_TEXT] = 0x1b1f24,
		[ROLE_DIM] = 0x667079,
		[ROLE_RULE] = 0xc4cad0,
		[ROLE_ALIVE] = 0xecedef,
		[ROLE_MARK] = 0x000000,
		[ROLE_PAGES] = 0xc2007a,
		[ROLE_CURSOR] = 0x1b1f24,
		[ROLE_BAR] = 0xdfe3e8,
	},
	[THEME_DARK] = {
		[ROLE_PAGE] = 0x14171b,
		[ROLE_TEXT] = 0xe8eaed,
		[ROLE_DIM] = 0x9aa3ad,
		[ROLE_RULE] = 0x474e57,
		[ROLE_ALIVE] = 0x2a2e34,
		[ROLE_MARK] = 0xffffff,
		[ROLE_PAGES] = 0xff7ac8,
		[ROLE_CURSOR] = 0xffffff,
		[ROLE_BAR] = 0x333a42,
	},
};

/* Remote to local, and less to more: purple, beige, green, which
 * is not the ground of those who do not run; none of the first
 * nodes' colours, so that strips of both kinds can stand side by side. */
static const uint32_t diverging[2][7] = {
	[THEME_LIGHT] = { 0x6d1f7d, 0xa263b3, 0xd6b9df, 0xe9dfc0, 0xb5dbab,
			  0x58ab5d, 0x157336 },
	[THEME_DARK] = { 0xa64cc4, 0xbf83d1, 0xd6bddf, 0xe8e6e8, 0xb9dcb0,
			 0x7cc47a, 0x2fa84f },
};

/* Pale to dark, lightness falling evenly: amounts. */
static const uint32_t amounts[] = {
	0xf2e9c8, 0xe9c874, 0xdb9a4b, 0xb96a4c, 0x824359, 0x3f2a56,
};

/* Shares are drawn in steps, so that equal neighbours can be one rectangle and
 * a terminal needs few colours. */
#define STEPS 24

/* What the smallest share above 0 gets, so that it does not vanish. */
#define FLOOR 0.22

static int channel(uint32_t rgb, int shift)
{
	return rgb >> shift & 0xff;
}

static uint32_t blend(uint32_t from, uint32_t to, double part)
{
	uint32_t rgb = 0;
	int shift;

	for (shift = 16; shift >= 0; shift -= 8) {
		double a = channel(from, shift), b = channel(to, shift);

		rgb |= (uint32_t)(a + (b - a) * part + 0.5) << shift;
	}
	return rgb;
}

static uint32_t ramp(const uint32_t *stop, int nr, double at)
{
	int i;

	if (!(at > 0))
		return stop[0];
	if (at >= 1)
		return stop[nr - 1];
	i = at * (nr - 1);
	return blend(stop[i], stop[i + 1], at * (nr - 1) - i);
}

static double clamp(double v, double lo, double hi)
{
	return !(v > lo) ? lo : v > hi ? hi : v;
}

static double stepped(double share)
{
	int n = share * STEPS + 0.999999;

	return clamp((double)n / STEPS, 0, 1);
}

static double strength(double share)
{
	return FLOOR + (1 - FLOOR) * stepped(clamp(share, 0, 1));
}

static int shade_of(double share)
{
	int s = share * 4 + 0.5;

	return share > 0 && s < 1 ? 1 : s > 4 ? 4 : s;
}

uint32_t palette_node_rgb(int place)
{
	return node_rgb[place % PALETTE_NODES];
}

uint32_t palette_role_rgb(enum theme theme, enum palette_role role)
{
	return role_rgb[theme][role];
}

char palette_letter(int place)
{
	return 'A' + place % 26;
}

static uint8_t pattern_of(int place)
{
	return place < PALETTE_NODES	 ? PAINT_PLAIN :
	       place < 2 * PALETTE_NODES ? PAINT_BANDS :
					   PAINT_CHECKS;
}

struct paint paint_nothing(enum theme theme)
{
	return (struct paint){ .rgb = role_rgb[theme][ROLE_PAGE],
			       .letter = ' ', .basic = 7 };
}

struct paint paint_idle(enum theme theme)
{
	return (struct paint){ .rgb = role_rgb[theme][ROLE_ALIVE],
			       .letter = '.', .basic = 7 };
}

static struct paint node_paint(enum theme theme, int place, double share,
			       double whole)
{
	char letter = palette_letter(place);

	return (struct paint){
		.rgb = blend(role_rgb[theme][ROLE_ALIVE],
			     palette_node_rgb(place), strength(share)),
		.pattern = pattern_of(place),
		.basic = node_basic[place % (int)sizeof(node_basic)],
		.shade = shade_of(share),
		.letter = share >= whole ? letter : letter - 'A' + 'a',
	};
}

struct paint paint_node(enum theme theme, int place, double share)
{
	if (!(share > 0) || place < 0)
		return paint_idle(theme);
	return node_paint(theme, place, share, 0.5);
}

struct paint paint_pages(enum theme theme, int place, double share)
{
	if (!(share > 0) || place < 0)
		return paint_nothing(theme);
	return node_paint(theme, place, share, 0.75);
}

struct paint paint_locality(enum theme theme, double local, double share)
{
	double at = clamp(local, 0, 1);
	struct paint p = {
		.shade = shade_of(share),
		.basic = at >= 2. / 3 ? 2 : at >= 1. / 3 ? 7 : 5,
		.letter = at >= 0.995 ? '*' : '0' + (int)(at * 10),
	};
	uint32_t rgb = ramp(diverging[theme], 7, stepped(at));

	if (!(share > 0))
		return paint_idle(theme);
	if (local < 0) {
		rgb = role_rgb[theme][ROLE_DIM];
		p.pattern = PAINT_DOTS;
		p.basic = 7;
		p.letter = '?';
	}
	p.rgb = blend(role_rgb[theme][ROLE_ALIVE], rgb,
		      0.4 + 0.6 * strength(share));
	return p;
}

struct paint paint_amount(enum theme theme, double amount)
{
	double at = clamp(amount, 0, 1);

	if (!(amount > 0))
		return paint_idle(theme);
	return (struct paint){
		.rgb = ramp(amounts, 6,
			    theme == THEME_DARK ? 1 - stepped(at) * 0.9 :
						  stepped(at)),
		.basic = at < 0.34 ? 3 : at < 0.67 ? 1 : 5,
		.shade = shade_of(at),
		.letter = at >= 0.995 ? '*' : '0' + (int)(at * 10),
	};
}

struct paint paint_diff(enum theme theme, double diff, double share)
{
	double at = clamp(diff, -1, 1);

	if (!(share > 0))
		return paint_idle(theme);
	return (struct paint){
		.rgb = blend(role_rgb[theme][ROLE_ALIVE],
			     ramp(diverging[theme], 7, stepped((at + 1) / 2)),
			     0.4 + 0.6 * strength(share)),
		.basic = at > 0.05 ? 2 : at < -0.05 ? 5 : 7,
		.shade = shade_of(share),
		.letter = at > 0.5 ? '#' : at > 0.05 ? '+' : at < -0.5 ? '=' :
			  at < -0.05 ? '-' : '0',
	};
}

/* -- 256 colours: 6 x 6 x 6 cube from 16, 24 greys from 232 --------------- */

struct lab {
	double l, a, b;
};

static double linear(int c)
{
	double v = c / 255.;

	return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* OKLab (Ottosson 2020). */
static struct lab lab_of(uint32_t rgb)
{
	double r = linear(channel(rgb, 16)), g = linear(channel(rgb, 8));
	double b = linear(channel(rgb, 0));
	double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
	double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
	double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);

	return (struct lab){
		0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
		1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
		0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
	};
}

static uint32_t xterm_rgb(int i)
{
	static const uint8_t level[] = { 0, 95, 135, 175, 215, 255 };
	uint32_t grey = 8 + 10 * (i - 232);

	if (i >= 232)
		return grey << 16 | grey << 8 | grey;
	i -= 16;
	return (uint32_t)level[i / 36] << 16 | level[i / 6 % 6] << 8 |
	       level[i % 6];
}

static double square(double v)
{
	return v * v;
}

int palette_256(uint32_t rgb)
{
	struct lab want = lab_of(rgb);
	int best = 16, i;
	double least = 1e9;

	for (i = 16; i < 256; i++) {
		struct lab c = lab_of(xterm_rgb(i));
		/* Hue tells the node: keep it at the cost of lightness. */
		double d = square(c.l - want.l) +
			   4 * (square(c.a - want.a) + square(c.b - want.b));

		if (d < least) {
			least = d;
			best = i;
		}
	}
	return best;
}
