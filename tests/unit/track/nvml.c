/* nvml.c - read the GPUs of a stand-in for libnvidia-ml (tests/gpu/standin/nvml.c), whose numbers are synthetic */
#include "machine.h"
#include "standin.h"

#include "track/gpumem.h"
#include "track/nvml.h"

#if __has_include(<nvml.h>)
#include <nvml.h>
#define HAVE_NVML_H
#endif

static void make(struct machine *m, const char *name, const char *words)
{
	machine_make(m);
	m->config.nvml = standin_nvml(name, words);
	machine_open(m);
}

TEST(instant_power_and_the_energy_counter)
{
	struct machine m;

	make(&m, "nvml", "");
	EXPECT_INT(hd_power_domains(m.meter), 1);
	EXPECT_STR(machine_domain(&m, "gpu-0")->quantity, "field 186 (instant), field 83 (energy)");
	EXPECT_STR(machine_domain(&m, "gpu-0")->path, "GPU-stand-in-0");
	EXPECT_INT(machine_read(&m, 0), 1);
	/* Opening the meter made the first reading, of 100 W; its joules count from then on. */
	EXPECT(m.room[0].watts == 101 && m.room[0].joules_cum == 0);
	EXPECT_INT(machine_read(&m, 100), 1);
	EXPECT(m.room[0].watts == 102 && m.room[0].joules_cum == 5 && !m.room[0].stale);
	machine_release(&m);
}

TEST(the_power_that_was_used_is_recorded)
{
	static const struct { const char *words, *quantity; } rows[] = {
		{ "no=186", "field 185 (average of 1 s), field 83 (energy)" },
		{ "no=186,185", "nvmlDeviceGetPowerUsage, field 83 (energy)" },
		{ "no=83", "field 186 (instant), nvmlDeviceGetTotalEnergyConsumption" },
		{ "no=83,energy", "field 186 (instant)" },
		{ "no=186,185,usage", "field 83 (energy)" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct machine m;

		make(&m, "nvml", rows[i].words);
		EXPECT_STR(machine_domain(&m, "gpu-0")->quantity, rows[i].quantity);
		EXPECT_INT(machine_read(&m, 0), 1);
		EXPECT(isnan(m.room[0].watts) == (i == 4) && isnan(m.room[0].joules_cum) == (i == 3));
		machine_release(&m);
	}
}

TEST(what_is_not_supported_is_never_0)
{
	struct machine m;

	make(&m, "nvml", "no=186,185,usage,83,energy");
	EXPECT(machine_domain(&m, "gpu-0")->state == HD_POWER_UNSUPPORTED && machine_read(&m, 0) == 0);
	EXPECT_STR(machine_source(&m, "nvml")->why, "power: not supported by the device (NVML 3)");
	machine_release(&m);
	make(&m, "nvml", "gone=4");
	EXPECT(machine_read(&m, 0) == 1 && machine_read(&m, 100) == 1);
	EXPECT(machine_read(&m, 100) == 0 && machine_domain(&m, "gpu-0")->failed == 1);
	machine_release(&m);
}

TEST(repeats_are_stale_and_the_update_period_is_observed)
{
	struct machine m;
	unsigned fresh = 0;

	make(&m, "nvml", "repeat=4 no=83,energy");
	for (unsigned i = 0; i < 40; i++) {
		EXPECT_INT(machine_read(&m, 25), 1);
		fresh += !m.room[0].stale;
	}
	EXPECT(fresh == 11 && fabs(machine_domain(&m, "gpu-0")->update_period_s - 0.1) < 1e-9);
	machine_release(&m);
}

TEST(several_devices_of_which_one_is_lost)
{
	struct machine m;

	make(&m, "nvml", "devices=3 lost=1");
	EXPECT_INT(hd_power_domains(m.meter), 3);
	EXPECT(machine_domain(&m, "gpu-1")->state == HD_POWER_BROKEN &&
	       strstr(machine_domain(&m, "gpu-1")->why, "fallen off the bus"));
	EXPECT_INT(machine_read(&m, 0), 2);
	EXPECT(m.room[0].watts == 101 && m.room[1].watts == 121 && m.room[1].domain == hd_power_domains(m.meter) - 1);
	machine_release(&m);
}

TEST(a_counter_that_starts_again_loses_one_step)
{
	struct machine m;

	make(&m, "nvml", "reset=4");
	for (unsigned i = 0; i < 5; i++)
		EXPECT_INT(machine_read(&m, 100), 1);
	EXPECT(machine_domain(&m, "gpu-0")->resets == 1 && machine_domain(&m, "gpu-0")->wraps == 0 &&
	       m.room[0].joules_cum == 15);
	machine_release(&m);
}

TEST(a_library_without_the_newer_calls_gives_what_it_has)
{
	struct machine m;
	struct hd_gpumem *g;
	struct hd_gpumem_status why;
	struct hd_gpumem_sample s;

	make(&m, "nvml-old", "");
	EXPECT_STR(machine_domain(&m, "gpu-0")->quantity, "nvmlDeviceGetPowerUsage");
	EXPECT_INT(machine_read(&m, 0), 1);
	EXPECT(m.room[0].watts == 101 && isnan(m.room[0].joules_cum));
	EXPECT_INT(hd_gpumem_open(&g, &m.config, &why), 0);
	EXPECT(hd_gpumem_read(g, 0, &s) && s.has_memory && !s.has_reserved && s.used_bytes == 5ull << 30);
	hd_gpumem_close(g);
	machine_release(&m);
}

TEST(reasons_of_the_library)
{
	static const struct {
		const char *words;
		enum hd_power_state state;
		const char *why;
	} rows[] = {
		{ "init=9", HD_POWER_ABSENT, "nvmlInit: the NVIDIA driver is not loaded (modprobe nvidia) (NVML 9)" },
		{ "init=18", HD_POWER_BROKEN,
		  "nvmlInit: the library and the loaded driver differ in version; "
		  "reboot or reload the driver (NVML 18)" },
		{ "init=999", HD_POWER_BROKEN, "nvmlInit: failed (NVML 999)" },
		{ "count=4", HD_POWER_DENIED,
		  "nvmlDeviceGetCount: permission denied; run as root, or let the container have the device (NVML 4)" },
		{ "devices=0", HD_POWER_ABSENT, "the NVIDIA driver reports no GPU" },
	};
	struct machine m;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make(&m, "nvml", rows[i].words);
		EXPECT_INT(machine_source(&m, "nvml")->state, rows[i].state);
		EXPECT_STR(machine_source(&m, "nvml")->why, rows[i].why);
		machine_release(&m);
	}
	machine_make(&m);
	m.config.nvml = "libm.so.6";		/* an existing library that is not libnvidia-ml */
	machine_open(&m);
	EXPECT_INT(machine_source(&m, "nvml")->state, HD_POWER_NO_LIBRARY);
	EXPECT_STR(machine_source(&m, "nvml")->why, "libm.so.6 has no nvmlInit_v2");
	machine_release(&m);
}

