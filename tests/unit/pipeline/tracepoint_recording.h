/*
 * tracepoint_recording.h - make pipe output with many fields, in either byte order: tracepoints, cgroups, a data
 * source
 *
 *     events   sched:sched_switch (id 1)   prev_comm, prev_pid, ret, comm
 *              kmem:kmalloc (id 2)         bytes_req, ptr
 *              cpu-clock (id 3)            addr, weights, data source, cgroup
 */
#ifndef TESTS_UNIT_PIPELINE_TRACED_H
#define TESTS_UNIT_PIPELINE_TRACED_H

#include "tracing_data.h"
#include "unit/tmpdir.h"

#include "pipeline/pipeline.h"

enum {
	TRACED = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
		PERF_SAMPLE_PERIOD,
	MEMORY = PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_CGROUP,
};

#define SWITCH_FORMAT								\
	"name: sched_switch\nID: 316\nformat:\n"				\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"	\
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"		\
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:1;\n"		\
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"		\
	"\tfield:__data_loc char[] comm;\toffset:28;\tsize:4;\tsigned:1;\n"	\
	"\tfield:long ret;\toffset:32;\tsize:8;\tsigned:1;\n\nprint fmt: \"\"\n"
#define KMALLOC_FORMAT								\
	"name: kmalloc\nID: 400\nformat:\n"					\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n" \
	"\tfield:const void * ptr;\toffset:8;\tsize:8;\tsigned:0;\n"		\
	"\tfield:size_t bytes_req;\toffset:16;\tsize:8;\tsigned:0;\n\nprint fmt: \"\"\n"

static inline void tracing_data(struct image *im)
{
	tracing_record(im,
		(const struct tracing_system[]){ { "sched", { SWITCH_FORMAT } }, { "kmem", { KMALLOC_FORMAT } } });
}

static inline size_t traced_sample(struct image *im, uint64_t id, int32_t pid, uint64_t time_ns, uint64_t addr,
	uint64_t period)
{
	size_t r = rec(im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	u64(im, id);
	u64(im, 0x1000);
	u32(im, (uint32_t)pid);
	u32(im, (uint32_t)pid);
	u64(im, time_ns);
	if (id == 3)
		u64(im, addr);
	u32(im, 1);
	u32(im, 0);
	u64(im, period);
	return r;
}

static inline void switched(struct image *im, const char *prev_comm, int32_t prev_pid, int64_t ret, const char *comm)
{
	size_t r = traced_sample(im, 1, 10, 1000000000, 0, 1);

	u32(im, 52);
	u16(im, 316);
	u16(im, 0);
	u32(im, 10);
	text(im, prev_comm, 16);
	u32(im, (uint32_t)prev_pid);
	u32(im, (uint32_t)(strlen(comm) + 1) << 16 | 40);
	u64(im, (uint64_t)ret);
	text(im, comm, 12);
	end(im, r);
}

static inline void allocated(struct image *im, uint64_t ptr, uint64_t bytes)
{
	size_t r = traced_sample(im, 2, 10, 2000000000, 0, 1);

	u32(im, 28);
	u16(im, 400);
	u16(im, 0);
	u32(im, 0);
	u64(im, ptr);
	u64(im, bytes);
	text(im, "", 4);
	end(im, r);
}

static inline void touched(struct image *im, uint64_t addr, uint64_t weights, uint64_t source, uint64_t cgroup)
{
	size_t r = traced_sample(im, 3, 20, 3000000000, addr, 5);

	u64(im, weights);
	u64(im, source);
	u64(im, cgroup);
	end(im, r);
}

static inline void named(struct image *im, uint32_t type, uint64_t id, const char *name)
{
	size_t r = rec(im, type, 0);

	if (type == PERF_RECORD_COMM) {
		u32(im, (uint32_t)id);
		u32(im, (uint32_t)id);
	} else {
		u64(im, id);
	}
	text(im, name, 24);
	end(im, r);
}

static inline struct image traced(bool swap)
{
	struct image im = pipe_image(swap);

	attr_record(&im,
		(struct attr){ .type = PERF_TYPE_TRACEPOINT, .config = 316, .sample_type = TRACED | PERF_SAMPLE_RAW },
		1);
	attr_record(&im,
		(struct attr){ .type = PERF_TYPE_TRACEPOINT, .config = 400, .sample_type = TRACED | PERF_SAMPLE_RAW },
		2);
	attr_record(&im, (struct attr){ .type = PERF_TYPE_SOFTWARE, .sample_type = TRACED | MEMORY }, 3);
	tracing_data(&im);
	named(&im, PERF_RECORD_COMM, 10, "app");
	named(&im, PERF_RECORD_COMM, 20, "tool");
	named(&im, PERF_RECORD_CGROUP, 1, "/a.slice");
	switched(&im, "bash", 7, -2, "one");
	switched(&im, "bash", 8, 5, "two");
	switched(&im, "a;\x1b[b", -1, 5, "two");
	allocated(&im, UINT64_C(0xffff888000000010), 100);
	allocated(&im, UINT64_C(0xffff888000000020), 28);
	touched(&im, 0x7000, UINT64_C(0x0003000200000009), 0x142, 1);
	touched(&im, 0, UINT64_C(0x0003000200000001), 0x142, 99);
	return im;
}

static inline char *traced_file(const char *dir, const struct image *im)
{
	return put_file(dir, "t.data", im->b.data, im->b.len);
}

#endif
