/*
 * bottleneck_report.h - bottlenecks of a sampled profile, by the rules of libhotdrift (track/bottleneck_rules.h)
 *
 *     slow-operation    self share of a symbol, for events whose unit is a time (ns, cycles)
 *     load-imbalance    self cost of a symbol by thread, for the same events.  Only perf.data is judged, and only
 *                       symbols with at least HD_BOTTLENECK_SAMPLES samples, all of one process.  Threads that have no
 *                       sample in the symbol are not counted
 *     memory-hotspot    heap recordings: self share of the event peak
 *     leak              heap recordings: self cost of the event leaked, as a share of all allocated bytes
 *
 * Samples do not count calls, FLOPs or bytes, so the other kinds of bottleneck_rules.h are not judged.  The report
 * lists what was not judged, with the reason.  Findings of GPU captures (gpu/bottlenecks.h) are in the report without
 * --bottlenecks.
 *
 * JSON: {"format":"hotdrift.bottlenecks","version":1,"rows":[{"severity","kind","event","name","value","limit",
 * "evidence","suggestion"}],"not_judged":[{"what","why","event"}]}.  Units of value and limit are those of hotdrift.h.
 */
#ifndef HD_RENDER_BOTTLENECK_REPORT_H
#define HD_RENDER_BOTTLENECK_REPORT_H

#include "profile/profile.h"
#include "render/top.h"

enum { HD_BOTTLENECK_SAMPLES = 100 };

/* Append the report.  limit: maximum number of rows, 0 for all; full_names: print names with parameters. */
void hd_bottleneck_report(struct hd_buf *out, const struct hd_profile *p, enum hd_format format, size_t limit,
	bool full_names);

#endif
