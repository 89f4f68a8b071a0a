/* energy_report.c - sum the energy of domains, and count overlapping domains once */
#include "test.h"

#include "base/mem.h"
#include "series/energy_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct made {
	struct hd_series *s;
	struct hd_energy_report r;
	struct hd_log log;
	struct hd_err err;
	int rc;
};

static struct made make(const char *text)
{
	struct made m = { 0 };
	char *room = hd_strdup(text);

	m.rc = hd_series_parse(&m.s, room, strlen(text), "f.csv", &m.log, &m.err);
	free(room);
	EXPECT_INT(m.rc, 0);
	m.rc = hd_energy_report_make(&m.r, m.s, &m.log, &m.err);
	return m;
}

static void release(struct made *m)
{
	hd_energy_report_release(&m->r);
	hd_series_free(m->s);
	hd_log_release(&m->log);
}

#define SOURCES "t_ns,source,domain,watts,joules_cum,stale\n"

TEST(microseconds_and_watts_are_joules)
{
	struct made m = make("timestamp_us,watts\n1000000,10\n2000000,20\n3500000,20\n");

	EXPECT_INT(m.rc, 0);
	EXPECT(m.r.enough && m.r.total_joules == 45 && m.r.duration_s == 2.5 && m.r.peak_watts == 20 &&
		m.r.n_samples == 3);
	EXPECT_STR(m.r.method, "trapezoid");
	EXPECT(!m.log.n && isnan(m.r.counter_joules));
	release(&m);
}

TEST(a_single_sample_gives_no_energy_and_a_warning)
{
	struct made m = make("timestamp_us,watts\n5,10\n");

	EXPECT_INT(m.rc, 0);
	EXPECT(!m.r.enough && m.r.total_joules == 0 && m.r.duration_s == 0 && m.r.mean_watts == 10);
	EXPECT(hd_log_find(&m.log, "energy.insufficient"));
	release(&m);
	m = make("timestamp_us,watts\n");
	EXPECT(m.rc == 0 && !m.r.enough && m.r.n_samples == 0 && m.r.total_joules == 0);
	release(&m);
}

TEST(a_domain_inside_another_one_is_listed_but_not_added)
{
	struct made m = make(SOURCES
			     "0,intel-rapl,package-0,30,,0\n1000000000,intel-rapl,package-0,30,,0\n"
			     "0,intel-rapl,package-1,20,,0\n1000000000,intel-rapl,package-1,40,,0\n"
			     "0,intel-rapl,core,9,,0\n1000000000,intel-rapl,core,9,,0\n"
			     "0,intel-rapl,dram,5,,0\n1000000000,intel-rapl,dram,5,,0\n"
			     "0,intel-rapl,psys,80,,0\n1000000000,intel-rapl,psys,80,,0\n"
			     "0,intel-rapl-mmio,package-0,30,,0\n1000000000,intel-rapl-mmio,package-0,30,,0\n"
			     "0,nvml,gpu-0,100,,0\n1000000000,nvml,gpu-0,100,,0\n");

	EXPECT_INT(m.rc, 0);
	EXPECT(m.r.n == 7 && m.r.total_joules == 160 && m.r.mean_watts == 160 && m.r.peak_watts == 170 &&
		m.r.duration_s == 1);
	EXPECT_STR(m.r.domains[2].why_not, "inside the package");
	EXPECT_STR(m.r.domains[3].why_not, "beside the package");
	EXPECT_STR(m.r.domains[4].why_not, "contains the package");
	EXPECT_STR(m.r.domains[5].why_not, "repeats intel-rapl");
	EXPECT(!m.r.domains[6].why_not);
	release(&m);
}

TEST(without_a_package_its_parts_count)
{
	struct made m = make(
		SOURCES "0,x,core,9,,0\n1000000000,x,core,9,,0\n0,x,uncore,1,,0\n1000000000,x,uncore,1,,0\n");

	EXPECT(m.rc == 0 && m.r.total_joules == 10);
	release(&m);
}

