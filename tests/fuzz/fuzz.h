/* SPDX-License-Identifier: MIT */
/*
 * fuzz: what the libFuzzer targets share.  A target is fuzz_NAME.c with
 * LLVMFuzzerTestOneInput(); tests/fuzz/run builds and runs them.  Each input
 * becomes a file, since that is what the readers take.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* The input as a file in memory, the same name each time. */
const char *fuzz_file(const uint8_t *data, size_t len);

/* A folder of this process's own, removed with what is in it at its end. */
const char *fuzz_folder(void);
void fuzz_put(const char *name, const uint8_t *data, size_t len);

#endif
