/* SPDX-License-Identifier: MIT */
/*
 * expand: makes a long trace of a short one by repeating its events, each time
 * later by its length, for the benchmarks:
 *
 *	expand TIMES IN OUT
 *
 * IN is an uncompressed trace.dat of version 6, whose pages have one absolute
 * time each, or a perf.data that is a file (no pipe), whose samples have one at
 * a fixed place.  Little-endian 64-bit files only; nothing is checked.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static uint8_t *in;
static size_t in_len;
static FILE *out;

static uint64_t get64(const uint8_t *at)
{
	uint64_t v;

	memcpy(&v, at, 8);
	return v;
}

static uint32_t get32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, 4);
	return v;
}

static void load(const char *path)
{
	FILE *f = fopen(path, "r");
	struct stat st;

	if (!f || fstat(fileno(f), &st))
		exit(1);
	in_len = (size_t)st.st_size;
	in = malloc(in_len);
	if (!in || fread(in, 1, in_len, f) != in_len)
		exit(1);
	fclose(f);
}

static void put(const void *bytes, size_t len)
{
	if (len && fwrite(bytes, 1, len, out) != len)
		exit(1);
}

/* -- trace.dat ------------------------------------------------------------- */

struct cpu {
	uint64_t offset, size;
};

/* Pages begin with their time; how far events go beyond it does not matter
 * where a second more is added. */
static uint64_t dat_length(const struct cpu *cpu, uint32_t nr, uint64_t page)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (uint32_t i = 0; i < nr; i++)
		for (uint64_t at = 0; at < cpu[i].size; at += page) {
			uint64_t ts = get64(in + cpu[i].offset + at);

			first = ts < first ? ts : first;
			last = ts > last ? ts : last;
		}
	return last - first + 1000000000;
}

static void expand_dat(uint64_t times)
{
	static const char options[] = "options  ", flyrecord[] = "flyrecord";
	uint8_t *at = memmem(in, in_len, options, sizeof(options));
	uint32_t nr = get32(at - 4);
	uint8_t *table = (uint8_t *)memmem(at, in_len - (size_t)(at - in),
					   flyrecord, sizeof(flyrecord)) +
			 sizeof(flyrecord);
	struct cpu *cpu = malloc((nr + 1) * sizeof(*cpu));
	uint64_t page = 4096, length, to;

	memcpy(cpu, table, nr * sizeof(*cpu));
	length = dat_length(cpu, nr, page);
	to = cpu[0].offset;
	put(in, (size_t)(table - in));
	for (uint32_t i = 0; i < nr; i++) {
		const struct cpu more = { to, cpu[i].size * times };

		put(&more, sizeof(more));
		to += more.size;
	}
	put(table + nr * sizeof(*cpu),
	    cpu[0].offset - (size_t)(table - in) - nr * sizeof(*cpu));
	for (uint32_t i = 0; i < nr; i++)
		for (uint64_t n = 0; n < times; n++)
			for (uint64_t p = 0; p < cpu[i].size; p += page) {
				uint64_t ts = get64(in + cpu[i].offset + p) +
					      n * length;

				put(&ts, 8);
				put(in + cpu[i].offset + p + 8, page - 8);
			}
	free(cpu);
}

/* -- perf.data ------------------------------------------------------------- */

enum { RECORD_SAMPLE = 9, RECORD_ROUND = 68 };
enum { SAMPLE_IP = 1, SAMPLE_TID = 2, SAMPLE_TIME = 4, SAMPLE_ID = 1 << 16 };
/* In the head of the file: offsets of attributes and data, feature bits. */
enum { HEAD_ATTRS = 24, HEAD_DATA = 40, HEAD_FEATURES = 72 };

static uint64_t data_at, data_len;
static size_t time_at; /* in a sample */

static size_t size_at(const uint8_t *at)
{
	return get32(at + 4) >> 16;
}

/* Where the time of a sample is; the first attribute's sample_type tells. */
static size_t time_place(void)
{
	uint64_t type = get64(in + get64(in + HEAD_ATTRS) + 24);

	if (!(type & SAMPLE_TIME))
		exit(1);
	return 8 + 8 * ((type & SAMPLE_ID) != 0) +
	       8 * ((type & SAMPLE_IP) != 0) + 8 * ((type & SAMPLE_TID) != 0);
}

static uint64_t perf_length(void)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (const uint8_t *at = in + data_at; at < in + data_at + data_len;
	     at += size_at(at)) {
		uint64_t ts = get32(at) == RECORD_SAMPLE ? get64(at + time_at)
							 : 0;

		first = ts && ts < first ? ts : first;
		last = ts > last ? ts : last;
	}
	return last - first + 1000000;
}

/* With a shift only samples and ends of rounds. */
static void put_records(uint64_t shift)
{
	for (const uint8_t *at = in + data_at; at < in + data_at + data_len;
	     at += size_at(at)) {
		uint32_t type = get32(at);
		uint64_t ts = get64(at + time_at) + shift;

		if (type == RECORD_SAMPLE) {
			put(at, time_at);
			put(&ts, 8);
			put(at + time_at + 8, size_at(at) - time_at - 8);
		} else if (!shift || type == RECORD_ROUND) {
			put(at, size_at(at));
		}
	}
}

/* Sections of features, each OFFSET SIZE, stand behind the data. */
static void put_features(uint64_t more)
{
	const uint8_t *at = in + data_at + data_len;

	for (int bit = 0; bit < 256; bit++) {
		uint64_t offset = get64(at) + more;

		if (!(in[HEAD_FEATURES + bit / 8] >> bit % 8 & 1))
			continue;
		put(&offset, 8);
		put(at + 8, 8);
		at += 16;
	}
	put(at, (size_t)(in + in_len - at));
}

static void expand_perf(uint64_t times)
{
	uint64_t length, data_end;

	data_at = get64(in + HEAD_DATA);
	data_len = get64(in + HEAD_DATA + 8);
	time_at = time_place();
	length = perf_length();
	put(in, data_at);
	for (uint64_t n = 0; n < times; n++)
		put_records(n * length);
	data_end = (uint64_t)ftell(out);
	put_features(data_end - data_at - data_len);
	data_end -= data_at;
	fseek(out, HEAD_DATA + 8, SEEK_SET);
	put(&data_end, 8);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	load(argv[2]);
	out = fopen(argv[3], "w");
	if (!out)
		return 1;
	if (!memcmp(in, "PERFILE2", 8))
		expand_perf(strtoull(argv[1], NULL, 10));
	else
		expand_dat(strtoull(argv[1], NULL, 10));
	return fclose(out) != 0;
}
