/*
 * word_lines.h - read small text files of the auditor (anchors, verified heads): lines of words with one space between
 * two words
 *
 * The files may be hostile.  Empty lines and lines that begin with '#' are skipped; a line may end with "\r\n".
 */
#ifndef HD_TRUST_WORD_LINES_H
#define HD_TRUST_WORD_LINES_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HD_HEX_DIGITS "0123456789abcdef"

/*
 * Append the file `path` to `text`.  Returns 1; 0 if there is no such file; < 0 if it cannot be read (HD_EFORMAT if it
 * has more than 64 MiB).
 */
int hd_word_lines_read(struct hd_buf *text, const char *path, struct hd_err *err);

/* The lines of a text; set `next` and `end` to its begin and end, and the rest to 0. */
struct hd_word_lines {
	const char *next, *end;
	const char *at, *stop;		/* the current line and its end, without line break */
	size_t line;			/* number of the current line, from 1 */
};

/* Go to the next line that has content.  Returns false at the end of the text. */
bool hd_word_lines_next(struct hd_word_lines *l);
/*
 * Copy the next word of the line from l->at to `out`, which has `room` bytes, and advance l->at.  Returns false if the
 * word is empty, does not fit, or has a character that is not in `of`.
 */
bool hd_word_lines_take(struct hd_word_lines *l, const char *of, char *out, size_t room);
/* Take a word that is a positive number of at most 19 digits; numbers above INT64_MAX become INT64_MAX. */
bool hd_word_lines_take_number(struct hd_word_lines *l, int64_t *number);
/* Take exactly this text, such as "hotdrift-anchor ". */
bool hd_word_lines_skip(struct hd_word_lines *l, const char *text);

#endif
