/* folded_input.c - read folded stacks: find the lines that are stacks, skip others, and decode names */
#include "unit/tmpdir.h"

#include "pipeline/folded_input.h"
#include "profile/folded.h"

#include <sys/mman.h>

/* Return a descriptor of a file with n bytes of text; the caller closes it. */
static int over(const char *text, size_t n)
{
	int fd = memfd_create("folded", MFD_CLOEXEC);

	EXPECT(fd >= 0);
	EXPECT(n == 0 || write(fd, text, n) == (ssize_t)n);
	EXPECT(lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

static struct hd_profile *read_n(const char *text, size_t n, const struct hd_pipeline_opts *opts, int want,
	struct hd_err *err)
{
	struct hd_profile *p = hd_profile_new();
	int fd = over(text, n);

	p->keys = opts->keys;
	EXPECT_INT(hd_folded_input_read(p, fd, "t.folded", opts, err), want);
	close(fd);
	return p;
}

static struct hd_profile *read_text_events(const char *text, const struct hd_pipeline_opts *opts)
{
	struct hd_err err;

	return read_n(text, strlen(text), opts, 0, &err);
}

static struct hd_profile *read_text(const char *text, const struct hd_pipeline_opts *opts)
{
	struct hd_profile *p = read_text_events(text, opts);
	uint64_t dropped = 0, weight = 0, count = 0;

	/* Check the sums that hold for every profile. */
	for (size_t i = 0; i < p->ndropped; i++)
		dropped += p->dropped[i].count;
	EXPECT(p->read == p->kept + dropped);
	for (size_t i = 0; i < p->rows.n; i++) {
		weight += p->rows.items[i].weight;
		count += p->rows.items[i].count;
	}
	EXPECT(weight == p->events[0].weight && count == p->events[0].samples && count == p->kept);
	return p;
}

/* Return the profile as folded text, with marks for kernel and inlined frames; the caller frees it. */
static char *fold(const struct hd_profile *p)
{
	struct hd_folded_opts o = { .annotate = true };
	struct hd_outfile out;
	char *text;

	hd_outfile_memory(&out);
	hd_folded_write(&out, p, 0, &o);
	text = hd_buf_take(&out.pending);
	hd_outfile_discard(&out);
	return text;
}

static void expect_fold_n(const char *text, size_t n, const struct hd_pipeline_opts *opts, const char *want)
{
	struct hd_err err;
	struct hd_profile *p = read_n(text, n, opts, 0, &err);
	char *got = fold(p);

	EXPECT_STR(got, want);
	free(got);
	hd_profile_free(p);
}

static const struct hd_pipeline_opts plain = { 0 }, by_comm = { .keys = HD_KEY_COMM };

static void expect_fold(const char *text, const char *want)
{
	expect_fold_n(text, strlen(text), &plain, want);
	expect_fold_n(text, strlen(text), &by_comm, want);
}

/* ---- lines ---- */

TEST(a_line_is_a_stack_and_its_count)
{
	struct hd_profile *p = read_text("app;main;parse 3\napp;main 4\n", &plain);

	EXPECT_INT(p->read, 2);
	EXPECT_INT(p->kept, 2);
	EXPECT_STR(hd_profile_str(p, p->events[0].name), "folded");
	EXPECT_STR(hd_profile_str(p, p->events[0].unit), "samples");
	EXPECT_INT(p->events[0].weight, 7);
	EXPECT_INT(hd_stacks_depth(p->stacks, p->rows.items[0].stack), 3);
	EXPECT_STR(hd_profile_str(p, p->symbols[p->frames[p->rows.items[0].self.v].symbol].name), "parse");
	EXPECT_STR(p->recording.format, "folded");
	EXPECT_INT(p->recording.bytes, 28);
	EXPECT_INT(p->log.n, 0);
	hd_profile_free(p);
	expect_fold("b;c 1\na;c 2\nb;c 10\n", "a;c 2\nb;c 11\n");
}

TEST(a_name_may_contain_blanks_and_the_count_follows_the_last_blank)
{
	expect_fold("app;operator new(unsigned long) 3\n", "app;operator new(unsigned long) 3\n");
	expect_fold("app;f\\x205 7\n", "app;f\\x205 7\n");
	expect_fold("app;  3\n", "app;\\x20 3\n");
}

TEST(a_line_with_two_counts_is_a_difference_and_becomes_two_events)
{
	struct hd_profile *p = read_text_events("app;f 5 7\napp;g 0 2\napp;h 4 0\napp;i 1\n", &plain);

	EXPECT_INT(p->nevents, 2);
	EXPECT_STR(hd_profile_str(p, p->events[0].name), "folded");
	EXPECT_INT(p->events[0].weight, 10);
	EXPECT_STR(hd_profile_str(p, p->events[1].name), "base");
	EXPECT_INT(p->events[1].weight, 9);
	EXPECT_INT(hd_log_find(&p->log, "folded.two-counts")->count, 1);
	hd_profile_free(p);
}

TEST(line_ends_of_every_kind_comments_and_a_byte_order_mark_are_no_part_of_a_name)
{
	expect_fold("\xef\xbb\xbf" "app;main 1\r\n# app;comment 5\n\n\r\napp;main 2", "app;main 3\n");
}

TEST(a_count_with_decimals_is_rounded_down_and_said_so)
{
	struct hd_profile *p = read_text("a 1.9\na 2.\na 3\n", &plain);

	EXPECT_INT(p->events[0].weight, 6);
	EXPECT_INT(hd_log_find(&p->log, "folded.fraction")->count, 2);
	EXPECT_STR(hd_log_find(&p->log, "folded.fraction")->text,
		"t.folded: line 1: the decimals of its count were dropped");
	hd_profile_free(p);
}

TEST(a_line_without_a_count_is_skipped_counted_and_named)
{
	static const char *const bad[] = {
		"main", "main;", "main 5x", "main -5", "main +5", "main 1e309", "main 0x5", "main ", " 5", "5",
		"main\t5", "main 1.2.3",
		"main .5", "main 18446744073709551616", "main 99999999999999999999999999",
	};

	for (size_t i = 0; i < HD_COUNT(bad); i++) {
		struct hd_buf text = { 0 };
		struct hd_profile *p;

		hd_buf_addf(&text, "a;b 1\n\n%s\na;b 2\n%s\n", bad[i], bad[i]);
		p = read_text(text.data, &plain);
		EXPECT_INT(p->read, 2);
		EXPECT_INT(p->events[0].weight, 3);
		EXPECT_INT(hd_log_find(&p->log, "lost.folded-line")->count, 2);
		EXPECT_STR(hd_log_find(&p->log, "lost.folded-line")->text,
			   "t.folded: line 3 does not end in a 64-bit count and was skipped");
		hd_profile_free(p);
		hd_buf_release(&text);
	}
}

TEST(text_in_which_no_line_ends_in_a_count_is_no_input)
{
	struct hd_err err;

	hd_profile_free(read_n("no\nstacks\n", 10, &plain, HD_EFORMAT, &err));
	EXPECT_STR(err.msg, "t.folded: is neither perf.data nor folded stacks: no line of it ends in a count");
	hd_profile_free(read_n("", 0, &plain, HD_EFORMAT, &err));
}

TEST(the_largest_count_is_read_and_a_sum_that_does_not_fit_is_not_wrapped)
{
	struct hd_profile *p = read_text("a 18446744073709551615\nb 1\na 0\n", &plain);

	EXPECT(p->events[0].weight == UINT64_MAX);
	EXPECT_INT(p->kept, 2);
	EXPECT_STR(p->dropped[0].reason, "lost.weight");
	EXPECT_STR(hd_log_find(&p->log, "lost.weight")->text,
		   "t.folded: the sum of the weights exceeds 64 bits; one of 1 was dropped");
	hd_profile_free(p);
}

TEST(a_line_of_a_megabyte_is_a_line)
{
	struct hd_buf text = { 0 };
	char *got;
	struct hd_profile *p;

	for (int i = 0; i < 100000; i++)
		hd_buf_addf(&text, "%sframe_%d", i ? ";" : "", i % 10);
	hd_buf_adds(&text, " 7\n");
	EXPECT(text.len > 1 << 19);
	p = read_text(text.data, &plain);
	EXPECT_INT(hd_stacks_depth(p->stacks, p->rows.items[0].stack), 100000);
	got = fold(p);
	EXPECT(!strcmp(got, text.data));
	free(got);
	hd_profile_free(p);
	hd_buf_release(&text);
}

TEST(a_line_of_more_frames_than_any_stack_has_is_left_out_and_counted)
{
	struct hd_buf text = { 0 };
	struct hd_profile *p;

	hd_buf_adds(&text, "a;b 1\nf");
	for (int i = 0; i < 200000; i++)
		hd_buf_adds(&text, ";f");
	hd_buf_adds(&text, " 7\n");
	p = read_text(text.data, &plain);
	EXPECT_INT(p->read, 2);
	EXPECT_INT(p->kept, 1);
	EXPECT_STR(p->dropped[0].reason, "lost.folded-depth");
	EXPECT(strstr(hd_log_find(&p->log, "lost.folded-depth")->text, "t.folded: line 2 has more than ") != NULL);
	hd_profile_free(p);
	hd_buf_release(&text);
}

/* ---- names ---- */

TEST(our_escapes_are_undone_and_foreign_backslashes_stay)
{
	struct hd_profile *p = read_text("a\\x3bb;C:\\\\x;\\q\\x41;caf\\xc3\\xa9;\\u{202e}x 1\n", &plain);
	static const char *const want[] = { "\xe2\x80\xaex", "caf\xc3\xa9", "\\q\\x41", "C:\\x", "a;b" };
	hd_stack_id s = p->rows.items[0].stack;

	for (size_t i = 0; i < HD_COUNT(want); i++, s = hd_stacks_caller(p->stacks, s))
		EXPECT_STR(hd_profile_str(p, p->symbols[p->frames[hd_stacks_frame(p->stacks, s).v].symbol].name),
			want[i]);
	hd_profile_free(p);
}

TEST(a_frame_without_a_name_has_the_empty_one)
{
	expect_fold(";a;;b 1\n;c 2\n", "\\e;a;\\e;b 1\n\\e;c 2\n");
	expect_fold("a;\\e 3\n", "a;\\e 3\n");
	expect_fold("; 4\n;; 5\n", "\\e 9\n");
}

TEST(semicolons_at_the_end_of_a_stack_are_no_frames)
{
	expect_fold("a;b; 1\na;b 2\nc;; 4\n", "a;b 3\nc 4\n");
	expect_fold("main (h.c);make (h.c); 100\n", "main (h.c);make (h.c) 100\n");	/* heaptrack_print -F */
	expect_fold("a;b; 1 5\n", "a;b 5\n");
	expect_fold("a;\\e; 6\n", "a;\\e 6\n");
}

TEST(the_pseudo_name_is_unknown_and_a_name_that_looks_like_it_is_a_name)
{
	struct hd_profile *p = read_text("a;[unknown] 1\na;\\x5bunknown] 2\na;[unknown]_[k] 4\n", &plain);
	const struct hd_profile_symbol *s[3];

	for (int i = 0; i < 3; i++)
		s[i] = &p->symbols[p->frames[p->rows.items[i].self.v].symbol];
	EXPECT(s[0]->unresolved && !s[0]->kernel);
	EXPECT(!s[1]->unresolved && !s[1]->kernel);
	EXPECT_STR(hd_profile_str(p, s[1]->name), "[unknown]");
	EXPECT(s[2]->unresolved && s[2]->kernel);
	hd_profile_free(p);
	expect_fold("a;[unknown] 1\na;\\x5bunknown] 2\na;[unknown]_[k] 4\n",
		"a;[unknown] 1\na;[unknown]_[k] 4\na;\\x5bunknown] 2\n");
}

TEST(marks_of_kernel_inlined_and_jit_frames_are_no_part_of_the_name)
{
	struct hd_profile *p = read_text(
		"main;do_syscall_64_[k];inner_[i];run_[j] 1\nmain;user_\\x5bk] 1\n_[k];x_[z] 1\n", &plain);
	hd_stack_id s = p->rows.items[0].stack;
	const struct hd_frame *f;

	f = &p->frames[hd_stacks_frame(p->stacks, s).v];
	EXPECT(!f->inlined && !p->symbols[f->symbol].kernel);
	EXPECT_STR(hd_profile_str(p, p->symbols[f->symbol].name), "run");
	s = hd_stacks_caller(p->stacks, s);
	f = &p->frames[hd_stacks_frame(p->stacks, s).v];
	EXPECT(f->inlined && !p->symbols[f->symbol].kernel);
	EXPECT_STR(hd_profile_str(p, p->symbols[f->symbol].name), "inner");
	s = hd_stacks_caller(p->stacks, s);
	f = &p->frames[hd_stacks_frame(p->stacks, s).v];
	EXPECT(!f->inlined && p->symbols[f->symbol].kernel);
	EXPECT_STR(hd_profile_str(p, p->symbols[f->symbol].name), "do_syscall_64");
	f = &p->frames[p->rows.items[1].self.v];
	EXPECT_STR(hd_profile_str(p, p->symbols[f->symbol].name), "user_[k]");
	hd_profile_free(p);
	expect_fold("_[k];x_[z] 1\n", "_\\x5bk];x_\\x5bz] 1\n");
}

TEST(a_name_may_hold_even_a_nul)
{
	expect_fold_n("a\0b;c 1\n", 8, &plain, "a\\x00b;c 1\n");
	expect_fold("a\\x00b;c 1\na\\x00d;c 2\na;c 4\n", "a;c 4\na\\x00b;c 1\na\\x00d;c 2\n");
}

/* ---- command names as first frames, and selections ---- */

TEST(with_commands_kept_apart_the_first_frame_is_the_command)
{
	struct hd_profile *p = read_text("app;main 1\n\\x23odd 2\n", &by_comm);

	EXPECT_STR(hd_profile_str(p, p->rows.items[0].comm), "app");
	EXPECT_INT(hd_stacks_depth(p->stacks, p->rows.items[0].stack), 1);
	EXPECT_STR(hd_profile_str(p, p->rows.items[1].comm), "#odd");
	EXPECT_INT(p->rows.items[1].stack.v, 0);
	hd_profile_free(p);
}

static void expect_selected(const struct hd_selection *select, const char *want)
{
	static const char text[] = "app;main;work 1\napp;main;read_[k] 2\nother;main;work 4\napp;entry_[k] 8\napp 16\n";

	for (unsigned keys = 0; keys <= HD_KEY_COMM; keys += HD_KEY_COMM) {
		struct hd_pipeline_opts o = { .select = *select, .keys = keys };
		struct hd_profile *p = read_text(text, &o);
		char *got = fold(p);

		EXPECT_INT(p->read, 5);
		EXPECT_STR(got, want);
		free(got);
		hd_profile_free(p);
	}
}

#define WORDS(...) { .items = (const char *[]){ __VA_ARGS__ }, \
	.n = sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *) }

