/*
 * locator.h - (address space, address) -> location: a function, and the functions inlined at the address
 *
 * Each distinct (object, offset, tag) is looked up once: which symbol covers it, and which functions were inlined
 * there. Equal results are one location (with source lines: equal lines, too), so all addresses of a function are one
 * id, and chains that differ only in addresses are shared.
 *
 * Owns: the addresses and the locations.  Frames and symbols belong to the profile.
 */
#ifndef HD_PIPELINE_LOCATOR_H
#define HD_PIPELINE_LOCATOR_H

#include "pipeline/options.h"
#include "profile/profile.h"
#include "process/process_table.h"
#include "symbols/symbols.h"

enum {
	HD_TAG_PC = 8,			/* an exact program counter, else a return address */
	HD_TAG_MODE = HD_TAG_PC - 1,	/* the low bits: the cpumode, 0 to 7 */
	HD_MODE_KERNEL = 1, HD_MODE_USER = 2, HD_MODE_HV = 3, HD_MODE_GUEST_KERNEL = 4, HD_MODE_GUEST_USER = 5,
};

/* The function at an address, and the functions inlined there. */
struct hd_location {
	hd_frame_id frame;		/* of the function in the symbol table */
	uint32_t inlined, ninlined;	/* functions inlined there, outermost first: hd_locator_inlined() */
	bool kernel;
	bool unresolved;		/* no symbol covers the address */
	bool root;			/* complete stacks end in such a function: main, _start, clone, ... */
};

struct hd_locator;

/* All pointers are borrowed; proc must be built.  If symbols is NULL, no file is opened. */
struct hd_locator *hd_locator_new(struct hd_profile *p, struct hd_process_table *proc, struct hd_symbols *symbols,
				  const struct hd_pipeline_opts *opts);
void hd_locator_free(struct hd_locator *l);
/*
 * Estimate the memory of the addresses, locations and objects, in bytes.  The result depends only on the samples and
 * their order.
 */
uint64_t hd_locator_bytes(const struct hd_locator *l);
/* Return the number of distinct addresses, where an object counts as sixteen: a fast estimate of the memory. */
uint64_t hd_locator_size(const struct hd_locator *l);
void hd_locator_grow(struct hd_locator *l);		/* call it after proc got more objects */

/* Return the location of an address.  Ids are dense and begin at 1. */
uint32_t hd_locator_find(struct hd_locator *l, const struct hd_process_context *at, unsigned tag, uint64_t ip);
uint32_t hd_locator_nowhere(struct hd_locator *l);	/* the location of all unmapped return addresses, [unknown] */
/* Both results are valid until the next hd_locator_find(). */
const struct hd_location *hd_locator_get(const struct hd_locator *l, uint32_t location);
const hd_frame_id *hd_locator_inlined(const struct hd_locator *l, const struct hd_location *loc);

/* Fill in the key by which symbols/ looks an object of process/ up.  Its strings belong to the profile. */
void hd_locator_key(const struct hd_locator *l, uint32_t object, struct hd_symbols_key *key);
/* Return false if no address was in object i of process/.  *so is NULL if it has no symbols. */
bool hd_locator_object(const struct hd_locator *l, uint32_t i, uint32_t *profile_object, const struct hd_symobj **so);

/* The object of kernel addresses that no mapping covers. */
#define HD_BARE_KERNEL "[kernel]"
/* Return its id in the profile, or 0 if there was no such address. */
uint32_t hd_locator_bare_kernel(const struct hd_locator *l);

/* Return true if an address with this tag is a kernel address. */
static inline bool hd_tag_kernel(unsigned tag)
{
	unsigned mode = tag & HD_TAG_MODE;

	return mode == HD_MODE_KERNEL || mode == HD_MODE_HV || mode == HD_MODE_GUEST_KERNEL;
}

#endif
