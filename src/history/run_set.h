/*
 * run_set.h - the runs that a user means by one side of a comparison
 *
 *     ID,ID,...           these runs (run_load.h: ids, starts of ids, hashes, latest~2)
 *     a commit            its runs: a sha or its start, a branch, a tag, HEAD~3
 *     latest              the runs beside the newest one: of its commit, else of its session, else itself
 *     nothing, as head    the runs of HEAD; of a modified checkout those of the modified tree, if there are any
 *     nothing, as base    the runs of the merge-base of the head with `onto` (main); see hd_run_set_base
 *
 * A side's runs are of one target and one mode, and of its commit as it is: what ran with
 * modified files stands apart, and so do runs that were made for two sides (`add --side`).
 * Runs whose status is not ok (failed, interrupted, fixture) are on no side.
 *
 * Strings are raw bytes that live as long as the side; NULL is not known.
 */
#ifndef HD_HISTORY_RUN_SET_H
#define HD_HISTORY_RUN_SET_H

#include "base/arena.h"
#include "base/log.h"
#include "profile/rate.h"
#include "db/db.h"

/*
 * The fields that decide whether two runs are comparable (comparability.h), one row each:
 *
 *     X(id, name in messages, how run_set_load.c reads it, columns with a trailing comma, true: may be missing)
 *
 * A field that may be missing agrees if either run lacks it, because older versions of hotdrift did not store it.
 */
#define HD_RUN_FIELDS_THAT_MUST_AGREE(X) \
	X(TARGET, "target", NAME, "r.target, r.target_raw, ", false) \
	X(MODE, "mode", TEXT, "r.mode, ", false) \
	X(EVENT, "event", NAME, "e.name, e.name_raw, ", false) \
	X(UNIT, "unit", NAME, "e.unit, e.unit_raw, ", false) \
	X(SAMPLING, "sampling", DERIVED, "", true) \
	X(CALL_GRAPH, "call graph", DERIVED, "", true) \
	X(INLINE, "inline mode", TEXT, "r.inline_mode, ", false) \
	X(SELECTION, "selection", NAME, "r.selection, r.selection_raw, ", false) \
	X(ARGUMENTS, "workload arguments", COMMAND, "r.command, r.command_raw, ", false) \
	X(ENVIRONMENT, "environment", TEXT, "v.variables, ", true) \
	X(CONFIG, "config", TEXT, "f.sha256, ", false) \
	X(ARCH, "arch", TEXT, "m.arch, ", false) \
	X(CPU_MODEL, "CPU model", TEXT, "m.cpu_model, ", false) \
	X(CPU_ID, "CPU id", TEXT, "m.cpu_id, ", false) \
	X(CPU_FLAGS, "CPU flags", TEXT, "m.cpu_flags, ", false) \
	X(CPUS, "CPUs online", TEXT, "CAST(m.cpus_online AS TEXT), ", false) \
	X(SMT, "SMT", TEXT, "m.smt, ", false)
/* A difference in one of these is only worth a warning. */
#define HD_RUN_FIELDS_TO_WARN_OF(X) \
	X(KERNEL, "kernel", TEXT, "m.kernel, ", false) \
	X(GOVERNOR, "governor", TEXT, "m.governor, ", false) \
	X(MICROCODE, "microcode", TEXT, "m.microcode, ", false) \
	X(STACK_BYTES, "bytes of stack a sample", TEXT, "CAST(e.stack_bytes AS TEXT), ", true) \
	X(COMPILER, "compiler", TEXT, "r.compiler, ", true)

#define HD_RUN_FIELD_ID(id, name, read, columns, optional) HD_RUN_FIELD_##id,
enum hd_run_field {
	HD_RUN_FIELDS_THAT_MUST_AGREE(HD_RUN_FIELD_ID)
	HD_RUN_FIELD_MUST_AGREE,
	HD_RUN_FIELD_LAST_THAT_MUST_AGREE = HD_RUN_FIELD_MUST_AGREE - 1,
	HD_RUN_FIELDS_TO_WARN_OF(HD_RUN_FIELD_ID)
	HD_RUN_FIELDS
};

struct hd_run_set_member {
	int64_t row;			/* run.id */
	const char *id, *recorded, *status, *commit, *parents, *session, *boot_id;
	bool dirty;			/* tracked files were modified */
	const char *like[HD_RUN_FIELDS];
	/* The event that is compared; -1: a run of series alone. */
	int64_t event;
	double weight, samples, lost;
	struct hd_rate rate;	/* of the event */
	double effective;		/* samples, with varying weights (sum w)^2 / sum w^2 */
	const char *stacks;		/* key of db/blob.h */
	double work;			/* units of work done; NaN: not known */
	const char *side;		/* of a comparison that it was made for ('base', 'B'), or NULL */
	bool failed_gate; /* a gate said FAIL of it; since then it did not pass, and not all that failed is acknowledged */
};

struct hd_run_set {
	struct hd_arena arena;
	struct hd_run_set_member *runs;	/* oldest first */
	size_t n, cap;
	char commit[65];		/* "" when the runs are of none, or of several */
	char name[40];			/* for people: 4f1c2e8a1b2c, 4f1c2e8a1b2c+ when modified, a run's id, 5 runs */
	char how[160]; /* why these: "merge-base", "2 before the merge-base, which has no runs", "HEAD", "as named" */
	size_t set_aside;		/* runs there that could not be compared, or failed */
};

struct hd_run_set_filter {
	const char *dir;		/* of the checkout; NULL: "." */
	const char *target, *mode, *event;	/* raw; NULL: the newest run's (mode: cpu when there is one) */
};

/* What the user named, or the head when spec is NULL.  HD_ENOBASE: there are no such runs, and why. */
int hd_run_set_find(struct hd_run_set *out, struct hd_db *db, const char *spec, const struct hd_run_set_filter *filter,
	struct hd_err *err);

void hd_run_set_release(struct hd_run_set *s);

/* Keep the runs for which keep() holds; the others are counted as set aside. */
void hd_run_set_keep(struct hd_run_set *s, bool (*keep)(const struct hd_run_set_member *r, const void *arg),
	const void *arg);
/* Of runs that were made to be compared with each other (run.side) those of the newest one's side: another is another build. */
void hd_run_set_keep_newest_side(struct hd_run_set *s);
/* Name it after its runs. */
void hd_run_set_set_name(struct hd_run_set *s);

/* Commas between the ids, or the commit: what gate_result calls this side. */
void hd_run_set_ref(struct hd_buf *out, const struct hd_run_set *s);

#endif
