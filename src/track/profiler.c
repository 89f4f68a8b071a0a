/* profiler.c - see track/profiler.h */
#include "track/profiler.h"

#include "track/thread_id.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EVENTS = 65536, NAMES = 16384 };

static const struct hd_part_type *const part_types[HD_PARTS] = {
	[HD_PART_OPS] = &hd_part_ops,
	[HD_PART_ALLOCS] = &hd_part_allocs,
	[HD_PART_TIMELINE] = &hd_part_timeline,
	[HD_PART_SPANS] = &hd_part_spans,
	[HD_PART_MEMORY] = &hd_part_memory,
	[HD_PART_LATENCY] = &hd_part_latency,
	[HD_PART_POWER] = &hd_part_power,
	[HD_PART_GPU] = &hd_part_gpu,
};

const char *hd_track_status_text(int status)
{
	static const char *const texts[] = {
		[-HD_TRACK_OK] = "success",
		[-HD_TRACK_NOMEM] = "out of memory",
		[-HD_TRACK_NONE] = "no value, or no such source",
		[-HD_TRACK_FULL] = "a buffer or a bounded table is full",
		[-HD_TRACK_INVALID] = "an argument is not valid",
		[-HD_TRACK_ORDER] = "a stop without a start",
		[-HD_TRACK_IO] = "a file cannot be read or written",
		[-HD_TRACK_UNSUPPORTED] = "not supported by this machine, driver or C library",
	};

	if (status > 0)
		status = HD_TRACK_OK;
	return status >= HD_TRACK_UNSUPPORTED ? texts[-status] : "unknown status";
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t hd_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* Copy the caller's configuration, which may be shorter or longer than ours, and replace zeros by defaults. */
static int complete_config(struct hd_profiler_config *out, const struct hd_profiler_config *config)
{
	*out = (struct hd_profiler_config){ .size = sizeof(*out) };
	if (config) {
		if (config->size < offsetof(struct hd_profiler_config, timeline_events))
			return HD_TRACK_INVALID;
		memcpy(out, config, config->size < sizeof(*out) ? config->size : sizeof(*out));
		out->size = sizeof(*out);
	}
	if (!out->timeline_events)
		out->timeline_events = EVENTS;
	if (!out->names_max)
		out->names_max = NAMES;
	return HD_TRACK_OK;
}

/* The profiler of the process.  It is never freed: threads may use it until the process ends. */
static _Atomic(struct hd_profiler *) global;

/*
 * The profiler that before_fork() locked.  after_fork() must unlock the same one, but another thread may create the
 * global profiler in between.
 */
static struct hd_profiler *locked;

static void lock_parts(struct hd_profiler *p, bool on)
{
	for (int i = 0; p && i < HD_PARTS; i++)
		part_types[i]->lock(p->state[i], on);
}

static void before_fork(void)
{
	locked = atomic_load_explicit(&global, memory_order_acquire);
	lock_parts(locked, true);
}

static void after_fork(void)
{
	lock_parts(locked, false);
}

static void after_fork_in_child(void)
{
	after_fork();
	hd_thread_id_forked();
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

int hd_profiler_new(struct hd_profiler **out, const struct hd_profiler_config *config)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	static _Atomic uint64_t serials;
	struct hd_profiler *p;
	int rc;

	if (!out)
		return HD_TRACK_INVALID;
	*out = NULL;
	pthread_once(&once, watch_forks);
	p = calloc(1, sizeof(*p));
	if (!p)
		return HD_TRACK_NOMEM;
	rc = complete_config(&p->config, config);
	p->begin_ns = hd_now_ns();
	p->begin_us = clock_ns(CLOCK_REALTIME) / 1000;
	p->serial = atomic_fetch_add(&serials, 1) + 1;
	for (int i = 0; i < HD_PARTS && rc == HD_TRACK_OK; i++)
		rc = part_types[i]->create(&p->state[i], p);
	if (rc < 0) {
		hd_profiler_free(p);
		return rc;
	}
	*out = p;
	return HD_TRACK_OK;
}

void hd_profiler_free(struct hd_profiler *p)
{
	if (!p)
		return;
	for (int i = HD_PARTS - 1; i >= 0; i--)
		if (p->state[i])
			part_types[i]->release(p->state[i]);
	free(p);
}

static struct hd_profiler *create_global(void)
{
	struct hd_profiler *fresh, *present = NULL;

	if (hd_profiler_new(&fresh, NULL) < 0)
		return NULL;
	if (atomic_compare_exchange_strong(&global, &present, fresh))
		return fresh;
	hd_profiler_free(fresh);
	return present;
}

void hd_part_lock(pthread_mutex_t *lock, bool on)
{
	if (on)
		pthread_mutex_lock(lock);
	else
		pthread_mutex_unlock(lock);
}

int64_t hd_profiler_give_rows(void *out, size_t cap, void *rows, size_t n, size_t row_bytes)
{
	if (cap && n)
		memcpy(out, rows, (n < cap ? n : cap) * row_bytes);
	free(rows);
	return (int64_t)n;
}

struct hd_profiler *hd_profiler_resolve(struct hd_profiler *p)
{
	if (p)
		return p;
	p = atomic_load_explicit(&global, memory_order_acquire);
	return p ? p : create_global();
}

void *hd_profiler_part(struct hd_profiler *p, enum hd_part part)
{
	p = hd_profiler_resolve(p);
	return p ? p->state[part] : NULL;
}

int hd_profiler_reset(struct hd_profiler *p)
{
	p = hd_profiler_resolve(p);
	if (!p)
		return HD_TRACK_NOMEM;
	for (int i = 0; i < HD_PARTS; i++)
		part_types[i]->reset(p->state[i]);
	return HD_TRACK_OK;
}
