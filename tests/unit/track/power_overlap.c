/* power_overlap.c - add up nested power domains only once */
#include "test.h"

#include "track/power_overlap.h"

#include <string.h>

/* A domain, and the reason why it does not count, or NULL if it counts. */
struct row {
	const char *source, *domain, *why_not;
};

static void expect(const struct row *rows, size_t n)
{
	struct hd_power_overlap d[16] = { 0 };

	for (size_t i = 0; i < n; i++)
		d[i] = (struct hd_power_overlap){ rows[i].source, rows[i].domain, NULL };
	hd_power_overlap_resolve(d, n);
	for (size_t i = 0; i < n; i++)
		EXPECT_STR(d[i].why_not ? d[i].why_not : "it counts", rows[i].why_not ? rows[i].why_not : "it counts");
}

#define EXPECT_ROWS(...)                                                                                               \
	do {                                                                                                           \
		const struct row rows[] = { __VA_ARGS__ };                                                             \
		expect(rows, sizeof(rows) / sizeof(rows[0]));                                                          \
	} while (0)

TEST(packages_count_and_what_is_inside_or_around_does_not)
{
	EXPECT_ROWS({ "intel-rapl", "package-0", NULL }, { "intel-rapl", "package-1", NULL },
		    { "intel-rapl", "core-0", "inside the package" },
		    { "intel-rapl", "uncore-0", "inside the package" },
		    { "intel-rapl", "dram-1", "beside the package" }, { "intel-rapl", "psys", "contains the package" },
		    { "nvml", "gpu-0", NULL }, { "constant", "constant", NULL });
}

TEST(without_a_package_the_platform_counts_and_without_both_the_parts)
{
	EXPECT_ROWS({ "intel-rapl", "psys", NULL }, { "intel-rapl", "core-0", "inside the package" });
	EXPECT_ROWS({ "intel-rapl", "core", NULL }, { "intel-rapl", "uncore", NULL },
		    { "intel-rapl", "dram", "beside the package" });
}

TEST(mmio_repeats_a_domain_of_the_same_name_only)
{
	EXPECT_ROWS({ "intel-rapl-mmio", "package-1", "repeats intel-rapl" }, { "intel-rapl", "package-1", NULL },
		    { "intel-rapl-mmio", "package-10", NULL });
}

TEST(a_battery_counts_alone)
{
	EXPECT_ROWS({ "battery", "BAT0", NULL }, { "battery", "BAT1", NULL });
	EXPECT_ROWS({ "battery", "BAT0", "contains the others" }, { "nvml", "gpu-0", NULL });
}

TEST(rails_count_where_nothing_else_is_known)
{
	EXPECT_ROWS({ "hwmon", "ina3221-hwmon0-VDD_IN", NULL }, { "constant", "constant", NULL });
	EXPECT_ROWS({ "hwmon", "ina3221-hwmon0-VDD_IN", "may be inside the others" }, { "nvml", "gpu-0", NULL });
	EXPECT_ROWS({ "hwmon", "amdgpu-hwmon3-PPT", "may be inside the others" }, { "intel-rapl", "package-0", NULL });
}

TEST(graphics_cards_of_hwmon_count_once)
{
	EXPECT_ROWS({ "hwmon", "gpu-amdgpu-hwmon3-PPT", NULL }, { "hwmon", "gpu-xe-hwmon4-card", NULL },
		    { "hwmon", "part-xe-hwmon4-pkg", "inside the card" }, { "intel-rapl", "package-0", NULL });
}

TEST(sockets_of_hwmon_count_where_no_other_source_has_a_package)
{
	EXPECT_ROWS({ "hwmon", "package-amd_energy-hwmon1-Esocket0", NULL },
		    { "hwmon", "core-amd_energy-hwmon1-Ecore000", "inside the package" });
	EXPECT_ROWS({ "hwmon", "package-amd_energy-hwmon1-Esocket0", "inside the package" },
		    { "hwmon", "core-amd_energy-hwmon1-Ecore000", "inside the package" },
		    { "intel-rapl", "package-0", NULL });
}

TEST(sockets_of_hwmon_are_packages_inside_the_platform)
{
	EXPECT_ROWS({ "intel-rapl", "psys", "contains the package" },
		    { "hwmon", "package-amd_energy-hwmon1-Esocket0", NULL },
		    { "hwmon", "core-amd_energy-hwmon1-Ecore000", "inside the package" });
	EXPECT_ROWS({ "intel-rapl", "psys", NULL },
		    { "hwmon", "core-amd_energy-hwmon1-Ecore000", "inside the package" },
		    { "hwmon", "ina3221-hwmon0-VDD_IN", "may be inside the others" });
}

TEST(a_word_is_not_the_beginning_of_another)
{
	EXPECT_ROWS({ "x", "package-0", NULL }, { "x", "coretemp", NULL }, { "x", "dramatic", NULL },
		    { "x", "core", "inside the package" });
}

TEST(a_series_without_names_counts)
{
	EXPECT_ROWS({ NULL, NULL, NULL });
	hd_power_overlap_resolve(NULL, 0);
}

TEST_MAIN(
	RUN(packages_count_and_what_is_inside_or_around_does_not),
	RUN(without_a_package_the_platform_counts_and_without_both_the_parts),
	RUN(mmio_repeats_a_domain_of_the_same_name_only),
	RUN(a_battery_counts_alone),
	RUN(rails_count_where_nothing_else_is_known),
	RUN(graphics_cards_of_hwmon_count_once),
	RUN(sockets_of_hwmon_count_where_no_other_source_has_a_package),
	RUN(sockets_of_hwmon_are_packages_inside_the_platform),
	RUN(a_word_is_not_the_beginning_of_another),
	RUN(a_series_without_names_counts),
)