TEST(stacks_are_selected_by_command_function_and_side_whether_commands_are_kept_apart_or_not)
{
	expect_selected(&(struct hd_selection){ .comm = WORDS("other") }, "other;main;work 4\n");
	expect_selected(&(struct hd_selection){ .symbol = WORDS("work") }, "app;main;work 1\nother;main;work 4\n");
	expect_selected(&(struct hd_selection){ .symbol = WORDS("work", "read"), .comm = WORDS("app") },
			"app;main;read_[k] 2\napp;main;work 1\n");
	expect_selected(
		&(struct hd_selection){ .event = WORDS("folded"), .dso = WORDS("[folded]"), .comm = WORDS("other") },
		"other;main;work 4\n");
	expect_selected(&(struct hd_selection){ .weight = HD_WEIGHT_SAMPLES, .comm = WORDS("app") },
			"app 16\napp;entry_[k] 8\napp;main;read_[k] 2\napp;main;work 1\n");	/* counts are samples */
}

TEST(without_the_kernel_a_stack_counts_at_its_innermost_user_frame)
{
	struct hd_pipeline_opts o = { .select.no_kernel = true, .keys = HD_KEY_COMM };
	struct hd_profile *p = read_text("app;main;read_[k] 2\napp;main 1\napp;entry_[k];x_[k] 8\napp 16\n", &o);
	char *got = fold(p);

	EXPECT_STR(got, "app 16\napp;main 3\n");
	EXPECT_INT(p->dropped[0].count, 1);
	EXPECT_STR(p->dropped[0].reason, "not selected");
	free(got);
	hd_profile_free(p);
}

