/* nsys.c - read exports of Nsight Systems, which the tests make with SQLite, and reject invalid ones */
#include "test.h"

#include "base/mem.h"
#include "gpu/nsys.h"
#include "profile/profile.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 1000 };

struct seen {
	struct hd_profile *p;
	struct hd_gpu_dict dict;
	struct hd_gpu_capture capture;
	struct hd_gpu_activity a[MOST];
	size_t n;
	struct hd_err err;
	int rc;
};

static int see(void *context, const struct hd_gpu_activity *a, struct hd_err *err)
{
	struct seen *s = context;

	(void)err;
	if (s->n < MOST)
		s->a[s->n++] = *a;
	return 0;
}

static void release(struct seen *s)
{
	hd_gpu_dict_release(&s->dict);
	hd_gpu_capture_release(&s->capture);
	hd_profile_free(s->p);
	free(s);
}

static struct seen *read_bytes(const void *bytes, size_t n, bool again)
{
	struct seen *s = hd_new(struct seen);
	struct hd_gpu_sink sink = { .dict = &s->dict,
		.capture = &s->capture,
		.activity = see,
		.context = s,
		.again = again };
	int fd = memfd_create("export", MFD_CLOEXEC);

	s->p = hd_profile_new();
	sink.log = &s->p->log;
	hd_gpu_dict_init(&s->dict, s->p->names);
	EXPECT(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	s->rc = hd_gpu_nsys_read(fd, "export", &sink, &s->err);
	close(fd);
	return s;
}

/* Return the bytes of a database that these statements make; the caller frees them with sqlite3_free(). */
static unsigned char *database(const char *sql, size_t *n)
{
	sqlite3 *db;
	char *why = NULL;
	sqlite3_int64 size;
	unsigned char *bytes;

	EXPECT_INT(sqlite3_open(":memory:", &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s", why);
	bytes = sqlite3_serialize(db, "main", &size, 0);
	sqlite3_close(db);
	*n = (size_t)size;
	return bytes;
}

static struct seen *read_sql(const char *sql, bool again)
{
	size_t n;
	unsigned char *bytes = database(sql, &n);
	struct seen *s = read_bytes(bytes, n, again);

	sqlite3_free(bytes);
	return s;
}

static const char *name(const struct seen *s, uint32_t id)
{
	return hd_profile_str(s->p, id);
}

#define STRINGS                                                                                                        \
	"CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"                                                 \
	"INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'void gemm<float>(float*)'), (3, 'cudaLaunchKernel_v7000'), " \
	"(4, 'cuMemAlloc_v2'), (5, 'main'), (6, '/app');"
#define KERNELS "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL " \
	"(start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName);"

TEST(a_kernel_has_its_names_its_device_and_its_process)
{
	struct seen *s = read_sql(STRINGS KERNELS
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 30, 2, 3, 4, 77, (1 << 48) + (200 << 24), 2, 1)",
		false);

	EXPECT_INT(s->rc, 0);
	EXPECT_INT(s->n, 1);
	EXPECT(s->a[0].kind == HD_GPU_KERNEL && s->a[0].start_ns == 10 && s->a[0].end_ns == 30);
	EXPECT(s->a[0].device == 2 && s->a[0].stream == 4 && s->a[0].correlation == 77 && s->a[0].pid == 200);
	EXPECT_STR(name(s, s->a[0].name), "gemm");
	EXPECT_STR(name(s, s->a[0].full), "void gemm<float>(float*)");
	EXPECT(s->capture.has_device_tables && !s->capture.has_api && !s->capture.has_sync);
	release(s);
}

TEST(columns_that_a_version_lacks_are_unknown)
{
	struct seen *s = read_sql("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, copyKind);"
				  "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 2, 8), (3, 4, 99)", false);

	EXPECT_INT(s->rc, 0);
	EXPECT_INT(s->n, 2);
	EXPECT(s->a[0].copy == HD_GPU_DTOD && !s->a[0].sized && s->a[0].from == HD_GPU_MEM_UNKNOWN &&
		!s->a[0].correlation);
	EXPECT(s->a[1].copy == HD_GPU_COPY_UNKNOWN);
	release(s);
}

TEST(tables_are_merged_by_start_and_a_launch_comes_first)
{
	struct seen *s = read_sql(STRINGS KERNELS
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 30, 0, 1, 7, 1, 0, 2, 1), (40, 50, 0, 1, 7, 2, 0, "
		"2, 1);CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId, "
		"callchainId);INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 12, (9 << 24) + 8, 1, 3, 1), (20, "
		"21, 0, 2, 4, NULL);CREATE TABLE CUDA_CALLCHAINS (id, stackDepth, symbol, module, unresolved, "
		"originalIP);INSERT INTO CUDA_CALLCHAINS VALUES (1, 1, 5, 6, 0, 16), (1, 0, 1, 6, 1, 32)",
		false);

	EXPECT_INT(s->n, 4);
	EXPECT(s->a[0].kind == HD_GPU_LAUNCH && s->a[1].kind == HD_GPU_KERNEL && s->a[2].kind == HD_GPU_LAUNCH &&
		s->a[3].start_ns == 40);
	EXPECT(s->a[0].pid == 9 && s->a[0].tid == 8);
	EXPECT_STR(name(s, s->a[0].name), "cudaLaunchKernel");
	EXPECT_STR(name(s, s->a[2].name), "cuMemAlloc_v2");
	EXPECT(s->a[0].stack && !s->a[2].stack);
	EXPECT_INT(s->dict.nodes[s->a[0].stack].frame.address, 32);	/* Nsight did not resolve this address */
	EXPECT_STR(name(s, s->dict.nodes[s->dict.nodes[s->a[0].stack].caller].frame.name), "main");
	release(s);
}

TEST(rows_that_are_a_little_out_of_order_are_put_in_order)
{
	struct seen *s = read_sql(KERNELS
		"WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 899) INSERT INTO "
		"CUPTI_ACTIVITY_KIND_KERNEL (start, end) SELECT 100 * n + 1000 * (n % 7), 100 * n + 1000 * (n % 7) "
		"FROM i",
		false);

	EXPECT_INT(s->rc, 0);
	EXPECT_INT(s->n, 900);
	for (size_t i = 1; i < s->n; i++)
		EXPECT(s->a[i].start_ns >= s->a[i - 1].start_ns);
	release(s);
}

TEST(parts_that_are_sorted_each_are_merged)
{
	struct seen *s = read_sql(KERNELS
		"WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 899) INSERT INTO "
		"CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId) SELECT 7 * (n % 300) + n / 300, 7 * (n % 300) + n / "
		"300, n / 300 FROM i",
		false);

	EXPECT_INT(s->rc, 0);
	EXPECT_INT(s->n, 900);
	for (size_t i = 0; i < s->n; i++)
		EXPECT(s->a[i].start_ns == 7 * (int64_t)(i / 3) + (int64_t)(i % 3) && s->a[i].device == i % 3);
	release(s);
}

TEST(disorder_between_the_places_that_are_looked_at_first_is_found)
{
	/*
	 * The reader first checks every third or fourth of the 900 rows.  The only one out of order, 899, is not among
	 * these.
	 */
	static const char sql[] = KERNELS
		"WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 900) INSERT INTO "
		"CUPTI_ACTIVITY_KIND_KERNEL (start, end) SELECT CASE n WHEN 899 THEN 1 ELSE 10 * n END, 10000 FROM i";
	struct seen *s = read_sql(sql, false);

	EXPECT_INT(s->rc, HD_GPU_AGAIN);
	release(s);
	s = read_sql(sql, true);
	EXPECT_INT(s->rc, 0);
	EXPECT_INT(s->n, 900);
	EXPECT_INT(s->a[0].start_ns, 1);
	for (size_t i = 1; i < s->n; i++)
		EXPECT(s->a[i].start_ns > s->a[i - 1].start_ns);
	release(s);
}

TEST(rows_without_any_order_are_sorted)
{
	static const char sql[] = KERNELS
		"WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 899) "
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end) SELECT 100000 - n, 100000 FROM i";
	struct seen *s = read_sql(sql, false);

	EXPECT_INT(s->rc, 0);
	EXPECT_INT(s->n, 900);
	for (size_t i = 1; i < s->n; i++)
		EXPECT(s->a[i].start_ns > s->a[i - 1].start_ns);
	release(s);
}

TEST(what_numbers_a_range_is_not_a_part_of_its_name)
{
	struct seen *s = read_sql(
		"CREATE TABLE NVTX_EVENTS (start, end, eventType, text, globalTid);INSERT INTO NVTX_EVENTS VALUES (1, "
		"2, 59, 'aten::add, op_id = 17', 0), (2, NULL, 34, 'mark', 0), (3, 4, 60, 'a, b', 0), (5, NULL, 59, "
		"'open', 0)",
		false);

	EXPECT_INT(s->n, 3);
	EXPECT_STR(name(s, s->a[0].name), "aten::add");
	EXPECT_STR(name(s, s->a[1].name), "a, b");
	EXPECT_INT(s->a[2].end_ns, 5);
	release(s);
}

TEST(allocations_metrics_devices_and_the_session_are_read)
{
	struct seen *s = read_sql(
		"CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, deviceId, address, bytes, memKind, "
		"memoryOperationType);INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (1, 0, 64, 100, 2, 0), (2, 0, "
		"64, 100, 2, 1);CREATE TABLE GPU_METRICS (timestamp, typeId, metricId, value); INSERT INTO GPU_METRICS "
		"VALUES (3, 259, 4, 55), (4, 259, 9, 1);CREATE TABLE TARGET_INFO_GPU_METRICS (typeId, metricId, "
		"metricName); INSERT INTO TARGET_INFO_GPU_METRICS VALUES (259, 4, 'SM Active');CREATE TABLE "
		"TARGET_INFO_GPU (id, name, totalMemory); INSERT INTO TARGET_INFO_GPU VALUES (3, 'H100', 80000);CREATE "
		"TABLE ANALYSIS_DETAILS (duration); INSERT INTO ANALYSIS_DETAILS VALUES (5000);CREATE TABLE "
		"EXPORT_META_DATA (name, value); INSERT INTO EXPORT_META_DATA VALUES ('EXPORT_SCHEMA_VERSION', "
		"'3.4.0')",
		false);

	EXPECT_INT(s->n, 3);
	EXPECT(s->a[0].kind == HD_GPU_ALLOC && s->a[0].bytes == 100 && s->a[0].to == HD_GPU_DEVICE_MEMORY &&
		s->a[1].kind == HD_GPU_FREE);
	EXPECT(s->a[2].kind == HD_GPU_METRIC && s->a[2].device == 3 && s->a[2].value == 55.0);
	EXPECT_STR(name(s, s->a[2].name), "SM Active");
	EXPECT(s->capture.ndevices == 1 && s->capture.devices[0].id == 3 && s->capture.devices[0].total_bytes == 80000);
	EXPECT(s->capture.session_start_ns == 0 && s->capture.session_end_ns == 5000);
	EXPECT_STR(s->capture.version, "3.4.0");
	release(s);
}

TEST(a_row_without_times_is_left_out_and_counted)
{
	struct seen *s = read_sql(KERNELS
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end) VALUES ('soon', 5), (1, NULL), (3, 4)",
		false);

