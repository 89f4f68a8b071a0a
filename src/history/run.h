/*
 * run.h - the data of one run that run_add.h writes into the database
 *
 * All strings are borrowed and consist of raw bytes without NUL.  If a member may be NULL, its comment
 * mentions NULL, which means unknown where no other meaning is given.  Costs above INT64_MAX are rejected (HD_EFORMAT),
 * since databases cannot store them.
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

/* The cost of one symbol, or of an address that no symbol covers. */
struct hd_run_hotspot {
	const char *object;		/* path as recorded; NULL: no mapping covered the address */
	const char *build_id;		/* hexadecimal, or NULL */
	bool kernel;
	const char *linkage;		/* name in the symbol table; NULL: an unresolved address */
	const char *name;		/* displayed name; NULL if linkage is NULL */
	bool has_vaddr;
	uint64_t vaddr;			/* start of the symbol as linked; or the unresolved address */
	uint64_t self, total, samples;
	bool has_inline;
	uint64_t inline_self, inline_total;
};

struct hd_run_event {
	const char *name, *unit;
	uint64_t samples, weight, lost;
	const struct hd_run_hotspot *hotspots;	/* ordered by rank, costliest first */
	size_t nhotspots;
	const char *folded;		/* folded stacks; NULL: not stored, and every hotspot gets a row */
	size_t folded_len;
	/* effective sample count, (sum w)^2 / sum w^2, where w is the weight of a sample; 0: unknown */
	double effective;
	struct hd_rate rate;
};

/* A statistic of a series, as `stats` and `energy` print it. */
struct hd_run_stat {
	const char *name;		/* n, mean, std, p50, ..., joules */
	double value;			/* finite */
	bool has_interval;
	double lo, hi;			/* 95 % confidence interval */
};

/* A column of a CSV file. */
struct hd_run_series {
	/* latency, memory, power, gpu, results, benchmark, operation, allocation, span, other */
	const char *kind;
	const char *name, *unit;
	/*
	 * for energy, how joules were measured: "counter of intel-rapl package-0"; for a micro-benchmark, its tool;
	 * else NULL
	 */
	const char *method;
	uint64_t samples;		/* rows with a value */
	const char *csv;		/* the text of the file; NULL: not stored */
	size_t csv_len;
	const struct hd_run_stat *stats;
	size_t nstats;
	const char *const *covers;	/* symbols that a micro-benchmark covers (run_benchmarks.h), or NULL */
	size_t ncovers;
};

struct hd_run_artifact {
	const char *kind;		/* "recording", "series", "file" */
	const char *path;
	int64_t bytes;			/* -1: unknown */
	const char *sha256;		/* hexadecimal; NULL: unknown */
};

struct hd_run_dropped {
	const char *reason;
	uint64_t samples;
};

struct hd_run {
	int64_t recorded;		/* seconds since 1970 */
	const char *target;		/* the user's name for what was profiled; at most HD_RUN_TARGET bytes */
	const char *mode;		/* such as cpu, memory, gpu, async, syscall */
	const char *status;		/* "ok", "failed", "interrupted", "fixture" */
	const char *command;		/* command line of the workload, or NULL */
	int exit_status;		/* exit status of the workload; -1: unknown */
	const char *session;		/* a word that all runs of one job have in common, or NULL */
	const char *side;		/* "base", ...: the side if the run was recorded for a comparison; or NULL */
	double work;			/* units of work done: requests, tokens, ...; 0: unknown */
	const char *selection;		/* options that select samples (pipeline/selection_text.h); NULL: all */
	const char *inline_mode;	/* how self and total are computed: "no-inline", "inline" */
	const char *variables;		/* environment variables as a text (environment.h); or NULL */
	/* compiler of the user object with the most samples among those with symbols, or NULL; in visible form */
	const char *compiler;
	bool has_load;
	double load_average;		/* load average of the machine over one minute */

	const struct hd_git_commit *git;	/* or NULL */
	const struct hd_machine *machine;	/* or NULL */
	const struct hd_config *config;	/* or NULL */

	uint64_t read, kept;		/* samples; read = kept + dropped */
	const struct hd_run_dropped *dropped;
	size_t ndropped;
	const struct hd_log *warnings;	/* warnings of the reader, or NULL */

	const struct hd_run_event *events;
	size_t nevents;
	const struct hd_run_artifact *artifacts;
	size_t nartifacts;
	const struct hd_run_series *series;
	size_t nseries;

	/* key that signs the new head of the hash chain, which is this run (trust/anchor.h); NULL: do not sign */
	const struct hd_signing_key *key;
	bool once;			/* do not add it if its recording is already stored */
};

enum { HD_RUN_TARGET = 500 };

/*
 * Check that the database can store the run.  HD_EFORMAT: a cost is too large, or a statistic is not finite;
 * HD_EUSAGE: the name of the target is too long.  hd_run_add() calls this.
 */
int hd_run_check(const struct hd_run *run, struct hd_err *err);

#endif
