/* views.c - the views of the browser, drawn into a grid and driven by keys, without a terminal */
#include "test.h"

#include "annotate/annotation.h"
#include "base/buf.h"
#include "base/encode.h"
#include "tui/tui.h"

#include <string.h>

static const struct hd_annotate_opts no_options = { .no_source = true };

/* Add a sample with the stack `a;b;c`.  The sampled function c is at `line` of c.c; 0: it has no line. */
static void add(struct hd_profile *p, const char *stack, uint64_t weight, uint32_t line)
{
	struct hd_sample_row row = { .weight = weight, .count = 1, .event = hd_profile_add_event(p, "e", "events") };

	for (const char *at = stack; *at; at += strcspn(at, ";"), at += *at == ';') {
		size_t n = strcspn(at, ";");
		struct hd_frame f = { 0 };
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)n, at);
		f.symbol = hd_profile_add_named_symbol(p, hd_profile_add_object(p, "app", "", false), name, false);
		if (!at[n] && line) {
			f.file = hd_profile_name(p, "/src/c.c");
			f.line = line;
		}
		row.self = hd_profile_add_frame(p, &f);
		row.stack = hd_stacks_add(p->stacks, row.stack, row.self);
	}
	hd_profile_add_sample(p, &row);
}

struct browser {
	struct hd_profile *p;
	struct hd_tui t;
	unsigned lines, columns;
};

static void draw(struct browser *b)
{
	hd_tui_grid_clear(&b->t.grid, b->lines, b->columns);
	hd_tui_draw(&b->t);
}

static void begin(struct browser *b, struct hd_profile *p)
{
	*b = (struct browser){ .p = p, .lines = 12, .columns = 80 };
	hd_tui_init(&b->t, &(struct hd_tui_input){ .p = p, .annotate = &no_options });
	b->t.grid.utf8 = true;
	draw(b);
}

static void end(struct browser *b)
{
	hd_tui_release(&b->t);
	hd_profile_free(b->p);
}

static void press(struct browser *b, int key)
{
	hd_tui_key(&b->t, key);
	draw(b);
}

static void type(struct browser *b, const char *text)
{
	for (; *text; text++)
		press(b, *text);
}

/* Return a line of the grid as text, without blanks at its end.  The result is valid until the next call. */
static const char *line(const struct browser *b, unsigned y)
{
	static struct hd_buf text;

	hd_buf_reset(&text);
	for (unsigned x = 0; x < b->columns; x++) {
		uint32_t cp = b->t.grid.cells[y * b->columns + x].cp;

		if (cp)
			hd_utf8_add(&text, cp);
	}
	while (text.len && text.data[text.len - 1] == ' ')
		text.data[--text.len] = '\0';
	return hd_buf_str(&text);
}

static bool has(const struct browser *b, const char *text)
{
	for (unsigned y = 0; y < b->lines; y++)
		if (strstr(line(b, y), text))
			return true;
	return false;
}

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static struct hd_profile *example(void)
{
	struct hd_profile *p = hd_profile_new();

	add(p, "main;parse;read", 30, 7);
	add(p, "main;parse;read", 10, 9);
	add(p, "main;write", 60, 0);
	return p;
}

/* ---- lists ---- */

TEST(the_first_view_lists_functions_by_self_cost)
{
	struct browser b;

	begin(&b, example());
	EXPECT(starts(line(&b, 0), " 1 top  2 callers  3 callees  4 tree  5 flame  6 annotate  7 info"));
	EXPECT(starts(line(&b, 2), "    SELF    total   samples symbol"));
	EXPECT(starts(line(&b, 3), "  60.00%   60.00%         1 write"));
	EXPECT(starts(line(&b, 4), "  40.00%   40.00%         2 read"));
	EXPECT_STR(line(&b, 5), "");		/* main and parse have no self cost */
	EXPECT(starts(line(&b, 11), "q quit  ? help"));
	EXPECT_INT(b.t.grid.cells[3 * 80].style, HD_TUI_CURSOR);
	press(&b, 's');
	EXPECT(starts(line(&b, 3), "   0.00%  100.00%         0 main"));
	EXPECT(starts(line(&b, 4), "  60.00%   60.00%         1 write"));
	EXPECT(strstr(line(&b, 11), "1 of 4"));
	end(&b);
}

