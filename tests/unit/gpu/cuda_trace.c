/* cuda_trace.c - read traces of libhotdrift-cuda.so as activities, and report invalid records */
#include "test.h"

#include "base/buf.h"
#include "base/mem.h"
#include "gpu/cuda_trace.h"
#include "inject/format.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX = 64 };

struct world {
	struct hd_buf file;
	size_t block;			/* offset of the current block */
	uint32_t sequence;
	struct hd_strtab *names;
	struct hd_gpu_dict dict;
	struct hd_gpu_capture capture;
	struct hd_log log;
	struct hd_gpu_activity seen[MAX];
	size_t nseen;
};

static struct hd_cuda_header usual_header(void)
{
	struct hd_cuda_header h = { .version = 1,
		.header_bytes = HD_CUDA_HEADER,
		.begin_monotonic_ns = 1000,
		.begin_real_ns = 9000001000,
		.pid = 42,
		.flags = HD_CUDA_MONOTONIC,
		.comm = "app",
		.hostname = "vm" };

	memcpy(h.magic, HD_CUDA_MAGIC, 8);
	return h;
}

static void begin_block(struct world *w)
{
	struct hd_cuda_block b = { .magic = HD_CUDA_BLOCK, .bytes = sizeof(b), .sequence = w->sequence++ };

	w->block = w->file.len;
	hd_buf_add(&w->file, &b, sizeof(b));
}

static void begin(struct world *w, struct hd_cuda_header h)
{
	*w = (struct world){ .names = hd_strtab_new() };
	hd_gpu_dict_init(&w->dict, w->names);
	hd_buf_add(&w->file, &h, sizeof(h));
	begin_block(w);
}

static void grow_block(struct world *w, size_t bytes)
{
	uint32_t now;

	memcpy(&now, w->file.data + w->block + 4, sizeof(now));
	now += (uint32_t)bytes;
	memcpy(w->file.data + w->block + 4, &now, sizeof(now));
}

/* Append a record: its struct of `bytes` bytes, whose header is filled in here, and the `len` bytes at `rest`. */
static void add(struct world *w, void *record, size_t bytes, unsigned type, uint32_t n, const void *rest, size_t len)
{
	static const char zeros[8];
	size_t padding = -(bytes + len) % 8;
	struct hd_cuda_record head = { (uint16_t)type, (uint16_t)(bytes + len + padding), n };

	memcpy(record, &head, sizeof(head));
	hd_buf_add(&w->file, record, bytes);
	hd_buf_add(&w->file, rest, len);
	hd_buf_add(&w->file, zeros, padding);
	grow_block(w, head.bytes);
}

static void add_name(struct world *w, uint32_t id, const char *name)
{
	struct hd_cuda_text t = { .len = (uint32_t)strlen(name) };

	add(w, &t, sizeof(t), HD_CUDA_NAME, id, name, strlen(name));
}

static void add_kernel(struct world *w, uint32_t correlation, uint32_t name, uint64_t start, uint64_t end)
{
	struct hd_cuda_kernel k = { .start_ns = start, .end_ns = end, .name = name, .device = 1, .stream = 7 };

	add(w, &k, sizeof(k), HD_CUDA_KERNEL, correlation, "", 0);
}

static void add_launch(struct world *w, uint32_t correlation, uint32_t cbid, uint64_t start, uint32_t stack)
{
	struct hd_cuda_launch l = { .start_ns = start,
		.end_ns = start + 5,
		.tid = 43,
		.stack = stack,
		.domain = 2,
		.cbid = cbid };

	add(w, &l, sizeof(l), HD_CUDA_LAUNCH, correlation, "", 0);
}

static void add_stack(struct world *w, uint32_t id, const uint64_t *address, uint32_t depth)
{
	struct hd_cuda_stack s = { .depth = depth };

	add(w, &s, sizeof(s), HD_CUDA_STACK, id, address, depth * sizeof(*address));
}

static int on_activity(void *context, const struct hd_gpu_activity *a, struct hd_err *err)
{
	struct world *w = context;

	(void)err;
	if (w->nseen < MAX)
		w->seen[w->nseen++] = *a;
	return 0;
}

static int read_all(struct world *w, const struct hd_cuda_trace_lookup *ask, struct hd_err *err)
{
	struct hd_gpu_sink sink = { .dict = &w->dict,
		.capture = &w->capture,
		.log = &w->log,
		.activity = on_activity,
		.context = w };
	int fd = memfd_create("trace", MFD_CLOEXEC), rc;

	EXPECT(fd >= 0 && write(fd, w->file.data, w->file.len) == (ssize_t)w->file.len);
	rc = hd_cuda_trace_read(fd, "t", &sink, ask, err);
	close(fd);
	return rc;
}

