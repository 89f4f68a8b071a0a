/*
 * nsys.c - see nsys.h
 */
#include "gpu/nsys.h"

#include "base/map.h"
#include "base/mem.h"
#include "gpu/nsys_file.h"
#include "gpu/activity_sorter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	REORDER_ROOM = 64,		/* rows of a table that are looked ahead */
	MOST_PARTS = 40,		/* sorted parts of all tables that are merged; more are sorted */
	MOST_RANGES = 1 << 16,		/* distinct texts of ranges */
	MOST_PROCESSES = 1 << 16, MOST_FRAMES = 1024,
	MOST_NAME = 16 * 1024,		/* bytes; the rest of a longer name is cut off */
};

/* What a text of StringIds is used for: the same text has other names as an API function and as a range. */
enum use { NAME, API_NAME, RANGE_NAME, USES };

struct reader {
	struct hd_nsys_file *file;
	const char *path;
	const struct hd_gpu_sink *sink;
	sqlite3_stmt *strings;		/* StringIds: the text of an id; NULL: no such table */
	struct hd_map names[USES];	/* id of StringIds -> dict->names id */
	struct hd_map stacks;		/* id of CUDA_CALLCHAINS -> dict node */
	size_t ranges;			/* distinct ones */
	uint32_t other_range;
};

bool hd_gpu_is_sqlite(const char *head, size_t n)
{
	return n >= 16 && !memcmp(head, "SQLite format 3", 16);
}

/* ---- values ---- */

static bool is_null(sqlite3_stmt *st, int column)
{
	return sqlite3_column_type(st, column) == SQLITE_NULL;
}

static uint32_t id_at(sqlite3_stmt *st, int column)
{
	return (uint32_t)sqlite3_column_int64(st, column);
}

/* Process and thread of a global id. */
static uint32_t pid_of(int64_t global)
{
	return (uint32_t)((uint64_t)global >> 24 & 0xffffff);
}

static uint32_t tid_of(int64_t global)
{
	return (uint32_t)global & 0xffffff;
}

/* Bytes of a text column, at most MOST_NAME.  No NUL follows: as text, SQLite would copy them for one. */
static const char *text_at(sqlite3_stmt *st, int column, size_t *n)
{
	const char *text = sqlite3_column_blob(st, column);

	*n = text ? (size_t)sqlite3_column_bytes(st, column) : 0;
	if (*n > MOST_NAME)
		*n = MOST_NAME;
	return text ? text : "";
}

/* ---- names ---- */

/* "cudaLaunchKernel_v7000" without its version; "cuMemAlloc_v2" is the function's own name. */
static size_t api_length(const char *s, size_t n)
{
	size_t digits = n;

	while (digits && s[digits - 1] >= '0' && s[digits - 1] <= '9')
		digits--;
	return n - digits >= 4 && digits >= 2 && s[digits - 1] == 'v' && s[digits - 2] == '_' ? digits - 2 : n;
}

/* "aten::add, op_id = 17" without what numbers the call. */
static size_t range_length(const char *s, size_t n)
{
	for (size_t i = 0; i + 2 < n; i++)
		if (s[i] == ',' && s[i + 1] == ' ')
			for (size_t k = i + 2; k < n && s[k] != ','; k++)
				if (s[k] == '=')
					return i;
	return n;
}

static uint32_t intern_range(struct reader *r, const char *s, size_t n)
{
	struct hd_strtab *names = r->sink->dict->names;
	uint32_t before = hd_strtab_count(names), id;

	if (r->ranges == MOST_RANGES)
		return r->other_range;
	id = hd_strtab_addn(names, s, range_length(s, n));
	r->ranges += hd_strtab_count(names) > before;
	return id;
}

static uint32_t intern(struct reader *r, enum use use, const char *s, size_t n)
{
	if (use == RANGE_NAME)
		return intern_range(r, s, n);
	return hd_strtab_addn(r->sink->dict->names, s, use == API_NAME ? api_length(s, n) : n);
}

