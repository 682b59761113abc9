/* SPDX-License-Identifier: MIT */
#include "collect/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/clock.h"
#include "collect/ring.h"
#include "model/err.h"

#define PIPE_BYTES (256 * 1024)
#define STACK_BYTES (128 * 1024)
#define FLUSH_MS 1000
#define SLOW_DOWN_MS 20

struct reader {
	struct reader_setup setup;
	char file[200];
	pthread_t thread;
	struct ring_format format;
	int pipe[2];
	size_t pipe_bytes;
	uint8_t *buf;
	int64_t pos;		/* in the file */
	int64_t marked_ns;
	struct err err;
	int write_errno;
};

/* done: bytes behind r->pos that were written all the same. */
static int write_failed(struct reader *r, size_t done)
{
	r->write_errno = errno;
	err_set(&r->err, ERR_IO, "cannot write '%s': %s", r->file,
		strerror(errno));
	/* Half a page would be taken for a damaged one. */
	r->pos += (int64_t)(done - done % r->setup.page_bytes);
	(void)!ftruncate(r->setup.out_fd, (off_t)r->pos);
	return r->err.code;
}

static int write_at(struct reader *r, const uint8_t *buf, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pwrite(r->setup.out_fd, buf + done, len - done,
				   (off_t)r->pos + (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return write_failed(r, done);
		done += (size_t)n;
	}
	return 0;
}

static int read_failed(struct reader *r)
{
	return err_set(&r->err, ERR_IO,
		       "cannot read the trace buffer of CPU %d: %s",
		       r->setup.cpu, strerror(errno));
}

/* What splice left in the pipe goes to the file. */
static int empty_pipe(struct reader *r, size_t left)
{
	while (left) {
		ssize_t n = read(r->pipe[0], r->buf,
				 left < r->pipe_bytes ? left : r->pipe_bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return read_failed(r);
		if (write_at(r, r->buf, (size_t)n) < 0)
			return r->err.code;
		r->pos += n;
		left -= (size_t)n;
	}
	return 0;
}

/* Moves all whole pages; their bytes, or an error. */
static int64_t move_whole(struct reader *r)
{
	int64_t moved = 0;

	for (;;) {
		ssize_t n = splice(r->setup.ring_fd, NULL, r->pipe[1], NULL,
				   r->pipe_bytes, SPLICE_F_NONBLOCK);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			return read_failed(r);
		if (n <= 0)
			return moved;
		if (empty_pipe(r, (size_t)n) < 0)
			return r->err.code;
		moved += n;
	}
}

static int write_part(struct reader *r, size_t len)
{
	struct ring_page page;
	struct err ignored = { 0 };
	size_t used = len;

	if (!ring_page_init(&page, &r->format, r->buf, len, &ignored)) {
		/* A count of lost events may stand behind the data. */
		used = page.end + sizeof(long);
		if (used > len)
			used = len;
	}
	if (write_at(r, r->buf, used) < 0)
		return r->err.code;
	r->pos += (int64_t)r->setup.page_bytes;
	return 0;
}

/* Reads the page that is being written as far as it goes: 1, 0 nothing new. */
static int move_part(struct reader *r)
{
	ssize_t n = read(r->setup.ring_fd, r->buf, r->setup.page_bytes);

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return read_failed(r);
	if (n <= 0)
		return 0;
	return write_part(r, (size_t)n) < 0 ? r->err.code : 1;
}

static void mark(struct reader *r, int64_t ns)
{
	r->marked_ns = ns;
	if (r->setup.mark)
		r->setup.mark(r->setup.ctx, r->setup.cpu, ns);
}

static void give_up(const struct reader *r)
{
	const uint64_t one = 1;

	/* A full eventfd says it already. */
	(void)!write(r->setup.failed_fd, &one, sizeof(one));
}

static void *run(void *ctx)
{
	struct reader *r = ctx;
	struct pollfd fds[] = {
		{ .fd = r->setup.stop_fd, .events = POLLIN },
		{ .fd = r->setup.ring_fd, .events = POLLIN },
	};
	bool stop = false;

	r->marked_ns = clock_now();
	while (!stop) {
		int64_t now, moved;
		int got = 1;

		poll(fds, 2, FLUSH_MS);
		stop = fds[0].revents != 0;
		now = clock_now();
		moved = move_whole(r);
		if (moved < 0)
			break;
		if (stop || now - r->marked_ns >= FLUSH_MS * INT64_C(1000000)) {
			do {
				got = move_part(r);
			} while (stop && got > 0);
			if (got < 0)
				break;
			mark(r, now);
		} else if (fds[1].revents && moved < r->setup.buffer_bytes / 8) {
			/* Kernels before 6.1 wake for every event. */
			poll(fds, 1, SLOW_DOWN_MS);
		}
	}
	/* The last page is a whole one too. */
	if (!r->err.code && ftruncate(r->setup.out_fd, (off_t)r->pos) < 0)
		write_failed(r, 0);
	if (r->err.code)
		give_up(r);
	return NULL;
}

static void reader_free(struct reader *r)
{
	close(r->setup.ring_fd);
	close(r->setup.out_fd);
	if (r->pipe[0] >= 0) {
		close(r->pipe[0]);
		close(r->pipe[1]);
	}
	free(r->buf);
	free(r);
}

static int start_thread(struct reader *r, struct err *err)
{
	pthread_attr_t attr;
	char name[16];
	int error;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	error = pthread_create(&r->thread, &attr, run, r);
	pthread_attr_destroy(&attr);
	if (error)
		return err_set(err, ERR_IO, "cannot start a thread: %s",
			       strerror(error));
	snprintf(name, sizeof(name), "homenode/%d", r->setup.cpu);
	pthread_setname_np(r->thread, name);
	return 0;
}

int reader_start(struct reader **r, const struct reader_setup *setup,
		 struct err *err)
{
	const uint16_t one = 1;
	struct reader *new = calloc(1, sizeof(*new));
	int size;

	*r = NULL;
	if (!new) {
		close(setup->ring_fd);
		close(setup->out_fd);
		return err_nomem(err);
	}
	new->setup = *setup;
	snprintf(new->file, sizeof(new->file), "%s", setup->file);
	new->pipe[0] = new->pipe[1] = -1;
	ring_format_default(&new->format, *(const uint8_t *)&one == 0,
			    sizeof(long), setup->page_bytes);
	if (pipe2(new->pipe, O_CLOEXEC) < 0) {
		err_set(err, ERR_IO, "cannot make a pipe: %s", strerror(errno));
		goto out;
	}
	size = fcntl(new->pipe[1], F_SETPIPE_SZ, PIPE_BYTES);
	new->pipe_bytes = size > 0 ? (size_t)size : 65536;
	if (new->pipe_bytes < setup->page_bytes)
		new->pipe_bytes = setup->page_bytes;
	new->pipe_bytes -= new->pipe_bytes % setup->page_bytes;
	new->buf = malloc(new->pipe_bytes);
	if (!new->buf) {
		err_nomem(err);
		goto out;
	}
	start_thread(new, err);
out:
	if (err->code)
		reader_free(new);
	else
		*r = new;
	return err->code;
}

int reader_join(struct reader *r, int *error, struct err *err)
{
	int code = 0;

	if (!r)
		return 0;
	pthread_join(r->thread, NULL);
	if (r->err.code)
		code = err_set(err, r->err.code, "%s", r->err.text);
	if (r->write_errno)
		*error = r->write_errno;
	reader_free(r);
	return code;
}