static void end(struct world *w)
{
	hd_buf_release(&w->file);
	hd_gpu_dict_release(&w->dict);
	hd_gpu_capture_release(&w->capture);
	hd_strtab_free(w->names);
	hd_log_release(&w->log);
}

static void add_end(struct world *w)
{
	struct hd_cuda_end e = { .monotonic_ns = 5000 };

	add(w, &e, sizeof(e), HD_CUDA_END, 0, "", 0);
}

static const char *text(const struct world *w, const char *code)
{
	const struct hd_warning *found = hd_log_find(&w->log, code);

	return found ? found->text : "no such warning";
}

TEST(activities_come_by_start_with_their_launch_before_them)
{
	const uint64_t addresses[] = { 0x30, 0x20, 0x10 };
	struct world w;
	struct hd_err err;

	begin(&w, usual_header());
	add_name(&w, 1, "gemm");
	add_kernel(&w, 6, 1, 2000, 2500);
	add_kernel(&w, 5, 1, 1600, 1900);
	add_stack(&w, 1, addresses, 3);
	add_launch(&w, 5, 211, 1600, 1);
	begin_block(&w);
	add_launch(&w, 6, 311, 1700, 0);
	add_end(&w);
	EXPECT_INT(read_all(&w, NULL, &err), 0);
	EXPECT_INT(w.log.n, 0);
	EXPECT_INT(w.nseen, 4);
	EXPECT(w.seen[0].kind == HD_GPU_LAUNCH && w.seen[0].correlation == 5 && w.seen[0].tid == 43 &&
		w.seen[0].pid == 42);
	EXPECT_STR(hd_strtab_get(w.names, w.seen[0].name), "cudaLaunchKernel");
	EXPECT(w.seen[1].kind == HD_GPU_KERNEL && w.seen[1].correlation == 5 && w.seen[1].end_ns == 1900 &&
		w.seen[1].device == 1);
	EXPECT_STR(hd_strtab_get(w.names, w.seen[2].name), "cudaGraphLaunch");
	EXPECT(w.seen[3].kind == HD_GPU_KERNEL && w.seen[3].start_ns == 2000 && w.seen[3].stream == 7);
	EXPECT_STR(hd_strtab_get(w.names, w.seen[3].name), "gemm");
	EXPECT(w.dict.nodes[w.seen[0].stack].frame.address == 0x30);
	EXPECT(w.dict.nodes[w.dict.nodes[w.seen[0].stack].caller].frame.address == 0x20);
	EXPECT_INT(w.seen[2].stack, 0);
	EXPECT_INT(w.capture.epoch_ns, 9000000000);
	EXPECT_INT(w.capture.session_start_ns, 1000);
	EXPECT_INT(w.capture.session_end_ns, 5000);
	end(&w);
}

TEST(copies_sets_waits_and_devices_are_those_of_the_records)
{
	struct hd_cuda_copy c = { .start_ns = 10, .end_ns = 20, .bytes = 4096, .kind = 1, .from = 1, .to = 3 };
	struct hd_cuda_set s = { .start_ns = 30, .end_ns = 40, .bytes = 100, .memory = 3 };
	struct hd_cuda_sync y = { .start_ns = 50, .end_ns = 60, .kind = 3 };
	struct hd_cuda_device d = { .memory_bytes = 16, .bandwidth = 7, .name_len = 4 };
	struct hd_cuda_lost l = { .cupti = 3, .no_memory = 4 };
	struct world w;
	struct hd_err err;

	begin(&w, usual_header());
	add(&w, &c, sizeof(c), HD_CUDA_COPY, 1, "", 0);
	add(&w, &s, sizeof(s), HD_CUDA_SET, 2, "", 0);
	add(&w, &y, sizeof(y), HD_CUDA_SYNC, 3, "", 0);
	add(&w, &d, sizeof(d), HD_CUDA_DEVICE, 2, "H200", 4);
	add(&w, &l, sizeof(l), HD_CUDA_LOST, 0, "", 0);
	add_end(&w);
	EXPECT_INT(read_all(&w, NULL, &err), 0);
	EXPECT_INT(w.nseen, 3);
	EXPECT(w.seen[0].kind == HD_GPU_COPY && w.seen[0].copy == HD_GPU_HTOD && w.seen[0].sized &&
		w.seen[0].bytes == 4096);
	EXPECT(w.seen[0].from == HD_GPU_PAGEABLE && w.seen[0].to == HD_GPU_DEVICE_MEMORY);
	EXPECT(w.seen[1].kind == HD_GPU_SET && w.seen[1].bytes == 100);
	EXPECT(w.seen[2].kind == HD_GPU_SYNC && w.seen[2].sync == HD_GPU_SYNC_STREAM);
	EXPECT_INT(w.capture.ndevices, 1);
	EXPECT(w.capture.devices[0].id == 2 && w.capture.devices[0].total_bytes == 16 &&
		w.capture.devices[0].bandwidth_bytes == 7000);
	EXPECT_INT(w.capture.dropped, 7);
	end(&w);
}

