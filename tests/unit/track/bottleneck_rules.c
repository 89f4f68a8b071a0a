/*
 * bottleneck_rules.c - judge synthetic numbers for every kind and severity of bottleneck
 */
#include "test.h"

#include "track/bottleneck_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct hd_bottleneck_found *found;
static struct hd_bottleneck_limits limits;

/*
 * Judge by the default limits, or by `limits` if a test changed them.  Returns the number of results, which are in
 * `found`.
 */
static int64_t judge(const struct hd_bottleneck_input *in)
{
	if (!limits.size)
		hd_bottleneck_limits(&limits);
	free(found);
	return hd_bottleneck_rules_judge(&found, in, &limits);
}

static void use_defaults(void)
{
	hd_bottleneck_limits(&limits);
}

static struct hd_cost_row op(const char *name, double self)
{
	return (struct hd_cost_row){ .name = name, .self = self, .total = self, .calls = 1 };
}

static struct hd_bottleneck_input costs(const struct hd_cost_row *rows, size_t n)
{
	return (struct hd_bottleneck_input){ .costs = rows, .ncosts = n, .flops_per_byte = NAN };
}

/* Return the severity of the only result of this kind, or -1 if there is none. */
static int severity_of(const struct hd_bottleneck_input *in, enum hd_bottleneck_kind kind)
{
	int64_t n = judge(in);
	int severity = -1;

	for (int64_t i = 0; i < n; i++)
		if (found[i].kind == kind)
			severity = (int)found[i].severity;
	return severity;
}

static int slow(double pct)
{
	/* Ten other operations share the rest, so that none of them is slow. */
	struct hd_cost_row rows[11] = { op("it", pct) };

	for (int i = 1; i < 11; i++)
		rows[i] = op("other", (100 - pct) / 10);
	return severity_of(&(struct hd_bottleneck_input){ .costs = rows, .ncosts = 11 }, HD_SLOW_OPERATION);
}

TEST(an_operation_above_20_25_35_and_50_percent_of_the_time_is_slow)
{
	use_defaults();
	EXPECT_INT(slow(20), -1);
	EXPECT_INT(slow(21), HD_SEVERITY_LOW);
	EXPECT_INT(slow(25), HD_SEVERITY_LOW);
	EXPECT_INT(slow(26), HD_SEVERITY_MEDIUM);
	EXPECT_INT(slow(35), HD_SEVERITY_MEDIUM);
	EXPECT_INT(slow(36), HD_SEVERITY_HIGH);
	EXPECT_INT(slow(50), HD_SEVERITY_HIGH);
	EXPECT_INT(slow(51), HD_SEVERITY_CRITICAL);
}

static int called(double calls)
{
	struct hd_cost_row row = op("it", 1);

	row.calls = calls;
	return severity_of(&(struct hd_bottleneck_input){ .costs = &row, .ncosts = 1 }, HD_HIGH_CALL_COUNT);
}

TEST(more_than_10000_50000_and_100000_calls_are_many_and_never_critical)
{
	use_defaults();
	EXPECT_INT(called(10000), -1);
	EXPECT_INT(called(10001), HD_SEVERITY_LOW);
	EXPECT_INT(called(50001), HD_SEVERITY_MEDIUM);
	EXPECT_INT(called(100001), HD_SEVERITY_HIGH);
	EXPECT_INT(called(1e15), HD_SEVERITY_HIGH);
	EXPECT_INT(called(NAN), -1);
	EXPECT_INT(called(INFINITY), -1);
}

static int memory(double pct, enum hd_bottleneck_kind kind)
{
	struct hd_memory_row row = { .name = "it" };
	struct hd_bottleneck_input in = { .memory = &row, .nmemory = 1, .peak = 1000, .allocated = 1000 };

	if (kind == HD_LEAK)
		row.live = pct * 10;
	else
		row.at_peak = pct * 10;
	return severity_of(&in, kind);
}

