/*
 * gunzip.h - read a file that may be gzipped, in bounded memory
 *
 * A file that begins with the gzip magic (RFC 1952: 1f 8b 08) is inflated while it is read; consecutive members form
 * one stream.  Any other file is read unchanged.  Memory: 64 KiB of input and zlib's window.
 *
 * Damage is not an error of hd_gunzip_read(): it delivers the bytes before the damage, then the stream ends, and
 * hd_gunzip_damage() returns a description.  An error is returned only if the file cannot be read: see hd_file_pread().
 */
#ifndef HD_BASE_GUNZIP_H
#define HD_BASE_GUNZIP_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct hd_gunzip;

/* fd and path are borrowed and must outlive the reader. */
struct hd_gunzip *hd_gunzip_new(int fd, const char *path);
void hd_gunzip_free(struct hd_gunzip *z);		/* accepts NULL */

/*
 * Read up to n bytes.  Returns their number (fewer than n at the end of the stream), or the error of hd_file_pread().
 */
ssize_t hd_gunzip_read(struct hd_gunzip *z, char *buf, size_t n, struct hd_err *err);

/*
 * Return a description (a string constant) if the packed data are damaged, cut off or followed by other data; otherwise
 * NULL.  *offset is the position in the compressed file up to which it was read.
 */
const char *hd_gunzip_damage(const struct hd_gunzip *z, uint64_t *offset);

/*
 * Append the whole content to `out`.  Returns 0; HD_EFORMAT if the content has more than max_bytes; or the error of
 * hd_file_pread().  *damage and *offset are those of hd_gunzip_damage().
 */
int hd_gunzip_all(int fd, const char *path, uint64_t max_bytes, struct hd_buf *out, const char **damage,
	uint64_t *offset, struct hd_err *err);

/* Return true if a file that begins with these bytes is gzipped. */
bool hd_gunzip_is(const char *head, size_t n);

/* Inflate the start of a gzipped file.  Returns the number of bytes written to `out`. */
size_t hd_gunzip_head(const char *head, size_t n, char *out, size_t cap);

#endif
