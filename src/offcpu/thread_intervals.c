/*
 * thread_intervals.c - see thread_intervals.h
 */
#include "offcpu/thread_intervals.h"

#include "base/bisect.h"
#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* number of interval kinds that SWITCH_OUT and SWITCH_IN records measure exactly: BLOCKED and PREEMPTED */
enum { OFF_KINDS = HD_INTERVAL_PREEMPTED + 1 };

/* Sums over the intervals of one kind of one thread. */
struct sum {
	uint64_t n, ns;			/* number and total length of all intervals */
	uint64_t samples;		/* number of intervals with a sample */
	double weight;			/* sum of period * length over the intervals with a sample */
	uint64_t queued_ns;		/* total time between recorded wake-ups and the returns to a CPU */
	double queued_weight;		/* sum of period * queued time over the intervals with a sample */
	/* number of intervals whose weights hd_thread_intervals_weight() has returned so far */
	uint64_t given;
	double given_weight;
	uint64_t given_ns;		/* sum of the returned weights */
};

struct thread {
	int32_t pid, tid;
	uint64_t last_ns;		/* time of the last return to a CPU */
	/* State while off the CPU. */
	bool off, preempted, woken;
	/* an EXIT of this tid was seen, and no SWITCH_IN since: ignore its last switch */
	bool gone;
	uint64_t off_ns, woken_ns;
	/* 1 + index of the thread's current interval off the CPU, if this interval has a sample; 0: none */
	size_t left;
	/* 1 + index of the WAKEUP interval that began when another thread woke this one; 0: none */
	size_t wake;
	int32_t waker;			/* index into threads; -1: not seen */
	struct sum sums[OFF_KINDS];
	/* State in a system call. */
	size_t call;			/* 1 + index of the interval of the current system call; 0: not in a call */
	uint64_t entered_ns;
};

struct hd_thread_intervals {
	/* events of the current round and of the round before; a FINISHED_ROUND record ends a round */
	struct hd_thread_event *moments;
	size_t n, cap;
	uint64_t round_ns, before_ns;	/* latest time of all events so far, and at the end of the previous round */
	uint64_t last_ns;
	struct thread *threads;
	size_t nthreads, threads_cap;
	struct hd_map by_tid;		/* tid -> index of the latest thread with this tid */
	struct hd_thread_interval *spans;		/* ordered by time while adding; by seq after _end() */
	size_t nspans, spans_cap;
	struct hd_unsampled_interval *rest;
	size_t nrest;
	struct hd_thread_intervals_stats stats;
};

struct hd_thread_intervals *hd_thread_intervals_new(void)
{
	return hd_new(struct hd_thread_intervals);
}

void hd_thread_intervals_free(struct hd_thread_intervals *s)
{
	if (!s)
		return;
	free(s->moments);
	free(s->threads);
	hd_map_release(&s->by_tid);
	free(s->spans);
	free(s->rest);
	free(s);
}

/* ---- threads */

static uint32_t thread_of(struct hd_thread_intervals *s, int32_t pid, int32_t tid)
{
	uint32_t i = hd_map_get(&s->by_tid, (uint32_t)tid);

	if (i == HD_MAP_NONE) {
		HD_GROW(s->threads, s->nthreads + 1, s->threads_cap);
		i = (uint32_t)s->nthreads++;
		s->threads[i] = (struct thread){ .pid = pid, .tid = tid, .waker = -1 };
		hd_map_put(&s->by_tid, (uint32_t)tid, i);
	}
	if (pid >= 0)
		s->threads[i].pid = pid;
	return i;
}

/* Add the interval that a sample begins; return its index + 1. */
static size_t begin(struct hd_thread_intervals *s, uint32_t thread, const struct hd_thread_event *m,
	enum hd_thread_interval_kind kind, int32_t other)
{
	HD_GROW(s->spans, s->nspans + 1, s->spans_cap);
	s->spans[s->nspans] = (struct hd_thread_interval){
		.seq = m->seq, .thread = thread, .other = other, .kind = (uint8_t)kind, .open = true,
		.period = m->period > UINT32_MAX ? UINT32_MAX : m->period ? (uint32_t)m->period : 1,
	};
	return ++s->nspans;
}

