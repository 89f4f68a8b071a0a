/*
 * jitdump_set.h - the jitdumps of a recording: found, judged, read once
 *
 *     hd_jitdump_set_new(&opts, log)
 *     hd_jitdump_set_open(js, &ask)         by one thread, before the others ask: reads it, or says why not
 *     hd_jitdump_set_get(js, path, pid)     what was opened, or NULL
 *
 * A dump lies below --symfs DIR, or at its path when the recording is from here.
 * It is believed as a perf map is (jit_file.h), and only when the process that it
 * names is the one that was recorded.  Or a bundle has it, where it was judged when that was made.
 *
 * Warnings: symbols.jitdump-refused, .jitdump-damaged, .jitdump-absent.
 */
#ifndef HD_SYMBOLS_JITDUMP_SET_H
#define HD_SYMBOLS_JITDUMP_SET_H

#include "base/log.h"
#include "symbols/jitdump.h"

struct hd_jitdump_set;

struct hd_jitdump_query {
	const char *path;		/* as recorded */
	int32_t pid;			/* as recorded */
	int32_t own_pid;		/* that the process knows itself by, in its namespace */
	bool other_root;		/* the path is another mount namespace's */
	bool guessed;			/* nobody said that there is one: that it is absent is no news */
};

/*
 * Where dumps come from and where they are recorded; a bundle implements it.  Zero: dumps are searched for on this
 * machine and not recorded.
 */
struct hd_jitdump_source {
	void *ctx;
	/*
	 * Open a dump.  *files becomes the files through which it can be reopened.  Returns a descriptor or < 0; `err`
	 * may stay empty if the loss is reported elsewhere.  NULL: search this machine.
	 */
	int (*open)(void *ctx, const struct hd_jitdump_query *q, const struct hd_jit_files **files, struct hd_err *err);
	/* The dump `fd`, which stays the caller's, is used; `parts` are the bytes that lookups need.  May be NULL. */
	void (*found)(void *ctx, const struct hd_jitdump_query *q, int fd, const struct hd_jit_ranges *parts);
	/* The dump is not used, for the reason `why`.  Not called for a guessed path without a file.  May be NULL. */
	void (*missing)(void *ctx, const struct hd_jitdump_query *q, enum hd_jit_fate fate, const char *why);
};

struct hd_jitdump_set_opts {
	const char *symfs;		/* NULL: none */
	bool same_machine;		/* the recording is from here */
	struct hd_jitdump_source source;
};

/* The log is borrowed. */
struct hd_jitdump_set *hd_jitdump_set_new(const struct hd_jitdump_set_opts *opts, struct hd_log *log);
void hd_jitdump_set_free(struct hd_jitdump_set *js);		/* NULL is fine */

/* NULL: there is none that can be used.  Asked again, the same answer. */
const struct hd_jitdump *hd_jitdump_set_open(struct hd_jitdump_set *js, const struct hd_jitdump_query *ask);
const struct hd_jitdump *hd_jitdump_set_get(const struct hd_jitdump_set *js, const char *path, int32_t pid);

#endif
