/* SPDX-License-Identifier: MIT */
#include "tests/support/folder.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *folder_new(void)
{
	const char *tmp = getenv("TMPDIR");
	char *name;

	if (asprintf(&name, "%s/homenode-test.XXXXXX",
		     tmp && *tmp ? tmp : "/tmp") < 0 || !mkdtemp(name)) {
		perror("mkdtemp");
		exit(1);
	}
	return name;
}

static int remove_entry(const char *path, const struct stat *st, int type,
			struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

void folder_remove(char *folder)
{
	if (folder)
		nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	free(folder);
}

const char *folder_path(const char *folder, const char *name)
{
	static char buf[8][600];
	static unsigned int turn;
	char *b = buf[turn++ % 8];

	snprintf(b, sizeof(buf[0]), "%s/%s", folder, name);
	return b;
}

int folder_count(const char *folder)
{
	DIR *d = opendir(folder);
	int n = 0;

	if (!d)
		return -1;
	for (struct dirent *e; (e = readdir(d));)
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	closedir(d);
	return n;
}

uint8_t *file_read(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *bytes = NULL;
	long n;

	*size = 0;
	if (!f)
		return NULL;
	if (!fseek(f, 0, SEEK_END) && (n = ftell(f)) >= 0) {
		rewind(f);
		bytes = malloc((size_t)n + 1);
		if (bytes)
			*size = fread(bytes, 1, (size_t)n, f);
	}
	fclose(f);
	return bytes;
}

int file_write(const char *path, const void *bytes, size_t size)
{
	FILE *f = fopen(path, "wb");
	size_t n;

	if (!f)
		return -1;
	n = fwrite(bytes, 1, size, f);
	return fclose(f) || n != size ? -1 : 0;
}
