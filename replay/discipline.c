/* SPDX-License-Identifier: MIT */
#include "replay/discipline.h"

#include <string.h>

extern const struct discipline_ops queue_o1, queue_fifo, queue_fair;

const struct discipline_ops *const discipline_table[] = {
	&queue_o1,
	&queue_fifo,
	&queue_fair,
	NULL
};

const struct discipline_ops *discipline_find(const char *name)
{
	for (int i = 0; discipline_table[i]; i++)
		if (!strcmp(discipline_table[i]->name, name))
			return discipline_table[i];
	return NULL;
}
