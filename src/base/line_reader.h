/*
 * line_reader.h - read the lines of a text file, plain or gzipped, in bounded memory
 *
 *     struct hd_line_reader r;
 *     hd_line_reader_init(&r, fd, path);
 *     while ((rc = hd_line_reader_next(&r, err)) > 0)
 *             use(r.line, r.n, r.number);
 *     hd_line_reader_release(&r);
 *
 * Line ends (`\n`, `\r\n`) and a UTF-8 byte order mark are not part of a line.  A line has at most HD_LINE_MOST bytes:
 * the rest of a longer line is skipped, and `cut` counts such lines.  Memory: the longest line, and a chunk of 256 KiB.
 *
 * fd and path are borrowed and must outlive the reader.
 */
#ifndef HD_BASE_LINE_READER_H
#define HD_BASE_LINE_READER_H

#include "base/buf.h"
#include "base/err.h"
#include "base/gunzip.h"

enum { HD_LINE_MOST = 64 << 20 };

struct hd_line_reader {
	const char *line;	/* the current line, valid until the next call; not NUL-terminated */
	size_t n;
	uint64_t number;	/* number of the current line, from 1 */
	/* bytes read from the file so far, also those after the current line; for a gzipped file, after unpacking */
	uint64_t bytes;
	uint64_t cut;		/* number of lines longer than HD_LINE_MOST */
	/* private */
	struct hd_gunzip *source;
	struct hd_buf buf;
	size_t at;		/* offset in buf of the next line */
	bool ended, skipping;
};

void hd_line_reader_init(struct hd_line_reader *r, int fd, const char *path);
void hd_line_reader_release(struct hd_line_reader *r);
/* Read the next line.  Returns 1, or 0 after the last line, or the error of hd_file_pread(). */
int hd_line_reader_next(struct hd_line_reader *r, struct hd_err *err);
/*
 * Return a description if the packed data of a gzipped file are damaged, cut off or followed by other data; otherwise
 * NULL.  *offset is the position in the compressed file up to which it was read.
 */
const char *hd_line_reader_damage(const struct hd_line_reader *r, uint64_t *offset);

#endif
