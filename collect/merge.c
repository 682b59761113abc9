/* SPDX-License-Identifier: MIT */
#include "collect/merge.h"

#include "model/err.h"

#include <stdio.h>
#include <stdlib.h>

/* One CPU: its next loss and event, and where the walk stands. */
struct stream {
	struct page_stream src;
	struct ring_page page;
	bool has_page, ended;
	int64_t nr_pages;
	bool seen;		/* first and last are set */
	int64_t first, last;
	int64_t key;		/* place in the order; never runs back */
	int64_t missed;		/* lost since last: 0, n, -1 */
	bool has_loss, has_event;
	struct loss loss;
	struct record record;
};

struct merge {
	const struct ring_format *format;
	struct decoder *decoder;
	struct stream *stream;
	int nr_streams;
	int *heap, nr_heap;	/* streams that have something, least key first */
	bool started, used_top;	/* heap[0]'s event was given out */
	int64_t backward, damaged;
	struct err scratch;	/* why a page is damaged */
	char damage[200];
};

int merge_new(struct merge **m, const struct page_stream *streams, int nr,
	      const struct ring_format *format, struct decoder *decoder,
	      struct err *err)
{
	struct merge *new = calloc(1, sizeof(*new));

	*m = NULL;
	if (!new)
		return err_nomem(err);
	new->format = format;
	new->decoder = decoder;
	new->stream = calloc((size_t)nr + 1, sizeof(*new->stream));
	new->heap = calloc((size_t)nr + 1, sizeof(*new->heap));
	if (!new->stream || !new->heap) {
		merge_free(new);
		return err_nomem(err);
	}
	new->nr_streams = nr;
	for (int i = 0; i < nr; i++) {
		new->stream[i].src = streams[i];
		new->stream[i].key = INT64_MIN;
	}
	*m = new;
	return 0;
}

void merge_free(struct merge *m)
{
	if (!m)
		return;
	free(m->stream);
	free(m->heap);
	free(m);
}

static void add_missed(struct stream *s, int64_t missed)
{
	if (missed < 0 || s->missed < 0)
		s->missed = -1;
	else
		s->missed += missed;
}

/* The rest of the page is lost; what is wrong stands in m->scratch. */
static void lose_page(struct merge *m, struct stream *s)
{
	if (!m->damaged++)
		snprintf(m->damage, sizeof(m->damage), "CPU %d, page %lld: %.140s",
			 s->src.cpu, (long long)s->nr_pages - 1, m->scratch.text);
	m->scratch.code = 0;
	s->has_page = false;
	add_missed(s, -1);
}

static void close_loss(struct stream *s, int64_t to)
{
	s->loss = (struct loss){
		.cpu = s->src.cpu,
		.from_ns = s->seen ? s->last : LOSS_FROM_START,
		.to_ns = s->seen && to < s->last ? s->last : to,
		.events = s->missed,
	};
	s->has_loss = true;
	s->missed = 0;
}

/* The next page that is one: 1, 0 at the end. */
static int next_page(struct merge *m, struct stream *s, struct err *err)
{
	const uint8_t *bytes;
	size_t len;
	bool hole = false;
	int got = s->src.next(s->src.ctx, &bytes, &len, &hole, err);

	if (hole)
		add_missed(s, -1);
	if (got <= 0)
		return got;
	s->nr_pages++;
	if (len > m->format->page_size)
		len = m->format->page_size;
	if (ring_page_init(&s->page, m->format, bytes, len, &m->scratch) < 0) {
		lose_page(m, s);
		return 1;
	}
	s->has_page = true;
	add_missed(s, s->page.missed);
	return 1;
}

static void see_stamp(struct merge *m, struct stream *s, int64_t ts)
{
	if (s->missed)
		close_loss(s, ts);
	if (!s->seen) {
		s->seen = true;
		s->first = ts;
	} else if (ts < s->last) {
		m->backward++;
	}
	s->last = ts;
	if (ts > s->key)
		s->key = ts;
}

