/* SPDX-License-Identifier: MIT */
#include "schema/fault_site_local.h"

#include "schema/store_local.h"

#include <stdlib.h>

/* So many are remembered, each in one place of a table. */
#define SEEN_BITS 12
/* Readers hold them all. */
#define MAX_SITES 65536

#define SEEN_ONCE (-1)

struct seen {
	int64_t ip;
	int id;			/* its number, or SEEN_ONCE */
};

struct fault_sites {
	struct store *s;
	int nr;
	struct seen *seen;	/* for writing */
	int64_t *ip;		/* [nr], for reading */
};

static const struct stmt_def get_sites = {
	.sql = "SELECT id, ip FROM fault_site ORDER BY id",
	.flags = STMT_SCAN,
};

static int read_sites(struct fault_sites *f, struct err *err)
{
	struct stmt *st;
	int size = 0;

	if (stmt_begin(f->s, PLACE_MAIN, &get_sites, &st, err))
		return err->code;
	while (stmt_step(st, err) > 0) {
		int64_t *ip;

		if (f->nr == MAX_SITES || stmt_int(st, 0) != f->nr) {
			store_damaged(f->s, err, "fault site %d is missing",
				      f->nr);
			break;
		}
		ip = store_room(f->ip, f->nr, &size, sizeof(*ip), err);
		if (!ip)
			break;
		f->ip = ip;
		f->ip[f->nr++] = stmt_int(st, 1);
	}
	stmt_end(st);
	return err->code;
}

static int start_writing(struct fault_sites *f, struct err *err)
{
	int64_t nr;

	f->seen = calloc(1u << SEEN_BITS, sizeof(*f->seen));
	if (!f->seen)
		return err_nomem(err);
	if (store_int(f->s, "SELECT max(id) + 1 FROM fault_site", 0, &nr, err))
		return err->code;
	f->nr = nr < 0 || nr > MAX_SITES ? MAX_SITES : (int)nr;
	return 0;
}

int fault_sites_new(struct store *s, bool reading, struct fault_sites **out,
		    struct err *err)
{
	struct fault_sites *f = calloc(1, sizeof(*f));

	*out = NULL;
	if (!f)
		return err_nomem(err);
	f->s = s;
	if (reading ? read_sites(f, err) : start_writing(f, err)) {
		fault_sites_free(f);
		return err->code;
	}
	*out = f;
	return 0;
}

void fault_sites_free(struct fault_sites *f)
{
	if (!f)
		return;
	free(f->seen);
	free(f->ip);
	free(f);
}

static const struct stmt_def put_site = {
	.sql = "INSERT INTO fault_site VALUES (?1, ?2)",
};

static int add_site(struct fault_sites *f, struct seen *e, struct err *err)
{
	struct stmt *st;

	if (stmt_begin(f->s, PLACE_MAIN, &put_site, &st, err))
		return err->code;
	stmt_bind_int(st, 1, f->nr);
	stmt_bind_int(st, 2, e->ip);
	stmt_run(st, err);
	stmt_end(st);
	e->id = f->nr++;
	return err->code;
}

int fault_site_shorten(struct fault_sites *f, int64_t *b, struct err *err)
{
	int64_t ip = *b >> 8;
	uint64_t hash = (uint64_t)ip * 0x9e3779b97f4a7c15u;
	struct seen *e = &f->seen[hash >> (64 - SEEN_BITS)];

	if (e->ip != ip) {
		*e = (struct seen){ .ip = ip, .id = SEEN_ONCE };
		return 0;
	}
	if (!ip)
		return 0;	/* short as it is; and what empty places hold */
	if (e->id == SEEN_ONCE) {
		if (f->nr == MAX_SITES)
			return 0;
		if (add_site(f, e, err))
			return err->code;
	}
	*b = -1 - (((int64_t)e->id << 8) | (*b & 255));
	return 0;
}

bool fault_site_expand(const struct fault_sites *f, int64_t *b)
{
	int64_t code = -1 - *b, id = code >> 8;

	if (*b >= 0)
		return true;
	if (id >= f->nr || f->ip[id] < 0 || f->ip[id] >> 55)
		return false;
	*b = f->ip[id] << 8 | (code & 255);
	return true;
}
