/*
 * key.h - compare and hash object keys
 */
#ifndef HD_SYMBOLS_KEY_H
#define HD_SYMBOLS_KEY_H

#include "elf/elf_file.h"
#include "symbols/symbols.h"

/* A key that owns its strings. */
struct hd_symbols_owned_key {
	struct hd_symbols_key key;	/* path and build_id point to the members below */
	char *path;
	uint8_t build_id[HD_ELF_BUILD_ID];
};

uint64_t hd_symbols_key_hash(const struct hd_symbols_key *k);
bool hd_symbols_key_equal(const struct hd_symbols_key *a, const struct hd_symbols_key *b);

/* Copy `from`.  A build-id longer than HD_ELF_BUILD_ID is invalid and dropped.  Free to->path when done. */
void hd_symbols_key_copy(struct hd_symbols_owned_key *to, const struct hd_symbols_key *from);

/*
 * The address of `foff` (as in hd_object_lookup()) for objects without a file: modules and KSYMBOLs count from
 * kernel_start, all others use the address itself.
 */
uint64_t hd_symbols_key_vaddr(const struct hd_symbols_key *k, uint64_t foff);

#endif
