/*
 * bundled.h - a bundle opened: its recording, and symbols/ answered by it
 *
 * The recording is unpacked into an unlinked temporary file and read as any
 * other is.  What is damaged costs what is in it: the symbols cost names, the
 * code of an object the stacks through it, the recording its samples behind the
 * damage, a jitdump the names of its code.  Nothing of this machine is looked at.
 *
 * Warnings: lost.bundle-symbols, lost.bundle-recording, lost.bundle-code,
 * lost.bundle-file, and those of bundle.h.
 */
#ifndef HD_INGEST_BUNDLED_H
#define HD_INGEST_BUNDLED_H

#include "base/err.h"
#include "base/log.h"
#include "ingest/perf.h"
#include "perfdata/perfdata.h"

struct hd_bundled;
struct hd_given;
struct hd_jitgiven;

/* fd is taken over, also on failure. */
int hd_bundled_open(struct hd_bundled **out, int fd, const char *path, struct hd_err *err);
void hd_bundled_close(struct hd_bundled *b);		/* NULL is fine */

/* What was wrong with it. */
const struct hd_log *hd_bundled_log(const struct hd_bundled *b);
/* ... and with the code and the files that were asked for, once no thread asks any more. */
void hd_bundled_tell_asked(const struct hd_bundled *b, struct hd_log *log);

int hd_bundled_perf(struct hd_perf **pf, const struct hd_bundled *b, const char *path, struct hd_log *log, struct hd_err *err);
struct hd_given *hd_bundled_symbols(const struct hd_bundled *b);
struct hd_jitgiven *hd_bundled_jitdumps(const struct hd_bundled *b);
struct hd_circumstances hd_bundled_circumstances(const struct hd_bundled *b);
uint64_t hd_bundled_bytes(const struct hd_bundled *b);	/* size of the file */
/* When the recording was last written, in seconds since 1970; 0: not told. */
int64_t hd_bundled_written(const struct hd_bundled *b);
/* The machine it was made on, as uname -m says it; NULL: not told. */
const char *hd_bundled_machine(const struct hd_bundled *b);

#endif
