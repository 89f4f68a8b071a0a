/*
 * palette.c - each function has one colour, and each kind of function has one hue
 */
#include "test.h"

#include "profile/call_tree.h"
#include "render/palette.h"

#include <string.h>

static const char *class_of(enum hd_palette_kind kind, const char *name)
{
	static char class[4];

	hd_palette_class(class, kind, name);
	return class;
}

static bool same_class(enum hd_palette_kind kind, const char *a, const char *b)
{
	char first[4];

	hd_palette_class(first, kind, a);
	return !strcmp(first, class_of(kind, b));
}

TEST(the_class_of_a_name_does_not_change_between_versions)
{
	EXPECT_STR(class_of(HD_PALETTE_KIND_USER, "main"), "u8");
	EXPECT_STR(class_of(HD_PALETTE_KIND_KERNEL, "vfs_read"), "k5");
	EXPECT_STR(class_of(HD_PALETTE_KIND_UNKNOWN, "[unknown]"), "q0");
	EXPECT_STR(class_of(HD_PALETTE_KIND_USER, ""), "u7");
}

TEST(clones_of_a_function_share_its_colour)
{
	EXPECT(same_class(HD_PALETTE_KIND_USER, "insert", "insert.constprop.0"));
	EXPECT(same_class(HD_PALETTE_KIND_USER, "insert", "insert.isra.0.cold"));
	EXPECT(same_class(HD_PALETTE_KIND_USER, "insert", "insert.part.1.llvm.123"));
	/* no name precedes the first dot, so the whole text is a name of its own */
	EXPECT(!same_class(HD_PALETTE_KIND_USER, ".cold.a", ".cold.b"));
}

TEST(every_shade_is_used)
{
	bool seen[10] = { false };
	size_t n = 0;

	for (int i = 0; i < 200; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%d", i);
		seen[class_of(HD_PALETTE_KIND_USER, name)[1] - '0'] = true;
	}
	for (size_t i = 0; i < 10; i++)
		n += seen[i];
	EXPECT_INT(n, 10);
}

TEST(a_class_is_a_letter_and_a_digit_whatever_the_name)
{
	static const char *const names[] = { "", "\"><script>", "\xff\xfe", "a b c", "}*{fill:red" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (int k = 0; k < HD_PALETTE_KINDS; k++) {
			const char *class = class_of((enum hd_palette_kind)k, names[i]);

			EXPECT(strlen(class) == 2 && strchr("uijkgqcrbzvn", class[0]) && class[1] >= '0' &&
				class[1] <= '9');
		}
}

TEST(the_flags_of_a_node_determine_its_kind)
{
	EXPECT_INT(hd_palette_kind_of(0), HD_PALETTE_KIND_USER);
	EXPECT_INT(hd_palette_kind_of(HD_CALL_NODE_ROOT), HD_PALETTE_KIND_GROUP);
	EXPECT_INT(hd_palette_kind_of(HD_CALL_NODE_COMM), HD_PALETTE_KIND_GROUP);
	EXPECT_INT(hd_palette_kind_of(HD_CALL_NODE_KERNEL), HD_PALETTE_KIND_KERNEL);
	EXPECT_INT(hd_palette_kind_of(HD_CALL_NODE_GPU), HD_PALETTE_KIND_GPU);
	EXPECT_INT(hd_palette_kind_of(HD_CALL_NODE_KERNEL | HD_CALL_NODE_INLINED), HD_PALETTE_KIND_KERNEL);
	EXPECT_INT(hd_palette_kind_of(HD_CALL_NODE_KERNEL | HD_CALL_NODE_UNKNOWN), HD_PALETTE_KIND_UNKNOWN);
	EXPECT_INT(hd_palette_kind_of(HD_CALL_NODE_INLINED), HD_PALETTE_KIND_INLINED);
	EXPECT_INT(hd_palette_kind_of(HD_CALL_NODE_JIT), HD_PALETTE_KIND_JIT);
}

TEST(the_style_sheet_has_every_shade_in_light_and_dark)
{
	struct hd_buf css = { 0 };

	hd_palette_css(&css);
	for (int i = 0; i < 200; i++)
		for (int k = 0; k < HD_PALETTE_KINDS; k++) {
			char name[16], rule[24];

			snprintf(name, sizeof(name), "f%d", i);
			snprintf(rule, sizeof(rule), ".%s{fill:#", class_of((enum hd_palette_kind)k, name));
			EXPECT(strstr(css.data, rule) != NULL);
			snprintf(rule, sizeof(rule), "--%s:#", class_of((enum hd_palette_kind)k, name));
			EXPECT(strstr(css.data, rule) != NULL);
			hd_palette_legend_class(name, (enum hd_palette_kind)k);
			snprintf(rule, sizeof(rule), ".%s{fill:#", name);
			EXPECT(strstr(css.data, rule) != NULL);
		}
	EXPECT(strstr(css.data, "prefers-color-scheme:dark") != NULL);
	EXPECT(strstr(css.data, "[data-theme=dark]") != NULL);
	hd_buf_release(&css);
}

TEST_MAIN(RUN(the_class_of_a_name_does_not_change_between_versions),
	  RUN(clones_of_a_function_share_its_colour),
	  RUN(every_shade_is_used),
	  RUN(a_class_is_a_letter_and_a_digit_whatever_the_name),
	  RUN(the_flags_of_a_node_determine_its_kind),
	  RUN(the_style_sheet_has_every_shade_in_light_and_dark))
