/* SPDX-License-Identifier: MIT */
#include "collect/topo_read.h"

#include "collect/topo_numactl.h"
#include "collect/topo_sysfs.h"
#include "model/cpumask.h"
#include "model/err.h"
#include "model/preset.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XML_MAX (64 << 20)
#define DISTANCE_MAX 65535

/* Number of an object at its level, the same for all CPUs under it. */
static int number_of(hwloc_obj_t obj)
{
	return obj ? (int)obj->logical_index : -1;
}

static hwloc_obj_t ancestor(hwloc_topology_t h, hwloc_obj_t pu,
			    hwloc_obj_type_t type)
{
	return hwloc_get_ancestor_obj_by_type(h, type, pu);
}

/* Caches of several levels may be somebody's last: depth and index together
 * make the number unique. */
static void set_caches(hwloc_obj_t pu, struct topo_cpu *c)
{
	hwloc_obj_t last = NULL, shared = NULL, cluster = NULL;

	for (hwloc_obj_t o = pu->parent; o; o = o->parent) {
		if (hwloc_obj_type_is_dcache(o->type)) {
			if (o->type == HWLOC_OBJ_L2CACHE &&
			    hwloc_bitmap_weight(o->cpuset) > 1)
				shared = o;
			last = o;
		}
		if (o->type == HWLOC_OBJ_GROUP && o->subtype && !cluster &&
		    strcmp(o->subtype, "Cluster") == 0)
			cluster = o;
	}
	if (last)
		c->llc = (int)last->logical_index * 8 +
			 (int)last->attr->cache.depth % 8;
	if (cluster)
		c->cluster = number_of(cluster) * 2;
	else if (shared && shared != last &&
		 hwloc_bitmap_weight(shared->cpuset) >
			 hwloc_bitmap_weight(pu->parent->cpuset))
		c->cluster = number_of(shared) * 2 + 1;
}

/* The smallest NUMA node that has the CPU; hidden ones are only in its
 * complete_nodeset. */
static int node_of(hwloc_topology_t h, hwloc_obj_t obj)
{
	int best = -1, least = INT_MAX;
	int hidden;

	for (hwloc_obj_t n = NULL;
	     (n = hwloc_get_next_obj_by_type(h, HWLOC_OBJ_NUMANODE, n));) {
		int weight = hwloc_bitmap_weight(n->cpuset);

		if (obj->type == HWLOC_OBJ_PU &&
		    hwloc_bitmap_isset(n->cpuset, obj->os_index) &&
		    weight < least) {
			best = (int)n->os_index;
			least = weight;
		}
	}
	if (best >= 0)
		return best;
	hidden = obj->complete_nodeset ?
		hwloc_bitmap_first(obj->complete_nodeset) : -1;
	return hidden >= 0 ? hidden : 0;
}

static int add_nodes(struct topo *t, hwloc_topology_t h, bool has_sizes,
		     struct err *err)
{
	for (hwloc_obj_t n = NULL;
	     (n = hwloc_get_next_obj_by_type(h, HWLOC_OBJ_NUMANODE, n));) {
		if (n->os_index >= TOPO_MAX_NODES)
			return err_set(err, ERR_FORMAT, "a node of number %u",
				       n->os_index);
		if (topo_add_node(t, (int)n->os_index, err) < 0)
			return err->code;
		if (has_sizes)
			t->node[n->os_index].mem_bytes =
				(int64_t)n->attr->numanode.local_memory;
	}
	return 0;
}

static int add_cpus(struct topo *t, hwloc_topology_t h, struct err *err)
{
	for (hwloc_obj_t pu = NULL;
	     (pu = hwloc_get_next_obj_by_type(h, HWLOC_OBJ_PU, pu));) {
		hwloc_obj_t core = ancestor(h, pu, HWLOC_OBJ_CORE);
		struct topo_cpu *c;
		int node = node_of(h, pu);

		if (pu->os_index >= CPUMASK_MAX)
			return err_set(err, ERR_FORMAT, "a CPU of number %u",
				       pu->os_index);
		if (topo_add_node(t, node, err) < 0 ||
		    topo_add_cpu(t, (int)pu->os_index, node, err) < 0)
			return err->code;
		c = &t->cpu[pu->os_index];
		c->package = number_of(ancestor(h, pu, HWLOC_OBJ_PACKAGE));
		c->die = number_of(ancestor(h, pu, HWLOC_OBJ_DIE));
		c->core = number_of(core);
		if (core)
			c->smt = (int)hwloc_get_nbobjs_inside_cpuset_by_type(h,
					core->cpuset, HWLOC_OBJ_PU) > 1 ?
				 (int)pu->sibling_rank : 0;
		set_caches(pu, c);
	}
	return 0;
}