TEST(enter_shows_callers_and_then_callees)
{
	struct browser b;

	begin(&b, example());
	press(&b, HD_TUI_DOWN);
	press(&b, HD_TUI_ENTER);
	EXPECT(starts(line(&b, 1), "callers of read: total 40.00%, self 40.00%"));
	EXPECT(has(&b, "parse"));
	EXPECT(has(&b, "main"));
	EXPECT(!has(&b, "write"));
	press(&b, '3');
	EXPECT(starts(line(&b, 1), "callees of read: total 40.00%"));
	end(&b);
}

TEST(a_view_of_a_function_asks_for_one_if_none_was_chosen)
{
	struct browser b;

	begin(&b, example());
	press(&b, '4');			/* the first row of the tree is the root, which is no function */
	press(&b, '2');
	EXPECT(starts(line(&b, 11), "choose a function first: move to it and press Enter"));
	press(&b, '7');
	EXPECT(!has(&b, "choose a function first"));
	end(&b);
}

TEST(keys_beyond_the_ends_of_a_list_stay_there)
{
	struct browser b;

	begin(&b, example());
	press(&b, 's');
	press(&b, HD_TUI_UP);
	EXPECT_INT(b.t.list[HD_TUI_VIEW_top].cursor, 0);
	press(&b, HD_TUI_END);
	press(&b, HD_TUI_DOWN);
	press(&b, HD_TUI_PAGE_DOWN);
	EXPECT_INT(b.t.list[HD_TUI_VIEW_top].cursor, 3);
	press(&b, HD_TUI_PAGE_UP);
	EXPECT_INT(b.t.list[HD_TUI_VIEW_top].cursor, 0);
	end(&b);
}

TEST(a_long_list_scrolls_with_the_cursor)
{
	struct hd_profile *p = hd_profile_new();
	struct browser b;
	char name[16];

	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "f%02d", i);
		add(p, name, 200 - (unsigned)i, 0);
	}
	begin(&b, p);
	press(&b, HD_TUI_END);
	EXPECT(strstr(line(&b, 10), "f99"));
	EXPECT(strstr(line(&b, 3), "f92"));
	EXPECT(strstr(line(&b, 11), "100 of 100"));
	press(&b, HD_TUI_HOME);
	EXPECT(strstr(line(&b, 3), "f00"));
	end(&b);
}

/* ---- sizes ---- */

/* Draw all views at one size and press their keys.  A sanitizer detects writes beyond the grid. */
static void draw_all(struct browser *b, unsigned lines, unsigned columns)
{
	static const int keys[] = { HD_TUI_DOWN, HD_TUI_END, HD_TUI_PAGE_UP, HD_TUI_RIGHT, HD_TUI_LEFT, 'E', 'C', 'a',
		'h', ']', '[', HD_TUI_RESIZE, '?', '?' };

	b->lines = lines;
	b->columns = columns;
	for (int view = '1'; view <= '7'; view++) {
		press(b, view);
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			press(b, keys[i]);
		press(b, '/');
		type(b, "re");
		press(b, HD_TUI_ENTER);
	}
}

TEST(every_view_can_be_drawn_at_every_size_down_to_one_cell)
{
	static const unsigned sizes[][2] = { { 1, 1 }, { 1, 80 }, { 2, 1 }, { 3, 2 }, { 5, 20 }, { 6, 8 }, { 24, 80 },
		{ 50, 300 }, { 1, 1 }, { 24, 80 } };
	struct browser b;

	begin(&b, example());
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		draw_all(&b, sizes[i][0], sizes[i][1]);
	b.t.search[0] = '\0';
	press(&b, '1');
	EXPECT(has(&b, "write"));
	end(&b);
}

