/*
 * reanalysis.h - is a run what an analysis of its recording gives?
 */
#ifndef HD_CLI_REANALYSIS_H
#define HD_CLI_REANALYSIS_H

#include "cli/input.h"
#include "trust/witness.h"

/*
 * Read the recording with the options of `in` and compare its SHA-256, events, weights and costliest symbols with
 * those of the run.  *symbols counts what was compared.  HD_ENO with the first that differs.
 */
int hd_reanalyze(const struct hd_witness_run *run, const char *recording, struct hd_input *in, uint64_t *symbols,
	struct hd_log *log, struct hd_err *err);

#endif
