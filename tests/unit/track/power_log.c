/*
 * power_log.c - log the power of the caller's sources, RAPL, NVML and a constant: rows, energies, the thread, and
 * fork()
 */
#include "test.h"
#include "../tmpdir.h"
#include "standin.h"

#include "hotdrift.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

static struct hd_profiler *fresh(void)
{
	struct hd_profiler *p;

	setenv("HOTDRIFT_NVML", "/nonexistent/libnvidia-ml.so.1", 1);
	EXPECT_INT(hd_profiler_new(&p, NULL), HD_TRACK_OK);
	return p;
}

/* A source that returns the numbers of a list, and then repeats the last one. */
struct list {
	const double *v;
	size_t n, at;
};

static int next_value(void *arg, double *out)
{
	struct list *l = arg;

	*out = l->v[l->at];
	l->at += l->at + 1 < l->n;
	return isnan(*out) ? HD_TRACK_NONE : HD_TRACK_OK;
}

static struct hd_watt_source source_of(const char *name, struct list *list, bool joules)
{
	return (struct hd_watt_source){ .size = sizeof(struct hd_watt_source), .name = name, .arg = list,
					.read_watts = joules ? NULL : next_value,
					.read_joules = joules ? next_value : NULL };
}

static struct hd_power_total only_total(struct hd_profiler *p)
{
	struct hd_power_total t;

	EXPECT_INT(hd_power_totals(p, &t, 1), 1);
	return t;
}

TEST(constant_watts_times_the_duration_are_the_joules)
{
	struct hd_profiler *p = fresh();
	struct hd_power_total t;

	EXPECT_INT(hd_power_sample(p), HD_TRACK_NONE);
	EXPECT_INT(hd_power_use_constant(p, 250), HD_TRACK_OK);
	t = only_total(p);
	EXPECT(t.joules == 0 && t.n_samples == 0 && isnan(t.mean_watts) && isnan(t.peak_watts));
	for (unsigned i = 0; i < 10; i++)
		EXPECT_INT(hd_power_sample(p), HD_TRACK_OK);
	t = only_total(p);
	EXPECT_STR(t.source, "constant");
	EXPECT_STR(t.domain, "constant");
	EXPECT(t.n_samples == 10 && t.mean_watts == 250 && t.peak_watts == 250 && !t.counter && t.added);
	EXPECT(t.duration_s > 0 && fabs(t.joules - 250 * t.duration_s) < 1e-9 * t.joules);
	hd_profiler_free(p);
}

TEST(a_counter_of_the_caller_counts_its_increase_and_a_fall_is_lost)
{
	static const double joules[] = { 1000, 1005, 1012, 3, 4 };
	struct list list = { joules, 5, 0 };
	struct hd_watt_source source = source_of("meter", &list, true);
	struct hd_profiler *p = fresh();
	struct hd_power_total t;

	EXPECT_INT(hd_power_use(p, &source), HD_TRACK_OK);
	for (unsigned i = 0; i < 5; i++)
		EXPECT_INT(hd_power_sample(p), HD_TRACK_OK);
	t = only_total(p);
	EXPECT_STR(t.source, "meter");
	EXPECT_STR(t.domain, "total");
	EXPECT(t.counter && fabs(t.joules - 13) < 1e-9 && t.failed == 0);
	hd_profiler_free(p);
}

TEST(a_failed_reading_is_counted_and_is_no_row)
{
	static const double watts[] = { 10, NAN, INFINITY, 30 };
	struct list list = { watts, 4, 0 };
	struct hd_watt_source source = source_of("meter", &list, false);
	struct hd_profiler *p = fresh();
	char *dir = tmpdir(), *path = in_dir(dir, "power.csv"), *text;
	struct hd_power_total t;
	size_t lines = 0;

	EXPECT_INT(hd_power_use(p, &source), HD_TRACK_OK);
	for (unsigned i = 0; i < 4; i++)
		EXPECT_INT(hd_power_sample(p), HD_TRACK_OK);
	t = only_total(p);
	EXPECT(t.failed == 2 && t.n_samples == 2 && t.peak_watts == 30);
	EXPECT(fabs(t.joules - 20 * t.duration_s) <= 1e-9 * t.joules);	/* trapezoid from 10 to 30 W */
	EXPECT_INT(hd_power_write_csv(p, path), HD_TRACK_OK);
	text = text_of_file(path);
	for (const char *s = text; (s = strchr(s, '\n')); s++)
		lines++;
	EXPECT_INT(lines, 3);
	EXPECT(!strncmp(text, "t_ns,source,domain,watts,joules_cum,stale\n", 42));
	EXPECT(strstr(text, ",\"meter\",\"total\",10,,0\n") && strstr(text, ",\"meter\",\"total\",30,,0\n"));
	EXPECT_INT(hd_power_write_csv(p, NULL), HD_TRACK_INVALID);
	free(text);
	free(path);
	tmpdir_remove(dir);
	hd_profiler_free(p);
}

