/*
 * copied_stacks.c - read recordings with copied stacks, and check the folded text
 *
 * The stacks are those of the test itself: descend() calls itself a known number of times, and its registers and stack
 * are recorded as perf would record them.
 */
#include "unit/perfdata/synthetic_recording.h"
#include "unit/tmpdir.h"
#include "unit/unwind/self.h"

#include "pipeline/bundle_builder.h"
#include "pipeline/pipeline.h"
#include "profile/folded.h"

enum { FIELDS = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER };

struct recording {
	struct image im;
	uint32_t copy;			/* bytes of a stack copy */
	uint64_t time_ns, abi;		/* abi: the ABI of the samples' registers; 0: that of this machine */
};

static void map_self(struct image *im)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long long start, end_of, off;
	char perm[5], *line = NULL;
	size_t room = 0;
	ssize_t n;

	EXPECT(f != NULL);
	while ((n = getline(&line, &room, f)) > 0) {
		int at = 0;
		size_t r;

		line[n - 1] = '\0';
		if (sscanf(line, "%llx-%llx %4s %llx %*s %*s %n", &start, &end_of, perm, &off, &at) < 4 ||
			perm[2] != 'x' || line[at] != '/')
			continue;
		r = rec(im, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
		u32(im, 1);
		u32(im, 1);
		u64(im, start);
		u64(im, end_of - start);
		u64(im, off);
		text(im, line + at, (strlen(line + at) + 8) & ~(size_t)7);
		end(im, r);
	}
	free(line);
	fclose(f);
}

static struct recording begin(uint32_t copy)
{
	struct recording r = { .im = pipe_image(false), .copy = copy };

	attr_record(&r.im, (struct attr){
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .sample_type = FIELDS, .period = 1,
		.regs_user = OWN_MASK, .stack_user = copy,
	}, 0);
	map_self(&r.im);
	return r;
}

