/* heap_input.c - read heap recordings as profiles: events, processes, selections */
#include "unit/heap/synthetic_heap.h"
#include "unit/tmpdir.h"

#include "profile/sampling_error.h"
#include "pipeline/heap_input.h"
#include "render/dhat.h"
#include "profile/folded.h"
#include "render/pprof.h"

#include <sys/mman.h>

static int ingest(struct hd_profile **p, const struct hd_buf *b, const struct hd_pipeline_opts *opts,
	struct hd_err *err)
{
	int fd = memfd_create("heap", MFD_CLOEXEC), rc;

	EXPECT(fd >= 0 && write(fd, b->data, b->len) == (ssize_t)b->len && lseek(fd, 0, SEEK_SET) == 0);
	*p = hd_profile_new();
	(*p)->keys = opts->keys;
	rc = hd_heap_input_read(*p, fd, "t.heap", opts, err);
	close(fd);
	return rc;
}

/* Return a list of one word; valid until the next call. */
static struct hd_string_list words(const char *word)
{
	static const char *items[1];

	items[0] = word;
	return (struct hd_string_list){ items, 1, 1 };
}

static char *fold(const struct hd_profile *p, uint32_t event)
{
	struct hd_folded_opts o = { 0 };
	struct hd_outfile out;
	char *text;

	hd_outfile_memory(&out);
	hd_folded_write(&out, p, event, &o);
	text = hd_buf_take(&out.pending);
	hd_outfile_discard(&out);
	return text;
}

/* Make a recording of a process with two plugins, which are loaded at the same address one after the other. */
static void plugins(struct hd_buf *b, size_t at)
{
	const struct hd_heap_node nodes[] = { { 0 }, { 0, 1, 0x1100 }, { 1, 2, 0x5100 }, { 1, 3, 0x5100 } };

	made_begin(b, HD_HEAP_EXACT, 1);
	made_module(b, 1, "/nowhere/app", 0x1000, 0x1000);
	made_module(b, 2, "/nowhere/a.so", 0x5000, 0x1000);
	made_module(b, 3, "/nowhere/b.so", 0x5000, 0x1000);
	made_nodes(b, nodes, 4);
	made_counter(b, (struct hd_heap_counter){ .node = 2, .n = 3, .bytes = 300, .freed_n = 1, .freed_bytes = 100 });
	made_counter(b, (struct hd_heap_counter){ .node = 3, .n = 4, .bytes = 44 });
	made_end(b, at, 1);
}

TEST(plugins_that_were_at_one_address_stay_apart)
{
	struct hd_pipeline_opts opts = { .no_symbols = true };
	struct hd_buf b = { 0 };
	struct hd_profile *p;
	struct hd_err err;
	bool a = false, second = false;

	plugins(&b, 0);
	EXPECT_INT(ingest(&p, &b, &opts, &err), 0);
	EXPECT_STR(hd_profile_str(p, p->events[0].name), "allocated");
	EXPECT_INT(p->events[0].weight, 344);
	EXPECT_INT(p->events[4].weight, 244);		/* leaked */
	EXPECT_INT(p->events[5].weight, 6);
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct hd_sample_row *r = &p->rows.items[i];
		const char *object = hd_profile_str(p, p->objects[p->symbols[p->frames[r->self.v].symbol].object].name);

		if (r->event)
			continue;
		a |= !strcmp(object, "/nowhere/a.so") && r->weight == 300;
		second |= !strcmp(object, "/nowhere/b.so") && r->weight == 44;
	}
	EXPECT(a && second);
	hd_profile_free(p);
	hd_buf_release(&b);
}

TEST(processes_add_up_and_can_be_distinguished_by_pid)
{
	struct hd_pipeline_opts opts = { .no_symbols = true, .keys = HD_KEY_PID };
	struct hd_buf b = { 0 };
	struct hd_profile *p;
	struct hd_err err;
	size_t second;
	uint32_t pid = 43;

	plugins(&b, 0);
	second = b.len;
	plugins(&b, second);
	memcpy(b.data + second + offsetof(struct hd_heap_header, pid), &pid, 4);
	EXPECT_INT(ingest(&p, &b, &opts, &err), 0);
	EXPECT_INT(p->events[0].weight, 688);
	EXPECT_INT(p->recording.processes, 2);
	hd_profile_free(p);
	opts.select.pid = words("43");
	EXPECT_INT(ingest(&p, &b, &opts, &err), 0);
	EXPECT_INT(p->events[0].weight, 344);
	hd_profile_free(p);
	hd_buf_release(&b);
}