TEST(memory_and_utilisation_of_each_device)
{
	struct machine m;
	struct hd_gpumem *g;
	struct hd_gpumem_status why;
	struct hd_gpumem_sample s;

	make(&m, "nvml", "devices=2");
	EXPECT_INT(hd_gpumem_open(&g, &m.config, &why), 0);
	EXPECT(g && why.state == HD_POWER_USABLE && hd_gpumem_devices(g) == 2);
	EXPECT_STR(hd_gpumem_device(g, 1)->name, "stand-in 1");
	EXPECT(hd_gpumem_device(g, 1)->memory_bytes == 16ull << 30 && hd_gpumem_device(g, 1)->memory_version == 2);
	EXPECT(hd_gpumem_read(g, 1, &s));
	EXPECT(s.util_pct == 41 && s.mem_util_pct == 20 && s.t_ns == m.now_ns && s.has_memory && s.has_reserved);
	EXPECT(s.used_bytes == 4ull << 30 && s.free_bytes == 11ull << 30 && s.total_bytes == 16ull << 30 &&
	       s.reserved_bytes == 1ull << 30);
	hd_gpumem_close(g);
	machine_release(&m);
}

TEST(memory_of_version_1_where_2_is_not_supported)
{
	struct machine m;
	struct hd_gpumem *g;
	struct hd_gpumem_status why;
	struct hd_gpumem_sample s;

	make(&m, "nvml", "no=memory2,util");
	EXPECT_INT(hd_gpumem_open(&g, &m.config, &why), 0);
	EXPECT_INT(hd_gpumem_device(g, 0)->memory_version, 1);
	EXPECT(hd_gpumem_read(g, 0, &s) && s.has_memory && !s.has_reserved && s.used_bytes == 5ull << 30 &&
		isnan(s.util_pct));
	hd_gpumem_close(g);
	machine_release(&m);
	make(&m, "nvml", "no=memory2,memory1,util");
	EXPECT_INT(hd_gpumem_open(&g, &m.config, &why), 0);
	EXPECT(!hd_gpumem_read(g, 0, &s) && !s.has_memory && hd_gpumem_device(g, 0)->memory_bytes == 0);
	hd_gpumem_close(g);
	machine_release(&m);
}

