/* argv.c - split a command line into words, and write words as a command line */
#include "base/argv.h"
#include "test.h"

#include <string.h>

/* Split `text` into words and return them with bars between them; if that fails, return the message. */
static const char *words(const char *text)
{
	static char out[512];
	struct hd_argv c;
	struct hd_err err;

	if (hd_argv_split(&c, text, &err) < 0)
		return strncpy(out, err.msg, sizeof(out) - 1);
	out[0] = '\0';
	for (size_t i = 0; i < c.argc; i++) {
		strcat(out, i ? "|" : "");
		strcat(out, c.argv[i]);
	}
	EXPECT(c.argv[c.argc] == NULL);
	hd_argv_release(&c);
	return out;
}

TEST(blanks_divide_and_quotes_and_backslashes_keep_together)
{
	EXPECT_STR(words("  build/parser  big.json\t-n 3\n"), "build/parser|big.json|-n|3");
	EXPECT_STR(words("a 'b c' \"d e\" f\\ g"), "a|b c|d e|f g");
	EXPECT_STR(words("a'b'\"c\"d"), "abcd");
	EXPECT_STR(words("'' x"), "|x");
	EXPECT_STR(words("\"a\\\"b\\\\c\\d\""), "a\"b\\c\\d");
}

TEST(nothing_is_expanded)
{
	EXPECT_STR(words("echo $HOME `id` *.c ~ a;b 2>&1"), "echo|$HOME|`id`|*.c|~|a;b|2>&1");
}

TEST(a_quote_that_does_not_close_and_no_word_at_all_are_refused)
{
	EXPECT_STR(words("a 'b"), "a quote in 'a 'b' is not closed");
	EXPECT_STR(words("a \"b\\\""), "a quote in 'a \"b\\\"' is not closed");
	EXPECT_STR(words(" \t "), "a command is empty");
}

TEST(words_that_are_written_are_the_same_when_they_are_divided_again)
{
	static const char *const hostile[] = { "a b", "", "it's", "\\", "\"", "\t", "\xff\x01", "$x" };
	struct hd_argv c = { 0 }, again;
	struct hd_buf text = { 0 };
	struct hd_err err;

	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++)
		hd_argv_add(&c, hostile[i], strlen(hostile[i]));
	hd_argv_quote(&text, &c);
	EXPECT(hd_argv_split(&again, text.data, &err) >= 0);
	EXPECT_INT(again.argc, c.argc);
	for (size_t i = 0; i < c.argc; i++)
		EXPECT_STR(again.argv[i], c.argv[i]);
	hd_argv_release(&c);
	hd_argv_release(&again);
	hd_buf_release(&text);
}

TEST(a_shell_is_asked_only_by_its_own_words)
{
	struct hd_argv c;

	hd_argv_shell(&c, "a | b");
	EXPECT_INT(c.argc, 3);
	EXPECT_STR(c.argv[0], "sh");
	EXPECT_STR(c.argv[2], "a | b");
	hd_argv_release(&c);
}

TEST_MAIN(RUN(blanks_divide_and_quotes_and_backslashes_keep_together), RUN(nothing_is_expanded),
	RUN(a_quote_that_does_not_close_and_no_word_at_all_are_refused),
	RUN(words_that_are_written_are_the_same_when_they_are_divided_again),
	RUN(a_shell_is_asked_only_by_its_own_words))