/* ---- off the CPU */

static void go_off(struct hd_thread_intervals *s, uint32_t i, const struct hd_thread_event *m)
{
	struct thread *t = &s->threads[i];

	if (t->gone)
		return;
	if (!t->off) {
		t->off = true;
		t->woken = false;
		t->left = t->wake = 0;
		t->waker = -1;
		t->off_ns = m->time_ns;
		t->preempted = m->runnable;
		s->stats.switches++;
		if (t->last_ns && m->time_ns >= t->last_ns) {
			s->stats.stays++;
			s->stats.stays_ns += m->time_ns - t->last_ns;
		}
	}
	if (m->kind == HD_THREAD_EVENT_SWITCH_OUT)
		t->preempted =
			/*
			 * The kernel writes the switch record after the sample, so the state in the record is used: the
			 * thread may have gone to sleep since the sample.
			 */
			m->runnable;
	if (m->kind != HD_THREAD_EVENT_SCHED_SWITCH)
		return;
	if (t->left) {
		s->stats.repeated++;
		return;
	}
	t->left = begin(s, i, m, m->runnable ? HD_INTERVAL_PREEMPTED : HD_INTERVAL_BLOCKED, -1);
	s->stats.stacks++;
}

static void wake(struct hd_thread_intervals *s, const struct hd_thread_event *m)
{
	uint32_t waker = thread_of(s, m->pid, m->tid), i = hd_map_get(&s->by_tid, (uint32_t)m->other);
	struct thread *t = i == HD_MAP_NONE ? NULL : &s->threads[i];

	if (!t || !t->off || t->woken || t->preempted) {
		s->stats.strays++;
		return;
	}
	t->woken = true;
	t->woken_ns = m->time_ns;
	t->waker = (int32_t)waker;
	t->wake = begin(s, waker, m, HD_INTERVAL_WAKEUP, (int32_t)i);
}

/*
 * End the off-CPU interval of a thread at time `now`, because the thread runs again, or (open) because the recording
 * ends.
 */
static void come_back(struct hd_thread_intervals *s, uint32_t i, uint64_t now, bool open)
{
	struct thread *t = &s->threads[i];
	uint64_t ns = now > t->off_ns ? now - t->off_ns : 0,
		 queued = t->woken && now > t->woken_ns ? now - t->woken_ns : 0;
	enum hd_thread_interval_kind kind = t->preempted ? HD_INTERVAL_PREEMPTED : HD_INTERVAL_BLOCKED;

	t->off = false;
	t->sums[kind].n++;
	t->sums[kind].ns += ns;
	t->sums[kind].queued_ns += queued;
	t->last_ns = now;
	s->stats.open += open;
	if (kind == HD_INTERVAL_BLOCKED && !open) {
		s->stats.blocked_ns += ns;
		s->stats.unseen_ns += t->woken ? 0 : ns;
	}
	if (t->left) {
		struct hd_thread_interval *span = &s->spans[t->left - 1];

		span->kind = (uint8_t)kind;
		span->ns = ns - queued;
		span->queued_ns = queued;
		span->other = t->waker;
		span->open = open;
		t->sums[kind].samples++;
		t->sums[kind].weight += (double)span->period * (double)ns;
		t->sums[kind].queued_weight += (double)span->period * (double)queued;
	}
	if (t->wake) {
		struct hd_thread_interval *span = &s->spans[t->wake - 1];

		span->ns = ns - queued;
		span->open = open;
	}
}

/* ---- one event after another */

static void leave_call(struct hd_thread_intervals *s, struct thread *t, const struct hd_thread_event *m, bool open)
{
	struct hd_thread_interval *span = &s->spans[t->call - 1];

	span->ns = m->time_ns > t->entered_ns ? m->time_ns - t->entered_ns : 0;
	span->error = open ? 0 : (uint16_t)m->other;
	span->open = open;
	s->stats.open += open;
	t->call = 0;
}

