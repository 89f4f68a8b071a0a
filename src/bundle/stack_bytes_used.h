/*
 * stack_bytes_used.h - track which bytes of stack copies unwinding has read, and zero the others
 *
 * A stack copy contains whatever was in the memory of the process; unwinding reads a few per cent of it.  A bundle has
 * zeros in place of the rest.  This makes it small, and does not disclose data of the process.  Records and offsets do
 * not change.
 *
 *     copies        hd_stack_bytes_used_note() by the thread that unwinds, hd_stack_bytes_used_add() in file order
 *     the file      hd_stack_bytes_used_wipe(), piece by piece
 *
 * A note is a list of numbers in LEB128: the file, the offset of the copy in it, its size, the number of runs, and for
 * each run the number of unused bytes before it and its length.
 *
 * Ownership: hd_stack_bytes_used owns the notes; their size is a few per cent of the copies.
 */
#ifndef HD_BUNDLE_STACK_BYTES_USED_H
#define HD_BUNDLE_STACK_BYTES_USED_H

#include "base/buf.h"
#include "perfdata/perfdata.h"

enum { HD_STACK_BYTES_USED_MAX = 1 << 16 };	/* the largest copy: the size of a record has 16 bits */

struct hd_stack_bytes_used {
	struct hd_buf notes;
	uint64_t wiped;			/* number of unused bytes that were zeroed */
};

/*
 * Append a note.  `marks` has one byte for each byte of the sample's stack copy.  Samples without a copy, and those in
 * compressed records, get no note.
 */
void hd_stack_bytes_used_note(struct hd_buf *notes, const struct hd_record *rec, const struct hd_sample *s,
	const uint8_t *marks);
void hd_stack_bytes_used_add(struct hd_stack_bytes_used *m, const struct hd_buf *notes);

/* The position of a wipe.  Zero-initialise one for each file; files are wiped in ascending order. */
struct hd_stack_bytes_used_cursor {
	size_t pos;			/* of the next note */
};

/* Zero the unused bytes among those at [off, off + n) of file `part`.  Call this for all pieces in order. */
void hd_stack_bytes_used_wipe(struct hd_stack_bytes_used *m, struct hd_stack_bytes_used_cursor *at, uint32_t part,
	uint64_t off, uint8_t *bytes, size_t n);

void hd_stack_bytes_used_release(struct hd_stack_bytes_used *m);

#endif
