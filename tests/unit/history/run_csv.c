/* run_csv.c - CSV files become series with the statistics of `stats` and `energy` */
#include "unit/history/history_test.h"

#include "base/file.h"
#include "history/run_csv.h"

#include <math.h>

struct csvs {
	struct place p;
	struct hd_run_csv_set all;
	struct hd_log log;
	struct hd_err err;
};

static struct csvs csvs_new(void)
{
	return (struct csvs){ .p = place_new() };
}

static void release(struct csvs *c)
{
	hd_run_csv_set_release(&c->all);
	hd_log_release(&c->log);
	place_remove(&c->p);
}

static const char *file(struct csvs *c, const char *name, const char *text, char path[600])
{
	struct hd_buf b = { 0 };

	snprintf(path, 600, "%s/%s", c->p.dir, name);
	hd_buf_adds(&b, text);
	EXPECT_INT(hd_file_write(path, &b, &c->err), 0);
	hd_buf_release(&b);
	return path;
}

static int add(struct csvs *c, const char *name, const char *text, const char *form, const char *as)
{
	char path[600];
	const struct hd_run_csv_input ask = { .path = file(c, name, text, path), .form = form, .name = as };

	return hd_run_csv_set_add(&c->all, &ask, &c->log, &c->err);
}

static const struct hd_run_series *series(const struct csvs *c, const char *name)
{
	for (size_t i = 0; i < c->all.n; i++)
		if (!strcmp(c->all.series[i].name, name))
			return &c->all.series[i];
	print_message("no series %s\n", name);
	EXPECT(false);
	return NULL;
}

/* Return a statistic of a series; NaN if the series does not have it. */
static double stat_of(const struct csvs *c, const char *name, const char *stat)
{
	const struct hd_run_series *s = series(c, name);

	for (size_t i = 0; i < s->nstats; i++)
		if (!strcmp(s->stats[i].name, stat))
			return s->stats[i].value;
	return NAN;
}

static void refused(struct csvs *c, int rc, enum hd_code code, const char *want)
{
	EXPECT_INT(rc, code);
	if (!strstr(c->err.msg, want))
		print_message("%s\n", c->err.msg);
	EXPECT(strstr(c->err.msg, want));
}

static const char latency[] =
	"sample_id,wall_time_us,kernel_time_us,seq_len\n0,100,80,16\n1,120,90,32\n2,110,85,16\n3,300,85,64\n";
static const char memory[] =
	"timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes\n0,1000,1,2,3\n10,3000,1,2,3\n";
static const char power[] = "timestamp_us,watts\n0,10\n1000000,20\n2000000,30\n";

TEST(a_latency_file_is_three_series_with_percentiles_and_intervals)
{
	struct csvs c = csvs_new();

	EXPECT_INT(add(&c, "l.csv", latency, NULL, NULL), 0);
	EXPECT_INT(c.all.n, 3);
	EXPECT_STR(series(&c, "wall_time_us")->kind, "latency");
	EXPECT_STR(series(&c, "wall_time_us")->unit, "us");
	EXPECT_INT(series(&c, "wall_time_us")->samples, 4);
	EXPECT(stat_of(&c, "wall_time_us", "p50") == 110);
	EXPECT(stat_of(&c, "wall_time_us", "p95") == 300);
	EXPECT(stat_of(&c, "wall_time_us", "mean") == 157.5);
	EXPECT(stat_of(&c, "wall_time_us", "slope") == 4.0625);
	EXPECT(series(&c, "wall_time_us")->stats[1].has_interval);
	/* four values are too few for an interval of the median */
	EXPECT(!series(&c, "wall_time_us")->stats[3].has_interval);
	EXPECT_STR(series(&c, "wall_time_us")->csv, latency);
	EXPECT_STR(series(&c, "seq_len")->unit, "1");
	release(&c);
}