/* Return the dict id of the name that a column refers to by its id in StringIds; 0: none. */
static uint32_t name_at(struct reader *r, enum use use, sqlite3_stmt *st, int column)
{
	int64_t id = sqlite3_column_int64(st, column);
	uint32_t name;

	if (!id && is_null(st, column))
		return 0;
	name = hd_map_get(&r->names[use], (uint64_t)id);
	if (name != HD_MAP_NONE)
		return name;
	name = 0;
	if (r->strings) {
		sqlite3_bind_int64(r->strings, 1, id);
		if (hd_nsys_file_step(r->file, r->strings, "StringIds", NULL) > 0) {
			size_t n;
			const char *text = text_at(r->strings, 1, &n);

			name = intern(r, use, text, n);
		}
		sqlite3_reset(r->strings);
	}
	hd_map_put(&r->names[use], (uint64_t)id, name);
	return name;
}

/* ---- tables of activities ---- */

enum { START = 1, END = 2 };	/* of all tables; column 0 is the rowid */

/* Each function completes an activity whose start and end are set.  It returns false if the row is not an activity. */
typedef bool fill(struct reader *r, sqlite3_stmt *st, struct hd_gpu_activity *a);

static void fill_device(sqlite3_stmt *st, struct hd_gpu_activity *a)
{
	a->device = id_at(st, 3);
	a->stream = id_at(st, 4);
	a->correlation = (uint64_t)sqlite3_column_int64(st, 5);
	a->pid = pid_of(sqlite3_column_int64(st, 6));
}
#define DEVICE_COLUMNS "start", "end", "deviceId", "streamId", "correlationId", "globalPid"

/* graphId and graphNodeId are the last columns and not read: SQLite would have to decode all columns before them. */
static const char *const kernel_columns[] = { DEVICE_COLUMNS, "shortName", "demangledName" };

static bool fill_kernel(struct reader *r, sqlite3_stmt *st, struct hd_gpu_activity *a)
{
	a->kind = HD_GPU_KERNEL;
	fill_device(st, a);
	a->name = name_at(r, NAME, st, 7);
	a->full = name_at(r, NAME, st, 8);
	if (!a->name)
		a->name = a->full;
	return true;
}

static uint8_t memory_kind(sqlite3_stmt *st, int column)
{
	static const uint8_t kinds[] = {	/* CUpti_ActivityMemoryKind, less one: ENUM_CUDA_MEM_KIND */
		HD_GPU_PAGEABLE, HD_GPU_PINNED, HD_GPU_DEVICE_MEMORY, HD_GPU_ARRAY, HD_GPU_MANAGED,
		HD_GPU_DEVICE_STATIC,
		HD_GPU_MANAGED_STATIC,
	};
	uint64_t kind = (uint64_t)sqlite3_column_int64(st, column);

	return (!kind && is_null(st, column)) || kind >= HD_COUNT(kinds) ? HD_GPU_MEM_UNKNOWN : kinds[kind];
}

static void fill_bytes(sqlite3_stmt *st, int column, struct hd_gpu_activity *a)
{
	int64_t bytes = sqlite3_column_int64(st, column);

	a->sized = bytes > 0 || (!bytes && !is_null(st, column));
	a->bytes = a->sized ? (uint64_t)bytes : 0;
}

static const char *const copy_columns[] = { DEVICE_COLUMNS, "bytes", "copyKind", "srcKind", "dstKind" };

