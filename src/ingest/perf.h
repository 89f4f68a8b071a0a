/*
 * perf.h - the perf.data pipeline: records -> samples -> frames -> stacks
 */
#ifndef HD_INGEST_PERF_H
#define HD_INGEST_PERF_H

#include "ingest/ingest.h"
#include "perfdata/perfdata.h"
#include "ingest/resolve.h"

/* Fill p from the recording at path, or in fd (taken over) when it is not -1. */
int hd_ingest_perf(struct hd_profile *p, int fd, const char *path, const struct hd_ingest_opts *opts, struct hd_err *err);

/* Fill p->recording from what the walks of pf found, and from the objects of r (describe.c). */
void hd_ingest_describe(struct hd_profile *p, struct hd_perf *pf, const struct hd_resolver *r, uint32_t nobjects);

#endif
