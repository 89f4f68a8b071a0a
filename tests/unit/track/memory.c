/*
 * memory.c - take memory snapshots, and measure scopes by both methods
 *
 * The program starts itself again with libhotdrift-heap.so preloaded for the exact scopes ("exact" as its argument).
 */
#include "test.h"
#include "../tmpdir.h"
#include "standin.h"

#include "hotdrift.h"
#include "track/memory_scope.h"
#include "track/process_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

static struct hd_profiler *fresh(void)
{
	struct hd_profiler *p;

	EXPECT_INT(hd_profiler_new(&p, NULL), HD_TRACK_OK);
	return p;
}

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000;
}

enum { BLOCK = 32 << 20 };

TEST(resident_memory_grows_by_what_is_touched_and_the_peak_stays)
{
	struct hd_profiler *p = fresh();
	struct hd_memory_snapshot before, during, after;
	uint64_t from = now_us();
	char *block;

	EXPECT_INT(hd_memory_snap(p, 1, 2, 3, &before), HD_TRACK_OK);
	block = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	EXPECT(block != MAP_FAILED);
	memset(block, 1, BLOCK);
	EXPECT_INT(hd_memory_snap(p, 10, 20, 30, &during), HD_TRACK_OK);
	munmap(block, BLOCK);
	EXPECT_INT(hd_memory_snap(p, 4, 5, 6, &after), HD_TRACK_OK);
	EXPECT(before.timestamp_us >= from && after.timestamp_us <= now_us());
	/* The kernel counts resident pages per thread and adds them up with a delay, so allow an error of 1 MiB. */
	EXPECT(during.rss_bytes >= before.rss_bytes + BLOCK - (1 << 20));
	EXPECT(after.rss_bytes <= during.rss_bytes - BLOCK + (1 << 20));
	EXPECT(during.peak_rss_bytes >= during.rss_bytes && after.peak_rss_bytes >= during.peak_rss_bytes);
	EXPECT(during.kv_cache_bytes == 10 && during.activation_bytes == 20 && during.temp_buffer_bytes == 30);
	hd_profiler_free(p);
}

TEST(the_sum_has_peak_mean_and_total_of_each_class)
{
	struct hd_profiler *p = fresh();
	struct hd_memory_snapshot s[2];
	struct hd_memory_sum sum;

	EXPECT_INT(hd_memory_sum(p, &sum), HD_TRACK_OK);
	EXPECT(sum.snapshots == 0 && sum.rss.peak_bytes == 0 && sum.rss.mean_bytes == 0);
	EXPECT_INT(hd_memory_snap(p, 100, 0, 7, &s[0]), HD_TRACK_OK);
	EXPECT_INT(hd_memory_snap(p, 300, 0, 1, &s[1]), HD_TRACK_OK);
	EXPECT_INT(hd_memory_sum(p, &sum), HD_TRACK_OK);
	EXPECT_INT(sum.snapshots, 2);
	EXPECT(sum.kv_cache.peak_bytes == 300 && sum.kv_cache.mean_bytes == 200 && sum.kv_cache.total_bytes == 400);
	EXPECT(sum.activation.peak_bytes == 0 && sum.activation.total_bytes == 0);
	EXPECT(sum.temp_buffer.peak_bytes == 7 && sum.temp_buffer.mean_bytes == 4);
	EXPECT(sum.rss.peak_bytes == s[1].peak_rss_bytes);
	EXPECT(sum.rss.total_bytes == (double)s[0].rss_bytes + (double)s[1].rss_bytes);
	hd_profiler_free(p);
}

TEST(the_csv_has_the_form_memory)
{
	struct hd_profiler *p = fresh();
	struct hd_memory_snapshot s;
	char *dir = tmpdir(), *path = in_dir(dir, "memory.csv"), want[256];

	EXPECT_INT(hd_memory_snap(p, 1, 0, UINT64_MAX, &s), HD_TRACK_OK);
	EXPECT_INT(hd_memory_write_csv(p, path), HD_TRACK_OK);
	snprintf(want, sizeof(want),
		 "timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes\n"
		 "%" PRIu64 ",%" PRIu64 ",1,0,18446744073709551615\n", s.timestamp_us, s.peak_rss_bytes);
	expect_file(path, want);
	EXPECT_INT(hd_memory_write_csv(p, NULL), HD_TRACK_INVALID);
	free(path);
	tmpdir_remove(dir);
	hd_profiler_free(p);
}