static bool fill_copy(struct reader *r, sqlite3_stmt *st, struct hd_gpu_activity *a)
{
	static const uint8_t kinds[] = {	/* ENUM_CUDA_MEMCPY_OPER; an array is memory of the device */
		HD_GPU_COPY_UNKNOWN, HD_GPU_HTOD, HD_GPU_DTOH, HD_GPU_HTOD, HD_GPU_DTOH, HD_GPU_DTOD, HD_GPU_DTOD,
		HD_GPU_DTOD,
		HD_GPU_DTOD, HD_GPU_HTOH, HD_GPU_PTOP, HD_GPU_UVM_HTOD, HD_GPU_UVM_DTOH, HD_GPU_UVM_DTOD,
	};
	uint64_t kind = (uint64_t)sqlite3_column_int64(st, 8);

	(void)r;
	a->kind = HD_GPU_COPY;
	fill_device(st, a);
	fill_bytes(st, 7, a);
	a->copy = kind < HD_COUNT(kinds) ? kinds[kind] : HD_GPU_COPY_UNKNOWN;
	a->from = memory_kind(st, 9);
	a->to = memory_kind(st, 10);
	return true;
}

static const char *const set_columns[] = { DEVICE_COLUMNS, "bytes", "memKind" };

static bool fill_set(struct reader *r, sqlite3_stmt *st, struct hd_gpu_activity *a)
{
	(void)r;
	a->kind = HD_GPU_SET;
	fill_device(st, a);
	fill_bytes(st, 7, a);
	a->to = memory_kind(st, 8);
	return true;
}

static const char *const graph_columns[] = { DEVICE_COLUMNS, "graphId" };

static bool fill_graph(struct reader *r, sqlite3_stmt *st, struct hd_gpu_activity *a)
{
	(void)r;
	a->kind = HD_GPU_GRAPH;
	fill_device(st, a);
	a->graph = id_at(st, 7);
	return true;
}

static const char *const sync_columns[] = { DEVICE_COLUMNS, "syncType" };

static bool fill_sync(struct reader *r, sqlite3_stmt *st, struct hd_gpu_activity *a)
{
	static const uint8_t kinds[] = {	/* ENUM_CUPTI_SYNC_TYPE */
		HD_GPU_SYNC_UNKNOWN, HD_GPU_SYNC_EVENT, HD_GPU_SYNC_WAIT_EVENT, HD_GPU_SYNC_STREAM, HD_GPU_SYNC_CONTEXT,
	};
	uint64_t kind = (uint64_t)sqlite3_column_int64(st, 7);

	(void)r;
	a->kind = HD_GPU_SYNC;
	fill_device(st, a);
	a->sync = kind < HD_COUNT(kinds) ? kinds[kind] : HD_GPU_SYNC_UNKNOWN;
	return true;
}

static const char *const call_columns[] = { "start", "end", "globalTid", "correlationId", "nameId", "callchainId" };

static bool fill_call(struct reader *r, sqlite3_stmt *st, struct hd_gpu_activity *a)
{
	int64_t thread = sqlite3_column_int64(st, 3), chain = r->stacks.n ? sqlite3_column_int64(st, 6) : 0;
	uint32_t stack = chain || !is_null(st, 6) ? hd_map_get(&r->stacks, (uint64_t)chain) : HD_MAP_NONE;

	a->kind = HD_GPU_LAUNCH;
	a->pid = pid_of(thread);
	a->tid = tid_of(thread);
	a->correlation = (uint64_t)sqlite3_column_int64(st, 4);
	a->name = name_at(r, API_NAME, st, 5);
	a->stack = stack == HD_MAP_NONE ? 0 : stack;
	return true;
}

static const char *const memory_columns[] = {
	"start", "end", "globalPid", "deviceId", "address", "bytes", "memKind", "memoryOperationType",
};

static bool fill_memory(struct reader *r, sqlite3_stmt *st, struct hd_gpu_activity *a)
{
	(void)r;
	a->kind = sqlite3_column_int64(st, 8) ? HD_GPU_FREE : HD_GPU_ALLOC;
	a->end_ns = a->start_ns;
	a->pid = pid_of(sqlite3_column_int64(st, 3));
	a->device = id_at(st, 4);
	a->address = (uint64_t)sqlite3_column_int64(st, 5);
	fill_bytes(st, 6, a);
	a->to = memory_kind(st, 7);
	return a->sized;
}

static const char *const range_columns[] = { "start", "end", "eventType", "globalTid", "text", "textId" };