TEST(one_event_can_be_selected_and_an_unknown_one_is_reported)
{
	struct hd_pipeline_opts opts = { .no_symbols = true };
	struct hd_buf b = { 0 };
	struct hd_profile *p;
	struct hd_err err;

	plugins(&b, 0);
	opts.select.event = words("leaked");
	EXPECT_INT(ingest(&p, &b, &opts, &err), 0);
	EXPECT_INT(p->nevents, 1);
	EXPECT_INT(p->events[0].weight, 244);
	hd_profile_free(p);
	opts.select.event = words("cycles");
	EXPECT_INT(ingest(&p, &b, &opts, &err), HD_EFORMAT);
	EXPECT(strstr(err.msg, "peak-blocks"));
	hd_profile_free(p);
	hd_buf_release(&b);
}

static void expect_option_refused(struct hd_selection select, const char *option)
{
	struct hd_pipeline_opts opts = { .no_symbols = true, .select = select };
	struct hd_buf b = { 0 };
	struct hd_profile *p;
	struct hd_err err = { 0 };

	plugins(&b, 0);
	EXPECT_INT(ingest(&p, &b, &opts, &err), HD_EFORMAT);
	EXPECT(strstr(err.msg, option));
	hd_profile_free(p);
	hd_buf_release(&b);
}

TEST(data_that_heap_recordings_lack_cannot_be_selected)
{
	expect_option_refused((struct hd_selection){ .time = "1,2" }, "--time");
	for (int weight = HD_WEIGHT_OFF_CPU; weight <= HD_WEIGHT_SYSCALLS; weight++)
		expect_option_refused((struct hd_selection){ .weight = weight }, "--weight off-cpu, wall or syscalls");
}

TEST(errors_follow_from_what_was_seen)
{
	struct hd_profile *p = hd_profile_new();
	uint32_t bytes = hd_profile_add_event(p, "leaked", "bytes"),
		 blocks = hd_profile_add_event(p, "leaked-blocks", "allocations");

	p->recording.heap_interval = 65536;
	/* 100 of 10,000 blocks were sampled: q = 0.01, sqrt(0.99 / 100). */
	EXPECT(hd_sampling_error_applies(p, blocks));
	EXPECT(hd_sampling_error_sd_pct(p, blocks, 10000, 100, 0) > 9.949 &&
		hd_sampling_error_sd_pct(p, blocks, 10000, 100, 0) < 9.951);
	/* Blocks of 655 bytes have the same q, so each of them represents about 65,863 bytes. */
	EXPECT(hd_sampling_error_sd_pct(p, bytes, 6586300, 100, 0) > 9.9 &&
		hd_sampling_error_sd_pct(p, bytes, 6586300, 100, 0) < 10);
	/* Blocks much larger than the interval are all sampled. */
	EXPECT(hd_sampling_error_sd_pct(p, bytes, 100ull << 30, 100, 0) < 0.0001);
	/* For blocks of different sizes only the variance gives the error; newer recordings have it. */
	p->recording.heap_var = true;
	EXPECT(hd_sampling_error_sd_pct(p, bytes, 6586300, 100, 65863. * 65863 * 400) > 19.9 &&
		hd_sampling_error_sd_pct(p, bytes, 6586300, 100, 65863. * 65863 * 400) < 20.1);
	p->recording.heap_interval = 1;
	EXPECT(!hd_sampling_error_applies(p, blocks));
	hd_profile_free(p);
}

