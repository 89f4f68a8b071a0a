/*
 * sweep_csv.c - write the results of a sweep as CSV: values that were not measured are written as 0 and counted
 */
#include "test.h"
#include "../tmpdir.h"

#include "hotdrift.h"

#include <math.h>

TEST(values_that_were_not_measured_are_0_and_counted)
{
	const struct hd_sweep_row rows[] = {
		{ "mincut_l0.1_t4", 0.01, 0.5, -0.25, NAN, 1234.5, 0.99 },
		{ "=1+1, \"x\"", NAN, NAN, NAN, NAN, NAN, NAN },
	};
	char *dir = tmpdir(), *path = in_dir(dir, "results.csv");
	size_t unmeasured = 99;

	EXPECT_INT(hd_sweep_write_csv(path, rows, 2, &unmeasured), HD_TRACK_OK);
	EXPECT_INT(unmeasured, 7);
	expect_file(path, "setting,coherence_delta,kv_cache_reduction,peak_mem_reduction,energy_reduction,"
			  "p95_latency_us,accuracy\n"
			  "\"mincut_l0.1_t4\",0.01,0.5,-0.25,0,1234.5,0.99\n"
			  "\"\\x3d1+1, \"\"x\"\"\",0,0,0,0,0,0\n");
	EXPECT_INT(hd_sweep_write_csv(path, NULL, 0, NULL), HD_TRACK_OK);
	expect_file(path, "setting,coherence_delta,kv_cache_reduction,peak_mem_reduction,energy_reduction,"
			  "p95_latency_us,accuracy\n");
	free(path);
	tmpdir_remove(dir);
}

TEST(invalid_rows_leave_the_file_as_it_was)
{
	struct hd_sweep_row row = { "s", 0, 0, 0, 0, 0, 0 };
	char *dir = tmpdir(), *path = put_file(dir, "results.csv", "old", 3);
	size_t unmeasured = 99;

	row.accuracy = INFINITY;
	EXPECT_INT(hd_sweep_write_csv(path, &row, 1, &unmeasured), HD_TRACK_INVALID);
	row.accuracy = 0;
	row.setting = "";
	EXPECT_INT(hd_sweep_write_csv(path, &row, 1, &unmeasured), HD_TRACK_INVALID);
	row.setting = NULL;
	EXPECT_INT(hd_sweep_write_csv(path, &row, 1, &unmeasured), HD_TRACK_INVALID);
	EXPECT_INT(hd_sweep_write_csv(path, NULL, 1, &unmeasured), HD_TRACK_INVALID);
	EXPECT_INT(hd_sweep_write_csv(NULL, NULL, 0, &unmeasured), HD_TRACK_INVALID);
	EXPECT_INT(unmeasured, 99);
	expect_file(path, "old");
	free(path);
	tmpdir_remove(dir);
}

TEST(a_long_name_of_invisible_characters_fits)
{
	char name[400];
	struct hd_sweep_row row = { name, 0, 0, 0, 0, 0, 0 };
	char *dir = tmpdir(), *path = in_dir(dir, "results.csv");

	memset(name, 1, sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	EXPECT_INT(hd_sweep_write_csv(path, &row, 1, NULL), HD_TRACK_OK);
	for (size_t i = 0; i + 3 < sizeof(name); i += 3)
		memcpy(name + i, "\xe2\x80\x8b", 3);	/* U+200B, an invisible character that is escaped */
	EXPECT_INT(hd_sweep_write_csv(path, &row, 1, NULL), HD_TRACK_OK);
	free(path);
	tmpdir_remove(dir);
}

TEST_MAIN(RUN(values_that_were_not_measured_are_0_and_counted),
	  RUN(invalid_rows_leave_the_file_as_it_was),
	  RUN(a_long_name_of_invisible_characters_fits))
