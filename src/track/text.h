/*
 * text.h - a growing text, with names that are escaped for its form (JSON, HTML, ...)
 *
 *     struct hd_text t = { 0 };
 *     hd_text_add(&t, "name: ");
 *     hd_text_name(&t, HD_TEXT_JSON, op->name);
 *     rc = hd_text_take(&t, &string);         HD_TRACK_NOMEM if any of the calls had no memory
 *
 * The functions that add text report no errors; hd_text_take() does, so that writers need no checks.  Before a name is
 * escaped for a form, it is converted to its visible form (visible.h).  An empty name is written as \e, in JSON as "".
 */
#ifndef HD_TRACK_TEXT_H
#define HD_TRACK_TEXT_H

#include "track/status.h"

struct hd_text {
	char *s;		/* the text; NULL until something is added */
	size_t n, cap;
	bool failed;
};

enum hd_text_form {
	HD_TEXT_PLAIN,		/* the visible form */
	HD_TEXT_JSON,		/* a JSON string with its quotes */
	HD_TEXT_XML,		/* escaped for text and attributes of HTML */
	HD_TEXT_MARKDOWN,	/* a code span that is valid in a table */
};

void hd_text_bytes(struct hd_text *t, const char *s, size_t n);
void hd_text_add(struct hd_text *t, const char *s);
/* Append formatted text of at most 511 bytes.  A longer text is not added, and hd_text_take() fails. */
void hd_text_addf(struct hd_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hd_text_name(struct hd_text *t, enum hd_text_form form, const char *name);
/* Append the shortest text of a number, or "null" if it is not finite. */
void hd_text_number(struct hd_text *t, double v);
/* Transfer the string to the caller, who frees it, and empty `t`.  Returns HD_TRACK_OK or NOMEM. */
int hd_text_take(struct hd_text *t, char **out);
void hd_text_release(struct hd_text *t);

#endif