TEST(the_command_is_its_arguments_also_when_the_last_one_was_cut)
{
	struct hd_cuda_text t = { .len = 7 };
	struct world w;
	struct hd_err err;

	begin(&w, usual_header());
	add(&w, &t, sizeof(t), HD_CUDA_COMMAND, 0, "app\0run", 7);
	add(&w, &t, sizeof(t), HD_CUDA_COMMAND, 0, "another", 7);
	add_end(&w);
	EXPECT_INT(read_all(&w, NULL, &err), 0);
	EXPECT_INT(w.capture.command_len, 8);
	EXPECT_MEM(w.capture.command, "app\0run", 8);
	end(&w);
}

TEST(times_of_the_other_clock_are_moved_to_the_monotonic_one)
{
	struct hd_cuda_header h = usual_header();
	struct world w;
	struct hd_err err;

	h.flags = 0;
	begin(&w, h);
	add_launch(&w, 5, 211, 1500, 0);
	add_kernel(&w, 5, 0, 9000001600, 9000001700);
	add_end(&w);
	EXPECT_INT(read_all(&w, NULL, &err), 0);
	EXPECT_INT(w.seen[0].start_ns, 1500);
	EXPECT_INT(w.seen[1].start_ns, 1600);
	end(&w);
}

TEST(a_block_counts_as_far_as_it_lies_in_the_file)
{
	struct world w;
	struct hd_err err;

	begin(&w, usual_header());
	add_kernel(&w, 1, 0, 100, 200);
	add_kernel(&w, 2, 0, 300, 400);
	add_kernel(&w, 3, 0, 500, 600);
	w.file.len -= 8;
	EXPECT_INT(read_all(&w, NULL, &err), 0);
	EXPECT_INT(w.nseen, 2);
	EXPECT_STR(text(&w, "lost.gpu-block"), "t: the block at 0x200 has 296 bytes, of which 288 are in the file");
	EXPECT_STR(text(&w, "gpu.cut"),
		"t: the process was killed or called _exit or exec: records after the last write are missing");
	end(&w);
}

TEST(a_block_that_is_missing_or_damaged_is_reported)
{
	struct world w;
	struct hd_err err;

	begin(&w, usual_header());
	add_kernel(&w, 1, 0, 100, 200);
	w.sequence = 4;
	begin_block(&w);
	add_kernel(&w, 2, 0, 300, 400);
	hd_buf_add(&w.file, "rubbish that is no block of a trace", 32);
	EXPECT_INT(read_all(&w, NULL, &err), 0);
	EXPECT_INT(w.nseen, 2);
	EXPECT_STR(text(&w, "lost.gpu-block"), "t: the block at 0x278 has number 4 instead of 1");
	EXPECT_INT(hd_log_find(&w.log, "lost.gpu-block")->count, 2);
	end(&w);
}

TEST(records_that_are_too_short_or_refer_to_nothing_are_counted)
{
	struct hd_cuda_text longer = { .len = 1000 };
	struct hd_cuda_module m = { .nsegments = 1, .path_len = 4000 };
	struct hd_cuda_stack s = { .depth = 200 };
	struct hd_cuda_record kernel = { 0 };
	struct world w;
	struct hd_err err;

	begin(&w, usual_header());
	add(&w, &longer, sizeof(longer), HD_CUDA_NAME, 1, "x", 1);
	add(&w, &m, sizeof(m), HD_CUDA_MODULE, 1, "", 0);
	add(&w, &s, sizeof(s), HD_CUDA_STACK, 1, "", 0);
	add(&w, &kernel, sizeof(kernel), HD_CUDA_KERNEL, 1, "", 0);
	add_name(&w, 4000000000, "far");
	add_name(&w, 1, "first");
	add_name(&w, 1, "again");
	add_kernel(&w, 9, 77, 100, 200);
	add_end(&w);
	EXPECT_INT(read_all(&w, NULL, &err), 0);
	EXPECT_INT(w.nseen, 1);
	EXPECT_INT(w.seen[0].name, 0);
	EXPECT_INT(hd_log_find(&w.log, "lost.gpu-record")->count, 6);
	end(&w);
}

TEST(a_trace_without_activity_says_why)
{
	struct hd_cuda_header h = usual_header();
	struct world w;
	struct hd_err err;

	h.status = HD_CUDA_BUSY;
	h.result = 39;
	memcpy(h.reason, "cuptiSubscribe: busy", 21);
	begin(&w, h);
	w.file.len = HD_CUDA_HEADER;
	EXPECT_INT(read_all(&w, NULL, &err), 0);
	EXPECT_STR(text(&w, "gpu.not-recorded"),
		"t: no GPU activity was recorded: cuptiSubscribe: busy (CUPTI's result was 39)");
	EXPECT(!w.capture.has_device_tables);
	end(&w);
}

