/*
 * recording_info.h - fill hd_profile.recording: what `info` reports about a recording
 */
#ifndef HD_PIPELINE_RECORDING_INFO_H
#define HD_PIPELINE_RECORDING_INFO_H

#include "perfdata/perfdata.h"
#include "pipeline/locator.h"
#include "profile/profile.h"
#include "unwind/unwind.h"

/*
 * For each object, the number of samples whose stacks could not be unwound through the object, or only by a guess.
 * Zero-initialise.
 */
struct hd_unwind_gap_counts {
	uint64_t *samples;	/* indexed by object id of the process table */
	size_t n, cap;
};

/*
 * Fill p->recording from the header and the records of `pf`, and from the objects of the locator `l` (ids below
 * nobjects).  With `uw`, also describe the objects in `gaps`, through which stacks could not be unwound; uw may be
 * NULL.  If command_ended (hd_pipeline_opts) is set, warn if the EXIT record of the command is missing.  Other
 * warnings: lost.hardware-trace, symbols.no-kernel-map, symbols.not-unwound.  Call it when all rows are in p.
 */
void hd_recording_info_fill(struct hd_profile *p, struct hd_perf *pf, const struct hd_locator *l, uint32_t nobjects,
	const struct hd_unwind *uw, const struct hd_unwind_gap_counts *gaps, bool command_ended);

/* Fill only p->recording.objects.  Sample counts are those of `event`, or of all events with HD_ALL_EVENTS. */
#define HD_ALL_EVENTS UINT32_MAX
void hd_recording_info_add_objects(struct hd_profile *p, const struct hd_locator *l, uint32_t nobjects, uint32_t event);

/*
 * Return the architecture of the recorded user registers: x86_64, i386, arm or aarch64; "unknown" for another set of
 * registers.  The first event that records user registers decides.  NULL if there is none.
 */
const char *hd_recording_info_machine_by_regs(const struct hd_perf_attr *attrs, size_t n);

/*
 * Return the compiler of the user object with the most samples among those with symbols (dwarf/producer.h).  The caller
 * frees the string.  NULL if it is unknown.
 */
char *hd_recording_info_compiler(const struct hd_profile *p);

#endif
