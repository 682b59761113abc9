/* SPDX-License-Identifier: MIT */
#include "collect/dat_local.h"

#include "collect/bytes.h"
#include "model/err.h"

#include <stdlib.h>
#include <string.h>

#define SECTION_COMPRESSED 1
#define MAX_OPTION_SECTIONS 1000	/* more is a chain that goes in circles */

/* Where the section at pos has its data; what names it in messages. */
static int find_section(struct dat *d, int64_t pos, const char *what,
			struct dat_part *part, struct err *err)
{
	struct dat_cursor *c = malloc(sizeof(*c));
	uint64_t id, flags, description, size;

	if (!c)
		return err_nomem(err);
	if (pos <= 0 || pos > d->size) {
		free(c);
		return err_set(err, ERR_FORMAT,
			       "'%s': %s are said to be at 0x%llx, the file has 0x%llx bytes%s",
			       d->path, what, (unsigned long long)pos,
			       (unsigned long long)d->size, pos > d->size ?
			       ": it is cut, and what tells whose the data is stood at its end" :
			       "");
	}
	dat_cursor_file(c, d, what, pos, d->size);
	if (dat_cursor_number(c, 2, &id, err) == 0 &&
	    dat_cursor_number(c, 2, &flags, err) == 0 &&
	    dat_cursor_number(c, 4, &description, err) == 0 &&
	    dat_cursor_number(c, 8, &size, err) == 0) {
		*part = (struct dat_part){
			.pos = c->pos, .size = (int64_t)size,
			.compressed = flags & SECTION_COMPRESSED,
		};
		dat_cursor_skip(c, size, err);
	}
	free(c);
	return err->code;
}

static int load_compressed(struct dat *d, const struct dat_part *part,
			   const char *what, uint8_t **bytes, size_t *len,
			   struct err *err)
{
	uint8_t head[8], *packed = NULL;
	uint32_t from_len, to_len;
	int code;

	if (part->size < 8)
		return err_set(err, ERR_FORMAT, "'%s': %s at 0x%llx are too short",
			       d->path, what, (unsigned long long)part->pos);
	code = dat_pread(d, head, sizeof(head), part->pos, what, err);
	if (code < 0)
		return code;
	from_len = bytes_u32(head, d->info.big_endian);
	to_len = bytes_u32(head + 4, d->info.big_endian);
	if (from_len > part->size - 8 || to_len > DAT_SECTION_MAX ||
	    !dat_plausible(to_len, from_len))
		return err_set(err, ERR_FORMAT,
			       "'%s': %s at 0x%llx: %u bytes are said to be %u uncompressed",
			       d->path, what, (unsigned long long)part->pos,
			       from_len, to_len);
	packed = malloc((size_t)from_len + 1);
	*bytes = malloc((size_t)to_len + 1);
	if (!packed || !*bytes)
		code = err_nomem(err);
	if (code == 0)
		code = dat_pread(d, packed, from_len, part->pos + 8, what, err);
	if (code == 0 && !dat_uncompress(d, *bytes, to_len, packed, from_len))
		code = err_set(err, ERR_FORMAT,
			       "'%s': %s at 0x%llx: cannot uncompress them",
			       d->path, what, (unsigned long long)part->pos);
	free(packed);
	if (code == 0)
		(*bytes)[to_len] = '\0';
	*len = to_len;
	return code;
}

int dat_load_part(struct dat *d, const struct dat_part *part, const char *what,
		  uint8_t **bytes, size_t *len, struct err *err)
{
	int code;

	*bytes = NULL;
	*len = 0;
	if (part->size <= 0)
		return 0;
	if (part->compressed) {
		code = load_compressed(d, part, what, bytes, len, err);
	} else if (part->size > DAT_SECTION_MAX) {
		return err_set(err, ERR_FORMAT, "'%s': %s at 0x%llx: %lld bytes",
			       d->path, what, (unsigned long long)part->pos,
			       (long long)part->size);
	} else {
		*bytes = malloc((size_t)part->size + 1);
		if (!*bytes)
			return err_nomem(err);
		*len = (size_t)part->size;
		code = dat_pread(d, *bytes, *len, part->pos, what, err);
		(*bytes)[*len] = '\0';
	}
	if (code < 0) {
		free(*bytes);
		*bytes = NULL;
	}
	return code;
}

