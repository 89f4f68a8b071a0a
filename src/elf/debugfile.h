/*
 * debugfile.h - find the separate debug file of a stripped binary
 *
 * These paths are tried in this order; xxyyyy is the build-id in hexadecimal:
 *
 *     /usr/lib/debug/.build-id/xx/yyyy.debug     each below the symbol root (--symfs), then on this machine
 *     /.build-id/xx/yyyy.debug
 *     ~/.debug/.build-id/xx/yyyy{/debug,/elf,}   perf's build-id cache, on this machine
 *     DIR/NAME, DIR/.debug/NAME, /usr/lib/debug/DIR/NAME      NAME from .gnu_debuglink, DIR of the binary, below the
 *                                                             root under which the binary was found
 *
 * A candidate is accepted if it has symbols or lines, and its build-id equals the binary's.  If one of the two has no
 * build-id, a candidate from .gnu_debuglink is accepted if its CRC-32 matches.
 */
#ifndef HD_ELF_DEBUGFILE_H
#define HD_ELF_DEBUGFILE_H

#include "elf/elf_file.h"
#include "elf/file_ref.h"

/* The binary whose files are searched.  All pointers are borrowed. */
struct hd_debugfile_query {
	const char *path;		/* path of the binary as it was recorded; for messages and .gnu_debuglink */
	const char *symfs;		/* the symbol root; NULL: none */
	const char *cache;		/* perf's cache with a trailing slash, `$HOME/.debug/.build-id/`; NULL: none */
	const uint8_t *build_id;
	size_t build_id_len;		/* 0: unknown */
	const struct hd_file_ref *code;	/* the binary itself; its path is NULL if it was not found */
	struct hd_log *log;
};

/*
 * Open the debug file of `e`, or, if `e` is NULL, of the binary with the query's build-id.  On success `place`
 * describes where the file was found; the caller closes the result and releases `place`.  Returns NULL if there is
 * none.  Warns with symbols.debuglink-crc.
 */
struct hd_elf *hd_debugfile_find(const struct hd_debugfile_query *q, struct hd_elf *e, struct hd_file_ref *place);

/*
 * Open the binary itself by its build-id alone: from a symbol root that does not have the directory layout of the
 * recorded machine, from /.build-id, or from perf's cache.  Returns NULL if there is none.
 */
struct hd_elf *hd_buildid_find(const struct hd_debugfile_query *q, struct hd_file_ref *place);

/* Open the file `name` ("elf", "kallsyms", "vdso") of the build-id in perf's cache.  Returns a descriptor or < 0. */
int hd_buildid_cache_open(const struct hd_debugfile_query *q, const char *name, struct hd_file_ref *place);

/* Format a build-id as `xx/yyyy`.  Returns false if it has fewer than 2 bytes or more than HD_ELF_BUILD_ID. */
bool hd_build_id_path(const uint8_t *id, size_t n, char out[2 * HD_ELF_BUILD_ID + 2]);

#endif
