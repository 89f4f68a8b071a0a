/*
 * schedule.h - in which order the runs of a session are made
 *
 *     one side    a a a a ...
 *     two sides   A B  B A  A B  B A ...     so that what changes steadily falls on both alike
 *
 * First the warm-up runs of each side, in the same order, then those that count.
 *
 *     struct hd_schedule s = hd_schedule_init(2, warmup, runs);
 *     while (hd_schedule_next(&s, &step))
 *             ...     step.side, step.warmup, step.number
 */
#ifndef HD_BENCH_SCHEDULE_H
#define HD_BENCH_SCHEDULE_H

#include <stdbool.h>

struct hd_schedule {
	unsigned sides, warmup, runs;
	unsigned done;		/* steps */
};

struct hd_schedule_step {
	unsigned side;		/* 0: the base, or the only one */
	bool warmup;
	unsigned number;	/* of this side and kind, from 0 */
};

struct hd_schedule hd_schedule_init(unsigned sides, unsigned warmup, unsigned runs);
bool hd_schedule_next(struct hd_schedule *s, struct hd_schedule_step *step);

#endif
