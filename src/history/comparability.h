/*
 * comparability.h - like is compared only with like
 *
 * Two runs can be compared when they agree in what decides how fast the same code is and
 * what was measured of it.  What they differ in is named, field by field; of configurations
 * the fields inside of them (history/config_diff.h).  A field that neither knows agrees; one
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
#ifndef HD_HISTORY_COMPARABILITY_H
#define HD_HISTORY_COMPARABILITY_H

#include "history/run_set.h"

struct hd_comparability_difference {
	char *field;			/* "CPU model", "config: flags[2]" */
	char *base, *head;		/* NULL: not known, or absent */
};

struct hd_comparability {
	struct hd_comparability_difference *items;
	size_t n, cap;
};

/* Do they agree in all that must? */
bool hd_comparable(const struct hd_run_set_member *a, const struct hd_run_set_member *b);
/* The number of fields that must agree and do not. */
unsigned hd_comparability_distance(const struct hd_run_set_member *a, const struct hd_run_set_member *b);
/* In which fields from `from` to below `to` they differ; fields of configurations are asked of db. */
int hd_comparability_differences(struct hd_comparability *out, struct hd_db *db, const struct hd_run_set_member *base,
	const struct hd_run_set_member *head, enum hd_run_field from, enum hd_run_field to, struct hd_err *err);
void hd_comparability_release(struct hd_comparability *a);

/* "the CPU model is A in the base and B in the head; the config's lambda ..." */
void hd_comparability_sentence(struct hd_buf *out, const struct hd_comparability *a);

/* Keep only the runs that agree with `like`; returns how many were dropped. */
size_t hd_comparability_keep(struct hd_run_set *s, const struct hd_run_set_member *like);

#endif