TEST(without_a_gpu_the_memory_reader_has_a_reason)
{
	struct hd_power_config config = hd_power_config();
	struct hd_gpumem *g;
	struct hd_gpumem_status why;

	config.nvml = "/nonexistent/libnvidia-ml.so.1";
	EXPECT_INT(hd_gpumem_open(&g, &config, &why), 0);
	EXPECT(!g && why.state == HD_POWER_NO_LIBRARY && strstr(why.text, "it is part of the NVIDIA driver"));
}

TEST(layouts_and_numbers_are_those_of_nvml_h)
{
#ifdef HAVE_NVML_H
	EXPECT(sizeof(nvmlFieldValue_t) == sizeof(struct hd_nvml_field));
	EXPECT(offsetof(nvmlFieldValue_t, fieldId) == offsetof(struct hd_nvml_field, id));
	EXPECT(offsetof(nvmlFieldValue_t, scopeId) == offsetof(struct hd_nvml_field, scope));
	EXPECT(offsetof(nvmlFieldValue_t, timestamp) == offsetof(struct hd_nvml_field, timestamp_us));
	EXPECT(offsetof(nvmlFieldValue_t, latencyUsec) == offsetof(struct hd_nvml_field, latency_us));
	EXPECT(offsetof(nvmlFieldValue_t, valueType) == offsetof(struct hd_nvml_field, type));
	EXPECT(offsetof(nvmlFieldValue_t, nvmlReturn) == offsetof(struct hd_nvml_field, code));
	EXPECT(offsetof(nvmlFieldValue_t, value) == offsetof(struct hd_nvml_field, value));
	EXPECT(sizeof(nvmlMemory_t) == sizeof(struct hd_nvml_memory1));
	EXPECT(offsetof(nvmlMemory_t, free) == offsetof(struct hd_nvml_memory1, free));
	EXPECT(offsetof(nvmlMemory_t, used) == offsetof(struct hd_nvml_memory1, used));
	EXPECT(sizeof(nvmlMemory_v2_t) == sizeof(struct hd_nvml_memory2) &&
		(unsigned)nvmlMemory_v2 == HD_NVML_MEMORY_V2);
	EXPECT(offsetof(nvmlMemory_v2_t, reserved) == offsetof(struct hd_nvml_memory2, reserved));
	EXPECT(offsetof(nvmlMemory_v2_t, free) == offsetof(struct hd_nvml_memory2, free));
	EXPECT(offsetof(nvmlMemory_v2_t, used) == offsetof(struct hd_nvml_memory2, used));
	EXPECT(offsetof(nvmlUtilization_t, memory) == offsetof(struct hd_nvml_utilization, memory));
	EXPECT(NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION == HD_NVML_FIELD_ENERGY);
	EXPECT(NVML_FI_DEV_POWER_AVERAGE == HD_NVML_FIELD_POWER_AVERAGE &&
	       NVML_FI_DEV_POWER_INSTANT == HD_NVML_FIELD_POWER_INSTANT);
	EXPECT((int)NVML_VALUE_TYPE_UNSIGNED_INT == HD_NVML_UINT &&
	       (int)NVML_VALUE_TYPE_UNSIGNED_LONG_LONG == HD_NVML_ULONGLONG);
	EXPECT((int)NVML_ERROR_NOT_SUPPORTED == HD_NVML_NOT_SUPPORTED &&
	       (int)NVML_ERROR_DRIVER_NOT_LOADED == HD_NVML_DRIVER_NOT_LOADED);
	EXPECT((int)NVML_ERROR_LIB_RM_VERSION_MISMATCH == HD_NVML_LIB_RM_VERSION_MISMATCH &&
	       (int)NVML_ERROR_GPU_IS_LOST == HD_NVML_GPU_IS_LOST);
#else
	SKIP("nvml.h of CUDA is not installed here");
#endif
}

TEST_MAIN(
	RUN(instant_power_and_the_energy_counter),
	RUN(the_power_that_was_used_is_recorded),
	RUN(what_is_not_supported_is_never_0),
	RUN(repeats_are_stale_and_the_update_period_is_observed),
	RUN(several_devices_of_which_one_is_lost),
	RUN(a_counter_that_starts_again_loses_one_step),
	RUN(a_library_without_the_newer_calls_gives_what_it_has),
	RUN(reasons_of_the_library),
	RUN(memory_and_utilisation_of_each_device),
	RUN(memory_of_version_1_where_2_is_not_supported),
	RUN(without_a_gpu_the_memory_reader_has_a_reason),
	RUN(layouts_and_numbers_are_those_of_nvml_h),
)
