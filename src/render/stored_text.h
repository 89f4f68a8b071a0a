/*
 * stored_text.h - print text that is stored in a database
 *
 * The database stores names in their visible form (encode.h).  Printing a TEXT column through encode.h would double its
 * backslashes.  But a database may come from elsewhere, and SQL can produce any text.  So these functions keep
 * backslashes and encode everything else as encode.h does: no cell can end a line, move the cursor or become a
 * spreadsheet formula.
 *
 * JSON preserves every valid text exactly; characters that must not be raw are written as \uXXXX.
 */
#ifndef HD_RENDER_STORED_TEXT_H
#define HD_RENDER_STORED_TEXT_H

#include "base/buf.h"

void hd_stored_text_term(struct hd_buf *out, const char *s, size_t n);	/* \e if the text is empty */
void hd_stored_text_csv(struct hd_buf *out, const char *s, size_t n);	/* with the surrounding quotes */
void hd_stored_text_json(struct hd_buf *out, const char *s, size_t n);	/* with the surrounding quotes */
void hd_stored_text_json_value(struct hd_buf *out, const char *json, size_t n);	/* the text is JSON already */

#endif
