/*
 * profile_source.h - read the profile that an operand names: a recording, a run, or the runs of a commit
 *
 *     perf.data, ci.hdb, -        a file (or standard input); an existing file takes precedence
 *     latest, latest:serve~1      one run, by any name of history/run_lookup.h; run:NAME is never a file
 *     HEAD~1, main, v1.2, 4f1c2e  the runs of a commit (history/run_set.h), their stacks added up
 *     ID,ID,...                   these runs, their stacks added up
 *
 * The reader rebuilds a profile from the stored folded stacks of one event.  A run that was added without its stacks
 * has functions only, and a warning says so.  If there are several runs, those without stacks are ignored with a
 * warning; if none of them has stacks, the reader fails with HD_EFORMAT.
 */
#ifndef HD_CLI_PROFILE_SOURCE_H
#define HD_CLI_PROFILE_SOURCE_H

#include "profile/top.h"
#include "cli/db_option.h"
#include "cli/input.h"

struct hd_profile_source {
	struct hd_profile *p;
	/* index of the event in p->events; 0 for a file that hd_profile_source_open() has read */
	uint32_t event;
	double samples;		/* effective number of samples of the event; 0: take it from the profile */
	char *run;		/* name of the run or runs: an id, or `COMMIT (5 runs)`; NULL for a file */
	char *machine, *config, *inline_mode, *target;	/* properties of the first run; NULL: unknown, or a file */
	/* ids of the runs, each followed by a comma, for hd_run_set_find(); NULL for a file */
	char *ids;
	size_t nruns;		/* number of runs added up, also of runs without stacks; 0 or 1 for a file */
	double work;		/* units of work of all runs; 0: unknown */
	/*
	 * tops.of[0]: the stored list of functions of the event.  It has the self cost of whole functions, inlined code
	 * included, which stored stacks do not have.  tops.n is 0 for a file.
	 */
	struct hd_tops tops;
};

/*
 * Read the profile of `what` into *e.  event: name of the event, or NULL for the main event (hd_input_main_event(): the
 * first one with samples, GPU events before others); ignored for folded text.  Returns HD_EFORMAT for unknown events,
 * runs and commits; HD_ENOBASE if there is no run for `latest`.  If `what` is neither a file nor a run, the message
 * describes both attempts.
 */
int hd_profile_source_read(struct hd_profile_source *e, const char *what, const char *event, const struct hd_input *in,
	const struct hd_db_option *db, struct hd_log *log, struct hd_err *err);
void hd_profile_source_release(struct hd_profile_source *e);

/*
 * Return the stored list of functions, which has the costs of whole functions; NULL: it is a file, or samples are
 * selected, and only the stored stacks tell which.
 */
const struct hd_top *hd_profile_source_functions(const struct hd_profile_source *e, const struct hd_input *in);

/*
 * Warn if the two sides of a comparison differ in a way that makes their shares or stacks hard to compare: in the unit
 * of the event, machine, configuration, call graph, or in how inlined functions are counted.
 */
void hd_profile_source_warn_unlike(const struct hd_profile_source *base, const struct hd_profile_source *head,
	const struct hd_input *in, struct hd_log *log);

/*
 * Like hd_profile_source_read(), for commands that read a recording.  The database is in->db.  If `what` names a run,
 * only the event of the first --event is read; a file is read with all events.  empty: accept a file without samples.
 */
int hd_profile_source_open(struct hd_profile_source *e, const char *what, const struct hd_input *in, bool empty,
	struct hd_log *log, struct hd_err *err);
/*
 * Find the file that `what` names, for commands that need more than the stored stacks of a run.  *path, which the
 * caller frees, is `what` if that is a file.  If it is a run, *path is a file whose content was added as that run: the
 * recording or its bundle, at its stored path or in a folder of the same name beside the database.  Of several runs (a
 * commit) it is a file of the newest run that has one.  HD_EFORMAT if there is none; the message has the reason.
 *
 * The database of a run is not needed afterwards, so the process then enters the sandbox with the output file `out`.
 */
int hd_profile_source_recording(char **path, const char *what, const struct hd_input *in, const char *out,
	struct hd_err *err);
/*
 * Like hd_profile_source_open().  If `what` names a run and in->ingest.no_inline is set, add a warning: the stored
 * costs count inlined functions separately, not as part of the function that contains them.
 */
int hd_profile_source_open_stacks(struct hd_profile_source *e, const char *what, const struct hd_input *in,
	struct hd_log *log, struct hd_err *err);
/* Like hd_profile_source_open_stacks(), but return only the profile; the caller frees it; NULL on failure. */
int hd_profile_source_read_profile(struct hd_profile **p, const char *what, const struct hd_input *in,
	struct hd_log *log, struct hd_err *err);

#endif
