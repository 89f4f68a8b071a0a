/*
 * thread_intervals.h - how long a thread was off its CPU, or in a system call
 *
 * A sample is a moment.  Two moments of one thread make a span, and the sample
 * at its beginning, which has the stack, counts for its length:
 *
 *     LEFT ........ WOKE ........ IN          off the CPU: blocked until somebody woke it, then queued until it ran
 *     LEFT (runnable) ........... IN          off the CPU: preempted
 *     ENTERED ................... RETURNED    in a system call
 *
 * LEFT and WOKE are samples (sched_switch, sched_wakeup or sched_waking), OUT and IN the
 * kernel's own records of every switch (perf record --switch-events).  Where
 * samples are thinned (a period above 1, or times without any), OUT and IN are not: what a thread was
 * off its CPU in all is known exactly, and its samples are made to add up to it
 * (hd_thread_intervals_weight).
 *
 * The moment of a wake-up that was not recorded is unknown.  The whole span then
 * counts as blocked.  It is never split like other spans: a futex's waker is
 * recorded and a timer's is not, so other spans say nothing about this one.
 * hd_thread_intervals_stats() reports how much blocked time has no recorded wake-up.
 *
 *     hd_thread_intervals_new(), _add() in file order, _round() at each FINISHED_ROUND, _end(); then _find() and _share()
 *
 * Moments are put into the order of time as perf does: what lies before the
 * round before the last one is complete.  A span whose end is not in the
 * recording ends with it.
 *
 * Owns: moments of two rounds, 40 bytes per span with a sample, some 150 per thread.
 */
#ifndef HD_OFFCPU_THREAD_INTERVALS_H
#define HD_OFFCPU_THREAD_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_thread_event_kind {
	HD_THREAD_EVENT_SCHED_SWITCH, /* a sample: the thread leaves its CPU; runnable: it was preempted, or yields */
	HD_THREAD_EVENT_SWITCH_OUT, /* a record: the same */
	HD_THREAD_EVENT_SWITCH_IN, /* a record, or another thread's LEFT: it runs again */
	HD_THREAD_EVENT_WAKEUP, /* a sample: the thread wakes `other` */
	HD_THREAD_EVENT_SYS_ENTER, /* a sample: into the system call number `other` */
	HD_THREAD_EVENT_SYS_EXIT, /* a sample: out of it, with the error `other`, or 0 */
	HD_THREAD_EVENT_CPU_SAMPLE, /* a sample of the thread at work, that counts for `period` ns */
	HD_THREAD_EVENT_EXIT, /* the thread ended */
};

struct hd_thread_event {
	uint64_t time_ns, seq;	/* seq: hd_record.seq, breaks ties */
	uint64_t period;	/* events that a sample stands for */
	int32_t pid, tid, other;
	uint8_t kind;
	bool runnable;
};

enum hd_thread_interval_kind {
	HD_INTERVAL_BLOCKED, /* off the CPU until woken: ns, then queued_ns until it ran.  Wake-up not recorded: all of it is ns */
	HD_INTERVAL_PREEMPTED, /* off the CPU, though it could have run: ns */
	HD_INTERVAL_SYSCALL, /* a system call: ns */
	HD_INTERVAL_WAKEUP, /* the waker's: ns for which the other thread had waited */
	HD_INTERVAL_ON_CPU, /* on the CPU: ns */
	HD_INTERVAL_KINDS, /* none: it began when its thread ended */
};

struct hd_thread_interval {
	uint64_t seq;		/* of its sample */
	uint64_t ns, queued_ns;
	uint32_t thread;
	int32_t other; /* a thread: BLOCKED: who woke it, -1 not seen; WOKE: who was woken.  CALL: its number */
	uint32_t period;	/* at most UINT32_MAX */
	uint16_t error;		/* of a CALL */
	uint8_t kind;
	bool open;		/* its end is not in the recording */
};

/* What a sample counts for: parts of a span, in ns, as hd_thread_intervals_weight has them. */
struct hd_thread_interval_weight {
	uint64_t ns, queued_ns;
};

/* A thread whose spans none of its samples stands for: switches are recorded, stacks are not, or were thinned away. */
struct hd_unsampled_interval {
	int32_t pid, tid;
	uint8_t kind;		/* BLOCKED or PREEMPTED */
	uint64_t ns, n;
	uint64_t time_ns;	/* of the last one */
};

struct hd_thread_intervals_stats {
	uint64_t switches;	/* spans off the CPU */
	uint64_t stacks;	/* ... with a sample */
	uint64_t stays, stays_ns;	/* on a CPU between two switches of a thread: how often, and how long in all */
	uint64_t open;		/* spans that the recording's end ended */
	uint64_t
		strays; /* moments that fit no span: a return without its call, a wake-up of one that waits for nothing */
	bool thinned; /* some LEFT or WOKE stands for more than itself, or more than one switch in twenty has none */
	bool exact;		/* OUT and IN were recorded */
	/* Blocked spans that have a sample and an end: length times period, and the part whose wake-up was not recorded. */
	double blocked, unseen;
};

struct hd_thread_intervals;

struct hd_thread_intervals *hd_thread_intervals_new(void);
void hd_thread_intervals_free(struct hd_thread_intervals *s);		/* NULL is fine */
void hd_thread_intervals_add(struct hd_thread_intervals *s, const struct hd_thread_event *m);
void hd_thread_intervals_finish_round(struct hd_thread_intervals *s);
void hd_thread_intervals_end(struct hd_thread_intervals *s);

/* The span whose sample is the record seq; NULL: none is.  Any thread may ask at once. */
const struct hd_thread_interval *hd_thread_intervals_find(const struct hd_thread_intervals *s, uint64_t seq);
/*
 * What its sample counts for.  Of thinned samples: its period times its length, times what makes the sum over the
 * thread's samples of that kind what OUT and IN say; once per span, by one thread, each sum exact to the nanosecond.
 */
struct hd_thread_interval_weight hd_thread_intervals_weight(struct hd_thread_intervals *s,
	const struct hd_thread_interval *span);
/* Threads with spans and no sample; *n of them, in order of tid and kind. */
const struct hd_unsampled_interval *hd_thread_intervals_unsampled(struct hd_thread_intervals *s, size_t *n);
void hd_thread_intervals_thread(const struct hd_thread_intervals *s, uint32_t thread, int32_t *pid, int32_t *tid);
const struct hd_thread_intervals_stats *hd_thread_intervals_stats(const struct hd_thread_intervals *s);

#endif
