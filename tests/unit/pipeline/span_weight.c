/* span_weight.c - weight samples by the span of time that they represent */
#include "bundle_equivalence.h"
#include "tracing_data.h"

#include "profile/group.h"
#include "base/mem.h"
#include "pipeline/span_polls.h"

#include <time.h>

enum {
	TYPE = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
		PERF_SAMPLE_PERIOD
};
enum { SWITCHES = 1, WAKES, ENTERS, RETURNS, CLOCK };	/* ids of events, and of tracepoints */

#define FIELDS(name, id) "name: " name "\nID: " #id "\nformat:\n\tfield:unsigned short " \
	"common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
#define SWITCH_FORMAT FIELDS("sched_switch", 1)							\
	"\tfield:pid_t prev_pid;\toffset:4;\tsize:4;\tsigned:1;\n"				\
	"\tfield:long prev_state;\toffset:8;\tsize:8;\tsigned:1;\n"				\
	"\tfield:pid_t next_pid;\toffset:16;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n"
#define WAKE_FORMAT FIELDS("sched_wakeup", 2) "\tfield:pid_t pid;\toffset:4;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n"
#define WAKING_FORMAT FIELDS("sched_waking", 2) "\tfield:pid_t pid;\toffset:4;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n"
#define ENTER_FORMAT FIELDS("sys_enter", 3) "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n\nprint fmt: \"\"\n"
#define EXIT_FORMAT FIELDS("sys_exit", 4) "\tfield:long ret;\toffset:8;\tsize:8;\tsigned:1;\n\nprint fmt: \"\"\n"

static void tracing_data(struct image *im, bool waking)
{
	tracing_record(im,
		(const struct tracing_system[]){ { "sched", { SWITCH_FORMAT, waking ? WAKING_FORMAT : WAKE_FORMAT } },
			{ "raw_syscalls", { ENTER_FORMAT, EXIT_FORMAT } } });
}

static void named(struct image *im, int tid, uint64_t us, const char *comm)
{
	size_t r = rec(im, PERF_RECORD_COMM, 0);

	u32(im, 7);
	u32(im, (uint32_t)tid);
	text(im, comm, 16);
	u32(im, 7);		/* the trailer */
	u32(im, (uint32_t)tid);
	u64(im, us * 1000);
	u32(im, 0);
	u32(im, 0);
	u64(im, SWITCHES);
	end(im, r);
}

static void thread(struct image *im, int tid, const char *comm) { named(im, tid, 0, comm); }