TEST(dhat_has_each_stack_once_and_the_sums)
{
	struct hd_pipeline_opts opts = { .no_symbols = true, .lifetimes = true };
	struct hd_buf b = { 0 }, out = { 0 };
	struct hd_profile *p;
	struct hd_err err;

	plugins(&b, 0);
	EXPECT_INT(ingest(&p, &b, &opts, &err), 0);
	hd_dhat_write(&out, p);
	EXPECT(strstr(out.data, "\"dhatFileVersion\": 2"));
	EXPECT(strstr(out.data, "\"tb\": 300, \"tbk\": 3,"));
	EXPECT(strstr(out.data, "\"eb\": 44, \"ebk\": 4,"));
	EXPECT(strstr(out.data, "\"[root]\""));
	hd_profile_free(p);
	hd_buf_release(&b);
	hd_buf_release(&out);
}

/* ---- a minimal reader of protocol buffers */

struct message { const uint8_t *p, *end; };

static uint64_t varint(struct message *m)
{
	uint64_t v = 0;

	for (int shift = 0; ; shift += 7) {
		EXPECT(m->p < m->end && shift < 64);
		v |= (uint64_t)(*m->p & 0x7f) << shift;
		if (!(*m->p++ & 0x80))
			return v;
	}
}

/* Read the next field and return its field number.  Its value is in *v, or its bytes are in *inner. */
static unsigned int field(struct message *m, uint64_t *v, struct message *inner)
{
	uint64_t tag = varint(m), n;

	if ((tag & 7) == 0) {
		*v = varint(m);
	} else {
		EXPECT_INT(tag & 7, 2);
		n = varint(m);
		EXPECT(n <= (uint64_t)(m->end - m->p));
		*inner = (struct message){ m->p, m->p + n };
		m->p += n;
	}
	return (unsigned int)(tag >> 3);
}

TEST(pprof_has_the_values_that_go_expects)
{
	struct hd_pipeline_opts opts = { .no_symbols = true, .keys = HD_KEY_COMM | HD_KEY_PID };
	struct hd_buf b = { 0 }, out = { 0 };
	uint64_t v, sum[6] = { 0 };
	struct message m, in;
	struct hd_profile *p;
	struct hd_err err;
	int types = 0, samples = 0, strings = 0;
	bool alloc_space = false;

	plugins(&b, 0);
	EXPECT_INT(ingest(&p, &b, &opts, &err), 0);
	hd_pprof_write(&out, p);
	m = (struct message){ (const uint8_t *)out.data, (const uint8_t *)out.data + out.len };
	while (m.p < m.end) {
		unsigned int f = field(&m, &v, &in);

		types += f == 1;
		alloc_space |= f == 6 && in.end - in.p == 11 && !memcmp(in.p, "alloc_space", 11);
		if (f == 6)
			EXPECT(strings++ || in.p == in.end);		/* the first string is empty */
		for (samples += f == 2; f == 2 && in.p < in.end;) {
			struct message values;

			if (field(&in, &v, &values) != 2)
				continue;
			for (int i = 0; i < 6; i++)
				sum[i] += varint(&values);
			EXPECT(values.p == values.end);
		}
	}
	EXPECT_INT(types, 6);
	EXPECT_INT(samples, 2);
	EXPECT(alloc_space);
	EXPECT_INT(sum[0], 7);
	EXPECT_INT(sum[1], 344);
	EXPECT_INT(sum[2], 6);
	EXPECT_INT(sum[3], 244);
	hd_profile_free(p);
	hd_buf_release(&b);
	hd_buf_release(&out);
}

TEST(a_recording_folds_like_any_other)
{
	struct hd_pipeline_opts opts = { .no_symbols = true, .keys = HD_KEY_COMM };
	struct hd_buf b = { 0 };
	struct hd_profile *p;
	struct hd_err err;
	char *text;

	plugins(&b, 0);
	EXPECT_INT(ingest(&p, &b, &opts, &err), 0);
	text = fold(p, 4);
	EXPECT_STR(text, "app;[unknown];[unknown] 244\n");
	free(text);
	hd_profile_free(p);
	hd_buf_release(&b);
}

/*
 * A process runs two programs, one after the other.  The memory of the first program is freed when the second one
 * begins.
 */