TEST(a_memory_file_has_peak_and_mean_and_totals)
{
	struct csvs c = csvs_new();

	EXPECT_INT(add(&c, "m.csv", memory, "memory", NULL), 0);
	EXPECT(stat_of(&c, "peak_rss_bytes", "peak_rss") == 3000);
	EXPECT(stat_of(&c, "peak_rss_bytes", "mean_rss") == 2000);
	EXPECT(stat_of(&c, "kv_cache_bytes", "kv_cache_total") == 2);
	EXPECT(stat_of(&c, "activation_bytes", "activation_total") == 4);
	EXPECT_STR(series(&c, "peak_rss_bytes")->unit, "bytes");
	release(&c);
}

TEST(a_class_that_never_had_a_byte_has_no_value)
{
	static const char unknown[] =
		"timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes\n"
		"0,0,0,2,0\n"
		"10,0,0,0,0\n";
	struct csvs c = csvs_new();

	EXPECT_INT(add(&c, "m.csv", unknown, "memory", NULL), 0);
	EXPECT_INT(series(&c, "kv_cache_bytes")->samples, 0);
	EXPECT_INT(series(&c, "kv_cache_bytes")->nstats, 1);	/* only n, the number of samples */
	EXPECT_INT(series(&c, "temp_buffer_bytes")->samples, 0);
	EXPECT(stat_of(&c, "activation_bytes", "activation_total") == 2);
	EXPECT(stat_of(&c, "peak_rss_bytes", "peak_rss") == 0);
	release(&c);
}

TEST(a_power_file_has_joules_mean_and_peak)
{
	struct csvs c = csvs_new();

	EXPECT_INT(add(&c, "p.csv", power, "power", NULL), 0);
	EXPECT_INT(c.all.n, 1);
	EXPECT(stat_of(&c, "watts", "joules") == 40);
	EXPECT(stat_of(&c, "watts", "mean") == 20);
	EXPECT(stat_of(&c, "watts", "peak") == 30);
	EXPECT(stat_of(&c, "watts", "duration_s") == 2);
	release(&c);
}

TEST(power_has_the_sum_of_the_counted_domains_and_each_domain_by_itself)
{
	struct csvs c = csvs_new();

	EXPECT_INT(
		add(&c, "w.csv",
			"t_ns,source,domain,watts,joules_cum,stale\n"
			"0,rapl,package-0,10,0,0\n"
			"1000000000,rapl,package-0,20,14,0\n"
			"0,rapl,dram,1,,0\n"
			"1000000000,rapl,dram,1,,0\n",
			"power", NULL),
		0);
	EXPECT_INT(c.all.n, 3);
	EXPECT(stat_of(&c, "watts", "joules") == 15);
	EXPECT(stat_of(&c, "watts", "counter_joules") == 14);
	EXPECT(stat_of(&c, "watts rapl/package-0", "joules") == 15);
	EXPECT(stat_of(&c, "watts rapl/dram", "joules") == 1);
	release(&c);
}

TEST(a_power_series_has_a_method_and_the_domains_that_count)
{
	struct csvs c = csvs_new();

	EXPECT_INT(
		add(&c, "w.csv",
			"t_ns,source,domain,watts,joules_cum,stale\n"
			"0,rapl,package-0,,0,0\n"
			"1000000000,rapl,package-0,,14,0\n"
			"0,nvml,\"gpu\t0\",1,1,0\n"
			"1000000000,nvml,\"gpu\t0\",1,2,0\n"
			"0,rapl,core,1,,0\n"
			"1000000000,rapl,core,1,,0\n",
			"power", NULL),
		0);
	EXPECT_STR(series(&c, "watts")->method, "trapezoid and counter of rapl package-0, nvml gpu\\x090");
	EXPECT_STR(series(&c, "watts rapl/package-0")->method, "counter of rapl package-0");
	EXPECT_STR(series(&c, "watts rapl/core")->method, "trapezoid of rapl core");
	EXPECT(stat_of(&c, "watts nvml/gpu\t0", "disagreement_pct") == 0);
	release(&c);
	c = csvs_new();
	EXPECT_INT(add(&c, "p.csv", power, "power", NULL), 0);
	EXPECT_STR(series(&c, "watts")->method, "trapezoid");
	release(&c);
}

