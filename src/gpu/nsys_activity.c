/*
 * nsys_activity.c - see nsys_activity.h
 */
#include "gpu/nsys_activity.h"

#include "base/mem.h"

#include <string.h>

enum {
	MOST_RANGES = 1 << 16,		/* limit for the number of distinct names of ranges */
	MOST_NAME = 16 * 1024,		/* limit for the length of a name in bytes; longer names are cut */
};

/* ---- names ---- */

static uint32_t tid_of(int64_t global)
{
	return (uint32_t)global & 0xffffff;
}

/* sqlite3_column_blob() is used, because sqlite3_column_text() would copy the bytes to append a NUL. */
const char *hd_nsys_text(sqlite3_stmt *st, int column, size_t *n)
{
	const char *text = sqlite3_column_blob(st, column);

	*n = text ? (size_t)sqlite3_column_bytes(st, column) : 0;
	if (*n > MOST_NAME)
		*n = MOST_NAME;
	return text ? text : "";
}

/*
 * Return the length of an API function's name without its version: "cudaLaunchKernel" of "cudaLaunchKernel_v7000".
 * "cuMemAlloc_v2" is a whole name.
 */
static size_t api_length(const char *s, size_t n)
{
	size_t digits = n;

	while (digits && s[digits - 1] >= '0' && s[digits - 1] <= '9')
		digits--;
	return n - digits >= 4 && digits >= 2 && s[digits - 1] == 'v' && s[digits - 2] == '_' ? digits - 2 : n;
}

/* Return the length of a range's name without the number of the call: "aten::add" of "aten::add, op_id = 17". */
static size_t range_length(const char *s, size_t n)
{
	for (size_t i = 0; i + 2 < n; i++)
		if (s[i] == ',' && s[i + 1] == ' ')
			for (size_t k = i + 2; k < n && s[k] != ','; k++)
				if (s[k] == '=')
					return i;
	return n;
}

static uint32_t intern_range(struct hd_nsys_reader *r, const char *s, size_t n)
{
	struct hd_strtab *names = r->sink->dict->names;
	uint32_t before = hd_strtab_count(names), id;

	if (r->ranges == MOST_RANGES)
		return r->other_range;
	id = hd_strtab_addn(names, s, range_length(s, n));
	r->ranges += hd_strtab_count(names) > before;
	return id;
}

static uint32_t intern(struct hd_nsys_reader *r, enum hd_nsys_name_use use, const char *s, size_t n)
{
	if (use == HD_NSYS_RANGE_NAME)
		return intern_range(r, s, n);
	return hd_strtab_addn(r->sink->dict->names, s, use == HD_NSYS_API_NAME ? api_length(s, n) : n);
}

uint32_t hd_nsys_name(struct hd_nsys_reader *r, enum hd_nsys_name_use use, sqlite3_stmt *st, int column)
{
	int64_t id = sqlite3_column_int64(st, column);
	uint32_t name;

	if (!id && hd_nsys_is_null(st, column))
		return 0;
	name = hd_map_get(&r->names[use], (uint64_t)id);
	if (name != HD_MAP_NONE)
		return name;
	name = 0;
	if (r->strings) {
		sqlite3_bind_int64(r->strings, 1, id);
		if (hd_sqlite_untrusted_step(r->db, r->strings, "StringIds", NULL) > 0) {
			size_t n;
			const char *text = hd_nsys_text(r->strings, 1, &n);

			name = intern(r, use, text, n);
		}
		sqlite3_reset(r->strings);
	}
	hd_map_put(&r->names[use], (uint64_t)id, name);
	return name;
}

/* ---- rows -> activities ---- */

static void fill_device(sqlite3_stmt *st, struct hd_gpu_activity *a)
{
	a->device = hd_nsys_id(st, 3);
	a->stream = hd_nsys_id(st, 4);
	a->correlation = (uint64_t)sqlite3_column_int64(st, 5);
	a->pid = hd_nsys_pid(sqlite3_column_int64(st, 6));
}
#define DEVICE_COLUMNS "start", "end", "deviceId", "streamId", "correlationId", "globalPid"

/*
 * graphId and graphNodeId of a kernel are not read.  They are the last columns, so SQLite would have to decode all
 * columns before them.
 */
static const char *const kernel_columns[] = { DEVICE_COLUMNS, "shortName", "demangledName" };

static bool fill_kernel(struct hd_nsys_reader *r, sqlite3_stmt *st, struct hd_gpu_activity *a)
{
	fill_device(st, a);
	a->name = hd_nsys_name(r, HD_NSYS_NAME, st, 7);
	a->full = hd_nsys_name(r, HD_NSYS_NAME, st, 8);
	if (!a->name)
		a->name = a->full;
	return true;
}

