/*
 * power_hwmon.c - read sensors and batteries of synthetic sysfs trees
 */
#include "machine.h"

static void chip(struct machine *m, const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "/class/hwmon/hwmon3/%s", file);
	machine_put(m, path, text);
}

TEST(microwatts_of_a_labelled_sensor)
{
	struct machine m;

	machine_make(&m);
	chip(&m, "name", "amdgpu\n");
	chip(&m, "power1_average", "35250000\n");
	chip(&m, "power1_label", "PPT\n");
	chip(&m, "power1_cap", "203000000\n");
	chip(&m, "temp1_input", "41000\n");
	machine_open(&m);
	EXPECT_INT(hd_power_domains(m.meter), 1);
	EXPECT_STR(machine_domain(&m, "gpu-amdgpu-hwmon3-PPT")->quantity, "power1_average");
	EXPECT_INT(machine_read(&m, 0), 1);
	EXPECT(m.room[0].watts == 35.25 && isnan(m.room[0].joules_cum));
	machine_release(&m);
}

TEST(the_instant_value_is_preferred_and_energy_stands_beside_it)
{
	struct machine m;

	machine_make(&m);
	chip(&m, "name", "xe\n");
	chip(&m, "power1_input", "2000000\n");
	chip(&m, "power1_average", "9000000\n");
	chip(&m, "energy1_input", "5000000\n");
	chip(&m, "energy12_input", "100\n");
	machine_open(&m);
	EXPECT_INT(hd_power_domains(m.meter), 2);
	EXPECT_STR(machine_domain(&m, "gpu-xe-hwmon3-power1")->quantity, "power1_input, energy1_input");
	EXPECT_STR(machine_domain(&m, "part-xe-hwmon3-energy12")->quantity, "energy12_input");
	machine_read(&m, 0);
	chip(&m, "energy1_input", "7000000\n");
	EXPECT_INT(machine_read(&m, 1000), 2);
	EXPECT(m.room[0].watts == 2 && m.room[0].joules_cum == 2 && m.room[0].stale);
	EXPECT(isnan(m.room[1].watts) && m.room[1].joules_cum == 0 && m.room[1].stale);
	machine_release(&m);
}

TEST(a_sensor_is_named_after_what_it_is_known_to_be)
{
	static const struct {
		const char *name, *file, *label, *also, *domain;
	} rows[] = {
		{ "amdgpu\n", "power1_average", "PPT\n", "in1_input", "amdgpu-hwmon3-PPT" },	/* in a processor */
		{ "amdgpu\n", "power1_average", "PPT\n", NULL, "gpu-amdgpu-hwmon3-PPT" },
		{ "xe\n", "energy2_input", "pkg\n", NULL, "gpu-xe-hwmon3-pkg" },
		{ "i915\n", "energy1_input", NULL, NULL, "gpu-i915-hwmon3-energy1" },
		{ "i915_gt0\n", "energy1_input", NULL, NULL, "part-i915_gt0-hwmon3-energy1" },
		{ "amd_energy\n", "energy7_input", "Esocket0\n", NULL, "package-amd_energy-hwmon3-Esocket0" },
		{ "amd_energy\n", "energy1_input", "Ecore000\n", NULL, "core-amd_energy-hwmon3-Ecore000" },
		{ "ina3221\n", "power1_input", "VDD_IN\n", NULL, "ina3221-hwmon3-VDD_IN" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct machine m;
		char label[32];

		machine_make(&m);
		chip(&m, "name", rows[i].name);
		chip(&m, rows[i].file, "5000000\n");
		snprintf(label, sizeof(label), "%.*s_label", (int)strcspn(rows[i].file, "_"), rows[i].file);
		if (rows[i].label)
			chip(&m, label, rows[i].label);
		if (rows[i].also)
			chip(&m, rows[i].also, "1\n");
		machine_open(&m);
		EXPECT_INT(hd_power_usable(m.meter), 1);
		EXPECT_STR(hd_power_domain(m.meter, 0)->name, rows[i].domain);
		machine_release(&m);
	}
}

TEST(an_energy_counter_that_falls_was_reset_and_does_not_wrap)
{
	struct machine m;

	machine_make(&m);
	chip(&m, "name", "amd_energy\n");
	chip(&m, "energy1_input", "5000000\n");
	machine_open(&m);
	machine_read(&m, 0);
	chip(&m, "energy1_input", "1000000\n");
	machine_read(&m, 1000);
	EXPECT(m.room[0].joules_cum == 0 && machine_domain(&m, "amd_energy-hwmon3-energy1")->resets == 1);
	chip(&m, "energy1_input", "4000000\n");
	machine_read(&m, 1000);
	EXPECT(m.room[0].joules_cum == 3 && machine_domain(&m, "amd_energy-hwmon3-energy1")->wraps == 0);
	machine_release(&m);
}

TEST(a_sensor_that_holds_garbage_is_listed_and_not_read)
{
	struct machine m;

	machine_make(&m);
	chip(&m, "power1_input", "N/A\n");
	chip(&m, "power0_input", "1\n");
	chip(&m, "power99999999999999999999_input", "1\n");
	chip(&m, "power2x_input", "1\n");
	machine_open(&m);
	EXPECT_INT(hd_power_domains(m.meter), 1);
	EXPECT(machine_domain(&m, "unnamed-hwmon3-power1")->state == HD_POWER_BROKEN && hd_power_usable(m.meter) == 0);
	EXPECT(strstr(machine_domain(&m, "unnamed-hwmon3-power1")->why, "power1_input: 'N/A' is not a number"));
	machine_release(&m);
}

/* ---- batteries ---- */

static void battery(struct machine *m, const char *name, const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "/class/power_supply/%s/%s", name, file);
	machine_put(m, path, text);
}

