/*
 * fuzz_nsys.c - read a damaged export of Nsight Systems, or any SQLite database
 *
 * A valid export is made once, in pages of 512 bytes.  An input that begins like an SQLite database is read as it is.
 * Any other input is a list of patches for the valid export: an offset (4 bytes), a length (1 byte), the new bytes.  A
 * length of 0 truncates the file at the offset.
 *
 * Invariants: the start times of activities never fall, IDs are in their tables, the busy and idle times of each
 * device add up to its window, the rows of the profile add up to their events, and a rejected input has a message.
 */
#include "gpu/nsys.h"
#include "pipeline/gpu_input.h"
#include "fuzz/input.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char sql[] =
	"PRAGMA page_size = 512;CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);INSERT INTO StringIds "
	"VALUES (1, 'gemm'), (2, 'ncclDevKernel_AllReduce'), (3, 'cudaLaunchKernel_v7000'), (4, "
	"'cudaStreamSynchronize_v3020'),(5, '_Z4gemmIfEvPf'), (6, 'main'), (7, '/app/train');CREATE TABLE "
	"ANALYSIS_DETAILS (duration); INSERT INTO ANALYSIS_DETAILS VALUES (100000);CREATE TABLE TARGET_INFO_GPU (id, "
	"name, totalMemory, cuDevice); INSERT INTO TARGET_INFO_GPU VALUES (0, 'GPU', 1000000, 0);CREATE TABLE "
	"PROCESSES (globalPid, pid, name); INSERT INTO PROCESSES VALUES (9 << 24, 9, '/app/train');CREATE TABLE "
	"CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId, callchainId);CREATE TABLE "
	"CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, "
	"demangledName, shortName, graphNodeId);CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, "
	"streamId, correlationId, globalPid, bytes, copyKind, srcKind, dstKind);CREATE TABLE "
	"CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, bytes, memKind); INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET "
	"VALUES (5, 9, 0, 64, 2);CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId, "
	"correlationId, globalPid, syncType);INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (700, 900, 0, 3, 9 "
	"<< 24, 2);CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, graphId); INSERT INTO "
	"CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (7000, 7100, 0, 4);CREATE TABLE CUDA_CALLCHAINS (id, stackDepth, "
	"symbol, module, unresolved, originalIP);INSERT INTO CUDA_CALLCHAINS VALUES (1, 0, 1, 7, 0, 4096), (1, 1, 6, "
	"7, 0, 4128), (2, 0, 0, 7, 1, 4200), (2, 1, 6, 7, 0, 4128);CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, "
	"deviceId, address, bytes, memKind, memoryOperationType);INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (1, "
	"0, 64, 1000, 2, 0), (2, 0, 128, 500, 2, 0), (3, 0, 64, 1000, 2, 1);CREATE TABLE NVTX_EVENTS (start, end, "
	"eventType, text, globalTid); INSERT INTO NVTX_EVENTS VALUES (0, 5000, 59, 'step, op_id = 3', 9 << 24);CREATE "
	"TABLE TARGET_INFO_GPU_METRICS (typeId, metricId, metricName); INSERT INTO TARGET_INFO_GPU_METRICS VALUES "
	"(256, 1, 'SM Active');CREATE TABLE GPU_METRICS (timestamp, typeId, metricId, value); INSERT INTO GPU_METRICS "
	"VALUES (10, 256, 1, 50);WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 40)INSERT "
	"INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 100 * n - n % 3 * 40, 100 * n + 30, (9 << 24) + 10, n, 3 + n % 2, 1 + "
	"n % 3 FROM i;WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 40)INSERT INTO "
	"CUPTI_ACTIVITY_KIND_KERNEL SELECT 150 * n, 150 * n + 100, n % 2, 1, 7, n, 9 << 24, 5, 1 + n % 2, n << 32 FROM "
	"i;WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 40)INSERT INTO "
	"CUPTI_ACTIVITY_KIND_MEMCPY SELECT 170 * n, 170 * n + 60, 0, 7, n, 9 << 24, 1000 * n, n % 15, n % 3, n % 4 "
	"FROM i;";

static uint8_t *sound;
static size_t sound_n;

