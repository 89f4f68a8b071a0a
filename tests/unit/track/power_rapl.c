/*
 * power_rapl.c - read powercap zones of synthetic sysfs trees
 */
#include "machine.h"

#include "track/energy.h"

#include <unistd.h>

#define RANGE "262143328850\n"

TEST(a_package_is_a_domain_with_joules_and_without_watts)
{
	struct machine m;

	machine_make(&m);
	machine_zone(&m, "intel-rapl:0", "package-0\n", "1000000\n", RANGE);
	machine_open(&m);
	EXPECT_INT(hd_power_usable(m.meter), 1);
	EXPECT_INT(machine_source(&m, "rapl")->state, HD_POWER_USABLE);
	EXPECT_STR(machine_domain(&m, "package-0")->source, "intel-rapl");
	EXPECT(machine_domain(&m, "package-0")->range_joules == 262143.328850);
	EXPECT_INT(machine_read(&m, 0), 1);
	EXPECT(m.room[0].joules_cum == 0 && isnan(m.room[0].watts) && !m.room[0].stale &&
		m.room[0].t_ns == 1000000000000u);
	machine_zone(&m, "intel-rapl:0", NULL, "3500000\n", NULL);
	EXPECT_INT(machine_read(&m, 100), 1);
	EXPECT(m.room[0].joules_cum == 2.5 && m.room[0].t_ns == 1000100000000u);
	machine_release(&m);
}

TEST(a_wrap_is_resolved_and_counted)
{
	struct machine m;

	machine_make(&m);
	machine_zone(&m, "intel-rapl:0", "package-0\n", "262143000000\n", RANGE);
	machine_open(&m);
	machine_read(&m, 0);
	machine_zone(&m, "intel-rapl:0", NULL, "671150\n", NULL);
	machine_read(&m, 100);
	EXPECT(m.room[0].joules_cum == 1 && machine_domain(&m, "package-0")->wraps == 1 &&
	       machine_domain(&m, "package-0")->hidden_wraps == 0);
	machine_release(&m);
}

TEST(a_gap_long_enough_for_another_wrap_is_counted)
{
	struct machine m;

	machine_make(&m);
	machine_zone(&m, "intel-rapl:0", "package-0\n", "0\n", "1000000000\n");	/* 1000 J: one second at 1000 W */
	machine_open(&m);
	machine_read(&m, 0);
	machine_zone(&m, "intel-rapl:0", NULL, "5\n", NULL);
	machine_read(&m, 900);
	EXPECT_INT(machine_domain(&m, "package-0")->hidden_wraps, 0);
	machine_read(&m, 1100);
	EXPECT_INT(machine_domain(&m, "package-0")->hidden_wraps, 1);
	machine_release(&m);
}

TEST(a_zone_without_a_range_is_refused)
{
	static const char *const ranges[] = { NULL, "", "0\n", "many\n", "-5\n", "1e300\n" };

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		struct machine m;

		machine_make(&m);
		machine_zone(&m, "intel-rapl:0", "package-0\n", "5\n", ranges[i]);
		machine_open(&m);
		EXPECT_INT(machine_domain(&m, "package-0")->state, HD_POWER_BROKEN);
		EXPECT(strstr(machine_domain(&m, "package-0")->why, "the range of the counter is unknown"));
		EXPECT_INT(machine_source(&m, "rapl")->state, HD_POWER_BROKEN);
		EXPECT_INT(machine_read(&m, 0), 0);
		machine_release(&m);
	}
}

TEST(sockets_are_told_apart_by_their_folders)
{
	struct machine m;

	machine_make(&m);
	machine_zone(&m, "intel-rapl:0", "package-0\n", "10\n", RANGE);
	machine_zone(&m, "intel-rapl:0:0", "core\n", "10\n", RANGE);
	machine_zone(&m, "intel-rapl:0:1", "dram\n", "10\n", RANGE);
	machine_zone(&m, "intel-rapl:1", "package-1\n", "10\n", RANGE);
	machine_zone(&m, "intel-rapl:1:0", "core\n", "10\n", RANGE);
	machine_zone(&m, "intel-rapl:1:1", "dram\n", "10\n", RANGE);
	machine_zone(&m, "intel-rapl:2", "psys\n", "10\n", RANGE);
	machine_zone(&m, "intel-rapl:10", "package-1\n", "10\n", RANGE);	/* another zone of this name exists */
	machine_open(&m);
	EXPECT_INT(hd_power_domains(m.meter), 8);
	for (size_t i = 0; i < 8; i++)
		EXPECT(hd_power_domain(m.meter, i)->name ==
			machine_domain(&m, hd_power_domain(m.meter, i)->name)->name);
	EXPECT(machine_domain(&m, "core-0") && machine_domain(&m, "core-1") && machine_domain(&m, "dram-1") &&
	       machine_domain(&m, "psys"));
	EXPECT(machine_domain(&m, "package-1@intel-rapl:10"));
	EXPECT_INT(machine_read(&m, 0), 8);
	machine_release(&m);
}