static int read_header_section(struct dat *d, int64_t pos, struct err *err)
{
	struct dat_cursor *c = NULL;
	struct dat_part part;
	uint8_t *bytes = NULL;
	size_t len;

	if (find_section(d, pos, "page headers", &part, err) < 0 ||
	    dat_load_part(d, &part, "page headers", &bytes, &len, err) < 0)
		return err->code;
	c = malloc(sizeof(*c));
	if (!c)
		err_nomem(err);
	if (c && bytes) {
		dat_cursor_mem(c, d, "page headers", bytes, len);
		dat_read_headers(d, c, err);
	}
	free(c);
	free(bytes);
	return err->code;
}

/* Options that say where a section is. */
static int follow_option(struct dat *d, int id, int64_t pos, struct err *err)
{
	switch (id) {
	case DAT_OPTION_HEADER_INFO:
		return read_header_section(d, pos, err);
	case DAT_OPTION_FTRACE_EVENTS:
		return find_section(d, pos, "ftrace formats", &d->ftrace, err);
	case DAT_OPTION_EVENT_FORMATS:
		return find_section(d, pos, "event formats", &d->events, err);
	case DAT_OPTION_CMDLINES:
		return find_section(d, pos, "saved names", &d->cmdlines, err);
	}
	return 0;
}

/* One options section; *next gets where the next one is, 0: nowhere. */
static int read_options(struct dat *d, struct dat_cursor *c, int64_t *next,
			struct err *err)
{
	*next = 0;
	while (dat_cursor_left(c) > 0) {
		const uint8_t *data;
		uint64_t id, size;

		if (dat_cursor_number(c, 2, &id, err) < 0 ||
		    dat_cursor_number(c, 4, &size, err) < 0)
			return err->code;
		data = c->mem + c->pos;
		if (dat_cursor_skip(c, size, err) < 0)
			return err->code;
		if (id == DAT_OPTION_DONE) {
			if (size >= 8)
				*next = (int64_t)bytes_u64(data,
							   d->info.big_endian);
			return 0;
		}
		if (dat_take_option(d, (int)id, data, (size_t)size, err) ||
		    err->code || size < 8)
			continue;
		follow_option(d, (int)id,
			      (int64_t)bytes_u64(data, d->info.big_endian), err);
		if (err->code)
			return err->code;
	}
	return err->code;
}

int dat_open_sections(struct dat *d, struct dat_cursor *c, struct err *err)
{
	char name[32], version[64];
	struct dat_part part;
	uint64_t first;
	int64_t next;

	if (dat_cursor_text(c, name, sizeof(name), err) < 0 ||
	    dat_cursor_text(c, version, sizeof(version), err) < 0 ||
	    dat_cursor_number(c, 8, &first, err) < 0)
		return err->code;
	if (!dat_codec_known(name))
		return err_set(err, ERR_FORMAT,
			       "'%s': compression '%s' is not known, only none, zlib and zstd",
			       d->path, name);
	d->info.compression = strdup(name);
	if (!d->info.compression || dat_codec_open(d, err) < 0)
		return err_nomem(err);
	next = (int64_t)first;
	for (int i = 0; next; i++) {
		uint8_t *bytes = NULL;
		size_t len;

		if (i == MAX_OPTION_SECTIONS)
			return err_set(err, ERR_FORMAT,
				       "'%s': options sections without end",
				       d->path);
		if (find_section(d, next, "options", &part, err) < 0 ||
		    dat_load_part(d, &part, "options", &bytes, &len, err) < 0)
			return err->code;
		next = 0;
		if (bytes) {
			dat_cursor_mem(c, d, "options", bytes, len);
			read_options(d, c, &next, err);
		}
		free(bytes);
		if (err->code)
			return err->code;
	}
	if (!d->info.buffer[0].nr_cpus && !d->info.buffer[0].is_text &&
	    d->info.nr_buffers == 1)
		return err_set(err, ERR_FORMAT,
			       "'%s': no option tells where the trace data is (a recording that was cut off?)",
			       d->path);
	return 0;
}
