/*
 * memory_csv.c - write steps of resident memory as rows of a CSV file of the form `memory`
 */
#include "series/memory_csv.h"

#include "test.h"

#include <string.h>

#define HEADER "timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes\n"

static void expect_rows(struct hd_memory_csv *m, uint64_t every_ns, const char *rows)
{
	struct hd_buf text = { 0 };

	hd_memory_csv_sort(m);
	hd_memory_csv_write(&text, m, every_ns);
	EXPECT(!strncmp(hd_buf_str(&text), HEADER, strlen(HEADER)));
	EXPECT_STR(hd_buf_str(&text) + strlen(HEADER), rows);
	hd_buf_release(&text);
	hd_memory_csv_release(m);
}

TEST(rows_have_the_requested_distance_and_the_last_one_is_at_the_end)
{
	struct hd_memory_csv m = { .from_ns = 1000000, .to_ns = 1025000 };

	hd_memory_csv_step(&m, HD_MEMORY_CSV_RSS, 1000000, 7);
	expect_rows(&m, 10000, "1000,7,0,0,0\n1010,7,0,0,0\n1020,7,0,0,0\n1025,7,0,0,0\n");
}

TEST(resident_memory_is_the_highest_since_the_row_before)
{
	struct hd_memory_csv m = { .from_ns = 0, .to_ns = 30000 };

	hd_memory_csv_step(&m, HD_MEMORY_CSV_RSS, 0, 10);
	hd_memory_csv_step(&m, HD_MEMORY_CSV_RSS, 2000, 90);
	hd_memory_csv_step(&m, HD_MEMORY_CSV_RSS, 3000, 20);
	hd_memory_csv_step(&m, HD_MEMORY_CSV_RSS, 15000, 5);
	expect_rows(&m, 10000, "0,10,0,0,0\n10,90,0,0,0\n20,5,0,0,0\n30,5,0,0,0\n");
}

TEST(classes_are_what_they_are_at_a_row)
{
	struct hd_memory_csv m = { .from_ns = 0, .to_ns = 20000 };

	hd_memory_csv_step(&m, HD_MEMORY_CSV_KV_CACHE, 1000, 90);
	hd_memory_csv_step(&m, HD_MEMORY_CSV_KV_CACHE, 2000, 20);
	hd_memory_csv_step(&m, HD_MEMORY_CSV_TEMP_BUFFER, 10000, 1);
	m.column[HD_MEMORY_CSV_ACTIVATION].known = true;
	expect_rows(&m, 10000, "0,,0,0,0\n10,,20,0,1\n20,,20,0,1\n");
}

TEST(times_are_written_in_unix_time_when_it_is_known)
{
	struct hd_memory_csv m = { .from_ns = 5000000, .to_ns = 5000000, .epoch_ns = 1763880000000000000 };

	hd_memory_csv_step(&m, HD_MEMORY_CSV_RSS, 1000, 1);
	expect_rows(&m, 10000, "1763880000005000,1,0,0,0\n");
}

TEST(steps_before_the_first_row_count_with_their_final_value)
{
	struct hd_memory_csv m = { .from_ns = 10000, .to_ns = 10000 };

	hd_memory_csv_step(&m, HD_MEMORY_CSV_RSS, 1000, 900);
	hd_memory_csv_step(&m, HD_MEMORY_CSV_RSS, 9000, 20);
	expect_rows(&m, 10000, "10,20,0,0,0\n");
}

TEST(steps_may_come_in_any_order_and_of_one_moment_the_last_one_counts)
{
	struct hd_memory_csv m = { .from_ns = 0, .to_ns = 20000 };

	hd_memory_csv_step(&m, HD_MEMORY_CSV_KV_CACHE, 9000, 5);
	hd_memory_csv_step(&m, HD_MEMORY_CSV_KV_CACHE, 1000, 4);
	hd_memory_csv_step(&m, HD_MEMORY_CSV_KV_CACHE, 20000, 7);
	hd_memory_csv_step(&m, HD_MEMORY_CSV_KV_CACHE, 9000, 6);
	hd_memory_csv_step(&m, HD_MEMORY_CSV_KV_CACHE, 0, 3);
	expect_rows(&m, 5000, "0,,3,0,0\n5,,4,0,0\n10,,6,0,0\n15,,6,0,0\n20,,7,0,0\n");
}

TEST(there_are_never_more_rows_than_requested)
{
	struct hd_memory_csv m = { .from_ns = 0, .to_ns = UINT64_MAX };

	EXPECT_INT(hd_memory_csv_every(&m, 10, UINT64_MAX), 10);
	EXPECT(UINT64_MAX / hd_memory_csv_every(&m, 10, 1000) < 1000);
	EXPECT(UINT64_MAX / hd_memory_csv_every(&m, 0, 1000) < 1000);
	m.to_ns = 100;
	EXPECT_INT(hd_memory_csv_every(&m, 10, 11), 10);
	EXPECT_INT(hd_memory_csv_every(&m, 10, 10), 20);
}

TEST(the_end_is_where_it_became_nothing)
{
	struct hd_memory_csv m = { .from_ns = 0, .to_ns = 0 };

	EXPECT_INT(hd_memory_csv_end(&m, HD_MEMORY_CSV_RSS), 0);
	hd_memory_csv_step(&m, HD_MEMORY_CSV_RSS, 1, 4);
	EXPECT_INT(hd_memory_csv_end(&m, HD_MEMORY_CSV_RSS), 1);
	hd_memory_csv_step(&m, HD_MEMORY_CSV_RSS, 5, 0);
	hd_memory_csv_step(&m, HD_MEMORY_CSV_RSS, 9, 0);
	EXPECT_INT(hd_memory_csv_end(&m, HD_MEMORY_CSV_RSS), 5);
	hd_memory_csv_release(&m);
}

TEST_MAIN(RUN(rows_have_the_requested_distance_and_the_last_one_is_at_the_end),
	  RUN(resident_memory_is_the_highest_since_the_row_before),
	  RUN(classes_are_what_they_are_at_a_row),
	  RUN(times_are_written_in_unix_time_when_it_is_known),
	  RUN(steps_before_the_first_row_count_with_their_final_value),
	  RUN(steps_may_come_in_any_order_and_of_one_moment_the_last_one_counts),
	  RUN(there_are_never_more_rows_than_requested),
	  RUN(the_end_is_where_it_became_nothing))
