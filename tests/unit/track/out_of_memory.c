/*
 * out_of_memory.c - let each allocation of libhotdrift fail in turn, and expect that the function returns
 * HD_TRACK_NOMEM; the hot path allocates nothing
 *
 * The linker replaces malloc() and its relatives in the library by the functions below (--wrap, Makefile).  With
 * SAN=address the test also shows that nothing leaks.
 */
#include "test.h"
#include "../tmpdir.h"
#include "standin.h"

#include "hotdrift.h"
#include "track/memory_scope.h"

#include <errno.h>

static unsigned long calls, failing;	/* the call with the number `failing` fails; 0: none */

static bool fails(void)
{
	if (++calls != failing)
		return false;
	errno = ENOMEM;
	return true;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);

void *__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_realloc(p, n);
}

char *__wrap_strdup(const char *s)
{
	return fails() ? NULL : __real_strdup(s);
}

/* A function that makes some calls of the library and returns the first negative status. */
typedef int try_fn(struct hd_profiler *p, const char *file);

static int try_digest(struct hd_profiler *p, const char *file)
{
	static const char json[] = "{\"b\":[1,{\"x\":\"\\u00e9\"}],\"a\":{\"k\":null,\"l\":2,\"m\":3}}";
	char digest[HD_DIGEST_TEXT];

	return hd_config_digest(json, sizeof(json) - 1, HD_FLOAT_RYU, digest);
}

static int try_latency(struct hd_profiler *p, const char *file)
{
	struct hd_latency_stats stats;
	int rc = HD_TRACK_OK;

	for (unsigned i = 0; i < 200 && rc >= 0; i++) {
		struct hd_latency sample = { i, i, i, i };

		rc = hd_latency_add(p, &sample);
	}
	if (rc >= 0)
		rc = hd_latency_stats(p, HD_LATENCY_WALL, &stats);
	return rc < 0 ? rc : hd_latency_write_csv(p, file);
}

static int try_memory(struct hd_profiler *p, const char *file)
{
	struct hd_memory_scope scope;
	struct hd_memory_scope_total *totals;
	struct hd_memory_sum sum;
	int rc = hd_memory_scope_start(p, &scope);

	if (rc >= 0)
		rc = hd_memory_scope_stop(p, &scope, "scope", NULL);
	if (rc >= 0)
		rc = (int)hd_memory_scope_totals(p, &totals);
	if (rc >= 0)
		free(totals);
	if (rc >= 0)
		rc = hd_report_write(p, file, HD_REPORT_JSON);
	if (rc >= 0)
		rc = hd_memory_snap(p, 1, 2, 3, NULL);
	if (rc >= 0)
		rc = hd_memory_sum(p, &sum);
	return rc < 0 ? rc : hd_memory_write_csv(p, file);
}

static int try_power(struct hd_profiler *p, const char *file)
{
	struct hd_power_total totals[4];
	int rc = hd_power_use_rapl(p);

	if (rc >= 0)
		rc = hd_power_use_nvml(p);
	if (rc >= 0)
		rc = hd_power_use_constant(p, 5);
	for (unsigned i = 0; i < 200 && rc >= 0; i++)
		rc = hd_power_sample(p);
	if (rc >= 0)
		rc = (int)hd_power_totals(p, totals, 4);
	return rc < 0 ? rc : hd_power_write_csv(p, file);
}

static int try_gpu(struct hd_profiler *p, const char *file)
{
	struct hd_gpu_memory memory;

	return hd_gpu_memory(p, 0, &memory);
}

static int try_sweep(struct hd_profiler *p, const char *file)
{
	struct hd_sweep_row row = { "setting", 1, 2, 3, 4, 5, 6 };

	return hd_sweep_write_csv(file, &row, 1, NULL);
}

/*
 * There are so few names that the cache of names does not grow: if growing it fails, it stays small without an error.
 */
static int try_ops(struct hd_profiler *p, const char *file)
{
	char name[16];
	int rc = HD_TRACK_OK;

	for (int i = 0; i < 200 && rc >= 0; i++) {
		snprintf(name, sizeof(name), "op%d", i % 15);
		rc = hd_op_start(p, name);
	}
	if (rc >= 0)
		rc = hd_op_stop(p, "op0");
	return rc < 0 ? rc : (int)hd_ops(p, HD_OPS_BY_TIME, NULL, 0);
}

static int try_allocs(struct hd_profiler *p, const char *file)
{
	char name[16];
	int rc = HD_TRACK_OK;
	int64_t n;

	for (int i = 0; i < 400 && rc >= 0; i++) {
		snprintf(name, sizeof(name), "name%d", i % 40);
		rc = hd_record_alloc(p, name, &file[i % 7] + 8 * i, 1);
	}
	n = hd_allocs(p, NULL, 0);		/* this checks, also after a failure, that every name has a row */
	return rc < 0 ? rc : (int)n;
}

