/*
 * mapped_file.h - read parts of a large file in place, without a copy
 *
 * One part of the file is mapped at a time.  Only the pages that are accessed cost time, so a caller that needs little
 * of a file takes a fraction of the time of reading it.  (If most of a part is needed, reading is as fast: a buffer in
 * memory can have larger pages than a mapped file, and so fewer page faults.)
 *
 * If a mapped file is truncated, or the disk fails, accessing the map raises SIGBUS.  A signal handler
 * replaces such pages with zeros, and hd_mapped_file_torn() reports it.  While a file is mapped, the handler is
 * installed; for a SIGBUS with any other cause it restores the previous action.
 *
 * At most HD_MAPPED_FILES_MAX files can be mapped at once; callers that get NULL read the file instead.
 *
 * Thread safety: several threads may use these functions at once, each with its own hd_mapped_file.
 */
#ifndef HD_BASE_MAPPED_FILE_H
#define HD_BASE_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HD_MAPPED_FILES_MAX = 160 };

struct hd_mapped_file;

/* Reserve address space for parts of up to `most` bytes.  Returns NULL if that fails, or at the limit. */
struct hd_mapped_file *hd_mapped_file_new(size_t most);
void hd_mapped_file_free(struct hd_mapped_file *m);		/* accepts NULL */

/* Map bytes [off, off + n) of a regular file, n <= most, in place of the previous part.  Returns NULL if that fails. */
const uint8_t *hd_mapped_file_view(struct hd_mapped_file *m, int fd, uint64_t off, size_t n);

/* Return true if a page that was mapped through `m` was replaced with zeros. */
bool hd_mapped_file_torn(const struct hd_mapped_file *m);

#endif
