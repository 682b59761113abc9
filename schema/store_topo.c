/* SPDX-License-Identifier: MIT */
#include "schema/store_local.h"

static const struct stmt_def put_node = {
	.sql = "INSERT OR REPLACE INTO node VALUES (?1, ?2, ?3)",
};
static const struct stmt_def put_cpu = {
	.sql = "INSERT OR REPLACE INTO cpu"
	       " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
};
static const struct stmt_def put_distance = {
	.sql = "INSERT OR REPLACE INTO distance VALUES (?1, ?2, ?3)",
};

static int put_nodes(struct store *s, const struct topo *t, struct err *err)
{
	struct stmt *st;

	if (stmt_begin(s, PLACE_MAIN, &put_node, &st, err))
		return err->code;
	for (int n = 0; n < t->nr_node_ids && !err->code; n++) {
		if (!t->node[n].present)
			continue;
		stmt_bind_int(st, 1, n);
		stmt_bind_int(st, 2, t->node[n].online);
		stmt_bind_int(st, 3, t->node[n].mem_bytes);
		stmt_run(st, err);
	}
	stmt_end(st);
	return err->code;
}

static int put_cpus(struct store *s, const struct topo *t, struct err *err)
{
	struct stmt *st;

	if (stmt_begin(s, PLACE_MAIN, &put_cpu, &st, err))
		return err->code;
	for (int i = 0; i < t->nr_cpu_ids && !err->code; i++) {
		const struct topo_cpu *c = &t->cpu[i];
		const int v[] = { i, c->online, c->node, c->package, c->die,
				  c->cluster, c->llc, c->core, c->smt };

		if (!c->present)
			continue;
		for (int k = 0; k < 9; k++)
			stmt_bind_int(st, k + 1, v[k]);
		stmt_run(st, err);
	}
	stmt_end(st);
	return err->code;
}

static int put_distances(struct store *s, const struct topo *t,
			 struct err *err)
{
	struct stmt *st;

	if (stmt_begin(s, PLACE_MAIN, &put_distance, &st, err))
		return err->code;
	for (int from = 0; from < t->nr_node_ids; from++) {
		for (int to = 0; to < t->nr_node_ids && !err->code; to++) {
			if (!t->node[from].present || !t->node[to].present)
				continue;
			stmt_bind_int(st, 1, from);
			stmt_bind_int(st, 2, to);
			stmt_bind_int(st, 3, topo_distance(t, from, to));
			stmt_run(st, err);
		}
	}
	stmt_end(st);
	return err->code;
}

int store_put_topo(struct store *s, const struct topo *t, struct err *err)
{
	if (store_begin(s, err))
		return err->code;
	if (put_nodes(s, t, err) || put_cpus(s, t, err) ||
	    put_distances(s, t, err))
		return err->code;
	return store_end(s, err);
}

static const struct stmt_def get_nodes = {
	.sql = "SELECT id, online, mem_bytes FROM node ORDER BY id",
	.flags = STMT_SCAN,
};
static const struct stmt_def get_cpus = {
	.sql = "SELECT id, online, node, package, die, cluster, llc, core, smt"
	       " FROM cpu ORDER BY id",
	.flags = STMT_SCAN,
};
static const struct stmt_def get_distances = {
	.sql = "SELECT from_node, to_node, distance FROM distance",
	.flags = STMT_SCAN,
};

static int read_nodes(struct store *s, struct topo *t, struct err *err)
{
	struct stmt *st;
	int id;

	if (stmt_begin(s, PLACE_MAIN, &get_nodes, &st, err))
		return err->code;
	while (stmt_step(st, err) > 0) {
		if (stmt_number(st, 0, 0, STORE_MAX_NODE, &id, err) ||
		    topo_add_node(t, id, err))
			break;
		t->node[id].online = stmt_int(st, 1) != 0;
		t->node[id].mem_bytes = stmt_int(st, 2);
	}
	stmt_end(st);
	return err->code;
}

static int read_cpu(struct stmt *st, struct topo *t, struct err *err)
{
	struct topo_cpu *c;
	int id, node;

	if (stmt_number(st, 0, 0, STORE_MAX_NUMBER - 1, &id, err) ||
	    stmt_number(st, 2, 0, STORE_MAX_NODE, &node, err) ||
	    topo_add_cpu(t, id, node, err))
		return err->code;
	c = &t->cpu[id];
	c->online = stmt_int(st, 1) != 0;
	c->node = node;
	int *const level[] = { &c->package, &c->die, &c->cluster,
			       &c->llc, &c->core, &c->smt };
	for (int i = 0; i < 6; i++)
		if (stmt_number(st, 3 + i, -1, INT32_MAX, level[i], err))
			return err->code;
	return 0;
}

static int read_cpus(struct store *s, struct topo *t, struct err *err)
{
	struct stmt *st;

	if (stmt_begin(s, PLACE_MAIN, &get_cpus, &st, err))
		return err->code;
	while (stmt_step(st, err) > 0)
		if (read_cpu(st, t, err))
			break;
	stmt_end(st);
	return err->code;
}

static int read_distances(struct store *s, struct topo *t, struct err *err)
{
	int from, to, distance;
	struct stmt *st;

	if (stmt_begin(s, PLACE_MAIN, &get_distances, &st, err))
		return err->code;
	while (stmt_step(st, err) > 0) {
		if (stmt_number(st, 0, 0, t->nr_node_ids - 1, &from, err) ||
		    stmt_number(st, 1, 0, t->nr_node_ids - 1, &to, err) ||
		    stmt_number(st, 2, 1, INT32_MAX, &distance, err))
			break;
		t->distance[(size_t)from * (size_t)t->nr_node_ids +
			    (size_t)to] = distance;
	}
	stmt_end(st);
	return err->code;
}

int store_get_topo(struct store *s, struct topo *t, struct err *err)
{
	*t = (struct topo){ 0 };
	if (read_nodes(s, t, err) || read_cpus(s, t, err) ||
	    read_distances(s, t, err))
		goto fail;
	if (topo_finish(t, err)) {
		err_prefix(err, "'%s'", s->path);
		goto fail;
	}
	return 0;
fail:
	topo_release(t);
	return err->code;
}