static void sample(struct recording *r, const struct shot *s)
{
	size_t at = rec(&r->im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	uint64_t have = s->stack_bytes < r->copy ? s->stack_bytes : r->copy;

	u64(&r->im, s->regs[OWN_PC]);
	u32(&r->im, 1);
	u32(&r->im, 1);
	u64(&r->im, r->time_ns += 1000);
	u64(&r->im, r->abi ? r->abi : PERF_SAMPLE_REGS_ABI_64);
	for (int i = 0; i < OWN_REGS; i++)
		if (OWN_MASK >> i & 1)
			u64(&r->im, s->regs[i]);
	u64(&r->im, r->copy);
	put(&r->im, s->stack, have);
	for (uint64_t i = have; i < r->copy; i += 8)
		u64(&r->im, 0);
	u64(&r->im, have);
	end(&r->im, at);
}

static NOINLINE void descend(int depth, struct shot *s)
{
	volatile char room[48];

	room[0] = (char)depth;
	if (depth > 1)
		descend(depth - 1, s);
	else
		own_record(s);
	room[1] = room[0];
	NOT_A_TAIL_CALL;
}

/*
 * Return the recording as folded text; the caller frees it.  *told (unless NULL) receives the properties of the
 * recording.
 */
static char *fold(struct recording *r, struct hd_pipeline_opts opts, struct hd_recording *told)
{
	char *dir = tmpdir(), *path = put_file(dir, "t.data", r->im.b.data, r->im.b.len), *text;
	struct hd_folded_opts fo = { 0 };
	struct hd_outfile out;
	struct hd_profile *p;
	struct hd_err err = { 0 };

	opts.symfs = "/";
	if (hd_pipeline_read(&p, path, &opts, &err) < 0)
		fail_msg("%s", err.msg);
	if (told)
		*told = p->recording;
	hd_outfile_memory(&out);
	hd_folded_write(&out, p, 0, &fo);
	text = hd_strdup(hd_buf_str(&out.pending));
	hd_outfile_discard(&out);
	hd_profile_free(p);
	free(path);
	tmpdir_remove(dir);
	return text;
}

static size_t times(const char *line, const char *word)
{
	const char *end_of = strchrnul(line, '\n');
	size_t n = 0;

	for (const char *s = line; (s = strstr(s, word)) && s < end_of; s += strlen(word))
		n++;
	return n;
}

TEST(a_copied_stack_is_unwound_to_the_root)
{
	struct recording r = begin(OWN_STACK / 8);
	struct hd_recording told;
	struct shot shot = { 0 };
	char *text;

	NEEDS_A_MACHINE;
	descend(7, &shot);
	sample(&r, &shot);
	text = fold(&r, (struct hd_pipeline_opts){ .no_inline = true }, &told);
	EXPECT_INT(times(text, ";descend"), 7);
	EXPECT(strstr(text, ";main;") != NULL);
	EXPECT(strstr(text, ";descend;own_record ") != NULL);
	EXPECT_INT(told.with_stack, 1);
	EXPECT_INT(told.root_reached, 1);
	EXPECT_INT(told.stacks_cut, 0);
	EXPECT_INT(told.stack_copy_bytes, OWN_STACK / 8);
	free(text);
	shot_release(&shot);
	hd_buf_release(&r.im.b);
}

/*
 * If the first sample of a batch has no frames, no array of frames exists yet.  The code must not compute an address
 * from the null pointer.
 */
TEST(a_first_sample_whose_registers_are_of_an_unknown_machine_is_kept_without_frames)
{
	struct recording r = begin(OWN_STACK / 8);
	struct hd_recording told;
	struct shot shot = { 0 };
	char *text;

	NEEDS_A_MACHINE;
	descend(3, &shot);
	r.abi = 7;
	sample(&r, &shot);
	text = fold(&r, (struct hd_pipeline_opts){ .no_inline = true }, &told);
	EXPECT_INT(told.with_stack, 1);
	EXPECT_INT(told.root_reached, 0);
	EXPECT_INT(times(text, ";descend"), 0);
	EXPECT_STR(strrchr(text, ' '), " 1\n");
	free(text);
	r.abi = 0;
	sample(&r, &shot);		/* both samples are in one batch */
	text = fold(&r, (struct hd_pipeline_opts){ .no_inline = true }, &told);
	EXPECT(strstr(text, ";descend;descend;descend;own_record 1\n") != NULL);
	free(text);
	shot_release(&shot);
	hd_buf_release(&r.im.b);
}

TEST(any_number_of_threads_gives_the_same_text)
{
	struct recording r = begin(8192);
	struct shot shot = { 0 };
	char *one = NULL;

	NEEDS_A_MACHINE;
	for (int i = 0; i < 900; i++) {		/* the file is larger than several read windows */
		descend(1 + i * 7 % 60, &shot);
		sample(&r, &shot);
	}
	EXPECT(r.im.b.len > 6 << 20);
	for (unsigned threads = 1; threads <= 5; threads++) {
		struct hd_recording told;
		char *text = fold(&r, (struct hd_pipeline_opts){ .threads = threads }, &told);

		EXPECT_INT(told.with_stack, 900);
		EXPECT(told.stacks_cut > 0);
		if (one)
			EXPECT_STR(text, one);
		else
			one = hd_strdup(text);
		free(text);
	}
	free(one);
	shot_release(&shot);
	hd_buf_release(&r.im.b);
}

TEST(a_stack_that_was_cut_is_completed_from_its_neighbour_unless_that_is_switched_off)
{
	struct recording r = begin(16384);
	struct hd_recording told;
	struct shot shot = { 0 };
	char *text;

	NEEDS_A_MACHINE;
	/*
	 * The stack of each sample is deeper than that of the previous sample, by less than the size of a copy.  The
	 * callers of the test take some KB of stack themselves.
	 */
	for (int depth = 1; depth <= 200; depth++) {
		descend(depth, &shot);
		sample(&r, &shot);
	}
	text = fold(&r, (struct hd_pipeline_opts){ .no_stitch = true, .no_inline = true }, &told);
	EXPECT(told.stacks_cut > 20);
	EXPECT_INT(told.stitched, 0);
	EXPECT_INT(told.stitched_root, 0);
	EXPECT(told.root_reached + told.stacks_cut >= 200);
	free(text);
	text = fold(&r, (struct hd_pipeline_opts){ .no_inline = true }, &told);
	EXPECT(told.stacks_cut > 20);
	EXPECT_INT(told.stitched, told.stacks_cut);
	EXPECT_INT(told.stitched_root, told.stacks_cut);
	EXPECT_INT(told.root_reached, 200 - told.stacks_cut);
	/* Each sample has a stack of 1 to 200 calls. */
	for (const char *line = text; *line; line = strchrnul(line, '\n') + 1) {
		EXPECT(times(line, ";main") == 1);
		EXPECT(times(line, ";descend") >= 1 && times(line, ";descend") <= 200);
	}
	EXPECT_INT(told.with_stack, 200);
	free(text);
	shot_release(&shot);
	hd_buf_release(&r.im.b);
}

TEST(less_of_the_copies_can_be_looked_at)
{
	struct recording r = begin(49152);
	struct hd_recording told;
	struct shot shot = { 0 };

	NEEDS_A_MACHINE;
	descend(20, &shot);
	sample(&r, &shot);
	free(fold(&r, (struct hd_pipeline_opts){ .no_stitch = true }, &told));
	EXPECT_INT(told.stacks_cut, 0);
	EXPECT_INT(setenv("HOTDRIFT_STACK_LIMIT", "1024", 1), 0);
	free(fold(&r, (struct hd_pipeline_opts){ .no_stitch = true }, &told));
	EXPECT_INT(unsetenv("HOTDRIFT_STACK_LIMIT"), 0);
	EXPECT_INT(told.stacks_cut, 1);
	shot_release(&shot);
	hd_buf_release(&r.im.b);
}

TEST(a_selected_comm_is_unwound_and_the_others_are_dropped)
{
	struct recording r = begin(8192);
	struct hd_pipeline_opts opts = { .no_inline = true, .threads = 2 };
	const char *comm = "nobody";
	struct shot shot = { 0 };
	char *text;

	NEEDS_A_MACHINE;
	descend(3, &shot);
	sample(&r, &shot);
	opts.select.comm = (struct hd_string_list){ .items = &comm, .n = 1 };
	text = fold(&r, opts, NULL);
	EXPECT_STR(text, "");
	free(text);
	comm = ":1";
	text = fold(&r, opts, NULL);
	EXPECT_INT(times(text, ";descend"), 3);
	free(text);
	shot_release(&shot);
	hd_buf_release(&r.im.b);
}

/* Return the recording's bundle as a recording that fold() accepts. */
static struct recording bundle_of(const struct recording *r, bool whole_stacks, struct hd_bundle_builder_stats *stats)
{
	struct hd_bundle_builder_opts opts = { .symfs = "/", .whole_stacks = whole_stacks };
	char *dir = tmpdir(), *path = put_file(dir, "t.data", r->im.b.data, r->im.b.len);
	struct recording made = { .copy = r->copy };
	struct hd_log log = { 0 };
	struct hd_outfile out;
	struct hd_err err = { 0 };

	hd_outfile_memory(&out);
	if (hd_bundle_builder_run(&out, path, &opts, stats, &log, &err) < 0)
		fail_msg("%s", err.msg);
	hd_buf_add(&made.im.b, out.pending.data, out.pending.len);
	hd_outfile_discard(&out);
	hd_log_release(&log);
	free(path);
	tmpdir_remove(dir);
	return made;
}

TEST(a_bundle_without_the_unused_bytes_of_stack_copies_gives_the_same_result)
{
	struct recording r = begin(OWN_STACK / 8), wiped, whole;
	struct hd_bundle_builder_stats st[2];
	struct shot shot = { 0 };

	NEEDS_A_MACHINE;
	for (int depth = 1; depth < 60; depth += 7) {
		descend(depth, &shot);
		sample(&r, &shot);
	}
	wiped = bundle_of(&r, false, &st[0]);
	whole = bundle_of(&r, true, &st[1]);
	EXPECT(st[0].wiped_bytes > 9 * (uint64_t)r.copy / 2 && !st[1].wiped_bytes);
	EXPECT(st[0].codes >= 2 && wiped.im.b.len < whole.im.b.len);
	for (int i = 0; i < 4; i++) {
		struct hd_pipeline_opts o = { .no_stitch = i & 1, .no_inline = i & 2, .threads = (unsigned)i };
		char *a = fold(&r, o, NULL), *b = fold(&wiped, o, NULL), *c = fold(&whole, o, NULL);

		EXPECT(strstr(a, "descend;descend"));
		EXPECT_STR(a, b);
		EXPECT_STR(a, c);
		free(a);
		free(b);
		free(c);
	}
	free(shot.stack);
	hd_buf_release(&r.im.b);
	hd_buf_release(&wiped.im.b);
	hd_buf_release(&whole.im.b);
}

/*
 * The function is interrupted at its first instruction, before it sets up a frame: the kernel's
 * chain lacks its caller.
 */
TEST(a_recorded_chain_lacks_a_caller_where_the_call_frame_information_says_that_no_frame_was_set_up)
{
	enum { CHAIN = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN };
	struct recording r = { .im = pipe_image(false) };
	const uint64_t leaf = (uint64_t)(uintptr_t)descend, caller = (uint64_t)(uintptr_t)fold + 40;
	struct hd_recording told;
	size_t at;

#ifndef __x86_64__
	skip();
#endif
	attr_record(&r.im,
		(struct attr){ .type = PERF_TYPE_SOFTWARE,
			.config = PERF_COUNT_SW_CPU_CLOCK,
			.sample_type = CHAIN,
			.period = 1 },
		0);
	map_self(&r.im);
	for (int i = 0; i < 3; i++) {
		at = rec(&r.im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
		u64(&r.im, i ? leaf : 0x30000000);	/* the first sample is outside of all mappings */
		u32(&r.im, 1);
		u32(&r.im, 1);
		u64(&r.im, r.time_ns += 1000);
		u64(&r.im, 3);
		u64(&r.im, PERF_CONTEXT_USER);
		u64(&r.im, i ? leaf : 0x30000000);
		u64(&r.im, caller);
		end(&r.im, at);
	}
	free(fold(&r, (struct hd_pipeline_opts){ .details = true }, &told));
	EXPECT_INT(told.with_stack, 3);
	EXPECT_INT(told.caller_hidden, 2);
	free(fold(&r, (struct hd_pipeline_opts){ 0 }, &told));
	EXPECT_INT(told.caller_hidden, 0);
	hd_buf_release(&r.im.b);
}

TEST_MAIN(RUN(a_recorded_chain_lacks_a_caller_where_the_call_frame_information_says_that_no_frame_was_set_up),
	  RUN(a_copied_stack_is_unwound_to_the_root),
	  RUN(a_first_sample_whose_registers_are_of_an_unknown_machine_is_kept_without_frames),
	  RUN(any_number_of_threads_gives_the_same_text),
	  RUN(a_stack_that_was_cut_is_completed_from_its_neighbour_unless_that_is_switched_off),
	  RUN(less_of_the_copies_can_be_looked_at),
	  RUN(a_selected_comm_is_unwound_and_the_others_are_dropped),
	  RUN(a_bundle_without_the_unused_bytes_of_stack_copies_gives_the_same_result))
