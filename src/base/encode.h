/*
 * encode.h - encode names for output, one function per format
 *
 * Names come from untrusted input and may contain any byte.  Inside the program a name is never encoded;
 * it is encoded when it is written.  All formats start from the visible form V(name), which is strict UTF-8:
 *
 *     \\         a backslash
 *     \xHH       a byte outside of a valid sequence, or U+0000 to U+001F or U+007F
 *     \u{H..}    other controls (C1), characters that set the direction of text, zero-width characters,
 *                line separators, byte order marks, tags and non-characters
 *     unchanged  all others
 *
 * An empty name is `\e` in text formats and empty in SQL, JSON and CSV.  Each function appends to `out`.
 */
#ifndef HD_BASE_ENCODE_H
#define HD_BASE_ENCODE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decode one character of strict UTF-8 (n > 0).  Returns its length (1..4) and sets *cp; returns 0 if the bytes are not
 * a valid sequence.
 */
size_t hd_utf8_decode(const char *s, size_t n, uint32_t *cp);
void hd_utf8_add(struct hd_buf *out, uint32_t cp);	/* append a character; cp <= 0x10ffff */

void hd_enc_visible(struct hd_buf *out, const char *s, size_t n);	/* V(name); nothing for an empty name */
/* the visible form of s, as a string that the caller frees; NULL if s is NULL */
char *hd_enc_visible_new(const char *s);
void hd_enc_term(struct hd_buf *out, const char *s, size_t n);		/* text: V(name), \e if empty */
void hd_enc_folded(struct hd_buf *out, const char *s, size_t n);	/* one frame of a folded line */
void hd_enc_xml(struct hd_buf *out, const char *s, size_t n);		/* SVG and HTML text and attributes */
/* Like hd_enc_xml(), for a text that is already in the visible form. */
void hd_enc_entities(struct hd_buf *out, const char *text, size_t n);
void hd_enc_json(struct hd_buf *out, const char *s, size_t n);		/* including the quotes */
/*
 * Write a string as RFC 8785 and serde_json do: \b \t \n \f \r \" \\, \u00xx for other controls, all other bytes raw.
 */
void hd_enc_json_canonical(struct hd_buf *out, const char *s, size_t n);
/* Return true if s is ASCII without double quotes, backslashes and control characters (including DEL). */
bool hd_enc_json_is_plain(const char *s, size_t n);
void hd_enc_json_script(struct hd_buf *out, const char *s, size_t n);	/* JSON inside an HTML script block */
void hd_enc_csv(struct hd_buf *out, const char *s, size_t n);		/* including the quotes */
void hd_enc_md(struct hd_buf *out, const char *s, size_t n);		/* as a code span */
/*
 * Append one word of a shell command line: plain, in single quotes, or as $'...' (bash, zsh, ksh) if its bytes are not
 * safe on a terminal.
 */
void hd_enc_shell(struct hd_buf *out, const char *word);

/*
 * The pseudo-name for something without a name.  It is written without encoding.  If a real name equals a pseudo-name,
 * hd_enc_term(), hd_enc_folded(), hd_enc_xml() and hd_enc_md() escape its first byte.
 */
#define HD_UNKNOWN "[unknown]"

/* Return the number of terminal columns of an encoded name.  Wide characters take two, combining marks none. */
size_t hd_enc_width(const char *text, size_t n);

/*
 * Return the length of the longest prefix of an encoded name that fits into `columns`.  It splits neither a character
 * nor an escape.  The caller adds a truncation mark.
 */
size_t hd_enc_cut(const char *text, size_t n, size_t columns);

/*
 * Append an encoded name in at most `columns` (> 0) columns: whole if it fits, else its start and its end with a `~`
 * between them.  Neither a character nor an escape is split.
 */
void hd_enc_shorten(struct hd_buf *out, const char *text, size_t n, size_t columns);

/* Decode one frame of folded text; the inverse of hd_enc_folded().  Unknown escapes are kept as they are. */
void hd_decode_folded(struct hd_buf *out, const char *s, size_t n);

#endif
