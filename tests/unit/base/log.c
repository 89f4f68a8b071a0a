/* log.c - warnings are counted by code, printed once, and safe for a terminal */
#include "test.h"

#include "base/encode.h"
#include "base/log.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Return what hd_log_print() writes; the caller frees it. */
static char *printed(struct hd_log *log)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	hd_log_print(log, f);
	fclose(f);
	return text;
}

static void in_brackets(struct hd_buf *out, const char *text, const void *arg)
{
	hd_buf_addf(out, "[%s]%s", text, (const char *)arg);
}

#define EXPECT_PRINTS(log, want)		\
	do {					\
		char *got_ = printed(log);	\
		EXPECT_STR(got_, want);		\
		free(got_);			\
	} while (0)

TEST(a_warning_is_one_line_with_what_to_do_about_it)
{
	struct hd_log log = { 0 };

	hd_warn(&log, "lost.cut-record", "record again", "t.data: the record at 0x%x is cut off", 16);
	EXPECT_PRINTS(&log, "hotdrift: warning: t.data: the record at 0x10 is cut off; record again\n");
	hd_log_release(&log);
}

TEST(warnings_of_one_code_are_counted_and_keep_the_first_text)
{
	struct hd_log log = { 0 };
	const struct hd_warning *w;

	for (int i = 1; i <= 3; i++)
		hd_warn(&log, "lost.side-band", NULL, "record %d", i);
	hd_warn_n(&log, "lost.events", 1000, "", "many");
	hd_warn_n(&log, "lost.events", 234, "", "more");
	EXPECT_INT(log.n, 2);
	w = hd_log_find(&log, "lost.side-band");
	EXPECT(w && w->count == 3);
	EXPECT_STR(w->text, "record 1");
	EXPECT_STR(w->fix, "");
	EXPECT(!hd_log_find(&log, "lost."));
	EXPECT_PRINTS(&log, "hotdrift: warning: record 1 (3 in all)\nhotdrift: warning: many (1234 in all)\n");
	hd_log_release(&log);
}

TEST(what_was_printed_is_not_printed_again)
{
	struct hd_log log = { 0 };

	hd_warn(&log, "one", "", "first");
	EXPECT_PRINTS(&log, "hotdrift: warning: first\n");
	hd_warn(&log, "one", "", "first again");
	hd_warn(&log, "two", "", "second");
	EXPECT_PRINTS(&log, "hotdrift: warning: second\n");
	EXPECT_PRINTS(&log, "");
	hd_log_release(&log);
}

TEST(a_name_in_a_warning_cannot_end_its_line_or_speak_to_the_terminal)
{
	struct hd_log log = { 0 };

	hd_warn(&log, "x", "", "%s: no", "a\nb\033[2J\xff");
	EXPECT_PRINTS(&log, "hotdrift: warning: a\\x0ab\\x1b[2J\\xff: no\n");
	hd_log_release(&log);
}

TEST(a_line_of_any_length_is_whole_and_encoded_like_a_short_one)
{
	static const char unit[] =
		"a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\n"
		"\xff\xff\xff\xff\xe2\x80\xae"; /* characters of 1 to 4 bytes, and invalid bytes */

	for (size_t ahead = 0; ahead < 300; ahead++) {
		struct hd_buf text = { 0 }, want = { 0 };
		struct hd_log log = { 0 };

		for (size_t i = 0; i < ahead; i++)
			hd_buf_addc(&text, '.');
		for (int i = 0; i < 700; i++)
			hd_buf_adds(&text, unit);
		hd_warn_n(&log, "x", 2, text.data + ahead, "%s", text.data);
		hd_buf_adds(&want, "hotdrift: warning: ");
		hd_enc_term(&want, text.data, text.len);
		hd_buf_addf(&want, " (2 in all); %s\n", text.data + ahead);
		EXPECT_PRINTS(&log, want.data);
		hd_log_release(&log);
		hd_buf_release(&text);
		hd_buf_release(&want);
	}
}

TEST(a_log_may_rewrite_what_it_keeps)
{
	struct hd_log log = { .amend = in_brackets, .amend_arg = "!" };

	hd_warn(&log, "x", "fix", "text %d", 1);
	hd_warn(&log, "x", "fix", "text %d", 2);
	EXPECT_PRINTS(&log, "hotdrift: warning: [text 1]! (2 in all); [fix]!\n");
	hd_log_release(&log);
}

TEST(a_released_log_is_empty)
{
	struct hd_log log = { 0 };

	hd_warn(&log, "x", "", "y");
	hd_log_release(&log);
	EXPECT(log.n == 0 && !hd_log_find(&log, "x"));
	EXPECT_PRINTS(&log, "");
}

TEST_MAIN(RUN(a_warning_is_one_line_with_what_to_do_about_it),
	  RUN(warnings_of_one_code_are_counted_and_keep_the_first_text),
	  RUN(what_was_printed_is_not_printed_again),
	  RUN(a_name_in_a_warning_cannot_end_its_line_or_speak_to_the_terminal),
	  RUN(a_line_of_any_length_is_whole_and_encoded_like_a_short_one),
	  RUN(a_log_may_rewrite_what_it_keeps), RUN(a_released_log_is_empty))
