/*
 * stack_bytes_used.h - which bytes of copied stacks an answer depends on, and the recording without the others
 *
 * A copied stack holds whatever the process had there: unwinding reads some
 * per cent of it.  A bundle has zeros in place of all else, so that it is
 * small, and what is nobody's business stays where it was.  Records and
 * offsets stay as they were.
 *
 *     copies        hd_stack_bytes_used_note by the thread that unwound, hd_stack_bytes_used_add in file order
 *     the file      hd_stack_bytes_used_wipe, piece by piece
 *
 * A note is numbers of 7 bits a byte, the lowest first: the file, the copy's
 * offset in it, its bytes, runs, then for each run the bytes that go before it
 * and its own.
 *
 * Owns: the notes, some per cent of what they are about.
 */
#ifndef HD_BUNDLE_STACK_BYTES_USED_H
#define HD_BUNDLE_STACK_BYTES_USED_H

#include "base/buf.h"
#include "perfdata/perfdata.h"

enum { HD_STACK_BYTES_USED_MAX = 1 << 16 };	/* bytes of a copy: a record's size has 16 bits */

struct hd_stack_bytes_used {
	struct hd_buf notes;
	uint64_t wiped;			/* bytes that are zeros now and were not looked at */
};

/* marks: a byte for each of s's copy.  Nothing is noted of a sample without one, or out of a compressed record. */
void hd_stack_bytes_used_note(struct hd_buf *notes, const struct hd_record *rec, const struct hd_sample *s,
	const uint8_t *marks);
void hd_stack_bytes_used_add(struct hd_stack_bytes_used *m, const struct hd_buf *notes);

/* Where a wipe is.  Zero-initialise, one for each file in ascending order; the same one for all pieces of a file. */
struct hd_stack_bytes_used_cursor {
	size_t pos;			/* of the next note */
};

/* The bytes at [off, off + n) of file `part`: what no mark keeps becomes zero.  Pieces come in order. */
void hd_stack_bytes_used_wipe(struct hd_stack_bytes_used *m, struct hd_stack_bytes_used_cursor *at, uint32_t part,
	uint64_t off, uint8_t *bytes, size_t n);

void hd_stack_bytes_used_release(struct hd_stack_bytes_used *m);

#endif
