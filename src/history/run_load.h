/*
 * run_load.h - load a run from the database
 *
 * Strings are the raw bytes that were stored, NUL-terminated; NULL if unknown.  They belong to the loaded run or, after
 * hd_run_load_list(), to the list.  Unknown integers are -1.
 */
#ifndef HD_HISTORY_RUN_LOAD_H
#define HD_HISTORY_RUN_LOAD_H

#include "base/arena.h"
#include "profile/rate.h"
#include "db/row_reader.h"

/* A hotspot with samples; functions that have an inline cost only are not loaded. */
struct hd_stored_hotspot {
	int64_t rank, symbol;		/* symbol: symbol.id */
	const char *object;		/* path as recorded; NULL: no mapping covers the address */
	const char *build_id;
	const char *linkage, *name;	/* NULL: an unresolved address; the rest has a name but no linkage name */
	bool rest;			/* this row is the sum of many small symbols (hotspot_rest.h) */
	const char *vaddr;		/* as text, 0x%016x; NULL: unknown */
	int64_t self, total, samples;
	int64_t inline_self, inline_total;
};

struct hd_stored_event {
	int64_t event;			/* number of the event in the run */
	const char *name, *unit;
	int64_t weight, samples, lost;
	const char *stacks;		/* key of the folded stacks (db/blob.h), or NULL */
	int64_t symbols;		/* number of symbols with samples; `hotspots` has only nhotspots of them */
	/* number of symbols whose costs are stored as one sum, the row [rest]; 0: there is no such row */
	int64_t rest_symbols;
	double effective;		/* effective sample count (run.h); NaN: unknown */
	struct hd_rate rate;
	struct hd_stored_hotspot *hotspots;
	size_t nhotspots, cap_hotspots;
};

struct hd_stored_artifact {
	const char *kind, *path, *sha256;
	int64_t bytes;
};

/* A statistic of a series; lo and hi are NaN without an interval. */
struct hd_stored_stat {
	const char *name;
	double value, lo, hi;
};

struct hd_stored_series {
	int64_t series;			/* number of the series in the run */
	const char *kind, *name, *unit;
	int64_t samples;
	const char *csv;		/* key of the text of the CSV file (db/blob.h), or NULL */
	const char *method;		/* how joules were measured, or NULL: see run.h */
	struct hd_stored_stat *stats;
	size_t nstats;
};

/* Either samples that were dropped, `count` of them for `reason` (text is ""), or a warning with the code `reason`. */
struct hd_stored_loss {
	const char *reason;
	int64_t count;
	const char *text;
};

struct hd_stored_run {
	struct hd_arena arena;
	int64_t row;			/* run.id */
	const char *id, *recorded, *added, *target, *mode, *status, *command, *session, *boot_id, *inline_mode, *branch;
	const char *selection, *side;	/* see run.h */
	double work;			/* NaN: unknown */
	const char *compiler, *variables;	/* in visible form; variables: a text of environment.h */
	double load_average;		/* NaN: unknown */
	const char *hotdrift, *origin, *content_hash, *prev_hash, *run_hash;
	int64_t exit_status, dirty, read, kept, seq;
	const char *commit, *parents, *committed, *subject;
	const char *config, *config_form;
	const char *machine, *machine_source, *arch, *cpu_model, *kernel, *microcode, *governor, *hostname, *smt;
	int64_t cpus_online, memory_bytes;

	struct hd_stored_event *events;
	size_t nevents, cap_events;
	struct hd_stored_artifact *artifacts;
	size_t nartifacts;
	struct hd_stored_loss *dropped, *warnings;
	size_t ndropped, nwarnings;
	struct hd_stored_series *series;	/* set by hd_run_load_series() */
	size_t nseries;
};

/*
 * Load the run with run.id = row, with at most `hotspots` hotspots of each event, but without its series.  HD_EIO:
 * there is no such run.  The caller releases *p, except on failure.
 */
int hd_run_load(struct hd_stored_run *p, struct hd_db *db, int64_t row, unsigned hotspots, struct hd_err *err);
/* Load a run like hd_run_load(), but without artifacts, dropped samples and warnings. */
int hd_run_load_brief(struct hd_stored_run *p, struct hd_db *db, int64_t row, unsigned hotspots, struct hd_err *err);
/*
 * Load n different runs like hd_run_load_brief(), with a number of statements that does not depend on n (only events
 * that were stored without their number of symbols take one more each).  runs[i] is the run with run.id = rows[i].  The
 * caller releases *list, except on failure.
 */
struct hd_run_list {
	struct hd_stored_run *runs;
	size_t n;
	struct hd_arena arena;		/* strings of all runs */
};
int hd_run_load_list(struct hd_run_list *list, struct hd_db *db, const int64_t *rows, size_t n, unsigned hotspots,
	struct hd_err *err);
void hd_run_list_release(struct hd_run_list *list);
/* Load the series of a run that was loaded. */
int hd_run_load_series(struct hd_stored_run *p, struct hd_db *db, struct hd_err *err);
void hd_run_load_release(struct hd_stored_run *p);

/* Return the index of that event of run p that has the name and the unit of e; p->nevents if there is none. */
size_t hd_run_load_find_event(const struct hd_stored_run *p, const struct hd_stored_event *e);

/*
 * Sum the self cost of all symbols with this normalised name and of one object in an event of the run with run.id =
 * row; 0 if it has none.  object: the last part of its path; NULL: the object with the largest sum.
 */
int hd_run_load_symbol_self(int64_t *self, struct hd_db *db, int64_t row, int64_t event, const char *normal,
	const char *object, struct hd_err *err);

/*
 * Fields (db/row_reader.h) that read table event into a struct hd_rate; hd_run_load_settle_rate() checks what was
 * read.
 */
#define HD_RUN_LOAD_RATE_FIELDS(type, member)						\
	HD_ROW(type, member.frequency_hz, "frequency_hz", COUNT),		\
	HD_ROW(type, member.period, "period", COUNT),			\
	HD_ROW(type, member.recorded, "throttled", KNOWN),			\
	HD_ROW(type, member.throttled, "throttled", COUNT),		\
	HD_ROW(type, member.unthrottled, "unthrottled", COUNT),		\
	HD_ROW(type, member.silent, "silent", REAL),			\
	HD_ROW(type, member.enabled_ns, "enabled_ns", COUNT),		\
	HD_ROW(type, member.running_ns, "running_ns", COUNT),		\
	HD_ROW(type, member.call_graph, "call_graph", TEXT),		\
	HD_ROW(type, member.stack_bytes, "stack_bytes", COUNT),
void hd_run_load_settle_rate(struct hd_rate *s);

/* Return 100 * part / whole; 0 if whole is 0. */
double hd_run_load_pct(int64_t part, int64_t whole);

#endif
