/*
 * launch_stacks.c - find the CPU stack of a GPU launch by its process and correlation ID
 */
#include "test.h"

#include "gpu/launch_stacks.h"

/* Return a profile with the field HD_LAUNCH_FIELD, and the events cpu-clock (0) and the marker of launches (1). */
static struct hd_profile *recording(void)
{
	static const char *const fields[] = { HD_LAUNCH_FIELD };
	struct hd_profile *p = hd_profile_new();

	p->keys = HD_KEY_PID;
	hd_profile_keep_fields(p, fields, 1);
	hd_profile_add_event(p, "cpu-clock", "ns");
	hd_profile_add_event(p, "probe_libhotdrift:gpu_launch_marker", "events");
	return p;
}

static hd_stack_id below(struct hd_profile *p, hd_stack_id caller, const char *object, const char *name)
{
	uint32_t o = hd_profile_add_object(p, object, "", false);
	struct hd_frame f = { .symbol = hd_profile_add_named_symbol(p, o, name, false) };

	return hd_stacks_add(p->stacks, caller, hd_profile_add_frame(p, &f));
}

static void sample(struct hd_profile *p, uint32_t event, int32_t pid, uint64_t correlation, hd_stack_id stack)
{
	struct hd_value v = { .kind = HD_VALUE_UNSIGNED, .v = correlation };

	hd_profile_add_sample(p,
		&(struct hd_sample_row){ .event = event,
			.pid = pid,
			.tuple = hd_tuples_add(&p->tuples, &v),
			.stack = stack,
			.self = hd_stacks_frame(p->stacks, stack),
			.weight = 1,
			.count = 1 });
}

/*
 * Return the stack of a launch: main, gemm, and the CUDA libraries down to the marker, as in a program that is linked
 * with libcudart.  *gemm receives the stack main;gemm.
 */
static hd_stack_id launch(struct hd_profile *p, hd_stack_id *gemm)
{
	hd_stack_id at = below(p, (hd_stack_id){ 0 }, "/app", "main");

	at = *gemm = below(p, at, "/app", "gemm");
	at = below(p, at, "/usr/lib/libcudart.so.13", "cudaLaunchKernel");
	at = below(p, at, "/usr/lib/libcupti.so.13", "");
	return below(p, at, "/usr/lib/hotdrift/libhotdrift-cuda.so", HD_LAUNCH_MARKER);
}

TEST(a_launch_has_the_stack_of_the_function_that_called_into_the_cuda_libraries)
{
	struct hd_profile *p = recording();
	struct hd_launch_stacks l = { 0 };
	hd_stack_id gemm;

	sample(p, 1, 7, 42, launch(p, &gemm));
	hd_launch_stacks_build(&l, p, 0);
	EXPECT_INT(l.samples, 1);
	EXPECT_INT(hd_launch_stacks_get(&l, 7, 42).v, gemm.v);
	hd_launch_stacks_release(&l);
	hd_profile_free(p);
}

TEST(ids_are_those_of_a_process_and_0_and_ids_beyond_32_bits_are_none)
{
	struct hd_profile *p = recording();
	struct hd_launch_stacks l = { 0 };
	hd_stack_id gemm;

	sample(p, 1, 7, 1, launch(p, &gemm));
	hd_launch_stacks_build(&l, p, 0);
	EXPECT_INT(hd_launch_stacks_get(&l, 8, 1).v, 0);
	EXPECT_INT(hd_launch_stacks_get(&l, 7, 2).v, 0);
	EXPECT_INT(hd_launch_stacks_get(&l, 7, 0).v, 0);
	EXPECT_INT(hd_launch_stacks_get(&l, 7, ((uint64_t)1 << 32) + 1).v, 0);
	hd_launch_stacks_release(&l);
	hd_profile_free(p);
}

TEST(samples_of_other_events_are_no_launches)
{
	struct hd_profile *p = recording();
	struct hd_launch_stacks l = { 0 };
	hd_stack_id gemm;

	sample(p, 0, 7, 42, launch(p, &gemm));
	hd_launch_stacks_build(&l, p, 0);
	EXPECT_INT(l.samples, 0);
	EXPECT_INT(hd_launch_stacks_get(&l, 7, 42).v, 0);
	hd_launch_stacks_release(&l);
	hd_profile_free(p);
}

TEST(of_two_launches_with_one_id_the_first_counts_and_the_other_is_reported)
{
	struct hd_profile *p = recording();
	struct hd_launch_stacks l = { 0 };
	hd_stack_id gemm, other;

	sample(p, 1, 7, 42, launch(p, &gemm));
	other = below(p, (hd_stack_id){ 0 }, "/app", "other");
	sample(p, 1, 7, 42, other);
	hd_launch_stacks_build(&l, p, 0);
	EXPECT_INT(l.samples, 2);
	EXPECT_INT(l.repeated, 1);
	EXPECT_INT(hd_launch_stacks_get(&l, 7, 42).v, gemm.v);
	hd_launch_stacks_release(&l);
	hd_profile_free(p);
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

TEST_MAIN(RUN(a_launch_has_the_stack_of_the_function_that_called_into_the_cuda_libraries),
	  RUN(ids_are_those_of_a_process_and_0_and_ids_beyond_32_bits_are_none),
	  RUN(samples_of_other_events_are_no_launches),
	  RUN(of_two_launches_with_one_id_the_first_counts_and_the_other_is_reported),
	RUN(frames_of_the_cuda_libraries_and_their_entry_points_are_machinery),
	RUN(frames_of_the_program_and_of_libraries_above_cuda_are_not))
