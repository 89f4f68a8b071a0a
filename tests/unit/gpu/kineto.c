#include "test.h"

#include "gpu/range_stack.h"
#include "gpu/kineto.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *const kinds[] = { "kernel", "copy", "set", "graph", "sync", "launch", "alloc", "free", "range",
	"metric" };

struct told {
	struct hd_gpu_dict dict;
	struct hd_gpu_capture capture;
	struct hd_log log;
	struct hd_buf text;
};

static void add_stack(struct told *t, uint32_t node)
{
	if (!node)
		return;
	add_stack(t, t->dict.nodes[node].caller);
	hd_buf_addf(&t->text, "%s;", hd_strtab_get(t->dict.names, t->dict.nodes[node].frame.name));
}

static int on_activity(void *context, const struct hd_gpu_activity *a, struct hd_err *err)
{
	struct told *t = context;

	(void)err;
	hd_buf_addf(&t->text, "%s %lld+%lld", kinds[a->kind], (long long)a->start_ns,
		(long long)(a->end_ns - a->start_ns));
	if (a->kind <= HD_GPU_SET)
		hd_buf_addf(&t->text, " d%u s%u", a->device, a->stream);
	else
		hd_buf_addf(&t->text, " t%u", a->tid);
	if (a->name)
		hd_buf_addf(&t->text, " %s", hd_strtab_get(t->dict.names, a->name));
	if (a->kind == HD_GPU_COPY)
		hd_buf_addf(&t->text, " %s %s>%s", hd_gpu_copy_name((enum hd_gpu_copy)a->copy),
			hd_gpu_memory_kind_name((enum hd_gpu_memory_kind)a->from),
			hd_gpu_memory_kind_name((enum hd_gpu_memory_kind)a->to));
	if (a->correlation)
		hd_buf_addf(&t->text, " p%u c%llu", a->pid, (unsigned long long)a->correlation);
	if (a->sized)
		hd_buf_addf(&t->text, " %llu bytes", (unsigned long long)a->bytes);
	hd_buf_adds(&t->text, a->stack ? " " : "");
	add_stack(t, a->stack);
	hd_buf_adds(&t->text, "\n");
	return 0;
}

static struct told read_text(const char *text)
{
	struct told t = { 0 };
	struct hd_gpu_sink sink;
	int fd = memfd_create("kineto", MFD_CLOEXEC);

	assert_int_not_equal(fd, -1);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	hd_gpu_dict_init(&t.dict, hd_strtab_new());
	sink = (struct hd_gpu_sink){ .dict = &t.dict,
		.capture = &t.capture,
		.log = &t.log,
		.activity = on_activity,
		.context = &t };
	EXPECT_INT(hd_gpu_kineto_read(fd, "t.json", &sink, NULL), 0);
	close(fd);
	return t;
}

static void release(struct told *t)
{
	struct hd_strtab *names = t->dict.names;

	hd_gpu_dict_release(&t->dict);
	hd_strtab_free(names);
	hd_gpu_capture_release(&t->capture);
	hd_log_release(&t->log);
	hd_buf_release(&t->text);
}

static void expect(const char *text, const char *activities)
{
	struct told t = read_text(text);

	EXPECT_STR(hd_buf_str(&t.text), activities);
	EXPECT_INT(t.log.n, 0);
	release(&t);
}

TEST(kernels_copies_and_sets_carry_device_stream_and_bytes)
{
	expect("{\"traceEvents\": ["
	       "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":10,\"dur\":2.5,"
	       "\"args\":{\"device\":0,\"stream\":7,\"correlation\":5}},"
	       "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy "
	       "HtoD (Pageable -> "
	       "Device)\",\"pid\":1,\"tid\":8,\"ts\":\"20\",\"dur\":1,"
	       "\"args\":{\"device\":1,\"stream\":8,\"correlation\":6,\"bytes\":64,\"memory "
	       "bandwidth (GB/s)\":inf}},{\"ph\":\"X\",\"cat\":\"gpu_memset\",\"name\":\"Memset "
	       "(Device)\",\"pid\":1,\"tid\":8,\"ts\":30,\"dur\":1,\"args\":{\"device\":1,\"stream\":9,\"bytes\":8}}]}",
		"kernel 10000+2500 d0 s7 gemm p0 c5\n"
		"copy 20000+1000 d1 s8 HtoD pageable>device p0 c6 64 bytes\n"
		"set 30000+1000 d1 s9 8 bytes\n");
}

