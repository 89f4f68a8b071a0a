/*
 * locator.h - look up the location of an address: its function, and the functions inlined at the address
 *
 * Each distinct (object, offset, tag) is looked up once: which symbol covers it, and which functions were inlined
 * there.  Lookups with equal results have the same location.  So the addresses of a function have one location for each
 * set of functions inlined there, and chains that differ only in addresses are shared.  With opts->lines every address
 * has a location of its own; with opts->symbol_user every sampled address, and with no_kernel also every caller.
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
	/* flag: the address is an exact program counter; without it, a return address */
	HD_TAG_PC = 8,
	HD_TAG_MODE = HD_TAG_PC - 1,	/* the low bits: the cpumode, 0 to 7 */
	HD_MODE_KERNEL = 1, HD_MODE_USER = 2, HD_MODE_HV = 3, HD_MODE_GUEST_KERNEL = 4, HD_MODE_GUEST_USER = 5,
};

/* The function at an address, and the functions that are inlined at this address. */
struct hd_location {
	hd_frame_id frame;		/* frame of the function that the symbol table has */
	uint32_t inlined, ninlined;	/* the inlined functions, outermost first, for hd_locator_inlined() */
	bool kernel;
	bool unresolved;		/* no symbol covers the address */
	bool root;			/* complete stacks can end in the function: main, _start, clone, ... */
};

/* The parameters of the first lookup of an address in a numbering locator (hd_locator_new_numbering()). */
struct hd_numbered_address {
	uint64_t ip, foff;
	struct hd_process_context at;
	uint32_t object;	/* id in the process table */
	uint8_t tag;
	bool first;		/* no address in the object was looked up before */
};

struct hd_locator;

/* All pointers are borrowed; proc must be built.  If symbols is NULL, no file is opened. */
struct hd_locator *hd_locator_new(struct hd_profile *p, struct hd_process_table *proc, struct hd_symbols *symbols,
				  const struct hd_pipeline_opts *opts);
/*
 * Return a numbering locator: it looks up no symbols, so a thread can use it while another thread uses the locator of
 * the recording.  Its hd_locator_find() returns a number for each distinct (object, offset, tag); callers at addresses
 * without a mapping share one number as in hd_locator_nowhere().  Only that function, hd_locator_numbered(),
 * hd_locator_growth() and hd_locator_free() may be called.  Numbers are dense and begin at 1, in the order of the first
 * lookups.
 */
struct hd_locator *hd_locator_new_numbering(struct hd_process_table *proc);
/* Return the first lookup of each number, and set *n to the number of elements; element 0 is unused. */
const struct hd_numbered_address *hd_locator_numbered(const struct hd_locator *l, size_t *n);
/*
 * Do what hd_locator_find() does, for the parameters of the first lookup of a number.  The returned location is
 * that of all addresses with this number.
 */
uint32_t hd_locator_find_numbered(struct hd_locator *l, const struct hd_numbered_address *a);
void hd_locator_prefetch_numbered(const struct hd_locator *l, const struct hd_numbered_address *a);
void hd_locator_free(struct hd_locator *l);
/*
 * Estimate the memory of the addresses, locations and objects, in bytes.  The result depends only on the samples and
 * their order.
 */
uint64_t hd_locator_bytes(const struct hd_locator *l);
/*
 * Return a fast estimate of the memory, in units of one address: the number of distinct addresses, plus sixteen for
 * each object that was looked up, plus one for each 256 bytes of the memory of their paths.
 */
uint64_t hd_locator_size(const struct hd_locator *l);
/* Return an upper bound of the growth of hd_locator_size() if all addresses of a numbering locator are looked up. */
uint64_t hd_locator_growth(const struct hd_locator *l, const struct hd_locator *numbering);
void hd_locator_grow(struct hd_locator *l);		/* call it after proc got more objects */

/* Return the id of the location of an address.  Ids are dense and begin at 1. */
uint32_t hd_locator_find(struct hd_locator *l, const struct hd_process_context *at, unsigned tag, uint64_t ip);
/*
 * Return the location [unknown], which all return addresses outside of any mapping share, except those of the host's
 * kernel.
 */
uint32_t hd_locator_nowhere(struct hd_locator *l);
/* The results of hd_locator_get() and hd_locator_inlined() are valid until the next hd_locator_find(). */
const struct hd_location *hd_locator_get(const struct hd_locator *l, uint32_t location);
const hd_frame_id *hd_locator_inlined(const struct hd_locator *l, const struct hd_location *loc);

/*
 * Fill in the key by which symbols.h looks up `object` (id of the process table).  The profile owns key->path.
 * key->build_id points into the process table, and is valid until this table gets more objects.
 */
void hd_locator_key(const struct hd_locator *l, uint32_t object, struct hd_symbols_key *key);
/*
 * Return false if no lookup needed the object with id i of the process table.  *profile_object is set to its id in the
 * profile, and *so to its symbols, or to NULL if it has none.
 */
bool hd_locator_object(const struct hd_locator *l, uint32_t i, uint32_t *profile_object, const struct hd_symobj **so);

/* The object of kernel addresses that no mapping covers. */
#define HD_BARE_KERNEL "[kernel]"
/*
 * Return the id of the object HD_BARE_KERNEL in the profile (kernel addresses without a mapping), or 0 if no address
 * needed it.
 */
uint32_t hd_locator_bare_kernel(const struct hd_locator *l);

/*
 * Return true if an address with this tag (the cpumode, with flag HD_TAG_PC) is in the kernel of the host or of a
 * guest, or in a hypervisor.
 */
static inline bool hd_tag_kernel(unsigned tag)
{
	unsigned mode = tag & HD_TAG_MODE;

	return mode == HD_MODE_KERNEL || mode == HD_MODE_HV || mode == HD_MODE_GUEST_KERNEL;
}

#endif
