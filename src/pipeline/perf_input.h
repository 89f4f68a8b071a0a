/*
 * perf_input.h - the perf.data pipeline: records -> samples -> frames -> stacks
 */
#ifndef HD_PIPELINE_PERF_INPUT_H
#define HD_PIPELINE_PERF_INPUT_H

#include "bundle/host_context.h"
#include "pipeline/pipeline.h"
#include "perfdata/perfdata.h"
#include "pipeline/locator.h"
#include "unwind/unwind.h"

struct hd_bundled_recording;
struct hd_jitdump_record;

/* Where a recording is, and what is wanted beside the profile. */
struct hd_perf_source {
	const char *path;		/* also for messages */
	int fd;				/* taken over; -1: a folder at path, or of a bundle */
	const struct hd_bundled_recording *bundled;	/* it comes out of a bundle, and so do all symbols; NULL: no */
	struct hd_bundle_record *remember;	/* for a bundle: all answers of symbols/; NULL: no */
	struct hd_jitdump_record *jitdumps;	/* for a bundle: what came of them; NULL: no */
	struct hd_host_context *circumstances;	/* for a bundle: filled in; NULL: no */
	struct hd_stack_bytes_used *marks; /* for a bundle: what counts of copied stacks; NULL: not wanted */
};

/* Fill p, which is fresh.  1: once more please, with `again`, and another fresh one. */
int hd_perf_input_read_once(struct hd_profile *p, const struct hd_perf_source *from,
	const struct hd_pipeline_opts *opts, bool again, struct hd_err *err);

/* pipeline.c: the same, asked twice where that is needed.  from->fd stays the caller's. */
int hd_perf_input_read(struct hd_profile **p, const struct hd_perf_source *from, const struct hd_pipeline_opts *opts,
	struct hd_err *err);
/* Do these first bytes of a file say so? */
bool hd_perf_input_is(const char *head, size_t n);
/* --strict: HD_EFORMAT when the log tells of damage. */
int hd_pipeline_check_damage(const struct hd_log *log, struct hd_err *err);

/* Where stacks ended for want of unwind information: samples by object of process/.  Zero-initialise. */
struct hd_unwind_gap_counts {
	uint64_t *samples;
	size_t n, cap;
};

/*
 * Fill p->recording from what the walks of pf found, from the objects of l and, unless uw is NULL, the gaps (recording_info.c).
 * command_ended: as hd_pipeline_opts has it.
 */
void hd_perf_input_describe(struct hd_profile *p, struct hd_perf *pf, const struct hd_locator *l, uint32_t nobjects,
			const struct hd_unwind *uw, const struct hd_unwind_gap_counts *gaps, bool command_ended);
/* The objects alone, once all rows are in p: as the samples of an event fell into them. */
#define HD_ALL_EVENTS UINT32_MAX
void hd_perf_input_describe_objects(struct hd_profile *p, const struct hd_locator *l, uint32_t nobjects,
	uint32_t event);

#endif
