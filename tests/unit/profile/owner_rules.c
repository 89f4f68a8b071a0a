/*
 * owner_rules.c - find the owner of a function by rules
 */
#include "test.h"

#include "profile/owner_rules.h"

#include <string.h>

static struct hd_owner_rules rules;

static void add(const char *owner, const char *patterns)
{
	struct hd_err err = { 0 };

	EXPECT_INT(hd_owner_rules_add(&rules, owner, patterns, "hotdrift.ini:3", &err), 0);
}

static const char *owner(const char *name, const char *object, const char *source)
{
	const char *found = hd_owner_rules_find(&rules, &(struct hd_owner_names){ name, NULL, object, source });

	return found ? found : "(none)";
}

TEST(the_first_rule_that_matches_a_name_wins)
{
	add("parser", "Parser::*, parse_*");
	add("other", "*");
	EXPECT_STR(owner("Parser::next", NULL, NULL), "parser");
	EXPECT_STR(owner("parse_row", NULL, NULL), "parser");
	EXPECT_STR(owner("reparse_row", NULL, NULL), "other");
	EXPECT_STR(owner("Parser", NULL, NULL), "other");
	hd_owner_rules_release(&rules);
}

TEST(a_pattern_with_a_slash_is_a_path_from_any_folder_on)
{
	add("parser", "src/parser/*");
	EXPECT(rules.paths);
	EXPECT_STR(owner("f", NULL, "/home/me/app/src/parser/lex.c"), "parser");
	EXPECT_STR(owner("f", NULL, "src/parser/deep/lex.c"), "parser");
	EXPECT_STR(owner("f", NULL, "/home/me/my_src/parser/lex.c"), "(none)");
	EXPECT_STR(owner("src/parser/x", NULL, NULL), "(none)");
	EXPECT_STR(owner("f", "/opt/src/parser/libparser.so", NULL), "parser");
	hd_owner_rules_release(&rules);
}

TEST(a_path_that_begins_with_a_slash_is_matched_as_a_whole)
{
	add("system", "/usr/*");
	EXPECT_STR(owner("f", "/usr/lib/libz.so.1", NULL), "system");
	EXPECT_STR(owner("f", "/home/usr/lib/libz.so.1", NULL), "(none)");
	hd_owner_rules_release(&rules);
}

TEST(a_pattern_without_a_slash_also_matches_the_last_part_of_a_path)
{
	add("compression", "libz.so*, lex.?");
	EXPECT(!rules.paths);
	EXPECT_STR(owner("f", "/usr/lib/libz.so.1", NULL), "compression");
	EXPECT_STR(owner("f", "serve", "/app/lex.c"), "compression");
	EXPECT_STR(owner("f", "/usr/libz.so.1/serve", NULL), "(none)");
	hd_owner_rules_release(&rules);
}

TEST(a_comma_within_angle_brackets_does_not_end_a_pattern)
{
	add("tables", "Table<int, *>::find");
	EXPECT_STR(owner("Table<int, long>::find", NULL, NULL), "tables");
	hd_owner_rules_release(&rules);
}

TEST(a_rule_without_a_pattern_is_refused)
{
	struct hd_err err = { 0 };

	EXPECT_INT(hd_owner_rules_add(&rules, "a", " , ,\n", "hotdrift.ini:3", &err), HD_EFORMAT);
	EXPECT_STR(err.msg, "hotdrift.ini:3: owner a has no pattern");
	EXPECT_INT(rules.n, 0);
}

TEST(a_pattern_that_is_too_long_is_refused_and_the_longest_is_not)
{
	struct hd_err err = { 0 };
	char text[HD_OWNER_PATTERN_MAX + 2];

	memset(text, '/', sizeof(text));
	text[HD_OWNER_PATTERN_MAX + 1] = '\0';
	EXPECT_INT(hd_owner_rules_add(&rules, "a", text, "x", &err), HD_EFORMAT);
	text[HD_OWNER_PATTERN_MAX] = '\0';
	text[0] = 'a';
	add("a", text);
	EXPECT_STR(owner("f", NULL, text), "a");
	hd_owner_rules_release(&rules);
}

TEST_MAIN(
	RUN(the_first_rule_that_matches_a_name_wins),
	RUN(a_pattern_with_a_slash_is_a_path_from_any_folder_on),
	RUN(a_path_that_begins_with_a_slash_is_matched_as_a_whole),
	RUN(a_pattern_without_a_slash_also_matches_the_last_part_of_a_path),
	RUN(a_comma_within_angle_brackets_does_not_end_a_pattern),
	RUN(a_rule_without_a_pattern_is_refused),
	RUN(a_pattern_that_is_too_long_is_refused_and_the_longest_is_not),
)
