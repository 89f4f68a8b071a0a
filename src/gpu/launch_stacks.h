/*
 * launch_stacks.h - the CPU stacks of GPU launches: (pid, correlation id) -> stack
 *
 * libhotdrift-cuda.so calls its function gpu_launch_marker(correlation) at each launch.  A recording with a uprobe on
 * that function has one sample per launch, whose field `corr` is the correlation id.  On x86-64 (%di is the register of
 * the argument):
 *
 *     perf probe -x libhotdrift-cuda.so 'gpu_launch_marker corr=%di:u32'
 *     perf record -k CLOCK_MONOTONIC -e cpu-clock/freq=499/ -e probe_libhotdrift:gpu_launch_marker -g -- ./app
 *
 * The innermost frames, which are those of libhotdrift-cuda.so and of the CUDA libraries, are removed from a stack.  So
 * it ends in the function of the program that launched.
 */
#ifndef HD_GPU_LAUNCH_STACKS_H
#define HD_GPU_LAUNCH_STACKS_H

#include "base/map.h"
#include "profile/profile.h"

#include <stdint.h>

#define HD_LAUNCH_FIELD "corr"			/* the marker's argument, as the probe names it */
/* the function with the uprobe; perf names the event GROUP:gpu_launch_marker and chooses GROUP */
#define HD_LAUNCH_MARKER "gpu_launch_marker"

struct hd_launch_stacks {
	struct hd_map stacks;		/* (pid, correlation id) -> stack id */
	uint64_t samples;		/* number of samples of the marker */
	uint64_t repeated;		/* number of ignored samples, whose (pid, correlation id) had a stack already */
};

/*
 * Fill `l`, which is zero-initialized, with the samples in `p` of the uprobe on gpu_launch_marker.  `field` is the
 * number of the field with the correlation id.
 */
void hd_launch_stacks_build(struct hd_launch_stacks *l, const struct hd_profile *p, size_t field);
/* Return true if this event is the uprobe on gpu_launch_marker. */
bool hd_launch_stacks_is_marker(const char *event);
void hd_launch_stacks_release(struct hd_launch_stacks *l);
/* Return the CPU stack of a launch; 0 if the launch has no sample. */
hd_stack_id hd_launch_stacks_get(const struct hd_launch_stacks *l, uint32_t pid, uint64_t correlation);

/*
 * Return true if a frame belongs to the CUDA libraries or to the recorder, and not to the program.  Stacks are cut
 * before such frames, and end with the launching function of the program: main;train;gemm;[GPU];kernel. function or
 * object may be NULL or "" if it is unknown.
 */
bool hd_gpu_is_cuda_frame(const char *function, const char *object);

#endif
