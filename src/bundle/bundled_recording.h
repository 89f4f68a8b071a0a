/*
 * bundled_recording.h - read a recording and its symbols from a bundle
 *
 * The recording is unpacked into an unlinked temporary file and read like any other perf.data file.  No file of the
 * reading machine is consulted.
 *
 * If a section of the bundle is damaged, the effect is limited: without symbols, names are missing; without the code of
 * an object, stacks through this object are incomplete; in the recording, the samples after the damage are missing;
 * without a jitdump, the names of its functions are missing.
 *
 * Warnings: lost.bundle-symbols, lost.bundle-recording, lost.bundle-code, lost.bundle-file, and those of bundle.h and
 * replay.h.
 * Threads:  only one thread at a time may open code or a jitdump through the sources below; for other lookups,
 * symbols/source.h applies.
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

/*
 * Open a bundle.  Takes ownership of `fd`, also on failure.  HD_EFORMAT: the file is not a bundle of a supported
 * version, or it contains no recording.
 */
int hd_bundled_recording_open(struct hd_bundled_recording **out, int fd, const char *path, struct hd_err *err);
void hd_bundled_recording_close(struct hd_bundled_recording *b);		/* accepts NULL */

/* Return the warnings that opening the bundle caused. */
const struct hd_log *hd_bundled_recording_log(const struct hd_bundled_recording *b);
/* Log which code sections and files could not be read.  Lookups read them, so call this after all lookups. */
void hd_bundled_recording_warn_lookups(const struct hd_bundled_recording *b, struct hd_log *log);

/* Open the recording of the bundle.  The caller closes *pf.  path: for messages. */
int hd_bundled_recording_perf(struct hd_perf **pf, const struct hd_bundled_recording *b, const char *path,
	struct hd_log *log, struct hd_err *err);
/* Return a source that answers lookups of symbols, or of jitdumps, from the bundle.  `b` must outlive the source. */
struct hd_symbol_source hd_bundled_recording_symbols(const struct hd_bundled_recording *b, bool no_call_files,
	struct hd_log *log);
struct hd_jitdump_source hd_bundled_recording_jitdumps(const struct hd_bundled_recording *b);
struct hd_host_context hd_bundled_recording_host_context(const struct hd_bundled_recording *b);
uint64_t hd_bundled_recording_bytes(const struct hd_bundled_recording *b);	/* size of the bundle file */
/* Return the time of the last write to the recording, in seconds since 1970; 0 if unknown. */
int64_t hd_bundled_recording_written(const struct hd_bundled_recording *b);
/* Return the architecture of the recorded machine, as `uname -m` prints it, borrowed from `b`; NULL if unknown. */
const char *hd_bundled_recording_machine(const struct hd_bundled_recording *b);

#endif
