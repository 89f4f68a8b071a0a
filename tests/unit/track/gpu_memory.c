/*
 * gpu_memory.c - read the memory of a GPU, and control the capture of a profiler, with stand-ins for the libraries of
 * NVIDIA
 */
#include "test.h"
#include "../tmpdir.h"
#include "standin.h"

#include "hotdrift.h"

#include <dlfcn.h>

#define GIB (1ull << 30)

static struct hd_profiler *fresh(const char *nvml)
{
	struct hd_profiler *p;

	setenv("HOTDRIFT_NVML", nvml, 1);
	EXPECT_INT(hd_profiler_new(&p, NULL), HD_TRACK_OK);
	return p;
}

TEST(the_memory_of_each_device_and_its_change)
{
	struct hd_profiler *p = fresh(standin_nvml("nvml", "devices=2"));
	struct hd_gpu_memory m;

	EXPECT_INT(hd_gpu_memory(p, 1, &m), HD_TRACK_OK);
	EXPECT(m.used_bytes == 4 * GIB && m.total_bytes == 16 * GIB && m.delta_bytes == 0);
	EXPECT_INT(hd_gpu_memory(p, 1, &m), HD_TRACK_OK);
	EXPECT(m.delta_bytes == 0);
	EXPECT_INT(hd_gpu_memory(p, 2, &m), HD_TRACK_NONE);
	EXPECT_INT(hd_gpu_memory(p, 0, NULL), HD_TRACK_INVALID);
	hd_profiler_free(p);
}

TEST(a_device_that_does_not_report_memory_is_unsupported)
{
	struct hd_profiler *p = fresh(standin_nvml("nvml", "no=memory1,memory2"));
	struct hd_gpu_memory m;

	EXPECT_INT(hd_gpu_memory(p, 0, &m), HD_TRACK_UNSUPPORTED);
	hd_profiler_free(p);
}

TEST(without_a_driver_it_is_unsupported)
{
	struct hd_profiler *p = fresh("/nonexistent/libnvidia-ml.so.1");
	struct hd_gpu_memory m;

	EXPECT_INT(hd_gpu_memory(p, 0, &m), HD_TRACK_UNSUPPORTED);
	EXPECT_INT(hd_gpu_memory(p, 0, &m), HD_TRACK_UNSUPPORTED);
	hd_profiler_free(p);
}

static int read_in_child(void *p)
{
	struct hd_gpu_memory m;

	return hd_gpu_memory(p, 0, &m) == HD_TRACK_OK && m.used_bytes == 4 * GIB ? 0 : 1;
}

TEST(a_forked_child_opens_the_driver_again)
{
	struct hd_profiler *p = fresh(standin_nvml("nvml", ""));
	struct hd_gpu_memory m;

	EXPECT_INT(hd_gpu_memory(p, 0, &m), HD_TRACK_OK);
	EXPECT_INT(in_child(read_in_child, p), 0);
	hd_profiler_free(p);
}

TEST(a_capture_is_started_and_stopped_only_if_the_program_has_loaded_the_driver)
{
	void *driver;
	int *captures;

	EXPECT_INT(hd_gpu_capture_start(), HD_TRACK_UNSUPPORTED);
	driver = dlopen(built("tests/gpu/standin/libcuda.so.1"), RTLD_NOW | RTLD_LOCAL);
	EXPECT(driver != NULL);
	captures = dlsym(driver, "standin_captures");
	EXPECT_INT(hd_gpu_capture_start(), HD_TRACK_OK);
	EXPECT_INT(*captures, 1);
	EXPECT_INT(hd_gpu_capture_stop(), HD_TRACK_OK);
	EXPECT_INT(*captures, 0);
	setenv("HOTDRIFT_STANDIN_CUDA", "201", 1);	/* CUDA_ERROR_INVALID_CONTEXT */
	EXPECT_INT(hd_gpu_capture_start(), HD_TRACK_ORDER);
	setenv("HOTDRIFT_STANDIN_CUDA", "5", 1);	/* CUDA_ERROR_PROFILER_DISABLED */
	EXPECT_INT(hd_gpu_capture_stop(), HD_TRACK_UNSUPPORTED);
	unsetenv("HOTDRIFT_STANDIN_CUDA");
	dlclose(driver);
	EXPECT_INT(hd_gpu_capture_stop(), HD_TRACK_UNSUPPORTED);
}

TEST_MAIN(RUN(the_memory_of_each_device_and_its_change),
	  RUN(a_device_that_does_not_report_memory_is_unsupported),
	  RUN(without_a_driver_it_is_unsupported),
	  RUN(a_forked_child_opens_the_driver_again),
	  RUN(a_capture_is_started_and_stopped_only_if_the_program_has_loaded_the_driver))