TEST(a_counter_alone_is_its_increase)
{
	struct made m = make(SOURCES
		"0,rapl,package-0,,100,0\n1000000000,rapl,package-0,,130,0\n2000000000,rapl,package-0,,140,0\n");

	EXPECT(m.rc == 0 && m.r.enough && m.r.total_joules == 40 && m.r.mean_watts == 20 && m.r.peak_watts == 30 &&
	       m.r.duration_s == 2);
	EXPECT_STR(m.r.method, "counter");
	release(&m);
}

TEST(watts_and_a_counter_are_compared)
{
	struct made m = make(SOURCES "0,nvml,gpu-0,50,0,0\n1000000000,nvml,gpu-0,70,50,0\n");

	EXPECT(m.rc == 0 && m.r.total_joules == 60 && m.r.counter_joules == 50 && m.r.disagreement_pct == 20);
	EXPECT_STR(m.r.method, "trapezoid");
	release(&m);
}

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

TEST(rows_that_are_marked_stale_are_no_samples_and_give_the_update_period)
{
	/* A counter that is updated every 0.2 s and read every 0.1 s. */
	struct made m = make(SOURCES "0,nvml,gpu-0,,0,0\n100000000,nvml,gpu-0,,0,1\n200000000,nvml,gpu-0,,20,0\n"
			     "300000000,nvml,gpu-0,,20,1\n400000000,nvml,gpu-0,,50,0\n");
	const struct hd_energy_domain *d = m.r.domains;

	EXPECT_INT(d->n_samples, 3);
	EXPECT(is_near(d->median_dt_s, 0.1) && is_near(d->update_period_s, 0.2));
	EXPECT(d->joules == 50 && is_near(d->peak_watts, 150) && isnan(d->disagreement_pct));
	EXPECT(d->wraps == -1 && !d->quantity);
	release(&m);
}

TEST(a_short_distance_between_two_readings_of_a_counter_is_no_peak)
{
	/* The last reading is 1 ms after the one before it; the counter was updated in between. */
	struct made m = make(
		SOURCES "0,rapl,package-0,,0,0\n100000000,rapl,package-0,,1,0\n200000000,rapl,package-0,,3,0\n"
			"201000000,rapl,package-0,,4,0\n");

	EXPECT(m.r.total_joules == 4 && is_near(m.r.peak_watts, 20));
	release(&m);
}

TEST(each_domain_has_its_disagreement)
{
	struct made m = make(SOURCES
		"0,nvml,gpu-0,10,0,0\n"
		"1000000000,nvml,gpu-0,10,8,0\n"
		"0,nvml,gpu-1,10,0,0\n"
		"1000000000,nvml,gpu-1,10,10,0\n");

	EXPECT(is_near(m.r.domains[0].disagreement_pct, 25) && is_near(m.r.domains[1].disagreement_pct, 0));
	EXPECT(isnan(m.r.domains[0].update_period_s));
	release(&m);
}

TEST(a_battery_counts_only_where_nothing_else_does)
{
	struct made m = make(SOURCES
		"0,battery,BAT0,10,,0\n"
		"1000000000,battery,BAT0,10,,0\n"
		"0,rapl,package-0,4,,0\n"
		"1000000000,rapl,package-0,4,,0\n");

	EXPECT(m.r.total_joules == 4);
	EXPECT_STR(m.r.domains[0].why_not, "contains the others");
	release(&m);
	m = make(SOURCES
		"0,battery,BAT0,10,,0\n"
		"1000000000,battery,BAT0,10,,0\n"
		"0,battery,BAT1,2,,0\n"
		"1000000000,battery,BAT1,2,,0\n");
	EXPECT(m.r.total_joules == 12);
	release(&m);
}