static bool fill_range(struct reader *r, sqlite3_stmt *st, struct hd_gpu_activity *a)
{
	enum { PUSH_POP = 59, START_END = 60 };
	int64_t type = sqlite3_column_int64(st, 3), thread = sqlite3_column_int64(st, 4);
	const char *text;
	size_t n;

	if (type != PUSH_POP && type != START_END)
		return false;
	a->kind = HD_GPU_RANGE;
	a->pid = pid_of(thread);
	a->tid = tid_of(thread);
	a->name = name_at(r, RANGE_NAME, st, 6);
	if (a->name)
		return true;
	text = text_at(st, 5, &n);
	a->name = n ? intern_range(r, text, n) : r->other_range;
	return true;
}

static const char *const metric_columns[] = { "timestamp", "end", "typeId", "metricId", "value" };

/* The key of a metric's name in reader.names[NAME]; ids of StringIds are below 2^63. */
static uint64_t metric_key(int64_t type, int64_t metric)
{
	return (uint64_t)1 << 63 | ((uint64_t)type & 0xffffffff) << 24 | ((uint64_t)metric & 0xffffff);
}

static bool fill_metric(struct reader *r, sqlite3_stmt *st, struct hd_gpu_activity *a)
{
	int64_t type = sqlite3_column_int64(st, 3);
	uint32_t name = hd_map_get(&r->names[NAME], metric_key(type, sqlite3_column_int64(st, 4)));

	a->kind = HD_GPU_METRIC;
	a->end_ns = a->start_ns;
	a->device = (uint32_t)type & 0xff;
	a->name = name == HD_MAP_NONE ? 0 : name;
	a->value = sqlite3_column_double(st, 5);
	return a->name != 0;
}

#define COLUMNS(c) c, HD_COUNT(c)
static const struct table {
	const char *name;
	fill *fill;
	const char *const *columns;
	size_t ncolumns;
	bool open_end;			/* a row without an end is a moment; else it is no row */
	bool of_device;
} tables[] = {
	{ "CUPTI_ACTIVITY_KIND_RUNTIME", fill_call, COLUMNS(call_columns), false, false },
	{ "CUPTI_ACTIVITY_KIND_DRIVER", fill_call, COLUMNS(call_columns), false, false },
	{ "CUPTI_ACTIVITY_KIND_KERNEL", fill_kernel, COLUMNS(kernel_columns), false, true },
	{ "CUPTI_ACTIVITY_KIND_MEMCPY", fill_copy, COLUMNS(copy_columns), false, true },
	{ "CUPTI_ACTIVITY_KIND_MEMSET", fill_set, COLUMNS(set_columns), false, true },
	{ "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", fill_graph, COLUMNS(graph_columns), false, true },
	{ "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", fill_sync, COLUMNS(sync_columns), false, false },
	{ "CUDA_GPU_MEMORY_USAGE_EVENTS", fill_memory, COLUMNS(memory_columns), true, false },
	{ "NVTX_EVENTS", fill_range, COLUMNS(range_columns), true, false },
	{ "GPU_METRICS", fill_metric, COLUMNS(metric_columns), true, false },
};
enum { TABLES = HD_COUNT(tables) };

/* ---- the description of the export: devices, processes, session, version ---- */

/* Call `row` for each row of a small table. */
static int each_row(struct reader *r, const char *table, const char *const *columns, size_t n,
		    void (*row)(struct reader *, sqlite3_stmt *))
{
	struct hd_err why;
	sqlite3_stmt *st;
	int rc;

	if (!hd_nsys_file_scan(r->file, &st, table, columns, n, ""))
		return 0;
	while ((rc = hd_nsys_file_step(r->file, st, table, &why)) > 0)
		row(r, st);
	if (rc < 0)
		hd_warn(r->sink->log, "lost.gpu-rows", "export the report again", "%s", why.msg);
	sqlite3_finalize(st);
	return 1;
}

static const char *const meta_columns[] = { "name", "value" };

