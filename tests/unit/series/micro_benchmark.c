/* micro_benchmark.c - read results in the formats of micro-benchmark programs */
#include "series/micro_benchmark.h"
#include "test.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

static struct hd_micro_benchmarks all;
static struct hd_log messages;
static struct hd_err err;

static int parse(const char *text)
{
	hd_micro_benchmarks_release(&all);
	hd_log_release(&messages);
	return hd_micro_benchmarks_parse(&all, text, strlen(text), "x.json", &messages, &err);
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fabs(b);
}

TEST(the_repetitions_of_google_benchmark_are_one_benchmark_in_nanoseconds)
{
	EXPECT(parse("{\"context\":{},\"benchmarks\":["
		     "{\"name\":\"BM_a/8/repeats:2\",\"run_name\":\"BM_a/8\",\"run_type\":\"iteration\","
		     "\"iterations\":100,"
		     "\"real_time\":2.0,\"cpu_time\":1.5,\"time_unit\":\"us\",\"items_per_second\":4e6},"
		     "{\"name\":\"BM_b\",\"iterations\":10,\"real_time\":7,\"time_unit\":\"ns\"},"
		     "{\"name\":\"BM_a/8/repeats:2\",\"run_name\":\"BM_a/8\",\"run_type\":\"iteration\","
		     "\"iterations\":300,"
		     "\"real_time\":3.0,\"cpu_time\":2.5,\"time_unit\":\"us\",\"items_per_second\":2e6},"
		     "{\"name\":\"BM_a/8_mean\",\"run_name\":\"BM_a/8\",\"run_type\":\"aggregate\",\"aggregate_name\":"
		     "\"mean\",\"real_time\":99,\"time_unit\":\"us\"}]}") == 0);
	EXPECT_INT(all.n, 2);
	EXPECT_STR(all.items[0].name, "BM_a/8");
	EXPECT_STR(all.items[0].tool, "google-benchmark");
	EXPECT(all.items[0].n == 2 && near(all.items[0].mean.value, 2500) && near(all.items[0].cpu_ns, 2000));
	EXPECT(near(all.items[0].std.value, 1000 / sqrt(2)) && near(all.items[0].elements_per_s, 3e6));
	EXPECT(isnan(all.items[0].bytes_per_s));
	/*
	 * The slope is the least-squares fit of time = slope * iterations: (100 * 200000 + 300 * 900000) / (100^2 +
	 * 300^2)
	 */
	EXPECT(near(all.items[0].slope.value, 2900));
	EXPECT(all.items[1].n == 1 && near(all.items[1].mean.value, 7) && isnan(all.items[1].mean.ci.lo));
	EXPECT(isnan(all.items[1].std.value));
}

TEST(aggregates_are_read_if_the_repetitions_are_not_in_the_file)
{
	EXPECT(parse("{\"benchmarks\":["
		     "{\"name\":\"x_mean\",\"run_name\":\"x\",\"run_type\":\"aggregate\",\"aggregate_name\":\"mean\","
		     "\"real_time\":5,\"cpu_time\":4,\"time_unit\":\"ms\",\"bytes_per_second\":10},"
		     "{\"name\":\"x_median\",\"run_name\":\"x\",\"run_type\":\"aggregate\","
		     "\"aggregate_name\":\"median\","
		     "\"real_time\":4.5,\"time_unit\":\"ms\"},"
		     "{\"name\":\"x_BigO\",\"run_name\":\"x\",\"run_type\":\"aggregate\",\"aggregate_name\":\"BigO\","
		     "\"real_coefficient\":1}]}") == 0);
	EXPECT(all.n == 1 && all.items[0].n == 0);
	EXPECT(near(all.items[0].mean.value, 5e6) && near(all.items[0].median.value, 4.5e6));
	EXPECT(near(all.items[0].bytes_per_s, 10));
}

TEST(a_benchmark_that_failed_is_skipped_with_a_warning)
{
	EXPECT(parse("{\"benchmarks\":[{\"name\":\"bad\",\"error_occurred\":true,\"error_message\":\"no\"},"
		     "{\"name\":\"good\",\"real_time\":1}]}") == 0);
	EXPECT(all.n == 1 && messages.n == 1);
	EXPECT_STR(messages.items[0].code, "lost.benchmark");
}

TEST(a_file_that_has_no_results_is_rejected)
{
	static const char *const bad[] = { "", "[]", "{}", "{\"benchmarks\":{}}", "{\"benchmarks\":[{}]}",
		"{\"benchmarks\":[1]}", "{\"benchmarks\":[{\"name\":\"\",\"real_time\":1}]}",
		"{\"benchmarks\":[{\"name\":\"a\"}]}", "{\"benchmarks\":[{\"name\":\"a\",\"real_time\":-1}]}",
		"{\"benchmarks\":[{\"name\":\"a\",\"real_time\":1e999}]}",
		"{\"benchmarks\":[{\"name\":\"a\",\"real_time\":1,\"time_unit\":\"weeks\"}]}" };

	for (size_t i = 0; i < HD_COUNT(bad); i++)
		EXPECT(parse(bad[i]) == HD_EFORMAT);
	EXPECT(parse("{\"benchmarks\":[]}") == 0 && all.n == 0);
}

