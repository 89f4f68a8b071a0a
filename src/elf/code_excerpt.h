/*
 * code_excerpt.h - of a file with code, the parts that unwinding reads
 *
 * The headers, the call frame information, and what tells a program from a
 * library: some per cent of a file.  It can be made a file again, in which all
 * else is zeros that take no room.
 *
 *     OFFSET  SIZE   MEANING, all numbers little-endian
 *     0       8      bytes of the file
 *     8       4      parts
 *     12      4      0
 *     16      16 n   of each part, ascending: its offset in the file (8), its bytes (8)
 *     ...            the parts, one behind the other
 *
 * Private to symbols/.
 */
#ifndef HD_ELF_CODE_EXCERPT_H
#define HD_ELF_CODE_EXCERPT_H

#include "base/buf.h"
#include "base/err.h"

/* fd stays the caller's. */
int hd_code_excerpt_read(int fd, struct hd_buf *out, struct hd_err *err);
/*
 * Leave of .eh_frame what the given entries of .eh_frame_hdr's table need, and of the table those (in any
 * order, twice is fine); the rest becomes zeros.  Nothing is done where the table is not of the form that all linkers write.
 */
void hd_code_excerpt_trim(struct hd_buf *cut, uint32_t *entries, size_t n);
/* A descriptor of a file in memory; the bytes are hostile. */
int hd_code_excerpt_open(const void *bytes, size_t n, struct hd_err *err);

#endif
