/*
 * span_weight.c - weigh samples by spans of time: off the CPU, in a system call; see perf_input_state.h
 *
 * An additional pass before the second one reads when threads left their CPUs, came back, entered and left system calls
 * (offcpu/thread_intervals.h).  The result is, for each sample, the length of the interval that begins at it.  The
 * second pass then counts a sample once for each part of its interval.  Each part is an event of the profile:
 *
 *     --weight off-cpu     blocked, queued (woken, waiting for a CPU), preempted, and woken: the stack of the
 *                          waker, with the time that the woken thread had been blocked
 *     --weight wall        blocked, queued and preempted, and the samples of one clock, cpu-clock or task-clock: one
 *                          event, wall
 *     --weight syscalls    syscalls
 */
#include "pipeline/perf_input_state.h"

#include "base/mem.h"
#include "pipeline/wait_reason.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* The meaning of the samples of an attr. */
enum role { ROLE_NONE, ROLE_LEFT, ROLE_WOKE, ROLE_ENTERED, ROLE_RETURNED, ROLE_RAN };

static const struct {
	const char *event, *field;	/* the tracepoint, and the field that is read from it */
	uint8_t role;			/* enum role */
	bool calls;			/* the role is for --weight syscalls; if false, for off-cpu and wall */
} roles[] = {
	{ "sched:sched_switch", "prev_state", ROLE_LEFT, false },
	{ "sched:sched_wakeup", "pid", ROLE_WOKE, false },
	{ "sched:sched_waking", "pid", ROLE_WOKE, false },
	{ "raw_syscalls:sys_enter", "id", ROLE_ENTERED, true },
	{ "raw_syscalls:sys_exit", "ret", ROLE_RETURNED, true },
};

/*
 * Bits of prev_state, as the print format of sched_switch names them.  SLEEPS: the thread does not wait for a CPU but
 * blocks or ends.  ENDS: it ends (X and Z).  0x80 is I since Linux 4.14: a kernel thread without work.  Before, it was
 * K: a sleep that only a fatal signal interrupts.
 */
enum { PREV_STATE_SLEEPS = 0xff, PREV_STATE_ENDS = 0x10 | 0x20 };
enum { MAX_ERRNO = 4095 };

static const char *const part_names[HD_SPAN_PARTS] = { "blocked", "queued", "preempted", "woken", "syscalls", "wall" };

bool hd_pipeline_weighs_spans(const struct hd_pipeline_opts *opts)
{
	return opts->select.weight == HD_WEIGHT_OFF_CPU || opts->select.weight == HD_WEIGHT_WALL ||
		opts->select.weight == HD_WEIGHT_SYSCALLS;
}

static const char *mode_name(const struct hd_perf_input *in)
{
	return in->request.opts->select.weight == HD_WEIGHT_OFF_CPU ? "off-cpu"
		: in->request.opts->select.weight == HD_WEIGHT_WALL ? "wall"
							    : "syscalls";
}

static bool wants_part(const struct hd_perf_input *in, enum hd_span_part part)
{
	switch ((enum hd_weight)in->request.opts->select.weight) {
	case HD_WEIGHT_OFF_CPU:		return part <= HD_SPAN_PART_WOKEN;
	case HD_WEIGHT_WALL:		return part == HD_SPAN_PART_WALL;
	case HD_WEIGHT_SYSCALLS:	return part == HD_SPAN_PART_CALLS;
	case HD_WEIGHT_PERIOD:
	case HD_WEIGHT_SAMPLES:
	case HD_WEIGHT_FIELD:		break;
	}
	return false;
}

/* ---- events ---- */