TEST(a_name_above_30_45_and_60_percent_of_the_peak_is_a_memory_hotspot)
{
	use_defaults();
	EXPECT_INT(memory(30, HD_MEMORY_HOTSPOT), -1);
	EXPECT_INT(memory(31, HD_MEMORY_HOTSPOT), HD_SEVERITY_LOW);
	EXPECT_INT(memory(46, HD_MEMORY_HOTSPOT), HD_SEVERITY_MEDIUM);
	EXPECT_INT(memory(61, HD_MEMORY_HOTSPOT), HD_SEVERITY_HIGH);
	EXPECT_INT(memory(100, HD_MEMORY_HOTSPOT), HD_SEVERITY_HIGH);
}

TEST(live_bytes_above_5_10_25_and_50_percent_of_all_allocated_bytes_are_a_leak)
{
	use_defaults();
	EXPECT_INT(memory(5, HD_LEAK), -1);
	EXPECT_INT(memory(6, HD_LEAK), HD_SEVERITY_LOW);
	EXPECT_INT(memory(11, HD_LEAK), HD_SEVERITY_MEDIUM);
	EXPECT_INT(memory(26, HD_LEAK), HD_SEVERITY_HIGH);
	EXPECT_INT(memory(51, HD_LEAK), HD_SEVERITY_CRITICAL);
}

static int computes(double flops, double ns)
{
	struct hd_cost_row row = op("it", ns);

	row.total = 1e18;	/* the rate is computed from the self time, not from this total */
	row.flops = flops;
	return severity_of(&(struct hd_bottleneck_input){ .costs = &row, .ncosts = 1, .flops_per_byte = NAN },
			   HD_LOW_THROUGHPUT);
}

TEST(throughput_below_1_a_tenth_and_a_hundredth_of_a_gflop_per_second_is_low)
{
	use_defaults();
	EXPECT_INT(computes(1e9, 1e9), -1);
	EXPECT_INT(computes(0.99e9, 1e9), HD_SEVERITY_LOW);
	EXPECT_INT(computes(0.099e9, 1e9), HD_SEVERITY_MEDIUM);
	EXPECT_INT(computes(0.0099e9, 1e9), HD_SEVERITY_HIGH);
	EXPECT_INT(computes(1, 1e9), HD_SEVERITY_HIGH);
	EXPECT_INT(computes(0, 1e9), -1);	/* unknown work */
	EXPECT_INT(computes(1e9, 0), -1);	/* no time */
}

static int moves(double flops, double bytes, double balance)
{
	struct hd_cost_row row = op("it", 1);

	row.flops = flops;
	row.bytes = bytes;
	return severity_of(&(struct hd_bottleneck_input){ .costs = &row, .ncosts = 1, .flops_per_byte = balance },
			   HD_MEMORY_BOUND);
}

TEST(fewer_flops_per_byte_than_the_machine_has_are_memory_bound)
{
	use_defaults();
	EXPECT_INT(moves(4, 1, 4), -1);
	EXPECT_INT(moves(3, 1, 4), HD_SEVERITY_LOW);
	EXPECT_INT(moves(1.9, 1, 4), HD_SEVERITY_MEDIUM);
	EXPECT_INT(moves(0.9, 1, 4), HD_SEVERITY_HIGH);
	EXPECT_INT(moves(0.3, 1, 4), HD_SEVERITY_CRITICAL);
	EXPECT_INT(moves(1, 0, 4), -1);
	EXPECT_INT(moves(1, 1, NAN), -1);
	EXPECT_INT(moves(1, 1, 0), -1);
}

static int spread(double busiest, double all, double threads)
{
	struct hd_cost_row row = op("it", all);

	row.busiest = busiest;
	row.all_threads = all;
	row.threads = threads;
	return severity_of(&(struct hd_bottleneck_input){ .costs = &row, .ncosts = 1 }, HD_LOAD_IMBALANCE);
}

TEST(a_thread_that_works_more_than_its_share_is_an_imbalance)
{
	use_defaults();
	EXPECT_INT(spread(15, 100, 10), -1);
	EXPECT_INT(spread(16, 100, 10), HD_SEVERITY_LOW);
	EXPECT_INT(spread(21, 100, 10), HD_SEVERITY_MEDIUM);
	EXPECT_INT(spread(41, 100, 10), HD_SEVERITY_HIGH);
	EXPECT_INT(spread(81, 100, 10), HD_SEVERITY_CRITICAL);
	EXPECT_INT(spread(100, 100, 1), -1);
	EXPECT_INT(spread(0, 0, 4), -1);
}

