/*
 * memory.c - memory snapshots: the functions hd_memory_snap(), _sum() and _write_csv() of hotdrift.h
 *
 * The state also has the totals of the memory scopes (memory_scope.h), in a separate log.
 */
#include "track/form_file.h"
#include "track/memory_scope.h"
#include "track/process_memory.h"
#include "track/profiler.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_us(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000;
}

/* Add the snapshot to the log.  Its peak becomes the largest peak that this process has reported so far. */
static int add_snapshot(struct hd_memory_state *memory, struct hd_memory_snapshot *s)
{
	int pid = getpid(), rc;

	if (s->peak_rss_bytes < s->rss_bytes)
		s->peak_rss_bytes = s->rss_bytes;
	hd_row_log_lock(&memory->snapshots, true);
	if (memory->peak_of == pid && s->peak_rss_bytes < memory->peak_rss_bytes)
		s->peak_rss_bytes = memory->peak_rss_bytes;
	memory->peak_rss_bytes = s->peak_rss_bytes;
	memory->peak_of = pid;
	rc = hd_row_log_add_locked(&memory->snapshots, s);
	hd_row_log_lock(&memory->snapshots, false);
	return rc;
}

int hd_memory_snap(struct hd_profiler *p, uint64_t kv_cache_bytes, uint64_t activation_bytes,
		   uint64_t temp_buffer_bytes, struct hd_memory_snapshot *out)
{
	struct hd_memory_state *memory = hd_profiler_part(p, HD_PART_MEMORY);
	struct hd_memory_snapshot s = { .timestamp_us = now_us(), .kv_cache_bytes = kv_cache_bytes,
					.activation_bytes = activation_bytes, .temp_buffer_bytes = temp_buffer_bytes };
	int rc;

	if (!memory)
		return HD_TRACK_NOMEM;
	rc = hd_process_memory_rss(&s.rss_bytes);
	if (rc >= 0)
		rc = hd_process_memory_peak(&s.peak_rss_bytes);
	if (rc >= 0)
		rc = add_snapshot(memory, &s);
	if (rc >= 0 && out)
		*out = s;
	return rc;
}

static void add(struct hd_memory_kind *kind, uint64_t bytes, uint64_t peak)
{
	kind->total_bytes += (double)bytes;
	if (peak > kind->peak_bytes)
		kind->peak_bytes = peak;
}

int hd_memory_sum(struct hd_profiler *p, struct hd_memory_sum *out)
{
	struct hd_memory_state *memory = hd_profiler_part(p, HD_PART_MEMORY);
	const struct hd_memory_snapshot *rows;
	struct hd_memory_sum sum = { 0 };
	struct hd_memory_kind *const kinds[] = { &sum.rss, &sum.kv_cache, &sum.activation, &sum.temp_buffer };
	void *copy;
	int64_t n;

	if (!memory)
		return HD_TRACK_NOMEM;
	if (!out)
		return HD_TRACK_INVALID;
	n = hd_row_log_copy(&memory->snapshots, &copy);
	if (n < 0)
		return (int)n;
	rows = copy;
	sum.snapshots = (uint64_t)n;
	for (int64_t i = 0; i < n; i++) {
		add(&sum.rss, rows[i].rss_bytes, rows[i].peak_rss_bytes);
		add(&sum.kv_cache, rows[i].kv_cache_bytes, rows[i].kv_cache_bytes);
		add(&sum.activation, rows[i].activation_bytes, rows[i].activation_bytes);
		add(&sum.temp_buffer, rows[i].temp_buffer_bytes, rows[i].temp_buffer_bytes);
	}
	for (size_t i = 0; n && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		kinds[i]->mean_bytes = kinds[i]->total_bytes / (double)n;
	free(copy);
	*out = sum;
	return HD_TRACK_OK;
}

static void put_row(struct hd_csvout *o, const void *row, const void *context)
{
	const struct hd_memory_snapshot *s = row;

	(void)context;
	hd_csvout_u64(o, s->timestamp_us);
	hd_csvout_u64(o, s->peak_rss_bytes);
	hd_csvout_u64(o, s->kv_cache_bytes);
	hd_csvout_u64(o, s->activation_bytes);
	hd_csvout_u64(o, s->temp_buffer_bytes);
}

int hd_memory_write_csv(struct hd_profiler *p, const char *path)
{
	struct hd_memory_state *memory = hd_profiler_part(p, HD_PART_MEMORY);
	void *rows;
	int64_t n;
	int rc;

	if (!memory)
		return HD_TRACK_NOMEM;
	if (!path)
		return HD_TRACK_INVALID;
	n = hd_row_log_copy(&memory->snapshots, &rows);
	if (n < 0)
		return (int)n;
	rc = hd_form_write(path, HD_FORM_MEMORY, rows, sizeof(struct hd_memory_snapshot), (size_t)n, put_row, NULL);
	free(rows);
	return rc;
}

/* ---- functions of struct hd_part_type (profiler.h) ---- */

static int memory_create(void **state, const struct hd_profiler *p)
{
	struct hd_memory_state *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return HD_TRACK_NOMEM;
	hd_row_log_init(&memory->snapshots, sizeof(struct hd_memory_snapshot));
	hd_row_log_init(&memory->scopes, sizeof(struct hd_memory_scope_total));
	memory->names_max = p->config.names_max;
	*state = memory;
	return HD_TRACK_OK;
}

static void memory_reset(void *state)
{
	struct hd_memory_state *memory = state;

	hd_row_log_reset(&memory->snapshots);
	hd_row_log_reset(&memory->scopes);
}

static void memory_release(void *state)
{
	struct hd_memory_state *memory = state;

	hd_row_log_release(&memory->snapshots);
	hd_row_log_release(&memory->scopes);
	free(memory);
}

static void memory_lock(void *state, bool on)
{
	struct hd_memory_state *memory = state;

	hd_row_log_lock(&memory->snapshots, on);
	hd_row_log_lock(&memory->scopes, on);
}

const struct hd_part_type hd_part_memory = { memory_create, memory_reset, memory_release, memory_lock };
