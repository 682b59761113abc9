/* SPDX-License-Identifier: MIT */
#include "collect/decoder_local.h"

#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#define MAX_DEPTH 200		/* of an expression */

/* The value of a constant expression; false: it is none. */
static bool constant(const struct tep_print_arg *arg, int depth, uint64_t *v)
{
	uint64_t a, b;
	char *end;

	if (depth > MAX_DEPTH)
		return false;
	if (arg->type == TEP_PRINT_ATOM) {
		*v = strtoull(arg->atom.atom, &end, 0);
		return end != arg->atom.atom && !*end;
	}
	if (arg->type == TEP_PRINT_TYPE)
		return constant(arg->typecast.item, depth + 1, v);
	if (arg->type != TEP_PRINT_OP || !arg->op.left || !arg->op.right ||
	    !constant(arg->op.left, depth + 1, &a) ||
	    !constant(arg->op.right, depth + 1, &b))
		return false;
	if (strcmp(arg->op.op, "|") == 0)
		*v = a | b;
	else if (strcmp(arg->op.op, "&") == 0)
		*v = a & b;
	else if (strcmp(arg->op.op, "+") == 0)
		*v = a + b;
	else if (strcmp(arg->op.op, "-") == 0)
		*v = a - b;
	else if (strcmp(arg->op.op, "*") == 0)
		*v = a * b;
	else if (strcmp(arg->op.op, "<<") == 0 && b < 64)
		*v = a << b;
	else if (strcmp(arg->op.op, ">>") == 0 && b < 64)
		*v = a >> b;
	else
		return false;
	return true;
}

/* The table of an argument that is one, or of a branch of its condition. */
static const struct tep_print_flag_sym *find_table(const struct tep_print_arg *arg,
						   int type, int depth)
{
	const struct tep_print_flag_sym *table;

	if (!arg || depth > MAX_DEPTH)
		return NULL;
	if ((int)arg->type == type)
		return type == TEP_PRINT_FLAGS ? arg->flags.flags :
						 arg->symbol.symbols;
	if (arg->type != TEP_PRINT_OP)
		return NULL;
	table = find_table(arg->op.left, type, depth + 1);
	return table ? table : find_table(arg->op.right, type, depth + 1);
}

/* `prev_state & BIT ? "+" : ""` */
static bool find_preempt_bit(const struct tep_print_arg *arg, uint64_t *bit)
{
	const struct tep_print_arg *cond, *then;

	if (arg->type != TEP_PRINT_OP || strcmp(arg->op.op, "?") != 0 ||
	    !arg->op.right || arg->op.right->type != TEP_PRINT_OP)
		return false;
	cond = arg->op.left;
	then = arg->op.right->op.left;
	return cond && then && then->type == TEP_PRINT_ATOM &&
	       strcmp(then->atom.atom, "+") == 0 &&
	       cond->type == TEP_PRINT_OP && strcmp(cond->op.op, "&") == 0 &&
	       cond->op.right && constant(cond->op.right, 0, bit);
}

void decoder_print_states(struct decoder *d, const struct tep_event *ev)
{
	const struct tep_print_flag_sym *sym = NULL;
	struct state_table t = { 0 };
	uint64_t bit;

	for (const struct tep_print_arg *arg = ev->print_fmt.args; arg;
	     arg = arg->next) {
		if (!sym)
			sym = find_table(arg, TEP_PRINT_FLAGS, 0);
		if (find_preempt_bit(arg, &bit) && bit <= UINT32_MAX)
			t.preempt_bit = (uint32_t)bit;
	}
	for (; sym; sym = sym->next) {
		unsigned long long value = strtoull(sym->value, NULL, 0);

		if (!value || value > UINT32_MAX || !sym->str[0] ||
		    t.nr == (int)(sizeof(t.flag) / sizeof(t.flag[0])))
			continue;
		t.flag[t.nr].bit = (uint32_t)value;
		t.flag[t.nr].letter = sym->str[0];
		t.nr++;
	}
	if (!t.nr)
		return;
	d->states = t;
	for (int i = 0; i < DECODER_MAX_STATES; i++)
		d->state_of[i] = (uint8_t)state_decode(&d->states, i);
}

void decoder_print_reasons(struct decoder *d, const struct tep_event *ev)
{
	static const struct {
		const char *name;
		enum migrate_reason reason;
	} names[] = {
		{ "compaction", REASON_COMPACTION },
		{ "syscall_or_cpuset", REASON_SYSCALL },
		{ "mempolicy_mbind", REASON_MEMPOLICY },
		{ "numa_misplaced", REASON_NUMA_MISPLACED },
		{ "demotion", REASON_DEMOTION },
	};
	const struct tep_print_flag_sym *sym = NULL;

	for (const struct tep_print_arg *arg = ev->print_fmt.args; arg;
	     arg = arg->next)
		if (arg->type == TEP_PRINT_SYMBOL && arg->symbol.field &&
		    arg->symbol.field->type == TEP_PRINT_FIELD &&
		    strcmp(arg->symbol.field->field.name, "reason") == 0)
			sym = arg->symbol.symbols;
	if (sym)
		memset(d->reason_of, REASON_OTHER, sizeof(d->reason_of));
	for (; sym; sym = sym->next) {
		unsigned long long value = strtoull(sym->value, NULL, 0);

		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (value < DECODER_MAX_REASONS &&
			    strcmp(sym->str, names[i].name) == 0)
				d->reason_of[value] = (uint8_t)names[i].reason;
	}
}
