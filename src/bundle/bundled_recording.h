/*
 * bundled_recording.h - a bundle opened: its recording, and symbols/ answered by it
 *
 * The recording is unpacked into an unlinked temporary file and read as any
 * other is.  What is damaged costs what is in it: the symbols cost names, the
 * code of an object the stacks through it, the recording its samples behind the
 * damage, a jitdump the names of its code.  Nothing of this machine is looked at.
 *
 * Warnings: lost.bundle-symbols, lost.bundle-recording, lost.bundle-code,
 * lost.bundle-file, and those of bundle.h.
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

/* fd is taken over, also on failure. */
int hd_bundled_recording_open(struct hd_bundled_recording **out, int fd, const char *path, struct hd_err *err);
void hd_bundled_recording_close(struct hd_bundled_recording *b);		/* NULL is fine */

/* What was wrong with it. */
const struct hd_log *hd_bundled_recording_log(const struct hd_bundled_recording *b);
/* ... and with the code and the files that were asked for, once no thread asks any more. */
void hd_bundled_recording_warn_lookups(const struct hd_bundled_recording *b, struct hd_log *log);

int hd_bundled_recording_perf(struct hd_perf **pf, const struct hd_bundled_recording *b, const char *path,
	struct hd_log *log, struct hd_err *err);
/* A symbol source and a jitdump source over the bundle, which must outlive them. */
struct hd_symbol_source hd_bundled_recording_symbols(const struct hd_bundled_recording *b, bool no_call_files,
	struct hd_log *log);
struct hd_jitdump_source hd_bundled_recording_jitdumps(const struct hd_bundled_recording *b);
struct hd_host_context hd_bundled_recording_host_context(const struct hd_bundled_recording *b);
uint64_t hd_bundled_recording_bytes(const struct hd_bundled_recording *b);	/* size of the file */
/* When the recording was last written, in seconds since 1970; 0: not told. */
int64_t hd_bundled_recording_written(const struct hd_bundled_recording *b);
/* The machine it was made on, as uname -m says it; NULL: not told. */
const char *hd_bundled_recording_machine(const struct hd_bundled_recording *b);

#endif