/* The lowest object of all that had the CPU before it was hidden. */
static hwloc_obj_t was_in(hwloc_obj_t obj, unsigned int cpu)
{
	for (hwloc_obj_t c = obj->first_child; c; c = c->next_sibling)
		if (c->complete_cpuset &&
		    hwloc_bitmap_isset(c->complete_cpuset, cpu))
			return was_in(c, cpu);
	return obj;
}

static int add_hidden_cpus(struct topo *t, hwloc_topology_t h, struct err *err)
{
	hwloc_obj_t root = hwloc_get_root_obj(h);
	int last = root->complete_cpuset ?
		hwloc_bitmap_last(root->complete_cpuset) : -1;

	if (last >= CPUMASK_MAX)
		return 0;
	for (int cpu = 0; cpu <= last; cpu++) {
		hwloc_obj_t was;
		int node;

		if (!hwloc_bitmap_isset(root->complete_cpuset, (unsigned int)cpu) ||
		    topo_node_of(t, cpu) >= 0)
			continue;
		was = was_in(root, (unsigned int)cpu);
		/* Somewhere in the machine is no place. */
		if (was == root && topo_nr_nodes(t) > 1)
			continue;
		node = node_of(h, was);
		if (topo_add_node(t, node, err) < 0 ||
		    topo_add_cpu(t, cpu, node, err) < 0)
			return err->code;
		t->cpu[cpu].online = false;
	}
	return 0;
}

/* The firmware's latencies, in units of which 10 is local. */
static void set_distances(struct topo *t, hwloc_topology_t h)
{
	struct hwloc_distances_s *d;
	unsigned int nr = 1;

	if (hwloc_distances_get_by_type(h, HWLOC_OBJ_NUMANODE, &nr, &d,
					HWLOC_DISTANCES_KIND_MEANS_LATENCY,
					0) < 0 || nr == 0)
		return;
	for (unsigned int i = 0; i < d->nbobjs; i++)
		for (unsigned int j = 0; j < d->nbobjs; j++) {
			uint64_t v = d->values[i * d->nbobjs + j];
			uint64_t local = d->values[i * d->nbobjs + i];
			unsigned int from = d->objs[i] ? d->objs[i]->os_index : UINT_MAX;
			unsigned int to = d->objs[j] ? d->objs[j]->os_index : UINT_MAX;

			if (from >= (unsigned int)t->nr_node_ids ||
			    to >= (unsigned int)t->nr_node_ids || !local || !v)
				continue;
			if (local != TOPO_DISTANCE_LOCAL && v < UINT32_MAX)
				v = v * TOPO_DISTANCE_LOCAL / local;
			if (v > 0 && v <= DISTANCE_MAX)
				t->distance[(int)from * t->nr_node_ids + (int)to] =
					(int)v;
		}
	hwloc_distances_release(h, d);
}

static int convert(struct topo *t, hwloc_topology_t h, bool has_sizes,
		   struct err *err)
{
	topo_release(t);
	if (add_nodes(t, h, has_sizes, err) < 0 || add_cpus(t, h, err) < 0 ||
	    add_hidden_cpus(t, h, err) < 0)
		return err->code;
	set_distances(t, h);
	return topo_finish(t, err);
}

