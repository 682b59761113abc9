/* SPDX-License-Identifier: MIT */
#include "ui/utf8.h"

#include <stddef.h>

int utf8_decode(const char *s, int len)
{
	const unsigned char *u = (const unsigned char *)s;

	switch (len) {
	case 1:
		return u[0];
	case 2:
		return (u[0] & 0x1f) << 6 | (u[1] & 0x3f);
	case 3:
		return (u[0] & 0x0f) << 12 | (u[1] & 0x3f) << 6 | (u[2] & 0x3f);
	default:
		return (u[0] & 0x07) << 18 | (u[1] & 0x3f) << 12 |
		       (u[2] & 0x3f) << 6 | (u[3] & 0x3f);
	}
}

int utf8_encode(int code, char *s)
{
	int n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4, i;

	for (i = n - 1; i > 0; i--, code >>= 6)
		s[i] = (char)(0x80 | (code & 0x3f));
	s[0] = (char)(n == 1 ? code : (0xf00 >> n & 0xff) | code);
	return n;
}

int utf8_length(const char *s, int len)
{
	static const int lowest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char c;
	int n, i, code;

	if (len < 1)
		return 0;
	c = (unsigned char)s[0];
	n = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0;
	if (!n || n > len)
		return 0;
	for (i = 1; i < n; i++)
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
	code = utf8_decode(s, n);
	if (code < lowest[n] || code > 0x10ffff ||
	    (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return n;
}

/* The blocks that East Asian terminals show two columns wide, and the ones of
 * combining marks: Unicode Standard Annex 11, coarse on purpose. */
int utf8_width(int code)
{
	static const struct {
		int from, to, width;
	} range[] = {
		{ 0x0300, 0x036f, 0 },	 { 0x1100, 0x115f, 2 },
		{ 0x200b, 0x200f, 0 },	 { 0x202a, 0x202e, -1 },
		{ 0x2066, 0x2069, -1 },	 { 0x2e80, 0xa4cf, 2 },
		{ 0xac00, 0xd7a3, 2 },	 { 0xf900, 0xfaff, 2 },
		{ 0xfe00, 0xfe0f, 0 },	 { 0xfe30, 0xfe6f, 2 },
		{ 0xff00, 0xff60, 2 },	 { 0xffe0, 0xffe6, 2 },
		{ 0x1f300, 0x1f64f, 2 }, { 0x1f900, 0x1f9ff, 2 },
		{ 0x20000, 0x3fffd, 2 },
	};
	size_t i;

	if (code < 0x20 || (code >= 0x7f && code < 0xa0))
		return -1;
	for (i = 0; i < sizeof(range) / sizeof(range[0]); i++)
		if (code >= range[i].from && code <= range[i].to)
			return range[i].width;
	return 1;
}
