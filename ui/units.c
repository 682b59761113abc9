/* SPDX-License-Identifier: MIT */
#include "ui/units.h"

#include "model/err.h"
#include "ui/bar.h"

#include <pthread.h>

#define MAX_THREADS 256

struct state {
	const struct units *u;
	pthread_mutex_t lock;
	int next, done;
	struct err err;
};

static void *worker(void *ctx)
{
	struct state *s = ctx;
	const struct units *u = s->u;

	pthread_mutex_lock(&s->lock);
	while (s->next < u->nr && !s->err.code) {
		int unit = s->next++;
		struct err err = { 0 };

		pthread_mutex_unlock(&s->lock);
		u->run(u->ctx, unit, &err);
		pthread_mutex_lock(&s->lock);
		if (err.code && !s->err.code)
			s->err = err;
		bar_show(u->bar, u->what, (double)++s->done / u->nr);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

int units_run(const struct units *u, struct err *err)
{
	pthread_t thread[MAX_THREADS];
	struct state s = { .u = u };
	int nr = 0;

	pthread_mutex_init(&s.lock, NULL);
	while (nr < u->jobs - 1 && nr < MAX_THREADS &&
	       !pthread_create(&thread[nr], NULL, worker, &s))
		nr++;
	worker(&s);
	while (nr)
		pthread_join(thread[--nr], NULL);
	pthread_mutex_destroy(&s.lock);
	return s.err.code ? err_set(err, s.err.code, "%s", s.err.text) : 0;
}