TEST(at_20_x_5_a_title_rows_and_a_status_remain)
{
	struct browser b;

	begin(&b, example());
	b.lines = 5;
	b.columns = 20;
	press(&b, 's');
	EXPECT(starts(line(&b, 0), " 1 top"));
	EXPECT(!strstr(line(&b, 0), "info"));
	EXPECT(starts(line(&b, 1), "   0.00%  100.00%"));
	EXPECT(starts(line(&b, 2), "  60.00%   60.00%"));
	EXPECT_STR(line(&b, 4), "q quit  ? help  / se");
	press(&b, HD_TUI_END);
	EXPECT_INT(b.t.list[HD_TUI_VIEW_top].cursor, 3);
	EXPECT_INT(b.t.list[HD_TUI_VIEW_top].top, 1);
	end(&b);
}

/* ---- search ---- */

TEST(a_search_that_finds_nothing_reports_it_and_keeps_the_cursor)
{
	struct browser b;

	begin(&b, example());
	press(&b, HD_TUI_DOWN);
	for (int view = '1'; view <= '7'; view++) {
		press(&b, view);
		press(&b, '/');
		type(&b, "absent");
		EXPECT(starts(line(&b, 11), "/absent_"));
		press(&b, HD_TUI_ENTER);
		EXPECT(starts(line(&b, 11), "not found: absent"));
	}
	press(&b, '1');
	EXPECT_INT(b.t.list[HD_TUI_VIEW_top].cursor, 1);
	press(&b, HD_TUI_ESCAPE);
	press(&b, 'n');
	EXPECT(starts(line(&b, 11), "no search yet: press / and type"));
	end(&b);
}

TEST(a_search_moves_to_matches_and_wraps_around)
{
	struct browser b;

	begin(&b, example());
	press(&b, '/');
	type(&b, "rEax");
	press(&b, HD_TUI_BACKSPACE);
	press(&b, HD_TUI_ENTER);
	EXPECT(starts(line(&b, 11), "not found: rEa"));		/* a capital letter makes the search case-sensitive */
	press(&b, '/');
	type(&b, "r");
	press(&b, HD_TUI_ENTER);
	EXPECT_INT(b.t.list[HD_TUI_VIEW_top].cursor, 0);	/* write, under the cursor */
	EXPECT_INT(b.t.grid.cells[3 * 80 + 29].style, HD_TUI_MATCH);
	press(&b, 'n');
	EXPECT_INT(b.t.list[HD_TUI_VIEW_top].cursor, 1);	/* read */
	press(&b, 'n');
	EXPECT_INT(b.t.list[HD_TUI_VIEW_top].cursor, 0);
	press(&b, 'N');
	EXPECT_INT(b.t.list[HD_TUI_VIEW_top].cursor, 1);
	end(&b);
}

/* ---- names ---- */

TEST(control_bytes_of_names_are_shown_as_escapes_in_every_view)
{
	static const char name[] = "a\033[2Jb\n\xff\xe2\x80\xae";	/* ESC, newline, an invalid byte, U+202E */
	struct hd_profile *p = hd_profile_new();
	struct browser b;

	add(p, name, 5, 3);
	begin(&b, p);
	for (int view = '1'; view <= '7'; view++) {
		press(&b, view);
		for (size_t i = 0; i < (size_t)b.lines * b.columns; i++) {
			uint32_t cp = b.t.grid.cells[i].cp;

			EXPECT(cp == 0 || (cp >= 0x20 && cp != 0x7f && !(cp >= 0x80 && cp < 0xa0) && cp != 0x202e));
		}
	}
	press(&b, '1');
	EXPECT(has(&b, "a\\x1b[2Jb\\x0a\\xff\\u{202e}"));
	end(&b);
}

TEST(a_wide_character_takes_two_cells_and_is_not_cut_in_half)
{
	struct hd_profile *p = hd_profile_new();
	struct browser b;
	const struct hd_tui_cell *row;

	add(p, "読む\xcc\x81", 5, 0);		/* two wide characters and a combining one */
	begin(&b, p);
	row = &b.t.grid.cells[3 * 80 + 28];
	EXPECT_INT(row[0].cp, 0x8aad);
	EXPECT_INT(row[1].cp, 0);
	EXPECT_INT(row[2].cp, 0x3080);
	EXPECT_INT(row[3].cp, 0);
	EXPECT_INT(row[4].cp, ' ');
	for (unsigned columns = 1; columns < 40; columns++) {
		b.columns = columns;
		draw(&b);
		for (unsigned y = 0; y < b.lines; y++) {
			row = &b.t.grid.cells[y * columns];
			EXPECT(row[0].cp != 0);
			/*
			 * a wide character is never in the last column, because its second half must be in the same
			 * line
			 */
			EXPECT(row[columns - 1].cp != 0x8aad && row[columns - 1].cp != 0x3080);
		}
	}
	b.columns = 80;
	b.t.grid.utf8 = false;
	draw(&b);
	EXPECT(strstr(line(&b, 3), " 1 ? ?"));
	end(&b);
}

