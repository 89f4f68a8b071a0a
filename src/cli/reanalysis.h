/*
 * reanalysis.h - check a stored run against a new analysis of its recording
 */
#ifndef HD_CLI_REANALYSIS_H
#define HD_CLI_REANALYSIS_H

#include "cli/input.h"
#include "trust/witness.h"

/*
 * Read the recording with the options of `in` and compare its SHA-256, events, weights and costliest symbols with
 * those of the run.  The number of compared symbols is added to *symbols.  Returns HD_ENO with the first difference, or
 * another code if the recording cannot be read.
 */
int hd_reanalyze(const struct hd_witness_run *run, const char *recording, struct hd_input *in, uint64_t *symbols,
	struct hd_log *log, struct hd_err *err);

#endif
