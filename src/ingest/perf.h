/*
 * perf.h - the perf.data pipeline: records -> samples -> frames -> stacks
 */
#ifndef HD_INGEST_PERF_H
#define HD_INGEST_PERF_H

#include "ingest/ingest.h"
#include "perfdata/perfdata.h"
#include "ingest/locate.h"
#include "unwind/unwind.h"

/*
 * Fill p, which is fresh, from the recording at path, or in fd (taken over) when it is not -1.
 * 1: once more please, with `again`, and another fresh one.
 */
int hd_ingest_perf(struct hd_profile *p, int fd, const char *path, const struct hd_ingest_opts *opts, bool again,
		   struct hd_err *err);

/* Where stacks ended for want of unwind information: samples by object of proc/.  Zero-initialise. */
struct hd_gaps {
	uint64_t *samples;
	size_t n, cap;
};

/* Fill p->recording from what the walks of pf found, from the objects of l and, unless uw is NULL, the gaps (describe.c). */
void hd_ingest_describe(struct hd_profile *p, struct hd_perf *pf, const struct hd_locator *l, uint32_t nobjects,
			const struct hd_unwind *uw, const struct hd_gaps *gaps);

#endif
