/* annotation_rows.c - make the rows of annotated functions: context, gaps, hot rows, and invalid line numbers */
#include "test.h"

#include "tui/annotation_rows.h"

#include <string.h>

static const char *text[41];		/* lines 1 .. 40 */
static struct hd_annotation_file file = { .path = "c.c", .text = text, .nlines = 40 };
static struct hd_annotation_event event = { .symbol = { 10, 10 } };

/* Return an annotation of n lines with these costs. */
static struct hd_annotation annotation(struct hd_annotation_line *lines, struct hd_annotation_cost *costs, size_t n)
{
	return (struct hd_annotation){ .name = "f", .object = "o", .files = &file, .nfiles = 1, .lines = lines,
		.nlines = n, .line_cost = costs, .events = &event, .nevents = 1 };
}

static void expect_row(const struct hd_annotation_rows *r, size_t i, enum hd_annotation_row_kind kind, uint32_t number)
{
	EXPECT(i < r->n);
	EXPECT_INT(r->v[i].kind, kind);
	EXPECT_INT(r->v[i].number, number);
}

TEST(source_lines_have_context_and_gaps_between_them)
{
	struct hd_annotation_line lines[] = { { HD_ANNOTATION_NONE, 0, 0 }, { 0, 3, 1 }, { 0, 5, 1 }, { 0, 30, 1 } };
	struct hd_annotation_cost costs[] = { { 0, 0 }, { 1, 1 }, { 7, 7 }, { 2, 2 } };
	struct hd_annotation a = annotation(lines, costs, 4);
	struct hd_annotations found = { .items = &a, .n = 1 };
	struct hd_annotation_rows r = { 0 };

	hd_annotation_rows_build(&r, &found, false);
	expect_row(&r, 0, HD_ANNOTATION_ROW_TITLE, 0);
	expect_row(&r, 1, HD_ANNOTATION_ROW_FILE, 0);
	for (uint32_t i = 0; i < 10; i++)
		/* Lines 1 to 10: lines 3 and 5, and up to 5 lines around them. */
		expect_row(&r, 2 + i, HD_ANNOTATION_ROW_SOURCE, 1 + i);
	expect_row(&r, 12, HD_ANNOTATION_ROW_GAP, 14);				/* a gap of 14 lines, 11 to 24 */
	for (uint32_t i = 0; i < 11; i++)
		expect_row(&r, 13 + i, HD_ANNOTATION_ROW_SOURCE, 25 + i);
	EXPECT_INT(r.n, 24);
	EXPECT_INT(hd_annotation_rows_hottest(&r, 0, 0, HD_ANNOTATION_NONE), 6);
	EXPECT_INT(hd_annotation_rows_hottest(&r, 0, 0, 3), 18);
	EXPECT_INT(hd_annotation_rows_hottest(&r, 0, 1, 3), r.n);		/* r.n: function 1 does not exist */
	hd_annotation_rows_release(&r);
}

TEST(line_numbers_beyond_the_file_are_rows_without_context)
{
	struct hd_annotation_line lines[] = { { HD_ANNOTATION_NONE, 0, 0 }, { 0, 0, 1 }, { 0, 40, 1 }, { 0, 41, 1 },
		{ 0, UINT32_MAX, 1 } };
	struct hd_annotation_cost costs[] = { { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 4, 4 } };
	struct hd_annotation a = annotation(lines, costs, 5);
	struct hd_annotations found = { .items = &a, .n = 1 };
	struct hd_annotation_rows r = { 0 };

	hd_annotation_rows_build(&r, &found, false);
	expect_row(&r, 2, HD_ANNOTATION_ROW_SOURCE, 0);
	expect_row(&r, 3, HD_ANNOTATION_ROW_SOURCE, 35);
	expect_row(&r, 8, HD_ANNOTATION_ROW_SOURCE, 40);
	expect_row(&r, 9, HD_ANNOTATION_ROW_SOURCE, 41);
	expect_row(&r, 10, HD_ANNOTATION_ROW_SOURCE, UINT32_MAX);
	EXPECT_INT(r.v[11].at, 0);		/* the row of costs that belong to no line */
	EXPECT_INT(r.n, 12);
	EXPECT_INT(hd_annotation_rows_hottest(&r, 0, 0, HD_ANNOTATION_NONE), 10);
	hd_annotation_rows_release(&r);
}

TEST(a_note_is_encoded_and_broken_at_blanks)
{
	struct hd_annotations found = { 0 };
	struct hd_annotation_rows r = { 0 };

	hd_annotation_rows_build(&r, &found, true);
	EXPECT_INT(r.n, 0);
	EXPECT_INT(hd_annotation_rows_hottest(&r, 0, 0, HD_ANNOTATION_NONE), 0);
	hd_annotation_rows_note(&r, 0, "this note has an \033 escape and is longer than one row of seventy-six "
		"columns, so it is broken");
	EXPECT_INT(r.n, 2);
	EXPECT_STR(r.texts.data + r.v[0].at, "this note has an \\x1b escape and is longer than one row of seventy-six");
	EXPECT_STR(r.texts.data + r.v[1].at, "columns, so it is broken");
	hd_annotation_rows_note(&r, 0,
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	EXPECT_INT(r.n, 4);			/* a text of 78 characters without a blank takes two rows */
	EXPECT_INT(strlen(r.texts.data + r.v[2].at), 76);
	hd_annotation_rows_release(&r);
}

TEST_MAIN(
	RUN(source_lines_have_context_and_gaps_between_them),
	RUN(line_numbers_beyond_the_file_are_rows_without_context),
	RUN(a_note_is_encoded_and_broken_at_blanks))
