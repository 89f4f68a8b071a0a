/*
 * key.h - identify an object: what was mapped, as the recording describes it
 */
#ifndef HD_SYMBOLS_KEY_H
#define HD_SYMBOLS_KEY_H

#include "elf/elf_file.h"
#include "process/mapping.h"

#include <stdbool.h>
#include <stdint.h>

/* Members marked "(not compared)" do not affect whether keys are equal. */
struct hd_symbols_key {
	enum hd_object_kind kind;
	const char *path;		/* as recorded */
	const uint8_t *build_id;
	uint8_t build_id_len;		/* 0: none */
	int32_t pid;			/* pid of the process of a perf map or jitdump */
	/*
	 * For kind KERNEL: kernel_start and kernel_pgoff are those of the kernel's main mapping, from which the load
	 * address of this boot is computed.  For MODULE and KSYM: kernel_start is the start of the mapping;
	 * kernel_pgoff is 0.  Unknown values are 0.
	 */
	uint64_t kernel_start;
	uint64_t kernel_pgoff;
	/* (not compared) file offset of the mapping that contains the first address that was looked up */
	uint64_t code_pgoff;
	bool guest;			/* a guest's kernel or module */
	/*
	 * If not 0, the path is in another mount namespace (a container's) with this inode.  Its files are read below
	 * the root of a process that still runs in it (nsroot.h).  A local file of the same path is used only if its
	 * build-id matches, and a local perf map never.
	 */
	uint64_t mnt_ns;
	int32_t ns_pid;			/* (not compared) a process that mapped it */
	bool foreign_pid;		/* the object is a perf map named after a pid of another namespace */
	/*
	 * For kind FILE: inode and generation of the mapped file.  hd_symbols_settle_key() clears both unless the path
	 * now refers to another file, so that equal keys mean the same file.
	 */
	uint64_t ino, generation;
	/* (not compared) perf read the build-id from the path when the recording ended */
	bool build_id_listed;
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
 * Return the address of `foff` (see hd_object_lookup()) in an object without a file.  For a module or a KSYMBOL, a foff
 * below kernel_start is relative to kernel_start.  Any other foff is the address itself.
 */
uint64_t hd_symbols_key_vaddr(const struct hd_symbols_key *k, uint64_t foff);

#endif
