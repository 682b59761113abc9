/* SPDX-License-Identifier: MIT */
#include "model/cpumask.h"

#include "model/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BITS 64

void cpumask_release(struct cpumask *m)
{
	free(m->word);
	*m = (struct cpumask){ 0 };
}

static int grow(struct cpumask *m, int nr_words)
{
	uint64_t *word;

	if (nr_words <= m->nr_words)
		return 0;
	word = realloc(m->word, (size_t)nr_words * sizeof(*word));
	if (!word)
		return ERR_NOMEM;
	memset(word + m->nr_words, 0,
	       (size_t)(nr_words - m->nr_words) * sizeof(*word));
	m->word = word;
	m->nr_words = nr_words;
	return 0;
}

int cpumask_set(struct cpumask *m, int cpu)
{
	if (cpu < 0 || cpu >= CPUMASK_MAX)
		return ERR_USAGE;
	if (grow(m, cpu / WORD_BITS + 1) < 0)
		return ERR_NOMEM;
	m->word[cpu / WORD_BITS] |= UINT64_C(1) << (cpu % WORD_BITS);
	return 0;
}

void cpumask_clear(struct cpumask *m, int cpu)
{
	if (cpu >= 0 && cpu / WORD_BITS < m->nr_words)
		m->word[cpu / WORD_BITS] &= ~(UINT64_C(1) << (cpu % WORD_BITS));
}

bool cpumask_test(const struct cpumask *m, int cpu)
{
	if (cpu < 0 || cpu / WORD_BITS >= m->nr_words)
		return false;
	return m->word[cpu / WORD_BITS] >> (cpu % WORD_BITS) & 1;
}

bool cpumask_empty(const struct cpumask *m)
{
	return cpumask_next(m, -1) < 0;
}

int cpumask_count(const struct cpumask *m)
{
	int n = 0;

	for (int i = 0; i < m->nr_words; i++)
		n += __builtin_popcountll(m->word[i]);
	return n;
}

int cpumask_next(const struct cpumask *m, int after)
{
	int cpu = after + 1, i = cpu / WORD_BITS;
	uint64_t left;

	if (cpu < 0 || i >= m->nr_words)
		return -1;
	left = m->word[i] & ~UINT64_C(0) << (cpu % WORD_BITS);
	while (!left) {
		if (++i >= m->nr_words)
			return -1;
		left = m->word[i];
	}
	return i * WORD_BITS + __builtin_ctzll(left);
}

int cpumask_copy(struct cpumask *to, const struct cpumask *from)
{
	if (to == from)
		return 0;
	if (grow(to, from->nr_words) < 0)
		return ERR_NOMEM;
	if (to->nr_words)
		memset(to->word, 0, (size_t)to->nr_words * sizeof(*to->word));
	if (from->nr_words)
		memcpy(to->word, from->word,
		       (size_t)from->nr_words * sizeof(*to->word));
	return 0;
}

bool cpumask_equal(const struct cpumask *a, const struct cpumask *b)
{
	int nr = a->nr_words > b->nr_words ? a->nr_words : b->nr_words;

	for (int i = 0; i < nr; i++) {
		uint64_t wa = i < a->nr_words ? a->word[i] : 0;
		uint64_t wb = i < b->nr_words ? b->word[i] : 0;

		if (wa != wb)
			return false;
	}
	return true;
}

/* A number below CPUMASK_MAX at **p, which moves past it; -1: none. */
static int read_number(const char **p)
{
	int n = 0;

	if (**p < '0' || **p > '9')
		return -1;
	for (; **p >= '0' && **p <= '9'; (*p)++) {
		n = n * 10 + (**p - '0');
		if (n >= CPUMASK_MAX)
			return -1;
	}
	return n;
}

static int set_range(struct cpumask *m, int from, int to)
{
	for (int cpu = from; cpu <= to; cpu++)
		if (cpumask_set(m, cpu) < 0)
			return ERR_NOMEM;
	return 0;
}

int cpumask_parse(struct cpumask *m, const char *list, struct err *err)
{
	const char *p = list;
	struct cpumask new = { 0 };
	int from, to, code = 0;

	p += strspn(p, " \t\n");
	while (*p) {
		const char *at = p;

		from = to = read_number(&p);
		if (from >= 0 && *p == '-') {
			p++;
			to = read_number(&p);
		}
		if (from < 0 || to < from || !strchr(", \t\n", *p)) {
			code = err_set(err, ERR_FORMAT,
				       "list of numbers '%.200s': cannot read '%.40s'",
				       list, at);
			goto out;
		}
		if (set_range(&new, from, to) < 0) {
			code = err_nomem(err);
			goto out;
		}
		p += strspn(p, ", \t\n");
	}
	cpumask_release(m);
	*m = new;
	return 0;
out:
	cpumask_release(&new);
	return code;
}

int cpumask_print(const struct cpumask *m, char *buf, size_t size)
{
	int len = 0, cpu = cpumask_next(m, -1);

	if (size)
		buf[0] = '\0';
	while (cpu >= 0) {
		int last = cpu, next = cpumask_next(m, cpu);
		size_t at = (size_t)len < size ? (size_t)len : size;
		char *to = at ? buf + at : buf;	/* buf may be NULL */
		const char *comma = len ? "," : "";

		while (next == last + 1) {
			last = next;
			next = cpumask_next(m, next);
		}
		if (last == cpu)
			len += snprintf(to, size - at, "%s%d", comma, cpu);
		else
			len += snprintf(to, size - at, "%s%d-%d", comma, cpu,
					last);
		cpu = next;
	}
	return len;
}