TEST(names_without_versions_meet_in_one_frame)
{
	struct hd_pipeline_opts o = { .select.strip_version = true };
	struct hd_profile *p = read_text("a;work.constprop.0 1\na;work.part.3 2\na;memcpy@@GLIBC_2.14 4\na;memcpy 8\n",
		&o);
	char *got = fold(p);

	EXPECT_STR(got, "a;memcpy 12\na;work 3\n");
	free(got);
	hd_profile_free(p);
}

TEST(a_rule_about_what_folded_text_does_not_tell_is_an_error_and_not_ignored)
{
	struct hd_pipeline_opts o[] = {
		{ .select.pid = WORDS("1") }, { .select.tid = WORDS("1") }, { .select.cpu = WORDS("0") },
		{ .select.time = "1,2" },
		{ .select.event = WORDS("cycles") }, { .select.dso = WORDS("libc.so.6") },
	};
	static const char *const words[] = { "pid", "tid", "cpu", "time", "event", "dso" };

	for (size_t i = 0; i < HD_COUNT(o); i++) {
		struct hd_err err;
		char want[100];

		hd_profile_free(read_n("a;b 1\n", 6, &o[i], HD_EFORMAT, &err));
		snprintf(want, sizeof(want),
			"t.folded: folded stacks do not contain the %s of samples, so --%s cannot be used", words[i],
			words[i]);
		EXPECT_STR(err.msg, want);
	}
}

