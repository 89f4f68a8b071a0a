/*
 * nsys_capture.c - see nsys_capture.h
 */
#include "gpu/nsys_capture.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PROCESSES = 1 << 16, MOST_FRAMES = 1024 };

#define COLUMNS(c) c, HD_COUNT(c)

/* ---- devices, processes, session, version ---- */

/* Call `row` for each row of a small table.  Returns 0 if there is no such table, otherwise 1. */
static int each_row(struct hd_nsys_reader *r, const char *table, const char *const *columns, size_t n,
		    void (*row)(struct hd_nsys_reader *, sqlite3_stmt *))
{
	struct hd_err why;
	sqlite3_stmt *st;
	int rc;

	if (!hd_sqlite_untrusted_scan(r->db, &st, table, columns, n, ""))
		return 0;
	while ((rc = hd_sqlite_untrusted_step(r->db, st, table, &why)) > 0)
		row(r, st);
	if (rc < 0)
		hd_warn(r->sink->log, "lost.gpu-rows", "export the report again", "%s", why.msg);
	sqlite3_finalize(st);
	return 1;
}

static const char *const meta_columns[] = { "name", "value" };

static void on_meta(struct hd_nsys_reader *r, sqlite3_stmt *st)
{
	const char *name = (const char *)sqlite3_column_text(st, 1), *value;
	size_t n;

	if (!name || strcmp(name, "EXPORT_SCHEMA_VERSION") || r->sink->capture->version)
		return;
	value = hd_nsys_text(st, 2, &n);
	r->sink->capture->version = hd_strndup(value, n < 32 ? n : 32);
}

static const char *const session_columns[] = { "duration" };

/* Set the end of the session to its duration, because times of activities count from the start of the session. */
static void on_session(struct hd_nsys_reader *r, sqlite3_stmt *st)
{
	int64_t duration = sqlite3_column_int64(st, 1);

	if (duration > r->sink->capture->session_end_ns)
		r->sink->capture->session_end_ns = duration;
}

static const char *const start_columns[] = { "utcEpochNs" };

static void on_start(struct hd_nsys_reader *r, sqlite3_stmt *st)
{
	r->sink->capture->epoch_ns = sqlite3_column_int64(st, 1);
}

static const char *const gpu_columns[] = { "id", "cuDevice", "name", "totalMemory", "memoryBandwidth" };

static void on_gpu(struct hd_nsys_reader *r, sqlite3_stmt *st)
{
	enum { MOST_GPUS = 256 };
	struct hd_gpu_capture *c = r->sink->capture;
	int64_t bytes = sqlite3_column_int64(st, 4), bandwidth = sqlite3_column_int64(st, 5);
	size_t n;
	const char *name = hd_nsys_text(st, 3, &n);

	if (c->ndevices == MOST_GPUS)
		return;
	HD_GROW(c->devices, c->ndevices + 1, c->devices_cap);
	c->devices[c->ndevices++] = (struct hd_gpu_device_info){
		.id = hd_nsys_is_null(st, 2) ? hd_nsys_id(st, 1) : hd_nsys_id(st, 2),
		.name = hd_strtab_addn(r->sink->dict->names, name, n),
		.total_bytes = bytes > 0 ? (uint64_t)bytes : 0,
		.bandwidth_bytes = bandwidth > 0 ? (uint64_t)bandwidth : 0,
	};
}

static const char *const process_columns[] = { "globalPid", "name" };

static void on_process(struct hd_nsys_reader *r, sqlite3_stmt *st)
{
	struct hd_gpu_capture *c = r->sink->capture;
	size_t n;
	const char *name = hd_nsys_text(st, 2, &n), *slash;

	if (c->nprocesses == MOST_PROCESSES)
		return;
	while (n && (slash = memchr(name, '/', n - 1))) {
		n -= (size_t)(slash + 1 - name);
		name = slash + 1;
	}
	HD_GROW(c->processes, c->nprocesses + 1, c->processes_cap);
	c->processes[c->nprocesses++] = (struct hd_gpu_process){
		hd_nsys_pid(sqlite3_column_int64(st, 1)), hd_strtab_addn(r->sink->dict->names, name, n),
	};
}

static const char *const metric_name_columns[] = { "typeId", "metricId", "metricName" };

static void on_metric_name(struct hd_nsys_reader *r, sqlite3_stmt *st)
{
	uint64_t key = hd_nsys_metric_key(sqlite3_column_int64(st, 1), sqlite3_column_int64(st, 2));
	size_t n;
	const char *name = hd_nsys_text(st, 3, &n);

	if (n)
		hd_map_put(&r->names[HD_NSYS_NAME], key, hd_strtab_addn(r->sink->dict->names, name, n));
}

static const char *const diagnostic_columns[] = { "text" };