/* Goes to the stream's next loss or kept event: 1, 0 at its end. */
static int advance(struct merge *m, struct stream *s, struct err *err)
{
	struct ring_entry e;
	int got;

	s->has_event = false;
	while (!s->has_event && !s->has_loss) {
		if (!s->has_page) {
			got = s->ended ? 0 : next_page(m, s, err);
			if (got < 0)
				return got;
			if (got == 0 && !s->ended && s->missed)
				close_loss(s, LOSS_TO_END);
			if (got == 0)
				s->ended = true;
			if (got == 0 && !s->has_loss)
				return 0;
			continue;
		}
		got = ring_page_next(&s->page, &e, &m->scratch);
		if (got == 0)
			s->has_page = false;
		if (got < 0)
			lose_page(m, s);
		if (got <= 0)
			continue;
		got = decoder_decode(m->decoder, s->src.cpu, e.ts, e.data, e.len,
				     &s->record, &m->scratch);
		if (got == ERR_NOMEM)
			return err_nomem(err);
		if (got < 0) {
			lose_page(m, s);
			continue;
		}
		see_stamp(m, s, e.ts);
		s->has_event = got == 1;
	}
	return 1;
}

static bool before(const struct merge *m, int a, int b)
{
	const struct stream *sa = &m->stream[a], *sb = &m->stream[b];

	if (sa->key != sb->key)
		return sa->key < sb->key;
	if (sa->src.cpu != sb->src.cpu)
		return sa->src.cpu < sb->src.cpu;
	return a < b;
}

static void sift_down(struct merge *m, int at)
{
	int what = m->heap[at];

	for (;;) {
		int child = 2 * at + 1;

		if (child >= m->nr_heap)
			break;
		if (child + 1 < m->nr_heap &&
		    before(m, m->heap[child + 1], m->heap[child]))
			child++;
		if (!before(m, m->heap[child], what))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = what;
}

static int start(struct merge *m, struct err *err)
{
	for (int i = 0; i < m->nr_streams; i++) {
		int got = advance(m, &m->stream[i], err);

		if (got < 0)
			return got;
		if (got > 0)
			m->heap[m->nr_heap++] = i;
	}
	for (int at = m->nr_heap / 2; at-- > 0;)
		sift_down(m, at);
	m->started = true;
	return 0;
}

/* The names of a record stay valid until the next one, so a stream goes on
 * only when that is asked for. */
static int leave_top(struct merge *m, struct err *err)
{
	int got = advance(m, &m->stream[m->heap[0]], err);

	if (got < 0)
		return got;
	m->used_top = false;
	if (got == 0)
		m->heap[0] = m->heap[--m->nr_heap];
	if (m->nr_heap)
		sift_down(m, 0);
	return 0;
}

int merge_next(struct merge *m, struct record *r, struct err *err)
{
	struct stream *s;
	int code = 0;

	if (!m->started)
		code = start(m, err);
	else if (m->used_top)
		code = leave_top(m, err);
	if (code < 0)
		return code;
	if (!m->nr_heap)
		return 0;
	s = &m->stream[m->heap[0]];
	if (s->has_loss) {
		r->what = RECORD_LOSS;
		r->nr_names = 0;
		r->loss = s->loss;
		s->has_loss = false;
		m->used_top = !s->has_event;
		return 1;
	}
	*r = s->record;
	m->used_top = true;
	return 1;
}

bool merge_edges(const struct merge *m, int stream, int64_t *first, int64_t *last)
{
	const struct stream *s = &m->stream[stream];

	*first = s->first;
	*last = s->last;
	return s->seen;
}

int64_t merge_backward(const struct merge *m)
{
	return m->backward;
}

int64_t merge_damaged(const struct merge *m)
{
	return m->damaged;
}

const char *merge_damage(const struct merge *m)
{
	return m->damage;
}
