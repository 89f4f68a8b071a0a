/*
 * recording.h - what is known of the input besides its samples
 *
 * Filled by ingest/, told by `info`, repeated by reports.  Strings are owned,
 * raw bytes, NULL when the input does not say; numbers are 0 then.
 *
 * The shape is that of `info --json` (DESIGN.md, "JSON that others rely on").
 */
#ifndef HD_PROFILE_RECORDING_H
#define HD_PROFILE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_record_tally {
	const char *name;	/* "SAMPLE", "MMAP2", ... a constant; NULL: unknown type */
	uint32_t type;
	uint64_t count;
};

/* One object that samples fell into, and how good its symbols are. */
struct hd_object_quality {
	char *name;
	bool unknown;		/* nothing was mapped there: name is `[unknown]` */
	uint64_t samples;	/* whose leaf is in it */
	const char *symbols;	/* "none", "dynsym", "symtab", "debuginfo" */
	char *source;		/* the file that gave them, or NULL */
	char *problem;		/* why there are none, or NULL */
};

struct hd_recording {
	char *path;
	const char *format;	/* "perf.data", "folded" */
	uint64_t bytes;
	const char *mode;	/* "file", "pipe", "dir" */
	const char *endian;	/* "little", "big" */
	bool compressed, truncated;

	char *hostname, *os_release, *arch, *cpudesc, *cpuid, *perf_version;
	char **cmdline;
	size_t ncmdline;
	uint32_t nrcpus, nrcpus_avail;
	uint64_t total_mem_kib;
	uint64_t first_ns, last_ns;	/* times of the first and last sample kept */

	struct hd_record_tally *records;
	size_t nrecords, records_cap;
	uint64_t lost, lost_samples, throttled;

	/* DESIGN.md, "stacks": a user stack copy or a user call chain, and where it ends. */
	uint64_t with_stack, root_reached, stacks_cut, unknown_frames, frames;
	uint64_t copied_stacks;		/* those of with_stack that are copies, not unwound in this version */

	struct hd_object_quality *objects;
	size_t nobjects, objects_cap;
};

void hd_recording_release(struct hd_recording *r);

#endif
