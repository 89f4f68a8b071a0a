/*
 * unit_text.c - write numbers with three digits and a suitable unit
 */
#include "test.h"

#include "render/unit_text.h"

static void expect_weight(uint64_t weight, const char *unit, const char *want)
{
	struct hd_buf b = { 0 };

	hd_unit_text_add(&b, weight, unit);
	EXPECT_STR(hd_buf_str(&b), want);
	hd_buf_release(&b);
}

static void expect_share(uint64_t part, uint64_t all, const char *want)
{
	struct hd_buf b = { 0 };

	hd_unit_text_share(&b, part, all);
	EXPECT_STR(hd_buf_str(&b), want);
	hd_buf_release(&b);
}

static void expect_count(uint64_t n, const char *want)
{
	struct hd_buf b = { 0 };

	hd_unit_text_count(&b, n);
	EXPECT_STR(hd_buf_str(&b), want);
	hd_buf_release(&b);
}

TEST(time_is_written_from_nanoseconds_to_hours)
{
	expect_weight(0, "ns", "0 ns");
	expect_weight(999, "ns", "999 ns");
	expect_weight(1000, "ns", "1.00 \xc2\xb5s");
	expect_weight(12345, "ns", "12.3 \xc2\xb5s");
	expect_weight(123456789, "ns", "123 ms");
	expect_weight(1234567890, "ns", "1.23 s");
	expect_weight(600000000000, "ns", "600 s");
	expect_weight(1200000000000, "ns", "20.0 min");
	expect_weight(90000000000000, "ns", "25.0 h");
	expect_weight(UINT64_MAX, "ns", "5,124,096 h");
}

TEST(rounding_up_reaches_the_next_unit)
{
	expect_weight(9995, "ns", "10.0 \xc2\xb5s");
	expect_weight(999499, "ns", "999 \xc2\xb5s");
	expect_weight(999500, "ns", "1.00 ms");
	expect_weight(999999999, "ns", "1.00 s");
	expect_weight(999950, "cycles", "1.00 M cycles");
	expect_weight(1048575, "bytes", "1.00 MiB");
}

TEST(bytes_count_in_powers_of_1024)
{
	expect_weight(1023, "bytes", "1,023 B");
	expect_weight(1024, "bytes", "1.00 KiB");
	expect_weight(1034240, "bytes", "1,010 KiB");
	expect_weight(3670016, "bytes", "3.50 MiB");
	expect_weight(UINT64_MAX, "bytes", "16,384 PiB");
}

TEST(counts_stay_whole_while_they_are_small)
{
	expect_weight(0, "samples", "0 samples");
	expect_weight(9999, "events", "9,999 events");
	expect_weight(10000, "events", "10.0 k events");
	expect_weight(45600000, "cycles", "45.6 M cycles");
	expect_weight(1600000, "allocations", "1.60 M allocations");
	expect_weight(1, "allocations", "1 allocation");
	expect_weight(1, "misses", "1 misses");		/* a unit of another program */
	expect_weight(1234567890123, "instructions", "1.23 T instructions");
	expect_weight(7, "", "7");
	expect_weight(1000000, "", "1.00 M");
}

TEST(a_unit_is_text_and_never_a_format)
{
	expect_weight(5, "%s%n", "5 %s%n");
}

TEST(counts_have_thousands_separators)
{
	expect_count(0, "0");
	expect_count(999, "999");
	expect_count(1000, "1,000");
	expect_count(UINT64_MAX, "18,446,744,073,709,551,615");
}

TEST(shares_have_two_decimals_and_never_say_zero_of_something)
{
	expect_share(0, 8, "0.00%");
	expect_share(1, 8, "12.50%");
	expect_share(2, 3, "66.67%");
	expect_share(8, 8, "100.00%");
	expect_share(1, 1000000, "<0.01%");
	expect_share(1, 20000, "0.01%");
	expect_share(0, 0, "0.00%");
	expect_share(UINT64_MAX / 2, UINT64_MAX, "50.00%");
}

static void expect_cost(double cost, const char *unit, const char *text)
{
	struct hd_buf b = { 0 };

	hd_unit_text_cost(&b, cost, unit);
	EXPECT_STR(hd_buf_str(&b), text);
	hd_buf_release(&b);
}

TEST(a_small_cost_has_three_digits_and_a_large_one_its_unit)
{
	expect_cost(0.012345, "ns", "0.0123");
	expect_cost(1500000, "ns", "1.50 ms");
	expect_cost(12345.4, "samples", "12,345");
	expect_cost(0, "samples", "0");
}

TEST_MAIN(RUN(a_small_cost_has_three_digits_and_a_large_one_its_unit),
	  RUN(time_is_written_from_nanoseconds_to_hours),
	  RUN(rounding_up_reaches_the_next_unit),
	  RUN(bytes_count_in_powers_of_1024),
	  RUN(counts_stay_whole_while_they_are_small),
	  RUN(a_unit_is_text_and_never_a_format),
	  RUN(counts_have_thousands_separators),
	  RUN(shares_have_two_decimals_and_never_say_zero_of_something))