static uint8_t memory_kind(sqlite3_stmt *st, int column)
{
	static const uint8_t kinds[] = {	/* index in ENUM_CUDA_MEM_KIND: CUpti_ActivityMemoryKind - 1 */
		HD_GPU_PAGEABLE, HD_GPU_PINNED, HD_GPU_DEVICE_MEMORY, HD_GPU_ARRAY, HD_GPU_MANAGED,
		HD_GPU_DEVICE_STATIC,
		HD_GPU_MANAGED_STATIC,
	};
	uint64_t kind = (uint64_t)sqlite3_column_int64(st, column);

	return (!kind && hd_nsys_is_null(st, column)) || kind >= HD_COUNT(kinds) ? HD_GPU_MEM_UNKNOWN : kinds[kind];
}

static void fill_bytes(sqlite3_stmt *st, int column, struct hd_gpu_activity *a)
{
	int64_t bytes = sqlite3_column_int64(st, column);

	a->sized = bytes > 0 || (!bytes && !hd_nsys_is_null(st, column));
	a->bytes = a->sized ? (uint64_t)bytes : 0;
}

static const char *const copy_columns[] = { DEVICE_COLUMNS, "bytes", "copyKind", "srcKind", "dstKind" };

static bool fill_copy(struct hd_nsys_reader *r, sqlite3_stmt *st, struct hd_gpu_activity *a)
{
	static const uint8_t kinds[] = {	/* indexed by number in ENUM_CUDA_MEMCPY_OPER */
		HD_GPU_COPY_UNKNOWN, HD_GPU_HTOD, HD_GPU_DTOH, HD_GPU_HTOD, HD_GPU_DTOH, HD_GPU_DTOD, HD_GPU_DTOD,
		HD_GPU_DTOD,
		HD_GPU_DTOD, HD_GPU_HTOH, HD_GPU_PTOP, HD_GPU_UVM_HTOD, HD_GPU_UVM_DTOH, HD_GPU_UVM_DTOD,
	};
	uint64_t kind = (uint64_t)sqlite3_column_int64(st, 8);

	(void)r;
	fill_device(st, a);
	fill_bytes(st, 7, a);
	a->copy = kind < HD_COUNT(kinds) ? kinds[kind] : HD_GPU_COPY_UNKNOWN;
	a->from = memory_kind(st, 9);
	a->to = memory_kind(st, 10);
	return true;
}

static const char *const set_columns[] = { DEVICE_COLUMNS, "bytes", "memKind" };

static bool fill_set(struct hd_nsys_reader *r, sqlite3_stmt *st, struct hd_gpu_activity *a)
{
	(void)r;
	fill_device(st, a);
	fill_bytes(st, 7, a);
	a->to = memory_kind(st, 8);
	return true;
}

static const char *const graph_columns[] = { DEVICE_COLUMNS, "graphId" };

static bool fill_graph(struct hd_nsys_reader *r, sqlite3_stmt *st, struct hd_gpu_activity *a)
{
	(void)r;
	fill_device(st, a);
	a->graph = hd_nsys_id(st, 7);
	return true;
}

static const char *const sync_columns[] = { DEVICE_COLUMNS, "syncType" };

static bool fill_sync(struct hd_nsys_reader *r, sqlite3_stmt *st, struct hd_gpu_activity *a)
{
	static const uint8_t kinds[] = {	/* ENUM_CUPTI_SYNC_TYPE */
		HD_GPU_SYNC_UNKNOWN, HD_GPU_SYNC_EVENT, HD_GPU_SYNC_WAIT_EVENT, HD_GPU_SYNC_STREAM, HD_GPU_SYNC_CONTEXT,
	};
	uint64_t kind = (uint64_t)sqlite3_column_int64(st, 7);

	(void)r;
	fill_device(st, a);
	a->sync = kind < HD_COUNT(kinds) ? kinds[kind] : HD_GPU_SYNC_UNKNOWN;
	return true;
}

static const char *const call_columns[] = { "start", "end", "globalTid", "correlationId", "nameId", "callchainId" };

