/*
 * run_set.h - select the runs for one side (base or head) of a comparison
 *
 * The user names a side in one of these ways:
 *
 *     ID,ID,...       these runs (run_lookup.h has the forms of an id)
 *     COMMIT          the runs of a commit: a sha or a prefix of it, a branch, a tag, HEAD~3; COMMIT+ for a modified
 *                     tree
 *     latest          the newest run and the other runs of its commit; without a commit, of its session
 *     (head omitted)  the runs of HEAD; if the work tree is modified and has runs of its own, those instead; outside of
 *                     a git checkout, as `latest`
 *     (base omitted)  the runs of the merge base of the head and main; see run_set_base.h
 *
 * All runs of a set have the same target and mode.  Excluded are:
 *   - runs whose status is not ok (failed, interrupted, fixture)
 *   - runs of a modified work tree, unless the set was chosen for one or the user named each run
 *   - runs that `add --side` recorded for the other side of a comparison of two builds, unless the user named each run
 *
 * Lifetime: all strings belong to the set and are freed with it.  They are raw bytes, not necessarily UTF-8.  NULL
 * means unknown.  Not thread-safe.
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
 *     X(id, name in messages, type of its hd_row_field, column, true: may be missing)
 *
 * If the column is NULL, run_set_load.c derives the field from other columns.  If either run lacks a field that may be
 * missing, the field agrees, because older versions of hotdrift did not store it.
 */
#define HD_RUN_FIELDS_THAT_MUST_AGREE(X) \
	X(TARGET, "target", NAME, "r.target", false) \
	X(MODE, "mode", TEXT, "r.mode", false) \
	X(EVENT, "event", NAME, "e.name", false) \
	X(UNIT, "unit", NAME, "e.unit", false) \
	X(SAMPLING, "sampling", TEXT, "NULL", true) \
	X(CALL_GRAPH, "call graph", TEXT, "NULL", true) \
	X(INLINE, "inline mode", TEXT, "r.inline_mode", false) \
	X(SELECTION, "selection", NAME, "r.selection", false) \
	X(ARGUMENTS, "workload arguments", NAME, "r.command", false) \
	X(ENVIRONMENT, "environment", TEXT, "v.variables", true) \
	X(CONFIG, "config", TEXT, "f.sha256", false) \
	X(ARCH, "arch", TEXT, "m.arch", false) \
	X(CPU_MODEL, "CPU model", TEXT, "m.cpu_model", false) \
	X(CPU_ID, "CPU id", TEXT, "m.cpu_id", false) \
	X(CPU_FLAGS, "CPU flags", TEXT, "m.cpu_flags", false) \
	X(CPUS, "CPUs online", TEXT, "CAST(m.cpus_online AS TEXT)", false) \
	X(SMT, "SMT", TEXT, "m.smt", false)
/* A difference in one of these is only worth a warning. */
#define HD_RUN_FIELDS_TO_WARN_OF(X) \
	X(KERNEL, "kernel", TEXT, "m.kernel", false) \
	X(GOVERNOR, "governor", TEXT, "m.governor", false) \
	X(MICROCODE, "microcode", TEXT, "m.microcode", false) \
	X(STACK_BYTES, "bytes of stack a sample", TEXT, "CAST(e.stack_bytes AS TEXT)", true) \
	X(COMPILER, "compiler", TEXT, "r.compiler", true)

#define HD_RUN_FIELD_ID(id, name, type, column, optional) HD_RUN_FIELD_##id,
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
	const char *like[HD_RUN_FIELDS];	/* values of the fields, as text; NULL: unknown */
	int64_t event;			/* number of the event that is compared; -1: the run has series only */
	double weight, samples, lost;
	struct hd_rate rate;		/* sampling rate of the event */
	/*
	 * effective number of samples: (sum w)^2 / sum w^2 for sample weights w; the number of samples if that is
	 * unknown; the weight for folded text and for GPU times
	 */
	double effective;
	const char *stacks;		/* key of the folded stacks (db/blob.h), or NULL */
	double work;			/* units of work; NaN: unknown */
	const char *side;		/* word of `add --side` ('base', 'B'), or NULL */
	/*
	 * a gate of the run FAILed; no later gate of the run against the same base and event passed, and the failure is
	 * not acknowledged
	 */
	bool failed_gate;
};

struct hd_run_set {
	struct hd_arena arena;
	struct hd_run_set_member *runs;	/* oldest first; runs that the user named by id are in the order of the names */
	size_t n, cap;
	/* "" if the runs have no commit or several, or if only some of the trees were modified */
	char commit[65];
	/* text that names the set in messages: 4f1c2e8a1b2c, 4f1c2e8a1b2c+ (modified), a run id, or "5 runs" */
	char name[40];
	char how[160];			/* how it was selected: "merge-base", "HEAD", "as named" */
	size_t set_aside;		/* number of runs that were excluded */
	bool partial;			/* some of them are of the same commit, target and mode */
};

struct hd_run_set_filter {
	const char *dir;		/* folder of the checkout; NULL: "." */
	/*
	 * The strings are raw bytes.  target NULL: all runs that the user's name selects must have one target, else the
	 * result is HD_EUSAGE; for `latest`, the target of that run.  mode NULL: "cpu", or the mode of the newest run
	 * if no run has mode "cpu".  event NULL: for each run, the first event that has samples.  A run that does not
	 * have `event` also gets its first event with samples.
	 */
	const char *target, *mode, *event;
};

/*
 * Select the runs that `spec` names.  If `spec` is NULL, select the runs of the head.  Returns 0; HD_ENOBASE if none of
 * them can be compared; HD_EFORMAT if a name is malformed or unknown; HD_EUSAGE if a run is named twice, or if the runs
 * have several targets; or the code of a database error.  The caller releases `out`, except on failure.
 */
int hd_run_set_find(struct hd_run_set *out, struct hd_db *db, const char *spec, const struct hd_run_set_filter *filter,
	struct hd_err *err);

void hd_run_set_release(struct hd_run_set *s);

/* Keep the runs for which keep() returns true; count the others in set_aside, and set `partial`. */
void hd_run_set_keep(struct hd_run_set *s, bool (*keep)(const struct hd_run_set_member *r, const void *arg),
	const void *arg);
/*
 * Keep the runs that were recorded for the same side of a comparison (run.h: `side`) as the last run of the set.  The
 * runs of other sides are of another build of the program.
 */
void hd_run_set_keep_newest_side(struct hd_run_set *s);
/* Set commit and name from the runs. */
void hd_run_set_set_name(struct hd_run_set *s);

/*
 * Append the commit of the set (with a "+" if the tree was modified), or the ids of its runs separated by commas, as
 * stored in table gate_result.
 */
void hd_run_set_ref(struct hd_buf *out, const struct hd_run_set *s);

#endif
