/*
 * step_cache.h - cache how to find the caller of a frame (a step), by (space, ip)
 *
 *     step = hd_step_cache_find(ss, m, space, at)
 *
 * A space is one version of the mappings of a process.  There are three layers; if one misses, the next one is used:
 *     cache by (space, ip)       the usual case
 *     cache by (object, foff)    survives new mappings of a process, and is shared by processes
 *     no cache                   look up the mapping (process/) and the CFI row of the function (cfi/)
 *
 * A step also contains whether the address is in executable memory.  So one lookup of a return address is enough to
 * check the address and to find the caller of its frame.
 *
 * `at` is the pc of an interrupted frame, or a return address minus one, because a call may be the last
 * instruction of its function or of the range of a row.
 *
 * The caches are direct-mapped; a colliding entry is computed again.  Not thread-safe: each thread has its own caches.
 *
 * Private to unwind/.
 */
#ifndef HD_UNWIND_STEP_CACHE_H
#define HD_UNWIND_STEP_CACHE_H

#include "base/hash.h"
#include "unwind/arch.h"
#include "unwind/object_cfi.h"

enum hd_unwind_step_op {
	/* Fast steps: CFA = sp or fp + cfa_off; the return address is in a stack slot. */
	HD_UNWIND_OP_SP,
	HD_UNWIND_OP_FP,
	/* The return address is still in its register. */
	HD_UNWIND_OP_LINK,		/* CFA = sp + cfa_off */
	/* Slow steps. */
	HD_UNWIND_OP_SLOW,		/* the first slow step */
	/* the rules need more than sp, fp and lr, so all CFI rules are applied */
	HD_UNWIND_OP_FULL = HD_UNWIND_OP_SLOW,
	/* the frame has no caller; cfa_off is relative to sp, or with HD_UNWIND_STEP_ROOT_FP to fp */
	HD_UNWIND_OP_ROOT,
	HD_UNWIND_OP_SIGNAL,		/* aarch64's signal trampoline, which has no CFI */
	HD_UNWIND_OP_GO_STACK,		/* a Go function that changes stacks before it calls: see go_stacks.h */
	HD_UNWIND_OP_NO_CFI,		/* code without CFI */
	HD_UNWIND_OP_NOT_CODE,		/* not executable memory */
};

enum hd_unwind_step_flags {
	HD_UNWIND_STEP_SAVES_FP = 1 << 0,	/* the caller's frame pointer is in a slot */
	HD_UNWIND_STEP_LOSES_FP = 1 << 1,	/* the caller's frame pointer is unknown */
	HD_UNWIND_STEP_SIGNED = 1 << 2,	/* the return address is signed */
	HD_UNWIND_STEP_ROOT_FP = 1 << 3,	/* with HD_UNWIND_OP_ROOT: the CFA is relative to the frame pointer */
	HD_UNWIND_STEP_ROOT_CFA = 1 << 4,	/* HD_UNWIND_OP_ROOT: the CFA is known */
};

/* 32 bytes: two per cache line. */
struct hd_unwind_step {
	uint64_t key;		/* the highest byte is the architecture (hd_unwind_arch.index); 0: empty */
	uint32_t owner;		/* the space (first layer) or the object (second layer) */
	int32_t cfa_off;
	int16_t fp_off, ra_off;	/* offsets of the slots from the CFA */
	uint8_t op, flags;
	uint32_t object;	/* id in the process table; 0: nothing is mapped */
};

/* An address range that one mapping covers in a space (one version of the mappings of a process). */
struct hd_step_cache_mapping {
	uint64_t start, end;
	uint64_t delta;		/* foff - ip */
	uint32_t space, object;
};

enum {
	HD_STEP_CACHE_ADDRESS_BITS = 13,	/* the first layer has 1 << 13 entries */
	HD_STEP_CACHE_FILE_BITS = 16,	/* the second layer has 1 << 16 entries */
	HD_STEP_CACHE_MAPPING_BITS = 8,
};

struct hd_step_cache {
	struct hd_object_cfis *texts;
	struct hd_unwind_step *items, *files;
	struct hd_step_cache_mapping maps[1 << HD_STEP_CACHE_MAPPING_BITS];
	/* number of lookups that missed the first layer, and of those that missed the second, too */
	uint64_t asked_files, asked_cfi;
};

void hd_step_cache_init(struct hd_step_cache *ss, struct hd_object_cfis *texts);
void hd_step_cache_release(struct hd_step_cache *ss);

/* Return the mapping at an address; object 0: none. */
struct hd_step_cache_mapping hd_step_cache_mapping_at(struct hd_step_cache *ss, uint32_t space, uint64_t at);

const struct hd_unwind_step *hd_step_cache_compute(struct hd_step_cache *ss, const struct hd_unwind_arch *m,
	uint32_t space, uint64_t at);

/*
 * User addresses have at most 56 bits (x86-64 with five page table levels); the top byte of a key is the architecture.
 */
#define HD_STEP_CACHE_ADDRESS_MAX ((1ull << 56) - 1)

static inline uint64_t hd_step_cache_key(const struct hd_unwind_arch *m, uint64_t at)
{
	return at | (uint64_t)m->index << 56;
}

static inline size_t hd_step_cache_slot(uint64_t key, uint32_t owner, unsigned bits)
{
	return ((key + (uint64_t)owner * 0x9e3779b97f4a7c15u) * 0xd1b54a32d192ed03u) >> (64 - bits);
}

/* Look up the first layer; NULL if it misses. */
static inline const struct hd_unwind_step *hd_step_cache_peek(const struct hd_unwind_step *items, uint64_t key,
	uint32_t space)
{
	const struct hd_unwind_step *s = &items[hd_step_cache_slot(key, space, HD_STEP_CACHE_ADDRESS_BITS)];

	return s->key == key && s->owner == space ? s : NULL;
}

/* The result is valid until the next call. */
static inline const struct hd_unwind_step *hd_step_cache_find(struct hd_step_cache *ss, const struct hd_unwind_arch *m,
	uint32_t space, uint64_t at)
{
	const struct hd_unwind_step *s = at <= HD_STEP_CACHE_ADDRESS_MAX
		? hd_step_cache_peek(ss->items, hd_step_cache_key(m, at), space)
		: NULL;

	return s ? s : hd_step_cache_compute(ss, m, space, at);
}

#endif
