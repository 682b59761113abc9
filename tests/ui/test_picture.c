/* SPDX-License-Identifier: MIT */
/*
 * Pictures: texts never overlap nor leave the page at any size and number of
 * rows, the same calls give the same bytes, files are written whole or not.
 */
#include "small_study.h"
#include "tests/support/folder.h"
#include "ui/draw_cairo.h"
#include "ui/heatmap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* -- a back end that looks at what is drawn ------------------------------- */

#define MAX_TEXTS 20000

struct spy {
	const struct draw *real;
	int w, h;
	int nr;
	struct draw_box box[MAX_TEXTS];
	int cells_right;
};

static int spy_width(void *ctx, enum draw_style style, const char *text)
{
	struct spy *s = ctx;

	return draw_width(s->real, style, text);
}

static void spy_text(void *ctx, const struct draw_text *t)
{
	struct spy *s = ctx;
	int w = spy_width(ctx, t->style, t->text);
	int x = t->align == DRAW_LEFT  ? t->x :
		t->align == DRAW_RIGHT ? t->x - w :
					 t->x - w / 2;

	if (!w)
		return;
	assert_true(s->nr < MAX_TEXTS);
	s->box[s->nr++] = (struct draw_box){
		x, t->y, w, s->real->metrics.line[t->style] };
}

static void inside(const struct spy *s, const struct draw_box *b)
{
	if (b->x < 0 || b->y < 0 || b->x + b->w > s->w || b->y + b->h > s->h)
		fail_msg("%d,%d %dx%d leaves the page of %dx%d", b->x, b->y,
			 b->w, b->h, s->w, s->h);
}

static void spy_fill(void *ctx, const struct draw_box *b, enum palette_role r)
{
	inside(ctx, b);
}

static void spy_cells(void *ctx, const struct draw_box *b, const struct paint *p,
		      int nr)
{
	inside(ctx, b);
	assert_true(nr > 0 && nr <= b->w);
}

static void spy_mark(void *ctx, enum draw_mark mark, int x, int y)
{
	struct draw_box b = { x, y, 1, 1 };

	inside(ctx, &b);
}

static const struct draw_ops spy_ops = {
	.text_width = spy_width,
	.text = spy_text,
	.fill = spy_fill,
	.cells = spy_cells,
	.mark = spy_mark,
};

static void check_texts(const struct spy *s)
{
	int i, k;

	assert_true(s->nr > 0);
	for (i = 0; i < s->nr; i++) {
		const struct draw_box *a = &s->box[i];

		inside(s, a);
		for (k = 0; k < i; k++) {
			const struct draw_box *b = &s->box[k];

			if (a->x < b->x + b->w && b->x < a->x + a->w &&
			    a->y < b->y + b->h && b->y < a->y + a->h)
				fail_msg("texts %d and %d of %dx%d overlap: "
					 "%d,%d %dx%d and %d,%d %dx%d", i, k,
					 s->w, s->h, a->x, a->y, a->w, a->h,
					 b->x, b->y, b->w, b->h);
		}
	}
}

/* -- many tasks ----------------------------------------------------------- */

/* One CPU's time dealt out to nr tasks with names of all kinds of bytes. */
static void many(struct study *s, int nr)
{
	static const char *const name[] = {
		"kworker/u16:3-events_unbound", "a", "\001\002\003\004\377\376",
		"\346\227\245\346\234\254\350\252\236", "rcu", "sh -c \"'<&>",
	};
	struct err err = { 0 };
	int i;

	*s = (struct study){ .nr_runs = 2 };
	assert_int_equal(topo_flat(&s->topo, 4, &err), 0);
	assert_int_equal(cost_init(&s->cost, &s->topo, &err), 0);
	for (i = 0; i < nr; i++)
		small_task(s, 1000000 + i, 1000000 + i, name[i % 6]);
	assert_int_equal(tasks_index(&s->tasks, &err), 0);
	assert_int_equal(study_leaders(s, &err), 0);
	s->runs = calloc(2, sizeof(*s->runs));
	s->run = calloc(2, sizeof(*s->run));
	for (i = 0; i < 2; i++) {
		struct study_run *r = &s->run[i];
		int k;

		s->runs[i] = (struct run_info){ .id = i, .end_ns = 10LL * nr };
		r->info = &s->runs[i];
		r->title = strdup("a policy with quite a long name,seed=12345");
		r->caption = strdup("knob=1, other=2, and=3, so=4, on=5");
		r->pages = pages_new(&s->topo, &s->areas, s->tasks.nr, &err);
		r->tracks = tracks_new(&(struct tracks_source){
			.topo = &s->topo, .nr_tasks = nr }, &err);
		r->loaded = true;
		for (k = 0; k < nr; k++) {
			struct span sp = { .task = k, .start_ns = 10LL * k,
					   .end_ns = 10LL * k + 5,
					   .ready_ns = -1, .waker = -1 };

			assert_int_equal(tracks_span(r->tracks, &sp, &err), 0);
		}
		tracks_seal(r->tracks);
	}
}

