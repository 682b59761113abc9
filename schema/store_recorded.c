/* SPDX-License-Identifier: MIT */
#include "schema/store_local.h"

#include <stdlib.h>
#include <string.h>

void capture_release(struct capture *c)
{
	free(c->source);
	free(c->kernel);
	free(c->arch);
	free(c->clock);
	free(c->tool);
	free(c->command);
	*c = (struct capture){ 0 };
}

/* -- capture -------------------------------------------------------------- */

static const struct stmt_def put_capture = {
	.sql = "INSERT INTO capture(id, origin_ns, source, kernel, arch, clock,"
	       " tool, command, page_size, start_ns, end_ns, window_start_ns,"
	       " window_end_ns, nr_cpus, topology_known, preempt_bit,"
	       " has_faults) VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8,"
	       " ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)"
	       " ON CONFLICT (id) DO UPDATE SET source = excluded.source,"
	       " kernel = excluded.kernel, arch = excluded.arch,"
	       " clock = excluded.clock, tool = excluded.tool,"
	       " command = excluded.command, page_size = excluded.page_size,"
	       " start_ns = excluded.start_ns, end_ns = excluded.end_ns,"
	       " window_start_ns = excluded.window_start_ns,"
	       " window_end_ns = excluded.window_end_ns,"
	       " nr_cpus = excluded.nr_cpus,"
	       " topology_known = excluded.topology_known,"
	       " preempt_bit = excluded.preempt_bit,"
	       " has_faults = excluded.has_faults",
};
static const struct stmt_def put_letter = {
	.sql = "INSERT OR REPLACE INTO state_letter VALUES (?1, ?2, ?3)",
};

static int put_states(struct store *s, const struct state_table *t,
		      struct err *err)
{
	struct stmt *st;

	if (stmt_begin(s, PLACE_MAIN, &put_letter, &st, err))
		return err->code;
	for (int i = 0; i < t->nr && !err->code; i++) {
		char letter[2] = { t->flag[i].letter, '\0' };

		stmt_bind_int(st, 1, i);
		stmt_bind_int(st, 2, t->flag[i].bit);
		stmt_bind_text(st, 3, letter);
		stmt_run(st, err);
	}
	stmt_end(st);
	return err->code;
}

int store_put_capture(struct store *s, const struct capture *c,
		      struct err *err)
{
	const char *texts[] = { c->source, c->kernel, c->arch,
				c->clock, c->tool, c->command };
	struct stmt *st;

	if (stmt_begin(s, PLACE_MAIN, &put_capture, &st, err))
		return err->code;
	stmt_bind_int(st, 1, c->start_ns);
	for (int i = 0; i < 6; i++)
		stmt_bind_text(st, 2 + i, texts[i] ? texts[i] : "");
	stmt_bind_int(st, 8, c->page_size);
	stmt_bind_int(st, 9, c->start_ns);
	stmt_bind_int(st, 10, c->end_ns);
	stmt_bind_int(st, 11, c->window_start_ns);
	stmt_bind_int(st, 12, c->window_end_ns);
	stmt_bind_int(st, 13, c->nr_cpus);
	stmt_bind_int(st, 14, c->topology_known);
	stmt_bind_int(st, 15, c->states.preempt_bit);
	stmt_bind_int(st, 16, c->has_faults);
	stmt_run(st, err);
	stmt_end(st);
	return err->code ? err->code : put_states(s, &c->states, err);
}

static const struct stmt_def get_capture = {
	.sql = "SELECT source, kernel, arch, clock, tool, command, page_size,"
	       " start_ns, end_ns, window_start_ns, window_end_ns, nr_cpus,"
	       " topology_known, has_faults, preempt_bit"
	       " FROM capture WHERE id = 1",
};
static const struct stmt_def get_letters = {
	.sql = "SELECT bit, letter FROM state_letter ORDER BY n",
	.flags = STMT_SCAN,
};

static int get_states(struct store *s, struct state_table *t, struct err *err)
{
	const int max = sizeof(t->flag) / sizeof(t->flag[0]);
	struct stmt *st;
	char *letter;

	if (stmt_begin(s, PLACE_MAIN, &get_letters, &st, err))
		return err->code;
	t->nr = 0;
	while (stmt_step(st, err) > 0) {
		if (t->nr == max) {
			store_damaged(s, err, "more than %d state letters",
				      max);
			break;
		}
		if (stmt_text(st, 1, &letter, err))
			break;
		t->flag[t->nr].bit = (uint32_t)stmt_int(st, 0);
		t->flag[t->nr++].letter = letter[0];
		free(letter);
	}
	stmt_end(st);
	return err->code;
}

