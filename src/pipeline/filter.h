/*
 * filter.h - `--filter 'prev_comm == "bash" && prev_pid > 100'`: the filter language of trace events
 *
 *     expression   FIELD OP VALUE, !x, x && y, x || y, (x); && binds tighter than ||
 *     OP           == != < <= > >=    for numbers; == and != also for texts
 *                  &                  any of these bits is set
 *                  ~                  a text matches a pattern of * ? [a-z] [!a-z]; \ escapes the next character
 *     VALUE        12  -3  0x1f  "text"  'text'  text      (time: seconds, 12.345)
 *     FIELD        a name of field_table.h
 *
 * A comparison with a field that the sample does not have is unknown, and so is its negation.  A sample is selected
 * if the expression is true.  `a == 1 || b == 2` therefore selects from events that have only one of the fields.
 *
 * Owns:   the syntax tree.
 * Limits: 4096 bytes of text, 32 levels of nesting.
 */
#ifndef HD_PIPELINE_FILTER_H
#define HD_PIPELINE_FILTER_H

#include "base/err.h"
#include "pipeline/field_table.h"

enum { HD_FILTER_BYTES = 4096, HD_FILTER_DEPTH = 32 };

struct hd_filter;

/* Parse a filter.  Returns HD_EUSAGE, with the column of the error, if the text is invalid.  The caller frees *out. */
int hd_filter_parse(struct hd_filter **out, const char *text, struct hd_err *err);
void hd_filter_free(struct hd_filter *f);		/* accepts NULL */

/* Return the name of the i-th field, or NULL after the last. */
const char *hd_filter_field(const struct hd_filter *f, size_t i);

/*
 * Look the fields up; `wanted` as in hd_field_table_find().  Returns HD_EFORMAT if no wanted event has one of the
 * fields, HD_EUSAGE if the type of a field does not allow the comparison in any wanted event.  An event whose field has
 * such a type counts as an event without the field.
 */
int hd_filter_bind(struct hd_filter *f, struct hd_field_table *fs, const bool *wanted, struct hd_err *err);

/*
 * Return true if the sample is selected.  One thread at a time may call it for a filter.  comm and event are those of
 * the sample; they are needed only if the filter has these fields.
 */
bool hd_filter_match(struct hd_filter *f, const struct hd_field_table *fs, const struct hd_sample *s, const char *comm,
	const char *event);

#endif
