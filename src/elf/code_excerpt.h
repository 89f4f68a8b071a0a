/*
 * code_excerpt.h - extract the parts of an executable file that unwinding reads, and open them as a file again
 *
 * An excerpt contains the ELF headers, the headers of compressed sections, the section names, the notes, the call frame
 * information, the start of .plt, and .dynamic, which shows whether the file is a program or a library: a few per cent
 * of the file.  An excerpt can be opened as a sparse file again, in which all other bytes are zero.
 *
 *     OFFSET  SIZE   MEANING, all numbers little-endian
 *     0       8      size of the file
 *     8       4      number of parts, n
 *     12      4      0
 *     16      16 n   the offset (8) and size (8) of each part in the file, ascending
 *     ...            the bytes of the parts, one after another
 */
#ifndef HD_ELF_CODE_EXCERPT_H
#define HD_ELF_CODE_EXCERPT_H

#include "base/buf.h"
#include "base/err.h"

/* Append the excerpt of the file `fd` to `out`.  The caller keeps `fd`.  If it fails, `out` may have a part of it. */
int hd_code_excerpt_read(int fd, struct hd_buf *out, struct hd_err *err);
/*
 * In the excerpt `cut`, reduce the table in .eh_frame_hdr to the given entries, and .eh_frame to what these entries
 * need; the rest becomes zeros.  `entries` has n indexes of that table.  They may be in any order, may contain
 * duplicates, and are sorted in place.  The excerpt does not change if the table is damaged or does not have the form
 * that all linkers write.
 */
void hd_code_excerpt_trim(struct hd_buf *cut, uint32_t *entries, size_t n);
/* Open an excerpt, which is untrusted, as a file in memory.  Returns a descriptor or < 0. */
int hd_code_excerpt_open(const void *bytes, size_t n, struct hd_err *err);

#endif
