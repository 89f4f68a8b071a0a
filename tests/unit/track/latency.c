/*
 * latency.c - store latency samples, summarise them as `hotdrift stats` does, and write them as CSV
 */
#include "test.h"
#include "../tmpdir.h"

#include "hotdrift.h"
#include "stats/summary.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>

static struct hd_profiler *fresh(void)
{
	struct hd_profiler *p;

	EXPECT_INT(hd_profiler_new(&p, NULL), HD_TRACK_OK);
	return p;
}

static void add(struct hd_profiler *p, uint64_t id, double wall, double kernel, uint64_t seq_len)
{
	struct hd_latency sample = { id, wall, kernel, seq_len };

	EXPECT_INT(hd_latency_add(p, &sample), HD_TRACK_OK);
}

TEST(the_csv_has_the_form_latency_and_the_samples_in_order)
{
	struct hd_profiler *p = fresh();
	char *dir = tmpdir(), *path = in_dir(dir, "latency.csv");

	add(p, 7, 1.5, 0.25, 128);
	add(p, UINT64_MAX, 1e6, 0, 0);
	EXPECT_INT(hd_latency_write_csv(p, path), HD_TRACK_OK);
	expect_file(path, "sample_id,wall_time_us,kernel_time_us,seq_len\n"
			  "7,1.5,0.25,128\n"
			  "18446744073709551615,1000000,0,0\n");
	EXPECT_INT(hd_profiler_reset(p), HD_TRACK_OK);
	EXPECT_INT(hd_latency_write_csv(p, path), HD_TRACK_OK);
	expect_file(path, "sample_id,wall_time_us,kernel_time_us,seq_len\n");
	EXPECT_INT(entries(dir), 1);
	free(path);
	tmpdir_remove(dir);
	hd_profiler_free(p);
}

TEST(the_statistics_are_those_of_hotdrift_stats)
{
	struct hd_profiler *p = fresh();
	struct hd_latency_stats got;
	struct hd_summary want;
	double v[500];

	for (unsigned i = 0; i < 500; i++) {
		v[i] = 100 + (i * 7919 % 500) / 7.0 + (i % 100 == 0) * 900;
		add(p, i, v[i], v[i] / 2, i);
	}
	EXPECT_INT(hd_latency_stats(p, HD_LATENCY_WALL, &got), HD_TRACK_OK);
	EXPECT_INT(hd_summarize(&want, v, 500), HD_STATS_OK);
	EXPECT(got.n == 500 && got.outliers == want.outliers && got.outliers == 5);
	EXPECT(got.mean == want.mean && got.std == want.std && got.min == want.min && got.max == want.max);
	EXPECT(got.p50 == want.p50 && got.p95 == want.p95 && got.p99 == want.p99);
	EXPECT(got.mean_lo == want.ci_mean.lo && got.mean_hi == want.ci_mean.hi);
	EXPECT(got.p95_lo == want.ci_p95.lo && got.p95_hi == want.ci_p95.hi);
	EXPECT_INT(hd_latency_stats(p, HD_LATENCY_KERNEL, &got), HD_TRACK_OK);
	EXPECT(got.p50 == want.p50 / 2);
	EXPECT_INT(hd_latency_stats(p, HD_LATENCY_SEQ_LEN, &got), HD_TRACK_OK);
	EXPECT(got.min == 0 && got.max == 499 && got.mean == 249.5);
	hd_profiler_free(p);
}

TEST(an_interval_that_does_not_exist_is_nan)
{
	struct hd_profiler *p = fresh();
	struct hd_latency_stats got;

	EXPECT_INT(hd_latency_stats(p, HD_LATENCY_WALL, &got), HD_TRACK_NONE);
	add(p, 0, 5, 5, 5);
	EXPECT_INT(hd_latency_stats(p, HD_LATENCY_WALL, &got), HD_TRACK_OK);
	EXPECT(got.n == 1 && got.mean == 5 && got.std == 0 && got.p95 == 5);
	EXPECT(isnan(got.mean_lo) && isnan(got.mean_hi) && isnan(got.p95_lo) && isnan(got.p95_hi));
	hd_profiler_free(p);
}

TEST(a_timer_measures_wall_time_and_the_cpu_time_of_the_thread)
{
	struct hd_profiler *p = fresh();
	struct hd_latency_timer timer;
	struct hd_latency got;
	uint64_t begin = hd_now_ns(), end;

	EXPECT_INT(hd_latency_start(&timer), HD_TRACK_OK);
	for (volatile unsigned i = 0; i < 100000; i++)
		;
	EXPECT_INT(hd_latency_stop(p, &timer, 3, 64, -1, &got), HD_TRACK_OK);
	end = hd_now_ns();
	EXPECT(got.sample_id == 3 && got.seq_len == 64);
	EXPECT(got.kernel_time_us > 0 && got.kernel_time_us <= got.wall_time_us + 1000);
	EXPECT(got.wall_time_us <= (double)(end - begin) / 1e3);
	EXPECT_INT(hd_latency_start(&timer), HD_TRACK_OK);
	EXPECT_INT(hd_latency_stop(p, &timer, 4, 64, 12.5, &got), HD_TRACK_OK);
	EXPECT(got.kernel_time_us == 12.5);
	hd_profiler_free(p);
}

TEST(a_timer_that_was_not_started_is_an_error)
{
	struct hd_profiler *p = fresh();
	struct hd_latency_timer timer = { { 0 } };

	EXPECT_INT(hd_latency_stop(p, &timer, 0, 0, 1, NULL), HD_TRACK_ORDER);
	EXPECT_INT(hd_latency_start(&timer), HD_TRACK_OK);
	EXPECT_INT(hd_latency_stop(p, &timer, 0, 0, 1, NULL), HD_TRACK_OK);
	EXPECT_INT(hd_latency_stop(p, &timer, 0, 0, 1, NULL), HD_TRACK_ORDER);
	hd_profiler_free(p);
}

