/* SPDX-License-Identifier: MIT */
/*
 * knob_text: the knobs of a run as a user would type them.
 */
#ifndef UI_KNOB_TEXT_H
#define UI_KNOB_TEXT_H

struct run_info;

/* Those that are not at their default, "busy_rebalance=50ms, hot=off"; all of
 * them where this homenode does not know the policy.  Allocated; NULL: no
 * memory. */
char *knob_text_changed(const struct run_info *r);

#endif