int store_get_capture(struct store *s, struct capture *c, struct err *err)
{
	char **texts[] = { &c->source, &c->kernel, &c->arch,
			   &c->clock, &c->tool, &c->command };
	struct stmt *st;
	int rc;

	*c = (struct capture){ 0 };
	if (stmt_begin(s, PLACE_MAIN, &get_capture, &st, err))
		return err->code;
	rc = stmt_step(st, err);
	if (!rc)
		store_damaged(s, err, "it holds no capture");
	for (int i = 0; i < 6 && !err->code; i++)
		stmt_text(st, i, texts[i], err);
	if (err->code)
		goto out;
	c->page_size = stmt_int(st, 6);
	c->start_ns = stmt_int(st, 7);
	c->end_ns = stmt_int(st, 8);
	c->window_start_ns = stmt_int(st, 9);
	c->window_end_ns = stmt_int(st, 10);
	if (stmt_number(st, 11, 0, STORE_MAX_NUMBER, &c->nr_cpus, err))
		goto out;
	c->topology_known = stmt_int(st, 12) != 0;
	c->has_faults = stmt_int(st, 13) != 0;
	c->states.preempt_bit = (uint32_t)stmt_int(st, 14);
	get_states(s, &c->states, err);
out:
	stmt_end(st);
	if (err->code)
		capture_release(c);
	return err->code;
}

/* -- names with a text or a number --------------------------------------- */

static int put_text(struct store *s, const struct stmt_def *def,
		    const char *name, const char *value, struct err *err)
{
	struct stmt *st;

	if (stmt_begin(s, PLACE_MAIN, def, &st, err))
		return err->code;
	stmt_bind_text(st, 1, name);
	stmt_bind_text(st, 2, value);
	stmt_run(st, err);
	stmt_end(st);
	return err->code;
}

static int put_count(struct store *s, const struct stmt_def *def,
		     const char *name, int64_t value, struct err *err)
{
	struct stmt *st;

	if (stmt_begin(s, PLACE_MAIN, def, &st, err))
		return err->code;
	stmt_bind_text(st, 1, name);
	stmt_bind_int(st, 2, value);
	stmt_run(st, err);
	stmt_end(st);
	return err->code;
}

static const struct stmt_def put_knob = {
	.sql = "INSERT OR REPLACE INTO knob VALUES (?1, ?2)",
};
static const struct stmt_def each_knob = {
	.sql = "SELECT name, value FROM knob ORDER BY name",
	.flags = STMT_SCAN,
};
static const struct stmt_def put_skipped = {
	.sql = "INSERT INTO skipped VALUES (?1, ?2) ON CONFLICT (name)"
	       " DO UPDATE SET events = events + excluded.events",
};
static const struct stmt_def each_skipped = {
	.sql = "SELECT name, events FROM skipped ORDER BY name",
	.flags = STMT_SCAN,
};
static const struct stmt_def put_repair = {
	.sql = "INSERT INTO repair VALUES (?1, ?2) ON CONFLICT (kind)"
	       " DO UPDATE SET count = count + excluded.count",
};
static const struct stmt_def each_repair = {
	.sql = "SELECT kind, count FROM repair ORDER BY kind",
	.flags = STMT_SCAN,
};

int store_put_knob(struct store *s, const char *name, const char *value,
		   struct err *err)
{
	return put_text(s, &put_knob, name, value, err);
}

int store_each_knob(struct store *s, int (*fn)(void *ctx, const char *name,
		    const char *value), void *ctx, struct err *err)
{
	char *name, *value;
	struct stmt *st;
	int rc = 0;

	if (stmt_begin(s, PLACE_MAIN, &each_knob, &st, err))
		return err->code;
	while (!rc && stmt_step(st, err) > 0) {
		name = value = NULL;
		if (!stmt_text(st, 0, &name, err) &&
		    !stmt_text(st, 1, &value, err))
			rc = fn(ctx, name, value);
		free(name);
		free(value);
		if (err->code)
			break;
	}
	stmt_end(st);
	return err->code ? err->code : rc;
}

int store_put_skipped(struct store *s, const char *name, int64_t count,
		      struct err *err)
{
	return put_count(s, &put_skipped, name, count, err);
}

int store_each_skipped(struct store *s, int (*fn)(void *ctx, const char *name,
		       int64_t count), void *ctx, struct err *err)
{
	return store_each_count(s, &each_skipped, fn, ctx, err);
}

int store_put_repair(struct store *s, const char *kind, int64_t count,
		     struct err *err)
{
	return put_count(s, &put_repair, kind, count, err);
}

int store_each_repair(struct store *s, int (*fn)(void *ctx, const char *kind,
		      int64_t count), void *ctx, struct err *err)
{
	return store_each_count(s, &each_repair, fn, ctx, err);
}