struct stop_elsewhere {
	struct hd_profiler *p;
	struct hd_latency_timer timer;
	int with_cpu_time, without;
};

static void *stop_elsewhere(void *arg)
{
	struct stop_elsewhere *s = arg;

	s->with_cpu_time = hd_latency_stop(s->p, &s->timer, 0, 0, -1, NULL);
	s->without = hd_latency_stop(s->p, &s->timer, 0, 0, 2, NULL);
	return NULL;
}

TEST(another_thread_can_stop_a_timer_but_has_no_cpu_time_of_it)
{
	struct stop_elsewhere s = { .p = fresh() };
	pthread_t thread;

	EXPECT_INT(hd_latency_start(&s.timer), HD_TRACK_OK);
	EXPECT_INT(pthread_create(&thread, NULL, stop_elsewhere, &s), 0);
	pthread_join(thread, NULL);
	EXPECT_INT(s.with_cpu_time, HD_TRACK_ORDER);
	EXPECT_INT(s.without, HD_TRACK_OK);
	hd_profiler_free(s.p);
}

TEST(invalid_samples_are_rejected)
{
	struct hd_profiler *p = fresh();
	const double invalid[] = { NAN, INFINITY, -1 };
	struct hd_latency_stats stats;

	for (size_t i = 0; i < 3; i++) {
		struct hd_latency wall = { 0, invalid[i], 0, 0 }, kernel = { 0, 0, invalid[i], 0 };

		EXPECT_INT(hd_latency_add(p, &wall), HD_TRACK_INVALID);
		EXPECT_INT(hd_latency_add(p, &kernel), HD_TRACK_INVALID);
	}
	EXPECT_INT(hd_latency_add(p, NULL), HD_TRACK_INVALID);
	EXPECT_INT(hd_latency_start(NULL), HD_TRACK_INVALID);
	EXPECT_INT(hd_latency_stats(p, (enum hd_latency_column)3, &stats), HD_TRACK_INVALID);
	EXPECT_INT(hd_latency_stats(p, HD_LATENCY_WALL, NULL), HD_TRACK_INVALID);
	EXPECT_INT(hd_latency_stats(p, HD_LATENCY_WALL, &stats), HD_TRACK_NONE);
	EXPECT_INT(hd_latency_write_csv(p, NULL), HD_TRACK_INVALID);
	EXPECT_INT(hd_latency_write_csv(p, "/no/such/folder/file"), HD_TRACK_IO);
	EXPECT_INT(errno, ENOENT);
	hd_profiler_free(p);
}

enum { THREADS = 8, EACH = 1000 };

static void *add_many(void *p)
{
	for (unsigned i = 0; i < EACH; i++)
		add(p, i, 1, 1, 1);
	return NULL;
}

TEST(eight_threads_lose_no_sample_while_others_read)
{
	struct hd_profiler *p = fresh();
	struct hd_latency_stats stats;
	pthread_t threads[THREADS];

	for (unsigned i = 0; i < THREADS; i++)
		EXPECT_INT(pthread_create(&threads[i], NULL, add_many, p), 0);
	for (unsigned i = 0; i < 20; i++)
		hd_latency_stats(p, HD_LATENCY_WALL, &stats);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	EXPECT_INT(hd_latency_stats(p, HD_LATENCY_WALL, &stats), HD_TRACK_OK);
	EXPECT_INT(stats.n, THREADS * EACH);
	hd_profiler_free(p);
}

static int add_in_child(void *arg)
{
	struct hd_latency sample = { 1, 1, 1, 1 };
	struct hd_latency_stats stats;

	return hd_latency_add(HD_GLOBAL, &sample) == 0 && hd_latency_stats(HD_GLOBAL, HD_LATENCY_WALL, &stats) == 0 &&
			       stats.n > 0
		       ? 0
		       : 1;
}

static void *add_until_told(void *stop)
{
	struct hd_latency sample = { 0, 1, 1, 1 };

	while (!__atomic_load_n((bool *)stop, __ATOMIC_ACQUIRE)) {
		for (unsigned i = 0; i < EACH; i++)
			hd_latency_add(HD_GLOBAL, &sample);
		hd_profiler_reset(HD_GLOBAL);	/* so that the children have few samples to summarise */
	}
	return NULL;
}

TEST(a_forked_child_keeps_the_samples_and_adds_to_them_while_a_thread_of_the_parent_adds)
{
	struct hd_latency sample = { 0, 1, 1, 1 };
	pthread_t thread;
	bool stop = false;

	EXPECT_INT(hd_latency_add(HD_GLOBAL, &sample), HD_TRACK_OK);
	EXPECT_INT(pthread_create(&thread, NULL, add_until_told, &stop), 0);
	for (unsigned i = 0; i < 10; i++)
		EXPECT_INT(in_child(add_in_child, NULL), 0);
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

TEST_MAIN(RUN(the_csv_has_the_form_latency_and_the_samples_in_order),
	  RUN(the_statistics_are_those_of_hotdrift_stats),
	  RUN(an_interval_that_does_not_exist_is_nan),
	  RUN(a_timer_measures_wall_time_and_the_cpu_time_of_the_thread),
	  RUN(a_timer_that_was_not_started_is_an_error),
	  RUN(another_thread_can_stop_a_timer_but_has_no_cpu_time_of_it),
	  RUN(invalid_samples_are_rejected),
	  RUN(eight_threads_lose_no_sample_while_others_read),
	  RUN(a_forked_child_keeps_the_samples_and_adds_to_them_while_a_thread_of_the_parent_adds))