TEST(the_domains_of_rapl_are_read_and_those_inside_another_are_not_added)
{
	struct hd_profiler *p = fresh();
	char *root = tmpdir();
	struct hd_power_total t[2];

	setenv("HOTDRIFT_SYSFS", root, 1);
	EXPECT_INT(hd_power_use_rapl(p), HD_TRACK_NONE);
	put_rooted(root, "/class/powercap/intel-rapl:0/name", "package-0\n");
	put_rooted(root, "/class/powercap/intel-rapl:0/energy_uj", "9000000\n");
	put_rooted(root, "/class/powercap/intel-rapl:0/max_energy_range_uj", "10000000\n");
	put_rooted(root, "/class/powercap/intel-rapl:0:0/name", "core\n");
	put_rooted(root, "/class/powercap/intel-rapl:0:0/energy_uj", "1000000\n");
	put_rooted(root, "/class/powercap/intel-rapl:0:0/max_energy_range_uj", "10000000\n");
	EXPECT_INT(hd_power_use_rapl(p), HD_TRACK_OK);
	EXPECT_INT(hd_power_use_rapl(p), HD_TRACK_FULL);
	EXPECT_INT(hd_power_sample(p), HD_TRACK_OK);
	put_rooted(root, "/class/powercap/intel-rapl:0/energy_uj", "2000000\n");	/* after a wrap: +3 J */
	put_rooted(root, "/class/powercap/intel-rapl:0:0/energy_uj", "1500000\n");
	EXPECT_INT(hd_power_sample(p), HD_TRACK_OK);
	EXPECT_INT(hd_power_totals(p, t, 2), 2);
	EXPECT_STR(t[0].domain, "package-0");
	EXPECT(t[0].counter && fabs(t[0].joules - 3) < 1e-9 && t[0].added);
	EXPECT_STR(t[1].domain, "core-0");
	EXPECT(fabs(t[1].joules - 0.5) < 1e-9 && !t[1].added);
	EXPECT_INT(hd_power_totals(p, NULL, 0), 2);
	EXPECT_INT(hd_power_totals(p, NULL, 1), HD_TRACK_INVALID);
	unsetenv("HOTDRIFT_SYSFS");
	tmpdir_remove(root);
	hd_profiler_free(p);
}

static int sample_in_child(void *p)
{
	struct hd_power_total t;

	/* NVML is not called in the child: its readings fail. */
	return hd_power_sample(p) == HD_TRACK_OK && hd_power_totals(p, &t, 1) == 1 && t.failed == 1 ? 0 : 1;
}

TEST(gpus_are_read_by_nvml_but_not_in_a_forked_child)
{
	struct hd_profiler *p = fresh();
	struct hd_power_total t;

	EXPECT_INT(hd_power_use_nvml(p), HD_TRACK_NONE);
	setenv("HOTDRIFT_NVML", standin_nvml("nvml", ""), 1);
	EXPECT_INT(hd_power_use_nvml(p), HD_TRACK_OK);
	for (unsigned i = 0; i < 3; i++)
		EXPECT_INT(hd_power_sample(p), HD_TRACK_OK);
	t = only_total(p);
	EXPECT_STR(t.source, "nvml");
	EXPECT_STR(t.domain, "gpu-0");
	EXPECT(t.n_samples == 3 && t.peak_watts == 103 && t.failed == 0 && !t.counter);
	EXPECT_INT(in_child(sample_in_child, p), 0);
	hd_profiler_free(p);
}

TEST(sources_are_added_before_the_first_sample_and_once)
{
	static const double watts[] = { 1 };
	struct list list = { watts, 1, 0 };
	struct hd_watt_source source = source_of("meter", &list, false), broken = source;
	struct hd_profiler *p = fresh();

	broken.read_joules = next_value;
	EXPECT_INT(hd_power_use(p, &broken), HD_TRACK_INVALID);
	broken.read_joules = broken.read_watts = NULL;
	EXPECT_INT(hd_power_use(p, &broken), HD_TRACK_INVALID);
	broken = source;
	broken.name = "";
	EXPECT_INT(hd_power_use(p, &broken), HD_TRACK_INVALID);
	broken.name = NULL;
	EXPECT_INT(hd_power_use(p, &broken), HD_TRACK_INVALID);
	broken = source;
	broken.size = 8;
	EXPECT_INT(hd_power_use(p, &broken), HD_TRACK_INVALID);
	EXPECT_INT(hd_power_use(p, NULL), HD_TRACK_INVALID);
	EXPECT_INT(hd_power_use_constant(p, NAN), HD_TRACK_INVALID);
	EXPECT_INT(hd_power_use_constant(p, -1), HD_TRACK_INVALID);
	EXPECT_INT(hd_power_use(p, &source), HD_TRACK_OK);
	EXPECT_INT(hd_power_use(p, &source), HD_TRACK_FULL);
	EXPECT_INT(hd_power_sample(p), HD_TRACK_OK);
	source.name = "another";
	EXPECT_INT(hd_power_use(p, &source), HD_TRACK_ORDER);
	EXPECT_INT(hd_power_use_constant(p, 1), HD_TRACK_ORDER);
	hd_profiler_free(p);
}

