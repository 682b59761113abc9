/* SPDX-License-Identifier: MIT */
/*
 * perf_input: the records of a perf.data one after the other, those in compressed
 * ones (PERF_RECORD_COMPRESSED, zstd) among them.  A record is a u32 type, u16
 * misc, u16 size of all of it, and data.
 */
#ifndef COLLECT_PERF_INPUT_H
#define COLLECT_PERF_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct perf_input;

struct perf_record {
	uint32_t type;
	uint16_t misc;
	uint16_t size;		/* with its head of 8 bytes */
	const uint8_t *data;	/* at its head; good until the next call */
};

/* Takes fd, which it closes.  Records begin at `from` and end before `to`. */
int perf_input_new(struct perf_input **in, int fd, bool big_endian,
		   int64_t from, int64_t to, struct err *err);
void perf_input_free(struct perf_input *in);

/* 1 a record, 0 the end; ERR_IO.  Damage ends the records, too. */
int perf_input_next(struct perf_input *in, struct perf_record *r,
		    struct err *err);

/* Bytes behind the record that was read last, len of them at most in *bytes:
 * allocated for the caller; then the place is behind all `len`. */
int perf_input_take(struct perf_input *in, uint64_t len, size_t max,
		    uint8_t **bytes, size_t *got, struct err *err);

double perf_input_progress(const struct perf_input *in);

/* What was wrong and where, "" if nothing was. */
const char *perf_input_damage(const struct perf_input *in);

#endif