static void take(struct hd_thread_intervals *s, const struct hd_thread_event *m)
{
	uint32_t i = m->kind == HD_THREAD_EVENT_WAKEUP ? 0 : thread_of(s, m->pid, m->tid);
	struct thread *t = m->kind == HD_THREAD_EVENT_WAKEUP ? NULL : &s->threads[i];

	s->last_ns = m->time_ns;
	switch ((enum hd_thread_event_kind)m->kind) {
	case HD_THREAD_EVENT_SCHED_SWITCH:
	case HD_THREAD_EVENT_SWITCH_OUT:
		go_off(s, i, m);
		break;
	case HD_THREAD_EVENT_SWITCH_IN:
		t->gone = false;
		if (t->off)
			come_back(s, i, m->time_ns, false);
		break;
	case HD_THREAD_EVENT_WAKEUP:
		wake(s, m);
		break;
	case HD_THREAD_EVENT_SYS_ENTER:
		t->call = begin(s, i, m, HD_INTERVAL_SYSCALL, m->other);
		t->entered_ns = m->time_ns;
		break;
	case HD_THREAD_EVENT_SYS_EXIT:
		if (t->call)
			leave_call(s, t, m, false);
		else
			s->stats.strays++;
		break;
	case HD_THREAD_EVENT_CPU_SAMPLE:
		begin(s, i, m, HD_INTERVAL_ON_CPU, -1);
		s->spans[s->nspans - 1].ns = m->period;
		s->spans[s->nspans - 1].open = false;
		break;
	/* The thread never runs again, so its open intervals are dropped.  Its tid may be reused soon. */
	case HD_THREAD_EVENT_EXIT:
		if (t->off && t->left)
			s->spans[t->left - 1].kind = HD_INTERVAL_KINDS;
		if (t->call)
			s->spans[t->call - 1].kind = HD_INTERVAL_KINDS;	/* exit does not return */
		t->off = false;
		t->call = 0;
		hd_map_put(&s->by_tid, (uint32_t)m->tid, (uint32_t)s->nthreads);
		HD_GROW(s->threads, s->nthreads + 1, s->threads_cap);
		s->threads[s->nthreads++] = (struct thread){ .pid = m->pid, .tid = m->tid, .waker = -1, .gone = true };
		break;
	}
}

/* ---- order */

