/*
 * csvout.h - writing CSV rows into room that the caller has
 *
 *     struct hd_csvout o = hd_csvout_to(room, sizeof(room));
 *     hd_csvout_u64(&o, id); hd_csvout_num(&o, watts); hd_csvout_name(&o, s, n);
 *     if (hd_csvout_end(&o) < 0) ...
 *
 * Cells are separated as they come; _end ends the row with LF.  A row is written
 * whole or not at all: one that does not fit leaves the room as it was before it.
 *
 * A name is written in its visible form (strict UTF-8; other bytes \xHH, `\` as
 * `\\`, control characters \xHH, invisible ones \u{H..}), a first `=`, `+`, `-` or
 * `@` as \xHH, always in quotes: as base/encode.h writes it in this sink, which a
 * test compares.  A cell without a value is empty.
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
	size_t cap, len;	/* of whole rows and what is begun of the next */
	size_t row;		/* where the row begins */
	bool begun, full;
};

struct hd_csvout hd_csvout_to(char *room, size_t cap);
void hd_csvout_u64(struct hd_csvout *o, uint64_t v);
void hd_csvout_num(struct hd_csvout *o, double v);	/* 17 significant digits; not finite: empty */
void hd_csvout_name(struct hd_csvout *o, const char *s, size_t n);
void hd_csvout_empty(struct hd_csvout *o);
/* 0, or HD_TRACK_FULL: the row did not fit. */
int hd_csvout_end(struct hd_csvout *o);
/* A line as it is: the header of a form. */
int hd_csvout_line(struct hd_csvout *o, const char *line);

#endif
