/*
 * gpu_trace_symbols.c - names of kernels, and frames that are the CUDA libraries' and not the program's
 */
#include "test.h"

#include "pipeline/gpu_trace_symbols.h"

static const char *named(const char *linked, const char **full)
{
	static struct hd_strtab *names;
	struct hd_gpu_dict dict;
	uint32_t name, whole;
	const char *s;

	hd_strtab_free(names);
	names = hd_strtab_new();
	hd_gpu_dict_init(&dict, names);
	hd_gpu_kernel_name(&dict, linked, &name, &whole);
	s = hd_strtab_get(names, name);
	*full = hd_strtab_get(names, whole);
	hd_gpu_dict_release(&dict);
	return s;
}

TEST(a_kernel_is_named_without_template_arguments_and_parameters)
{
	const char *full;

	EXPECT_STR(named("_Z4tileIfEvPKT_PS0_i", &full), "tile");
	EXPECT_STR(full, "void tile<float>(float const*, float*, int)");
	EXPECT_STR(named("_ZN2at6native4fillIN3foo3barIiEEEEvT_", &full), "at::native::fill");
	EXPECT_STR(named("ampere_sgemm_128x64_nn", &full), "ampere_sgemm_128x64_nn");
	EXPECT_STR(full, "ampere_sgemm_128x64_nn");
}

TEST(the_name_of_an_operator_keeps_its_brackets)
{
	const char *full;

	EXPECT_STR(named("_ZltRK3fooS1_", &full), "operator<");
}

TEST(frames_of_the_cuda_libraries_and_their_entry_points_are_machinery)
{
	EXPECT(hd_gpu_is_cuda_frame("cudaLaunchKernel", "/usr/bin/app"));
	EXPECT(hd_gpu_is_cuda_frame("cuLaunchKernel", NULL));
	EXPECT(hd_gpu_is_cuda_frame("__cudart1234", "/usr/bin/app"));
	EXPECT(hd_gpu_is_cuda_frame("__device_stub__Z4tilePf", "/usr/bin/app"));
	EXPECT(hd_gpu_is_cuda_frame("", "/usr/lib/x86_64-linux-gnu/libcuda.so.535.54"));
	EXPECT(hd_gpu_is_cuda_frame(NULL, "/opt/cuda/lib64/libcudart.so.12"));
	EXPECT(hd_gpu_is_cuda_frame(NULL, "libcupti.so.13"));
}

TEST(frames_of_the_program_and_of_libraries_above_cuda_are_not)
{
	EXPECT(!hd_gpu_is_cuda_frame("curl_easy_perform", "/usr/lib/libcurl.so.4"));
	EXPECT(!hd_gpu_is_cuda_frame("cuda_wrapper", "/usr/bin/app"));
	EXPECT(!hd_gpu_is_cuda_frame("cublasSgemm_v2", "/usr/lib/libcublas.so.12"));
	EXPECT(!hd_gpu_is_cuda_frame("main", "/home/libcuda.so.d/app"));
	EXPECT(!hd_gpu_is_cuda_frame(NULL, NULL));
}

TEST_MAIN(RUN(a_kernel_is_named_without_template_arguments_and_parameters),
	RUN(the_name_of_an_operator_keeps_its_brackets),
	RUN(frames_of_the_cuda_libraries_and_their_entry_points_are_machinery),
	RUN(frames_of_the_program_and_of_libraries_above_cuda_are_not))
