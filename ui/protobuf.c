/* SPDX-License-Identifier: MIT */
#include "ui/protobuf.h"

#include "model/varint.h"
#include "ui/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

void protobuf_release(struct protobuf *p)
{
	free(p->at);
	*p = (struct protobuf){ 0 };
}

void protobuf_clear(struct protobuf *p)
{
	p->len = 0;
}

/* Room for len more bytes; NULL: none. */
static uint8_t *more(struct protobuf *p, size_t len)
{
	if (p->is_bad)
		return NULL;
	if (p->len + len > p->size) {
		size_t size = (p->len + len) * 2 + 64;
		uint8_t *at = realloc(p->at, size);

		if (!at) {
			p->is_bad = true;
			return NULL;
		}
		p->at = at;
		p->size = size;
	}
	p->len += len;
	return p->at + p->len - len;
}

static void varint(struct protobuf *p, uint64_t v)
{
	uint8_t bytes[VARINT_MAX], *to;
	size_t len = (size_t)(varint_put(bytes, v) - bytes);

	to = more(p, len);
	if (to)
		memcpy(to, bytes, len);
}

void protobuf_int(struct protobuf *p, int field, uint64_t v)
{
	varint(p, (uint64_t)field << 3 | WIRE_VARINT);
	varint(p, v);
}

void protobuf_text(struct protobuf *p, int field, const char *text)
{
	size_t len = strlen(text);
	uint8_t *to;

	varint(p, (uint64_t)field << 3 | WIRE_BYTES);
	varint(p, len);
	to = more(p, len);
	if (!to)
		return;
	memcpy(to, text, len);
	for (size_t i = 0; i < len;) {
		int valid = utf8_length(text + i, (int)(len - i));

		if (!valid)
			to[i] = '?';
		i += valid ? (size_t)valid : 1;
	}
}

void protobuf_message(struct protobuf *p, int field, const struct protobuf *m)
{
	uint8_t *to;

	p->is_bad |= m->is_bad;
	varint(p, (uint64_t)field << 3 | WIRE_BYTES);
	varint(p, m->len);
	to = more(p, m->len);
	if (to && m->len)
		memcpy(to, m->at, m->len);
}
