/*
 * thread_intervals.h - measure how long threads were off the CPU or in a system call
 *
 * Two events of a thread delimit an interval.  The sample at its start, which has the call stack, is
 * weighted by the interval's length:
 *
 *     SCHED_SWITCH ... WAKEUP ... SWITCH_IN    off the CPU: blocked until the wake-up, then queued until it ran
 *     SCHED_SWITCH (runnable) ... SWITCH_IN    off the CPU: preempted
 *     SYS_ENTER ................. SYS_EXIT     in a system call
 *
 * Two kinds of samples have a weight without such an interval: that of a WAKEUP is the time for which the woken thread
 * had been blocked, and that of a CPU_SAMPLE is its period.
 *
 * SCHED_SWITCH and WAKEUP are samples (sched_switch; sched_wakeup or sched_waking).  SWITCH_OUT and
 * SWITCH_IN are the kernel's records of every switch (perf record --switch-events).  Samples may be
 * thinned (a period above 1, or dropped); the records are not, so the total off-CPU time of each thread
 * is exact.  hd_thread_intervals_weight() scales the weights of the samples to that total.
 *
 * If a wake-up was not recorded, the whole interval counts as blocked.  It is not split in the
 * proportion of other intervals: a futex's waker is recorded and a timer's is not, so they differ.
 * So of each thread at most the time from recorded wake-ups on counts as queued, which is a lower bound.
 * hd_thread_intervals_stats() reports how much blocked time has no recorded wake-up.
 *
 *     hd_thread_intervals_new(), _add() in file order, _finish_round() at each FINISHED_ROUND, _end();
 *     then _find() and _weight()
 *
 * Events are sorted by time as in perf: at the end of a round (FINISHED_ROUND), all events up to the end of the
 * previous round have arrived.  An interval whose end is not in the recording ends with the recording; if its thread
 * ends (EXIT), it is dropped.
 *
 * Memory holds the events of two rounds, 40 bytes per interval with a sample, and about 200 bytes per thread.
 */
#ifndef HD_OFFCPU_THREAD_INTERVALS_H
#define HD_OFFCPU_THREAD_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_thread_event_kind {
	/* from a sample: the thread leaves its CPU */
	HD_THREAD_EVENT_SCHED_SWITCH,
	HD_THREAD_EVENT_SWITCH_OUT, /* record: the thread leaves its CPU */
	/* from a SWITCH record, or from the SCHED_SWITCH of another thread: the thread runs again */
	HD_THREAD_EVENT_SWITCH_IN,
	HD_THREAD_EVENT_WAKEUP, /* sample: the thread wakes thread `other` */
	HD_THREAD_EVENT_SYS_ENTER, /* sample: the thread enters system call number `other` */
	/* from a sample: the thread returns from a system call, with the error `other` or 0 */
	HD_THREAD_EVENT_SYS_EXIT,
	HD_THREAD_EVENT_CPU_SAMPLE, /* from a sample of the running thread, whose weight is `period` ns */
	HD_THREAD_EVENT_EXIT, /* from an EXIT record, or from a sample of its last switch: the thread ended */
};

struct hd_thread_event {
	uint64_t time_ns, seq;	/* seq: hd_record.seq, breaks ties of time */
	uint64_t period;	/* number of events that the sample represents; of a CPU_SAMPLE: ns */
	/* pid -1: unknown; the last known pid of this tid is kept.  other: see enum hd_thread_event_kind */
	int32_t pid, tid, other;
	uint8_t kind;
	bool runnable;		/* SCHED_SWITCH and SWITCH_OUT: the thread did not block but was preempted or yielded */
};

enum hd_thread_interval_kind {
	/*
	 * off the CPU: blocked for `ns` until woken, then waiting to run for `queued_ns`.  If no wake-up was recorded,
	 * queued_ns is 0
	 */
	HD_INTERVAL_BLOCKED,
	HD_INTERVAL_PREEMPTED, /* off the CPU although runnable: ns */
	HD_INTERVAL_SYSCALL, /* in a system call: ns */
	/* this thread woke another thread: `ns` is the time for which the woken thread had been blocked */
	HD_INTERVAL_WAKEUP,
	HD_INTERVAL_ON_CPU, /* on the CPU: ns */
	HD_INTERVAL_KINDS, /* number of kinds; also marks an interval that is dropped because its thread ended */
};

