/*
 * gate_cells.h - rows of a comparison as all its outputs have them; gate.h says which outputs
 */
#ifndef HD_RENDER_GATE_CELLS_H
#define HD_RENDER_GATE_CELLS_H

#include "base/buf.h"
#include "gate/judge.h"

/* A row of either kind, in the order in which a reader wants them. */
struct hd_gate_line {
	char mark;				/* see gate.h; ' ' for one that nothing is to be said of */
	const struct hd_judge_row *row;		/* or */
	const struct hd_judge_series *series;
};

/* Those that matter, the worst first; *lines is yours. */
size_t hd_gate_lines(struct hd_gate_line **lines, const struct hd_comparison *c);

/* Raw bytes: sinks encode. */
void hd_gate_label(struct hd_buf *out, const struct hd_gate_line *l);

void hd_gate_value(struct hd_buf *out, double v, const char *unit);	/* 12.3 %, 41.2 ms; of a series in its unit */
void hd_gate_level(struct hd_buf *out, const struct hd_gate_line *l, bool head);	/* its value on a side */
void hd_gate_change(struct hd_buf *out, const struct hd_gate_line *l);	/* +26.4 %, new, gone */
void hd_gate_interval(struct hd_buf *out, const struct hd_gate_line *l);	/* +22 .. +31 % */
void hd_gate_q(struct hd_buf *out, double q);
/* "4f1c2e (merge-base, 5 runs)" */
void hd_gate_side(struct hd_buf *out, const struct hd_run_set *s);
/* What happened to it in words without names: "grew, q 0.001", "needs 9 runs". */
void hd_gate_note(struct hd_buf *out, const struct hd_gate_line *l);

enum hd_verdict hd_gate_verdict(const struct hd_gate_line *l);
const struct hd_judge_ack *hd_gate_ack(const struct hd_gate_line *l);

#endif
