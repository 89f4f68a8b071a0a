/*
 * stored_text.h - writing text that the store holds
 *
 * Names in the database are stored in their visible form (encode.h), so that a
 * TEXT column is printed as it is: encoding it a second time would double its
 * backslashes.  A database may be foreign, though, and SQL can make any text.
 * These sinks keep backslashes and otherwise write what encode.h would, so that
 * no cell can end a line, move a cursor or become a formula.
 *
 * In JSON every valid text comes out exact: what may not stand raw is \uXXXX.
 */
#ifndef HD_RENDER_STORED_TEXT_H
#define HD_RENDER_STORED_TEXT_H

#include "base/buf.h"

void hd_stored_text_term(struct hd_buf *out, const char *s, size_t n);	/* \e when empty */
void hd_stored_text_csv(struct hd_buf *out, const char *s, size_t n);	/* with the surrounding quotes */
void hd_stored_text_json(struct hd_buf *out, const char *s, size_t n);	/* with the surrounding quotes */
void hd_stored_text_json_value(struct hd_buf *out, const char *json, size_t n);	/* of what is JSON already */

#endif
