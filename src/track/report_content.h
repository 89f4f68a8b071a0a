/*
 * report_content.h - the results of a profiler as the sections of a report
 *
 *     rc = hd_report_content_take(&content, p);
 *     n = hd_report_content_sections(sections, &content);
 *     hd_report_render(&text, form, &content.head, sections, n);
 *     hd_report_content_release(&content);
 *
 * Names are borrowed from the profiler.  Other threads may record meanwhile: each section is consistent in itself.
 */
#ifndef HD_TRACK_REPORT_CONTENT_H
#define HD_TRACK_REPORT_CONTENT_H

#include "track/memory_scope.h"
#include "track/report.h"

enum { HD_REPORT_LATENCIES = 3, HD_REPORT_MEMORIES = 4, HD_REPORT_SECTIONS = 11 };

struct hd_report_bottleneck {
	struct hd_bottleneck found;
	const char *severity, *kind, *evidence, *suggestion;
};

struct hd_report_op {
	struct hd_op op;
	double self_pct;
};

struct hd_report_memory {
	const char *name;
	uint64_t snapshots;
	struct hd_memory_kind kind;
};

struct hd_report_scope {
	struct hd_memory_scope_total total;
	const char *name, *method;		/* name: the name in `total` */
};

struct hd_report_latency {
	const char *name;
	struct hd_latency_stats stats;
};

struct hd_report_content {
	struct hd_report_head head;
	char boot_id[40];
	struct hd_report_bottleneck *bottlenecks;
	struct hd_report_op *ops;
	struct hd_alloc *allocs;
	struct hd_alloc_sum alloc_sum;
	struct hd_report_memory memory[HD_REPORT_MEMORIES];
	struct hd_report_latency latency[HD_REPORT_LATENCIES];
	struct hd_report_scope *scopes;
	struct hd_power_total *power;
	struct hd_span_total *spans;
	struct hd_duration *durations;
	struct hd_timeline_sum timeline;
	size_t nbottlenecks, nops, nallocs, nmemory, nscopes, nlatency, npower, nspans, ndurations;
};

/*
 * Collect the results of a profiler.  Returns HD_TRACK_OK or NOMEM.  After OK, the caller calls
 * hd_report_content_release().
 */
int hd_report_content_take(struct hd_report_content *c, struct hd_profiler *p);
void hd_report_content_release(struct hd_report_content *c);
/* Fill in the sections, which borrow from `c`.  Returns their number. */
size_t hd_report_content_sections(struct hd_report_section out[HD_REPORT_SECTIONS],
				  const struct hd_report_content *c);

#endif