	EXPECT_INT(s->n, 1);
	EXPECT_INT(hd_log_find(&s->p->log, "lost.gpu-row")->count, 2);
	release(s);
}

/* ---- rejected files ---- */

TEST(a_hotspot_database_is_named_as_such)
{
	struct seen *s = read_sql("CREATE TABLE schema_version (v); CREATE TABLE hotspot (v)", false);

	EXPECT_INT(s->rc, HD_EFORMAT);
	EXPECT_STR(s->err.msg, "export: is a hotspot database and no recording; name it with --db");
	release(s);
}

TEST(another_database_is_no_export)
{
	struct seen *s = read_sql("CREATE TABLE t (v)", false);

	EXPECT_INT(s->rc, HD_EFORMAT);
	EXPECT(strstr(s->err.msg, "none that Nsight Systems exported"));
	release(s);
	s = read_bytes("SQLite format 3\0 and nothing else", 33, false);
	EXPECT_INT(s->rc, HD_EFORMAT);
	release(s);
	EXPECT(hd_gpu_is_sqlite("SQLite format 3", 16) && !hd_gpu_is_sqlite("SQLite format 3", 15) &&
		!hd_gpu_is_sqlite("SQLite format 2", 16));
}

TEST(a_view_under_the_name_of_a_table_is_not_read)
{
	struct seen *s = read_sql(STRINGS
		"CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 "
		"FROM i) SELECT n AS start, n AS end FROM i",
		false);

	EXPECT_INT(s->rc, 0);
	EXPECT_INT(s->n, 0);
	release(s);
}

