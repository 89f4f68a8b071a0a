/*
 * thread_intervals.h - how long threads were off the CPU or in a system call
 *
 * Two events of a thread delimit an interval.  The sample at its start, which has the call stack, is
 * weighted by the interval's length:
 *
 *     SCHED_SWITCH ... WAKEUP ... SWITCH_IN    off the CPU: blocked until the wake-up, then queued until it ran
 *     SCHED_SWITCH (runnable) ... SWITCH_IN    off the CPU: preempted
 *     SYS_ENTER ................. SYS_EXIT     in a system call
 *
 * SCHED_SWITCH and WAKEUP are samples (sched_switch; sched_wakeup or sched_waking).  SWITCH_OUT and
 * SWITCH_IN are the kernel's records of every switch (perf record --switch-events).  Samples may be
 * thinned (a period above 1, or dropped); the records are not, so the total off-CPU time of each thread
 * is exact.  hd_thread_intervals_weight() scales the weights of the samples to that total.
 *
 * If a wake-up was not recorded, the whole interval counts as blocked.  It is not split in the
 * proportion of other intervals: a futex's waker is recorded and a timer's is not, so they differ.
 * hd_thread_intervals_stats() reports how much blocked time has no recorded wake-up.
 *
 *     hd_thread_intervals_new(), _add() in file order, _round() at each FINISHED_ROUND, _end();
 *     then _find() and _weight()
 *
 * Events are sorted by time as perf does: events before the previous round's end are complete.  An
 * interval whose end is not in the recording ends with the recording.
 *
 * Memory: the events of two rounds, 40 bytes per interval with a sample, about 150 per thread.
 */
#ifndef HD_OFFCPU_THREAD_INTERVALS_H
#define HD_OFFCPU_THREAD_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_thread_event_kind {
	HD_THREAD_EVENT_SCHED_SWITCH, /* sample: the thread leaves its CPU.  runnable: it was preempted, or yields */
	HD_THREAD_EVENT_SWITCH_OUT, /* record: the thread leaves its CPU */
	HD_THREAD_EVENT_SWITCH_IN, /* record, or another thread's SCHED_SWITCH: the thread runs again */
	HD_THREAD_EVENT_WAKEUP, /* sample: the thread wakes thread `other` */
	HD_THREAD_EVENT_SYS_ENTER, /* sample: the thread enters system call number `other` */
	HD_THREAD_EVENT_SYS_EXIT, /* sample: the thread leaves it with the error `other`, or 0 */
	HD_THREAD_EVENT_CPU_SAMPLE, /* sample of the running thread, with a weight of `period` ns */
	HD_THREAD_EVENT_EXIT, /* record: the thread ended */
};

struct hd_thread_event {
	uint64_t time_ns, seq;	/* seq: hd_record.seq, breaks ties of time */
	uint64_t period;	/* number of events that the sample represents */
	int32_t pid, tid, other;
	uint8_t kind;
	bool runnable;
};

enum hd_thread_interval_kind {
	/* off the CPU until woken: ns, then queued_ns until it ran.  Without a recorded wake-up all of it is ns */
	HD_INTERVAL_BLOCKED,
	HD_INTERVAL_PREEMPTED, /* off the CPU although runnable: ns */
	HD_INTERVAL_SYSCALL, /* in a system call: ns */
	HD_INTERVAL_WAKEUP, /* an interval of the waker: the time in ns that the other thread had waited */
	HD_INTERVAL_ON_CPU, /* on the CPU: ns */
	HD_INTERVAL_KINDS, /* number of kinds; also marks an interval that is dropped because its thread ended */
};

struct hd_thread_interval {
	uint64_t seq;		/* of its sample */
	uint64_t ns, queued_ns;
	uint32_t thread;
	/* BLOCKED: the waker's index, -1 if not seen; WAKEUP: the woken thread's index; SYSCALL: its number */
	int32_t other;
	uint32_t period;	/* saturates at UINT32_MAX */
	uint16_t error;		/* of a SYSCALL */
	uint8_t kind;
	bool open;		/* the end of the interval is not in the recording */
};

/* The weight of a sample in ns, split into the parts of its interval. */
struct hd_thread_interval_weight {
	uint64_t ns, queued_ns;
};

/*
 * Intervals of a thread and kind, none of which has a sample: only switches were recorded, or
 * sampling skipped them all.
 */
struct hd_unsampled_interval {
	int32_t pid, tid;
	uint8_t kind;		/* BLOCKED or PREEMPTED */
	uint64_t ns, n;
	uint64_t time_ns;	/* end of its last interval */
};

struct hd_thread_intervals_stats {
	uint64_t switches;	/* intervals off the CPU */
	uint64_t stacks;	/* those with a sample */
	uint64_t stays, stays_ns; /* number and total length of the stays of a thread on a CPU */
	uint64_t open;		/* intervals that the end of the recording ended */
	/* events that fit no interval: a return without a call, a wake-up of a thread that does not wait */
	uint64_t strays;
	/* a SCHED_SWITCH or WAKEUP represents several events, or over 5 % of the switches have no sample */
	bool thinned;
	bool exact;		/* SWITCH_OUT and SWITCH_IN were recorded */
	/*
	 * Sum of length * period over the blocked intervals that have a sample and an end.  `unseen` is the part of it
	 * from intervals without a recorded wake-up.
	 */
	double blocked, unseen;
};

struct hd_thread_intervals;

struct hd_thread_intervals *hd_thread_intervals_new(void);
void hd_thread_intervals_free(struct hd_thread_intervals *s);		/* accepts NULL */
void hd_thread_intervals_add(struct hd_thread_intervals *s, const struct hd_thread_event *m);
void hd_thread_intervals_finish_round(struct hd_thread_intervals *s);
void hd_thread_intervals_end(struct hd_thread_intervals *s);

/* Return the interval whose sample is record `seq`, or NULL.  Thread-safe after _end(). */
const struct hd_thread_interval *hd_thread_intervals_find(const struct hd_thread_intervals *s, uint64_t seq);
/*
 * Return the weight of the interval's sample.  If samples are thinned, it is period * length, scaled so that the sum
 * over the thread's samples of that kind equals the exact time from the switch records.  Call it once per interval,
 * from one thread; the sums are exact to the nanosecond.
 */
struct hd_thread_interval_weight hd_thread_intervals_weight(struct hd_thread_intervals *s,
	const struct hd_thread_interval *span);
/* Return the *n threads with intervals and no sample, ordered by tid and kind. */
const struct hd_unsampled_interval *hd_thread_intervals_unsampled(struct hd_thread_intervals *s, size_t *n);
void hd_thread_intervals_thread(const struct hd_thread_intervals *s, uint32_t thread, int32_t *pid, int32_t *tid);
const struct hd_thread_intervals_stats *hd_thread_intervals_stats(const struct hd_thread_intervals *s);

#endif