TEST(operations_with_less_than_one_percent_of_the_time_are_not_judged_for_throughput)
{
	struct hd_cost_row rows[] = { op("main", 995), op("small", 5) };
	struct hd_bottleneck_input in = costs(rows, 2);

	use_defaults();
	rows[1].flops = 1e-3;
	EXPECT_INT(severity_of(&in, HD_LOW_THROUGHPUT), -1);
	EXPECT(!hd_bottleneck_rules_need_balance(&in, &limits));
	limits.min_share_pct = 0.5;
	EXPECT_INT(severity_of(&in, HD_LOW_THROUGHPUT), HD_SEVERITY_HIGH);
}

TEST(limits_can_be_changed_and_one_that_is_nan_or_infinite_is_never_passed)
{
	use_defaults();
	limits.slow_pct[0] = 5;
	limits.slow_pct[1] = NAN;
	EXPECT_INT(slow(6), HD_SEVERITY_LOW);
	EXPECT_INT(slow(80), HD_SEVERITY_LOW);
	limits.slow_pct[0] = INFINITY;
	EXPECT_INT(slow(100), -1);
	/* A severity needs the limits of all lower ones. */
	use_defaults();
	limits.slow_pct[0] = 60;
	EXPECT_INT(slow(55), -1);
	EXPECT_INT(slow(61), HD_SEVERITY_CRITICAL);
}

TEST(nothing_recorded_and_times_of_zero_are_no_bottleneck)
{
	struct hd_cost_row rows[] = { op("a", 0), op("b", 0) };
	struct hd_bottleneck_input in = costs(rows, 2), nothing = { .flops_per_byte = 1 };

	use_defaults();
	EXPECT_INT(judge(&in), 0);
	EXPECT_INT(judge(&nothing), 0);
}

TEST(numbers_that_are_no_costs_are_skipped)
{
	struct hd_cost_row rows[] = { op("nan", NAN), op("inf", INFINITY), op("minus", -5), op("real", 1) };
	struct hd_bottleneck_input in = costs(rows, 4);

	use_defaults();
	EXPECT_INT(judge(&in), 1);
	EXPECT_STR(found[0].name, "real");
	EXPECT(found[0].value == 100);
}

TEST(the_worst_is_first_and_ties_are_in_the_order_of_names)
{
	struct hd_cost_row rows[] = { op("d", 30), op("b", 30), op("c", 40) }, mixed[3];
	static const int orders[][3] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 2, 0 } };
	struct hd_bottleneck_input in = costs(mixed, 3);

	use_defaults();
	for (size_t k = 0; k < 3; k++)
		rows[k].calls = 20000;
	for (size_t o = 0; o < 3; o++) {
		static const char *const expected[] = { "c", "b", "d", "b", "c", "d" };

		for (size_t k = 0; k < 3; k++)
			mixed[k] = rows[orders[o][k]];
		EXPECT_INT(judge(&in), 6);
		for (size_t k = 0; k < 6; k++)
			EXPECT_STR(found[k].name, expected[k]);
		EXPECT_INT(found[0].severity, HD_SEVERITY_HIGH);
		EXPECT_INT(found[1].severity, HD_SEVERITY_MEDIUM);
		EXPECT_INT(found[5].severity, HD_SEVERITY_LOW);
	}
}

static const char *evidence(const struct hd_bottleneck_input *in, enum hd_bottleneck_kind kind)
{
	static struct hd_bottleneck b;
	int64_t n = judge(in);

	for (int64_t i = 0; i < n; i++)
		if (found[i].kind == kind) {
			hd_bottleneck_rules_describe(&b, in, &limits, &found[i]);
			EXPECT(strlen(b.suggestion) > 0 && strlen(b.suggestion) < sizeof(b.suggestion) - 1);
			return b.evidence;
		}
	return "none";
}