TEST(a_schema_with_a_virtual_table_is_refused)
{
	size_t n;
	unsigned char *bytes = database(STRINGS "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNELS_AND_MORE (start, end);", &n),
		      *at;
	static const char from[] = "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNELS_AND_MORE (start, end)",
			  to[] = "CREATE VIRTUAL TABLE CUPTI_ACTIVITY_KIND_KERNEL USING dbstat   ";
	struct seen *s;

	at = memmem(bytes, n, from, strlen(from));
	EXPECT(at != NULL);
	memcpy(at, to, strlen(from));
	s = read_bytes(bytes, n, false);
	EXPECT_INT(s->rc, HD_EFORMAT);
	EXPECT_INT(s->n, 0);
	release(s);
	sqlite3_free(bytes);
}

TEST(computed_columns_are_not_computed)
{
	struct seen *s = read_sql(
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end INTEGER AS (zeroblob(500000000)), deviceId);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, deviceId) VALUES (1, 2)",
		false);

	EXPECT_INT(s->n, 0);
	release(s);
}

/* Every child pointer of the root page becomes the first one, so the same leaf page is reached many times. */
TEST(pages_that_form_a_cycle_end_as_damage)
{
	size_t n;
	unsigned char *bytes = database("PRAGMA page_size = 512;" KERNELS
					"WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 600) "
					"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end) SELECT n, n FROM i",
		&n);
	unsigned char *root = bytes + 512;	/* page 2 */
	size_t cells;
	struct seen *s;

	EXPECT(root[0] == 5 && root[4] > 3);	/* the root is an inner page with several cells */
	cells = (size_t)root[3] << 8 | root[4];
	for (size_t i = 1; i < cells; i++) {	/* every child pointer becomes the first one */
		unsigned char *first = root + ((size_t)root[12] << 8 | root[13]),
			      *cell = root + ((size_t)root[12 + 2 * i] << 8 | root[13 + 2 * i]);

		memcpy(cell, first, 4);
	}
	s = read_bytes(bytes, n, false);
	EXPECT_INT(s->rc, 0);
	EXPECT(s->n && s->n < 600);
	EXPECT(hd_log_find(&s->p->log, "lost.gpu-rows") != NULL);
	release(s);
	sqlite3_free(bytes);
}