static void check_size(struct study *s, int nr_runs, int w, int h, double scale,
		       enum heat_mode mode)
{
	struct heatmap map = {
		.study = s, .run = { 0, 1 }, .nr_runs = nr_runs, .mode = mode,
		.to_ns = s->runs[0].end_ns, .figures = true, .pages = true,
		.title = "Where tasks ran and where their memory was",
		.legend = LEGEND_FULL, .max_row_scale = 3,
	};
	struct rows_query q = { .to_ns = map.to_ns };
	struct err err = { 0 };
	struct picture *p = picture_new(THEME_LIGHT, scale, &err);
	struct spy *spy = calloc(1, sizeof(*spy));
	struct draw d = { .ops = &spy_ops, .ctx = spy };
	struct heat_layout l;
	struct rows rows;
	int fit, least;

	assert_non_null(p);
	*spy = (struct spy){ .real = picture_draw(p), .w = w, .h = h };
	d.metrics = spy->real->metrics;
	assert_int_equal(rows_build(&rows, s, map.run, nr_runs, &q, &err), 0);
	map.rows = &rows;
	fit = heatmap_fit(&map, &d, w, h);
	least = heatmap_least_height(&map, &d, w);
	assert_int_equal(fit < 1, h < least);
	assert_true(w < 400 || least < 400);
	if (fit < 1)
		goto out;
	rows_release(&rows);
	q.max_rows = fit;
	assert_int_equal(rows_build(&rows, s, map.run, nr_runs, &q, &err), 0);
	if (heatmap_layout(&l, &map, &d, w, h, &err) ||
	    heatmap_paint(&l, &map, &d, &err))
		fail_msg("%dx%d: %s", w, h, err.text);
	/* Nothing is dropped: every task is in a row, every row is shown. */
	assert_int_equal(l.nr_rows, rows.nr);
	check_texts(spy);
out:
	rows_release(&rows);
	picture_free(p);
	free(spy);
}

static void test_no_overlap(void **state)
{
	static const int sizes[][2] = {
		{ 400, 300 }, { 400, 2000 }, { 640, 400 }, { 1600, 900 },
		{ 900, 1600 }, { 8000, 400 }, { 2000, 8000 }, { 100, 100 },
	};
	static const int tasks[] = { 1, 2, 30, 10000 };
	size_t i, k;

	for (k = 0; k < sizeof(tasks) / sizeof(tasks[0]); k++) {
		struct study s;

		many(&s, tasks[k]);
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			check_size(&s, 1, sizes[i][0], sizes[i][1], 1,
				   HEAT_NODE);
			check_size(&s, 2, sizes[i][0], sizes[i][1], 1,
				   i % 2 ? HEAT_LOCALITY : HEAT_DIFF);
		}
		check_size(&s, 1, 8000, 3000, 2.24, HEAT_NODE);
		study_release(&s);
	}
}

/* -- files ---------------------------------------------------------------- */