static size_t sample(struct image *im, uint64_t id, int tid, uint64_t us, uint64_t period)
{
	size_t r = rec(im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	u64(im, id);
	u64(im, 0x1000 * id);
	u32(im, 7);
	u32(im, (uint32_t)tid);
	u64(im, us * 1000);
	u32(im, 1);
	u32(im, 0);
	u64(im, period);
	return r;
}

/* Append a sample of a tracepoint whose raw data has the type, then a, b and c. */
static void traced(struct image *im, uint64_t id, int tid, uint64_t us, uint32_t a, int64_t b, uint32_t c)
{
	size_t r = sample(im, id, tid, us, 1);

	u32(im, 28);
	u16(im, (uint16_t)id);
	u16(im, 0);
	u32(im, a);
	u64(im, (uint64_t)b);
	u32(im, c);
	text(im, "", 8);
	end(im, r);
}

static void leaves(struct image *im, int tid, uint64_t us, int64_t state, int next)
{
	traced(im, SWITCHES, tid, us, (uint32_t)tid, state, (uint32_t)next);
}
/* Append a sample of a switch, which represents `period` switches; the thread goes to sleep. */
static void leaves_thinned(struct image *im, int tid, uint64_t us, uint64_t period)
{
	size_t r = sample(im, SWITCHES, tid, us, period);

	u32(im, 28);
	u16(im, SWITCHES);
	u16(im, 0);
	u32(im, (uint32_t)tid);
	u64(im, 1);
	u32(im, 0);
	text(im, "", 8);
	end(im, r);
}
static void wakes(struct image *im, int tid, uint64_t us, int whom)
{
	traced(im, WAKES, tid, us, (uint32_t)whom, 0, 0);
}
static void enters(struct image *im, int tid, uint64_t us, int64_t nr) { traced(im, ENTERS, tid, us, 0, nr, 0); }
static void returns(struct image *im, int tid, uint64_t us, int64_t value)
{
	traced(im, RETURNS, tid, us, 0, value, 0);
}

static void switched(struct image *im, int tid, uint64_t us, uint16_t misc)
{
	size_t r = rec(im, PERF_RECORD_SWITCH, misc);

	u32(im, 7);
	u32(im, (uint32_t)tid);
	u64(im, us * 1000);
	u32(im, 0);
	u32(im, 0);
	u64(im, SWITCHES);
	end(im, r);
}

enum { PERF_CLOCK = -1 };	/* perf's default clock, which clock_gettime() does not have */

static void event_on(struct image *im, struct attr a, uint64_t id, int clock)
{
	if (clock == PERF_CLOCK)
		attr_record(im, a, id);
	else
		attr_record_clock(im, a, id, (uint32_t)clock);
}

static struct image begun_with(bool swap, bool waking, int clock)
{
	struct image im = pipe_image(swap);

	for (uint64_t id = SWITCHES; id <= RETURNS; id++)
		event_on(&im,
			(struct attr){ .type = PERF_TYPE_TRACEPOINT,
				.config = id,
				.sample_type = TYPE | PERF_SAMPLE_RAW,
				.flags = ID_ALL },
			id, clock);
	event_on(&im, (struct attr){ .type = PERF_TYPE_SOFTWARE, .sample_type = TYPE, .flags = ID_ALL }, CLOCK, clock);
	tracing_data(&im, waking);
	thread(&im, 10, "app");
	thread(&im, 20, "tool");
	return im;
}

static struct image begun(bool swap) { return begun_with(swap, false, PERF_CLOCK); }

/*
 * Append this sequence: app waits 30 us, is woken by tool and runs 5 us later; then it is preempted for 4 us; then each
 * of the two makes a system call.
 */
static struct image story_of(struct image im)
{
	size_t r;

	leaves(&im, 10, 100, 1, 20);
	switched(&im, 10, 101, PERF_RECORD_MISC_SWITCH_OUT);
	wakes(&im, 20, 130, 10);
	wakes(&im, 20, 131, 77);		/* wakes an unknown thread */
	switched(&im, 10, 135, 0);
	r = sample(&im, CLOCK, 10, 140, 9000);
	end(&im, r);
	leaves(&im, 10, 150, 0x100, 20);
	switched(&im, 10, 150, PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	switched(&im, 10, 154, 0);
	enters(&im, 10, 160, 0);
	enters(&im, 20, 161, 257);
	returns(&im, 20, 164, -2);
	returns(&im, 10, 180, 5);
	return im;
}

static struct image story(bool swap) { return story_of(begun(swap)); }

static struct hd_pipeline_opts weighed(enum hd_weight weight, const char *const *names, size_t n)
{
	return (struct hd_pipeline_opts){ .no_symbols = true,
		.squares = true,
		.select.weight = weight,
		.keys = HD_KEY_COMM,
		.fields = { .items = (const char **)names, .n = n } };
}

/*
 * Return the rows of the table as text, which the caller frees: `event: comm value|value ns samples`.  If the options
 * are rejected, it is the message.
 */
static char *rows(struct image *im, struct hd_pipeline_opts o)
{
	char *dir = tmpdir(), *path = put_file(dir, "m.data", im->b.data, im->b.len);
	struct hd_buf out = { 0 };
	struct hd_profile *p = NULL;
	struct hd_err err = { 0 };
	struct hd_groups g;

	expect_law(path, o);
	if (hd_pipeline_read(&p, path, &o, &err) < 0) {
		hd_buf_adds(&out, strchr(err.msg, ':') + 2);
	} else {
		expect_sums(p);
		hd_groups_build(&g, p, HD_BY_COMM | (o.fields.n ? HD_BY_FIELDS : 0), false);
		for (size_t i = 0; i < g.n; i++) {
			hd_buf_addf(&out, "%s: %s", hd_profile_str(p, p->events[g.rows[i].event].name),
				hd_profile_str(p, g.rows[i].comm));
			for (size_t k = 0; k < o.fields.n; k++) {
				const struct hd_value *v = &hd_tuples_get(&p->tuples, g.rows[i].tuple)[k];

				hd_buf_addf(&out, " %s",
					v->kind == HD_VALUE_TEXT ? hd_profile_str(p, (uint32_t)v->v) : "-");
			}
			hd_buf_addf(&out, " %llu %llu\n", (unsigned long long)g.rows[i].self,
				(unsigned long long)g.rows[i].samples);
		}
		hd_groups_release(&g);
	}
	hd_profile_free(p);
	free(path);
	tmpdir_remove(dir);
	hd_buf_release(&im->b);
	return hd_buf_take(&out);
}

static void expect_rows(struct image im, struct hd_pipeline_opts o, const char *want)
{
	char *have = rows(&im, o);

	EXPECT_STR(have, want);
	free(have);
}

#define WEIGHED(weight, ...) weighed(weight, (const char *const[]){ __VA_ARGS__ }, \
	sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

TEST(off_the_cpu_is_blocked_then_queued_or_preempted_and_the_waker_counts_for_what_it_ended)
{
	for (int swap = 0; swap < 2; swap++)
		expect_rows(story(swap), WEIGHED(HD_WEIGHT_OFF_CPU, "reason", "waker", "woken"),
			    "blocked: app other tool - 30000 1\nqueued: app other tool - 5000 1\n"
			    "preempted: app preempted - - 4000 1\nwoken: tool - - app 30000 1\n");
}

TEST(wakers_are_also_found_in_recordings_of_perf_sched)
{
	struct image im = begun_with(false, true, PERF_CLOCK);

	leaves(&im, 10, 100, 1, 20);
	switched(&im, 10, 101, PERF_RECORD_MISC_SWITCH_OUT);
	wakes(&im, 20, 130, 10);
	switched(&im, 10, 135, 0);
	expect_rows(im, WEIGHED(HD_WEIGHT_OFF_CPU, "waker"),
		"blocked: app tool 30000 1\nqueued: app tool 5000 1\nwoken: tool - 30000 1\n");
}

TEST(a_waker_has_the_name_of_its_wake_up_also_if_it_did_not_exist_when_the_wait_began)
{
	struct image im = begun(false);

	leaves(&im, 10, 100, 1, 20);
	switched(&im, 10, 101, PERF_RECORD_MISC_SWITCH_OUT);
	named(&im, 30, 120, "giver");
	wakes(&im, 30, 130, 10);
	named(&im, 30, 132, "renamed");
	switched(&im, 10, 135, 0);
	expect_rows(im, WEIGHED(HD_WEIGHT_OFF_CPU, "waker"),
		"blocked: app giver 30000 1\nqueued: app giver 5000 1\nwoken: giver - 30000 1\n");
}

TEST(a_kernel_thread_without_work_is_blocked_and_a_thread_that_ended_does_not_come_back)
{
	struct image im = begun(false);

	leaves(&im, 10, 100, 0x80, 20);
	switched(&im, 10, 101, PERF_RECORD_MISC_SWITCH_OUT);
	leaves(&im, 20, 110, 0x20, 0);
	switched(&im, 20, 111, PERF_RECORD_MISC_SWITCH_OUT);
	wakes(&im, 30, 130, 10);
	switched(&im, 10, 135, 0);
	switched(&im, 20, 140, 0);		/* a new thread with the same number */
	expect_rows(im, weighed(HD_WEIGHT_OFF_CPU, NULL, 0), "blocked: app 30000 1\nqueued: app 5000 1\n"
		"woken: :30 30000 1\n");
}

TEST(one_part_can_be_selected)
{
	struct hd_pipeline_opts o = weighed(HD_WEIGHT_OFF_CPU, NULL, 0);
	const char *queued = "queued";

	o.select.event = (struct hd_string_list){ .items = &queued, .n = 1 };
	expect_rows(story(false), o, "queued: app 5000 1\n");
}

TEST(the_wall_clock_is_waiting_and_running_in_one)
{
	expect_rows(story(false), weighed(HD_WEIGHT_WALL, NULL, 0), "wall: app 48000 4\n");
}

TEST(a_system_call_counts_for_its_time_with_its_name_and_its_error)
{
	struct hd_pipeline_opts o = WEIGHED(HD_WEIGHT_SYSCALLS, "error");

	expect_rows(story(false), o, "syscalls: app ok 20000 1\nsyscalls: tool ENOENT 3000 1\n");
}

TEST(fields_of_spans_are_keys_and_no_part_of_a_filter)
{
	struct image im = story(false);
	struct hd_pipeline_opts o = weighed(HD_WEIGHT_SYSCALLS, NULL, 0);
	char *have;

	o.select.filter = "error == ENOENT";
	have = rows(&im, o);
	EXPECT(strstr(have, "--filter: no selected event has a field 'error'; there are comm, pid"));
	free(have);
}

TEST(without_switch_records_the_samples_alone_determine_the_intervals)
{
	struct image im = begun(false);

	leaves(&im, 10, 100, 1, 20);
	leaves(&im, 20, 160, 2, 10);
	leaves(&im, 10, 170, 1, 0);		/* switches to the idle task; thread 10 does not run again */
	wakes(&im, 10, 190, 20);
	expect_rows(im, weighed(HD_WEIGHT_OFF_CPU, NULL, 0),
		    "blocked: app 80000 2\nblocked: tool 30000 1\nwoken: app 30000 1\n");
}

TEST(a_thread_whose_switches_have_no_stack_counts_as_unknown)
{
	struct image im = begun(false);

	switched(&im, 10, 100, PERF_RECORD_MISC_SWITCH_OUT);
	switched(&im, 10, 130, 0);
	expect_rows(im, WEIGHED(HD_WEIGHT_OFF_CPU, "reason"), "blocked: app other 30000 1\n");
}

TEST(wall_time_of_threads_that_never_left_their_cpus_is_that_of_the_clock)
{
	struct image im = begun(false);
	size_t r = sample(&im, CLOCK, 10, 100, 5000);

	end(&im, r);
	expect_rows(im, weighed(HD_WEIGHT_WALL, NULL, 0), "wall: app 5000 1\n");
}

TEST(missing_events_are_named_with_the_command_that_records_them)
{
	struct image im = begun(false);
	char *have;
	size_t r = sample(&im, CLOCK, 10, 100, 1);

	end(&im, r);
	have = rows(&im, weighed(HD_WEIGHT_OFF_CPU, NULL, 0));
	EXPECT(strstr(have, "--weight off-cpu: perf saw no thread leave its CPU: all 2 threads were blocked the whole "
		"time, or ran the whole time; gdb -p 7 and"));
	free(have);
	im = pipe_image(false);
	attr_record(&im, (struct attr){ .type = PERF_TYPE_SOFTWARE, .sample_type = TYPE, .flags = ID_ALL }, CLOCK);
	r = sample(&im, CLOCK, 10, 100, 1);
	end(&im, r);
	have = rows(&im, weighed(HD_WEIGHT_OFF_CPU, NULL, 0));
	EXPECT(strstr(have,
		"no context switch is in it; record with perf record -e sched:sched_switch --switch-events"));
	free(have);
	im = pipe_image(false);
	attr_record(&im, (struct attr){ .type = PERF_TYPE_SOFTWARE, .sample_type = TYPE, .flags = ID_ALL }, CLOCK);
	r = sample(&im, CLOCK, 10, 100, 1);
	end(&im, r);
	have = rows(&im, weighed(HD_WEIGHT_SYSCALLS, NULL, 0));
	EXPECT(strstr(have, "raw_syscalls:sys_enter was not recorded"));
	free(have);
}

/*
 * Return the text of a warning about `im`, which is released here; NULL if there is none.  The
 * caller frees the text.
 */
static char *warning_with(enum hd_weight weight, struct image im, const char *code)
{
	struct hd_pipeline_opts o = weighed(weight, NULL, 0);
	char *dir = tmpdir(), *path = put_file(dir, "m.data", im.b.data, im.b.len), *text = NULL;
	const struct hd_warning *w;
	struct hd_profile *p = NULL;
	struct hd_err err = { 0 };

	EXPECT_INT(hd_pipeline_read(&p, path, &o, &err), 0);
	w = hd_log_find(&p->log, code);
	if (w)
		text = hd_strdup(w->text);
	hd_profile_free(p);
	free(path);
	tmpdir_remove(dir);
	hd_buf_release(&im.b);
	return text;
}

static char *warning_of(struct image im, const char *code)
{
	return warning_with(HD_WEIGHT_OFF_CPU, im, code);
}

TEST(a_warning_is_issued_if_returns_to_a_cpu_are_missing)
{
	struct image of_one_process = begun(false), of_all = begun(false);
	char *text;

	for (uint64_t i = 0, now = 100; i < 100; i++, now += 100) {
		leaves(&of_one_process, 10, now, 1, 0);
		leaves(&of_all, 10, now, 1, 0);
		leaves(&of_all, 0, now + 50, 0, 10);		/* the idle task */
	}
	text = warning_of(of_one_process, "lost.switches");
	EXPECT(text && strstr(text, "before 99 of 100 switches, the return of the thread to a CPU was not recorded"));
	free(text);
	EXPECT(!warning_of(of_all, "lost.switches"));
}

/* Return a recording of sched_switch in which app waits for 30 us. */
static struct image without_clock(void)
{
	struct image im = pipe_image(false);

	event_on(&im, (struct attr){ .type = PERF_TYPE_TRACEPOINT, .config = SWITCHES,
		.sample_type = TYPE | PERF_SAMPLE_RAW, .flags = ID_ALL }, SWITCHES, PERF_CLOCK);
	tracing_data(&im, false);
	thread(&im, 10, "app");
	leaves(&im, 10, 100, 1, 20);
	switched(&im, 10, 101, PERF_RECORD_MISC_SWITCH_OUT);
	switched(&im, 10, 130, 0);
	return im;
}

TEST(a_wall_clock_without_a_clock_is_reported)
{
	char *text = warning_with(HD_WEIGHT_WALL, without_clock(), "lost.cpu-time");

	EXPECT(text && strstr(text, "neither cpu-clock nor task-clock was recorded"));
	free(text);
	EXPECT(!warning_with(HD_WEIGHT_WALL, story(false), "lost.cpu-time"));
	EXPECT(!warning_of(without_clock(), "lost.cpu-time"));
}

static struct image story_with_clocks(uint64_t flags_of_first, uint64_t flags_of_second)
{
	struct image im = without_clock();
	uint64_t flags[] = { flags_of_first, flags_of_second };

	for (uint64_t i = 0; i < 2; i++) {
		size_t r;

		event_on(&im,
			(struct attr){ .type = PERF_TYPE_SOFTWARE,
				.config = i ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_CPU_CLOCK,
				.sample_type = TYPE,
				.flags = ID_ALL | flags[i] },
			CLOCK + i, PERF_CLOCK);
		r = sample(&im, CLOCK + i, 10, 140, 9000);
		end(&im, r);
	}
	return im;
}

TEST(the_time_on_a_cpu_counts_once_if_two_clocks_were_recorded)
{
	enum { EXCLUDE_USER = 1 << 4, EXCLUDE_KERNEL = 1 << 5 };

	expect_rows(story_with_clocks(0, 0), weighed(HD_WEIGHT_WALL, NULL, 0), "wall: app 39000 2\n");
	expect_rows(story_with_clocks(EXCLUDE_KERNEL, EXCLUDE_USER), weighed(HD_WEIGHT_WALL, NULL, 0),
		"wall: app 48000 3\n");
}

/*
 * Return true if there is a warning that recording slowed the threads, for 12,000 intervals of `us` microseconds on a
 * CPU.
 */
static bool slowed(uint64_t us)
{
	struct image im = begun(false);
	char *text;

	for (uint64_t i = 0, now = 100; i < 12000; i++, now += us) {
		switched(&im, 10, now, PERF_RECORD_MISC_SWITCH_OUT);
		switched(&im, 10, now += 5, 0);
	}
	text = warning_of(im, "odd.frequent-switches");
	free(text);
	return text != NULL;
}

/*
 * Return a recording in which app waits for tool for 10 us and then for a CPU for 10 us, and later sleeps for 20 us.
 * The wake-up from the sleep, by a timer, is not recorded.
 */
static struct image wait_and_sleep(uint64_t period)
{
	struct image im = begun(false);

	leaves_thinned(&im, 10, 100, period);
	switched(&im, 10, 100, PERF_RECORD_MISC_SWITCH_OUT);
	wakes(&im, 20, 110, 10);
	switched(&im, 10, 120, 0);
	leaves_thinned(&im, 10, 130, period);
	switched(&im, 10, 130, PERF_RECORD_MISC_SWITCH_OUT);
	switched(&im, 10, 150, 0);
	return im;
}

TEST(intervals_without_a_recorded_wake_up_are_blocked_and_a_thinned_recording_reports_their_part)
{
	char *text;

	expect_rows(wait_and_sleep(2), weighed(HD_WEIGHT_OFF_CPU, NULL, 0),
		"blocked: app 30000 2\nqueued: app 10000 1\nwoken: tool 10000 1\n");
	text = warning_of(wait_and_sleep(2), "odd.unseen-wakeups");
	EXPECT(text && strstr(text, "the wake-ups that ended 50.0 % of the blocked time were not recorded"));
	free(text);
	EXPECT(!warning_of(wait_and_sleep(1), "odd.unseen-wakeups"));
}

static void finish_round(struct image *im)
{
	end(im, rec(im, HD_RT_FINISHED_ROUND, 0));
}

/*
 * Return the warning about thinned samples for a recording in which ten of a hundred switches have a stack.  lost: the
 * recording ends before its last round is finished.
 */
static char *exactness(bool lost)
{
	struct image im = begun(false);
	char *text;

	for (uint64_t i = 0, now = 100; i < 100; i++, now += 100) {
		if (i % 10 == 0)
			leaves_thinned(&im, 10, now, 10);
		switched(&im, 10, now, PERF_RECORD_MISC_SWITCH_OUT);
		switched(&im, 10, now + 50, 0);
		if (i == 50)
			finish_round(&im);
	}
	if (!lost)
		finish_round(&im);
	text = warning_of(im, "odd.thinned-stacks");
	EXPECT(text);
	return text;
}

TEST(times_of_threads_are_called_exact_only_when_the_end_of_the_recording_is_there)
{
	char *whole = exactness(false), *cut = exactness(true);

	EXPECT(strstr(whole, "threads' times are exact, as all switches were recorded"));
	EXPECT(strstr(cut, "threads' times are those of all switches but the last ones, which are missing"));
	free(whole);
	free(cut);
}

TEST(a_warning_is_issued_if_recording_the_switches_costs_a_tenth_of_the_time)
{
	EXPECT(slowed(30));
	EXPECT(!slowed(80));
}

static struct hd_span_polls *polls_of(const char *rows_of)
{
	struct hd_buf text = { 0 };
	struct hd_span_polls *polls;
	struct hd_log log = { 0 };

	hd_buf_addf(&text, "t_ns,duration_ns,pid,tid,span,parent,name\n%s", rows_of);
	EXPECT_INT(hd_span_polls_parse(&polls, text.data, text.len, "spans.csv", &log, NULL), 0);
	hd_buf_release(&text);
	hd_log_release(&log);
	return polls;
}

TEST(time_off_the_cpu_belongs_to_the_span_whose_poll_it_interrupts)
{
	static const char *const names[] = { "span" };
	struct hd_span_polls *polls = polls_of("90000,50000,7,10,1,0,\"fetch\"\n"
		"145000,15000,7,10,2,0,\"outer\"\n" "149000,10000,7,10,3,2,\"inner\"\n"
		"100000,40000,7,20,4,0,\"other thread\"\n");
	struct hd_pipeline_opts o = weighed(HD_WEIGHT_OFF_CPU, names, 1);

	o.span_polls = polls;
	expect_rows(story_of(begun_with(false, false, CLOCK_MONOTONIC)), o,
		"blocked: app fetch 30000 1\nqueued: app fetch 5000 1\npreempted: app inner 4000 1\n"
		"woken: tool other thread 30000 1\n");
	hd_span_polls_free(polls);
	o.span_polls = polls = polls_of("100001,50000,7,10,1,0,\"too late\"\n");
	expect_rows(story_of(begun_with(false, false, CLOCK_MONOTONIC)), o,
		"blocked: app - 30000 1\nqueued: app - 5000 1\npreempted: app too late 4000 1\n"
		"woken: tool - 30000 1\n");
	hd_span_polls_free(polls);
}

TEST(spans_need_a_recording_with_the_same_clock)
{
	static const char *const names[] = { "span" };
	struct hd_pipeline_opts o = weighed(HD_WEIGHT_OFF_CPU, names, 1);

	o.span_polls = polls_of("");
	expect_rows(story_of(begun(false)), o,
		"--spans: its times are not those of CLOCK_MONOTONIC; record with perf record -k CLOCK_MONOTONIC, or "
		"hotdrift profile async");
	expect_rows(story_of(begun_with(false, false, CLOCK_REALTIME)), o,
		"--spans: its times are not those of CLOCK_MONOTONIC; record with perf record -k CLOCK_MONOTONIC, or "
		"hotdrift profile async");
	hd_span_polls_free((struct hd_span_polls *)o.span_polls);
}

TEST_MAIN(RUN(off_the_cpu_is_blocked_then_queued_or_preempted_and_the_waker_counts_for_what_it_ended),
	  RUN(wakers_are_also_found_in_recordings_of_perf_sched),
	  RUN(a_waker_has_the_name_of_its_wake_up_also_if_it_did_not_exist_when_the_wait_began),
	  RUN(a_kernel_thread_without_work_is_blocked_and_a_thread_that_ended_does_not_come_back),
	  RUN(one_part_can_be_selected),
	  RUN(the_wall_clock_is_waiting_and_running_in_one),
	  RUN(a_system_call_counts_for_its_time_with_its_name_and_its_error),
	  RUN(fields_of_spans_are_keys_and_no_part_of_a_filter),
	  RUN(without_switch_records_the_samples_alone_determine_the_intervals),
	  RUN(a_thread_whose_switches_have_no_stack_counts_as_unknown),
	  RUN(a_warning_is_issued_if_returns_to_a_cpu_are_missing),
	  RUN(a_wall_clock_without_a_clock_is_reported),
	  RUN(the_time_on_a_cpu_counts_once_if_two_clocks_were_recorded),
	  RUN(wall_time_of_threads_that_never_left_their_cpus_is_that_of_the_clock),
	  RUN(missing_events_are_named_with_the_command_that_records_them),
	  RUN(intervals_without_a_recorded_wake_up_are_blocked_and_a_thinned_recording_reports_their_part),
	  RUN(times_of_threads_are_called_exact_only_when_the_end_of_the_recording_is_there),
	  RUN(a_warning_is_issued_if_recording_the_switches_costs_a_tenth_of_the_time),
	  RUN(time_off_the_cpu_belongs_to_the_span_whose_poll_it_interrupts),
	  RUN(spans_need_a_recording_with_the_same_clock))
