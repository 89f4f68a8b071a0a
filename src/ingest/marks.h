/*
 * marks.h - which bytes of copied stacks an answer depends on, and the recording without the others
 *
 * A copied stack holds whatever the process had there: unwinding reads some
 * per cent of it.  A bundle has zeros in place of all else, so that it is
 * small, and what is nobody's business stays where it was.  Records and
 * offsets stay as they were.
 *
 *     copies        hd_marks_note by the thread that unwound, hd_marks_add in file order
 *     the file      hd_marks_wipe, piece by piece
 *
 * A note is numbers of 7 bits a byte, the lowest first: the file, the copy's
 * offset in it, its bytes, runs, then for each run the bytes that go before it
 * and its own.
 *
 * Owns: the notes, some per cent of what they are about.
 */
#ifndef HD_INGEST_MARKS_H
#define HD_INGEST_MARKS_H

#include "base/buf.h"
#include "perfdata/perfdata.h"

enum { HD_MARKS_MOST = 1 << 16 };	/* bytes of a copy: a record's size has 16 bits */

struct hd_marks {
	struct hd_buf notes;
	uint64_t wiped;			/* bytes that are zeros now and were not looked at */
};

/* marks: a byte for each of s's copy.  Nothing is noted of a sample without one, or out of a compressed record. */
void hd_marks_note(struct hd_buf *notes, const struct hd_record *rec, const struct hd_sample *s, const uint8_t *marks);
void hd_marks_add(struct hd_marks *m, const struct hd_buf *notes);

/* Where a wipe is.  Zero-initialise, one for each file in ascending order; the same one for all pieces of a file. */
struct hd_marks_at {
	size_t pos;			/* of the next note */
};

/* The bytes at [off, off + n) of file `part`: what no mark keeps becomes zero.  Pieces come in order. */
void hd_marks_wipe(struct hd_marks *m, struct hd_marks_at *at, uint32_t part, uint64_t off, uint8_t *bytes, size_t n);

void hd_marks_release(struct hd_marks *m);

#endif
