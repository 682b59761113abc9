/* SPDX-License-Identifier: MIT */
/*
 * topo_text: a machine as text, for runs that were replayed on another machine
 * than the one that was recorded.  One item a line:
 *
 *	node ID ONLINE MEM_BYTES
 *	distance FROM TO D		(those that are not the default)
 *	cpu ID NODE ONLINE PACKAGE DIE CLUSTER LLC CORE SMT
 *
 * Same machine, same text; reading it gives the same machine back.
 */
#ifndef MODEL_TOPO_TEXT_H
#define MODEL_TOPO_TEXT_H

struct err;
struct topo;

/* Allocated; NULL: no memory. */
char *topo_to_text(const struct topo *t);

/* ERR_FORMAT names the line.  Release *t also after an error. */
int topo_from_text(struct topo *t, const char *text, struct err *err);

#endif
