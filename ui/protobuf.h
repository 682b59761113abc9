/* SPDX-License-Identifier: MIT */
/*
 * protobuf: writes messages of protocol buffers, https://protobuf.dev/
 * programming-guides/encoding.  A message in a message is made on its own, then
 * put as a field.  After a failed allocation is_bad is set and all is ignored.
 */
#ifndef UI_PROTOBUF_H
#define UI_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct protobuf {
	uint8_t *at;
	size_t len, size;
	bool is_bad;
};

void protobuf_release(struct protobuf *p);
void protobuf_clear(struct protobuf *p);	/* keeps the memory */

void protobuf_int(struct protobuf *p, int field, uint64_t v);
/* Bytes that are not UTF-8 come out as "?". */
void protobuf_text(struct protobuf *p, int field, const char *text);
void protobuf_message(struct protobuf *p, int field, const struct protobuf *m);

#endif
