/*
 * recorded_jitdumps.h - find the jitdumps of a recording and add their code to the process table
 *
 * A JIT compiler maps its dump as executable, so the recording has a mapping of .../jit-PID.dump.  For a process
 * without such a mapping that has executable memory without a file, /tmp/jit-PID.dump is tried.  The dumps are opened
 * when the first pass (sideband.c) ends or could end: in a recording from a pipe, the machine on which it was made is
 * not known at the beginning.
 *
 * The times of a dump are CLOCK_MONOTONIC or processor counter values, for which the recording can have a conversion.
 * If the dump has the clock of the recording:
 *
 *     Code at a reused address is mapped from its time on.  The code that was at an address at the first sample, or at
 *     the start of the dump if that is later, is mapped from the start of the dump on.  So is the first code at an
 *     address without such code, because a JIT compiler may run code before it writes the load record.
 *
 * The start of a dump is the time of the mapping by which it was found.  If the dump has another clock, or if code was
 * replaced too often, the last code at each address is mapped from the start of the dump on, as in a perf map.
 * hd_recorded_jitdumps_feed() then logs the warning symbols.jitdump-clock.
 *
 * Owns: the items and the namespaces.  Zero-initialise.
 */
#ifndef HD_PIPELINE_RECORDED_JITDUMPS_H
#define HD_PIPELINE_RECORDED_JITDUMPS_H

#include "base/map.h"
#include "perfdata/perfdata.h"
#include "process/process_table.h"
#include "symbols/jitdump_set.h"

struct hd_recorded_jitdump;
struct hd_jit_namespaces;

struct hd_recorded_jitdumps {
	/* dumps that processes mapped, and dumps that processes may have in /tmp */
	struct hd_recorded_jitdump *items;
	size_t n, cap;
	/* pid -> index in items of the process's last mapped dump, and of the dump that it may have in /tmp */
	struct hd_map dumps, guesses;
	struct hd_jit_namespaces *spaces;
	size_t nspaces, spaces_cap;
	struct hd_map space_of;		/* pid -> index of its last entry in spaces */
	struct hd_time_conv conv;
	bool has_conv;
};

void hd_recorded_jitdumps_release(struct hd_recorded_jitdumps *j);

/* Add an executable mapping of user space. */
void hd_recorded_jitdumps_add_mmap(struct hd_recorded_jitdumps *j, const struct hd_mmap_event *e);
/* Add the namespaces of a process. */
void hd_recorded_jitdumps_add_namespaces(struct hd_recorded_jitdumps *j, const struct hd_namespaces_event *e);
/* Add a TIME_CONV record, which converts the processor counter to times of the recording. */
void hd_recorded_jitdumps_set_time_conv(struct hd_recorded_jitdumps *j, struct hd_perf *pf,
	const struct hd_record *rec);

/* Open the dumps and add them to the set `dumps`.  Return true if any can be used; false if `dumps` is NULL. */
bool hd_recorded_jitdumps_open(struct hd_recorded_jitdumps *j, struct hd_jitdump_set *dumps);
/* Add the code of the opened dumps to proc.  `names` is the string table of proc. */
void hd_recorded_jitdumps_feed(struct hd_recorded_jitdumps *j, struct hd_jitdump_set *dumps, struct hd_perf *pf,
	struct hd_strtab *names, struct hd_process_table *proc, struct hd_log *log);

#endif
