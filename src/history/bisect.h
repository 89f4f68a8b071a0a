/*
 * bisect.h - find the first commit that changed a symbol's share or a metric
 *
 * A commit is classified by its stored runs that are comparable with the newest run of the bad commit or, if it has
 * none, of the good one.  If there are too few, the user's command records more.  All state is in the database, so an
 * interrupted bisection continues when it is started again.
 *
 * A commit is skipped if its command fails, or if it is still unsure after `most` runs.  If only such commits
 * remain between good and bad, the result is a list: any of them, or the first bad commit, may have made the
 * change.
 */
#ifndef HD_HISTORY_BISECT_H
#define HD_HISTORY_BISECT_H

#include "history/bisect_git.h"
#include "history/metric.h"
#include "stats/bisect_class.h"

struct hd_bisect_opts {
	const char *good, *bad;			/* as the user wrote them */
	const char *target, *event, *symbol, *object;
	/* the metric to bisect; if its name is NULL, the symbol is bisected */
	const struct hd_metric *figure;
	/*
	 * distance of the threshold from the value of the good commit towards that of the bad one, in per cent of the
	 * value of the good commit; 0: half way between good and bad
	 */
	double limit;
	/*
	 * number of runs that a commit needs, stored ones included; a commit that these do not classify gets more, up
	 * to `most`
	 */
	unsigned runs, most;
	bool clean;				/* remove untracked files before each build */
	char *const *command;			/* NULL: use stored runs only */
	const char *db;				/* passed to the command: an absolute path or a URL */
	/*
	 * Open the database for reading.  If there is a command, a failure is not an error, because the command may
	 * create the database.
	 */
	int (*open)(struct hd_db **db, const void *context, struct hd_err *err);
	const void *open_context;
};

/*
 * The result of a bisection:
 *
 *     FOUND       a single commit made the change
 *     ONE_OF      one of several commits made it: those between the last good and the first bad one were skipped
 *     NO_RUNS     one of several commits made it: those between the last good and the first bad one have no runs, or
 *                 too few to be classified, and no command was given that records more
 *     NOT_MOVED   good and bad do not differ: the runs exclude a change of `limit`
 *     UNSURE      good and bad do not differ significantly, but a change of `limit` is not excluded either
 */
enum hd_bisect_verdict { HD_BISECT_FOUND, HD_BISECT_ONE_OF, HD_BISECT_NOT_MOVED, HD_BISECT_NO_RUNS, HD_BISECT_UNSURE };

struct hd_bisect_step {
	char *sha;
	double mean;				/* mean of its runs: share in per cent, or metric; NaN: not measured */
	size_t runs;
	bool built;				/* the commit was checked out to execute the command */
	enum hd_bisect_class side;
	double p;				/* probability of a wrong class; NaN: unknown */
	int failed;				/* exit status of the failed command; 0: it did not fail */
};

struct hd_bisect {
	enum hd_bisect_verdict verdict;
	char *good, *bad;			/* full shas */
	struct hd_bisect_class_ends ends;
	/* change from good to bad with its 95 % interval, in per cent of good; NaN: unknown */
	struct hd_interval change;
	bool counting_only;			/* no commit has two runs: the interval covers counting noise only */
	double limit;				/* per cent: the change that NOT_MOVED excludes */
	/* probability that a commit was put into the wrong class (upper bound); NaN: unknown */
	double p;
	struct hd_shas left;			/* the candidates; for FOUND the commit */
	struct hd_bisect_step *steps;
	size_t n, cap;
};

/*
 * Run the bisection.  The caller releases *b, unless the function fails.  HD_EUSAGE: `good` is not an ancestor of
 * `bad`, or they are the same commit.  HD_EFORMAT: a commit or the symbol is unknown.  HD_ENOBASE: there is no command,
 * and good or bad has no run.  HD_EIO: the command fails at good or bad, is killed by a signal, or adds no run.
 */
int hd_bisect(struct hd_bisect *b, struct hd_bisect_git *g, const struct hd_bisect_opts *o, struct hd_err *err);
void hd_bisect_release(struct hd_bisect *b);

#endif
