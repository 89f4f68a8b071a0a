/*
 * csvout.h - write CSV rows into a buffer of the caller
 *
 *     struct hd_csvout o = hd_csvout_to(room, sizeof(room));
 *     hd_csvout_u64(&o, id); hd_csvout_num(&o, watts); hd_csvout_name(&o, s, n);
 *     if (hd_csvout_end(&o) < 0) ...
 *
 * Separators are added automatically; hd_csvout_end() ends the row with LF.  A row is written completely or not at
 * all: if it does not fit, the buffer keeps its previous rows.
 *
 * A name is written in quotes, with each quote doubled, and in its visible form (strict UTF-8; other bytes \xHH, `\` as
 * `\\`, ASCII control characters \xHH, invisible characters \u{H..}); a leading `=`, `+`, `-` or `@` becomes \xHH.
 * base/encode.h writes names the same way; a test compares the two.
 *
 * Allocates nothing, needs libc only.
 */
#ifndef HD_TRACK_CSVOUT_H
#define HD_TRACK_CSVOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_csvout {
	char *out;
	size_t cap, len;	/* len: bytes of all complete rows and of the current one */
	size_t row;		/* offset of the current row */
	bool begun, full;
};

struct hd_csvout hd_csvout_to(char *room, size_t cap);
void hd_csvout_u64(struct hd_csvout *o, uint64_t v);
void hd_csvout_num(struct hd_csvout *o, double v);	/* shortest text (number.h); empty if not finite */
void hd_csvout_name(struct hd_csvout *o, const char *s, size_t n);
void hd_csvout_empty(struct hd_csvout *o);
/* End the row.  Returns 0, or HD_TRACK_FULL if it does not fit. */
int hd_csvout_end(struct hd_csvout *o);
/* Write a line without quoting, such as the header of a CSV file, and end the row.  Returns like hd_csvout_end(). */
int hd_csvout_line(struct hd_csvout *o, const char *line);

#endif
