/*
 * recorded_jitdumps.h - the jitdumps that a recording speaks of, into process/
 *
 * A JIT compiler maps its dump executable, so that the recording has a mapping
 * of .../jit-PID.dump; where it has none, /tmp/jit-PID.dump is tried for every
 * process with code in memory without a file.  The dumps are read when all
 * side-band was seen, since only then the recording's machine is known.
 *
 * A dump's times are CLOCK_MONOTONIC, or the processor's counter, which the
 * recording may tell how to convert.  Where they are the recording's clock:
 *
 *     at an address where code was put several times, each is there from its time on;
 *     the first one from the beginning: JITs write a load down when it is done, at times after it has run.
 *
 * Where they are not, the last code that was put somewhere is there from the
 * beginning, as in a perf map, and symbols.jitdump-clock says so.
 *
 * Owns: what was seen.  Zero-initialise.
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
	struct hd_recorded_jitdump *items;	/* dumps, and processes that may have one */
	size_t n, cap;
	struct hd_map dumps, guesses;	/* pid -> its last item */
	struct hd_jit_namespaces *spaces;
	size_t nspaces, spaces_cap;
	struct hd_map space_of;		/* pid -> its last in spaces */
	struct hd_time_conv conv;
	bool has_conv;
};

void hd_recorded_jitdumps_release(struct hd_recorded_jitdumps *j);

void hd_recorded_jitdumps_add_mmap(struct hd_recorded_jitdumps *j,
	const struct hd_mmap_event *e); /* an executable one of user space */
void hd_recorded_jitdumps_add_namespaces(struct hd_recorded_jitdumps *j, const struct hd_namespaces_event *e);
void hd_recorded_jitdumps_set_time_conv(struct hd_recorded_jitdumps *j, struct hd_perf *pf,
	const struct hd_record *rec);

/* Open them; is there any that can be used? */
bool hd_recorded_jitdumps_open(struct hd_recorded_jitdumps *j, struct hd_jitdump_set *dumps);
/* Their code, into proc; names are proc's. */
void hd_recorded_jitdumps_feed(struct hd_recorded_jitdumps *j, struct hd_jitdump_set *dumps, struct hd_perf *pf,
	struct hd_strtab *names, struct hd_process_table *proc, struct hd_log *log);

#endif