/* ---- nothing ---- */

TEST(a_profile_without_samples_has_empty_views)
{
	struct hd_profile *p = hd_profile_new();
	struct browser b;

	hd_profile_add_event(p, "e", "events");
	begin(&b, p);
	EXPECT_STR(line(&b, 3), " nothing to show");
	press(&b, HD_TUI_ENTER);
	press(&b, HD_TUI_DOWN);
	press(&b, HD_TUI_END);
	EXPECT_STR(line(&b, 3), " nothing to show");
	press(&b, 'e');
	EXPECT(starts(line(&b, 11), "there is one event with samples"));
	draw_all(&b, 12, 80);
	draw_all(&b, 1, 1);
	end(&b);
}

/* ---- annotate ---- */

TEST(annotate_shows_the_lines_that_the_input_names_and_says_what_is_missing)
{
	struct browser b;

	begin(&b, example());
	press(&b, HD_TUI_DOWN);
	press(&b, '6');
	EXPECT(starts(line(&b, 1), "annotate of read: total 40.00%, self 40.00%"));
	EXPECT(starts(line(&b, 2), "   total function  line"));
	EXPECT_STR(line(&b, 3), " read in app");
	EXPECT(has(&b, "There are source lines but no instructions"));
	EXPECT(has(&b, " /src/c.c"));
	EXPECT(has(&b, "  30.00%   75.00%       7"));
	EXPECT(has(&b, "  10.00%   25.00%       9"));
	EXPECT_INT(b.t.list[HD_TUI_VIEW_annotate].cursor, 4);	/* the hottest line */
	press(&b, ']');
	EXPECT_INT(b.t.list[HD_TUI_VIEW_annotate].cursor, 5);
	press(&b, ']');
	EXPECT(starts(line(&b, 11), "no more rows with cost"));
	press(&b, 'h');
	EXPECT_INT(b.t.list[HD_TUI_VIEW_annotate].cursor, 4);
	press(&b, 'a');
	EXPECT(starts(line(&b, 11), "no instructions: the note at the top"));
	press(&b, HD_TUI_ENTER);
	EXPECT(starts(line(&b, 11), "this row has no jump inside the function"));
	end(&b);
}

TEST(annotate_of_a_function_without_self_cost_points_to_its_callees)
{
	struct browser b;

	begin(&b, example());
	press(&b, 's');			/* main has the highest total */
	press(&b, '6');
	EXPECT(starts(line(&b, 1), "annotate of main: total 100.00%, self 0.00%"));
	EXPECT(has(&b, "No sample was taken in this function itself"));
	end(&b);
}

TEST_MAIN(
	RUN(the_first_view_lists_functions_by_self_cost),
	RUN(enter_shows_callers_and_then_callees),
	RUN(a_view_of_a_function_asks_for_one_if_none_was_chosen),
	RUN(keys_beyond_the_ends_of_a_list_stay_there),
	RUN(a_long_list_scrolls_with_the_cursor),
	RUN(every_view_can_be_drawn_at_every_size_down_to_one_cell),
	RUN(at_20_x_5_a_title_rows_and_a_status_remain),
	RUN(a_search_that_finds_nothing_reports_it_and_keeps_the_cursor),
	RUN(a_search_moves_to_matches_and_wraps_around),
	RUN(control_bytes_of_names_are_shown_as_escapes_in_every_view),
	RUN(a_wide_character_takes_two_cells_and_is_not_cut_in_half),
	RUN(a_profile_without_samples_has_empty_views),
	RUN(annotate_shows_the_lines_that_the_input_names_and_says_what_is_missing),
	RUN(annotate_of_a_function_without_self_cost_points_to_its_callees))
