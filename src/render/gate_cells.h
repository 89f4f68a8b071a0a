/* gate_cells.h - the rows of a comparison and the texts of their cells, for all formats of gate.h */
#ifndef HD_RENDER_GATE_CELLS_H
#define HD_RENDER_GATE_CELLS_H

#include "base/buf.h"
#include "gate/judge.h"

/* A row of either kind: a symbol or a series. */
struct hd_gate_line {
	char mark;				/* see gate.h; ' ': none, or a row of hd_gate_cases() */
	const struct hd_judge_row *row;		/* the row of a symbol; NULL: the row is that of a series, `series` */
	const struct hd_judge_series *series;
};

/* Select the rows that need attention, worst first. The caller frees *lines. Returns their number. */
size_t hd_gate_lines(struct hd_gate_line **lines, const struct hd_comparison *c);

/* Append the sentence for a comparison without such rows, without a full stop: "nothing of 13 rows changed ...". */
void hd_gate_quiet(struct hd_buf *out, const struct hd_comparison *c);
/* Append "+4.0 % (+3.6 .. +4.4 %, limit 6 %)", without the interval if it is unknown. */
void hd_gate_total(struct hd_buf *out, const struct hd_judge_total *t);
/* Return true if the total grew by more than its limit, and passes without the growth of acknowledged rows. */
bool hd_gate_total_is_accepted(const struct hd_judge_total *t);
/*
 * Return true if most symbols moved together, something decided about the total, and the changes of symbols are
 * nevertheless relative to that movement, as after a latency decided.  The report then names the movement.
 */
bool hd_gate_relative(const struct hd_comparison *c);

/* Append the name of the symbol or series as raw bytes. */
void hd_gate_label(struct hd_buf *out, const struct hd_gate_line *l);

/*
 * Append the value of a series.  It has a unit, such as "41.2 ms", if `unit` is us, ns, bytes, joules, watts or W,
 * otherwise none.  For watts and W, `v` must be in joules and is printed so: a series of power is compared by its
 * energy.
 */
void hd_gate_value(struct hd_buf *out, double v, const char *unit);
void hd_gate_level(struct hd_buf *out, const struct hd_gate_line *l, bool head);	/* one side: "12.3 %" */
void hd_gate_change(struct hd_buf *out, const struct hd_gate_line *l);	/* "+26.4 %", "x12.5", "new", "gone" */
void hd_gate_interval(struct hd_buf *out, const struct hd_gate_line *l);	/* "+22 .. +31 %"; "" if new, gone */
void hd_gate_q(struct hd_buf *out, double q);
/* Append the description of one side of the comparison, base or head: "4f1c2e (merge-base, 5 runs)". */
void hd_gate_side(struct hd_buf *out, const struct hd_run_set *s);
/*
 * Append the note in the last column of a row: the q-value ("0.012"), what a verdict needs ("needs 9 runs"), or the
 * level that the user accepted ("acknowledged to 12 %").
 */
void hd_gate_note(struct hd_buf *out, const struct hd_gate_line *l);

/*
 * Select the symbols that were tested for growth (hd_judge_row.gated), changed or not, those with verdict SHIFT, and
 * all series, in the order of the comparison.  The caller frees *lines.  Returns their number.
 */
size_t hd_gate_cases(struct hd_gate_line **lines, const struct hd_comparison *c);
/*
 * Append the description of a row for reports of CI services, such as "14.1 % -> 17.4 %, +28.8 % (95 %: +27 .. +30 %),
 * q 0.010".
 */
void hd_gate_sentence(struct hd_buf *out, const struct hd_gate_line *l);
/* Return the target, mode or event of the newest run of the head; if it is unknown, "hotdrift", "cpu" or "". */
const char *hd_gate_field(const struct hd_comparison *c, enum hd_run_field field);

/*
 * Append one or two lines about what to do next, mostly commands.  If only the comparison with a fixed release failed
 * (hd_judge_opts.pin), they are about that comparison.  command: "gate" or "drift"; db: the value of --db, or NULL.
 */
void hd_gate_next(struct hd_buf *out, const struct hd_comparison *c, const char *command, const char *db);

enum hd_verdict hd_gate_verdict(const struct hd_gate_line *l);
const struct hd_judge_ack *hd_gate_ack(const struct hd_gate_line *l);

#endif
