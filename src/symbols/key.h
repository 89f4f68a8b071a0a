/*
 * key.h - identify an object: what was mapped, as the recording describes it
 */
#ifndef HD_SYMBOLS_KEY_H
#define HD_SYMBOLS_KEY_H

#include "elf/elf_file.h"
#include "process/mapping.h"

#include <stdbool.h>
#include <stdint.h>

/* Members marked with * do not affect whether keys are equal. */
struct hd_symbols_key {
	enum hd_object_kind kind;
	const char *path;		/* as recorded */
	const uint8_t *build_id;
	uint8_t build_id_len;		/* 0: none */
	int32_t pid;			/* of a perf map or jitdump */
	/*
	 * KERNEL: start and pgoff of its main mapping, from which the load address of this boot follows.  MODULE and
	 * KSYM: the start of the mapping, and 0.  0: unknown.
	 */
	uint64_t kernel_start;
	uint64_t kernel_pgoff;
	uint64_t code_pgoff;		/* * of the first mapping that was seen */
	bool guest;			/* a guest's kernel or module */
	/*
	 * If not 0, the path is in another mount namespace (a container's) with this inode.  Its files are read below
	 * the root of a process that still runs in it (nsroot.h).  A local file of the same path is used only if its
	 * build-id matches, and a local perf map never.
	 */
	uint64_t mnt_ns;
	int32_t ns_pid;			/* * a process that mapped it */
	bool foreign_pid;		/* a perf map that is named after a pid of another namespace */
	/*
	 * FILE: inode and generation of the mapped file.  hd_symbols_settle_key() clears both unless the path now
	 * refers to another file, so that equal keys mean the same file.
	 */
	uint64_t ino, generation;
	bool build_id_listed;		/* * the build-id was read from the path when the recording ended */
};

/* A key that owns its strings. */
struct hd_symbols_owned_key {
	struct hd_symbols_key key;	/* path and build_id point to the members below */
	char *path;
	uint8_t build_id[HD_ELF_BUILD_ID];
};

uint64_t hd_symbols_key_hash(const struct hd_symbols_key *k);
bool hd_symbols_key_equal(const struct hd_symbols_key *a, const struct hd_symbols_key *b);

/* Copy `from`.  A build-id longer than HD_ELF_BUILD_ID is invalid and dropped.  The caller frees to->path. */
void hd_symbols_key_copy(struct hd_symbols_owned_key *to, const struct hd_symbols_key *from);

/*
 * The address of `foff` (see hd_object_lookup()) for objects without a file: modules and KSYMBOLs count from
 * kernel_start, all others use the address itself.
 */
uint64_t hd_symbols_key_vaddr(const struct hd_symbols_key *k, uint64_t foff);

#endif
