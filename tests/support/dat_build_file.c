/* SPDX-License-Identifier: MIT */
#include "tests/support/dat_build_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dat_build_option(struct dat_build *b, int id, const void *data, size_t len)
{
	dat_put_number(b, &b->options, (uint64_t)id, 2);
	dat_put_number(b, &b->options, len, 4);
	dat_put(&b->options, data, len);
}

static void text_options(struct dat_build *b)
{
	char clock[128];

	if (b->form.uname)
		dat_build_option(b, 5, b->form.uname, strlen(b->form.uname) + 1);
	if (!b->form.clock)
		return;
	snprintf(clock, sizeof(clock), "local global [%s] boot\n", b->form.clock);
	dat_build_option(b, 4, clock, strlen(clock) + 1);
}

static void pad_to_page(struct dat_build *b)
{
	size_t over = b->out.len % b->form.page_size;

	if (over)
		dat_put(&b->out, NULL, b->form.page_size - over);
}

static void set_at(struct dat_build *b, size_t at, uint64_t v, int size)
{
	dat_set_number(b->out.at + at, v, size, b->form.big_endian);
}

static void plain_table(struct dat_build *b)
{
	b->table_at = b->out.len;
	dat_put(&b->out, NULL, (size_t)b->form.nr_cpus * 16);
	for (int i = 0; i < b->form.nr_cpus; i++) {
		const struct dat_bytes *pages = &b->cpu[i].pages;

		pad_to_page(b);
		set_at(b, b->table_at + (size_t)i * 16, b->out.len, 8);
		set_at(b, b->table_at + (size_t)i * 16 + 8, pages->len, 8);
		if (pages->len)
			dat_put(&b->out, pages->at, pages->len);
	}
}

static void plain_file(struct dat_build *b)
{
	struct dat_bytes *out = &b->out;
	const char *names = b->form.cmdlines ? b->form.cmdlines : "";
	size_t instance_at = 0;

	dat_put_headers(b, out);
	dat_put_number(b, out, 0, 4);
	b->formats_at = out->len;
	dat_put_formats(b, out);
	dat_put_number(b, out, 0, 4);
	dat_put_number(b, out, 0, 4);
	dat_put_number(b, out, strlen(names), 8);
	dat_put(out, names, strlen(names));
	dat_put_number(b, out, (uint64_t)b->form.nr_cpus, 4);
	dat_put(out, "options  ", 10);
	b->options_at = out->len;
	dat_put(out, b->options.at ? b->options.at : (uint8_t *)"", b->options.len);
	if (b->form.instance) {
		dat_put_number(b, out, 3, 2);
		dat_put_number(b, out, 8 + strlen(b->form.instance) + 1, 4);
		instance_at = out->len;
		dat_put_number(b, out, 0, 8);
		dat_put_text(out, b->form.instance);
	}
	dat_put_number(b, out, 0, 2);
	dat_put(out, b->form.latency ? "latency  " : "flyrecord", 10);
	if (b->form.latency)
		return;
	plain_table(b);
	if (!instance_at)
		return;
	set_at(b, instance_at, out->len, 8);
	dat_put(out, "flyrecord", 10);
	dat_put(out, NULL, (size_t)b->form.nr_cpus * 16);
}

static bool compresses(const struct dat_build *b)
{
	return strcmp(b->form.compression, "none") != 0;
}

static void put_compressed(struct dat_build *b, const uint8_t *from, size_t len)
{
	size_t room = len + len / 8 + 1024, got;
	uint8_t *to = malloc(room);

	if (!to || !b->form.pack)
		dat_build_die("cannot compress");
	got = b->form.pack(b->form.compression, from, len, to, room);
	dat_put_number(b, &b->out, got, 4);
	dat_put_number(b, &b->out, len, 4);
	dat_put(&b->out, to, got);
	free(to);
}

/* Returns where the section is. */
static size_t section(struct dat_build *b, int id, struct dat_bytes *data)
{
	bool packed = compresses(b) && id != 0;
	size_t at = b->out.len;

	dat_put_number(b, &b->out, (uint64_t)id, 2);
	dat_put_number(b, &b->out, packed, 2);
	dat_put_number(b, &b->out, 0xffffff, 4);	/* of no string */
	dat_put_number(b, &b->out, packed ? 0 : data->len, 8);
	if (packed) {
		size_t start = b->out.len;

		put_compressed(b, data->at, data->len);
		set_at(b, at + 8, b->out.len - start, 8);
	} else {
		dat_put(&b->out, data->at, data->len);
	}
	free(data->at);
	memset(data, 0, sizeof(*data));
	return at;
}