TEST(live_memory_over_time_ends_with_its_process)
{
	const struct hd_heap_node nodes[] = { { 0 }, { 0, 1, 0x1100 } };
	const struct hd_heap_move moves[] = { { 1, 20, 300 }, { 1, 30, -100 } };
	struct hd_pipeline_opts opts = { .no_symbols = true, .moves = true };
	struct hd_heap_header h;
	struct hd_buf b = { 0 };
	struct hd_profile *p;
	struct hd_err err;

	for (int i = 0; i < 2; i++) {
		size_t at = b.len;

		made_begin(&b, HD_HEAP_EXACT, 1);
		made_module(&b, 1, "/nowhere/app", 0x1000, 0x1000);
		made_nodes(&b, nodes, 2);
		made_counter(&b,
			(struct hd_heap_counter){ .node = 1,
				.n = 1,
				.bytes = 300,
				.freed_bytes = 100,
				.counted = 200,
				.tick = 30 });
		made_block(&b, HD_HEAP_MOVES_BLOCK, 0, moves, sizeof(moves));
		made_end(&b, at, 1);
		memcpy(&h, b.data + at, sizeof(h));
		h.begin_ns = 77000000;
		h.end_ns = i ? h.begin_ns + 50000000 : 0;
		h.begin_monotonic_ns = i ? 9000000000 : 5000000000;
		memcpy(b.data + at, &h, sizeof(h));
	}
	EXPECT(ingest(&p, &b, &opts, &err) >= 0);
	EXPECT_INT(p->recording.heap_from_ns, 5000000000);
	EXPECT_INT(p->nmoves, 6);
	EXPECT(p->moves[0].time_ns == 5020000000 && p->moves[0].bytes == 300);
	EXPECT(p->moves[1].time_ns == 5030000000 && p->moves[1].bytes == -100);
	EXPECT(p->moves[2].time_ns == 9000000000 && p->moves[2].bytes == -200);
	EXPECT(p->moves[3].time_ns == 9020000000 && p->moves[3].bytes == 300);
	EXPECT(p->moves[5].time_ns == 9050000000 && p->moves[5].bytes == -200);
	hd_profile_free(p);
	hd_buf_release(&b);
}

/* Ticks 20, 30 and 42 follow each other directly; 500 follows after a pause. */
TEST(a_move_stands_in_the_middle_of_a_tick_that_the_next_one_follows_at_once)
{
	const struct hd_heap_node nodes[] = { { 0 }, { 0, 1, 0x1100 } };
	const struct hd_heap_move moves[] = { { 1, 20, 300 }, { 1, 30, 100 }, { 1, 42, 7 }, { 1, 500, 9 } };
	static const uint64_t want[] = { 25000000, 36000000, 42000000, 500000000 };
	struct hd_pipeline_opts opts = { .no_symbols = true, .moves = true };
	struct hd_heap_header h;
	struct hd_buf b = { 0 };
	struct hd_profile *p;
	struct hd_err err;

	made_begin(&b, HD_HEAP_EXACT, 1);
	made_module(&b, 1, "/nowhere/app", 0x1000, 0x1000);
	made_nodes(&b, nodes, 2);
	made_counter(&b, (struct hd_heap_counter){ .node = 1, .n = 1, .bytes = 416, .counted = 416 });
	made_block(&b, HD_HEAP_MOVES_BLOCK, 0, moves, sizeof(moves));
	made_end(&b, 0, 1);
	memcpy(&h, b.data, sizeof(h));
	h.begin_ns = 1763880000000000000;
	h.begin_monotonic_ns = 1000000000;
	h.stride = 10;
	memcpy(b.data, &h, sizeof(h));
	EXPECT(ingest(&p, &b, &opts, &err) >= 0);
	EXPECT(p->recording.heap_epoch_ns == 1763879999000000000);
	EXPECT_INT(p->nmoves, 4);
	for (size_t i = 0; i < 4; i++)
		EXPECT_INT(p->moves[i].time_ns, 1000000000 + want[i]);
	hd_profile_free(p);
	hd_buf_release(&b);
}

