/* SPDX-License-Identifier: MIT */
/* study_local: what the parts of a study share. */
#ifndef UI_STUDY_LOCAL_H
#define UI_STUDY_LOCAL_H

#include "ui/study.h"

/* Title and caption of a run whose info is set. */
int study_name_run(struct study *s, struct study_run *r, struct err *err);

/* All runs and what is loaded of them. */
void study_release_runs(struct study *s);

#endif