static int by_time(const void *a, const void *b)
{
	const struct hd_thread_event *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Process the events up to and including `until`. */
static void flush(struct hd_thread_intervals *s, uint64_t until)
{
	size_t done = 0;

	if (!s->n)
		return;
	qsort(s->moments, s->n, sizeof(*s->moments), by_time);
	while (done < s->n && s->moments[done].time_ns <= until)
		take(s, &s->moments[done++]);
	memmove(s->moments, s->moments + done, (s->n - done) * sizeof(*s->moments));
	s->n -= done;
}

void hd_thread_intervals_add(struct hd_thread_intervals *s, const struct hd_thread_event *m)
{
	HD_GROW(s->moments, s->n + 1, s->cap);
	s->moments[s->n++] = *m;
	if (m->time_ns > s->round_ns)
		s->round_ns = m->time_ns;
	s->stats.exact |= m->kind == HD_THREAD_EVENT_SWITCH_OUT;
	s->stats.thinned |= m->period > 1 &&
		(m->kind == HD_THREAD_EVENT_SCHED_SWITCH || m->kind == HD_THREAD_EVENT_WAKEUP);
}

void hd_thread_intervals_finish_round(struct hd_thread_intervals *s)
{
	if (s->n)
		flush(s, s->before_ns);
	s->before_ns = s->round_ns;
}

static int by_seq(const void *a, const void *b)
{
	const struct hd_thread_interval *x = a, *y = b;

	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static int rest_order(const void *a, const void *b)
{
	const struct hd_unsampled_interval *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

static void find_rest(struct hd_thread_intervals *s)
{
	size_t cap = 0;

	for (size_t i = 0; i < s->nthreads; i++) {
		const struct thread *t = &s->threads[i];

		for (uint8_t kind = 0; kind < OFF_KINDS; kind++) {
			if (!t->sums[kind].ns || t->sums[kind].weight > 0)
				continue;
			HD_GROW(s->rest, s->nrest + 1, cap);
			s->rest[s->nrest++] = (struct hd_unsampled_interval){ t->pid, t->tid, kind, t->sums[kind].ns,
				t->sums[kind].n, t->last_ns };
		}
	}
	if (s->nrest)
		qsort(s->rest, s->nrest, sizeof(*s->rest), rest_order);
}

void hd_thread_intervals_end(struct hd_thread_intervals *s)
{
	struct hd_thread_event end;

	flush(s, UINT64_MAX);
	end = (struct hd_thread_event){ .time_ns = s->last_ns };
	for (size_t i = 0; i < s->nthreads; i++) {
		if (s->threads[i].off)
			come_back(s, (uint32_t)i, s->last_ns, true);
		if (s->threads[i].call)
			leave_call(s, &s->threads[i], &end, true);
	}
	free(s->moments);
	s->moments = NULL;
	s->n = s->cap = 0;
	if (s->nspans)
		qsort(s->spans, s->nspans, sizeof(*s->spans), by_seq);
	s->stats.thinned |= s->stats.exact && s->stats.stacks &&
		s->stats.stacks < s->stats.switches - s->stats.switches / 20;
	find_rest(s);
}

/* ---- lookup */

const struct hd_thread_interval *hd_thread_intervals_find(const struct hd_thread_intervals *s, uint64_t seq)
{
	size_t i = HD_FIRST_FROM(s->spans, s->nspans, seq, seq);

	return i < s->nspans && s->spans[i].seq == seq && s->spans[i].kind != HD_INTERVAL_KINDS ? &s->spans[i] : NULL;
}

static uint64_t part_of(uint64_t ns, double share)
{
	return share >= 1 ? ns : (uint64_t)((double)ns * share);
}

/*
 * Return how much of the thread's exact time off the CPU the next sample gets: a part in proportion to its weight.  The
 * parts are differences of rounded cumulative sums, so that together they equal the exact time.
 */
static uint64_t next_part(struct sum *sum, double weight)
{
	uint64_t to, before = sum->given_ns;

	sum->given++;
	sum->given_weight += weight;
	to = sum->given >= sum->samples ? sum->ns
		: part_of(sum->ns, sum->weight > 0 ? sum->given_weight / sum->weight : 0);
	if (to > before)
		sum->given_ns = to;
	return sum->given_ns - before;
}

struct hd_thread_interval_weight hd_thread_intervals_weight(struct hd_thread_intervals *s,
	const struct hd_thread_interval *span)
{
	struct hd_thread_interval_weight share = { span->ns, span->queued_ns };
	struct sum *sum;
	uint64_t all;

	if (span->kind >= OFF_KINDS || !s->stats.thinned || !s->stats.exact)
		return share;
	sum = &s->threads[span->thread].sums[span->kind];
	all = next_part(sum, (double)span->period * (double)(span->ns + span->queued_ns));
	/*
	 * Divide the queued time that was recorded among the samples that were queued.  More is not known: an interval
	 * without a sample is not assumed to be like one that has a sample.
	 */
	share.queued_ns = sum->queued_weight > 0
		? part_of(sum->queued_ns, (double)span->period * (double)span->queued_ns / sum->queued_weight) : 0;
	share.queued_ns = share.queued_ns < all ? share.queued_ns : all;
	share.ns = all - share.queued_ns;
	return share;
}

const struct hd_unsampled_interval *hd_thread_intervals_unsampled(struct hd_thread_intervals *s, size_t *n)
{
	*n = s->nrest;
	return s->rest;
}

void hd_thread_intervals_thread(const struct hd_thread_intervals *s, uint32_t thread, int32_t *pid, int32_t *tid)
{
	*pid = s->threads[thread].pid;
	*tid = s->threads[thread].tid;
}

const struct hd_thread_intervals_stats *hd_thread_intervals_stats(const struct hd_thread_intervals *s)
{
	return &s->stats;
}
