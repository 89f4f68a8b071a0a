/*
 * jit_file.h - open a file that a JIT compiler wrote for its process
 *
 * Perf maps and jitdumps are in folders that any user can write to, under predictable names.  So a file is accepted
 * only if it is a regular file and not a link, is not writable by all users, and is owned by root or by the current
 * user.  If the recording was made on this machine (same_machine), the user of the process `pid`, if that process still
 * runs, is accepted as the owner, too.
 */
#ifndef HD_SYMBOLS_JIT_FILE_H
#define HD_SYMBOLS_JIT_FILE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Open a path below `root` (NULL or "": none).  Returns a descriptor that the caller closes.  Returns HD_EFORMAT if the
 * file is not trusted or has more than max_bytes, another code < 0 if it cannot be opened.
 */
int hd_jit_file_open(const char *root, const char *path, int32_t pid, bool same_machine, uint64_t max_bytes,
	struct hd_err *err);

#endif
