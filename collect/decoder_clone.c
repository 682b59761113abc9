/* SPDX-License-Identifier: MIT */
#include "collect/decoder_local.h"

#include "model/err.h"

#include <stdlib.h>

#define CLONE_FLAG_THREAD 0x00010000 /* CLONE_THREAD of clone(2) */

static bool find(const struct format *text, const char *name,
		 struct decoder_op *op, size_t *min_len)
{
	struct format_field f;

	if (!format_field(text, name, &f) || f.is_array ||
	    f.place != FORMAT_INLINE || (f.size != 4 && f.size != 8))
		return false;
	*op = (struct decoder_op){
		.src = f.offset, .size = (uint8_t)f.size,
		.is_signed = f.is_signed,
	};
	if (f.offset + f.size > *min_len)
		*min_len = f.offset + f.size;
	return true;
}

bool decoder_clone_format(struct decoder *d, const struct format *text)
{
	struct decoder_clones *c = &d->clones;

	return find(text, "pid", &c->tid, &c->min_len) &&
	       find(text, "clone_flags", &c->flags, &c->min_len);
}

static int count(struct decoder_clones *c, int cpu, struct err *err)
{
	if (cpu >= c->nr_cpus) {
		int64_t *new = realloc(c->of_cpu,
				       ((size_t)cpu + 1) * sizeof(*new));

		if (!new)
			return err_nomem(err);
		c->of_cpu = new;
		while (c->nr_cpus <= cpu)
			new[c->nr_cpus++] = 0;
	}
	c->of_cpu[cpu]++;
	return 0;
}

int64_t decoder_clones(const struct decoder *d, int cpu)
{
	return cpu < d->clones.nr_cpus ? d->clones.of_cpu[cpu] : 0;
}

int decoder_clone_take(struct decoder *d, int cpu, const uint8_t *data,
		       size_t len, struct err *err)
{
	struct decoder_clones *c = &d->clones;
	unsigned int at = c->nr % DECODER_CLONES;

	if (len < c->min_len)
		return err_set(err, ERR_FORMAT,
			       "event 'task_newtask': a record of %zu bytes, its fields need %zu",
			       len, c->min_len);
	c->clone[at].tid = (int)decoder_int(&c->tid, data, d->big_endian);
	c->clone[at].thread = decoder_int(&c->flags, data, d->big_endian) &
			      CLONE_FLAG_THREAD;
	c->nr++;
	return count(c, cpu, err);
}

int decoder_clone_find(const struct decoder *d, int child_tid)
{
	const struct decoder_clones *c = &d->clones;

	for (unsigned int i = 1; i <= DECODER_CLONES && i <= c->nr; i++) {
		unsigned int at = (c->nr - i) % DECODER_CLONES;

		if (c->clone[at].tid == child_tid)
			return c->clone[at].thread ? FORK_THREAD : FORK_PROCESS;
	}
	return FORK_UNKNOWN;
}