static int open_hwloc(hwloc_topology_t *h, struct err *err)
{
	/* Else hwloc prints its opinion of odd machines. */
	setenv("HWLOC_HIDE_ERRORS", "2", 0);
	if (hwloc_topology_init(h) < 0)
		return err_nomem(err);
	hwloc_topology_set_flags(*h, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	hwloc_topology_set_all_types_filter(*h, HWLOC_TYPE_FILTER_KEEP_ALL);
	hwloc_topology_set_io_types_filter(*h, HWLOC_TYPE_FILTER_KEEP_NONE);
	return 0;
}

static int read_file(const char *path, char **text, size_t *len, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t n = 0;

	*len = 0;
	if (fd < 0 || fstat(fd, &st) < 0) {
		if (fd >= 0)
			close(fd);
		return err_set(err, ERR_IO, "cannot open it: %s", strerror(errno));
	}
	*text = S_ISREG(st.st_mode) && st.st_size <= XML_MAX ?
		calloc(1, (size_t)st.st_size + 1) : NULL;
	while (*text && *len < (size_t)st.st_size &&
	       (n = read(fd, *text + *len, (size_t)st.st_size - *len)) > 0)
		*len += (size_t)n;
	close(fd);
	if (!*text)
		return err_set(err, ERR_FORMAT,
			       "neither an lstopo XML nor the text of numactl --hardware");
	if (n < 0)
		return err_set(err, ERR_IO, "cannot read it: %s", strerror(errno));
	return 0;
}

/* hwloc makes a bit set up to the number, which may be any in a file. */
static bool has_huge_index(const char *xml)
{
	static const char key[] = "os_index=\"";
	bool counts = false;

	for (const char *p = xml; (p = strchr(p, '<')); p++) {
		const char *end = strchr(p, '>'), *at;

		if (!end)
			break;
		counts = memmem(p, (size_t)(end - p), "\"PU\"", 4) ||
			 memmem(p, (size_t)(end - p), "\"NUMANode\"", 10);
		at = memmem(p, (size_t)(end - p), key, sizeof(key) - 1);
		if (counts && at &&
		    strtoull(at + sizeof(key) - 1, NULL, 10) >= CPUMASK_MAX)
			return true;
	}
	return false;
}

/* What XML of version 3 says of CPUs, caches and nodes is what 2 says, but the
 * library that reads 2 refuses the number. */
static void lower_version(char *xml)
{
	static const char mark[] = "<topology version=\"3.";
	char *at = strstr(xml, mark);

	if (at && at[sizeof(mark)] == '"') {
		at[sizeof(mark) - 3] = '2';
		at[sizeof(mark) - 1] = '0';
	}
}

static int read_machine(struct topo *t, const char *path, struct err *err)
{
	hwloc_topology_t h = NULL;
	char *xml = NULL;
	size_t len;

	if (read_file(path, &xml, &len, err) < 0)
		goto out;
	if (topo_numactl_is(xml)) {
		topo_numactl(t, xml, err);
		goto out;
	}
	if (strlen(xml) != len || len > INT_MAX - 1 || !strchr(xml, '<') ||
	    !strstr(xml, "topology")) {
		err_set(err, ERR_FORMAT,
			"neither an lstopo XML nor the text of numactl --hardware");
		goto out;
	}
	if (has_huge_index(xml)) {
		err_set(err, ERR_FORMAT, "a CPU or node of number %d or above",
			CPUMASK_MAX);
		goto out;
	}
	lower_version(xml);
	if (open_hwloc(&h, err) < 0)
		goto out;
	if (hwloc_topology_set_xmlbuffer(h, xml, (int)len + 1) < 0 ||
	    hwloc_topology_load(h) < 0)
		err_set(err, ERR_FORMAT, "hwloc cannot read it as an lstopo XML");
	else
		convert(t, h, true, err);
out:
	if (h)
		hwloc_topology_destroy(h);
	free(xml);
	return err->code ? err_prefix(err, "topology '%s'", path) : 0;
}

/* False if a description makes more CPUs than any kernel has. */
static bool fits(const char *text)
{
	uint64_t cpus = 1;
	int depth = 0;

	for (const char *p = text; *p; p++) {
		if (*p == '(' || *p == '[')
			depth++;
		if (*p == ')' || *p == ']')
			depth--;
		if (depth == 0 && isdigit((unsigned char)*p) &&
		    (p == text || p[-1] == ':' || p[-1] == ' ')) {
			char *end;

			cpus *= strtoull(p, &end, 10) & 0xffffffff;
			if (cpus == 0 || cpus > CPUMASK_MAX)
				return false;
			p = end - 1;
		}
	}
	return true;
}

static int read_synthetic(struct topo *t, const char *text, struct err *err)
{
	hwloc_topology_t h = NULL;
	char desc[1024];
	size_t len = 0;

	/* "node" as numactl says it */
	for (const char *p = text; *p && len + 8 < sizeof(desc); p++) {
		if (strncmp(p, "node:", 5) == 0 && (p == text || p[-1] == ' ')) {
			memcpy(desc + len, "numa", 4);
			len += 4;
			p += 3;
		} else {
			desc[len++] = *p;
		}
	}
	desc[len] = '\0';
	if (!fits(desc) || strlen(text) >= sizeof(desc) / 2)
		return err_set(err, ERR_USAGE,
			       "topology '%.100s': more than %d CPUs", text,
			       CPUMASK_MAX);
	if (open_hwloc(&h, err) < 0)
		return err->code;
	if (hwloc_topology_set_synthetic(h, desc) < 0 ||
	    hwloc_topology_load(h) < 0)
		err_set(err, ERR_USAGE,
			"topology '%.100s' is neither a file nor a description that hwloc knows, such as \"numa:4 core:4 pu:1\"",
			text);
	else if (convert(t, h, strstr(desc, "memory=") != NULL, err) < 0)
		err_prefix(err, "topology '%.100s'", text);
	hwloc_topology_destroy(h);
	return err->code;
}

int topo_read(struct topo *t, const char *text, struct err *err)
{
	const struct preset *p = preset_find(text);

	if (access(text, F_OK) == 0)
		return read_machine(t, text, err);
	return p ? preset_topo(p, t, err) : read_synthetic(t, text, err);
}

int topo_read_live(struct topo *t, const char *root, struct err *err)
{
	hwloc_topology_t h = NULL;

	topo_release(t);
	if (!root[0]) {
		if (open_hwloc(&h, err) < 0)
			return err->code;
		if (hwloc_topology_load(h) < 0)
			err_set(err, ERR_IO,
				"hwloc cannot read this machine's topology: %s",
				strerror(errno));
		else
			convert(t, h, true, err);
		hwloc_topology_destroy(h);
	}
	return err->code ? err->code : topo_sysfs(t, root, err);
}