TEST(the_json_of_bench_has_a_benchmark_for_each_side)
{
	EXPECT(parse("{\"format\":\"hotdrift.bench\",\"sides\":[{\"name\":\"base\",\"command\":[\"a\",\"1\"]},"
		     "{\"name\":\"head\",\"command\":[\"b\"]}],\"throughput\":{\"unit\":\"bytes\",\"sides\":["
		     "{\"per_second\":5},{\"per_second\":6}]},\"runs\":["
		     "{\"side\":\"base\",\"failed\":null,\"wall_time_us\":2},"
		     "{\"side\":\"head\",\"failed\":null,\"wall_time_us\":1},"
		     "{\"side\":\"base\",\"failed\":\"it was killed\",\"wall_time_us\":900},"
		     "{\"side\":\"base\",\"failed\":null,\"wall_time_us\":4}]}") == 0);
	EXPECT_INT(all.n, 2);
	EXPECT_STR(all.items[0].name, "base: a 1");
	EXPECT(all.items[0].n == 2 && near(all.items[0].mean.value, 3000) && near(all.items[0].bytes_per_s, 5));
	EXPECT(all.items[1].n == 1 && near(all.items[1].bytes_per_s, 6));
}

static int criterion(const char *estimates, const char *benchmark, const char *sample)
{
	struct hd_criterion_files f = { .estimates = estimates, .nestimates = strlen(estimates),
		.benchmark = benchmark, .nbenchmark = benchmark ? strlen(benchmark) : 0,
		.sample = sample, .nsample = sample ? strlen(sample) : 0,
		.path = "new/estimates.json", .name = "folder/name" };

	hd_micro_benchmarks_release(&all);
	return hd_micro_benchmarks_parse_criterion(&all, &f, &err);
}

#define ESTIMATE(v) "{\"confidence_interval\":{\"confidence_level\":0.95,\"lower_bound\":" #v "0," \
	"\"upper_bound\":" #v "9},\"point_estimate\":" #v "5,\"standard_error\":1}"

TEST(criterions_own_estimates_and_intervals_are_kept)
{
	EXPECT(criterion("{\"mean\":" ESTIMATE(1) ",\"median\":" ESTIMATE(2) ",\"std_dev\":" ESTIMATE(3)
			 ",\"slope\":" ESTIMATE(4) "}",
			 "{\"full_id\":\"g/f/100\",\"throughput\":{\"Elements\":100}}",
			 "{\"iters\":[1,2,3],\"times\":[10,20,30]}") == 0);
	EXPECT_STR(all.items[0].name, "g/f/100");
	EXPECT_STR(all.items[0].tool, "criterion");
	EXPECT(all.items[0].mean.value == 15 && all.items[0].mean.ci.lo == 10 && all.items[0].mean.ci.hi == 19);
	EXPECT(all.items[0].median.value == 25 && all.items[0].std.value == 35 && all.items[0].slope.value == 45);
	EXPECT(all.items[0].n == 3 && near(all.items[0].r2, 1));
	EXPECT(near(all.items[0].elements_per_s, 100 / 45e-9));
}

TEST(a_missing_slope_and_missing_files_leave_what_they_would_say)
{
	EXPECT(criterion("{\"mean\":" ESTIMATE(1) ",\"slope\":null}", NULL, NULL) == 0);
	EXPECT_STR(all.items[0].name, "folder/name");
	EXPECT(all.items[0].n == 0 && isnan(all.items[0].slope.value) && isnan(all.items[0].elements_per_s));
	/* Flat sampling has one iteration count, so no slope and no r2. */
	EXPECT(criterion("{\"mean\":" ESTIMATE(1) ",\"slope\":null}", NULL, "{\"iters\":[2,2],\"times\":[4,6]}") == 0);
	EXPECT(all.items[0].n == 2 && isnan(all.items[0].slope.value) && isnan(all.items[0].r2));
}

TEST(damaged_files_of_criterion_are_rejected)
{
	EXPECT(criterion("{}", NULL, NULL) == HD_EFORMAT);
	EXPECT(criterion("{\"mean\":{\"point_estimate\":-1}}", NULL, NULL) == HD_EFORMAT);
	EXPECT(criterion("{\"mean\":" ESTIMATE(1) "}", "{", NULL) == HD_EFORMAT);
	EXPECT(criterion("{\"mean\":" ESTIMATE(1) "}", NULL, "{\"iters\":[1],\"times\":[1,2]}") == HD_EFORMAT);
}

TEST_MAIN(RUN(the_repetitions_of_google_benchmark_are_one_benchmark_in_nanoseconds),
	  RUN(aggregates_are_read_if_the_repetitions_are_not_in_the_file),
	  RUN(a_benchmark_that_failed_is_skipped_with_a_warning), RUN(a_file_that_has_no_results_is_rejected),
	  RUN(the_json_of_bench_has_a_benchmark_for_each_side), RUN(criterions_own_estimates_and_intervals_are_kept),
	  RUN(a_missing_slope_and_missing_files_leave_what_they_would_say),
	  RUN(damaged_files_of_criterion_are_rejected))
