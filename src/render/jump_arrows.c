/*
 * jump_arrows.c - see jump_arrows.h
 */
#include "render/jump_arrows.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 1, START = 2, END = 4, SOURCE = 8, TARGET = 16 };	/* bits of a cell */

struct jump { uint32_t row, length; };

static int compare_jumps(const void *x, const void *y)
{
	const struct jump *a = x, *b = y;

	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	return a->row < b->row ? -1 : 1;
}

/* Return true if no arrow is in rows first .. last of a lane, a column of characters for arrows. */
static bool is_free(const struct hd_jump_arrows *j, unsigned lane, uint32_t first, uint32_t last)
{
	const uint8_t *cells = j->cells + lane * j->a->ninstructions;

	for (uint32_t i = first; i <= last; i++)
		if (cells[i])
			return false;
	return true;
}

static void draw(struct hd_jump_arrows *j, uint32_t from, uint32_t to)
{
	uint32_t first = from < to ? from : to, last = from < to ? to : from;
	uint8_t *cells;
	unsigned lane = 0;

	while (lane < HD_JUMP_LANES && !is_free(j, lane, first, last))
		lane++;
	if (lane == HD_JUMP_LANES)
		return;
	cells = j->cells + lane * j->a->ninstructions;
	memset(cells + first, LINE, last - first + 1);
	cells[first] |= START;
	cells[last] |= END;
	cells[from] |= SOURCE;
	cells[to] |= TARGET;
	j->drawn[from] = true;
	if (lane >= j->lanes)
		j->lanes = lane + 1;
}

void hd_jump_arrows_init(struct hd_jump_arrows *j, const struct hd_annotation *a)
{
	struct jump *jumps = hd_new_array(struct jump, a->ninstructions + 1);
	size_t n = 0;

	*j = (struct hd_jump_arrows){ .a = a };
	j->cells = hd_new_array(uint8_t, HD_JUMP_LANES * a->ninstructions + 1);
	j->drawn = hd_new_array(bool, a->ninstructions + 1);
	for (uint32_t i = 0; i < a->ninstructions; i++) {
		uint32_t to = a->instructions[i].target, length = to > i ? to - i : i - to;

		if (to != HD_ANNOTATION_NONE && length && length <= HD_JUMP_ROWS)
			jumps[n++] = (struct jump){ i, length };
	}
	qsort(jumps, n, sizeof(*jumps), compare_jumps);
	for (size_t i = 0; i < n; i++)
		draw(j, jumps[i].row, a->instructions[jumps[i].row].target);
	free(jumps);
}

void hd_jump_arrows_release(struct hd_jump_arrows *j)
{
	free(j->cells);
	free(j->drawn);
}

void hd_jump_arrows_row(struct hd_buf *out, const struct hd_jump_arrows *j, size_t row)
{
	/* across: a horizontal line comes from the left; target: it leads to a jump's target in this row */
	bool across = false, target = false;

	for (unsigned lane = j->lanes; lane-- > 0;) {
		uint8_t c = j->cells[lane * j->a->ninstructions + row];

		if (c & START)
			hd_buf_adds(out, across ? "┬" : "┌");
		else if (c & END)
			hd_buf_adds(out, across ? "┴" : "└");
		else if (c)
			hd_buf_adds(out, across ? "┼" : "│");
		else
			hd_buf_adds(out, across ? "─" : " ");
		across |= (c & (START | END)) != 0;
		target |= (c & TARGET) != 0;
	}
	if (j->lanes)
		hd_buf_adds(out, target ? "> " : across ? "─ " : "  ");
}
