/*
 * locator.h - (space, address) -> location: the function there, and what is inlined into it
 *
 * Every distinct (object, offset, tag) is looked up once, when it is first met:
 * which symbol covers it, which functions were inlined at it.  Equal answers
 * are one location (with source lines: equal lines, too), so that from here on
 * the many addresses of a function are one thing, and chains are shared that
 * differ in them alone.
 *
 * Owns: the addresses and the locations; frames and symbols are the profile's.
 */
#ifndef HD_PIPELINE_LOCATOR_H
#define HD_PIPELINE_LOCATOR_H

#include "pipeline/options.h"
#include "profile/profile.h"
#include "process/process_table.h"
#include "symbols/symbols.h"

enum {
	HD_TAG_PC = 8,			/* an exact program counter, else a return address; low bits: cpumode 0..7 */
	HD_TAG_MODE = HD_TAG_PC - 1,
	HD_MODE_KERNEL = 1, HD_MODE_USER = 2, HD_MODE_HV = 3, HD_MODE_GUEST_KERNEL = 4, HD_MODE_GUEST_USER = 5,
};

struct hd_location {
	hd_frame_id frame;		/* of the function in the symbol table */
	uint32_t inlined, ninlined;	/* frames inside of it, outermost first: see hd_locator_inlined */
	bool kernel;
	bool unresolved;		/* no symbol covers it */
	bool root;			/* stacks end in such a function: main, _start, clone, ... */
};

struct hd_locator;

/* All borrowed; proc must be built.  symbols NULL: nothing is opened. */
struct hd_locator *hd_locator_new(struct hd_profile *p, struct hd_process_table *proc, struct hd_symbols *symbols,
				  const struct hd_pipeline_opts *opts);
void hd_locator_free(struct hd_locator *l);
/* Memory of the addresses, locations and objects that were met; the same samples in the same order give the same number. */
uint64_t hd_locator_bytes(const struct hd_locator *l);
/* The same, roughly and fast: distinct addresses that were looked up, where an object counts as sixteen. */
uint64_t hd_locator_size(const struct hd_locator *l);
void hd_locator_grow(struct hd_locator *l);		/* proc has more objects */

/* The location of an address; ids are dense and begin at 1. */
uint32_t hd_locator_find(struct hd_locator *l, const struct hd_process_context *at, unsigned tag, uint64_t ip);
uint32_t hd_locator_nowhere(struct hd_locator *l);	/* the location of what has no place: [unknown] */
/* Both are valid until the next hd_locator_find. */
const struct hd_location *hd_locator_get(const struct hd_locator *l, uint32_t location);
const hd_frame_id *hd_locator_inlined(const struct hd_locator *l, const struct hd_location *loc);

/* How symbols/ is asked for an object of process/; strings are the profile's. */
void hd_locator_key(const struct hd_locator *l, uint32_t object, struct hd_symbols_key *key);
/* Objects met so far, by the numbers of process/: false when i was not met; *so is NULL without symbols. */
bool hd_locator_object(const struct hd_locator *l, uint32_t i, uint32_t *profile_object, const struct hd_symobj **so);

/* The object of kernel addresses that no mapping covers. */
#define HD_BARE_KERNEL "[kernel]"
/* Its number in the profile; 0: no such address was met. */
uint32_t hd_locator_bare_kernel(const struct hd_locator *l);

/* A tag whose address is the kernel's. */
static inline bool hd_tag_kernel(unsigned tag)
{
	unsigned mode = tag & HD_TAG_MODE;

	return mode == HD_MODE_KERNEL || mode == HD_MODE_HV || mode == HD_MODE_GUEST_KERNEL;
}

#endif
