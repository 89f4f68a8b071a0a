#include "test.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "render/trace_export.h"

#include <string.h>

/*
 * Write the capture of one device: a call in a range, the kernel that it launched, a copy, memory, a metric.  If not
 * `whole`, no activity is written, as after an error of the reader.  The caller releases the text.
 */
static struct hd_buf write_one(const struct hd_trace_export_format *format, bool whole)
{
	struct hd_strtab *names = hd_strtab_new();
	struct hd_gpu_device_info device = { .id = 0, .name = hd_strtab_add(names, "A \"100\""), .total_bytes = 1024 };
	struct hd_gpu_process process = { .pid = 33, .name = hd_strtab_add(names, "train") };
	struct hd_gpu_capture capture = {
		.clock = "1970", .session_start_ns = 1700000000000000000, .session_end_ns = 1700000000000100000,
		.devices = &device, .ndevices = 1, .processes = &process, .nprocesses = 1,
	};
	const int64_t t = capture.session_start_ns;
	const struct hd_gpu_activity all[] = {
		{ .kind = HD_GPU_RANGE,
			.start_ns = t,
			.end_ns = t + 9000,
			.name = hd_strtab_add(names, "step"),
			.pid = 33,
			.tid = 44 },
		{ .kind = HD_GPU_LAUNCH,
			.start_ns = t + 1001,
			.end_ns = t + 2000,
			.name = hd_strtab_add(names, "launch"),
			.pid = 33,
			.tid = 44,
			.correlation = 5 },
		{ .kind = HD_GPU_SYNC, .start_ns = t + 1001, .end_ns = t + 2000, .pid = 33, .tid = 44 },
		{ .kind = HD_GPU_ALLOC,
			.start_ns = t + 2500,
			.end_ns = t + 2500,
			.pid = 33,
			.tid = 44,
			.address = 4096,
			.bytes = 512,
			.sized = true },
		{ .kind = HD_GPU_KERNEL,
			.start_ns = t + 3000,
			.end_ns = t + 4000,
			.name = hd_strtab_add(names, "gemm\x01"),
			.full = hd_strtab_add(names, "gemm<4>"),
			.pid = 33,
			.tid = 44,
			.stream = 7,
			.correlation = 5,
			.joined = true,
			.launch_ns = t + 1001 },
		{ .kind = HD_GPU_COPY,
			.start_ns = t + 5000,
			.end_ns = t + 6000,
			.pid = 33,
			.stream = 7,
			.copy = HD_GPU_HTOD,
			.from = HD_GPU_PAGEABLE,
			.to = HD_GPU_DEVICE_MEMORY,
			.bytes = 0,
			.sized = true },
		{ .kind = HD_GPU_KERNEL,
			.start_ns = t + 5500,
			.end_ns = t + 7000,
			.name = hd_strtab_add(names, "gemm\x01"),
			.stream = 7 },
		{ .kind = HD_GPU_FREE,
			.start_ns = t + 7500,
			.end_ns = t + 7500,
			.pid = 33,
			.tid = 44,
			.address = 4096,
			.bytes = 512,
			.sized = true },
		{ .kind = HD_GPU_METRIC,
			.start_ns = t + 8000,
			.end_ns = t + 8000,
			.name = hd_strtab_add(names, "SM active"),
			.value = 62.5 },
	};
	struct hd_gpu_dict dict;
	struct hd_trace_export f;
	struct hd_outfile out;
	struct hd_buf text;

	hd_gpu_dict_init(&dict, names);
	hd_outfile_memory(&out);
	hd_trace_export_begin(&f, format, &out, &dict, &capture);
	for (size_t i = 0; whole && i < HD_COUNT(all); i++)
		EXPECT_INT(hd_trace_export_add(&f, &all[i], NULL), 0);
	hd_trace_export_end(&f, whole);
	text = out.pending;
	out.pending = (struct hd_buf){ 0 };
	hd_outfile_discard(&out);
	hd_gpu_dict_release(&dict);
	hd_strtab_free(names);
	return text;
}

