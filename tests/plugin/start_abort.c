/* SPDX-License-Identifier: MIT */
/* Dies while it is loaded. */
#include <stdlib.h>

__attribute__((constructor)) static void start(void)
{
	abort();
}
