/*
 * latency.c - latency samples: the functions hd_latency_*() of hotdrift.h
 *
 * hd_latency_timer.private_ holds, for a running timer: a constant that marks it as running, the wall clock, the CPU
 * clock of the thread, and the thread id.
 */
#include "stats/summary.h"
#include "track/form_file.h"
#include "track/profiler.h"
#include "track/row_log.h"

#include <math.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MARK, WALL_NS, CPU_NS, THREAD };
static const uint64_t running = 0x48446c6174656e63u;

static uint64_t cpu_ns(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int hd_latency_add(struct hd_profiler *p, const struct hd_latency *sample)
{
	struct hd_row_log *log = hd_profiler_part(p, HD_PART_LATENCY);

	if (!log)
		return HD_TRACK_NOMEM;
	if (!sample || !(sample->wall_time_us >= 0) || !(sample->kernel_time_us >= 0) ||
	    isinf(sample->wall_time_us) || isinf(sample->kernel_time_us))
		return HD_TRACK_INVALID;
	return hd_row_log_add(log, sample);
}

/*
 * hd_latency_start() reads the CPU clock after the wall clock, and hd_latency_stop() reads it before the wall clock.
 * So the CPU time is never larger than the wall time.
 */
int hd_latency_start(struct hd_latency_timer *timer)
{
	if (!timer)
		return HD_TRACK_INVALID;
	timer->private_[MARK] = running;
	timer->private_[THREAD] = (uint64_t)syscall(SYS_gettid);
	timer->private_[WALL_NS] = hd_now_ns();
	timer->private_[CPU_NS] = cpu_ns();
	return HD_TRACK_OK;
}

int hd_latency_stop(struct hd_profiler *p, struct hd_latency_timer *timer, uint64_t sample_id, uint64_t seq_len,
		    double kernel_time_us, struct hd_latency *out)
{
	uint64_t cpu = cpu_ns(), wall = hd_now_ns();
	struct hd_latency sample = { .sample_id = sample_id, .seq_len = seq_len, .kernel_time_us = kernel_time_us };
	int rc;

	if (!timer || isnan(kernel_time_us))
		return HD_TRACK_INVALID;
	if (timer->private_[MARK] != running)
		return HD_TRACK_ORDER;
	/*
	 * The timer was started in another thread, or in the parent process.  Its CPU clock cannot be compared with
	 * that of this thread.
	 */
	if (kernel_time_us < 0 && timer->private_[THREAD] != (uint64_t)syscall(SYS_gettid))
		return HD_TRACK_ORDER;
	sample.wall_time_us = (double)(wall - timer->private_[WALL_NS]) / 1e3;
	if (kernel_time_us < 0)
		sample.kernel_time_us = (double)(cpu - timer->private_[CPU_NS]) / 1e3;
	rc = hd_latency_add(p, &sample);
	if (rc < 0)
		return rc;
	timer->private_[MARK] = 0;
	if (out)
		*out = sample;
	return rc;
}

/* ---- results ---- */

static double value_of(const struct hd_latency *sample, enum hd_latency_column column)
{
	switch (column) {
	case HD_LATENCY_WALL: return sample->wall_time_us;
	case HD_LATENCY_KERNEL: return sample->kernel_time_us;
	case HD_LATENCY_SEQ_LEN: return (double)sample->seq_len;
	}
	return NAN;
}

static double bound(double v)
{
	return isinf(v) ? NAN : v;
}

int hd_latency_stats(struct hd_profiler *p, enum hd_latency_column column, struct hd_latency_stats *out)
{
	struct hd_row_log *log = hd_profiler_part(p, HD_PART_LATENCY);
	const struct hd_latency *rows;
	struct hd_summary s;
	void *copy;
	double *v;
	int64_t n;
	int rc = HD_TRACK_NOMEM;

	if (!log)
		return HD_TRACK_NOMEM;
	if (!out || column < HD_LATENCY_WALL || column > HD_LATENCY_SEQ_LEN)
		return HD_TRACK_INVALID;
	n = hd_row_log_copy(log, &copy);
	if (n < 0)
		return (int)n;
	if (!n) {
		free(copy);
		return HD_TRACK_NONE;
	}
	rows = copy;
	v = malloc((size_t)n * sizeof(*v));
	for (int64_t i = 0; v && i < n; i++)
		v[i] = value_of(&rows[i], column);
	if (v && hd_summarize(&s, v, (size_t)n) == HD_STATS_OK)
		rc = HD_TRACK_OK;
	if (rc >= 0)
		*out = (struct hd_latency_stats){
			.n = s.n, .outliers = s.outliers, .mean = s.mean, .std = s.std, .p50 = s.p50, .p95 = s.p95,
			.p99 = s.p99, .min = s.min, .max = s.max,
			.mean_lo = bound(s.ci_mean.lo), .mean_hi = bound(s.ci_mean.hi),
			.p95_lo = bound(s.ci_p95.lo), .p95_hi = bound(s.ci_p95.hi),
		};
	free(v);
	free(copy);
	return rc;
}

static void put_row(struct hd_csvout *o, const void *row, const void *context)
{
	const struct hd_latency *sample = row;

	(void)context;
	hd_csvout_u64(o, sample->sample_id);
	hd_csvout_num(o, sample->wall_time_us);
	hd_csvout_num(o, sample->kernel_time_us);
	hd_csvout_u64(o, sample->seq_len);
}

int hd_latency_write_csv(struct hd_profiler *p, const char *path)
{
	struct hd_row_log *log = hd_profiler_part(p, HD_PART_LATENCY);
	void *rows;
	int64_t n;
	int rc;

	if (!log)
		return HD_TRACK_NOMEM;
	if (!path)
		return HD_TRACK_INVALID;
	n = hd_row_log_copy(log, &rows);
	if (n < 0)
		return (int)n;
	rc = hd_form_write(path, HD_FORM_LATENCY, rows, sizeof(struct hd_latency), (size_t)n, put_row, NULL);
	free(rows);
	return rc;
}

/* ---- functions of struct hd_part_type (profiler.h) ---- */

static int latency_create(void **state, const struct hd_profiler *p)
{
	struct hd_row_log *log = malloc(sizeof(*log));

	if (!log)
		return HD_TRACK_NOMEM;
	hd_row_log_init(log, sizeof(struct hd_latency));
	*state = log;
	return HD_TRACK_OK;
}

static void latency_reset(void *state)
{
	hd_row_log_reset(state);
}

static void latency_release(void *state)
{
	hd_row_log_release(state);
	free(state);
}

static void latency_lock(void *state, bool on)
{
	hd_row_log_lock(state, on);
}

const struct hd_part_type hd_part_latency = { latency_create, latency_reset, latency_release, latency_lock };