TEST(a_chrome_trace_has_an_event_a_line)
{
	struct hd_buf b = write_one(&hd_trace_export_chrome, true);

	EXPECT_STR(hd_buf_str(&b),
		"{\n\"schemaVersion\": 1,\n\"generator\": \"hotdrift " HD_VERSION "\",\n\"displayTimeUnit\": \"ns\",\n"
		"\"baseTimeNanoseconds\": 1700000000000000000,\n"
		"\"deviceProperties\": [\n"
		"{\"id\": 0, \"name\": \"A \\\"100\\\"\", \"totalGlobalMem\": 1024}],\n"
		"\"traceEvents\": [\n"
		"{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 33, \"tid\": 0, \"args\": {\"name\": "
		"\"train\"}},\n"
		"{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 33, \"tid\": 44, \"args\": {\"name\": \"thread "
		"44\"}},\n"
		"{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"step\", \"pid\": 33, \"tid\": 44, \"ts\": "
		"0.000, \"dur\": 9.000},\n"
		"{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"launch\", \"pid\": 33, \"tid\": 44, \"ts\": "
		"1.001, \"dur\": 0.999, \"args\": {\"correlation\": 5}},\n"
		"{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 0, \"tid\": 0, \"args\": {\"name\": \"GPU 0: A "
		"\\\"100\\\"\"}},\n"
		"{\"ph\": \"i\", \"s\": \"t\", \"cat\": \"cpu_instant_event\", \"name\": \"[memory]\", \"pid\": 33, "
		"\"tid\": 44, \"ts\": 2.500, \"args\": {\"Addr\": 4096, \"Bytes\": 512, \"Device Type\": 1, \"Device "
		"Id\": 0}},\n"
		"{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 0, \"tid\": 7, \"args\": {\"name\": \"stream "
		"7\"}},\n"
		"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm\\\\x01\", \"pid\": 0, \"tid\": 7, \"ts\": "
		"3.000, \"dur\": 1.000, \"args\": {\"device\": 0, \"context\": 0, \"stream\": 7, \"correlation\": 5, "
		"\"full name\": \"gemm<4>\"}},\n"
		"{\"ph\": \"s\", \"cat\": \"ac2g\", \"name\": \"ac2g\", \"id\": 1, \"pid\": 33, \"tid\": 44, \"ts\": "
		"1.001},\n"
		"{\"ph\": \"f\", \"bp\": \"e\", \"cat\": \"ac2g\", \"name\": \"ac2g\", \"id\": 1, \"pid\": 0, \"tid\": "
		"7, \"ts\": 3.000},\n"
		"{\"ph\": \"X\", \"cat\": \"gpu_memcpy\", \"name\": \"Memcpy HtoD (pageable -> device)\", \"pid\": 0, "
		"\"tid\": 7, \"ts\": 5.000, \"dur\": 1.000, \"args\": {\"device\": 0, \"context\": 0, \"stream\": 7, "
		"\"bytes\": 0}},\n"
		"{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 0, \"tid\": 4294967303, \"args\": {\"name\": "
		"\"stream 7 (2)\"}},\n"
		"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm\\\\x01\", \"pid\": 0, \"tid\": 4294967303, "
		"\"ts\": 5.500, \"dur\": 1.500, \"args\": {\"device\": 0, \"context\": 0, \"stream\": 7}},\n"
		"{\"ph\": \"i\", \"s\": \"t\", \"cat\": \"cpu_instant_event\", \"name\": \"[memory]\", \"pid\": 33, "
		"\"tid\": 44, \"ts\": 7.500, \"args\": {\"Addr\": 4096, \"Bytes\": -512, \"Device Type\": 1, \"Device "
		"Id\": 0}},\n"
		"{\"ph\": \"C\", \"pid\": 0, \"tid\": 0, \"name\": \"SM active\", \"ts\": 8.000, \"args\": {\"value\": "
		"62.5}},\n"
		"{\"ph\": \"X\", \"cat\": \"Trace\", \"name\": \"session\", \"pid\": \"Spans\", \"tid\": \"session\", "
		"\"ts\": 0.000, \"dur\": 100.000}\n"
		"]\n"
		"}\n");
	hd_buf_release(&b);
}

/* ---- protocol buffers, read back by their wire format alone ---- */

static uint64_t varint(struct hd_bytes *b)
{
	uint64_t v = 0;

	for (int shift = 0; shift < 64; shift += 7) {
		uint8_t byte = hd_bytes_u8(b);

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			break;
	}
	return v;
}

/*
 * Return true if the field of a message is a message itself.  A message is named by its field in the outer message.
 * All other fields with bytes are text.
 */
static bool is_message(unsigned parent, unsigned field)
{
	static const struct { unsigned parent, field; } messages[] = {
		{ 0, 1 }, { 1, 11 }, { 1, 12 }, { 1, 60 }, { 11, 4 }, { 12, 2 }, { 60, 3 }, { 60, 4 }, { 60, 8 },
	};

	for (size_t i = 0; i < HD_COUNT(messages); i++)
		if (messages[i].parent == parent && messages[i].field == field)
			return true;
	return false;
}

/*
 * Write the fields of a message, such as "8:3000 11{9:1 23:"gemm"} ".  64-bit IDs of tracks are written as A, B, C,
 * ... in the order in which they occur.
 */
