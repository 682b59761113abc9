/* SPDX-License-Identifier: MIT */
#include "collect/topo_hwloc.h"

#include "model/cpumask.h"
#include "model/err.h"
#include "model/topo_text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define DISTANCE_MAX 65535
#define CHILD_SECONDS 20	/* of CPU time */
#define ANSWER_MAX (64u << 20)

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

/* -- in a process of its own ------------------------------------------------ */

/* What is read: an XML, or a description. */
struct job {
	const char *xml;
	size_t len;
	const char *desc;
};

static int read_job(const struct job *j, struct topo *t, struct err *err)
{
	hwloc_topology_t h = NULL;
	int done;

	if (open_hwloc(&h, err) < 0)
		return err->code;
	done = j->xml ? hwloc_topology_set_xmlbuffer(h, j->xml, (int)j->len + 1) :
			hwloc_topology_set_synthetic(h, j->desc);
	if (done < 0 || hwloc_topology_load(h) < 0)
		err_set(err, ERR_FORMAT, j->xml ?
			"hwloc cannot read it as an lstopo XML" :
			"neither a file nor a description that hwloc knows, such as \"numa:4 core:4 pu:1\"");
	else
		convert(t, h, j->xml || strstr(j->desc, "memory="), err);
	hwloc_topology_destroy(h);
	return err->code;
}

static void write_all(int fd, const char *p, size_t len)
{
	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		p += n;
		len -= (size_t)n;
	}
}

/* Answers with "+" and the machine, or "-" and why not. */
static void child(const struct job *j, int fd)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
	const struct rlimit cpu = { CHILD_SECONDS, CHILD_SECONDS + 1 };
	const struct rlimit core = { 0, 0 };
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct topo t = { 0 };
	struct err err = { 0 };
	char *text = NULL;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_DFL);
	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &core);
	if (null >= 0)
		dup2(null, STDERR_FILENO);
	if (read_job(j, &t, &err) == 0)
		text = topo_to_text(&t);
	write_all(fd, text ? "+" : "-", 1);
	write_all(fd, text ? text : err.text, strlen(text ? text : err.text));
	_exit(0);
}

static char *read_answer(int fd)
{
	size_t len = 0, size = 65536;
	char *text = malloc(size);
	ssize_t n = 1;

	while (text && n) {
		n = read(fd, text + len, size - len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || len + (size_t)n > ANSWER_MAX)
			break;
		len += (size_t)n;
		if (size - len < 2) {
			char *more = realloc(text, size *= 2);

			if (!more) {
				free(text);
				return NULL;
			}
			text = more;
		}
	}
	if (text)
		text[len] = '\0';
	return text;
}

static int ask_child(struct topo *t, const struct job *j, struct err *err)
{
	int fd[2], status = 0;
	char *answer;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return err_set(err, ERR_IO, "cannot make a pipe: %s",
			       strerror(errno));
	pid = fork();
	if (pid == 0)
		child(j, fd[1]);
	close(fd[1]);
	if (pid < 0) {
		close(fd[0]);
		return err_set(err, ERR_IO, "cannot start a process: %s",
			       strerror(errno));
	}
	answer = read_answer(fd[0]);
	close(fd[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	topo_release(t);
	if (!answer)
		err_nomem(err);
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		err_set(err, ERR_FORMAT, "hwloc needs more than %d s for it",
			CHILD_SECONDS);
	else if (WIFSIGNALED(status) || !answer[0])
		err_set(err, ERR_FORMAT, "hwloc breaks down on it (signal %d)",
			WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	else if (answer[0] == '-')
		err_set(err, ERR_FORMAT, "%s", answer + 1);
	else if (topo_from_text(t, answer + 1, err) == 0)
		topo_finish(t, err);
	free(answer);
	return err->code;
}

/* -- what is asked ----------------------------------------------------------- */

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

int topo_hwloc_xml(struct topo *t, char *xml, size_t len, struct err *err)
{
	const struct job job = { .xml = xml, .len = len };

	if (len > INT_MAX - 1 || strlen(xml) != len || !strchr(xml, '<') ||
	    !strstr(xml, "topology"))
		return err_set(err, ERR_FORMAT, "not an lstopo XML");
	if (has_huge_index(xml))
		return err_set(err, ERR_FORMAT, "a CPU or node of number %d or above",
			       CPUMASK_MAX);
	lower_version(xml);
	return ask_child(t, &job, err);
}

/* CPUs that a description makes, counted to just above what any kernel has. */
static uint64_t nr_described(const char *text)
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
				return cpus;
			p = end - 1;
		}
	}
	return cpus;
}

int topo_hwloc_synthetic(struct topo *t, const char *text, struct err *err)
{
	const struct job job = { .desc = text };
	uint64_t cpus = nr_described(text);

	if (cpus == 0)
		return err_set(err, ERR_USAGE, "a count of 0");
	if (cpus > CPUMASK_MAX)
		return err_set(err, ERR_USAGE, "more than %d CPUs", CPUMASK_MAX);
	if (ask_child(t, &job, err) == ERR_FORMAT)
		err->code = ERR_USAGE;
	return err->code;
}

int topo_hwloc_live(struct topo *t, struct err *err)
{
	hwloc_topology_t h = NULL;

	if (open_hwloc(&h, err) < 0)
		return err->code;
	if (hwloc_topology_load(h) < 0)
		err_set(err, ERR_IO, "hwloc cannot read this machine's topology: %s",
			strerror(errno));
	else
		convert(t, h, true, err);
	hwloc_topology_destroy(h);
	return err->code;
}
