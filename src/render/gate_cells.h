/* gate_cells.h - the rows of a comparison and the texts of their cells, for all formats of gate.h */
#ifndef HD_RENDER_GATE_CELLS_H
#define HD_RENDER_GATE_CELLS_H

#include "base/buf.h"
#include "gate/judge.h"

/* A row of either kind: a symbol or a series. */
struct hd_gate_line {
	char mark;				/* see gate.h; ' ' if the row needs no attention */
	const struct hd_judge_row *row;		/* or NULL; then `series` is set */
	const struct hd_judge_series *series;
};

/* Select the rows that need attention, worst first. The caller frees *lines. Returns their number. */
size_t hd_gate_lines(struct hd_gate_line **lines, const struct hd_comparison *c);

/* Append the name of the symbol or series as raw bytes. */
void hd_gate_label(struct hd_buf *out, const struct hd_gate_line *l);

/* "12.3 %", "41.2 ms"; a series has its unit */
void hd_gate_value(struct hd_buf *out, double v, const char *unit);
void hd_gate_level(struct hd_buf *out, const struct hd_gate_line *l, bool head);	/* value of one side */
void hd_gate_change(struct hd_buf *out, const struct hd_gate_line *l);	/* "+26.4 %", "new", "gone" */
void hd_gate_interval(struct hd_buf *out, const struct hd_gate_line *l);	/* "+22 .. +31 %" */
void hd_gate_q(struct hd_buf *out, double q);
/* Append the description of a side: "4f1c2e (merge-base, 5 runs)". */
void hd_gate_side(struct hd_buf *out, const struct hd_run_set *s);
/* Append the explanation of a row without names: "grew, q 0.001", "needs 9 runs". */
void hd_gate_note(struct hd_buf *out, const struct hd_gate_line *l);

enum hd_verdict hd_gate_verdict(const struct hd_gate_line *l);
const struct hd_judge_ack *hd_gate_ack(const struct hd_gate_line *l);

#endif