static void show(struct hd_buf *out, struct hd_bytes b, unsigned parent, struct hd_map *ids)
{
	while (hd_bytes_left(&b)) {
		uint64_t tag = varint(&b), v, n;
		unsigned field = (unsigned)(tag >> 3);
		const char *p;

		switch (tag & 7) {
		case 0:
			v = varint(&b);
			if (v >> 40) {
				if (!hd_map_has(ids, v))
					hd_map_put(ids, v, (uint32_t)ids->n);
				hd_buf_addf(out, "%u:%c ", field, 'A' + (int)hd_map_get(ids, v));
			} else {
				hd_buf_addf(out, "%u:%llu ", field, (unsigned long long)v);
			}
			break;
		case 1:
			v = hd_bytes_u64(&b);
			if (field == 44)
				hd_buf_addf(out, "44:%llx ", (unsigned long long)v);
			else
				hd_buf_addf(out, "%u:flow ", field);
			break;
		case 2:
			n = varint(&b);
			p = hd_bytes_skip(&b, n);
			assert_non_null(p);
			hd_buf_addf(out, "%u", field);
			if (is_message(parent, field)) {
				hd_buf_adds(out, "{");
				show(out, hd_bytes_over(p, n, false), field, ids);
				hd_buf_adds(out, parent ? "} " : "}\n");
			} else {
				hd_buf_addf(out, ":%.*s ", (int)n, p);
			}
			break;
		default:
			fail_msg("wire type %d", (int)(tag & 7));
		}
	}
	EXPECT(!b.bad);
}

TEST(a_perfetto_trace_is_a_list_of_packets)
{
	struct hd_buf b = write_one(&hd_trace_export_perfetto, true), out = { 0 };
	struct hd_map ids = { 0 };

	show(&out, hd_bytes_over(b.data, b.len, false), 0, &ids);
	EXPECT_STR(hd_buf_str(&out),
		"1{87:1 13:3 10:1 }\n" /* the first packet of the sequence: earlier state is cleared */
		"1{60{1:A 2:train 3{1:33 6:train } } 13:2 10:1 }\n" /* a process, its thread */
		"1{60{1:B 5:A 2:thread 44 4{1:33 2:44 5:thread 44 } } 13:2 10:1 }\n"
		"1{8:0 12{2{1:3 2:step } } 11{9:1 11:B 22:user_annotation 10:3 } "
		"13:2 10:1 }\n" /* begin of the range; its name is interned */
		"1{8:9000 11{9:2 11:B } 13:2 10:1 }\n" /* the end of the range */
		"1{8:1001 12{2{1:4 2:launch } } 11{9:1 11:B 22:cuda_runtime 10:4 4{10:correlation 3:5 } 47:flow } 13:2 "
		"10:1 }\n"
		"1{8:2000 11{9:2 11:B } 13:2 10:1 }\n"
		"1{60{1:C 2:GPU 0: A \"100\" } 13:2 10:1 }\n" /* a device */
		"1{60{1:D 5:C 2:allocated 8{3:3 } } 13:2 10:1 }\n" /* a counter of bytes */
		"1{8:2500 11{9:4 11:D 30:512 } 13:2 10:1 }\n"
		"1{60{1:E 5:C 2:stream 7 } 13:2 10:1 }\n"
		"1{8:3000 12{2{1:5 2:gemm\\x01 } } 11{9:1 11:E 22:kernel 10:5 4{10:correlation 3:5 } 4{10:stream 3:7 } "
		"47:flow } 13:2 10:1 }\n"
		"1{8:4000 11{9:2 11:E } 13:2 10:1 }\n"
		"1{8:5000 11{9:1 11:E 22:gpu_memcpy 23:Memcpy HtoD (pageable -> device) 4{10:stream 3:7 } 4{10:bytes "
		"3:0 } } 13:2 10:1 }\n"
		"1{8:6000 11{9:2 11:E } 13:2 10:1 }\n"
		"1{60{1:F 5:C 2:stream 7 (2) } 13:2 10:1 }\n" /* overlaps the copy: a second lane */
		"1{8:5500 11{9:1 11:F 22:kernel 10:5 4{10:stream 3:7 } } 13:2 10:1 }\n"
		"1{8:7000 11{9:2 11:F } 13:2 10:1 }\n"
		"1{8:7500 11{9:4 11:D 30:0 } 13:2 10:1 }\n"
		"1{60{1:G 5:C 2:SM active 8{} } 13:2 10:1 }\n"
		"1{8:8000 11{9:4 11:G 44:404f400000000000 } 13:2 10:1 }\n");
	hd_buf_release(&b);
	hd_buf_release(&out);
	hd_map_release(&ids);
}

TEST(nothing_is_written_of_a_capture_that_could_not_be_read)
{
	struct hd_buf b = write_one(&hd_trace_export_chrome, false);

	EXPECT_INT(b.len, 0);
	hd_buf_release(&b);
}

TEST_MAIN(RUN(a_chrome_trace_has_an_event_a_line), RUN(a_perfetto_trace_is_a_list_of_packets),
	RUN(nothing_is_written_of_a_capture_that_could_not_be_read))