static int try_timeline(struct hd_profiler *p, const char *file)
{
	struct hd_event_arg arg = { "key", "text", 0 };
	struct hd_duration d;
	int rc = hd_event(p, HD_EVENT_BEGIN, "a", &arg, 1);

	/* Without memory for its argument an event is added nevertheless, and HD_TRACK_FULL reports it. */
	if (rc == HD_TRACK_FULL)
		rc = HD_TRACK_NOMEM;
	if (rc >= 0)
		rc = hd_event(p, HD_EVENT_END, "a", NULL, 0);
	if (rc >= 0)
		rc = (int)hd_timeline_durations(p, &d, 1);
	if (rc >= 0)
		rc = hd_timeline_write(p, file, HD_TIMELINE_CHROME);
	return rc < 0 ? rc : hd_timeline_write(p, file, HD_TIMELINE_PERFETTO);
}

static int try_spans(struct hd_profiler *p, const char *file)
{
	hd_span_id id[40];
	int rc = HD_TRACK_OK;

	for (int i = 0; i < 40 && rc >= 0; i++)
		rc = hd_span_begin(p, "span", 0, &id[i]);
	if (rc >= 0)
		rc = hd_span_wake(p, id[0], id[1]);
	if (rc >= 0)
		rc = (int)hd_span_totals(p, NULL, 0);
	if (rc >= 0)
		rc = (int)hd_span_wakers(p, NULL, 0);
	return rc < 0 ? rc : hd_spans_write_csv(p, file);
}

/* Create a profiler, call `try` with it, and return the status. */
static int in_profiler(try_fn *try, const char *file)
{
	struct hd_profiler *p;
	int rc = hd_profiler_new(&p, NULL);

	if (rc < 0)
		return rc;
	rc = try(p, file);
	hd_profiler_free(p);
	return rc;
}

static void each_allocation_fails(try_fn *try)
{
	char *root = tmpdir(), *file = in_dir(root, "out.csv");
	int rc = HD_TRACK_NOMEM;

	put_rooted(root, "/class/powercap/intel-rapl:0/name", "package-0\n");
	put_rooted(root, "/class/powercap/intel-rapl:0/energy_uj", "9000000\n");
	put_rooted(root, "/class/powercap/intel-rapl:0/max_energy_range_uj", "10000000\n");
	setenv("HOTDRIFT_SYSFS", root, 1);
	setenv("HOTDRIFT_NVML", standin_nvml("nvml", ""), 1);
	for (failing = 1; rc < 0; failing++) {
		calls = 0;
		rc = in_profiler(try, file);
		if (calls >= failing)
			EXPECT_INT(rc, HD_TRACK_NOMEM);
		EXPECT(failing < 1000);
	}
	EXPECT(failing > 3);		/* some did fail */
	failing = 0;
	EXPECT_INT(entries(root), access(file, F_OK) == 0 ? 2 : 1);	/* no temporary file is left */
	free(file);
	tmpdir_remove(root);
}

TEST(fingerprints) { each_allocation_fails(try_digest); }
TEST(latency) { each_allocation_fails(try_latency); }
TEST(memory) { each_allocation_fails(try_memory); }
TEST(power) { each_allocation_fails(try_power); }
TEST(gpu_memory) { each_allocation_fails(try_gpu); }
TEST(nothing_is_allocated_after_the_first_calls)
{
	static const char *const names[] = { "parse", "validate", "store" };
	struct hd_event_arg arg = { "key", "text", 0 };
	struct hd_profiler *p;
	hd_span_id id;

	EXPECT_INT(hd_profiler_new(&p, NULL), HD_TRACK_OK);
	for (unsigned i = 0; i < 20000; i++) {
		const char *name = names[i % 3];

		if (i == 3)
			calls = 0;
		EXPECT_INT(hd_op_start(p, name), HD_TRACK_OK);
		EXPECT_INT(hd_event(p, HD_EVENT_CUSTOM, name, &arg, 1), HD_TRACK_OK);
		EXPECT_INT(hd_record_alloc(p, name, &calls, 10), HD_TRACK_OK);
		EXPECT_INT(hd_record_free(p, &calls), HD_TRACK_OK);
		EXPECT_INT(hd_span_begin(p, name, 0, &id), HD_TRACK_OK);
		EXPECT_INT(hd_span_enter(p, id), HD_TRACK_OK);
		EXPECT_INT(hd_span_end(p, id), HD_TRACK_OK);
		EXPECT_INT(hd_op_stop_work(p, name, 1, 2), HD_TRACK_OK);
	}
	EXPECT_INT(calls, 0);
	hd_profiler_free(p);
}

TEST(operations) { each_allocation_fails(try_ops); }
TEST(allocations) { each_allocation_fails(try_allocs); }
TEST(timelines) { each_allocation_fails(try_timeline); }
TEST(spans) { each_allocation_fails(try_spans); }
TEST(sweeps) { each_allocation_fails(try_sweep); }

TEST_MAIN(RUN(fingerprints), RUN(latency), RUN(memory), RUN(power), RUN(gpu_memory), RUN(sweeps),
	  RUN(operations), RUN(allocations), RUN(timelines), RUN(spans),
	  RUN(nothing_is_allocated_after_the_first_calls))