TEST(old_categories_and_missing_arguments_are_understood)
{
	expect("[{\"ph\":\"X\",\"cat\":\"Kernel\",\"name\":\"k\",\"pid\":\"0\",\"tid\":\"7\",\"ts\":1,\"dur\":1},"
	       "{\"ph\":\"X\",\"cat\":\"Memcpy\",\"name\":\"Memcpy DtoH (Device -> "
	       "Pinned)\",\"pid\":0,\"tid\":7,\"ts\":2,\"dur\":1,\"args\":{}},"
	       "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"CopyDeviceToDevice\",\"pid\":0,"
	       "\"tid\":7,\"ts\":3,\"dur\":1,\"args\":{\"kind\":\"x\"}},"
	       "{\"ph\":\"X\",\"cat\":\"Memset\",\"name\":\"Memset "
	       "(Device)\",\"pid\":0,\"tid\":7,\"ts\":4,\"dur\":1},"
	       "{\"ph\":\"X\",\"cat\":\"Runtime\",\"name\":\"cudaFree\",\"pid\":3,\"tid\":4,\"ts\":5,\"dur\":1}]",
		"kernel 1000+1000 d0 s7 k\n"
		"copy 2000+1000 d0 s7 DtoH "
		"device>pinned\n" /* without args.bytes, as ROCm writes it, the size is not known */
		"copy 3000+1000 d0 s7 DtoD unknown>unknown\n"
		"set 4000+1000 d0 s7\n"
		"launch 5000+1000 t4 cudaFree\n");
}

TEST(times_of_today_stay_exact_and_the_base_is_added_wherever_it_stands)
{
	struct told t = read_text(
		"{\"traceEvents\": "
		"[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":2413669097444.592,\"dur\":1.76,"
		"\"args\":{\"device\":0,\"stream\":7}}],\"baseTimeNanoseconds\": "
		"1727743122000000000}");

	EXPECT_STR(hd_buf_str(&t.text), "kernel 1730156791097444592+1760 d0 s7 k\n");
	EXPECT_STR(t.capture.clock, "1970");
	EXPECT(t.capture.session_start_ns == 1730156791097444592 && t.capture.session_end_ns == 1730156791097446352);
	release(&t);
	expect("[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":1682725898236567.125,\"dur\":0.001,"
	"\"args\":{\"device\":0,\"stream\":7}}]",
		"kernel 1682725898236567125+1 d0 s7 k\n");
}

/* The kernel gets the pid of the only process.  The stack of a call is the ranges of its thread that contain it. */
TEST(launch_stacks_are_the_ranges_around_the_call)
{
	expect("{\"traceEvents\": ["
	       "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":50,\"dur\":1,"
	       "\"args\":{\"device\":0,\"stream\":7,\"correlation\":9}},"
	       "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":33,"
	       "\"tid\":44,\"ts\":12,\"dur\":2,\"args\":{\"correlation\":9}},"
	       "{\"ph\":\"X\",\"cat\":\"cuda_driver\",\"name\":\"cuLaunchKernel\",\"pid\":33,"
	       "\"tid\":45,\"ts\":13,\"dur\":2,\"args\":{\"correlation\":10}},"
	       "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::addmm\",\"pid\":33,"
	       "\"tid\":44,\"ts\":12,\"dur\":5},"
	       "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::linear\",\"pid\":33,"
	       "\"tid\":44,\"ts\":12,\"dur\":8},"
	       "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::before\",\"pid\":33,"
	       "\"tid\":44,\"ts\":11,\"dur\":1},{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"train.py(7): "
	       "step\",\"pid\":33,\"tid\":44,\"ts\":10,\"dur\":30},"
	       "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#17\",\"pid\":33,"
	       "\"tid\":44,\"ts\":10,\"dur\":40}]}",
		"range 10000+40000 t44 ProfilerStep\n"
		"range 11000+1000 t44 aten::before\n"
		"range 12000+5000 t44 aten::addmm\n"
		"range 12000+8000 t44 aten::linear\n"
		"launch 12000+2000 t44 cudaLaunchKernel p33 c9 ProfilerStep;train.py(7): "
		"step;aten::linear;aten::addmm;cudaLaunchKernel;\n"
		"launch 13000+2000 t45 cuLaunchKernel p33 c10 cuLaunchKernel;\n"
		"kernel 50000+1000 d0 s7 k p33 c9\n");
}

