/*
 * mapped_file.h - looking into a large file where it lies, without a copy
 *
 * A part of the file is in sight at a time.  What is looked at costs, and not what is
 * passed by: of a file of which a little is wanted here and there, that is a fraction of
 * reading it.  (Where most of a part is wanted, reading is as fast: the copy
 * lies in larger pages than the file.)
 *
 * A file that gets shorter meanwhile, or that the disk cannot give, ends a program that
 * looks at a map of it (SIGBUS).  Not here: such pages are zeros, and hd_mapped_file_torn says so.
 * (While something is mapped, the signal is ours; one that is about anything else does what it would have done.)
 *
 * At most HD_MAPPED_FILES_MAX at once; who is told NULL reads.
 */
#ifndef HD_BASE_MAPPED_FILE_H
#define HD_BASE_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HD_MAPPED_FILES_MAX = 160 };

struct hd_mapped_file;

/* To see up to `most` bytes at a time.  NULL: not now. */
struct hd_mapped_file *hd_mapped_file_new(size_t most);
void hd_mapped_file_free(struct hd_mapped_file *m);		/* NULL is fine */

/* Bytes [off, off + n) of a regular file, n <= most, in place of what was in sight.  NULL: it cannot be mapped. */
const uint8_t *hd_mapped_file_view(struct hd_mapped_file *m, int fd, uint64_t off, size_t n);

/* Of what is or was in sight, something was taken as zeros. */
bool hd_mapped_file_torn(const struct hd_mapped_file *m);

#endif
