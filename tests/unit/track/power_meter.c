/*
 * power_meter.c - read all sources of a machine: repeated values, update periods, the constant source
 */
#include "machine.h"

#include <time.h>

TEST(a_machine_without_sources_has_a_reason_for_each)
{
	struct machine m;

	machine_make(&m);
	machine_open(&m);
	EXPECT(hd_power_sources(m.meter) == 5 && hd_power_domains(m.meter) == 0 && hd_power_usable(m.meter) == 0);
	for (size_t i = 0; i < 5; i++)
		EXPECT(hd_power_source(m.meter, i)->state != HD_POWER_USABLE && hd_power_source(m.meter, i)->why[0]);
	EXPECT_INT(machine_source(&m, "nvml")->state, HD_POWER_NO_LIBRARY);
	EXPECT_INT(machine_source(&m, "battery")->state, HD_POWER_ABSENT);
	EXPECT_STR(hd_power_state_name(HD_POWER_NO_LIBRARY), "no library");
	EXPECT_INT(machine_read(&m, 0), 0);
	machine_release(&m);
}

TEST(a_constant_is_as_given_and_never_stale)
{
	struct machine m;

	machine_make(&m);
	m.config.constant_watts = 65;
	machine_open(&m);
	for (unsigned i = 0; i < 3; i++) {
		EXPECT_INT(machine_read(&m, 100), 1);
		EXPECT(m.room[0].watts == 65 && isnan(m.room[0].joules_cum) && !m.room[0].stale);
	}
	EXPECT_STR(machine_domain(&m, "constant")->source, "constant");
	machine_release(&m);
}

TEST(a_constant_that_is_no_power_is_not_a_source)
{
	static const double watts[] = { NAN, INFINITY, -1 };

	for (size_t i = 0; i < 3; i++) {
		struct machine m;

		machine_make(&m);
		m.config.constant_watts = watts[i];
		machine_open(&m);
		EXPECT_INT(machine_source(&m, "constant")->state, HD_POWER_ABSENT);
		machine_release(&m);
	}
}

TEST(repeated_values_are_stale_and_the_update_period_is_observed)
{
	struct machine m;

	machine_make(&m);
	machine_put(&m, "/class/hwmon/hwmon0/name", "chip\n");
	machine_put(&m, "/class/hwmon/hwmon0/power1_input", "1000000\n");
	machine_open(&m);
	for (unsigned i = 0; i < 50; i++) {		/* read every 20 ms, a new value every 100 ms */
		char text[32];

		snprintf(text, sizeof(text), "%u\n", 1000000 + i / 5 * 1000);
		machine_put(&m, "/class/hwmon/hwmon0/power1_input", text);
		EXPECT_INT(machine_read(&m, 20), 1);
		EXPECT(m.room[0].stale == (i % 5 != 0));
	}
	EXPECT(machine_domain(&m, "chip-hwmon0-power1")->reads == 50 &&
		machine_domain(&m, "chip-hwmon0-power1")->fresh == 10);
	EXPECT(fabs(machine_domain(&m, "chip-hwmon0-power1")->update_period_s - 0.1) < 1e-9);
	EXPECT(isnan(machine_domain(&m, "chip-hwmon0-power1")->counter_period_s));
	machine_release(&m);
}

TEST(one_source_can_be_read_alone)
{
	struct machine m;

	machine_make(&m);
	m.config.constant_watts = 5;
	machine_zone(&m, "intel-rapl:0", "package-0\n", "10\n", "1000000\n");
	machine_open(&m);
	EXPECT_INT(machine_read(&m, 1), 2);
	for (size_t i = 0; i < hd_power_sources(m.meter); i++) {
		const struct hd_power_source *s = hd_power_source(m.meter, i);

		EXPECT_INT(hd_power_read(m.meter, i, m.room), s->state == HD_POWER_USABLE);
		if (s->state == HD_POWER_USABLE)
			EXPECT_INT(m.room[0].domain, s->first);
	}
	machine_release(&m);
}

TEST(the_clock_is_the_time_of_day_and_rises)
{
	struct hd_power_config config = { .sysfs = "/nonexistent", .nvml = "/nonexistent", .constant_watts = 1 };
	struct hd_power_meter *meter;
	struct hd_power_sample s;
	struct timespec ts;
	uint64_t last;

	clock_gettime(CLOCK_REALTIME, &ts);
	EXPECT_INT(hd_power_open(&meter, &config), 0);
	last = hd_power_now_ns(meter);
	EXPECT(last / 1000000000u + 3600 > (uint64_t)ts.tv_sec && last / 1000000000u < (uint64_t)ts.tv_sec + 3600);
	for (unsigned i = 0; i < 100; i++) {
		EXPECT_INT(hd_power_read(meter, HD_POWER_ALL, &s), 1);
		EXPECT(s.t_ns >= last);
		last = s.t_ns;
	}
	hd_power_close(meter);
}

TEST(more_domains_than_the_limit_are_cut)
{
	struct machine m;

	machine_make(&m);
	m.config.constant_watts = 5;
	for (unsigned i = 0; i < HD_POWER_DOMAINS_MAX + 5; i++) {
		char zone[32], name[32];

		snprintf(zone, sizeof(zone), "intel-rapl:%u", i);
		snprintf(name, sizeof(name), "package-%u", i);
		machine_zone(&m, zone, name, "10\n", "1000\n");
	}
	machine_open(&m);
	EXPECT_INT(hd_power_domains(m.meter), HD_POWER_DOMAINS_MAX);
	EXPECT_INT(machine_read(&m, 1), HD_POWER_DOMAINS_MAX);
	machine_release(&m);
}

TEST_MAIN(
	RUN(a_machine_without_sources_has_a_reason_for_each),
	RUN(a_constant_is_as_given_and_never_stale),
	RUN(a_constant_that_is_no_power_is_not_a_source),
	RUN(repeated_values_are_stale_and_the_update_period_is_observed),
	RUN(one_source_can_be_read_alone),
	RUN(the_clock_is_the_time_of_day_and_rises),
	RUN(more_domains_than_the_limit_are_cut),
)