TEST(with_several_processes_the_latest_call_of_a_correlation_gives_the_process)
{
	expect("[{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"l\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,"
	"\"args\":{\"correlation\":9}},"
	       "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"l\",\"pid\":2,\"tid\":1,\"ts\":3,\"dur\":1,"
	       "\"args\":{\"correlation\":9}},"
	       "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":2,\"dur\":1,"
	       "\"args\":{\"device\":0,\"stream\":7,\"correlation\":9}},"
	       "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":4,\"dur\":1,"
	       "\"args\":{\"device\":0,\"stream\":7,\"correlation\":9}}]",
		"launch 1000+1000 t1 l p1 c9\n"
		"kernel 2000+1000 d0 s7 k p1 c9\n"
		"launch 3000+1000 t1 l p2 c9\n"
		"kernel 4000+1000 d0 s7 k p2 c9\n");
}

TEST(memory_events_of_a_gpu_are_allocations_and_frees)
{
	expect("[{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":1,\"tid\":2,\"ts\":5,"
	       "\"args\":{\"Addr\":4096,\"Bytes\":512,\"Device Type\":1,\"Device Id\":0,\"Total "
	       "Allocated\":512}},{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":1,"
	       "\"tid\":2,\"ts\":6,\"args\":{\"Addr\":4096,\"Bytes\":-512,\"Device "
	       "Type\":1,\"Device "
	       "Id\":0}},{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":2,\"ts\":7,"
	       "\"args\":{\"Addr\":1,\"Bytes\":5,\"Device "
	       "Type\":0}}]",
		"alloc 5000+0 t2 512 bytes\nfree 6000+0 t2 512 bytes\n");
}

TEST(the_trace_describes_itself)
{
	struct told t = read_text(
		"{\"schemaVersion\": 1, \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 3, \"world_size\": "
		"8},\"deviceProperties\": [{\"id\": 0, \"name\": \"A100\", \"totalGlobalMem\": 42297524224}, {\"id\": "
		"1, \"name\": \"unused\"}],\"traceEvents\": [{\"ph\":\"X\",\"cat\":\"Trace\",\"name\":\"PyTorch "
		"Profiler "
		"(0)\",\"pid\":\"Spans\",\"tid\":\"P\",\"ts\":5,\"dur\":90},"
		"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":7,\"tid\":0,\"args\":{\"name\":\"python3\"}},"
		"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"tid\":0,\"args\":{\"name\":\"python3\"}},"
		"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"l\",\"pid\":7,\"tid\":1,\"ts\":10,\"dur\":1},"
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":20,\"dur\":1,"
		"\"args\":{\"device\":0,\"stream\":7}}]}");
	const struct hd_gpu_capture *c = &t.capture;

	EXPECT_STR(c->source, "kineto");
	EXPECT_STR(c->version, "1, rank 3 of 8");
	EXPECT_STR(c->clock, "the trace's own");
	EXPECT(c->session_start_ns == 5000 && c->session_end_ns == 95000);
	EXPECT(c->has_device_tables && c->has_api && !c->has_memory && !c->has_stacks);
	EXPECT_INT(c->ndevices, 1);
	EXPECT_STR(hd_strtab_get(t.dict.names, c->devices[0].name), "A100");
	EXPECT(c->devices[0].total_bytes == 42297524224);
	EXPECT_INT(c->nprocesses, 1);
	EXPECT_INT(c->processes[0].pid, 7);
	release(&t);
}

