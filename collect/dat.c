/* SPDX-License-Identifier: MIT */
#include "collect/dat_local.h"

#include "collect/bytes.h"
#include "model/err.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t magic[] = "\x17\x08\x44tracing";
#define MAGIC_LEN (sizeof(magic) - 1)

bool dat_magic(const uint8_t *bytes, size_t len)
{
	return len >= MAGIC_LEN && memcmp(bytes, magic, MAGIC_LEN) == 0;
}

int dat_pread(struct dat *d, void *buf, size_t len, int64_t pos,
	      const char *what, struct err *err)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(d->fd, (char *)buf + done, len - done,
				  pos + (int64_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, ERR_IO, "'%s': cannot read %s: %s",
				       d->path, what, strerror(errno));
		if (n == 0)
			return err_set(err, ERR_FORMAT,
				       "'%s': the file ends at 0x%llx, in %s",
				       d->path,
				       (unsigned long long)pos + done, what);
		done += (size_t)n;
	}
	return 0;
}

void dat_cursor_file(struct dat_cursor *c, struct dat *d, const char *what,
		     int64_t pos, int64_t end)
{
	c->d = d;
	c->what = what;
	c->mem = NULL;
	c->pos = pos;
	c->end = end;
	c->buf_pos = 0;
	c->buf_len = 0;
}

void dat_cursor_mem(struct dat_cursor *c, struct dat *d, const char *what,
		    const uint8_t *mem, size_t len)
{
	dat_cursor_file(c, d, what, 0, (int64_t)len);
	c->mem = mem;
}

int64_t dat_cursor_left(const struct dat_cursor *c)
{
	return c->end - c->pos;
}

static int ends(const struct dat_cursor *c, uint64_t want, struct err *err)
{
	return err_set(err, ERR_FORMAT,
		       "'%s': %s at 0x%llx: %llu bytes are said to follow, there are %lld",
		       c->d->path, c->what, (unsigned long long)c->pos,
		       (unsigned long long)want, (long long)dat_cursor_left(c));
}

static int from_file(struct dat_cursor *c, uint8_t *to, size_t len,
		     struct err *err)
{
	while (len) {
		size_t at = (size_t)(c->pos - c->buf_pos), n;

		if (c->pos < c->buf_pos || at >= c->buf_len) {
			int64_t left = dat_cursor_left(c);

			n = left < (int64_t)sizeof(c->buf) ? (size_t)left :
							     sizeof(c->buf);
			if (dat_pread(c->d, c->buf, n, c->pos, c->what, err) < 0)
				return err->code;
			c->buf_pos = c->pos;
			c->buf_len = n;
			at = 0;
		}
		n = c->buf_len - at < len ? c->buf_len - at : len;
		memcpy(to, c->buf + at, n);
		to += n;
		len -= n;
		c->pos += (int64_t)n;
	}
	return 0;
}

int dat_cursor_bytes(struct dat_cursor *c, void *buf, size_t len, struct err *err)
{
	if (len > (uint64_t)dat_cursor_left(c))
		return ends(c, len, err);
	if (!c->mem)
		return from_file(c, buf, len, err);
	memcpy(buf, c->mem + c->pos, len);
	c->pos += (int64_t)len;
	return 0;
}

int dat_cursor_skip(struct dat_cursor *c, uint64_t len, struct err *err)
{
	if (len > (uint64_t)dat_cursor_left(c))
		return ends(c, len, err);
	c->pos += (int64_t)len;
	return 0;
}

int dat_cursor_number(struct dat_cursor *c, int size, uint64_t *v, struct err *err)
{
	bool big = c->d->info.big_endian;
	uint8_t b[8];

	*v = 0;
	if (dat_cursor_bytes(c, b, (size_t)size, err) < 0)
		return err->code;
	*v = size == 8 ? bytes_u64(b, big) : size == 4 ? bytes_u32(b, big) :
	     size == 2 ? bytes_u16(b, big) : b[0];
	return 0;
}

int dat_cursor_text(struct dat_cursor *c, char *buf, size_t size, struct err *err)
{
	int64_t at = c->pos;

	for (size_t i = 0; i < size; i++) {
		if (dat_cursor_bytes(c, buf + i, 1, err) < 0)
			return err->code;
		if (!buf[i])
			return 0;
	}
	return err_set(err, ERR_FORMAT,
		       "'%s': %s at 0x%llx: a text longer than %zu bytes",
		       c->d->path, c->what, (unsigned long long)at, size);
}

static int expect(struct dat_cursor *c, const char *text, size_t len,
		  struct err *err)
{
	int64_t at = c->pos;
	char got[16];

	if (dat_cursor_bytes(c, got, len, err) < 0)
		return err->code;
	if (memcmp(got, text, len) == 0)
		return 0;
	return err_set(err, ERR_FORMAT, "'%s': %s at 0x%llx: no '%s'", c->d->path,
		       c->what, (unsigned long long)at, text);
}