static int draw_to(const char *path, bool force, struct err *err)
{
	struct heatmap map = {
		.run = { 0, 1 }, .nr_runs = 2, .to_ns = 1000 * MS,
		.figures = true, .pages = true, .title = "title",
		.legend = LEGEND_FULL, .max_row_scale = 1,
	};
	struct rows_query q = { .to_ns = map.to_ns };
	struct picture *p = picture_new(THEME_LIGHT, 1, err);
	enum picture_format f;
	struct heat_layout l;
	struct study s;
	struct rows rows;
	int ret;

	small_study(&s);
	map.study = &s;
	assert_int_equal(rows_build(&rows, &s, map.run, 2, &q, err), 0);
	map.rows = &rows;
	ret = picture_format_of(path, &f, err);
	if (!ret)
		ret = heatmap_layout(&l, &map, picture_draw(p), 800, 500, err);
	if (!ret)
		ret = picture_begin(p, f, 800, 500, err);
	if (!ret)
		ret = heatmap_paint(&l, &map, picture_draw(p), err);
	if (!ret)
		ret = picture_save(p, path, force ? OUTFILE_REPLACE : OUTFILE_NEW,
				   err);
	rows_release(&rows);
	study_release(&s);
	picture_free(p);
	return ret;
}

static void same_bytes(const char *folder, const char *a, const char *b,
		       const char *magic)
{
	struct err err = { 0 };
	size_t na, nb;
	uint8_t *x, *y;

	assert_int_equal(draw_to(folder_path(folder, a), false, &err), 0);
	assert_int_equal(draw_to(folder_path(folder, b), false, &err), 0);
	x = file_read(folder_path(folder, a), &na);
	y = file_read(folder_path(folder, b), &nb);
	assert_true(x && y && na == nb && na > 1000);
	assert_memory_equal(x, y, na);
	assert_memory_equal(x, magic, strlen(magic));
	free(x);
	free(y);
}

static void test_same_bytes(void **state)
{
	char *folder = folder_new();

	same_bytes(folder, "a.png", "b.png", "\211PNG\r\n");
	same_bytes(folder, "a.pdf", "b.pdf", "%PDF-");
	same_bytes(folder, "a.svg", "b.svg", "<?xml");
	assert_int_equal(folder_count(folder), 6);
	folder_remove(folder);
}

/* cairo puts the time of day into a PDF unless it is given another. */
static void test_no_time_in_pdf(void **state)
{
	char *folder = folder_new();
	struct err err = { 0 };
	size_t size;
	uint8_t *x;

	assert_int_equal(draw_to(folder_path(folder, "a.pdf"), false, &err), 0);
	x = file_read(folder_path(folder, "a.pdf"), &size);
	assert_non_null(memmem(x, size, "20000101000000Z", 15));
	free(x);
	folder_remove(folder);
}

static void test_svg(void **state)
{
	char *folder = folder_new();
	struct err err = { 0 };
	size_t size;
	uint8_t *x;

	assert_int_equal(draw_to(folder_path(folder, "a.SVG"), false, &err), 0);
	x = file_read(folder_path(folder, "a.SVG"), &size);
	assert_memory_equal(x, "<?xml", 5);
	assert_non_null(memmem(x, size, "</svg>", 6));
	free(x);
	folder_remove(folder);
}

static void test_existing_and_unwritable(void **state)
{
	char *folder = folder_new();
	struct err err = { 0 };
	size_t size;
	uint8_t *x;

	assert_int_equal(file_write(folder_path(folder, "a.png"), "mine", 4), 0);
	assert_int_equal(draw_to(folder_path(folder, "a.png"), false, &err),
			 ERR_EXISTS);
	x = file_read(folder_path(folder, "a.png"), &size);
	assert_int_equal(size, 4);
	free(x);
	err.code = 0;
	assert_int_equal(draw_to(folder_path(folder, "a.png"), true, &err), 0);
	err.code = 0;
	assert_int_equal(draw_to(folder_path(folder, "no/a.png"), true, &err),
			 ERR_IO);
	assert_non_null(strstr(err.text, "no/a.png"));
	err.code = 0;
	assert_int_equal(draw_to(folder_path(folder, "a.gif"), true, &err),
			 ERR_USAGE);
	/* No half-written files are left. */
	assert_int_equal(folder_count(folder), 1);
	folder_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_overlap),
		cmocka_unit_test(test_same_bytes),
		cmocka_unit_test(test_no_time_in_pdf),
		cmocka_unit_test(test_svg),
		cmocka_unit_test(test_existing_and_unwritable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
