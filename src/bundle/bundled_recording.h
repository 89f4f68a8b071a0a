/*
 * bundled_recording.h - read a recording and its symbols from a bundle
 *
 * The recording is unpacked into an unlinked temporary file and read like any other.  Damage affects only what it is
 * in: symbols lose names, the code of an object loses the stacks through it, the recording loses the samples after the
 * damage, and a jitdump loses the names of its code.  No file of the reading machine is consulted.
 *
 * Warnings: lost.bundle-symbols, lost.bundle-recording, lost.bundle-code, lost.bundle-file, and those of bundle.h.
 */
#ifndef HD_BUNDLE_BUNDLED_RECORDING_H
#define HD_BUNDLE_BUNDLED_RECORDING_H

#include "base/err.h"
#include "base/log.h"
#include "bundle/host_context.h"
#include "perfdata/perfdata.h"
#include "symbols/jitdump_set.h"
#include "symbols/source.h"

struct hd_bundled_recording;

/* Open a bundle.  Takes ownership of `fd`, also on failure. */
int hd_bundled_recording_open(struct hd_bundled_recording **out, int fd, const char *path, struct hd_err *err);
void hd_bundled_recording_close(struct hd_bundled_recording *b);		/* accepts NULL */

/* The warnings of opening it. */
const struct hd_log *hd_bundled_recording_log(const struct hd_bundled_recording *b);
/* Log what was lost in code and files.  Call this after all lookups. */
void hd_bundled_recording_warn_lookups(const struct hd_bundled_recording *b, struct hd_log *log);

int hd_bundled_recording_perf(struct hd_perf **pf, const struct hd_bundled_recording *b, const char *path,
	struct hd_log *log, struct hd_err *err);
/* A symbol source and a jitdump source over the bundle, which must outlive them. */
struct hd_symbol_source hd_bundled_recording_symbols(const struct hd_bundled_recording *b, bool no_call_files,
	struct hd_log *log);
struct hd_jitdump_source hd_bundled_recording_jitdumps(const struct hd_bundled_recording *b);
struct hd_host_context hd_bundled_recording_host_context(const struct hd_bundled_recording *b);
uint64_t hd_bundled_recording_bytes(const struct hd_bundled_recording *b);	/* of the bundle file */
/* When the recording ended, in seconds since 1970; 0: unknown. */
int64_t hd_bundled_recording_written(const struct hd_bundled_recording *b);
/* The recorded machine as in `uname -m`; NULL: unknown. */
const char *hd_bundled_recording_machine(const struct hd_bundled_recording *b);

#endif
