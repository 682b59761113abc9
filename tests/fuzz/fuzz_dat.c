/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/fuzz.h"

#include "collect/dat.h"
#include "collect/decoder.h"
#include "collect/merge.h"
#include "model/err.h"

#include <stdlib.h>

static int on_format(void *ctx, const char *system, const char *text,
		     size_t len, struct err *err)
{
	return decoder_add_format(ctx, system, text, len, err);
}

static int on_name(void *ctx, int pid, const char *name, int tgid,
		   struct err *err)
{
	return 0;
}

static void read_buffer(struct dat *d, int buffer, struct decoder *decoder,
			struct err *err)
{
	struct page_stream *streams = NULL;
	struct ring_format format;
	struct merge *m = NULL;
	struct record r;
	int nr;

	if (dat_streams(d, buffer, true, &format, &streams, &nr, err) == 0 &&
	    merge_new(&m, streams, nr, &format, decoder, err) == 0)
		while (merge_next(m, &r, err) > 0)
			;
	merge_free(m);
	free(streams);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct decoder *decoder = NULL;
	struct err err = { 0 };
	struct dat *d;

	if (!dat_magic(data, len) ||
	    dat_open(&d, fuzz_file(data, len), &err) < 0)
		return 0;
	if (decoder_new(&decoder, dat_info(d)->big_endian, &err) == 0 &&
	    dat_each_format(d, on_format, decoder, &err) == 0 &&
	    dat_each_name(d, on_name, NULL, &err) == 0 &&
	    dat_info(d)->nr_buffers > 0)
		read_buffer(d, 0, decoder, &err);
	decoder_free(decoder);
	dat_close(d);
	return 0;
}
