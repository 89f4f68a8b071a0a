/*
 * stack_bytes_used.h - track which bytes of stack copies unwinding has read, and zero the others
 *
 * A stack copy contains arbitrary memory of the process; unwinding reads only a few per cent of it.  A bundle has zeros
 * in place of the unread bytes.  So the bundle is small, and of the stack memory it discloses only the bytes that
 * unwinding read.  Sizes and offsets of records do not change.
 *
 *     hd_stack_bytes_used_note()    for each sample, by the thread that unwinds it
 *     hd_stack_bytes_used_add()     collect the notes of all samples, in file order
 *     hd_stack_bytes_used_wipe()    zero the unread bytes while the file is copied, piece by piece
 *
 * A note describes one stack copy.  It is a list of numbers in LEB128: the index of the file, the offset of the copy in
 * the file, the size of the copy, the number of runs of used bytes, and for each run the number of unused bytes before
 * it and its length.
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
 * Append a note about the stack copy of a sample to `notes`.  `marks` has one byte for each byte that the kernel copied
 * (s->stack_user_bytes): 1 if unwinding read it, else 0.  Samples without a stack copy and samples inside compressed
 * records get no note.
 */
void hd_stack_bytes_used_note(struct hd_buf *notes, const struct hd_record *rec, const struct hd_sample *s,
	const uint8_t *marks);
void hd_stack_bytes_used_add(struct hd_stack_bytes_used *m, const struct hd_buf *notes);

/* How far hd_stack_bytes_used_wipe() has read the notes (lists of used bytes).  Zero-initialise one for each file. */
struct hd_stack_bytes_used_cursor {
	size_t pos;			/* offset of the next note */
};

/*
 * Zero the unused bytes in a piece: `bytes` is the range [off, off + n) of file `part`.  Call this for all pieces of
 * the file in order.
 */
void hd_stack_bytes_used_wipe(struct hd_stack_bytes_used *m, struct hd_stack_bytes_used_cursor *at, uint32_t part,
	uint64_t off, uint8_t *bytes, size_t n);

void hd_stack_bytes_used_release(struct hd_stack_bytes_used *m);

#endif
