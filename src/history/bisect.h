/*
 * bisect.h - the search for the first commit that moved a figure, and what it found
 *
 * What a commit is, its stored runs say, those that compare with the newest of either end; where there are none the
 * command makes them. Nothing else is remembered: a bisection that was cut off goes on when it is started again, because its
 * runs are in the database.
 *
 * A commit whose command fails, and one that is still unsure after `most` runs, is passed over.  When only such commits are left
 * between good and bad, all of them and the first bad one may be it.
 */
#ifndef HD_HISTORY_BISECT_H
#define HD_HISTORY_BISECT_H

#include "history/bisect_git.h"
#include "history/metric.h"
#include "stats/bisect_class.h"

struct hd_bisect_opts {
	const char *good, *bad;			/* as the user wrote them */
	const char *target, *event, *symbol, *object;
	const struct hd_metric *figure;		/* instead of a symbol; name NULL: none */
	double limit;				/* per cent; 0: the middle */
	unsigned runs, most; /* a commit gets so many, and when that leaves it unsure up to so many */
	bool clean;
	char *const *command;			/* NULL: stored runs alone */
	const char *db;				/* for the command: absolute, or a server's URL */
	/* Open the database for reading.  A failure is an error only without a command, which may create it. */
	int (*open)(struct hd_db **db, const void *context, struct hd_err *err);
	const void *open_context;
};

/* NOT_MOVED: a change of the limit is excluded.  UNSURE: the ends differ by no more than their runs do, but it may be there. */
enum hd_bisect_verdict { HD_BISECT_FOUND, HD_BISECT_ONE_OF, HD_BISECT_NOT_MOVED, HD_BISECT_NO_RUNS, HD_BISECT_UNSURE };

struct hd_bisect_step {
	char *sha;
	double mean;				/* NaN: not measured */
	size_t runs;
	bool built;				/* the command was run */
	enum hd_bisect_class side;
	double p;				/* of being on the wrong side by chance; NaN: unknown */
	int failed;				/* status of the command, 0: it did not fail */
};

struct hd_bisect {
	enum hd_bisect_verdict verdict;
	char *good, *bad;			/* in full */
	struct hd_bisect_class_ends ends;
	struct hd_interval change;		/* from good to bad, 95 %, in per cent of good; NaN: unknown */
	bool counting_only; /* no commit has two runs: the interval knows the error of counting samples only */
	double limit;				/* per cent: a change that NOT_MOVED excludes */
	double p; /* upper bound of the chance that a decided commit is on the wrong side; NaN: unknown */
	struct hd_shas left;			/* ONE_OF, NO_RUNS: what may be it; FOUND: it */
	struct hd_bisect_step *steps;
	size_t n, cap;
};

int hd_bisect(struct hd_bisect *b, struct hd_bisect_git *g, const struct hd_bisect_opts *o, struct hd_err *err);
void hd_bisect_release(struct hd_bisect *b);

#endif