TEST(a_discharging_battery_is_the_power_of_the_machine)
{
	struct machine m;

	machine_make(&m);
	battery(&m, "AC", "type", "Mains\n");
	battery(&m, "BAT0", "type", "Battery\n");
	battery(&m, "BAT0", "status", "Discharging\n");
	battery(&m, "BAT0", "power_now", "-7250000\n");
	battery(&m, "mouse", "type", "Battery\n");
	battery(&m, "mouse", "scope", "Device\n");
	battery(&m, "mouse", "status", "Discharging\n");
	battery(&m, "mouse", "power_now", "1\n");
	machine_open(&m);
	EXPECT_INT(hd_power_domains(m.meter), 1);
	EXPECT_INT(machine_read(&m, 0), 1);
	EXPECT(m.room[0].watts == 7.25);
	battery(&m, "BAT0", "status", "Charging\n");
	EXPECT_INT(machine_read(&m, 1000), 0);
	EXPECT(strstr(machine_domain(&m, "BAT0")->why, "its status is 'Charging'"));
	machine_release(&m);
}

TEST(current_times_voltage_where_there_is_no_power)
{
	struct machine m;

	machine_make(&m);
	battery(&m, "BAT1", "type", "Battery\n");
	battery(&m, "BAT1", "status", "Discharging\n");
	battery(&m, "BAT1", "current_now", "-1500000\n");
	battery(&m, "BAT1", "voltage_now", "12000000\n");
	machine_open(&m);
	EXPECT_STR(machine_domain(&m, "BAT1")->quantity, "current_now x voltage_now");
	EXPECT_INT(machine_read(&m, 0), 1);
	EXPECT(m.room[0].watts == 18);
	machine_release(&m);
}

TEST(a_battery_on_mains_is_listed_with_what_to_do)
{
	struct machine m;

	machine_make(&m);
	battery(&m, "BAT0", "type", "Battery\n");
	battery(&m, "BAT0", "status", "Full\n");
	battery(&m, "BAT0", "power_now", "0\n");
	battery(&m, "BAT1", "type", "Battery\n");
	battery(&m, "BAT1", "status", "Discharging\n");
	machine_open(&m);
	EXPECT_INT(machine_source(&m, "battery")->state, HD_POWER_UNSUPPORTED);
	EXPECT(strstr(machine_source(&m, "battery")->why, "unplug the mains"));
	EXPECT_INT(machine_domain(&m, "BAT1")->state, HD_POWER_UNSUPPORTED);
	EXPECT_INT(machine_read(&m, 0), 0);
	machine_release(&m);
}

TEST_MAIN(
	RUN(microwatts_of_a_labelled_sensor),
	RUN(the_instant_value_is_preferred_and_energy_stands_beside_it),
	RUN(a_sensor_is_named_after_what_it_is_known_to_be),
	RUN(an_energy_counter_that_falls_was_reset_and_does_not_wrap),
	RUN(a_sensor_that_holds_garbage_is_listed_and_not_read),
	RUN(a_discharging_battery_is_the_power_of_the_machine),
	RUN(current_times_voltage_where_there_is_no_power),
	RUN(a_battery_on_mains_is_listed_with_what_to_do),
)