static void set_up(void)
{
	sqlite3_int64 n = 0;
	sqlite3 *db;

	if (sqlite3_open(":memory:", &db) != SQLITE_OK || sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		abort();
	sound = sqlite3_serialize(db, "main", &n, 0);
	sound_n = (size_t)n;
	sqlite3_close(db);
	if (!sound)
		abort();
}

/* ---- the reader ---- */

struct told { const struct hd_gpu_dict *dict; int64_t last; };

static int on_activity(void *context, const struct hd_gpu_activity *a, struct hd_err *err)
{
	struct told *t = context;

	(void)err;
	assert(a->start_ns >= t->last);
	assert(a->kind < HD_GPU_KINDS && a->copy < HD_GPU_COPIES && a->from < HD_GPU_MEMORY_KINDS &&
		a->to < HD_GPU_MEMORY_KINDS && a->sync < HD_GPU_SYNCS);
	assert(a->name < hd_strtab_count(t->dict->names) && a->full < hd_strtab_count(t->dict->names) &&
		a->stack < t->dict->nnodes);
	t->last = a->start_ns;
	return 0;
}

static int read_once(int fd, bool again)
{
	struct hd_gpu_capture capture = { 0 };
	struct hd_gpu_dict dict;
	struct hd_log log = { 0 };
	struct hd_strtab *names = hd_strtab_new();
	struct told t = { .dict = &dict, .last = INT64_MIN };
	struct hd_gpu_sink sink = { .dict = &dict,
		.capture = &capture,
		.log = &log,
		.activity = on_activity,
		.context = &t,
		.again = again };
	struct hd_err err = { 0 };
	int rc;

	hd_gpu_dict_init(&dict, names);
	rc = hd_gpu_nsys_read(fd, "input", &sink, &err);
	assert(rc >= 0 || err.msg[0]);
	assert(rc == 0 || rc < 0 || !again);
	for (uint32_t i = 1; i < dict.nnodes; i++)
		assert(dict.nodes[i].caller < i);
	hd_gpu_dict_release(&dict);
	hd_gpu_capture_release(&capture);
	hd_log_release(&log);
	hd_strtab_free(names);
	return rc;
}

/* ---- the profile ---- */

static void check_device(const struct hd_gpu_device *d)
{
	const struct hd_gpu_busy *windows[] = { &d->active, &d->session };
	uint64_t busy = 0;

	for (int i = 0; i < 2; i++) {
		const struct hd_gpu_busy *w = windows[i];

		if (i && !hd_gpu_window(w))
			continue;
		assert(w->compute_ns + w->copy_ns - w->overlap_ns + w->idle_ns == hd_gpu_window(w));
		assert(w->host_copy_alone_ns <= w->host_copy_ns && w->host_copy_ns <= w->copy_ns);
		assert(w->comm_alone_ns <= w->comm_ns && w->comm_ns <= w->compute_ns);
	}
	for (size_t i = 0; i < d->nbuckets; i++)
		busy += d->buckets[i].compute_ns + d->buckets[i].copy_ns - d->buckets[i].overlap_ns;
	assert(busy == hd_gpu_window(&d->active) - d->active.idle_ns);
	for (size_t i = 0; i < d->ngaps; i++)
		assert(d->gaps[i].start_ns < d->gaps[i].end_ns);
	for (size_t i = 1; i < d->nlongest; i++)
		assert(d->longest[i - 1].start_ns <= d->longest[i].start_ns);
}

static void as_profile(int fd)
{
	struct hd_pipeline_opts opts = { .keys = HD_KEY_COMM | HD_KEY_PID | HD_KEY_TID, .full_names = true };
	struct hd_profile *p = hd_profile_new();
	uint64_t weight[8] = { 0 };
	struct hd_err err = { 0 };
	int rc;

	p->keys = opts.keys;
	rc = hd_gpu_input_read(&p, hd_gpu_input_kind("SQLite format 3", 16), fd, "input", &opts, &err);
	assert(rc == 0 || (rc < 0 && err.msg[0]));
	if (!rc) {
		assert(p->gpu && p->gpu->joined <= p->gpu->joinable && p->gpu->nfindings);
		for (size_t i = 0; i < p->gpu->ndevices; i++)
			check_device(&p->gpu->devices[i]);
		for (size_t i = 0; i < p->rows.n; i++)
			weight[p->rows.items[i].event] += p->rows.items[i].weight;
		for (size_t e = 0; e < p->nevents; e++)
			assert(weight[e] == p->events[e].weight);
	}
	hd_profile_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("nsys", MFD_CLOEXEC);
	uint8_t *bytes;
	size_t n = size;

	if (!sound)
		set_up();
	bytes = malloc(size > sound_n ? size : sound_n);
	if (!bytes || fd < 0)
		abort();
	if (hd_gpu_is_sqlite((const char *)data, size)) {
		memcpy(bytes, data, size);
	} else {
		memcpy(bytes, sound, sound_n);
		n = fuzz_patch(bytes, sound_n, data, size);
	}
	if (write(fd, bytes, n) == (ssize_t)n) {
		if (read_once(fd, false) == HD_GPU_AGAIN)
			assert(read_once(fd, true) <= 0);
		as_profile(fd);
	}
	close(fd);
	free(bytes);
	return 0;
}