TEST(a_selection_that_is_misspelt_is_a_usage_error)
{
	struct hd_pipeline_opts o = { .select.time = "now" };
	struct hd_err err;

	hd_profile_free(read_n("a;b 1\n", 6, &o, HD_EUSAGE, &err));
}

/* ---- detecting the format ---- */

static bool looks(const char *text, size_t n, bool whole)
{
	return hd_folded_input_is(text, n, whole);
}

#define LOOKS(text, whole) looks(text, sizeof(text) - 1, whole)

TEST(one_line_with_a_count_makes_text_folded)
{
	EXPECT(LOOKS("a;b 1\n", true));
	EXPECT(LOOKS("a;b 1", true));
	EXPECT(LOOKS("# comment\nnonsense\na;b 1\r\n", true));
	EXPECT(!LOOKS("", true));
	EXPECT(!LOOKS("hello\n", true));
	EXPECT(!LOOKS("# a 5\n", true));
	EXPECT(!LOOKS("PERFILE3", true));
}

TEST(a_first_line_longer_than_what_is_looked_at_may_be_one)
{
	EXPECT(LOOKS("main;a;very;long;st", false));
	EXPECT(LOOKS("# comment\nmain;a;very;long;st", false));
	EXPECT(!LOOKS("main;a;very;long;st", true));
	EXPECT(!LOOKS("nonsense\nmain;a;very;long;st", false));
}