TEST(a_program_that_allocated_less_than_a_sample_is_no_error)
{
	struct hd_pipeline_opts opts = { .no_symbols = true };
	struct hd_heap_header h;
	struct hd_buf b = { 0 };
	struct hd_profile *p;
	struct hd_err err;

	made_begin(&b, 0, 65536);
	made_end(&b, 0, 0);
	memcpy(&h, b.data, sizeof(h));
	h.passed = 1010;
	memcpy(b.data, &h, sizeof(h));
	EXPECT_INT(ingest(&p, &b, &opts, &err), 0);
	EXPECT_INT(p->kept, 0);
	EXPECT_INT(p->recording.heap_passed, 1010);
	EXPECT_INT(p->log.n, 1);
	EXPECT_STR(p->log.items[0].code, "heap.no-sample");
	EXPECT(strstr(p->log.items[0].text, "1010 bytes were allocated, counting one more for each block"));
	hd_profile_free(p);
	hd_buf_release(&b);
}

TEST(a_process_that_was_killed_before_the_first_write_is_reported_as_such)
{
	struct hd_pipeline_opts opts = { .no_symbols = true, .moves = true };
	struct hd_buf b = { 0 };
	struct hd_profile *p;
	struct hd_err err;

	made_begin(&b, HD_HEAP_EXACT, 1);
	made_end(&b, 0, 0);
	EXPECT_INT(ingest(&p, &b, &opts, &err), 0);
	EXPECT(p->recording.heap_has_moves);
	EXPECT_INT(p->log.n, 1);
	EXPECT_STR(p->log.items[0].code, "heap.unwritten");
	EXPECT(strstr(p->log.items[0].text, "process 42 (app) was killed before the recorder had written"));
	hd_profile_free(p);
	hd_buf_release(&b);
}

TEST(callers_of_code_without_unwind_rules_are_guessed)
{
	/*
	 * The nodes are: 1 main; 2 generated code that main calls; 3 its callee; 4 generated code with an unknown
	 * caller; 5 its callee.
	 */
	const struct hd_heap_node nodes[] = {
		{ 0 }, { 0, 1, 0x1100 }, { 1, HD_HEAP_GUESS, 0x9100 }, { 2, 1, 0x1200 }, { 0, HD_HEAP_GUESS, 0x9200 },
		{ 4, 1, 0x1300 },
	};
	struct hd_pipeline_opts opts = { .no_symbols = true };
	struct hd_buf b = { 0 };
	struct hd_profile *p;
	struct hd_err err;

	made_begin(&b, HD_HEAP_EXACT, 1);
	made_module(&b, 1, "/nowhere/app", 0x1000, 0x1000);
	made_nodes(&b, nodes, 6);
	for (uint32_t node = 1; node < 6; node++)
		made_counter(&b, (struct hd_heap_counter){ .node = node, .n = UINT64_C(1) << 4 * node, .bytes = 1 });
	made_end(&b, 0, 1);
	EXPECT_INT(ingest(&p, &b, &opts, &err), 0);
	EXPECT_INT(p->recording.with_stack, 0x111110);
	EXPECT_INT(p->recording.guessed, 0x1100);
	hd_profile_free(p);
	hd_buf_release(&b);
}

TEST_MAIN(RUN(plugins_that_were_at_one_address_stay_apart), RUN(processes_add_up_and_can_be_distinguished_by_pid),
	RUN(one_event_can_be_selected_and_an_unknown_one_is_reported),
	RUN(data_that_heap_recordings_lack_cannot_be_selected), RUN(errors_follow_from_what_was_seen),
	RUN(dhat_has_each_stack_once_and_the_sums), RUN(pprof_has_the_values_that_go_expects),
	RUN(a_recording_folds_like_any_other), RUN(callers_of_code_without_unwind_rules_are_guessed),
	RUN(a_move_stands_in_the_middle_of_a_tick_that_the_next_one_follows_at_once),
	RUN(live_memory_over_time_ends_with_its_process),
	RUN(a_program_that_allocated_less_than_a_sample_is_no_error),
	RUN(a_process_that_was_killed_before_the_first_write_is_reported_as_such))