int dat_read_headers(struct dat *d, struct dat_cursor *c, struct err *err)
{
	static const char page_mark[] = "header_page";
	static const char event_mark[] = "header_event";
	char text[4096];
	uint64_t size;

	c->what = "header_page";
	if (expect(c, page_mark, sizeof(page_mark), err) < 0 ||
	    dat_cursor_number(c, 8, &size, err) < 0)
		return err->code;
	if (size > sizeof(text))
		return err_set(err, ERR_FORMAT,
			       "'%s': header_page of %llu bytes", d->path,
			       (unsigned long long)size);
	if (dat_cursor_bytes(c, text, (size_t)size, err) < 0)
		return err->code;
	if (ring_format_parse(&d->info.ring, text, (size_t)size, err) < 0)
		return err_prefix(err, "'%s'", d->path);
	c->what = "header_event";
	if (expect(c, event_mark, sizeof(event_mark), err) < 0 ||
	    dat_cursor_number(c, 8, &size, err) < 0)
		return err->code;
	return dat_cursor_skip(c, size, err);
}

/* "6" or "7", byte order, long size, page size. */
static int read_head(struct dat *d, struct dat_cursor *c, struct err *err)
{
	char version[16];
	uint64_t order, user_long, page_size;

	if (dat_cursor_skip(c, MAGIC_LEN, err) < 0 ||
	    dat_cursor_text(c, version, sizeof(version), err) < 0)
		return err->code;
	if (strcmp(version, "6") != 0 && strcmp(version, "7") != 0)
		return err_set(err, ERR_FORMAT,
			       "'%s': trace.dat of version '%.8s'; versions 6 and 7 are read (trace-cmd convert makes them)",
			       d->path, version);
	d->info.version = version[0] - '0';
	if (dat_cursor_number(c, 1, &order, err) < 0 ||
	    dat_cursor_number(c, 1, &user_long, err) < 0)
		return err->code;
	if (order > 1 || (user_long != 4 && user_long != 8))
		return err_set(err, ERR_FORMAT,
			       "'%s': byte order %llu and long size %llu are none",
			       d->path, (unsigned long long)order,
			       (unsigned long long)user_long);
	d->info.big_endian = d->info.ring.big_endian = order == 1;
	d->info.user_long = (int)user_long;
	if (dat_cursor_number(c, 4, &page_size, err) < 0)
		return err->code;
	if (page_size < RING_PAGE_MIN || page_size > RING_PAGE_MAX)
		return err_set(err, ERR_FORMAT, "'%s': pages of %llu bytes",
			       d->path, (unsigned long long)page_size);
	d->info.page_size = (size_t)page_size;
	ring_format_default(&d->info.ring, order == 1, (int)user_long,
			    (size_t)page_size);
	return 0;
}

static int open_file(struct dat *d, const char *path, struct err *err)
{
	uint8_t first[MAGIC_LEN];
	struct stat st;

	d->path = strdup(path);
	if (!d->path)
		return err_nomem(err);
	d->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (d->fd < 0 || fstat(d->fd, &st) < 0)
		return err_set(err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO,
			       "cannot open '%s': %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_FORMAT, "'%s' is not a regular file",
			       path);
	d->size = st.st_size;
	if (d->size == 0)
		return err_set(err, ERR_FORMAT, "'%s' is empty", path);
	if (d->size < (int64_t)sizeof(first) ||
	    dat_pread(d, first, sizeof(first), 0, "the magic number", err) < 0 ||
	    !dat_magic(first, sizeof(first)))
		return err_set(err, ERR_FORMAT, "'%s' is not a trace.dat", path);
	return 0;
}

int dat_open(struct dat **out, const char *path, struct err *err)
{
	struct dat *d = calloc(1, sizeof(*d));
	struct dat_cursor *c = malloc(sizeof(*c));
	int code = 0;

	*out = NULL;
	if (d)
		d->fd = -1;
	if (!d || !c)
		code = err_nomem(err);
	if (code == 0)
		code = open_file(d, path, err);
	if (code == 0) {
		dat_cursor_file(c, d, "the file's head", 0, d->size);
		code = read_head(d, c, err);
	}
	if (code == 0 && !dat_add_buffer(d, "", err))
		code = err->code;
	if (code == 0)
		code = d->info.version == 6 ? dat_open_plain(d, c, err) :
					      dat_open_sections(d, c, err);
	free(c);
	if (code < 0) {
		dat_close(d);
		return code;
	}
	*out = d;
	return 0;
}

const struct dat_info *dat_info(const struct dat *d)
{
	return &d->info;
}

static void info_release(struct dat_info *i)
{
	for (int n = 0; n < i->nr_buffers; n++) {
		free(i->buffer[n].name);
		free(i->buffer[n].clock);
		free(i->buffer[n].cpu);
	}
	free(i->buffer);
	free(i->stat);
	free(i->compression);
	free(i->uname);
	free(i->tool);
	free(i->clock);
}

