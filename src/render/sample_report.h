/*
 * sample_report.h - what `sample` observed of a command, as text and as JSON
 *
 * JSON: {"format":"hotdrift.sample","version":1,"command","pid","status":"ok|failed|interrupted","exit_status",
 * "signal","started_ns","boot_id","duration_s","interval_s","readings","missed","latest_s","sampler_cpu_s",
 * "sampler_cpu_pct",
 * "power":{"total_joules","mean_watts","peak_watts","duration_s","method","status"},
 * "gpu":[{"device","name","uuid","util_mean_pct","util_max_pct","mem_first_bytes","mem_max_bytes"}],
 * "memory":{"peak_rss_bytes","largest_process_bytes","processes","not_measured":[]},
 * "not_read":[{"what","state","why"}],"files":[]}
 * started_ns is the time since 1970; latest_s is the longest delay of a reading; sampler_cpu_pct is in per cent of one
 * CPU.  A part that no option selects is absent; an unknown value is null.
 */
#ifndef HD_RENDER_SAMPLE_REPORT_H
#define HD_RENDER_SAMPLE_REPORT_H

#include "base/buf.h"
#include "series/sampler.h"
#include "series/energy_report.h"

/* A selected source or part that could not be read. */
struct hd_sample_report_miss {
	const char *what;		/* what could not be read: "rapl", "gpu" */
	enum hd_power_state state;
	const char *why;		/* reason and fix */
};

struct hd_sample_report {
	const struct hd_sampler *s;
	const struct hd_child *c;
	const char *dir, *command;	/* command: NULL if attached to `pid` */
	pid_t pid;
	const struct hd_energy_report *energy;	/* NULL: not measured */
	const struct hd_sample_report_miss *miss;
	size_t nmiss;
	const char *const *files;	/* names of the files that were written, relative to `dir` */
	size_t nfiles;
};

/* Return "ok", "failed" or "interrupted". */
const char *hd_sample_report_status(const struct hd_child *c);
void hd_sample_report_text(struct hd_buf *out, const struct hd_sample_report *r);
void hd_sample_report_json(struct hd_buf *out, const struct hd_sample_report *r);

#endif
