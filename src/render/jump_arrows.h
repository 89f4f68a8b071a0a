/*
 * jump_arrows.h - arrows from the jumps of a listing to their targets
 *
 *     ┌── je     1150          │ is in a lane; ─ begins at a jump; > ends at its target
 *     │┌─ jne    1148
 *     │└> nop
 *     └─> ret
 *
 * A lane is a column of characters; jumps that have no row in common can share one.  Short jumps are nearest to the
 * text.  Jumps that are longer than HD_JUMP_ROWS rows, lead to themselves, or find no free lane, have no arrow: the
 * listing marks them with ↑ or ↓.
 */
#ifndef HD_RENDER_JUMP_ARROWS_H
#define HD_RENDER_JUMP_ARROWS_H

#include "annotate/annotation.h"
#include "base/buf.h"

enum { HD_JUMP_LANES = 6, HD_JUMP_ROWS = 512 };

struct hd_jump_arrows {
	const struct hd_annotation *a;
	/* what each lane shows in each row (bits of jump_arrows.c), at index lane * ninstructions + row */
	uint8_t *cells;
	bool *drawn;			/* indexed by row: true if the instruction is a jump that has an arrow */
	unsigned lanes;			/* number of used lanes */
};

void hd_jump_arrows_init(struct hd_jump_arrows *j, const struct hd_annotation *a);
void hd_jump_arrows_release(struct hd_jump_arrows *j);
/* Append the arrows in a row of the listing, which take lanes + 2 columns.  Without arrows, append nothing. */
void hd_jump_arrows_row(struct hd_buf *out, const struct hd_jump_arrows *j, size_t row);

#endif