/* ---- the thread ---- */

/*
 * A source that counts its readings, and stores which thread reads it and how many signals are not blocked in this
 * thread.
 */
struct watcher {
	unsigned reads;
	int open_signals;
	pthread_t by;
};

static int watch(void *arg, double *watts)
{
	struct watcher *w = arg;
	sigset_t blocked;

	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	for (int s = 1; s < SIGSYS; s++)
		if (s != SIGKILL && s != SIGSTOP && !sigismember(&blocked, s))
			__atomic_fetch_add(&w->open_signals, 1, __ATOMIC_RELAXED);
	w->by = pthread_self();
	*watts = 5;
	__atomic_fetch_add(&w->reads, 1, __ATOMIC_RELEASE);
	return HD_TRACK_OK;
}

static void wait_for_reads(struct watcher *w, unsigned n)
{
	while (__atomic_load_n(&w->reads, __ATOMIC_ACQUIRE) < n)
		sched_yield();
}

TEST(the_thread_samples_with_all_signals_blocked_until_it_is_stopped)
{
	struct watcher w = { 0 };
	struct hd_watt_source source = { .size = sizeof(source), .name = "w", .read_watts = watch, .arg = &w };
	struct hd_profiler *p = fresh();
	sigset_t before, after;
	unsigned reads;

	EXPECT_INT(hd_power_start(p, 1000), HD_TRACK_NONE);
	EXPECT_INT(hd_power_use(p, &source), HD_TRACK_OK);
	EXPECT_INT(hd_power_stop(p), HD_TRACK_ORDER);
	EXPECT_INT(hd_power_start(p, 0), HD_TRACK_INVALID);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	EXPECT_INT(hd_power_start(p, 100), HD_TRACK_OK);
	EXPECT_INT(hd_power_start(p, 100), HD_TRACK_ORDER);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	for (int i = 1; i < SIGSYS; i++)
		EXPECT_INT(sigismember(&before, i), sigismember(&after, i));
	wait_for_reads(&w, 5);
	EXPECT_INT(hd_power_stop(p), HD_TRACK_OK);
	EXPECT_INT(hd_power_stop(p), HD_TRACK_ORDER);
	EXPECT(w.open_signals == 0 && !pthread_equal(w.by, pthread_self()));
	reads = w.reads;
	/* The source always has 5 W, so later readings count as repeated. */
	EXPECT_INT(only_total(p).n_samples, 1);
	EXPECT_INT(hd_power_start(p, 1000000000), HD_TRACK_OK);
	wait_for_reads(&w, reads + 1);
	/* This ends the thread at once, although it waits for the end of its interval. */
	hd_profiler_free(p);
}

static int start_in_child(void *arg)
{
	struct hd_profiler *p = arg;
	struct hd_power_total t;

	if (hd_power_stop(p) != HD_TRACK_ORDER)
		return 1;
	if (hd_power_start(p, 1000000) < 0 || hd_power_stop(p) < 0)
		return 2;
	if (hd_power_totals(p, &t, 1) != 1)
		return 3;
	hd_profiler_free(p);
	return 0;
}

TEST(a_forked_child_has_no_thread_and_can_start_one)
{
	struct watcher w = { 0 };
	struct hd_watt_source source = { .size = sizeof(source), .name = "w", .read_watts = watch, .arg = &w };
	struct hd_profiler *p;

#ifdef __SANITIZE_THREAD__
	SKIP("the thread sanitizer supports no threads in the child of a process with threads");
#endif
	p = fresh();
	EXPECT_INT(hd_power_use(p, &source), HD_TRACK_OK);
	EXPECT_INT(hd_power_start(p, 1000000000), HD_TRACK_OK);
	wait_for_reads(&w, 1);
	while (hd_power_totals(p, NULL, 0) != 1)	/* the thread has released the lock and waits */
		sched_yield();
	EXPECT_INT(in_child(start_in_child, p), 0);
	EXPECT_INT(hd_power_stop(p), HD_TRACK_OK);
	hd_profiler_free(p);
}

TEST_MAIN(RUN(constant_watts_times_the_duration_are_the_joules),
	  RUN(a_counter_of_the_caller_counts_its_increase_and_a_fall_is_lost),
	  RUN(a_failed_reading_is_counted_and_is_no_row),
	  RUN(the_domains_of_rapl_are_read_and_those_inside_another_are_not_added),
	  RUN(gpus_are_read_by_nvml_but_not_in_a_forked_child),
	  RUN(sources_are_added_before_the_first_sample_and_once),
	  RUN(the_thread_samples_with_all_signals_blocked_until_it_is_stopped),
	  RUN(a_forked_child_has_no_thread_and_can_start_one))
