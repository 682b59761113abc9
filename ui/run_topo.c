/* SPDX-License-Identifier: MIT */
#include "ui/run_topo.h"

#include "model/err.h"
#include "model/topo_text.h"
#include "schema/store.h"

int run_topo(struct store *s, const struct run_info *r, struct topo *t,
	     struct err *err)
{
	*t = (struct topo){ 0 };
	if (!r->topology)
		return store_get_topo(s, t, err);
	if (topo_from_text(t, r->topology, err))
		return err_prefix(err, "'%s': run %d", store_path(s), r->id);
	return 0;
}
