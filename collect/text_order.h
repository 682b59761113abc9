/* SPDX-License-Identifier: MIT */
/*
 * text_order: puts records whose CPUs are out of order with each other into the
 * order of time, as far as a window of TEXT_ORDER_WINDOW records allows.  The
 * order of one CPU is kept: a time that runs back takes its place behind the one
 * before it.  Equal times stay in the order in which they came.
 *
 * Copies names, so that what is put in may be forgotten.
 */
#ifndef COLLECT_TEXT_ORDER_H
#define COLLECT_TEXT_ORDER_H

#include "collect/lives.h"
#include "collect/record.h"

#include <stdbool.h>

#define TEXT_ORDER_WINDOW 16384

struct text_order;

int text_order_new(struct text_order **o, struct err *err);
void text_order_free(struct text_order *o);

/* No room for a loss and an event. */
bool text_order_full(struct text_order *o);
bool text_order_empty(const struct text_order *o);

/* key: the record's time, at its CPU.  Must not be full. */
void text_order_put(struct text_order *o, const struct record *r, int64_t key);

/* The first one; its names are good until the next put.  Must not be empty. */
void text_order_take(struct text_order *o, struct record *r);

/* Records that came after a later one had been taken. */
int64_t text_order_late(const struct text_order *o);

#endif