static bool is_clock(const struct hd_perf_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE &&
		(a->config == PERF_COUNT_SW_CPU_CLOCK || a->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Return true if two clocks never measure the same time: cpu-clock:u and cpu-clock:k. */
static bool are_disjoint(const struct hd_perf_attr *a, const struct hd_perf_attr *b)
{
	return (a->exclude_user && b->exclude_kernel) || (a->exclude_kernel && b->exclude_user);
}

/* Return true if attr i is a clock and no clock before it measures the same time, which would then count twice. */
static bool is_first_clock(const struct hd_perf_attr *attrs, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (is_clock(&attrs[k]) && !are_disjoint(&attrs[k], &attrs[i]))
			return false;
	return is_clock(&attrs[i]);
}

static void set_role(struct hd_perf_input *in, size_t i, const struct hd_perf_attr *attrs)
{
	struct hd_span_weights *ms = in->spans;
	const struct hd_perf_attr *a = &attrs[i];
	bool calls = in->request.opts->select.weight == HD_WEIGHT_SYSCALLS;
	const char *name;

	ms->role[i] = in->request.opts->select.weight == HD_WEIGHT_WALL && is_first_clock(attrs, i) ? ROLE_RAN
												    : ROLE_NONE;
	if (a->type != PERF_TYPE_TRACEPOINT || !(a->sample_type & PERF_SAMPLE_RAW))
		return;
	name = hd_tracepoints_name(in->fields.table.tracepoints, a->config);
	for (size_t k = 0; name && k < HD_COUNT(roles); k++) {
		if (roles[k].calls != calls || strcmp(roles[k].event, name))
			continue;
		ms->field[i] = hd_tracepoints_find(in->fields.table.tracepoints, a->config, roles[k].field);
		ms->next[i] = hd_tracepoints_find(in->fields.table.tracepoints, a->config, "next_pid");
		ms->role[i] = ms->field[i] ? roles[k].role : ROLE_NONE;
	}
}

/* Return HD_EFORMAT, with the command to record it, if a required event is missing. */
static int need_roles(const struct hd_perf_input *in, struct hd_err *err)
{
	const struct hd_span_weights *ms = in->spans;
	bool entered = false, returned = false;

	for (size_t i = 0; i < in->request.nattrs; i++) {
		entered |= ms->role[i] == ROLE_ENTERED;
		returned |= ms->role[i] == ROLE_RETURNED;
	}
	if (in->request.opts->select.weight == HD_WEIGHT_SYSCALLS && !(entered && returned))
		return hd_fail(err, HD_EFORMAT,
			"%s: --weight syscalls: %s was not recorded; record with perf record -e raw_syscalls:sys_enter "
			"-e raw_syscalls:sys_exit -g, or hotdrift profile syscall",
			hd_perf_file(in->pf)->path, entered ? "raw_syscalls:sys_exit" : "raw_syscalls:sys_enter");
	return 0;
}

int hd_perf_input_begin_span_weights(struct hd_perf_input *in, struct hd_err *err)
{
	const struct hd_perf_attr *attrs = hd_perf_attrs(in->pf, &in->request.nattrs);
	struct hd_span_weights *ms;
	int rc;

	if (!in->spans)
		return 0;
	ms = in->spans;
	ms->role = hd_new_array(uint8_t, in->request.nattrs);
	ms->field = hd_new_array(const struct hd_tracefield *, in->request.nattrs);
	ms->next = hd_new_array(const struct hd_tracefield *, in->request.nattrs);
	ms->reasons = hd_wait_reasons_new(in->p, in->lookup.locator, in->agg.chains);
	ms->machine = hd_perf_header(in->pf)->arch;
	rc = hd_field_table_open(&in->fields.table, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < in->request.nattrs; i++)
		set_role(in, i, attrs);
	return need_roles(in, err);
}

void hd_perf_input_end_span_weights(struct hd_perf_input *in)
{
	struct hd_span_weights *ms = in->spans;

	if (!ms)
		return;
	hd_thread_intervals_free(ms->intervals);
	hd_wait_reasons_free(ms->reasons);
	free(ms->role);
	free(ms->field);
	free(ms->next);
	hd_map_release(&ms->threads);
	free(ms);
	in->spans = NULL;
}

/* Add one event to the profile for each selected part of a span.  The events of the recording are not added. */
void hd_perf_input_map_span_events(struct hd_perf_input *in)
{
	const struct hd_perf_attr *attrs = hd_perf_attrs(in->pf, &in->request.nattrs);

	in->spans = hd_new(struct hd_span_weights);
	for (int part = 0; part < HD_SPAN_PARTS; part++) {
		in->spans->wanted[part] = wants_part(in, (enum hd_span_part)part) &&
			hd_selector_event(&in->request.select, part_names[part]);
		if (!in->spans->wanted[part])
			continue;
		in->spans->event[part] = hd_profile_add_event(in->p, part_names[part], "ns");
		for (size_t i = 0; i < in->request.nattrs; i++)
			in->request.has_chain[in->spans->event[part]] |=
				(attrs[i].sample_type & PERF_SAMPLE_CALLCHAIN) != 0;
	}
	for (size_t i = 0; i < in->request.nattrs; i++)
		in->request.event_wanted[i] = true;	/* the span of a sample decides whether it is counted */
}

/* ---- the pass that measures ---- */

static bool number(const struct hd_tracefield *f, const struct hd_sample *s, uint64_t *v)
{
	struct hd_tracevalue raw;

	if (!f || !hd_tracefield_get(f, s->raw, s->raw_bytes, &raw) || f->kind == HD_TRACE_TEXT ||
		f->kind == HD_TRACE_NUMBERS)
		return false;
	*v = raw.number;
	return true;
}

/* Handle a sched_switch sample: the thread of s leaves its CPU in `state`. */
static void on_left(struct hd_span_weights *ms, const struct hd_sample *s, struct hd_thread_event *m, uint64_t state)
{
	uint64_t next;

	m->kind = HD_THREAD_EVENT_SCHED_SWITCH;
	m->runnable = !(state & PREV_STATE_SLEEPS);
	if (state & PREV_STATE_ENDS)
		m->kind = HD_THREAD_EVENT_EXIT;
	if (m->tid > 0)
		hd_thread_intervals_add(ms->intervals, m);
	/* If the recording has no SWITCH records, the next thread starts to run at this time. */
	if (ms->has_switches || !number(ms->next[s->attr], s, &next) || next - 1 >= INT32_MAX - 1u)
		return;
	m->kind = HD_THREAD_EVENT_SWITCH_IN;
	m->pid = -1;
	m->tid = (int32_t)next;
	hd_thread_intervals_add(ms->intervals, m);
}

static void on_sample(struct hd_perf_input *in, const struct hd_record *rec)
{
	struct hd_span_weights *ms = in->spans;
	struct hd_thread_event m = { .seq = rec->seq };
	struct hd_sample s;
	struct hd_err bad;
	uint64_t v = 0;

	if (hd_perf_parse_sample(in->pf, rec, &s, &bad) < 0 || !s.has_time || ms->role[s.attr] == ROLE_NONE)
		return;		/* the second pass reports invalid samples */
	m.time_ns = s.time_ns;
	m.period = s.period;
	m.pid = s.pid;
	m.tid = s.tid;
	if (ms->role[s.attr] != ROLE_RAN && !number(ms->field[s.attr], &s, &v))
		return;
	if (s.tid <= 0 && ms->role[s.attr] != ROLE_LEFT && ms->role[s.attr] != ROLE_WOKE)
		return;
	switch ((enum role)ms->role[s.attr]) {
	case ROLE_NONE:
		return;
	case ROLE_LEFT:
		on_left(ms, &s, &m, v);
		return;
	case ROLE_WOKE:
		m.kind = HD_THREAD_EVENT_WAKEUP;
		m.other = (int32_t)v;
		break;
	case ROLE_ENTERED:
		m.kind = HD_THREAD_EVENT_SYS_ENTER;
		m.other = (int32_t)v;
		break;
	case ROLE_RETURNED:
		m.kind = HD_THREAD_EVENT_SYS_EXIT;
		m.other = -(int64_t)v > 0 && -(int64_t)v <= MAX_ERRNO ? (int32_t)-(int64_t)v : 0;
		break;
	case ROLE_RAN:
		ms->has_runs = true;
		m.kind = HD_THREAD_EVENT_CPU_SAMPLE;
		break;
	}
	hd_thread_intervals_add(ms->intervals, &m);
}

static void on_switch(struct hd_perf_input *in, const struct hd_record *rec)
{
	struct hd_switch_event e;

	hd_perf_parse_switch(in->pf, rec, &e);
	if (e.tid <= 0 || !e.when.time_ns)
		return;		/* no tid: the idle task, or a thread that has ended */
	hd_thread_intervals_add(in->spans->intervals,
		&(struct hd_thread_event){ .time_ns = e.when.time_ns,
			.seq = rec->seq,
			.pid = e.pid,
			.tid = e.tid,
			.other = -1,
			.kind = e.out ? HD_THREAD_EVENT_SWITCH_OUT : HD_THREAD_EVENT_SWITCH_IN,
			.runnable = e.preempted,
			.period = 1 });
}

/* Handle an EXIT record: the thread ended. */
static void on_gone(struct hd_perf_input *in, const struct hd_record *rec)
{
	struct hd_fork_event e;
	struct hd_err bad;

	if (hd_perf_parse_fork(in->pf, rec, &e, &bad) >= 0 && e.when.time_ns && e.tid > 0)
		hd_thread_intervals_add(in->spans->intervals,
			&(struct hd_thread_event){ .time_ns = e.when.time_ns,
				.seq = rec->seq,
				.pid = e.pid,
				.tid = e.tid,
				.kind = HD_THREAD_EVENT_EXIT });
}

static void on_comm(struct hd_perf_input *in, const struct hd_record *rec)
{
	struct hd_comm_event e;
	struct hd_err bad;

	if (hd_perf_parse_comm(in->pf, rec, &e, &bad) < 0 || e.pid <= 0)
		return;
	hd_map_put(&in->spans->threads, (uint64_t)e.tid, 1);
	if (!in->spans->pid)
		in->spans->pid = e.pid;
}

static int walk(struct hd_perf_input *in, bool off_cpu, struct hd_err *err)
{
	struct hd_span_weights *ms = in->spans;
	struct hd_record rec;
	int rc;

	ms->intervals = hd_thread_intervals_new();
	rc = hd_perf_rewind(in->pf, err);
	while (rc >= 0 && (rc = hd_perf_next(in->pf, &rec, err)) > 0) {
		hd_progress_at(&in->progress, rec.off);
		if (rec.kind == HD_REC_SAMPLE)
			on_sample(in, &rec);
		else if (rec.kind == HD_REC_FINISHED_ROUND)
			hd_thread_intervals_finish_round(ms->intervals);
		else if (rec.kind == HD_REC_EXIT)
			on_gone(in, &rec);
		else if (rec.kind == HD_REC_COMM)
			on_comm(in, &rec);
		else if (off_cpu && hd_perf_is_switch(&rec))
			on_switch(in, &rec);
	}
	if (rc >= 0)
		hd_thread_intervals_end(ms->intervals);
	return rc;
}

/* Return true if perf was asked to record when threads leave their CPUs. */
static bool records_switches(const struct hd_perf_input *in)
{
	const struct hd_perf_attr *attrs = hd_perf_attrs(in->pf, &(size_t){ 0 });

	for (size_t i = 0; i < in->request.nattrs; i++)
		if (attrs[i].switches || in->spans->role[i] == ROLE_LEFT)
			return true;
	return false;
}

static int need_switches(const struct hd_perf_input *in, struct hd_err *err)
{
	const struct hd_span_weights *ms = in->spans;
	int pid = (int)ms->pid;
	char all[48] = "the thread was";

	if (in->request.opts->select.weight == HD_WEIGHT_SYSCALLS || ms->has_runs ||
		hd_thread_intervals_stats(ms->intervals)->switches)
		return 0;
	if (ms->threads.n > 1)
		snprintf(all, sizeof(all), "all %zu threads were", ms->threads.n);
	if (records_switches(in) && pid)
		return hd_fail(err, HD_EFORMAT,
			"%s: --weight %s: perf saw no thread leave its CPU: %s blocked the whole time, or ran the "
			"whole time; gdb -p %d and /proc/%d/task/*/stack show where",
			hd_perf_file(in->pf)->path, mode_name(in), all, pid, pid);
	return hd_fail(err, HD_EFORMAT,
		"%s: --weight %s: no context switch is in it; record with perf record -e sched:sched_switch "
		"--switch-events --call-graph dwarf, or hotdrift profile async",
		hd_perf_file(in->pf)->path, mode_name(in));
}

/*
 * Recording a context switch costs about 5 us of CPU time, perf's included (derived from the table under "Cost" in
 * docs/waiting.md).  A warning is issued if threads stay on a CPU for less than STAY_NS on average, because this cost
 * is then about a tenth of their time.  Recordings with fewer than STAYS stays are too short for the warning.
 */
enum { STAY_NS = 50000, STAYS = 10000 };

/*
 * Warn if switches are missing that no SWITCH records replace.  Without such records, a thread comes back at the sample
 * of the thread that it replaces.  If that is one of another process, and only one process was recorded, this sample is
 * missing, and further switches of the thread that came back are ignored.
 */
static void warn_of_lost_switches(struct hd_perf_input *in)
{
	const struct hd_thread_intervals_stats *st = hd_thread_intervals_stats(in->spans->intervals);
	uint64_t samples = st->stacks + st->repeated;
	const char *path = hd_perf_file(in->pf)->path;

	if (st->exact)
		return;
	if (st->thinned)
		hd_warn(&in->p->log, "lost.switches", "record with --switch-events, too",
			"%s: only some of the switches were recorded: times are those of the samples alone", path);
	else if (st->repeated > samples / 20)
		hd_warn(&in->p->log, "lost.switches", "record with --switch-events, or all processes (-a)",
			"%s: before %llu of %llu switches, the return of the thread to a CPU was not recorded: times "
			"off the CPU are wrong",
			path, (unsigned long long)st->repeated, (unsigned long long)samples);
}

/* Warn if --weight wall lacks the time that threads ran. */
static void warn_of_no_clock(struct hd_perf_input *in)
{
	if (in->request.opts->select.weight != HD_WEIGHT_WALL ||
	    (in->request.nattrs && memchr(in->spans->role, ROLE_RAN, in->request.nattrs)))
		return;
	hd_warn(&in->p->log, "lost.cpu-time", "record with 'hotdrift profile async --wall', or with -e cpu-clock, too",
		"%s: neither cpu-clock nor task-clock was recorded: --weight wall is the time off the CPU only",
		hd_perf_file(in->pf)->path);
}

static void warn_of_spans(struct hd_perf_input *in)
{
	const struct hd_thread_intervals_stats *st = hd_thread_intervals_stats(in->spans->intervals);
	const struct hd_perf_stats *file = hd_perf_stats(in->pf);
	const char *path = hd_perf_file(in->pf)->path;

	if (st->open)
		hd_warn_n(&in->p->log, "odd.open-span", st->open, "",
			"%s: the recording ends before what a thread waited for did; it counts until then", path);
	/* Do not warn if at least 95 % of the context switches were recorded with their stacks. */
	if (st->thinned && st->exact && st->stacks < st->switches - st->switches / 20)
		hd_warn_n(&in->p->log, "odd.thinned-stacks", st->stacks, "",
			"%s: %llu of %llu switches were recorded with their stacks; threads' times are %s, and are "
			"divided among those stacks",
			path, (unsigned long long)st->stacks, (unsigned long long)st->switches,
			file->lost_events         ? "those of all switches but what the kernel dropped"
				: file->tail_lost ? "those of all switches but the last ones, which are missing"
				: file->command_exit == HD_EXIT_MISSING
				? "those of all switches up to the end of the recording, which the command's end is "
					"not in"
				: "exact, as all switches were recorded");
	/*
	 * `thinned`: only some of the switches and wake-ups were recorded as samples.  If all were recorded, a thread
	 * without a recorded waker was woken by an interrupt or by an unrecorded process: see docs/waiting.md.
	 */
	if (st->thinned && st->unseen_ns > st->blocked_ns / 20)
		hd_warn(&in->p->log, "odd.unseen-wakeups", "a larger --max-size keeps more stacks of wake-ups",
			"%s: the wake-ups that ended %.1f %% of the blocked time were not recorded: how much of it was "
			"waiting for a CPU is unknown, and all of it counts as blocked",
			path, 100 * (double)st->unseen_ns / (double)st->blocked_ns);
	if (st->exact && st->stays >= STAYS && st->stays_ns / st->stays < STAY_NS)
		hd_warn(&in->p->log, "odd.frequent-switches", "",
			"%s: threads stayed on a CPU for %.1f us between two of %llu switches: recording them all, "
			"which takes some 5 us each, made what runs there slower by a tenth or more; what it waits for "
			"is right",
			path, (double)st->stays_ns / (double)st->stays / 1e3, (unsigned long long)st->switches);
	warn_of_lost_switches(in);
	warn_of_no_clock(in);
}

int hd_perf_input_measure_spans(struct hd_perf_input *in, struct hd_err *err)
{
	struct hd_span_weights *ms = in->spans;
	size_t n;
	const struct hd_record_count *counts;
	bool off_cpu = in->request.opts->select.weight != HD_WEIGHT_SYSCALLS;
	int rc;

	if (!ms)
		return 0;
	counts = hd_perf_record_counts(in->pf, &n);
	for (size_t i = 0; i < n; i++)
		ms->has_switches |= counts[i].type == PERF_RECORD_SWITCH ||
			counts[i].type == PERF_RECORD_SWITCH_CPU_WIDE;
	rc = walk(in, off_cpu, err);
	if (rc >= 0)
		rc = need_switches(in, err);
	if (rc >= 0)
		warn_of_spans(in);
	return rc;
}

/* ---- the second pass ---- */

bool hd_perf_input_has_span(const struct hd_perf_input *in, uint64_t seq)
{
	return hd_thread_intervals_find(in->spans->intervals, seq) != NULL;
}

static size_t add_part(const struct hd_perf_input *in, struct hd_event_weight parts[2], size_t n,
	enum hd_span_part part, uint64_t ns)
{
	if (in->spans->wanted[HD_SPAN_PART_WALL] && part != HD_SPAN_PART_WOKEN)
		part = HD_SPAN_PART_WALL;
	if (in->spans->wanted[part])
		parts[n++] = (struct hd_event_weight){ in->spans->event[part], ns };
	return n;
}

size_t hd_perf_input_span_weights(struct hd_perf_input *in, uint64_t seq, struct hd_event_weight parts[2],
	const char **why)
{
	const struct hd_thread_interval *span = hd_thread_intervals_find(in->spans->intervals, seq);
	struct hd_thread_interval_weight share;
	size_t n = 0;

	in->spans->current = span;
	*why = "no span begins there";
	if (!span)
		return 0;
	share = hd_thread_intervals_weight(in->spans->intervals, span);
	*why = "not selected";
	switch ((enum hd_thread_interval_kind)span->kind) {
	case HD_INTERVAL_BLOCKED:
		n = add_part(in, parts, n, HD_SPAN_PART_BLOCKED, share.ns);
		if (share.queued_ns)
			n = add_part(in, parts, n, HD_SPAN_PART_QUEUED, share.queued_ns);
		break;
	case HD_INTERVAL_PREEMPTED:
		n = add_part(in, parts, n, HD_SPAN_PART_PREEMPTED, share.ns);
		break;
	case HD_INTERVAL_WAKEUP:
		n = add_part(in, parts, n, HD_SPAN_PART_WOKEN, share.ns);
		break;
	case HD_INTERVAL_SYSCALL:
		n = add_part(in, parts, n, HD_SPAN_PART_CALLS, share.ns);
		break;
	case HD_INTERVAL_ON_CPU:
		n = add_part(in, parts, n, HD_SPAN_PART_WALL, share.ns);
		break;
	case HD_INTERVAL_KINDS:
		break;
	}
	return n;
}

/*
 * For each thread and kind of interval (blocked, preempted): if none of these intervals has a sample, add one with an
 * unknown stack and their total time.
 */
void hd_perf_input_add_unsampled_spans(struct hd_perf_input *in)
{
	struct hd_span_weights *ms = in->spans;
	const struct hd_unsampled_interval *rest;
	uint64_t ns = 0;
	size_t n;

	if (!ms)
		return;
	rest = hd_thread_intervals_unsampled(ms->intervals, &n);
	for (size_t i = 0; i < n; i++) {
		struct hd_queued_sample q = {
			.s = { .pid = rest[i].pid, .tid = rest[i].tid, .time_ns = rest[i].time_ns, .cpu = UINT32_MAX }
		};
		enum hd_span_part part = rest[i].kind == HD_INTERVAL_PREEMPTED ? HD_SPAN_PART_PREEMPTED
									       : HD_SPAN_PART_BLOCKED;
		struct hd_thread_interval span = { .kind = rest[i].kind, .other = -1, .ns = rest[i].ns };
		struct hd_event_weight parts[2];

		if (!hd_perf_input_wants_thread(in, &q))
			continue;
		ns += rest[i].ns;
		ms->current = &span;
		if (add_part(in, parts, 0, part, rest[i].ns))
			hd_perf_input_add_unplaced(in, &q, &parts[0]);
	}
	if (ns)
		hd_warn_n(&in->p->log, "lost.span-stack", n,
			"record with 'hotdrift profile async' as root or with CAP_PERFMON",
			"%s: the switches of a thread have no stack; the time of all such threads, %.3f s, counts as "
			"[unknown]",
			hd_perf_file(in->pf)->path, (double)ns / 1e9);
}