TEST(bytes_that_no_text_holds_need_more_good_lines_than_bad_ones)
{
	EXPECT(LOOKS("a;b 1\nc;d 2\ne\0f 3\n", true));
	EXPECT(!LOOKS("a;b 1\ne\0f 3\n", true));
	EXPECT(!LOOKS("\0\0\0\0 5\n", true));
}

TEST_MAIN(RUN(a_line_is_a_stack_and_its_count),
	  RUN(a_name_may_contain_blanks_and_the_count_follows_the_last_blank),
	  RUN(a_line_with_two_counts_is_a_difference_and_becomes_two_events),
	  RUN(line_ends_of_every_kind_comments_and_a_byte_order_mark_are_no_part_of_a_name),
	  RUN(a_count_with_decimals_is_rounded_down_and_said_so),
	  RUN(a_line_without_a_count_is_skipped_counted_and_named),
	  RUN(text_in_which_no_line_ends_in_a_count_is_no_input),
	  RUN(the_largest_count_is_read_and_a_sum_that_does_not_fit_is_not_wrapped),
	  RUN(a_line_of_a_megabyte_is_a_line),
	  RUN(a_line_of_more_frames_than_any_stack_has_is_left_out_and_counted),
	  RUN(our_escapes_are_undone_and_foreign_backslashes_stay),
	  RUN(a_frame_without_a_name_has_the_empty_one),
	  RUN(semicolons_at_the_end_of_a_stack_are_no_frames),
	  RUN(the_pseudo_name_is_unknown_and_a_name_that_looks_like_it_is_a_name),
	  RUN(marks_of_kernel_inlined_and_jit_frames_are_no_part_of_the_name),
	  RUN(a_name_may_hold_even_a_nul),
	  RUN(with_commands_kept_apart_the_first_frame_is_the_command),
	  RUN(stacks_are_selected_by_command_function_and_side_whether_commands_are_kept_apart_or_not),
	  RUN(without_the_kernel_a_stack_counts_at_its_innermost_user_frame),
	  RUN(names_without_versions_meet_in_one_frame),
	  RUN(a_rule_about_what_folded_text_does_not_tell_is_an_error_and_not_ignored),
	  RUN(a_selection_that_is_misspelt_is_a_usage_error),
	  RUN(one_line_with_a_count_makes_text_folded),
	  RUN(a_first_line_longer_than_what_is_looked_at_may_be_one),
	  RUN(bytes_that_no_text_holds_need_more_good_lines_than_bad_ones))
