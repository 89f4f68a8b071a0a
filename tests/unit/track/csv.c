/* csv.c - read records of RFC 4180, and limit the damage of an invalid record */
#include "test.h"

#include "track/csv.h"

#include <stdlib.h>
#include <string.h>

/*
 * The text of all records of the last call of show_bytes(), each after the number of its line: `[a|b]` for a row,
 * `!unclosed`, `!behind` or `!nul` for an invalid record.
 */
static char shown[4096];

static const char *show_bytes(const char *text, size_t size)
{
	static const char *const words[] = { "", "", "!unclosed", "!behind", "!nul" };
	struct hd_csv_cell cells[8];
	char *room = malloc(size + 1), *to = shown;
	struct hd_csv csv;
	enum hd_csv_record_kind what;
	size_t n;

	memcpy(room, text, size);
	csv = hd_csv_init(room, size);
	*to = '\0';
	while ((what = hd_csv_next(&csv, cells, 8, &n)) != HD_CSV_END) {
		to += sprintf(to, "%llu%s", (unsigned long long)csv.row_line, words[what]);
		if (what != HD_CSV_ROW)
			continue;
		*to++ = '[';
		for (size_t i = 0; i < n; i++)
			to += sprintf(to, "%s%.*s", i ? "|" : "", (int)cells[i].n, cells[i].s);
		to += sprintf(to, "]");
	}
	EXPECT(csv.p == csv.end);
	free(room);
	return shown;
}

static const char *show(const char *text)
{
	return show_bytes(text, strlen(text));
}

TEST(cells_are_divided_by_commas_and_rows_by_line_ends)
{
	EXPECT_STR(show("a,b\n1,2\n"), "1[a|b]2[1|2]");
	EXPECT_STR(show("a,b\r\n1,2\r\n"), "1[a|b]2[1|2]");
	EXPECT_STR(show("a,b\r1,2\r"), "1[a|b]2[1|2]");
	EXPECT_STR(show("a,b\n1,2"), "1[a|b]2[1|2]");
	EXPECT_STR(show(",\n,,"), "1[|]2[||]");
	EXPECT_STR(show(""), "");
}

TEST(blank_lines_are_no_rows_and_count_as_lines)
{
	EXPECT_STR(show("\n\na\n\r\n\n1\n\n"), "3[a]6[1]");
	EXPECT_STR(show("\n"), "");
}

TEST(a_byte_order_mark_is_no_part_of_the_first_name)
{
	EXPECT_STR(show("\xef\xbb\xbf" "a,b\n"), "1[a|b]");
	EXPECT_STR(show("\xef\xbb\xbf\"a\",b\n"), "1[a|b]");
}

TEST(a_quoted_cell_holds_commas_line_ends_and_doubled_quotes)
{
	EXPECT_STR(show("\"a,b\",c\n"), "1[a,b|c]");
	EXPECT_STR(show("\"say \"\"hi\"\"\"\n"), "1[say \"hi\"]");
	EXPECT_STR(show("\"\",\"\"\"\"\n"), "1[|\"]");
	EXPECT_STR(show("\"a\nb\r\nc\",d\ne\n"), "1[a\nb\r\nc|d]4[e]");
	EXPECT_STR(show("\"a\"\r\n\"b\""), "1[a]2[b]");
}

TEST(a_quote_inside_of_a_cell_is_a_character)
{
	EXPECT_STR(show("5\" disk,a\"\"b\n"), "1[5\" disk|a\"\"b]");
	EXPECT_STR(show(" \"a\"\n"), "1[ \"a\"]");
}

TEST(a_quote_that_never_closes_costs_its_line)
{
	EXPECT_STR(show("a,b\n1,\"2\n3,4\n5,6\n"), "1[a|b]2!unclosed3[3|4]4[5|6]");
	EXPECT_STR(show("\""), "1!unclosed");
	EXPECT_STR(show("a\n\"x\"\"\n1\n"), "1[a]2!unclosed3[1]");
}

TEST(text_behind_a_closing_quote_costs_the_line_on_which_the_cell_begins)
{
	EXPECT_STR(show("a,b\n\"1\"x,2\n3,4\n"), "1[a|b]2!behind3[3|4]");
	EXPECT_STR(show("a,b\n1,\"2\n3,4\n5,\"6\n7,8\n"), "1[a|b]2!behind3[3|4]4!unclosed5[7|8]");
	EXPECT_STR(show("\"x\ny\",\"2\"z\n3\n"), "1!behind3[3]");
}

TEST(a_row_with_a_nul_is_none)
{
	EXPECT_STR(show_bytes("a\nb\0c\nd\n", 8), "1[a]2!nul3[d]");
	EXPECT_STR(show_bytes("a\n\"b\0\"\nd\n", 9), "1[a]2!nul3[d]");
}

TEST(more_cells_than_there_is_room_for_are_counted)
{
	char text[] = "1,2,3,4,5\n";
	struct hd_csv csv = hd_csv_init(text, sizeof(text) - 1);
	struct hd_csv_cell cells[2];
	size_t n;

	EXPECT(hd_csv_next(&csv, cells, 2, &n) == HD_CSV_ROW);
	EXPECT_INT(n, 5);
	EXPECT(cells[1].n == 1 && cells[1].s[0] == '2');
}

TEST(a_cell_of_seventy_thousand_bytes_is_a_cell)
{
	size_t size = 70000;
	char *text = malloc(size + 5);
	struct hd_csv csv;
	struct hd_csv_cell cells[2];
	size_t n;

	memset(text, 'x', size);
	memcpy(text + size, "\n1,2\n", 5);
	csv = hd_csv_init(text, size + 5);
	EXPECT(hd_csv_next(&csv, cells, 2, &n) == HD_CSV_ROW && n == 1 && cells[0].n == size);
	EXPECT(hd_csv_next(&csv, cells, 2, &n) == HD_CSV_ROW && n == 2);
	free(text);
}

/*
 * 200,000 lines whose quoted cells are broken: text follows the closing quote, and the last quote never closes.  A
 * reader that looked for a valid end of each cell in the whole rest of the text would need the square of their
 * number.
 */
TEST(many_broken_quotes_cost_no_more_than_their_bytes)
{
	size_t lines = 200000, broken = 0, n;
	char *text = malloc(lines * 4);
	struct hd_csv csv;
	struct hd_csv_cell cells[2];
	enum hd_csv_record_kind what;

	for (size_t i = 0; i < lines; i++)
		memcpy(text + 4 * i, i % 2 ? "\"\"x\n" : "\"x1\n", 4);
	csv = hd_csv_init(text, lines * 4);
	while ((what = hd_csv_next(&csv, cells, 2, &n)) != HD_CSV_END)
		broken += what != HD_CSV_ROW;
	EXPECT(broken > 0);
	free(text);
}

TEST_MAIN(
	RUN(cells_are_divided_by_commas_and_rows_by_line_ends),
	RUN(blank_lines_are_no_rows_and_count_as_lines),
	RUN(a_byte_order_mark_is_no_part_of_the_first_name),
	RUN(a_quoted_cell_holds_commas_line_ends_and_doubled_quotes),
	RUN(a_quote_inside_of_a_cell_is_a_character),
	RUN(a_quote_that_never_closes_costs_its_line),
	RUN(text_behind_a_closing_quote_costs_the_line_on_which_the_cell_begins),
	RUN(a_row_with_a_nul_is_none),
	RUN(more_cells_than_there_is_room_for_are_counted),
	RUN(a_cell_of_seventy_thousand_bytes_is_a_cell),
	RUN(many_broken_quotes_cost_no_more_than_their_bytes),
)