/* -- losses --------------------------------------------------------------- */

/* The same gap told twice is one gap with the events of both. */
static const struct stmt_def put_loss = {
	.sql = "INSERT INTO loss VALUES (?1, ?2, ?3, ?4)"
	       " ON CONFLICT (from_ns, cpu, to_ns) DO UPDATE SET events ="
	       " iif(events < 0 OR excluded.events < 0, -1,"
	       " events + excluded.events)",
};
static const struct stmt_def get_loss = {
	.sql = "SELECT from_ns, cpu, to_ns, events FROM loss"
	       " ORDER BY from_ns, cpu, to_ns",
	.flags = STMT_SCAN,
};

int store_put_loss(struct store *s, const struct loss *l, struct err *err)
{
	struct stmt *st;

	if (stmt_begin(s, PLACE_MAIN, &put_loss, &st, err))
		return err->code;
	stmt_bind_int(st, 1, l->from_ns);
	stmt_bind_int(st, 2, l->cpu);
	stmt_bind_int(st, 3, l->to_ns);
	stmt_bind_int(st, 4, l->events);
	stmt_run(st, err);
	stmt_end(st);
	return err->code;
}

int store_get_loss(struct store *s, struct loss **out, int *nr,
		   struct err *err)
{
	struct loss *list = NULL, *more;
	int n = 0, size = 0;
	struct stmt *st;

	*out = NULL;
	*nr = 0;
	if (stmt_begin(s, PLACE_MAIN, &get_loss, &st, err))
		return err->code;
	while (stmt_step(st, err) > 0) {
		more = store_room(list, n, &size, sizeof(*list), err);
		if (!more)
			break;
		list = more;
		list[n] = (struct loss){
			.from_ns = stmt_int(st, 0),
			.to_ns = stmt_int(st, 2),
			.events = stmt_int(st, 3),
		};
		if (stmt_number(st, 1, -1, STORE_MAX_NUMBER, &list[n].cpu,
				err))
			break;
		n++;
	}
	stmt_end(st);
	if (err->code) {
		free(list);
		return err->code;
	}
	*out = list;
	*nr = n;
	return 0;
}

/* -- placement samples ---------------------------------------------------- */

static const struct stmt_def put_placement = {
	.sql = "INSERT OR REPLACE INTO placement VALUES (?1, ?2, ?3, ?4, ?5)",
};

int store_put_placement(struct store *s, const struct placement *p,
			struct err *err)
{
	char source[2] = { p->source, '\0' };
	struct stmt *st;

	if (stmt_begin(s, PLACE_MAIN, &put_placement, &st, err))
		return err->code;
	stmt_bind_int(st, 1, p->ts);
	stmt_bind_int(st, 2, p->area);
	stmt_bind_text(st, 3, source);
	stmt_bind_int(st, 4, p->node);
	stmt_bind_int(st, 5, p->pages);
	stmt_run(st, err);
	stmt_end(st);
	return err->code;
}

struct store_placements {
	struct store *s;
	struct stmt *st;
	int64_t nr_areas;
};

static const struct stmt_def get_placements = {
	.sql = "SELECT ts, area, unicode(source), node, pages FROM placement"
	       " ORDER BY ts, area, source, node",
	.flags = STMT_SCAN,
};

int store_placements_open(struct store *s, struct store_placements **out,
			  struct err *err)
{
	struct store_placements *it = malloc(sizeof(*it));
	int64_t tasks;

	*out = NULL;
	if (!it)
		return err_nomem(err);
	it->s = s;
	if (store_limits(s, &tasks, &it->nr_areas, err) ||
	    stmt_begin(s, PLACE_MAIN, &get_placements, &it->st, err)) {
		free(it);
		return err->code;
	}
	*out = it;
	return 0;
}

int store_placements_next(struct store_placements *it, struct placement *p,
			  struct err *err)
{
	int rc = stmt_step(it->st, err);

	if (rc <= 0)
		return rc;
	p->ts = stmt_int(it->st, 0);
	p->source = (char)stmt_int(it->st, 2);
	p->pages = stmt_int(it->st, 4);
	if (stmt_number(it->st, 1, 0, it->nr_areas - 1, &p->area, err) ||
	    stmt_number(it->st, 3, -1, STORE_MAX_NUMBER, &p->node, err))
		return err->code;
	return 1;
}

void store_placements_close(struct store_placements *it)
{
	if (it)
		stmt_end(it->st);
	free(it);
}

int64_t store_nr_placements(struct store *s)
{
	struct err ignored = { 0 };
	int64_t n;

	if (store_int(s, "SELECT count(*) FROM (SELECT DISTINCT ts, area,"
		      " source FROM placement)", 0, &n, &ignored))
		return 0;
	return n;
}