#define GPU	"t_ns,device,util_pct,mem_util_pct,mem_used_bytes,mem_free_bytes,mem_total_bytes\n"

TEST(a_gpu_file_is_a_series_for_each_column_of_each_device)
{
	struct csvs c = csvs_new();

	EXPECT_INT(add(&c, "g.csv", GPU "0,0,10,1,100,900,1000\n0,1,50,,4096,0,4096\n0,2,,,,,\n5,0,30,3,300,700,1000\n",
			   "gpu", NULL),
		0);
	EXPECT_INT(c.all.n, 10);
	EXPECT_STR(series(&c, "util_pct GPU 0")->kind, "gpu");
	EXPECT_STR(series(&c, "mem_used_bytes GPU 1")->unit, "bytes");
	EXPECT(stat_of(&c, "util_pct GPU 0", "mean") == 20 && stat_of(&c, "mem_used_bytes GPU 0", "max") == 300);
	EXPECT(stat_of(&c, "util_pct GPU 1", "mean") == 50 && stat_of(&c, "mem_util_pct GPU 1", "n") == 0);
	EXPECT(!hd_log_find(&c.log, "stats.mixed"));
	release(&c);
}

TEST(a_file_that_is_refused_leaves_none_of_its_series)
{
	struct csvs c = csvs_new();
	struct hd_buf text = { 0 };

	EXPECT_INT(add(&c, "p.csv", power, NULL, NULL), 0);
	hd_buf_adds(&text, GPU);
	for (int device = 0; device < 257; device++)
		hd_buf_addf(&text, "0,%d,10,1,100,900,1000\n", device);
	refused(&c, add(&c, "g.csv", hd_buf_str(&text), NULL, NULL), HD_EFORMAT, "g.csv: more than 256 devices");
	EXPECT_INT(c.all.n, 1);
	EXPECT_INT(c.all.nfiles, 1);
	EXPECT_STR(c.all.series[0].csv, power);
	EXPECT_INT(add(&c, "h.csv", GPU "0,0,10,1,100,900,1000\n", NULL, NULL), 0);
	EXPECT_STR(c.all.series[1].name, "util_pct GPU 0");
	hd_buf_release(&text);
	release(&c);
}

TEST(energy_of_a_single_sample_is_unknown_with_a_warning)
{
	struct csvs c = csvs_new();

	EXPECT_INT(add(&c, "p.csv", "timestamp_us,watts\n0,10\n", NULL, NULL), 0);
	EXPECT(isnan(stat_of(&c, "watts", "joules")));
	EXPECT(stat_of(&c, "watts", "mean") == 10);
	EXPECT(hd_log_find(&c.log, "energy.insufficient") != NULL);
	release(&c);
}

TEST(a_file_with_a_name_has_it_before_its_columns)
{
	struct csvs c = csvs_new();

	EXPECT_INT(add(&c, "a.csv", "depth,\"a\"\"\n1; DROP\"\n1,2\n3,4\n", NULL, "queue"), 0);
	EXPECT_INT(add(&c, "b.csv", latency, NULL, "se cond"), 0);
	EXPECT_STR(series(&c, "queue.depth")->kind, "other");
	EXPECT(stat_of(&c, "queue.a\"\n1; DROP", "mean") == 3);
	EXPECT(stat_of(&c, "se cond.wall_time_us", "p95") == 300);
	EXPECT_STR(series(&c, "se cond.wall_time_us")->kind, "other");
	release(&c);
}