/* Report a message in which the recorder states that it lost records. */
static void on_diagnostic(struct hd_nsys_reader *r, sqlite3_stmt *st)
{
	const char *text = (const char *)sqlite3_column_text(st, 1);

	if (text && (strstr(text, "dropped") || strstr(text, " lost")))
		hd_warn(r->sink->log, "gpu.recorder", "record for a shorter time",
			"%s: Nsight Systems reported: %.300s", r->path, text);
}

/* ---- CPU stacks of API calls ---- */

static const char *const chain_columns[] = { "id", "stackDepth", "symbol", "module", "unresolved", "originalIP" };

struct chain { int64_t id; size_t n; struct { int64_t depth; struct hd_gpu_frame frame; } frames[MOST_FRAMES]; };

/*
 * Intern the frames of a call chain, outermost (deepest) first.  Rows of a chain that do not come by rising depth are
 * sorted here.
 */
static void end_chain(struct hd_nsys_reader *r, struct chain *c)
{
	uint32_t stack = 0;

	for (size_t i = 1; i < c->n; i++)
		for (size_t k = i; k && c->frames[k].depth < c->frames[k - 1].depth; k--) {
			__typeof__(c->frames[0]) other = c->frames[k];

			c->frames[k] = c->frames[k - 1];
			c->frames[k - 1] = other;
		}
	for (size_t i = c->n; i-- > 0;)
		stack = hd_gpu_dict_stack(r->sink->dict, stack, &c->frames[i].frame);
	if (c->n)
		hd_map_put(&r->stacks, (uint64_t)c->id, stack);
	c->n = 0;
}

static void read_chains(struct hd_nsys_reader *r)
{
	struct chain *c;
	struct hd_err why;
	sqlite3_stmt *st;
	int rc;

	if (!hd_sqlite_untrusted_scan(r->db, &st, "CUDA_CALLCHAINS", chain_columns, HD_COUNT(chain_columns), ""))
		return;
	c = hd_new(struct chain);
	while ((rc = hd_sqlite_untrusted_step(r->db, st, "CUDA_CALLCHAINS", &why)) > 0) {
		int64_t id = sqlite3_column_int64(st, 1);
		bool unresolved = sqlite3_column_int64(st, 5) != 0;

		if (c->n && id != c->id)
			end_chain(r, c);
		c->id = id;
		if (c->n == MOST_FRAMES)
			continue;
		c->frames[c->n].depth = sqlite3_column_int64(st, 2);
		c->frames[c->n++].frame = (struct hd_gpu_frame){
			.name = unresolved ? 0 : hd_nsys_name(r, HD_NSYS_NAME, st, 3),
			.module = hd_nsys_name(r, HD_NSYS_NAME, st, 4),
			.address = unresolved ? (uint64_t)sqlite3_column_int64(st, 6) : 0,
		};
	}
	end_chain(r, c);
	if (rc < 0)
		hd_warn(r->sink->log, "lost.gpu-rows", "export the report again", "%s", why.msg);
	r->sink->capture->has_stacks = r->stacks.n > 0;
	sqlite3_finalize(st);
	free(c);
}

void hd_nsys_describe(struct hd_nsys_reader *r)
{
	struct hd_gpu_capture *c = r->sink->capture;

	c->source = "nsys";
	c->clock = "session start";
	if (!each_row(r, "META_DATA_EXPORT", COLUMNS(meta_columns), on_meta))
		each_row(r, "EXPORT_META_DATA", COLUMNS(meta_columns), on_meta);
	each_row(r, "ANALYSIS_DETAILS", COLUMNS(session_columns), on_session);
	each_row(r, "TARGET_INFO_SESSION_START_TIME", COLUMNS(start_columns), on_start);
	each_row(r, "TARGET_INFO_GPU", COLUMNS(gpu_columns), on_gpu);
	each_row(r, "PROCESSES", COLUMNS(process_columns), on_process);
	each_row(r, "TARGET_INFO_GPU_METRICS", COLUMNS(metric_name_columns), on_metric_name);
	each_row(r, "DIAGNOSTIC_EVENT", COLUMNS(diagnostic_columns), on_diagnostic);
	for (size_t i = 0; i < hd_nsys_ntables; i++) {
		enum hd_gpu_kind kind = hd_nsys_tables[i].kind;
		bool has = hd_sqlite_untrusted_has_table(r->db, hd_nsys_tables[i].name);

		c->has_device_tables |= has && kind <= HD_GPU_GRAPH;
		c->has_api |= has && kind == HD_GPU_LAUNCH;
		c->has_sync |= has && kind == HD_GPU_SYNC;
		c->has_memory |= has && kind == HD_GPU_ALLOC;
	}
	read_chains(r);
}
