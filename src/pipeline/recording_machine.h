/*
 * recording_machine.h - which machine a recording is from, when its header does not say
 *
 * The registers that were asked for tell x86-64, i386, ARM and aarch64 apart from all others; else
 * the files that the code is in do, once they were opened.
 */
#ifndef HD_PIPELINE_RECORDING_MACHINE_H
#define HD_PIPELINE_RECORDING_MACHINE_H

#include "pipeline/locator.h"
#include "perfdata/perfdata.h"

/* As `uname -m` names it; "unknown": none of the above; NULL: no registers were asked for. */
const char *hd_recording_machine_by_regs(const struct hd_perf_attr *attrs, size_t n);
/* The machine of the first file that was opened; NULL: none was, or no name is known for it. */
const char *hd_recording_machine_by_files(const struct hd_locator *l, uint32_t nobjects);

#endif