TEST(a_scope_starts_without_files_of_proc_and_keeps_errno)
{
	struct hd_profiler *p = fresh();
	struct hd_memory_scope scope;
	struct rlimit old, none;

	/* Without free descriptors, no file can be opened. */
	EXPECT(getrlimit(RLIMIT_NOFILE, &old) == 0);
	none = (struct rlimit){ 0, old.rlim_max };
	EXPECT(setrlimit(RLIMIT_NOFILE, &none) == 0);
	errno = 0;
	EXPECT_INT(hd_memory_scope_start(p, &scope), HD_TRACK_OK);
	EXPECT_INT(errno, 0);
	EXPECT(setrlimit(RLIMIT_NOFILE, &old) == 0);
	EXPECT_INT(hd_memory_scope_stop(p, &scope, "none", NULL), HD_TRACK_OK);
	hd_profiler_free(p);
}

TEST(without_the_heap_library_a_scope_has_the_growth_of_the_heap)
{
	struct hd_profiler *p;
	struct hd_memory_scope scope;
	struct hd_memory_scope_result r;
	void *volatile block;	/* volatile, so that the compiler does not remove the allocation */

	if (SANITIZED)
		SKIP("the sanitizer replaces the allocator");
	p = fresh();
	EXPECT_INT(hd_memory_scope_start(p, &scope), HD_TRACK_OK);
	block = malloc(1 << 20);
	memset(block, 1, 1 << 20);
	EXPECT_INT(hd_memory_scope_stop(p, &scope, "grow", &r), HD_TRACK_OK);
	EXPECT_INT(r.method, HD_MEMORY_MALLOC_STATISTICS);
	EXPECT(r.allocated_bytes >= 1 << 20 && r.allocated_bytes < (1 << 20) + 65536 && r.freed_bytes == 0);
	EXPECT(r.thread_allocated_bytes == 0 && r.thread_freed_bytes == 0);
	EXPECT_INT(hd_memory_scope_start(p, &scope), HD_TRACK_OK);
	free(block);
	EXPECT_INT(hd_memory_scope_stop(p, &scope, "shrink", &r), HD_TRACK_OK);
	EXPECT(r.freed_bytes >= 1 << 20 && r.allocated_bytes == 0);
	hd_profiler_free(p);
}

static int stop_in_child(void *scope)
{
	return hd_memory_scope_stop(HD_GLOBAL, scope, "forked", NULL) == HD_TRACK_ORDER ? 0 : 1;
}

TEST(a_stop_without_a_start_is_an_error_also_in_a_forked_child)
{
	struct hd_profiler *p = fresh();
	struct hd_memory_scope scope = { { 0 } };

	EXPECT_INT(hd_memory_scope_stop(p, &scope, "x", NULL), HD_TRACK_ORDER);
	EXPECT_INT(hd_memory_scope_start(HD_GLOBAL, &scope), HD_TRACK_OK);
	EXPECT_INT(in_child(stop_in_child, &scope), 0);
	EXPECT_INT(hd_memory_scope_stop(p, &scope, "", NULL), HD_TRACK_INVALID);
	EXPECT_INT(hd_memory_scope_stop(p, &scope, NULL, NULL), HD_TRACK_INVALID);
	EXPECT_INT(hd_memory_scope_stop(p, &scope, "x", NULL), HD_TRACK_OK);
	EXPECT_INT(hd_memory_scope_stop(p, &scope, "x", NULL), HD_TRACK_ORDER);
	EXPECT_INT(hd_memory_scope_start(p, NULL), HD_TRACK_INVALID);
	hd_profiler_free(p);
}

TEST(scopes_are_summed_by_name_up_to_the_limit)
{
	struct hd_profiler_config config = { .size = sizeof(config), .names_max = 2 };
	struct hd_memory_scope_total *totals;
	struct hd_memory_scope scope;
	struct hd_profiler *p;
	const char *const names[] = { "b", "a", "b", "c" };
	char longest[2 * HD_NAME_BYTES], *report;

	EXPECT_INT(hd_profiler_new(&p, &config), HD_TRACK_OK);
	for (size_t i = 0; i < 4; i++) {
		EXPECT_INT(hd_memory_scope_start(p, &scope), HD_TRACK_OK);
		EXPECT_INT(hd_memory_scope_stop(p, &scope, names[i], NULL), i < 3 ? HD_TRACK_OK : HD_TRACK_FULL);
	}
	EXPECT_INT(hd_report_string(p, HD_REPORT_JSON, &report), HD_TRACK_OK);
	EXPECT(strstr(report, "\"memory_scopes\":") && strstr(report, "\"name\":\"b\",\"count\":2,"));
	free(report);
	EXPECT_INT(hd_memory_scope_totals(p, &totals), 2);
	EXPECT(totals[0].count + totals[1].count == 3);
	free(totals);
	EXPECT_INT(hd_profiler_reset(p), HD_TRACK_OK);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	EXPECT_INT(hd_memory_scope_start(p, &scope), HD_TRACK_OK);
	EXPECT_INT(hd_memory_scope_stop(p, &scope, longest, NULL), HD_TRACK_OK);
	EXPECT_INT(hd_memory_scope_totals(p, &totals), 1);
	EXPECT_INT(strlen(totals[0].name), HD_NAME_BYTES - 1);
	free(totals);
	hd_profiler_free(p);
}

