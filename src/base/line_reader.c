/*
 * line_reader.c - see line_reader.h
 */
#include "base/line_reader.h"

#include <string.h>

enum { CHUNK = 256 * 1024 };

void hd_line_reader_init(struct hd_line_reader *r, int fd, const char *path)
{
	*r = (struct hd_line_reader){ .source = hd_gunzip_new(fd, path) };
}

void hd_line_reader_release(struct hd_line_reader *r)
{
	hd_gunzip_free(r->source);
	hd_buf_release(&r->buf);
	*r = (struct hd_line_reader){ 0 };
}

const char *hd_line_reader_damage(const struct hd_line_reader *r, uint64_t *offset)
{
	return hd_gunzip_damage(r->source, offset);
}

/* Move the incomplete line to the start of the buffer and append a chunk to it. */
static int refill(struct hd_line_reader *r, struct hd_err *err)
{
	size_t rest = r->buf.len - r->at;
	ssize_t got;

	if (r->at && rest)
		memmove(r->buf.data, r->buf.data + r->at, rest);
	r->buf.len = rest;
	r->at = 0;
	if (rest >= HD_LINE_MOST) {
		r->cut += !r->skipping;
		r->skipping = true;
		r->buf.len = rest = HD_LINE_MOST;	/* the next chunk overwrites what exceeds the limit */
	}
	hd_buf_reserve(&r->buf, CHUNK);
	got = hd_gunzip_read(r->source, r->buf.data + rest, CHUNK, err);
	if (got < 0)
		return (int)got;
	if (!r->bytes && got >= 3 && !memcmp(r->buf.data, "\xef\xbb\xbf", 3))
		r->at = 3;
	r->bytes += (uint64_t)got;
	r->ended = !got;
	r->buf.len = rest + (size_t)got;
	return 0;
}

int hd_line_reader_next(struct hd_line_reader *r, struct hd_err *err)
{
	size_t scanned = 0;		/* number of bytes of the line in which no line end was found */
	const char *nl;

	for (;;) {
		size_t left = r->buf.len - r->at;
		int rc;

		nl = left > scanned ? memchr(r->buf.data + r->at + scanned, '\n', left - scanned) : NULL;
		if (nl || r->ended)
			break;
		scanned = left < HD_LINE_MOST ? left : HD_LINE_MOST;
		rc = refill(r, err);
		if (rc < 0)
			return rc;
	}
	if (!nl && r->at == r->buf.len)
		return 0;
	r->line = r->buf.data + r->at;
	r->n = nl ? (size_t)(nl - r->line) : r->buf.len - r->at;
	r->at += r->n + (nl != NULL);
	if (r->n > HD_LINE_MOST) {
		r->n = HD_LINE_MOST;
		r->cut += !r->skipping;
	}
	r->skipping = false;
	if (r->n && r->line[r->n - 1] == '\r')
		r->n--;
	r->number++;
	return 1;
}
