/*
 * jitdump_set.h - find the jitdumps of a recording and read each one once
 *
 *     js = hd_jitdump_set_new(&opts, log)
 *     hd_jitdump_set_open(js, &query)       searches and reads a dump
 *     hd_jitdump_set_get(js, path, pid)     a dump that was opened, or NULL
 *
 * A dump is searched for below --symfs, and, if the recording was made on this machine and the path is not in another
 * mount namespace, at its path.  It is accepted under the conditions of jit_file.h, and if it belongs to the recorded
 * process.  The conditions of jit_file.h were checked for the dumps in a bundle when the bundle was written.
 *
 * Warnings: symbols.jitdump-refused, .jitdump-damaged, .jitdump-absent.
 * Threads: one thread calls hd_jitdump_set_open(); afterwards hd_jitdump_set_get() is thread-safe.
 */
#ifndef HD_SYMBOLS_JITDUMP_SET_H
#define HD_SYMBOLS_JITDUMP_SET_H

#include "base/log.h"
#include "symbols/jitdump.h"

struct hd_jitdump_set;

struct hd_jitdump_query {
	const char *path;		/* as recorded */
	int32_t pid;			/* as recorded */
	int32_t own_pid;		/* pid of the process in its own pid namespace, as stored in the dump */
	bool other_root;		/* the path is in another mount namespace */
	/* the path was guessed: the recording does not mention this dump, so it is not reported if it is absent */
	bool guessed;
};

/*
 * Callbacks that open jitdumps and learn which ones were used.  Files of bundle/ implement them.  If the struct is
 * zero-initialised, dumps are searched for on this machine, and no callback is called.
 */
struct hd_jitdump_source {
	void *ctx;
	/*
	 * Open a dump.  *files is set to the functions by which it can be reopened later.  Returns a descriptor or < 0;
	 * `err` may stay empty if the loss is reported elsewhere.  If `open` is NULL, dumps are searched for on this
	 * machine.
	 */
	int (*open)(void *ctx, const struct hd_jitdump_query *q, const struct hd_jit_files **files, struct hd_err *err);
	/*
	 * Called if a dump is used; the function may be NULL.  It must not close `fd`.  `parts` are the bytes that
	 * lookups need.
	 */
	void (*found)(void *ctx, const struct hd_jitdump_query *q, int fd, const struct hd_jit_ranges *parts);
	/*
	 * Called with the reason if a dump is not used, but not if a guessed path has no file, or if `open` left `err`
	 * empty.  The function may be NULL.
	 */
	void (*missing)(void *ctx, const struct hd_jitdump_query *q, enum hd_jit_fate fate, const char *why);
};

struct hd_jitdump_set_opts {
	const char *symfs;		/* NULL: none */
	bool same_machine;		/* the recording was made on this machine */
	struct hd_jitdump_source source;
};

/* The log and the callbacks' ctx are borrowed. */
struct hd_jitdump_set *hd_jitdump_set_new(const struct hd_jitdump_set_opts *opts, struct hd_log *log);
void hd_jitdump_set_free(struct hd_jitdump_set *js);		/* accepts NULL */

/*
 * Search and read a dump.  Returns NULL if there is none that can be used; the reason is logged, unless the path was
 * guessed and has no file.  Repeated calls with the same path and pid return the same result, which `js` owns.
 */
const struct hd_jitdump *hd_jitdump_set_open(struct hd_jitdump_set *js, const struct hd_jitdump_query *q);
const struct hd_jitdump *hd_jitdump_set_get(const struct hd_jitdump_set *js, const char *path, int32_t pid);

#endif
