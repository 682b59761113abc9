/* SPDX-License-Identifier: MIT */
#include "ui/info.h"

#include "ui/json.h"

#include <inttypes.h>

static void counts(struct json *j, const char *key, const struct info_list *l)
{
	json_key(j, key);
	json_object(j);
	for (int i = 0; i < l->nr; i++) {
		json_key(j, l->item[i].name);
		json_int(j, l->item[i].count);
	}
	json_end(j, '}');
}

static void number(struct json *j, const char *key, int64_t v)
{
	json_key(j, key);
	json_int(j, v);
}

static void text(struct json *j, const char *key, const char *v)
{
	json_key(j, key);
	json_text(j, v);
}

static void distances(struct json *j, const struct topo *t, int from)
{
	char id[16];

	json_key(j, "distance");
	json_object(j);
	for (int to = 0; to < t->nr_node_ids; to++) {
		if (!t->node[to].present)
			continue;
		snprintf(id, sizeof(id), "%d", to);
		number(j, id, topo_distance(t, from, to));
	}
	json_end(j, '}');
}

static void node(struct json *j, const struct topo *t, int id)
{
	json_object(j);
	number(j, "id", id);
	json_key(j, "cpus");
	json_array(j);
	for (int c = 0; c < t->nr_cpu_ids; c++)
		if (t->cpu[c].present && t->cpu[c].node == id)
			json_int(j, c);
	json_end(j, ']');
	json_key(j, "mem_bytes");
	if (t->node[id].mem_bytes < 0)
		json_null(j);
	else
		json_int(j, t->node[id].mem_bytes);
	distances(j, t, id);
	json_end(j, '}');
}

static void nodes(struct json *j, const struct topo *t)
{
	json_key(j, "nodes");
	json_array(j);
	for (int n = 0; n < t->nr_node_ids; n++)
		if (t->node[n].present)
			node(j, t, n);
	json_end(j, ']');
}

static void knobs(struct json *j, const struct info_list *l)
{
	json_key(j, "knobs");
	json_object(j);
	for (int i = 0; i < l->nr; i++)
		text(j, l->item[i].name, l->item[i].value);
	json_end(j, '}');
}

static void runs(struct json *j, const struct info *in)
{
	char seed[24];

	json_key(j, "runs");
	json_array(j);
	for (int i = 0; i < in->nr_runs; i++) {
		const struct run_info *r = &in->runs[i];

		json_object(j);
		number(j, "id", r->id);
		text(j, "policy", r->policy);
		json_key(j, "knobs");
		json_raw(j, r->knobs);
		json_key(j, "seed");
		snprintf(seed, sizeof(seed), "%" PRIu64, r->seed);
		json_raw(j, seed);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void capture(struct json *j, const struct capture *c)
{
	number(j, "start_ns", c->start_ns);
	number(j, "end_ns", c->end_ns);
	number(j, "window_start_ns", c->window_start_ns);
	number(j, "window_end_ns", c->window_end_ns);
	text(j, "clock", c->clock);
	text(j, "kernel", c->kernel);
	text(j, "arch", c->arch);
	text(j, "source", c->source);
	text(j, "tool", c->tool);
	text(j, "command", c->command);
	number(j, "page_size", c->page_size);
	json_key(j, "topology_known");
	json_bool(j, c->topology_known);
}

void info_json(const struct info *in, FILE *out)
{
	struct json j;

	json_open(&j, out);
	json_object(&j);
	number(&j, "events", in->events);
	counts(&j, "by_kind", &in->by_kind);
	counts(&j, "skipped", &in->skipped);
	number(&j, "lost", in->lost);
	number(&j, "loss_intervals", in->nr_loss);
	capture(&j, &in->capture);
	number(&j, "cpus", topo_nr_cpus(&in->topo));
	nodes(&j, &in->topo);
	knobs(&j, &in->knobs);
	number(&j, "tasks", in->tasks);
	number(&j, "processes", in->processes);
	counts(&j, "repairs", &in->repairs);
	number(&j, "placement_samples", in->placement_samples);
	runs(&j, in);
	json_end(&j, '}');
	json_done(&j);
}
