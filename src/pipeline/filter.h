/*
 * filter.h - `--filter 'prev_comm == "bash" && prev_pid > 100'`: the trace-event filter language
 *
 *     expression   FIELD OP VALUE, !x, x && y, x || y, (x); && binds tighter than ||
 *     OP           == != < <= > >=    numbers; == and != also texts
 *                  &                  some of these bits are set
 *                  ~                  a text matches a pattern of * ? [a-z] [!a-z] and \ before what is meant as it is
 *     VALUE        12  -3  0x1f  "text"  'text'  text      (time: seconds, 12.345)
 *     FIELD        as field_table.h has them
 *
 * What a sample does not have is neither true nor false: a comparison with it
 * is unknown, so is its negation, and a sample is selected when the whole is
 * true.  `a == 1 || b == 2` thus selects from events that have only one of them.
 *
 * Owns:  the parsed tree.
 * Holds: the text is at most 4096 bytes, nesting at most 32 deep.
 */
#ifndef HD_PIPELINE_FILTER_H
#define HD_PIPELINE_FILTER_H

#include "base/err.h"
#include "pipeline/field_table.h"

enum { HD_FILTER_BYTES = 4096, HD_FILTER_DEPTH = 32 };

struct hd_filter;

/* HD_EUSAGE, with the column, for what is no expression. */
int hd_filter_parse(struct hd_filter **out, const char *text, struct hd_err *err);
void hd_filter_free(struct hd_filter *f);		/* NULL is fine */

/* Its fields by name, one after the other; NULL behind the last. */
const char *hd_filter_field(const struct hd_filter *f, size_t i);

/*
 * Look its fields up; wanted as hd_field_table_find has it.  HD_EFORMAT for a field that no event has, HD_EUSAGE for a
 * comparison that its kind of value does not allow in any event.
 */
int hd_filter_bind(struct hd_filter *f, struct hd_field_table *fs, const bool *wanted, struct hd_err *err);

/* For one thread at a time.  comm, event: the sample's, needed only when they are among the fields. */
bool hd_filter_match(struct hd_filter *f, const struct hd_field_table *fs, const struct hd_sample *s, const char *comm,
	const char *event);

#endif