/* The data of one CPU; *size gets what trace-cmd would say it is. */
static size_t cpu_data(struct dat_build *b, int cpu, size_t *size)
{
	const struct dat_bytes *pages = &b->cpu[cpu].pages;
	size_t chunk = b->form.page_size * (size_t)b->form.chunk_pages, at;

	pad_to_page(b);
	at = b->out.len;
	*size = pages->len;
	if (pages->len && !compresses(b))
		dat_put(&b->out, pages->at, pages->len);
	if (!pages->len || !compresses(b))
		return at;
	dat_put_number(b, &b->out, (pages->len + chunk - 1) / chunk, 4);
	for (size_t done = 0; done < pages->len; done += chunk)
		put_compressed(b, pages->at + done, pages->len - done < chunk ?
			       pages->len - done : chunk);
	*size = b->out.len - at - 4;
	return at;
}

static void pointer_option(const struct dat_build *b, struct dat_bytes *to,
			   int id, uint64_t at)
{
	dat_put_number(b, to, (uint64_t)id, 2);
	dat_put_number(b, to, 8, 4);
	dat_put_number(b, to, at, 8);
}

static void buffer_option(struct dat_build *b, struct dat_bytes *to,
			  const char *name, bool empty)
{
	const char *clock = b->form.clock ? b->form.clock : "";
	struct dat_bytes body = { 0 };
	int nr = empty ? 0 : b->form.nr_cpus;

	dat_put_number(b, &body, b->out.len, 8);
	dat_put_text(&body, name);
	dat_put_text(&body, clock);
	dat_put_number(b, &body, b->form.page_size, 4);
	dat_put_number(b, &body, (uint64_t)nr, 4);
	for (int i = 0; i < nr; i++) {
		size_t size, at = cpu_data(b, i, &size);

		dat_put_number(b, &body, (uint64_t)i, 4);
		dat_put_number(b, &body, at, 8);
		dat_put_number(b, &body, size, 8);
	}
	dat_put_number(b, to, b->form.latency ? 22 : 3, 2);
	dat_put_number(b, to, body.len, 4);
	dat_put(to, body.at, body.len);
	free(body.at);
}

static void section_file(struct dat_build *b)
{
	struct dat_bytes data = { 0 }, options = { 0 };
	size_t first_at, chain_at;

	dat_put_text(&b->out, b->form.compression);
	dat_put_text(&b->out, "1.0");
	first_at = b->out.len;
	dat_put_number(b, &b->out, 0, 8);
	dat_put_headers(b, &data);
	pointer_option(b, &options, 16, section(b, 16, &data));
	dat_put_number(b, &data, 0, 4);
	pointer_option(b, &options, 17, section(b, 17, &data));
	dat_put_formats(b, &data);
	pointer_option(b, &options, 18, section(b, 18, &data));
	if (b->form.cmdlines) {
		dat_put_number(b, &data, strlen(b->form.cmdlines), 8);
		dat_put(&data, b->form.cmdlines, strlen(b->form.cmdlines));
		pointer_option(b, &options, 21, section(b, 21, &data));
	}
	dat_put(&options, b->options.at ? b->options.at : (uint8_t *)"",
	    b->options.len);
	pointer_option(b, &options, 0, 0);
	chain_at = b->out.len + 16 + options.len - 8;
	b->options_at = b->out.len + 16;
	set_at(b, first_at, section(b, 0, &options), 8);
	buffer_option(b, &options, "", false);
	if (b->form.instance)
		buffer_option(b, &options, b->form.instance, true);
	pointer_option(b, &options, 0, 0);
	b->table_at = b->out.len + 16;
	set_at(b, chain_at, section(b, 0, &options), 8);
}

void dat_build_file(struct dat_build *b)
{
	static const char magic[] = "\x17\x08\x44tracing";
	uint8_t flags[2] = { b->form.big_endian, (uint8_t)b->form.long_size };

	for (int i = 0; i < b->form.nr_cpus; i++)
		dat_build_page(b, i);
	text_options(b);
	b->out.len = 0;
	dat_put(&b->out, magic, sizeof(magic) - 1);
	dat_put_text(&b->out, b->form.version == 7 ? "7" : "6");
	dat_put(&b->out, flags, 2);
	dat_put_number(b, &b->out, b->form.page_size, 4);
	if (b->form.version == 7)
		section_file(b);
	else
		plain_file(b);
}

void dat_build_write(struct dat_build *b, const char *path)
{
	FILE *f = fopen(path, "we");

	dat_build_file(b);
	if (!f || fwrite(b->out.at, 1, b->out.len, f) != b->out.len ||
	    fclose(f) != 0)
		dat_build_die("cannot write the file");
}
