/*
 * perf_source.h - the input of the perf.data reader, and the results that it collects for the bundle builder
 */
#ifndef HD_PIPELINE_PERF_SOURCE_H
#define HD_PIPELINE_PERF_SOURCE_H

struct hd_bundled_recording;
struct hd_bundle_record;
struct hd_host_context;
struct hd_jitdump_record;
struct hd_stack_bytes_used;

struct hd_perf_source {
	const char *path;		/* the path of the input, also used in messages */
	int fd;				/* descriptor of the file; -1: `path` is a folder, or `bundled` is set */
	const struct hd_bundled_recording *bundled;	/* the bundle to read; NULL: none */

	/* Results for the bundle builder.  NULL: not collected. */
	struct hd_bundle_record *remember;	/* all results of symbol lookups */
	struct hd_jitdump_record *jitdumps;	/* all results of reading jitdumps */
	struct hd_host_context *circumstances;	/* facts about this machine on which lookups depend */
	struct hd_stack_bytes_used *marks;	/* the bytes of copied stacks that unwinding needs */
};

#endif
