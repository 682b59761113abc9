/* SPDX-License-Identifier: MIT */
/*
 * fault_site: short numbers for the instructions that page faults come from
 * again and again, which saves six of the eight bytes of column b.  An address
 * gets its number when it is seen for the second time.
 */
#ifndef SCHEMA_FAULT_SITE_LOCAL_H
#define SCHEMA_FAULT_SITE_LOCAL_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct store;
struct fault_sites;

/* For writing (knows the numbers given so far) or reading (all of them). */
int fault_sites_new(struct store *s, bool reading, struct fault_sites **f,
		    struct err *err);
void fault_sites_free(struct fault_sites *f);	/* NULL is fine */

/* Column b of a fault as event_encode() made it, in its short form if there
 * is one. */
int fault_site_shorten(struct fault_sites *f, int64_t *b, struct err *err);

/* And back; false: there is no such site. */
bool fault_site_expand(const struct fault_sites *f, int64_t *b);

#endif
