/*
 * sweep.h - sessions of one command for several input sizes or iteration counts
 *
 *     struct hd_bench_sweep s;
 *     rc = hd_bench_sweep_init(&s, &opts, err);
 *     while (rc >= 0 && (rc = hd_bench_sweep_next(&s, argc, argv, &session, err)) > 0)
 *             ...     hd_bench_measure(&session->b, ...), hd_bench_report_make(&session->r, ...)
 *     rc = hd_bench_sweep_fit(&s, err);
 *     hd_bench_sweep_release(&s);
 *
 * --sizes 1000,2000 makes a session for each size, with {size} replaced in the commands and in --input, --prepare,
 * --conclude and --throughput.  --iterations does the same with {iterations}.  Without either there is one session.
 *
 * The report fits the times of sizes by stats/growth.h, and those of iterations by a straight line: its slope is the
 * time of one iteration, without the start of the process.
 */
#ifndef HD_BENCH_SWEEP_H
#define HD_BENCH_SWEEP_H

#include "base/arena.h"
#include "bench/bench.h"
#include "stats/growth.h"

enum { HD_BENCH_SWEEP_MAX = 64 };

struct hd_bench_session {
	double value;			/* the size or the number of iterations */
	struct hd_bench_opts o;		/* with the value inserted; b.o points to it */
	struct hd_bench b;
	struct hd_bench_report r;
	bool reported;			/* `r` is valid; set by the caller after hd_bench_report_make() */
	struct hd_arena text;
};

/* The straight line of time over iterations. */
struct hd_bench_line {
	bool known;
	struct hd_fit fit;		/* time in microseconds as a function of the iterations */
	/* 95 % interval of the slope (Student's t); infinite with fewer than three runs, or if the slope is 0 */
	struct hd_interval slope;
};

struct hd_bench_sweep {
	const struct hd_bench_opts *o;
	const char *word;		/* "size" or "iterations"; NULL: one session */
	double values[HD_BENCH_SWEEP_MAX];
	size_t n;			/* number of `values` */
	struct hd_bench_session *sessions;	/* n of them; `begun` are in use */
	size_t begun;
	struct hd_bench pattern;	/* only its variants are set: the commands with {size} */
	bool fitted;			/* the fields below are valid */
	struct hd_growth growth[HD_BENCH_VARIANTS];
	struct hd_bench_line line[HD_BENCH_VARIANTS];
};

/* Parse --sizes or --iterations.  `o` is borrowed. */
int hd_bench_sweep_init(struct hd_bench_sweep *s, const struct hd_bench_opts *o, struct hd_err *err);
/*
 * Prepare the next session, which `s` owns: insert its size, then parse its commands and --throughput.  Returns 1; 0
 * after the last one; HD_EUSAGE if the command line is invalid, or if {size} or {iterations} is neither in the command
 * nor in --input or --prepare.
 */
int hd_bench_sweep_next(struct hd_bench_sweep *s, int argc, char **argv, struct hd_bench_session **session,
	struct hd_err *err);
/* Fit the times of all reported sessions; does nothing without a sweep.  Fails only if memory is exhausted. */
int hd_bench_sweep_fit(struct hd_bench_sweep *s, struct hd_err *err);
void hd_bench_sweep_release(struct hd_bench_sweep *s);

/* render/bench_sweep.c */
struct hd_table;
/* Initialise `t` with a row for each value. */
void hd_bench_sweep_table(struct hd_table *t, const struct hd_bench_sweep *s);
void hd_bench_sweep_text(struct hd_buf *out, const struct hd_bench_sweep *s, bool markdown);
void hd_bench_sweep_json(struct hd_buf *out, const struct hd_bench_sweep *s);
/* Append the fitted formula of one variant: "O(n), 1.2 ms + 3.4 ns n, R2 0.9992; O(n log n) fits as well". */
void hd_bench_sweep_formula(struct hd_buf *out, const struct hd_bench_sweep *s, unsigned side);

#endif
