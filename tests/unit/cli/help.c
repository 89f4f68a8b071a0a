/*
 * help.c - the help text of every command has the same form, and has every option of the command's table
 */
#include "test.h"

#include "cli/cmd.h"

#include <ctype.h>
#include <string.h>

enum { COLUMNS = 100 };

static void expect(bool ok, const struct hd_cmd *cmd, const char *what)
{
	if (!ok)
		printf("%s: %.*s\n", cmd->name, (int)strcspn(what, "\n"), what);
	EXPECT(ok);
}

static void expect_rows(const struct hd_cmd *cmd, const struct hd_opt *rows, const char *text)
{
	for (const struct hd_opt *o = rows; o && o->kind != HD_OPT_END; o++) {
		/* Search only for the first 60 characters of the argument: choices after them are on the next line. */
		char words[160];

		snprintf(words, sizeof(words), "%s%c%s--%s%s%.60s", o->letter ? "  -" : " ",
			o->letter ? o->letter : ' ', o->letter ? ", " : "", o->name,
			hd_opt_is_flag(o) ? "" : o->kind == HD_OPT_MAYBE ? "[=" : " ",
			hd_opt_is_flag(o) ? "" : o->arg);
		expect(strstr(text, words), cmd, words);
		expect(*o->help && (o->help[strlen(o->help) - 1] != '.' || strstr(o->help, "...")), cmd, o->help);
	}
}

TEST(every_option_of_the_table_is_in_the_help)
{
	for (const struct hd_cmd *const *c = hd_cmds; *c; c++) {
		struct hd_buf text = { 0 };

		hd_help_text(&text, *c, COLUMNS);
		expect_rows(*c, (*c)->opts, hd_buf_str(&text));
		for (const struct hd_opt_group *g = (*c)->groups; g && g->title; g++)
			expect_rows(*c, g->opts, hd_buf_str(&text));
		hd_buf_release(&text);
	}
}

TEST(the_usage_comes_first_and_the_summary_is_a_line_in_lower_case)
{
	for (const struct hd_cmd *const *c = hd_cmds; *c; c++) {
		struct hd_buf text = { 0 };
		char begin[64];
		const char *summary = (*c)->summary;

		hd_help_text(&text, *c, COLUMNS);
		snprintf(begin, sizeof(begin), "usage: hotdrift %s", (*c)->name);
		expect(!strncmp(hd_buf_str(&text), begin, strlen(begin)), *c, "usage");
		expect(!strchr(summary, '\n') && summary[strlen(summary) - 1] != '.', *c, summary);
		expect(!isupper((unsigned char)summary[0]) || isupper((unsigned char)summary[1]), *c, summary);
		hd_buf_release(&text);
	}
}

/* Only the text before the examples is checked, because examples may contain long commands. */
TEST(no_line_is_wider_than_the_terminal)
{
	for (const struct hd_cmd *const *c = hd_cmds; *c; c++) {
		for (unsigned columns = 60; columns <= COLUMNS; columns += 40) {
			struct hd_buf text = { 0 };

			hd_help_text(&text, *c, columns);
			for (const char *line = hd_buf_str(&text); *line && strncmp(line, "examples:", 9) != 0;) {
				size_t n = strcspn(line, "\n");

				/*
				 * Expect 100 columns even for a width of 60, because a word may be longer than a
				 * narrow line.
				 */
				expect(n <= COLUMNS, *c, line);
				line += n + (line[n] == '\n');
			}
			hd_buf_release(&text);
		}
	}
}

/* A paragraph ends with a full stop, or with a colon before a list. */
TEST(paragraphs_are_sentences)
{
	for (const struct hd_cmd *const *c = hd_cmds; *c; c++) {
		for (const char *line = (*c)->details ? (*c)->details : ""; *line;) {
			size_t n = strcspn(line, "\n");

			if (memchr(line, ' ', n) && *line != ' ' && *line != '{')
				expect(strchr(".:", line[n - 1]), *c, line);
			line += n + (line[n] == '\n');
		}
	}
}

TEST(lists_are_filled_in)
{
	struct hd_buf text = { 0 };

	hd_help_text(&text, hd_cmd_find("profile"), COLUMNS);
	EXPECT(strstr(hd_buf_str(&text), "\n  async  "));
	EXPECT(!strstr(hd_buf_str(&text), "{modes}"));
	hd_buf_reset(&text);
	hd_help_text(&text, hd_cmd_find("rss"), COLUMNS);
	EXPECT(strstr(hd_buf_str(&text), "timestamp_us,peak_rss_bytes,kv_cache_bytes"));
	hd_buf_release(&text);
}

TEST_MAIN(RUN(every_option_of_the_table_is_in_the_help),
	RUN(the_usage_comes_first_and_the_summary_is_a_line_in_lower_case), RUN(no_line_is_wider_than_the_terminal),
	RUN(paragraphs_are_sentences), RUN(lists_are_filled_in))