struct dat_formats {
	int (*fn)(void *ctx, const char *system, const char *text, size_t len,
		  struct err *err);
	void *ctx;
};

/* A system's formats: a count, then size and text of each. */
static int walk_system(struct dat_cursor *c, const char *system,
		       const struct dat_formats *f, char *text, struct err *err)
{
	uint64_t nr, size, kept;

	if (dat_cursor_number(c, 4, &nr, err) < 0)
		return err->code;
	for (uint64_t i = 0; i < nr; i++) {
		if (dat_cursor_number(c, 8, &size, err) < 0)
			return err->code;
		kept = f && size < DAT_TEXT_MAX ? size : f ? DAT_TEXT_MAX : 0;
		if (f && size <= (uint64_t)dat_cursor_left(c)) {
			if (dat_cursor_bytes(c, text, (size_t)kept, err) < 0)
				return err->code;
			if (f->fn(f->ctx, system, text, (size_t)kept, err) < 0)
				return err_prefix(err, "'%s'", c->d->path);
			size -= kept;
		}
		if (dat_cursor_skip(c, size, err) < 0)
			return err->code;
	}
	return 0;
}

static int walk_systems(struct dat_cursor *c, const struct dat_formats *f,
			char *text, struct err *err)
{
	char system[256];
	uint64_t nr;

	if (dat_cursor_number(c, 4, &nr, err) < 0)
		return err->code;
	for (uint64_t i = 0; i < nr; i++)
		if (dat_cursor_text(c, system, sizeof(system), err) < 0 ||
		    walk_system(c, system, f, text, err) < 0)
			return err->code;
	return 0;
}

int dat_skip_formats(struct dat *d, struct dat_cursor *c, struct err *err)
{
	c->what = "ftrace formats";
	d->ftrace.pos = c->pos;
	if (walk_system(c, "ftrace", NULL, NULL, err) < 0)
		return err->code;
	d->ftrace.size = c->pos - d->ftrace.pos;
	c->what = "event formats";
	d->events.pos = c->pos;
	if (walk_systems(c, NULL, NULL, err) < 0)
		return err->code;
	d->events.size = c->pos - d->events.pos;
	return 0;
}

int dat_each_format(struct dat *d, int (*fn)(void *ctx, const char *system,
		    const char *text, size_t len, struct err *err), void *ctx,
		    struct err *err)
{
	const struct dat_formats f = { fn, ctx };
	struct dat_cursor *c = malloc(sizeof(*c));
	char *text = malloc(DAT_TEXT_MAX);
	int code = 0;

	if (!c || !text)
		code = err_nomem(err);
	for (int i = 0; i < 2 && code == 0; i++) {
		const struct dat_part *part = i ? &d->events : &d->ftrace;
		const char *what = i ? "event formats" : "ftrace formats";
		uint8_t *bytes = NULL;
		size_t len;

		if (part->size == 0)
			continue;
		if (d->info.version == 6)
			dat_cursor_file(c, d, what, part->pos,
					part->pos + part->size);
		else
			code = dat_load_part(d, part, what, &bytes, &len, err);
		if (bytes)
			dat_cursor_mem(c, d, what, bytes, len);
		if (code == 0)
			code = i ? walk_systems(c, &f, text, err) :
				   walk_system(c, "ftrace", &f, text, err);
		free(bytes);
	}
	free(text);
	free(c);
	return code;
}

/* One line of saved names or groups; false: it is none. */
static bool split_line(const char *line, char **rest, int *pid)
{
	long n = strtol(line, rest, 10);

	if (*rest == line || n < 0 || n > INT_MAX || **rest != ' ')
		return false;
	(*rest)++;
	*pid = (int)n;
	return true;
}

int dat_each_name(struct dat *d, int (*fn)(void *ctx, int pid,
		  const char *name, int tgid, struct err *err), void *ctx,
		  struct err *err)
{
	char *text = NULL, *line, *next, *rest;
	int code, pid;
	size_t len;

	code = dat_load_part(d, &d->cmdlines, "saved names", (uint8_t **)&text,
			     &len, err);
	/* v7 has the size once more before the text. */
	line = text && d->info.version == 7 && len > 8 ? text + 8 : text;
	for (; code == 0 && line && split_line(line, &rest, &pid); line = next) {
		next = strchr(rest, '\n');
		if (next)
			*next++ = '\0';
		code = fn(ctx, pid, rest, -1, err);
	}
	free(text);
	for (line = d->tgids; code == 0 && line && split_line(line, &rest, &pid);
	     line = next) {
		next = strchr(rest, '\n');
		if (next)
			next++;
		code = fn(ctx, pid, NULL, atoi(rest), err);
	}
	return code;
}

void dat_close(struct dat *d)
{
	if (!d)
		return;
	dat_close_streams(d);
	dat_codec_close(d);
	info_release(&d->info);
	if (d->fd >= 0)
		close(d->fd);
	free(d->tgids);
	free(d->path);
	free(d);
}