TEST(a_trace_of_the_cpu_alone_has_no_room_for_devices)
{
	struct told t = read_text(
		"[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::add, op_id = "
		"17\",\"pid\":1,\"tid\":2,\"ts\":5,\"dur\":1}]");

	EXPECT_STR(hd_buf_str(&t.text), "range 5000+1000 t2 aten::add\n");
	EXPECT(!t.capture.has_device_tables && !t.capture.has_api);
	release(&t);
}

TEST(an_event_without_a_time_is_counted_with_its_offset)
{
	struct told t = read_text(
		"[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":1},"
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":null,\"dur\":1},"
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1e40,\"dur\":1},[1],7]");

	EXPECT_STR(hd_buf_str(&t.text), "");
	EXPECT_INT(t.log.n, 1);
	EXPECT_INT(t.log.items[0].count, 3);
	EXPECT_STR(t.log.items[0].code, "lost.kineto-event");
	EXPECT_STR(t.log.items[0].text, "t.json: the event at offset 1 has no valid ts and dur; it was skipped");
	release(&t);
}

TEST(deep_nesting_and_many_equal_starts_take_no_time)
{
	struct hd_buf in = { 0 };
	struct told t;

	hd_buf_adds(&in, "[");
	for (int i = 0; i < 20000; i++)
		hd_buf_addf(&in, "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"r\",\"ts\":5,\"dur\":%d},", i + 1);
	hd_buf_adds(&in, "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"call\",\"ts\":5,\"dur\":1}]");
	t = read_text(in.data);
	EXPECT_INT(t.dict.nnodes, HD_GPU_RANGE_DEPTH + 2);	/* the ranges, the call, and "no stack" */
	release(&t);
	hd_buf_release(&in);
}

TEST(distinct_names_are_bounded)
{
	enum { MANY = (1 << 18) + 1000 };
	struct hd_buf in = { 0 };
	struct told t;

	hd_buf_adds(&in, "[");
	for (int i = 0; i < MANY; i++)
		hd_buf_addf(&in, "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%d\",\"ts\":%d,\"dur\":1},", i, i);
	hd_buf_adds(&in, "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k7\",\"ts\":999999,\"dur\":1}]");
	t = read_text(in.data);
	EXPECT_INT(hd_strtab_count(t.dict.names), (1 << 18) + 2);	/* the limit, plus "" and "[other]" */
	EXPECT_STR(t.log.items[0].code, "lost.gpu-names");
	EXPECT_INT(t.log.items[0].count, 1000);
	EXPECT(strstr(t.text.data, " s0 k262143\n") && strstr(t.text.data, " s0 [other]\n") &&
		strstr(t.text.data, "kernel 999999000+1000 d0 s0 k7\n"));
	release(&t);
	hd_buf_release(&in);
}

TEST_MAIN(RUN(kernels_copies_and_sets_carry_device_stream_and_bytes),
	RUN(old_categories_and_missing_arguments_are_understood),
	RUN(times_of_today_stay_exact_and_the_base_is_added_wherever_it_stands),
	RUN(launch_stacks_are_the_ranges_around_the_call),
	RUN(with_several_processes_the_latest_call_of_a_correlation_gives_the_process),
	RUN(memory_events_of_a_gpu_are_allocations_and_frees), RUN(the_trace_describes_itself),
	RUN(a_trace_of_the_cpu_alone_has_no_room_for_devices), RUN(an_event_without_a_time_is_counted_with_its_offset),
	RUN(deep_nesting_and_many_equal_starts_take_no_time), RUN(distinct_names_are_bounded))
