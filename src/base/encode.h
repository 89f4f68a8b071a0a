/*
 * encode.h - how a name is written, one function per sink
 *
 * Names come from people we do not trust and may hold any byte.  Inside the
 * program a name stays the bytes it was; encoding belongs to the sink, at the
 * moment of writing.  All sinks start from the visible form V(name):
 *
 *     strict UTF-8; a byte outside a valid sequence is \xHH; `\` is `\\`;
 *     U+0000..1F and 7F are \xHH; C1, bidi, zero-width, line-separator, BOM,
 *     tag and non-characters are \u{H..}; the rest stays.
 *
 * An empty name is `\e` in text sinks and empty in SQL, JSON and CSV.  Each
 * function appends to `out`.
 */
#ifndef HD_BASE_ENCODE_H
#define HD_BASE_ENCODE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decode one character of strict UTF-8.  Returns its length (1..4) and sets
 * *cp, or 0 when the bytes at s are not a valid sequence (n > 0).
 */
size_t hd_utf8_decode(const char *s, size_t n, uint32_t *cp);
void hd_utf8_add(struct hd_buf *out, uint32_t cp);	/* append a character; cp <= 0x10ffff */

void hd_enc_visible(struct hd_buf *out, const char *s, size_t n);	/* V; nothing for an empty name */
char *hd_enc_visible_new(const char *s); /* V of a string, yours to free(); NULL of NULL */
void hd_enc_term(struct hd_buf *out, const char *s, size_t n);		/* text sinks: V, \e when empty */
void hd_enc_folded(struct hd_buf *out, const char *s, size_t n);	/* one frame of a folded line */
void hd_enc_xml(struct hd_buf *out, const char *s, size_t n);		/* SVG and HTML text and attributes */
void hd_enc_entities(struct hd_buf *out, const char *text, size_t n);	/* the same of what is V already */
void hd_enc_json(struct hd_buf *out, const char *s, size_t n);		/* with the surrounding quotes */
/* As RFC 8785 and serde_json write a string: \b \t \n \f \r \" \\, \u00xx for other controls, everything else raw. */
void hd_enc_json_canonical(struct hd_buf *out, const char *s, size_t n);
bool hd_enc_json_is_plain(const char *s, size_t n);			/* does it stay as it is between its quotes? */
void hd_enc_json_script(struct hd_buf *out, const char *s, size_t n);	/* the same, for a script block */
void hd_enc_csv(struct hd_buf *out, const char *s, size_t n);		/* with the surrounding quotes */
void hd_enc_md(struct hd_buf *out, const char *s, size_t n);		/* as a code span */
/* One word of a shell command line: plain, in single quotes, or $'...' (bash, zsh, ksh) if a terminal must not show its bytes. */
void hd_enc_shell(struct hd_buf *out, const char *word);

/*
 * The same for a text sink, when the name is a pseudo-name of our own
 * (`[unknown]`) and not a name that happens to look like one: real names that
 * equal a pseudo-name get their first byte escaped by the functions above.
 */
#define HD_UNKNOWN "[unknown]"

/* Columns that V(name) - the text, already encoded - takes on a terminal; wide characters take two. */
size_t hd_enc_width(const char *text, size_t n);

/*
 * The longest start of a V(name), in bytes, that fits into `columns` and
 * divides neither a character nor an escape.  The caller adds its mark.
 */
size_t hd_enc_cut(const char *text, size_t n, size_t columns);

/*
 * Append a V(name) in at most `columns` columns: whole if it fits, else its start and its end with a `~` between them.
 * Neither a character nor an escape is divided.
 */
void hd_enc_shorten(struct hd_buf *out, const char *text, size_t n, size_t columns);

/*
 * Undo the folded form of one frame (fold, parse, fold is identity).
 * Anything that is no escape of ours stays as it is.
 */
void hd_decode_folded(struct hd_buf *out, const char *s, size_t n);

#endif
