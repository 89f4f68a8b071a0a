/*
 * alike.h - like is compared only with like
 *
 * Two runs can be compared when they agree in what decides how fast the same code is and
 * what was measured of it.  What they differ in is named, field by field; of configurations
 * the fields inside of them (store/configdiff.h).  A field that neither knows agrees; one
 * that only one of them knows differs.
 *
 *     must agree   target, mode, event, unit, sampling (its frequency or fixed period), call graph (none, fp, dwarf, lbr),
 *                  inline mode, selection, workload arguments, environment (the variables that hotdrift.ini names), config
 *                  (build flags and what else it holds), arch, CPU model, CPU id, CPU flags, CPUs online, SMT
 *     warned of    kernel, governor, microcode, bytes of stack a sample, compiler
 *
 * Runs that were added before hotdrift stored sampling, call graph, environment, bytes of stack or compiler do not have
 * them.  Such a field agrees when either run lacks it.
 *
 * The arguments are those of the workload: what `perf record` got before `--`, and the folder
 * of the program, are not part of them.
 */
#ifndef HD_COMPARE_ALIKE_H
#define HD_COMPARE_ALIKE_H

#include "compare/side.h"

const char *hd_alike_name(enum hd_alike_field f);

struct hd_alike_difference {
	char *field;			/* "CPU model", "config: flags[2]" */
	char *base, *head;		/* NULL: not known, or absent */
};

struct hd_alike {
	struct hd_alike_difference *items;
	size_t n, cap;
};

/* Do they agree in all that must? */
bool hd_alike_are(const struct hd_side_run *a, const struct hd_side_run *b);
/* The number of fields that must agree and do not. */
unsigned hd_alike_distance(const struct hd_side_run *a, const struct hd_side_run *b);
/* In which fields from `from` to below `to` they differ; fields of configurations are asked of db. */
int hd_alike_differences(struct hd_alike *out, struct hd_db *db, const struct hd_side_run *base, const struct hd_side_run *head,
			 enum hd_alike_field from, enum hd_alike_field to, struct hd_err *err);
void hd_alike_release(struct hd_alike *a);

/* "the CPU model is A in the base and B in the head; the config's lambda ..." */
void hd_alike_sentence(struct hd_buf *out, const struct hd_alike *a);

/* The workload's part of a recorded command line; appended to out. */
void hd_alike_arguments(struct hd_buf *out, const char *command);

/* Keep only the runs that agree with `like`; returns how many were dropped. */
size_t hd_alike_keep(struct hd_side *s, const struct hd_side_run *like);

#endif
