/* SPDX-License-Identifier: MIT */
/*
 * folder: a fresh folder for one test's files, removed with what is in it.
 */
#ifndef TESTS_SUPPORT_FOLDER_H
#define TESTS_SUPPORT_FOLDER_H

#include <stddef.h>
#include <stdint.h>

/* Under TMPDIR or /tmp; ends the test program when there can be none. */
char *folder_new(void);
void folder_remove(char *folder);

/* "FOLDER/NAME" in one of a few static buffers, good for several in a call. */
const char *folder_path(const char *folder, const char *name);

/* How many entries a folder has, hidden ones too, and the whole of a file
 * (NULL: cannot be read). */
int folder_count(const char *folder);
uint8_t *file_read(const char *path, size_t *size);
int file_write(const char *path, const void *bytes, size_t size);

#endif