TEST(zones_inside_of_folders_of_zones_are_found_once)
{
	struct machine m;

	machine_make(&m);
	machine_zone(&m, "intel-rapl/intel-rapl:0", "package-0\n", "10\n", RANGE);
	machine_zone(&m, "intel-rapl/intel-rapl:0/intel-rapl:0:0", "core\n", "10\n", RANGE);
	machine_zone(&m, "intel-rapl:0", "package-0\n", "10\n", RANGE);
	machine_zone(&m, "intel-rapl:0/intel-rapl:0:0", "core\n", "10\n", RANGE);
	machine_open(&m);
	EXPECT(hd_power_domains(m.meter) == 2 && machine_domain(&m, "package-0") && machine_domain(&m, "core-0"));
	machine_release(&m);
}

TEST(mmio_zones_are_a_source_of_their_own)
{
	struct machine m;

	machine_make(&m);
	machine_zone(&m, "intel-rapl:0", "package-0\n", "10\n", RANGE);
	machine_zone(&m, "intel-rapl-mmio:0", "package-0\n", "10\n", RANGE);
	machine_open(&m);
	EXPECT(hd_power_domains(m.meter) == 2);
	EXPECT_STR(hd_power_domain(m.meter, 0)->source, "intel-rapl-mmio");
	EXPECT_STR(hd_power_domain(m.meter, 1)->source, "intel-rapl");
	EXPECT_STR(hd_power_domain(m.meter, 0)->name, hd_power_domain(m.meter, 1)->name);
	machine_release(&m);
}

static int without_rights(void *arg)
{
	struct machine *m = arg;

	if (!drop_rights())
		return 77;
	if (access(m->root, R_OK | X_OK) < 0)
		return 78;
	machine_open(m);
	if (machine_source(m, "rapl")->state != HD_POWER_DENIED)
		return 1;
	if (!strstr(machine_source(m, "rapl")->why, "needs root, or a udev rule that gives it to a group"))
		return 2;
	return hd_power_usable(m->meter) || machine_read(m, 0) ? 3 : 0;
}

TEST(a_counter_of_root_names_the_rule_and_is_not_absent)
{
	struct machine m;
	char *path;
	int status;

	machine_make(&m);
	machine_zone(&m, "intel-rapl:0", "package-0\n", "10\n", RANGE);
	path = in_dir(m.root, "class/powercap/intel-rapl:0/energy_uj");
	EXPECT_INT(chmod(path, geteuid() ? 0 : 0400), 0);
	status = in_child(without_rights, &m);
	EXPECT_INT(chmod(path, 0600), 0);
	free(path);
	machine_release(&m);
	if (status == 77)
		SKIP("this process may not give up its rights");
	if (status == 78)
		SKIP("the folder of temporary files is closed to other users");
	EXPECT_INT(status, 0);
}

TEST(a_file_that_vanishes_yields_no_sample_and_comes_back)
{
	struct machine m;
	char *path;

	machine_make(&m);
	machine_zone(&m, "intel-rapl:0", "package-0\n", "10\n", RANGE);
	machine_open(&m);
	EXPECT_INT(machine_read(&m, 0), 1);
	path = in_dir(m.root, "class/powercap/intel-rapl:0/energy_uj");
	EXPECT_INT(unlink(path), 0);
	free(path);
	EXPECT_INT(machine_read(&m, 100), 0);
	EXPECT(machine_domain(&m, "package-0")->failed == 1 &&
		strstr(machine_domain(&m, "package-0")->why, "No such file"));
	machine_zone(&m, "intel-rapl:0", NULL, "1000010\n", NULL);
	EXPECT_INT(machine_read(&m, 100), 1);
	EXPECT(m.room[0].joules_cum == 1);
	machine_release(&m);
}

TEST(garbage_in_a_counter_is_never_a_number)
{
	static const char *const garbage[] = {
		"", "\n", "abc\n", "12abc\n", "-1\n", "nan\n", "0x10\n", "1.5\n", "99999999999999999999999\n",
		"262143328851\n",
		"\x01\xff\xfe"
	};

	for (size_t i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++) {
		struct machine m;

		machine_make(&m);
		machine_zone(&m, "intel-rapl:0", "package-0\n", "10\n", RANGE);
		machine_open(&m);
		EXPECT_INT(machine_read(&m, 0), 1);
		machine_zone(&m, "intel-rapl:0", NULL, garbage[i], NULL);
		EXPECT_INT(machine_read(&m, 100), 0);
		EXPECT_INT(machine_domain(&m, "package-0")->failed, 1);
		machine_release(&m);
	}
}

