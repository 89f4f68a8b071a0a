/*
 * bundle_builder.h - a recording and all that its answers need -> one file
 *
 * The pipeline runs once, with everything wanted: source lines, inlined
 * functions, all events.  What symbols/ answers, and the call frame
 * information of what was unwound, go into the file beside the recording; so do jitdumps, without code.  Of copied
 * stacks only what unwinding read stays, all else becomes zeros (bundle/stack_bytes_used.h).
 *
 * docs/bundle.md has the format.
 */
#ifndef HD_PIPELINE_BUNDLE_BUILDER_H
#define HD_PIPELINE_BUNDLE_BUILDER_H

#include "base/file.h"
#include "base/log.h"

struct hd_bundle_builder_opts {
	const char *symfs, *kallsyms, *guest_kallsyms;	/* as in hd_pipeline_opts */
	bool strict;
	unsigned threads;
	bool whole_stacks;		/* copied stacks stay as they are */
};

struct hd_bundle_builder_stats {
	uint64_t recording_bytes;
	uint64_t wiped_bytes;		/* of copied stacks */
	uint64_t symbol_bytes, code_bytes;	/* before they are compressed */
	size_t with_symbols, without_symbols;	/* objects */
	size_t codes;			/* objects whose call frame information is in it */
	size_t jitdumps;
};

/* The recording at path (a file, a folder, "-") into out, which is the caller's to commit.  Warnings go to log, also on failure. */
int hd_bundle_builder_run(struct hd_outfile *out, const char *path, const struct hd_bundle_builder_opts *opts,
		     struct hd_bundle_builder_stats *stats, struct hd_log *log, struct hd_err *err);

#endif
