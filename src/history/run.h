/*
 * run.h - one run, as it goes into the database
 *
 *     struct hd_run run = { .target = "serve", ... };
 *     rc = hd_run_add(db, &run, &ticket, err);
 *
 * The whole run is written in one transaction, with everything it refers to, or
 * nothing is.  Afterwards it is never changed.
 *
 * Its id is 20261120T140102Z-ab12cd3-5e6f7a8b: when it was recorded, the commit
 * ("nocommit" without one), the first digits of its hash in the chain (trust/chain.h).  The
 * hash covers the run before it, so that a recording that is added twice is two runs
 * with two ids; hd_run_find_input tells in advance.
 *
 * All strings are borrowed raw bytes without NUL; NULL is "not known" where that is
 * said.  Costs above INT64_MAX are refused (HD_EFORMAT): no database could sum them.
 */
#ifndef HD_HISTORY_RUN_H
#define HD_HISTORY_RUN_H

#include "base/log.h"
#include "profile/rate.h"
#include "history/config.h"
#include "db/db.h"
#include "history/git_commit.h"
#include "history/machine.h"

struct hd_signing_key;

/* One symbol table entry; shares nothing with other rows but names. */
struct hd_run_hotspot {
	const char *object;		/* path as recorded; NULL: no mapping covered the address */
	const char *build_id;		/* hexadecimal, or NULL */
	bool kernel;
	const char *linkage;		/* name in the symbol table; NULL: an address nobody names */
	const char *name;		/* as displayed; NULL with linkage */
	bool has_vaddr;
	uint64_t vaddr;			/* start as linked; of an address nobody names: itself */
	uint64_t self, total, samples;
	bool has_inline;
	uint64_t inline_self, inline_total;
};

struct hd_run_event {
	const char *name, *unit;
	uint64_t samples, weight, lost;
	const struct hd_run_hotspot *hotspots;	/* in the order of their rank, costliest first */
	size_t nhotspots;
	const char *folded;		/* NULL: none kept; then each hotspot gets a row, else see hotspot_rest.h */
	size_t folded_len;
	double effective;		/* samples, (sum w)^2 / sum w^2 over their weights; 0: not known */
	struct hd_rate rate;
};

/* A number about a series, as `stats` and `energy` have it. */
struct hd_run_stat {
	const char *name;		/* n, mean, std, p50, ..., joules */
	double value;			/* finite */
	bool has_interval;
	double lo, hi;			/* of 95 % */
};

/* One column of a CSV file. */
struct hd_run_series {
	const char *kind;		/* latency, memory, power, gpu, results, other */
	const char *name, *unit;
	const char *method; /* how joules were measured: "counter of intel-rapl package-0", in visible form; or NULL */
	uint64_t samples;		/* rows with a value */
	const char *csv;		/* the text of the file; NULL: none kept */
	size_t csv_len;
	const struct hd_run_stat *stats;
	size_t nstats;
};

struct hd_run_artifact {
	const char *kind;		/* "recording", "series", "file" */
	const char *path;
	int64_t bytes;			/* -1: not known */
	const char *sha256;		/* or NULL */
};

struct hd_run_dropped {
	const char *reason;
	uint64_t samples;
};

struct hd_run {
	int64_t recorded;		/* seconds since 1970 */
	const char *target;		/* what was profiled, as the user calls it; at most HD_RUN_TARGET bytes */
	const char *mode;		/* cpu, memory, gpu, async, syscall */
	const char *status;		/* "ok", "failed", "interrupted", "fixture" */
	const char *command;		/* of the workload, or NULL */
	int exit_status;		/* of the workload, -1: not known */
	const char *session;		/* a word that the runs of one job share, or NULL */
	const char *side;		/* of a comparison that it was made for, a word; or NULL */
	double work;			/* units of work that it did; 0: not known */
	const char *selection;		/* what counts of the recording (pipeline/selection_text.h), or NULL: all */
	const char *inline_mode;	/* what self and total mean: "no-inline", "inline" */
	const char *variables;		/* of its environment, as environment.h writes them, or NULL */
	const char *compiler;		/* of the program that cost most, in its visible form; or NULL */
	bool has_load;
	double load_average;		/* of one minute, of the machine */

	const struct hd_git_commit *git;	/* or NULL */
	const struct hd_machine *machine;	/* or NULL */
	const struct hd_config *config;	/* or NULL */

	uint64_t read, kept;		/* samples; read = kept + the dropped ones */
	const struct hd_run_dropped *dropped;
	size_t ndropped;
	const struct hd_log *warnings;	/* of the reader, or NULL */

	const struct hd_run_event *events;
	size_t nevents;
	const struct hd_run_artifact *artifacts;
	size_t nartifacts;
	const struct hd_run_series *series;
	size_t nseries;

	const struct hd_signing_key *key;	/* signs it as the chain's head (trust/anchor.h), or NULL */
};

enum { HD_RUN_TARGET = 500 };

/* Is there anything in it that no database could hold?  HD_EFORMAT, HD_EUSAGE.  hd_run_add asks, too. */
int hd_run_check(const struct hd_run *run, struct hd_err *err);

#endif
