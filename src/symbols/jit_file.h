/*
 * jit_file.h - opening what a JIT compiler wrote beside its process
 *
 * Perf maps and jitdumps lie where everybody may write, under names that
 * everybody can foresee.  So one is believed only when it is a regular file
 * and no link, not writable by everybody, and belongs to root, to us, or to
 * the user of the process pid when that still runs here (same_machine).
 *
 * Private to symbols/.
 */
#ifndef HD_SYMBOLS_JIT_FILE_H
#define HD_SYMBOLS_JIT_FILE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* Open a path below root (NULL or "": none).  HD_EFORMAT: it is there and is not believed. */
int hd_jit_file_open(const char *root, const char *path, int32_t pid, bool same_machine, uint64_t max_bytes,
	struct hd_err *err);

#endif
