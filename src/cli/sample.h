/*
 * sample.h - what `sample` observed of a command, as text and as JSON
 *
 * JSON: {"format":"hotdrift.sample","version":1,"command","pid","status":"ok|failed|interrupted","exit_status",
 * "signal","started_ns","boot_id","duration_s","interval_s","readings","missed","latest_s","sampler_cpu_s",
 * "sampler_cpu_pct",
 * "power":{"total_joules","mean_watts","peak_watts","duration_s","method","status"},
 * "gpu":[{"device","name","uuid","util_mean_pct","util_max_pct","mem_first_bytes","mem_max_bytes"}],
 * "memory":{"peak_rss_bytes","largest_process_bytes","processes"},"not_read":[{"what","state","why"}],"files":[]}
 * A part that no option selects is absent; an unknown value is null.
 */
#ifndef HD_CLI_SAMPLE_H
#define HD_CLI_SAMPLE_H

#include "base/buf.h"
#include "collect/sampler.h"
#include "metrics/energy.h"

/* A selected source or part that could not be read. */
struct sample_miss {
	const char *what;		/* "rapl", "gpu" */
	enum hd_power_state state;
	const char *why;		/* with the fix */
};

struct sample_result {
	const struct hd_sampler *s;
	const struct hd_child *c;
	const char *dir, *command;	/* command: NULL if attached to `pid` */
	pid_t pid;
	const struct hd_energy_report *energy;	/* NULL: none */
	const struct sample_miss *miss;
	size_t nmiss;
	const char *const *files;	/* names in dir */
	size_t nfiles;
};

/* Return "ok", "failed" or "interrupted". */
const char *sample_status(const struct hd_child *c);
void sample_text(struct hd_buf *out, const struct sample_result *r);
void sample_json(struct hd_buf *out, const struct sample_result *r);

#endif