TEST(damage_is_refused_with_its_line)
{
	struct csvs c = csvs_new();

	refused(&c, add(&c, "a.csv", "timestamp_us,watts\n0,10\n1,x\n", NULL, NULL), HD_EFORMAT,
		"a.csv: line 3: watts is not a number");
	EXPECT(strstr(c.err.msg, "nothing was added"));
	refused(&c, add(&c, "b.csv", "timestamp_us,watts\n0,10\n1,2,3\n", NULL, NULL), HD_EFORMAT,
		"b.csv: line 3 has 3 cells");
	refused(&c, add(&c, "c.csv", "timestamp_us,watts\n0,10\n1,\"2\n", NULL, NULL), HD_EFORMAT,
		"c.csv: line 3 has a quote that never closes");
	refused(&c, add(&c, "d.csv", "", NULL, "x"), HD_EFORMAT, "d.csv: is empty");
	refused(&c, add(&c, "e.csv", "timestamp_us,watts\n0,nan\n1,2\n", NULL, NULL), HD_EFORMAT,
		"e.csv: line 2: watts is not finite");
	refused(&c, add(&c, "f.csv", "timestamp_us,watts\n", NULL, NULL), HD_EFORMAT,
		"f.csv: has no row with a number");
	EXPECT_INT(c.all.n, 0);
	EXPECT_INT(c.all.nfiles, 0);
	EXPECT_INT(c.log.n, 0);
	release(&c);
}

TEST(a_file_of_another_form_and_a_second_one_are_refused)
{
	struct csvs c = csvs_new();

	refused(&c, add(&c, "p.csv", power, "latency", NULL), HD_EFORMAT,
		"p.csv: line 1 is not the header of a latency file (sample_id,wall_time_us,kernel_time_us,seq_len)");
	refused(&c, add(&c, "o.csv", "x\n1\n", NULL, NULL), HD_EFORMAT,
		"o.csv: line 1 is not the header of a known form; --series NAME=FILE");
	EXPECT_INT(add(&c, "p.csv", power, NULL, NULL), 0);
	refused(&c, add(&c, "q.csv", power, NULL, NULL), HD_EUSAGE,
		"a run has one power file; a second one needs a name: --series NAME=");
	EXPECT_INT(add(&c, "q.csv", power, NULL, "q"), 0);
	refused(&c, add(&c, "r.csv", power, NULL, "q"), HD_EUSAGE, "two files have the same name: --series q=");
	EXPECT_INT(c.all.n, 2);
	release(&c);
}

TEST(only_a_file_with_one_of_our_headers_is_known_as_csv)
{
	struct csvs c = csvs_new();
	char path[600];

	EXPECT(hd_run_is_csv(file(&c, "a", latency, path)));
	EXPECT(hd_run_is_csv(file(&c, "b", "\xef\xbb\xbf\"timestamp_us\",watts\r\n", path)));
	EXPECT(!hd_run_is_csv(file(&c, "c", "timestamp_us,watt\n0,1\n", path)));
	EXPECT(!hd_run_is_csv(file(&c, "d", "main;f 1\n", path)));
	EXPECT(!hd_run_is_csv(file(&c, "e", "", path)));
	EXPECT(!hd_run_is_csv("-"));
	EXPECT(!hd_run_is_csv(c.p.dir));
	EXPECT(!hd_run_is_csv("/no/such/file"));
	release(&c);
}

TEST_MAIN(RUN(a_latency_file_is_three_series_with_percentiles_and_intervals),
	RUN(a_memory_file_has_peak_and_mean_and_totals), RUN(a_class_that_never_had_a_byte_has_no_value),
	RUN(a_power_file_has_joules_mean_and_peak),
	RUN(power_has_the_sum_of_the_counted_domains_and_each_domain_by_itself),
	RUN(a_power_series_has_a_method_and_the_domains_that_count),
	RUN(a_gpu_file_is_a_series_for_each_column_of_each_device),
	RUN(a_file_that_is_refused_leaves_none_of_its_series),
	RUN(energy_of_a_single_sample_is_unknown_with_a_warning),
	RUN(a_file_with_a_name_has_it_before_its_columns), RUN(damage_is_refused_with_its_line),
	RUN(a_file_of_another_form_and_a_second_one_are_refused),
	RUN(only_a_file_with_one_of_our_headers_is_known_as_csv))
