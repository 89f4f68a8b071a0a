/*
 * tracepoint.h - names and fields of tracepoints, the one door to libtraceevent
 *
 * A tracepoint's attr has only a number; TRACING_DATA says what the recording
 * kernel called it, and where in a sample's raw data its fields lie.
 *
 *     hd_tracepoints_open(&tp, pf, err)              tp NULL: the recording has no TRACING_DATA
 *     hd_tracepoints_name(tp, attr->config)          "sched:sched_switch"
 *     hd_tracepoints_find(tp, id, "prev_comm")       its place, for hd_tracefield_get; asked once per event
 *
 * Names are read by a scan of our own.  libtraceevent sees an event only when
 * a field of it is asked for, and then only field lines in a clean form; never
 * the print format, which is a program in C.
 *
 * Holds: every size is compared with the bytes left; a field outside the raw
 *        data is no field.
 */
#ifndef HD_PERFDATA_TRACEPOINT_H
#define HD_PERFDATA_TRACEPOINT_H

#include "base/buf.h"
#include "perfdata/perfdata.h"
#include "perfdata/tracefield.h"

struct hd_tracepoints;

/* In pipe mode after the first whole walk.  Damage is logged (lost.feature) and what came before it is kept. */
int hd_tracepoints_open(struct hd_tracepoints **out, struct hd_perf *pf, struct hd_err *err);
/* The same from bytes in memory; borrowed only during the call.  < 0: damaged; *out has what came before. */
int hd_tracepoints_parse(struct hd_tracepoints **out, const uint8_t *p, size_t n, struct hd_err *err);
void hd_tracepoints_free(struct hd_tracepoints *tp);		/* NULL is fine */

size_t hd_tracepoints_count(const struct hd_tracepoints *tp);
const char *hd_tracepoints_name(const struct hd_tracepoints *tp, uint64_t id);	/* or NULL */

/* The fields of an event in order of the format, the common ones too; borrowed until _free. */
const struct hd_tracefield *hd_tracepoints_fields(struct hd_tracepoints *tp, uint64_t id, size_t *n);
const struct hd_tracefield *hd_tracepoints_find(struct hd_tracepoints *tp, uint64_t id,
	const char *field); /* or NULL */
/* Append a field as text; false when there is none. */
bool hd_tracepoints_field(struct hd_tracepoints *tp, uint64_t id, const uint8_t *raw, size_t n, const char *field,
			  struct hd_buf *out);

#endif