TEST(each_kind_has_its_evidence)
{
	struct hd_cost_row row = { "it", 1.5e9, 3e9, 20000, 0, 3e8, 6e8, 4, 3e9, 2e9 };
	struct hd_memory_row block = { "block", 3 << 20, 1 << 20, 2, 5e9 };
	struct hd_bottleneck_input in = { &row, 1, NULL, &block, 1, 4 << 20, 8 << 20, 3.5 };

	use_defaults();
	EXPECT_STR(evidence(&in, HD_SLOW_OPERATION),
		   "takes 100.0 % of the time of all operations: 1.50 s in 20,000 calls");
	EXPECT_STR(evidence(&in, HD_HIGH_CALL_COUNT), "was called 20,000 times, 150 us each");
	EXPECT_STR(evidence(&in, HD_MEMORY_HOTSPOT),
		"held 3.00 MiB of the 4.00 MiB that were live at the peak, 75.0 %");
	EXPECT_STR(evidence(&in, HD_LEAK),
		   "1.00 MiB are not freed, 12.5 % of all allocated bytes (2 blocks); the oldest is 5.00 s old");
	EXPECT_STR(evidence(&in, HD_LOW_THROUGHPUT), "computes 0.200 GFLOP/s in its own time: 3.00e8 FLOPs in 1.50 s");
	EXPECT_STR(evidence(&in, HD_MEMORY_BOUND),
		   "does 0.500 FLOPs per byte; one thread of this machine computes 3.50 in the time of one byte");
	EXPECT_STR(evidence(&in, HD_LOAD_IMBALANCE),
		   "its busiest thread has 2.00 s, 2.67 times the mean of its 4 threads");
}

TEST(a_sampled_row_names_its_event_and_samples_and_has_no_rates)
{
	struct hd_cost_row row = { .name = "it", .self = 5e6, .calls = NAN, .samples = 50, .flops = 1, .bytes = 1 };
	struct hd_bottleneck_input in = { .costs = &row, .ncosts = 1, .unit = "cycles", .flops_per_byte = NAN };

	use_defaults();
	EXPECT_STR(evidence(&in, HD_SLOW_OPERATION), "takes 100.0 % of the event: 5,000,000 cycles in 50 samples");
	EXPECT_INT(judge(&in), 1);
}

TEST(the_balance_of_the_machine_is_measured_once)
{
	struct hd_machine_balance a, b;

	EXPECT_INT(hd_machine_balance(NULL), HD_TRACK_INVALID);
	EXPECT_INT(hd_machine_balance(&a), HD_TRACK_OK);
	EXPECT_INT(hd_machine_balance(&b), HD_TRACK_OK);
	EXPECT(a.flops_per_s > 1e6 && isfinite(a.flops_per_s) && a.bytes_per_s > 1e6 && isfinite(a.bytes_per_s));
	EXPECT(a.flops_per_s == b.flops_per_s && a.bytes_per_s == b.bytes_per_s);
}

static int release(void **state)
{
	(void)state;
	free(found);
	found = NULL;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(an_operation_above_20_25_35_and_50_percent_of_the_time_is_slow),
		RUN(more_than_10000_50000_and_100000_calls_are_many_and_never_critical),
		RUN(a_name_above_30_45_and_60_percent_of_the_peak_is_a_memory_hotspot),
		RUN(live_bytes_above_5_10_25_and_50_percent_of_all_allocated_bytes_are_a_leak),
		RUN(throughput_below_1_a_tenth_and_a_hundredth_of_a_gflop_per_second_is_low),
		RUN(fewer_flops_per_byte_than_the_machine_has_are_memory_bound),
		RUN(a_thread_that_works_more_than_its_share_is_an_imbalance),
		RUN(operations_with_less_than_one_percent_of_the_time_are_not_judged_for_throughput),
		RUN(limits_can_be_changed_and_one_that_is_nan_or_infinite_is_never_passed),
		RUN(nothing_recorded_and_times_of_zero_are_no_bottleneck),
		RUN(numbers_that_are_no_costs_are_skipped),
		RUN(the_worst_is_first_and_ties_are_in_the_order_of_names),
		RUN(each_kind_has_its_evidence),
		RUN(a_sampled_row_names_its_event_and_samples_and_has_no_rates),
		RUN(the_balance_of_the_machine_is_measured_once),
	};

	return cmocka_run_group_tests_name(__FILE__, tests, NULL, release);
}