TEST(a_trace_that_could_not_be_written_says_so)
{
	struct hd_cuda_header h = usual_header();
	struct world w;
	struct hd_err err;

	h.write_error = 28;
	begin(&w, h);
	EXPECT_INT(read_all(&w, NULL, &err), 0);
	EXPECT_STR(text(&w, "lost.gpu-write"),
		"t: the trace ends early, because it could not be written: No space left on device");
	end(&w);
}

TEST(a_header_that_is_cut_or_of_another_version_is_an_error)
{
	struct hd_cuda_header h = usual_header();
	struct world w;
	struct hd_err err;

	begin(&w, h);
	w.file.len = 100;
	EXPECT_INT(read_all(&w, NULL, &err), HD_EFORMAT);
	EXPECT_STR(err.msg, "t: the header of a GPU trace has 512 bytes, and the file has 100");
	end(&w);
	h.version = 2;
	begin(&w, h);
	EXPECT_INT(read_all(&w, NULL, &err), HD_EFORMAT);
	EXPECT_STR(err.msg, "t: version 2 of a GPU trace with a header of 512 bytes; version 1 with 512 is read");
	end(&w);
}

struct asked { uint32_t modules, at; char path[64]; uint64_t start; };

static void on_module(void *context, const struct hd_cuda_trace_module *m)
{
	struct asked *a = context;

	a->modules++;
	memcpy(a->path, m->path, m->path_len);
	a->start = m->nsegments ? m->segments[0].start : 0;
}

static uint32_t on_stack(void *context, struct hd_gpu_dict *dict, const uint64_t *address, size_t n, uint32_t modules)
{
	struct asked *a = context;

	EXPECT_INT(a->modules, 2);
	a->at = modules;
	EXPECT(n == 1 && address[0] == 0x1234);
	return hd_gpu_dict_stack(dict, 0, &(struct hd_gpu_frame){ .name = hd_strtab_add(dict->names, "main") });
}

static void on_kernel(void *context, struct hd_gpu_dict *dict, const char *linked, uint32_t *name, uint32_t *full)
{
	(void)context;
	EXPECT_STR(linked, "_Z1fv");
	*name = hd_strtab_add(dict->names, "f");
	*full = hd_strtab_add(dict->names, "f()");
}

TEST(the_caller_looks_up_stacks_after_all_modules_and_names_kernels)
{
	const struct { struct hd_cuda_segment segment; char path[8]; } rest = { { 0x1000, 0x1000, 0 }, "/bin/app" };
	struct hd_cuda_module m = { .nsegments = 1, .path_len = 8 };
	struct asked a = { 0 };
	struct hd_cuda_trace_lookup ask = { .context = &a,
		.module = on_module,
		.stack = on_stack,
		.kernel = on_kernel };
	struct world w;
	struct hd_err err;

	begin(&w, usual_header());
	add(&w, &m, sizeof(m), HD_CUDA_MODULE, 1, &rest, sizeof(rest));
	add_stack(&w, 1, (const uint64_t[]){ 0x1234 }, 1);
	add(&w, &m, sizeof(m), HD_CUDA_MODULE, 2, &rest, sizeof(rest));
	add_name(&w, 1, "_Z1fv");
	add_launch(&w, 5, 211, 1500, 1);
	add_kernel(&w, 5, 1, 1600, 1700);
	add_end(&w);
	EXPECT_INT(read_all(&w, &ask, &err), 0);
	EXPECT_INT(a.at, 1);
	EXPECT_STR(a.path, "/bin/app");
	EXPECT_INT(a.start, 0x1000);
	EXPECT_STR(hd_strtab_get(w.names, w.dict.nodes[w.seen[0].stack].frame.name), "main");
	EXPECT_STR(hd_strtab_get(w.names, w.seen[1].name), "f");
	EXPECT_STR(hd_strtab_get(w.names, w.seen[1].full), "f()");
	end(&w);
}

TEST_MAIN(RUN(activities_come_by_start_with_their_launch_before_them),
	RUN(copies_sets_waits_and_devices_are_those_of_the_records),
	RUN(the_command_is_its_arguments_also_when_the_last_one_was_cut),
	RUN(times_of_the_other_clock_are_moved_to_the_monotonic_one), RUN(a_block_counts_as_far_as_it_lies_in_the_file),
	RUN(a_block_that_is_missing_or_damaged_is_reported),
	RUN(records_that_are_too_short_or_refer_to_nothing_are_counted), RUN(a_trace_without_activity_says_why),
	RUN(a_trace_that_could_not_be_written_says_so), RUN(a_header_that_is_cut_or_of_another_version_is_an_error),
	RUN(the_caller_looks_up_stacks_after_all_modules_and_names_kernels))
