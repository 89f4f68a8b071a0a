/*
 * jits.h - the jitdumps that a recording speaks of, into proc/
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
#ifndef HD_INGEST_JITS_H
#define HD_INGEST_JITS_H

#include "base/map.h"
#include "perfdata/perfdata.h"
#include "proc/proc.h"
#include "symbols/jitdumps.h"

struct hd_jit_seen;
struct hd_jit_namespaces;

struct hd_jits {
	struct hd_jit_seen *items;	/* dumps, and processes that may have one */
	size_t n, cap;
	struct hd_map dumps, guesses;	/* pid -> its last item */
	struct hd_jit_namespaces *spaces;
	size_t nspaces, spaces_cap;
	struct hd_map space_of;		/* pid -> its last in spaces */
	struct hd_time_conv conv;
	bool has_conv;
};

void hd_jits_release(struct hd_jits *j);

void hd_jits_mmap(struct hd_jits *j, const struct hd_mmap_event *e);	/* an executable one of user space */
void hd_jits_namespaces(struct hd_jits *j, const struct hd_namespaces_event *e);
void hd_jits_time_conv(struct hd_jits *j, struct hd_perf *pf, const struct hd_record *rec);

/* Open them; is there any that can be used? */
bool hd_jits_open(struct hd_jits *j, struct hd_jitdumps *dumps);
/* Their code, into proc; names are proc's. */
void hd_jits_feed(struct hd_jits *j, struct hd_jitdumps *dumps, struct hd_perf *pf, struct hd_strtab *names, struct hd_proc *proc,
		  struct hd_log *log);

#endif
