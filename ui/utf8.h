/* SPDX-License-Identifier: MIT */
/* utf8: bytes from kernels and files to what a terminal or JSON can take. */
#ifndef UI_UTF8_H
#define UI_UTF8_H

/* Length of the valid UTF-8 sequence at s (1..4), 0 if there is none: overlong
 * forms, surrogates and values above U+10FFFF are not valid. */
int utf8_length(const char *s, int len);

/* The code point of a sequence that utf8_length() found valid. */
int utf8_decode(const char *s, int len);

/* The other way: up to 4 bytes into s; how many. */
int utf8_encode(int code, char *s);

/* Terminal columns of a code point: 0, 1 or 2; -1 for control characters. */
int utf8_width(int code);

#endif