/* Return the energy in joules that a load of 150 W + 100 W sin(t) uses from 0 s to t_s. */
static double drawn(double t_s)
{
	return 150 * t_s + 100 * (1 - cos(t_s));
}

TEST(the_energy_of_a_load_is_exact_through_wraps_and_vanished_files)
{
	struct hd_energy_sample s[400];
	struct hd_energy e;
	struct machine m;
	size_t n = 0, gone = 0;
	char *path;

	machine_make(&m);
	machine_zone(&m, "intel-rapl:0", "package-0\n", "0\n", "1000000000\n"); /* 1000 J: a wrap in about 7 s */
	path = in_dir(m.root, "class/powercap/intel-rapl:0/energy_uj");
	machine_open(&m);
	for (unsigned i = 0; i < 400; i++) {
		double t_s = i / 10.0;
		char text[32];

		snprintf(text, sizeof(text), "%llu\n", (unsigned long long)(drawn(t_s) * 1e6) % 1000000000u);
		machine_zone(&m, "intel-rapl:0", NULL, text, NULL);
		if (i % 50 == 7)
			EXPECT_INT(unlink(path), 0);
		if (machine_read(&m, i ? 100 : 0))
			s[n++] = (struct hd_energy_sample){ t_s, m.room[0].joules_cum, m.room[0].stale };
		else
			gone++;
	}
	EXPECT_INT(hd_energy_counter(&e, s, n, (struct hd_energy_span){ 1.23, 38.7 }), 0);
	EXPECT(fabs(e.total_joules / (drawn(38.7) - drawn(1.23)) - 1) < 0.001);
	EXPECT(gone == 8 && machine_domain(&m, "package-0")->failed == 8 &&
		machine_domain(&m, "package-0")->wraps == 6);
	EXPECT(machine_domain(&m, "package-0")->hidden_wraps == 0);
	free(path);
	machine_release(&m);
}

TEST(names_are_made_printable)
{
	struct machine m;

	machine_make(&m);
	machine_zone(&m, "intel-rapl:0", "pack\x1b[31mage\xff\nsecond line", "10\n", RANGE);
	machine_zone(&m, "intel-rapl:1", NULL, "10\n", RANGE);
	machine_zone(&m, "intel-rapl:x", "package-9\n", "10\n", RANGE);	/* no zone */
	machine_zone(&m, "dtpm:0", "package-9\n", "10\n", RANGE);		/* not RAPL */
	machine_open(&m);
	EXPECT_INT(hd_power_domains(m.meter), 2);
	EXPECT_STR(hd_power_domain(m.meter, 0)->name, "pack?[31mage?");
	EXPECT_STR(hd_power_domain(m.meter, 1)->name, "intel-rapl:1");
	EXPECT(hd_power_domain(m.meter, 1)->state == HD_POWER_BROKEN &&
	       strstr(hd_power_domain(m.meter, 1)->why, "the zone has no name"));
	machine_release(&m);
}

TEST(a_machine_without_zones_names_the_module)
{
	struct machine m;

	machine_make(&m);
	machine_open(&m);
	EXPECT_INT(machine_source(&m, "rapl")->state, HD_POWER_ABSENT);
	EXPECT(strstr(machine_source(&m, "rapl")->why, "modprobe intel_rapl_msr"));
	machine_release(&m);
}

TEST_MAIN(
	RUN(a_package_is_a_domain_with_joules_and_without_watts),
	RUN(a_wrap_is_resolved_and_counted),
	RUN(a_gap_long_enough_for_another_wrap_is_counted),
	RUN(a_zone_without_a_range_is_refused),
	RUN(sockets_are_told_apart_by_their_folders),
	RUN(zones_inside_of_folders_of_zones_are_found_once),
	RUN(mmio_zones_are_a_source_of_their_own),
	RUN(a_counter_of_root_names_the_rule_and_is_not_absent),
	RUN(a_file_that_vanishes_yields_no_sample_and_comes_back),
	RUN(garbage_in_a_counter_is_never_a_number),
	RUN(the_energy_of_a_load_is_exact_through_wraps_and_vanished_files),
	RUN(names_are_made_printable),
	RUN(a_machine_without_zones_names_the_module),
)