TEST(a_counter_that_falls_loses_that_step)
{
	struct made m = make(
		SOURCES "0,r,package-0,,100,0\n1000000000,r,package-0,,2,0\n2000000000,r,package-0,,5,0\n");

	EXPECT(m.rc == 0 && m.r.total_joules == 3);
	EXPECT(hd_log_find(&m.log, "lost.energy-counter"));
	release(&m);
}

TEST(rows_without_a_value_are_dropped_with_a_warning)
{
	struct made m = make("timestamp_us,watts\n0,10\n,10\n1000000,\n2000000,10\n");

	EXPECT(m.rc == 0 && m.r.total_joules == 20 && m.r.n_samples == 2);
	EXPECT_INT(hd_log_find(&m.log, "lost.energy-row")->count, 2);
	release(&m);
}

TEST(another_file_is_refused)
{
	struct made m = make("a,watts\n1,2\n");

	EXPECT_INT(m.rc, HD_EFORMAT);
	EXPECT_STR(m.err.msg, "f.csv: is not a power series: its header must be timestamp_us,watts or "
			      "t_ns,source,domain,watts,joules_cum,stale");
	release(&m);
}

TEST(the_peak_of_domains_that_were_read_at_different_moments_is_that_of_their_sum)
{
	/* gpu-1 is read 0.5 s after gpu-0, and falls while gpu-0 rises. */
	struct made m = make(SOURCES "0,nvml,gpu-0,10,,0\n1000000000,nvml,gpu-0,10,,0\n2000000000,nvml,gpu-0,50,,0\n"
			     "500000000,nvml,gpu-1,60,,0\n1500000000,nvml,gpu-1,20,,0\n2500000000,nvml,gpu-1,20,,0\n");

	EXPECT(m.rc == 0 && is_near(m.r.peak_watts, 70));
	hd_energy_report_release(&m.r);
	/* Only samples in the span count: the largest sum there is 10 W + 40 W at 1 s, and 30 W + 20 W at 1.5 s. */
	m.rc = hd_energy_report_make_span(&m.r, m.s, (struct hd_energy_span){ 0.9, 1.6 }, &m.log, &m.err);
	EXPECT(m.rc == 0 && is_near(m.r.peak_watts, 50));
	release(&m);
}

TEST(a_part_of_a_series_is_integrated_alone)
{
	struct made m = make(SOURCES
		"1000000000,a,x,10,,0\n"
		"2000000000,a,x,20,,0\n"
		"3000000000,a,x,20,,0\n"
		"1000000000,b,y,,0,0\n"
		"3000000000,b,y,,20,0\n");

	hd_energy_report_release(&m.r);
	EXPECT_INT(hd_energy_report_make_span(&m.r, m.s, (struct hd_energy_span){ 1.5, 2.5 }, &m.log, &m.err), 0);
	EXPECT(is_near(m.r.domains[0].joules, 18.75) && is_near(m.r.domains[1].joules, 10) &&
		is_near(m.r.duration_s, 1));
	release(&m);
}

TEST_MAIN(
	RUN(microseconds_and_watts_are_joules),
	RUN(a_single_sample_gives_no_energy_and_a_warning),
	RUN(a_domain_inside_another_one_is_listed_but_not_added),
	RUN(without_a_package_its_parts_count),
	RUN(a_counter_alone_is_its_increase),
	RUN(watts_and_a_counter_are_compared),
	RUN(rows_that_are_marked_stale_are_no_samples_and_give_the_update_period),
	RUN(a_short_distance_between_two_readings_of_a_counter_is_no_peak),
	RUN(each_domain_has_its_disagreement),
	RUN(a_battery_counts_only_where_nothing_else_does),
	RUN(a_counter_that_falls_loses_that_step),
	RUN(rows_without_a_value_are_dropped_with_a_warning),
	RUN(another_file_is_refused),
	RUN(the_peak_of_domains_that_were_read_at_different_moments_is_that_of_their_sum),
	RUN(a_part_of_a_series_is_integrated_alone),
)