static void on_meta(struct reader *r, sqlite3_stmt *st)
{
	const char *name = (const char *)sqlite3_column_text(st, 1), *value;
	size_t n;

	if (!name || strcmp(name, "EXPORT_SCHEMA_VERSION") || r->sink->capture->version)
		return;
	value = text_at(st, 2, &n);
	r->sink->capture->version = hd_strndup(value, n < 32 ? n : 32);
}

static const char *const session_columns[] = { "duration" };

/* Times of activities begin with the session. */
static void on_session(struct reader *r, sqlite3_stmt *st)
{
	int64_t duration = sqlite3_column_int64(st, 1);

	if (duration > r->sink->capture->session_end_ns)
		r->sink->capture->session_end_ns = duration;
}

static const char *const start_columns[] = { "utcEpochNs" };

static void on_start(struct reader *r, sqlite3_stmt *st)
{
	r->sink->capture->epoch_ns = sqlite3_column_int64(st, 1);
}

static const char *const gpu_columns[] = { "id", "cuDevice", "name", "totalMemory", "memoryBandwidth" };

static void on_gpu(struct reader *r, sqlite3_stmt *st)
{
	enum { MOST_GPUS = 256 };
	struct hd_gpu_capture *c = r->sink->capture;
	int64_t bytes = sqlite3_column_int64(st, 4), bandwidth = sqlite3_column_int64(st, 5);
	size_t n;
	const char *name = text_at(st, 3, &n);

	if (c->ndevices == MOST_GPUS)
		return;
	HD_GROW(c->devices, c->ndevices + 1, c->devices_cap);
	c->devices[c->ndevices++] = (struct hd_gpu_device_info){
		.id = is_null(st, 2) ? id_at(st, 1) : id_at(st, 2),
		.name = hd_strtab_addn(r->sink->dict->names, name, n),
		.total_bytes = bytes > 0 ? (uint64_t)bytes : 0,
		.bandwidth_bytes = bandwidth > 0 ? (uint64_t)bandwidth : 0,
	};
}

static const char *const process_columns[] = { "globalPid", "name" };

static void on_process(struct reader *r, sqlite3_stmt *st)
{
	struct hd_gpu_capture *c = r->sink->capture;
	size_t n;
	const char *name = text_at(st, 2, &n), *slash;

	if (c->nprocesses == MOST_PROCESSES)
		return;
	while (n && (slash = memchr(name, '/', n - 1))) {
		n -= (size_t)(slash + 1 - name);
		name = slash + 1;
	}
	HD_GROW(c->processes, c->nprocesses + 1, c->processes_cap);
	c->processes[c->nprocesses++] = (struct hd_gpu_process){
		pid_of(sqlite3_column_int64(st, 1)), hd_strtab_addn(r->sink->dict->names, name, n),
	};
}

static const char *const metric_name_columns[] = { "typeId", "metricId", "metricName" };

static void on_metric_name(struct reader *r, sqlite3_stmt *st)
{
	uint64_t key = metric_key(sqlite3_column_int64(st, 1), sqlite3_column_int64(st, 2));
	size_t n;
	const char *name = text_at(st, 3, &n);

	if (n)
		hd_map_put(&r->names[NAME], key, hd_strtab_addn(r->sink->dict->names, name, n));
}

static const char *const diagnostic_columns[] = { "text" };

/* Report each message of the recorder about records that it lost. */
static void on_diagnostic(struct reader *r, sqlite3_stmt *st)
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
 * Intern the frames of a chain, outermost (deepest) first.  Rows of a chain that do not come by rising
 * depth are sorted here.
 */
static void end_chain(struct reader *r, struct chain *c)
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

