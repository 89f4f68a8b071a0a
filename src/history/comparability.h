/*
 * comparability.h - decide whether two runs can be compared
 *
 * Two runs are comparable if they agree in everything that determines how fast the same code runs and what was
 * measured.  The fields are in run_set.h:
 *
 *     must agree   target, mode, event, unit, sampling (frequency or fixed period), call graph (none, fp, dwarf,
 *                  lbr), inline mode, selection, workload arguments, environment (the variables that hotdrift.ini
 *                  names), config (build flags and the rest of it), arch, CPU model, CPU id, CPU flags, CPUs online,
 *                  SMT
 *     warned of    kernel, governor, microcode, bytes of stack per sample, compiler
 *
 * A field that both runs lack agrees; a field that one run lacks differs, except for the fields that older versions of
 * hotdrift did not store (sampling, call graph, environment, bytes of stack, compiler).
 *
 * The arguments are those of the workload: the options of `perf record` and the folder of the program do not count.
 */
#ifndef HD_HISTORY_COMPARABILITY_H
#define HD_HISTORY_COMPARABILITY_H

#include "history/run_set.h"

struct hd_comparability_difference {
	char *field;			/* "CPU model", "config: flags[2]" */
	char *base, *head;		/* NULL: unknown, or absent */
};

struct hd_comparability {
	struct hd_comparability_difference *items;
	size_t n, cap;
};

/* Return true if all fields that must agree do agree. */
bool hd_comparable(const struct hd_run_set_member *a, const struct hd_run_set_member *b);
/* Return how many of the fields that must agree differ. */
unsigned hd_comparability_distance(const struct hd_run_set_member *a, const struct hd_run_set_member *b);
/*
 * List the fields in [from, to) that differ.  Configurations are loaded from db and compared member by member
 * (config_diff.h).  The caller releases `out`, except on failure.
 */
int hd_comparability_differences(struct hd_comparability *out, struct hd_db *db, const struct hd_run_set_member *base,
	const struct hd_run_set_member *head, enum hd_run_field from, enum hd_run_field to, struct hd_err *err);
void hd_comparability_release(struct hd_comparability *a);

/* Append a sentence: "CPU model is A in the base and B in the head; config: lambda is ..." */
void hd_comparability_sentence(struct hd_buf *out, const struct hd_comparability *a);

/* Keep the runs that are comparable with `like` (which may be one of them).  Returns the number of dropped runs. */
size_t hd_comparability_keep(struct hd_run_set *s, const struct hd_run_set_member *like);

#endif