struct hd_thread_interval {
	uint64_t seq;		/* hd_record.seq of the sample at its start */
	uint64_t ns, queued_ns;
	uint32_t thread;
	/*
	 * meaning by kind.  BLOCKED: index of the thread that woke this one, -1 if unknown.  WAKEUP: index of the
	 * thread that was woken.  SYSCALL: number of the system call.  Indexes are for hd_thread_intervals_thread()
	 */
	int32_t other;
	uint32_t period;	/* saturates at UINT32_MAX */
	uint16_t error;		/* errno of a SYSCALL; 0: success, or the call has not returned yet */
	uint8_t kind;
	bool open;		/* the end of the interval is not in the recording */
};

/* The weight of a sample in ns, split into the parts of its interval. */
struct hd_thread_interval_weight {
	uint64_t ns, queued_ns;
};

/*
 * The sum of all intervals of one thread and kind, if none of them has a sample: the recording has switch records only,
 * or sampling skipped all of these intervals.
 */
struct hd_unsampled_interval {
	int32_t pid, tid;
	uint8_t kind;		/* BLOCKED or PREEMPTED */
	uint64_t ns, n;
	uint64_t time_ns;	/* end of the thread's last interval off the CPU, of either kind */
};

struct hd_thread_intervals_stats {
	uint64_t switches;	/* intervals off the CPU */
	uint64_t stacks;	/* intervals off the CPU that have a sample */
	uint64_t stays;		/* number of intervals in which a thread ran without interruption */
	uint64_t stays_ns;	/* total length of these intervals */
	uint64_t open;		/* intervals that the end of the recording ended */
	/*
	 * SCHED_SWITCH events of a thread that already was off the CPU: its return was not recorded.  Such an event
	 * begins no interval
	 */
	uint64_t repeated;
	/* events that belong to no interval: a return without a call, a wake-up of a thread that does not wait */
	uint64_t strays;
	/*
	 * samples represent only a part of the events: a SCHED_SWITCH or WAKEUP sample has a period above 1, or (if
	 * `exact` and `stacks` is not 0) over 5 % of the switches have no sample
	 */
	bool thinned;
	bool exact;		/* the recording has SWITCH_OUT records; the kernel then wrote SWITCH_IN records, too */
	uint64_t blocked_ns;	/* total length of the blocked intervals with an end, also of those without a sample */
	uint64_t unseen_ns;	/* the part of blocked_ns that is of intervals whose wake-up was not recorded */
};

struct hd_thread_intervals;

struct hd_thread_intervals *hd_thread_intervals_new(void);
void hd_thread_intervals_free(struct hd_thread_intervals *s);		/* accepts NULL */
void hd_thread_intervals_add(struct hd_thread_intervals *s, const struct hd_thread_event *m);
void hd_thread_intervals_finish_round(struct hd_thread_intervals *s);
void hd_thread_intervals_end(struct hd_thread_intervals *s);

/* Return the interval that begins at the sample with record number `seq`, or NULL.  Thread-safe after _end(). */
const struct hd_thread_interval *hd_thread_intervals_find(const struct hd_thread_intervals *s, uint64_t seq);
/*
 * Return the weight of the interval's sample.  It is the length of the interval, with one exception: a BLOCKED or
 * PREEMPTED interval of thinned samples with switch records (`thinned` and `exact` of the statistics) gets period *
 * length, scaled so that the sum over the thread's samples of that kind equals the exact time from the switch records.
 * Call it once per interval, from one thread; the sums are exact to the nanosecond.
 */
struct hd_thread_interval_weight hd_thread_intervals_weight(struct hd_thread_intervals *s,
	const struct hd_thread_interval *span);
/*
 * Return one element for each thread and kind whose intervals all lack a sample, ordered by tid, kind and time_ns.  *n
 * is set to their number.  The array is borrowed; NULL if *n is 0.
 */
const struct hd_unsampled_interval *hd_thread_intervals_unsampled(struct hd_thread_intervals *s, size_t *n);
void hd_thread_intervals_thread(const struct hd_thread_intervals *s, uint32_t thread, int32_t *pid, int32_t *tid);
const struct hd_thread_intervals_stats *hd_thread_intervals_stats(const struct hd_thread_intervals *s);

#endif
