/*
 * stack_classes.c - classify stacks by rules over their functions
 */
#include "profile/stack_classes.h"

#include "test.h"

#include <stdlib.h>

static struct hd_stack_class_rules rules;
static char *texts[HD_STACK_CLASSES];

static void rule(enum hd_stack_class c, const char *text)
{
	texts[c] = hd_stack_class_split(&rules.of[c], text);
}

static void forget(void)
{
	for (int c = 0; c < HD_STACK_CLASSES; c++) {
		free(rules.of[c].items);
		free(texts[c]);
		texts[c] = NULL;
	}
	rules = (struct hd_stack_class_rules){ 0 };
}

/* Return the class of the stack of these n functions, outermost first. */
static int class_of(const char *const *functions, size_t n)
{
	struct hd_profile *p = hd_profile_new();
	hd_stack_id stack = { 0 };
	uint8_t *classes;
	int c;

	for (size_t i = 0; i < n; i++) {
		struct hd_frame f = { .symbol = hd_profile_add_named_symbol(p, 0, functions[i], false) };

		stack = hd_stacks_add(p->stacks, stack, hd_profile_add_frame(p, &f));
	}
	classes = hd_stack_classes_build(p, &rules);
	c = classes[stack.v];
	free(classes);
	hd_profile_free(p);
	return c;
}
#define CLASS_OF(...) class_of((const char *const[]){ __VA_ARGS__ }, \
	sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

TEST(the_innermost_function_that_a_rule_is_about_decides)
{
	rule(HD_STACK_CLASS_KV_CACHE, "KvCache::*");
	rule(HD_STACK_CLASS_TEMP_BUFFER, "*scratch*");
	EXPECT_INT(CLASS_OF("main", "KvCache::grow", "malloc"), HD_STACK_CLASS_KV_CACHE);
	EXPECT_INT(CLASS_OF("main", "KvCache::grow", "take_scratch", "malloc"), HD_STACK_CLASS_TEMP_BUFFER);
	EXPECT_INT(CLASS_OF("main", "take_scratch", "KvCache::grow"), HD_STACK_CLASS_KV_CACHE);
	EXPECT_INT(CLASS_OF("main", "malloc"), HD_STACK_CLASS_NONE);
	forget();
}

TEST(if_several_rules_match_a_function_the_first_class_wins)
{
	rule(HD_STACK_CLASS_TEMP_BUFFER, "*");
	rule(HD_STACK_CLASS_ACTIVATION, "forward*");
	EXPECT_INT(CLASS_OF("main", "forward_all"), HD_STACK_CLASS_ACTIVATION);
	EXPECT_INT(CLASS_OF("main"), HD_STACK_CLASS_TEMP_BUFFER);
	forget();
}

TEST(a_pattern_is_about_the_whole_name)
{
	rule(HD_STACK_CLASS_ACTIVATION, "forward");
	EXPECT_INT(CLASS_OF("forward"), HD_STACK_CLASS_ACTIVATION);
	EXPECT_INT(CLASS_OF("forward_all"), HD_STACK_CLASS_NONE);
	forget();
}

TEST(patterns_are_parted_by_commas_and_lines_but_not_within_angle_brackets)
{
	struct hd_string_list w = { 0 };
	char *text = hd_stack_class_split(&w, " a* ,, Map<int, x>::f\n  b c ,operator<, d");

	EXPECT_INT(w.n, 4);
	EXPECT_STR(w.items[0], "a*");
	EXPECT_STR(w.items[1], "Map<int, x>::f");
	EXPECT_STR(w.items[2], "b c");
	/* The bracket never closes, so the rest of the text is one pattern.  Such a name needs a line of its own. */
	EXPECT_STR(w.items[3], "operator<, d");
	free(w.items);
	free(text);
}

TEST_MAIN(RUN(the_innermost_function_that_a_rule_is_about_decides),
	  RUN(if_several_rules_match_a_function_the_first_class_wins),
	  RUN(a_pattern_is_about_the_whole_name),
	  RUN(patterns_are_parted_by_commas_and_lines_but_not_within_angle_brackets))