/* ---- with the heap library ---- */

static void *volatile kept;

static void *allocate_1000(void *arg)
{
	kept = malloc(1000);
	return NULL;
}

static int differs(const char *what, const struct hd_memory_scope_result *r)
{
	printf("%s: method %d, thread +%" PRIu64 " -%" PRIu64 ", process +%" PRIu64 " -%" PRIu64 "\n", what, r->method,
	       r->thread_allocated_bytes, r->thread_freed_bytes, r->allocated_bytes, r->freed_bytes);
	return 1;
}

/* The main function of the program with the heap library; returns its exit status. */
static int exact(void)
{
	struct hd_memory_scope outer, inner;
	struct hd_memory_scope_result r;
	void *volatile a, *volatile b;
	pthread_t thread;

	if (hd_memory_scope_start(HD_GLOBAL, &outer) < 0 || hd_memory_scope_start(HD_GLOBAL, &inner) < 0)
		return 2;
	a = malloc(100);
	b = calloc(10, 5);
	a = realloc(a, 300);
	free(b);
	if (hd_memory_scope_stop(HD_GLOBAL, &inner, "inner", &r) < 0)
		return 3;
	if (r.method != HD_MEMORY_HEAP_LIBRARY || r.thread_allocated_bytes != 100 + 50 + 300 ||
	    r.thread_freed_bytes != 100 + 50 || r.allocated_bytes != 450 || r.freed_bytes != 150)
		return differs("inner", &r);
	hd_memory_scope_start(HD_GLOBAL, &inner);
	pthread_create(&thread, NULL, allocate_1000, NULL);
	pthread_join(thread, NULL);
	hd_memory_scope_stop(HD_GLOBAL, &inner, "thread", &r);
	/* Creating a thread allocates, too. */
	if (r.allocated_bytes < r.thread_allocated_bytes + 1000)
		return differs("thread", &r);
	hd_memory_scope_start(HD_GLOBAL, &inner);
	free(kept);
	hd_memory_scope_stop(HD_GLOBAL, &inner, "free of another thread's block", &r);
	if (r.thread_freed_bytes != 1000 || r.freed_bytes != 1000 || r.thread_allocated_bytes)
		return differs("free", &r);
	free(a);
	return hd_memory_scope_stop(HD_GLOBAL, &outer, "outer", &r) < 0;
}

static int start_again(void *dir)
{
	char *prefix = in_dir(dir, "heap");
	char *const argv[] = { (char *)"memory", (char *)"exact", NULL };

	setenv("LD_PRELOAD", built("libhotdrift-heap.so"), 1);
	setenv("HOTDRIFT_HEAP", prefix, 1);
	setenv("HOTDRIFT_HEAP_INTERVAL", "1", 1);
	execv("/proc/self/exe", argv);
	return 99;
}

TEST(with_the_heap_library_a_scope_has_the_exact_bytes_of_the_thread_and_the_process)
{
	char *dir;

	if (SANITIZED)
		SKIP("the sanitizer replaces the allocator");
	if (access(built("libhotdrift-heap.so"), R_OK) < 0)
		SKIP("libhotdrift-heap.so is for x86-64 and aarch64");
	dir = tmpdir();
	EXPECT_INT(in_child(start_again, dir), 0);
	tmpdir_remove(dir);
}

static int run_all(void)
{
	const struct CMUnitTest tests[] = {
		RUN(resident_memory_grows_by_what_is_touched_and_the_peak_stays),
		RUN(the_sum_has_peak_mean_and_total_of_each_class),
		RUN(the_csv_has_the_form_memory),
		RUN(a_scope_starts_without_files_of_proc_and_keeps_errno),
		RUN(without_the_heap_library_a_scope_has_the_growth_of_the_heap),
		RUN(a_stop_without_a_start_is_an_error_also_in_a_forked_child),
		RUN(scopes_are_summed_by_name_up_to_the_limit),
		RUN(with_the_heap_library_a_scope_has_the_exact_bytes_of_the_thread_and_the_process),
	};

	return cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL);
}

int main(int argc, char **argv)
{
	return argc > 1 && !strcmp(argv[1], "exact") ? exact() : run_all();
}