static void read_chains(struct reader *r)
{
	struct chain *c;
	struct hd_err why;
	sqlite3_stmt *st;
	int rc;

	if (!hd_nsys_file_scan(r->file, &st, "CUDA_CALLCHAINS", chain_columns, HD_COUNT(chain_columns), ""))
		return;
	c = hd_new(struct chain);
	while ((rc = hd_nsys_file_step(r->file, st, "CUDA_CALLCHAINS", &why)) > 0) {
		int64_t id = sqlite3_column_int64(st, 1);
		bool unresolved = sqlite3_column_int64(st, 5) != 0;

		if (c->n && id != c->id)
			end_chain(r, c);
		c->id = id;
		if (c->n == MOST_FRAMES)
			continue;
		c->frames[c->n].depth = sqlite3_column_int64(st, 2);
		c->frames[c->n++].frame = (struct hd_gpu_frame){
			.name = unresolved ? 0 : name_at(r, NAME, st, 3), .module = name_at(r, NAME, st, 4),
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

static void describe(struct reader *r)
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
	for (size_t i = 0; i < TABLES; i++) {
		bool has = hd_nsys_file_has_table(r->file, tables[i].name);

		c->has_device_tables |= has && tables[i].of_device;
		c->has_api |= has && tables[i].fill == fill_call;
		c->has_sync |= has && tables[i].fill == fill_sync;
		c->has_memory |= has && tables[i].fill == fill_memory;
	}
	read_chains(r);
}

/* ---- rows of a table ---- */

struct cursor {
	const struct table *table;
	sqlite3_stmt *st;		/* NULL: all rows were read */
	int64_t rowid;			/* of the last row */
	bool begun;
	struct hd_gpu_activity ring[REORDER_ROOM];	/* by rising start, from `head` */
	size_t head, n;
};

/* Read the next activity of the table.  Return 1, or 0 at its end. */
static int next_row(struct reader *r, struct cursor *c, struct hd_gpu_activity *a)
{
	struct hd_err why;
	int rc;

	while ((rc = hd_nsys_file_step(r->file, c->st, c->table->name, &why)) > 0) {
		int64_t rowid = sqlite3_column_int64(c->st, 0);
		bool no_end;

		if (c->begun && rowid <= c->rowid) {
			rc = hd_fail(&why, HD_EFORMAT, "%s: %s: rows repeat after row %lld", r->path, c->table->name,
				(long long)c->rowid);
			break;
		}
		c->begun = true;
		c->rowid = rowid;
		*a = (struct hd_gpu_activity){
			.start_ns = sqlite3_column_int64(c->st, START), .end_ns = sqlite3_column_int64(c->st, END),
		};
		no_end = !a->end_ns && is_null(c->st, END);
		if (no_end)
			a->end_ns = a->start_ns;
		if ((!a->start_ns && sqlite3_column_type(c->st, START) != SQLITE_INTEGER) ||
			(no_end && !c->table->open_end)) {
			hd_warn(r->sink->log, "lost.gpu-row", "export the report again",
				"%s: %s: row %lld has no start or no end and was left out", r->path, c->table->name,
				(long long)rowid);
			continue;
		}
		if (c->table->fill(r, c->st, a))
			return 1;
	}
	if (rc < 0)
		hd_warn(r->sink->log, "lost.gpu-rows", "export the report again",
			"%s; the rest of the table was left out", why.msg);
	sqlite3_finalize(c->st);
	c->st = NULL;
	return 0;
}

static inline struct hd_gpu_activity *slot(struct cursor *c, size_t i)
{
	return &c->ring[(c->head + i) % REORDER_ROOM];
}

/*
 * Look ahead as far as there is room.  `last_ns`: start of the activity that was handed over last, or NULL.  Return
 * HD_GPU_AGAIN if a row should have come before it.
 */
static int look_ahead(struct reader *r, struct cursor *c, const int64_t *last_ns)
{
	while (c->st && c->n < REORDER_ROOM) {
		size_t i = c->n;

		if (!next_row(r, c, slot(c, i)))
			break;
		if (last_ns && slot(c, i)->start_ns < *last_ns)
			return HD_GPU_AGAIN;
		c->n++;
		for (; i && hd_gpu_activity_before(slot(c, i), slot(c, i - 1)); i--) {
			struct hd_gpu_activity other = *slot(c, i);

			*slot(c, i) = *slot(c, i - 1);
			*slot(c, i - 1) = other;
		}
	}
	return 0;
}

/* ---- all tables ---- */

static int merge(struct reader *r, struct cursor *cursors, size_t n, struct hd_err *err)
{
	int64_t last_ns;
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		look_ahead(r, &cursors[i], NULL);
	while (!rc) {
		struct cursor *first = NULL;

		for (size_t i = 0; i < n; i++)
			if (cursors[i].n && (!first || hd_gpu_activity_before(slot(&cursors[i], 0), slot(first, 0))))
				first = &cursors[i];
		if (!first)
			break;
		last_ns = slot(first, 0)->start_ns;
		rc = r->sink->activity(r->sink->context, slot(first, 0), err);
		first->head = (first->head + 1) % REORDER_ROOM;
		first->n--;
		if (rc >= 0)
			rc = look_ahead(r, first, &last_ns);
	}
	return rc;
}

static int sort(struct reader *r, struct cursor *cursors, size_t n, struct hd_err *err)
{
	struct hd_gpu_activity_sorter *o = hd_gpu_activity_sorter_new(r->sink, r->path);
	struct hd_gpu_activity a;
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		while (rc >= 0 && cursors[i].st && next_row(r, &cursors[i], &a))
			rc = hd_gpu_activity_sorter_add(o, &a, err);
	if (rc >= 0)
		rc = hd_gpu_activity_sorter_end(o, err);
	hd_gpu_activity_sorter_free(o);
	return rc;
}

/* ---- tables that are several sorted parts: the exporter writes the calls of one thread after those of another ---- */

/* Parts of tables, of one table after the other.  `too_many`: there are more than have a cursor each. */
struct parts {
	struct { const struct table *table; int64_t first, last; } v[MOST_PARTS];	/* rowids */
	size_t n;
	bool too_many;
};

static void add_part(struct parts *p, const struct table *t, int64_t first)
{
	if (p->n && p->v[p->n - 1].table == t)
		p->v[p->n - 1].last = first - 1;
	p->too_many |= p->n == MOST_PARTS;
	if (p->n == MOST_PARTS)
		return;
	p->v[p->n].table = t;
	p->v[p->n].first = first;
	p->v[p->n++].last = INT64_MAX;
}

/* Return true if rows at evenly spaced places of the table are in order: then all are, or look_ahead() finds out. */
static bool seems_in_order(struct reader *r, const struct table *t)
{
	enum { PLACES = 256 };
	int64_t greatest = 0, last_ns = INT64_MIN;
	sqlite3_stmt *st;
	bool ordered = true;

	if (hd_nsys_file_scan(r->file, &st, t->name, t->columns, 1, "ORDER BY rowid DESC LIMIT 1") &&
	    hd_nsys_file_step(r->file, st, t->name, NULL) > 0)
		greatest = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	if (!hd_nsys_file_scan(r->file, &st, t->name, t->columns, 1, "WHERE rowid >= ?1 ORDER BY rowid LIMIT 1"))
		return true;
	for (int64_t i = 0; ordered && i < PLACES && greatest > 0; i++) {
		sqlite3_bind_int64(st, 1, (int64_t)((double)greatest / PLACES * (double)i));
		if (hd_nsys_file_step(r->file, st, t->name, NULL) > 0) {
			ordered = sqlite3_column_int64(st, START) >= last_ns;
			last_ns = sqlite3_column_int64(st, START);
		}
		sqlite3_reset(st);
	}
	sqlite3_finalize(st);
	return ordered;
}

static void find_parts(struct reader *r, const struct table *t, struct parts *p)
{
	int64_t last_ns = INT64_MIN, rowid = INT64_MIN;
	sqlite3_stmt *st;

	add_part(p, t, INT64_MIN);
	if ((!r->sink->again && seems_in_order(r, t)) || !hd_nsys_file_scan(r->file, &st, t->name, t->columns, 1, ""))
		return;
	while (!p->too_many && hd_nsys_file_step(r->file, st, t->name, NULL) > 0) {
		int64_t start_ns = sqlite3_column_int64(st, START), at = sqlite3_column_int64(st, 0);

		if (at <= rowid)
			break;		/* damage, which the reading of the rows reports */
		rowid = at;
		if (start_ns < last_ns)
			add_part(p, t, at);
		last_ns = start_ns;
	}
	sqlite3_finalize(st);
}

/* A cursor for each part; if there are too many, one for each table.  Return how many. */
static size_t open_cursors(struct reader *r, struct cursor *cursors, const struct parts *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct table *t = p->v[i].table;

		if (p->too_many && i && p->v[i - 1].table == t)
			continue;
		cursors[n].table = t;
		if (!hd_nsys_file_scan(r->file, &cursors[n].st, t->name, t->columns, t->ncolumns,
				  p->too_many ? "" : "WHERE rowid BETWEEN ?1 AND ?2"))
			continue;
		if (!p->too_many) {
			sqlite3_bind_int64(cursors[n].st, 1, p->v[i].first);
			sqlite3_bind_int64(cursors[n].st, 2, p->v[i].last);
		}
		n++;
	}
	return n;
}

static int read_tables(struct reader *r, struct hd_err *err)
{
	struct cursor *cursors = hd_new_array(struct cursor, MOST_PARTS);
	struct parts *parts = hd_new(struct parts);
	size_t n;
	int rc;

	for (size_t i = 0; i < TABLES; i++)
		if (hd_nsys_file_has_table(r->file, tables[i].name))
			find_parts(r, &tables[i], parts);
	if (parts->too_many) {
		*parts = (struct parts){ .too_many = true };
		for (size_t i = 0; i < TABLES; i++)
			add_part(parts, &tables[i], INT64_MIN);
		parts->too_many = true;
	}
	n = open_cursors(r, cursors, parts);
	rc = parts->too_many ? sort(r, cursors, n, err) : merge(r, cursors, n, err);
	for (size_t i = 0; i < n; i++)
		sqlite3_finalize(cursors[i].st);
	free(cursors);
	free(parts);
	return rc;
}

static int check_kind(struct reader *r, struct hd_err *err)
{
	if (hd_nsys_file_has_table(r->file, "META_DATA_EXPORT") ||
		hd_nsys_file_has_table(r->file, "EXPORT_META_DATA") || hd_nsys_file_has_table(r->file, "StringIds"))
		return 0;
	for (size_t i = 0; i < TABLES; i++)
		if (hd_nsys_file_has_table(r->file, tables[i].name))
			return 0;
	if (hd_nsys_file_has_table(r->file, "schema_version") && hd_nsys_file_has_table(r->file, "hotspot"))
		return hd_fail(err, HD_EFORMAT, "%s: is a hotspot database and no recording; name it with --db",
			r->path);
	return hd_fail(err, HD_EFORMAT,
		"%s: is an SQLite database, but none that Nsight Systems exported: it has no table "
		"StringIds or CUPTI_ACTIVITY_KIND_*",
		r->path);
}

int hd_gpu_nsys_read(int fd, const char *path, const struct hd_gpu_sink *sink, struct hd_err *err)
{
	static const char *const string_columns[] = { "value" };
	struct reader r = { .path = path, .sink = sink };
	int rc = hd_nsys_file_open(&r.file, fd, path, err);

	if (rc >= 0)
		rc = check_kind(&r, err);
	if (rc >= 0) {
		r.other_range = hd_strtab_add(sink->dict->names, "[range]");
		hd_nsys_file_scan(r.file, &r.strings, "StringIds", string_columns, 1, "WHERE id = ?1");
		describe(&r);
		rc = read_tables(&r, err);
	}
	sqlite3_finalize(r.strings);
	for (int i = 0; i < USES; i++)
		hd_map_release(&r.names[i]);
	hd_map_release(&r.stacks);
	hd_nsys_file_close(r.file);
	return rc;
}