static bool fill_call(struct hd_nsys_reader *r, sqlite3_stmt *st, struct hd_gpu_activity *a)
{
	int64_t thread = sqlite3_column_int64(st, 3), chain = r->stacks.n ? sqlite3_column_int64(st, 6) : 0;
	uint32_t stack = chain || !hd_nsys_is_null(st, 6) ? hd_map_get(&r->stacks, (uint64_t)chain) : HD_MAP_NONE;

	a->pid = hd_nsys_pid(thread);
	a->tid = tid_of(thread);
	a->correlation = (uint64_t)sqlite3_column_int64(st, 4);
	a->name = hd_nsys_name(r, HD_NSYS_API_NAME, st, 5);
	a->stack = stack == HD_MAP_NONE ? 0 : stack;
	return true;
}

static const char *const memory_columns[] = {
	"start", "end", "globalPid", "deviceId", "address", "bytes", "memKind", "memoryOperationType",
};

static bool fill_memory(struct hd_nsys_reader *r, sqlite3_stmt *st, struct hd_gpu_activity *a)
{
	(void)r;
	if (sqlite3_column_int64(st, 8))
		a->kind = HD_GPU_FREE;
	a->end_ns = a->start_ns;
	a->pid = hd_nsys_pid(sqlite3_column_int64(st, 3));
	a->device = hd_nsys_id(st, 4);
	a->address = (uint64_t)sqlite3_column_int64(st, 5);
	fill_bytes(st, 6, a);
	a->to = memory_kind(st, 7);
	return a->sized;
}

static const char *const range_columns[] = { "start", "end", "eventType", "globalTid", "text", "textId" };

static bool fill_range(struct hd_nsys_reader *r, sqlite3_stmt *st, struct hd_gpu_activity *a)
{
	enum { PUSH_POP = 59, START_END = 60 };
	int64_t type = sqlite3_column_int64(st, 3), thread = sqlite3_column_int64(st, 4);
	const char *text;
	size_t n;

	if (type != PUSH_POP && type != START_END)
		return false;
	a->pid = hd_nsys_pid(thread);
	a->tid = tid_of(thread);
	a->name = hd_nsys_name(r, HD_NSYS_RANGE_NAME, st, 6);
	if (a->name)
		return true;
	text = hd_nsys_text(st, 5, &n);
	a->name = n ? intern_range(r, text, n) : r->other_range;
	return true;
}

static const char *const metric_columns[] = { "timestamp", "end", "typeId", "metricId", "value" };

/* The key has bit 63 set, which the ids of table StringIds do not have, so both can be keys of one map. */
uint64_t hd_nsys_metric_key(int64_t type, int64_t metric)
{
	return (uint64_t)1 << 63 | ((uint64_t)type & 0xffffffff) << 24 | ((uint64_t)metric & 0xffffff);
}

static bool fill_metric(struct hd_nsys_reader *r, sqlite3_stmt *st, struct hd_gpu_activity *a)
{
	int64_t type = sqlite3_column_int64(st, 3);
	uint32_t name = hd_map_get(&r->names[HD_NSYS_NAME], hd_nsys_metric_key(type, sqlite3_column_int64(st, 4)));

	a->end_ns = a->start_ns;
	a->device = (uint32_t)type & 0xff;
	a->name = name == HD_MAP_NONE ? 0 : name;
	a->value = sqlite3_column_double(st, 5);
	return a->name != 0;
}

#define TABLE(name, kind, fill, columns, open_end) { name, fill, columns, HD_COUNT(columns), kind, open_end }
const struct hd_nsys_table hd_nsys_tables[] = {
	TABLE("CUPTI_ACTIVITY_KIND_RUNTIME", HD_GPU_LAUNCH, fill_call, call_columns, false),
	TABLE("CUPTI_ACTIVITY_KIND_DRIVER", HD_GPU_LAUNCH, fill_call, call_columns, false),
	TABLE("CUPTI_ACTIVITY_KIND_KERNEL", HD_GPU_KERNEL, fill_kernel, kernel_columns, false),
	TABLE("CUPTI_ACTIVITY_KIND_MEMCPY", HD_GPU_COPY, fill_copy, copy_columns, false),
	TABLE("CUPTI_ACTIVITY_KIND_MEMSET", HD_GPU_SET, fill_set, set_columns, false),
	TABLE("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", HD_GPU_GRAPH, fill_graph, graph_columns, false),
	TABLE("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", HD_GPU_SYNC, fill_sync, sync_columns, false),
	TABLE("CUDA_GPU_MEMORY_USAGE_EVENTS", HD_GPU_ALLOC, fill_memory, memory_columns, true),
	TABLE("NVTX_EVENTS", HD_GPU_RANGE, fill_range, range_columns, true),
	TABLE("GPU_METRICS", HD_GPU_METRIC, fill_metric, metric_columns, true),
};
const size_t hd_nsys_ntables = HD_COUNT(hd_nsys_tables);