TEST(a_file_that_was_cut_off_is_read_as_far_as_it_goes)
{
	size_t n;
	unsigned char *bytes = database(KERNELS
		"WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 5000) "
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end) SELECT n, n FROM i",
		&n);
	struct seen *s = read_bytes(bytes, n / 2, false);

	/* SQLite either rejects the file, or finds the damage while it reads. */
	EXPECT(s->rc == HD_EFORMAT || (s->rc == 0 && hd_log_find(&s->p->log, "lost.gpu-rows")));
	release(s);
	sqlite3_free(bytes);
}

TEST_MAIN(
	RUN(a_kernel_has_its_names_its_device_and_its_process),
	RUN(columns_that_a_version_lacks_are_unknown),
	RUN(tables_are_merged_by_start_and_a_launch_comes_first),
	RUN(rows_that_are_a_little_out_of_order_are_put_in_order),
	RUN(parts_that_are_sorted_each_are_merged),
	RUN(disorder_between_the_places_that_are_looked_at_first_is_found),
	RUN(rows_without_any_order_are_sorted),
	RUN(what_numbers_a_range_is_not_a_part_of_its_name),
	RUN(allocations_metrics_devices_and_the_session_are_read),
	RUN(a_row_without_times_is_left_out_and_counted),
	RUN(a_hotspot_database_is_named_as_such),
	RUN(another_database_is_no_export),
	RUN(a_view_under_the_name_of_a_table_is_not_read),
	RUN(a_schema_with_a_virtual_table_is_refused),
	RUN(computed_columns_are_not_computed),
	RUN(pages_that_form_a_cycle_end_as_damage),
	RUN(a_file_that_was_cut_off_is_read_as_far_as_it_goes),
)
