/*
 * tracepoint.h - look up names and fields of tracepoints; the only user of libtraceevent
 *
 * A tracepoint's attr contains only a number.  TRACING_DATA contains the recording kernel's names of
 * tracepoints and the formats of their raw data.
 *
 *     hd_tracepoints_open(&tp, pf, err)              tp NULL: the recording has no TRACING_DATA, or too much of it
 *     hd_tracepoints_name(tp, attr->config)          "sched:sched_switch"
 *     hd_tracepoints_find(tp, id, "prev_comm")       the field, for hd_tracefield_get(); once per event
 *
 * This module itself scans the tracing data for names.  libtraceevent is used only for an event whose fields
 * are looked up, and gets only field lines that tracepoint_format.h has checked.  It never gets print formats,
 * which are C code.
 *
 * Safety: every size is checked against the bytes left; a field outside the raw data has no value.
 */
#ifndef HD_PERFDATA_TRACEPOINT_H
#define HD_PERFDATA_TRACEPOINT_H

#include "base/buf.h"
#include "perfdata/perfdata.h"
#include "perfdata/tracefield.h"

struct hd_tracepoints;

/*
 * Parse TRACING_DATA.  In pipe mode, call this after the first whole walk.  Damage is logged as lost.feature; the part
 * before it is used.
 */
int hd_tracepoints_open(struct hd_tracepoints **out, struct hd_perf *pf, struct hd_err *err);
/*
 * Parse tracing data in memory, which is borrowed during the call.  Returns HD_EFORMAT if it is damaged; *out then
 * contains what precedes the damage.  The caller owns *out in both cases.
 */
int hd_tracepoints_parse(struct hd_tracepoints **out, const uint8_t *p, size_t n, struct hd_err *err);
void hd_tracepoints_free(struct hd_tracepoints *tp);		/* accepts NULL */

const char *hd_tracepoints_name(const struct hd_tracepoints *tp, uint64_t id);	/* NULL if unknown */

/*
 * Return the fields of an event in the order of its format, including the common ones.  Borrowed until _free().
 * Returns NULL, with *n 0, if tp is NULL or the event is unknown.  The first call for an event parses its format, so
 * this is not thread-safe.
 */
const struct hd_tracefield *hd_tracepoints_fields(struct hd_tracepoints *tp, uint64_t id, size_t *n);
const struct hd_tracefield *hd_tracepoints_find(struct hd_tracepoints *tp, uint64_t id,
	const char *field); /* NULL if the event has no such field */

#endif
