/*
 * bundle_builder.h - write a bundle: a recording and all data of this machine that is needed to read it, in one file
 *
 * The pipeline runs once with everything enabled: source lines, inlined functions, all events.  The bundle gets the
 * recording, the results of all symbol lookups, the call frame information that unwinding used, and the jitdumps
 * without their machine code.  The bytes of copied stacks that unwinding did not read are replaced by zeros
 * (bundle/stack_bytes_used.h).
 *
 * docs/bundle.md describes the format.
 */
#ifndef HD_PIPELINE_BUNDLE_BUILDER_H
#define HD_PIPELINE_BUNDLE_BUILDER_H

#include "base/file.h"
#include "base/log.h"

struct hd_bundle_builder_opts {
	const char *symfs, *kallsyms, *guest_kallsyms;	/* as in hd_pipeline_opts */
	bool strict;
	unsigned threads;
	bool whole_stacks;		/* keep all bytes of copied stacks */
};

struct hd_bundle_builder_stats {
	uint64_t recording_bytes;
	uint64_t wiped_bytes;		/* unused bytes of copied stacks, replaced by zeros */
	uint64_t symbol_bytes, code_bytes;	/* before compression */
	size_t with_symbols, without_symbols;	/* numbers of objects */
	size_t codes;			/* number of objects with call frame information in the bundle */
	size_t jitdumps;
};

/*
 * Write the bundle of the recording at `path` (a file, a folder or "-") to `out`, which the caller commits.  Warnings
 * are added to `log`, also if the function fails.
 */
int hd_bundle_builder_run(struct hd_outfile *out, const char *path, const struct hd_bundle_builder_opts *opts,
		     struct hd_bundle_builder_stats *stats, struct hd_log *log, struct hd_err *err);

#endif
