/* power_csv.c - write readings as rows, from the start to the end of a command */
#include "series/power_csv.h"
#include "test.h"

#include <math.h>

static const struct hd_power_domain meter = { .source = "battery", .name = "BAT0", .has_watts = true };
static const struct hd_power_domain counter = { .source = "intel-rapl", .name = "package-0", .has_joules = true };

static struct hd_outfile file;
static struct hd_power_csv csv;

static void begin(void)
{
	hd_outfile_memory(&file);
	hd_power_csv_init(&csv, &file, 2);
}

static void watts(uint64_t t, double w, bool stale)
{
	hd_power_csv_add(&csv, &(struct hd_power_sample){ t, 0, w, NAN, stale }, &meter);
}

static void joules(uint64_t t, double j)
{
	hd_power_csv_add(&csv, &(struct hd_power_sample){ t, 1, NAN, j, false }, &counter);
}

static void expect_rows(const char *rows)
{
	EXPECT_STR(hd_buf_str(&file.pending), rows);
	hd_power_csv_release(&csv);
	hd_outfile_discard(&file);
}

#define HEADER	"t_ns,source,domain,watts,joules_cum,stale\n"

TEST(readings_outside_become_rows_at_the_start_and_the_end)
{
	begin();
	watts(1000, 10, false);
	hd_power_csv_begin(&csv, 1500);
	watts(2000, 20, false);
	watts(3000, 20, true);
	hd_power_csv_finish(&csv, 3250);
	watts(4000, 40, false);
	expect_rows(HEADER "1500,\"battery\",\"BAT0\",15,,0\n"
		    "2000,\"battery\",\"BAT0\",20,,0\n"
		    "3000,\"battery\",\"BAT0\",20,,1\n"
		    "3250,\"battery\",\"BAT0\",25,,0\n");
}

TEST(a_command_between_two_readings_gets_its_part_of_the_counter)
{
	begin();
	joules(1000, 0);
	hd_power_csv_begin(&csv, 2000);
	hd_power_csv_finish(&csv, 4000);
	joules(5000, 8);
	expect_rows(HEADER "2000,\"intel-rapl\",\"package-0\",,2,0\n"
		    "4000,\"intel-rapl\",\"package-0\",,6,0\n");
}

TEST(only_the_reading_next_to_an_edge_counts_and_later_ones_are_no_rows)
{
	begin();
	joules(100, 0);
	joules(1000, 4);
	hd_power_csv_begin(&csv, 1000);
	joules(2000, 5);
	hd_power_csv_finish(&csv, 2000);
	joules(3000, 9);
	joules(4000, 9);
	expect_rows(HEADER "1000,\"intel-rapl\",\"package-0\",,4,0\n"
		    "2000,\"intel-rapl\",\"package-0\",,5,0\n");
}

TEST(domains_have_edges_of_their_own_and_one_that_fails_at_first_begins_late)
{
	begin();
	joules(1000, 0);
	hd_power_csv_begin(&csv, 1500);
	joules(2000, 4);
	watts(2100, 7, false);
	hd_power_csv_finish(&csv, 2500);
	joules(3000, 6);
	watts(3100, 7, false);
	EXPECT_INT(csv.rows, 5);
	expect_rows(HEADER "1500,\"intel-rapl\",\"package-0\",,2,0\n"
		    "2000,\"intel-rapl\",\"package-0\",,4,0\n"
		    "2100,\"battery\",\"BAT0\",7,,0\n"
		    "2500,\"intel-rapl\",\"package-0\",,5,0\n"
		    "2500,\"battery\",\"BAT0\",7,,0\n");
}

TEST(without_a_command_there_are_no_rows)
{
	begin();
	watts(1000, 10, false);
	watts(2000, 10, false);
	EXPECT_INT(csv.rows, 0);
	expect_rows(HEADER);
}

TEST(a_value_that_one_reading_lacks_is_that_of_the_other)
{
	begin();
	hd_power_csv_add(&csv, &(struct hd_power_sample){ 1000, 0, 30, NAN, false }, &meter);
	hd_power_csv_begin(&csv, 1500);
	hd_power_csv_finish(&csv, 1800);
	hd_power_csv_add(&csv, &(struct hd_power_sample){ 2000, 0, NAN, 5, false }, &meter);
	expect_rows(HEADER "1500,\"battery\",\"BAT0\",30,5,0\n"
		    "1800,\"battery\",\"BAT0\",30,5,0\n");
}

TEST_MAIN(RUN(readings_outside_become_rows_at_the_start_and_the_end),
	  RUN(a_command_between_two_readings_gets_its_part_of_the_counter),
	  RUN(only_the_reading_next_to_an_edge_counts_and_later_ones_are_no_rows),
	  RUN(domains_have_edges_of_their_own_and_one_that_fails_at_first_begins_late),
	  RUN(without_a_command_there_are_no_rows),
	  RUN(a_value_that_one_reading_lacks_is_that_of_the_other))
