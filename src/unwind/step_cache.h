/*
 * step_cache.h - (space, ip) -> how to leave the frame, from a cache
 *
 *     r = hd_step_cache_find(ss, m, space, at)
 *
 * Three layers, each asked when the one before does not know:
 *     by (space, ip)         what a frame costs, nearly always
 *     by (object, foff)      survives a new mapping of the process, and is shared by processes
 *     process/ and cfi/         what is mapped there; the row of the function
 *
 * That an address is in executable memory is part of the answer, so that a
 * return address is looked up once: to see that it is one, and to leave its frame.
 *
 * `at` is the pc of a frame that was interrupted, and one less than a return
 * address: a call may be the last instruction of its function, or of a range of
 * rows.
 *
 * Owns:  the caches; one per thread, direct-mapped: what collides is asked again.
 *
 * Private to unwind/.
 */
#ifndef HD_UNWIND_STEP_CACHE_H
#define HD_UNWIND_STEP_CACHE_H

#include "base/hash.h"
#include "unwind/arch.h"
#include "unwind/object_cfi.h"

enum hd_unwind_step_op {
	/* The fast ones: CFA = sp or fp + cfa_off, the return address in a slot. */
	HD_UNWIND_OP_SP,
	HD_UNWIND_OP_FP,
	/* The return address is still in its register. */
	HD_UNWIND_OP_LINK,		/* CFA = sp + cfa_off */
	/* The others. */
	HD_UNWIND_OP_SLOW,		/* the first of them */
	HD_UNWIND_OP_FULL = HD_UNWIND_OP_SLOW,	/* more than sp, fp and lr: cfi/ knows */
	HD_UNWIND_OP_ROOT,		/* there is no caller; cfa_off counts from `base` */
	HD_UNWIND_OP_SIGNAL,		/* aarch64's signal trampoline, which has no CFI */
	HD_UNWIND_OP_NO_CFI,		/* code that nobody describes */
	HD_UNWIND_OP_NOT_CODE,		/* no executable memory */
};

enum hd_unwind_step_flags {
	HD_UNWIND_STEP_SAVES_FP = 1 << 0,	/* the caller's frame pointer is in a slot */
	HD_UNWIND_STEP_LOSES_FP = 1 << 1,	/* it is not told where that is */
	HD_UNWIND_STEP_SIGNED = 1 << 2,	/* the return address is signed */
	HD_UNWIND_STEP_ROOT_FP = 1 << 3,	/* HD_UNWIND_OP_ROOT: its CFA counts from the frame pointer */
	HD_UNWIND_STEP_ROOT_CFA = 1 << 4,	/* HD_UNWIND_OP_ROOT: its CFA is known */
};

/* 32 bytes: two to a line of the processor's cache. */
struct hd_unwind_step {
	uint64_t key;		/* with the machine in its highest byte; 0: nothing here */
	uint32_t owner;		/* the space, or the object */
	int32_t cfa_off;
	int16_t fp_off, ra_off;	/* slots, from the CFA */
	uint8_t op, flags;
	uint32_t object;	/* of process/; 0: nothing is mapped */
};

/* A part of a space that is one mapping. */
struct hd_step_cache_mapping {
	uint64_t start, end;
	uint64_t delta;		/* foff - ip */
	uint32_t space, object;
};

enum {
	HD_STEP_CACHE_ADDRESS_BITS = 13,	/* of the first layer */
	HD_STEP_CACHE_FILE_BITS = 16,	/* ... the second */
	HD_STEP_CACHE_MAPPING_BITS = 8,
};

struct hd_step_cache {
	struct hd_object_cfis *texts;
	struct hd_unwind_step *items, *files;
	struct hd_step_cache_mapping maps[1 << HD_STEP_CACHE_MAPPING_BITS];
	uint64_t asked_files, asked_cfi;	/* how often the first and the second layer did not know */
};

void hd_step_cache_init(struct hd_step_cache *ss, struct hd_object_cfis *texts);
void hd_step_cache_release(struct hd_step_cache *ss);

/* What is mapped at an address; object 0: nothing. */
struct hd_step_cache_mapping hd_step_cache_mapping_at(struct hd_step_cache *ss, uint32_t space, uint64_t at);

const struct hd_unwind_step *hd_step_cache_compute(struct hd_step_cache *ss, const struct hd_unwind_arch *m,
	uint32_t space, uint64_t at);

/* Addresses of user space have no more bits (x86-64 with five levels of page tables: 56). */
#define HD_STEP_CACHE_ADDRESS_MAX ((1ull << 56) - 1)

static inline uint64_t hd_step_cache_key(const struct hd_unwind_arch *m, uint64_t at)
{
	return at | (uint64_t)m->index << 56;
}

static inline size_t hd_step_cache_slot(uint64_t key, uint32_t owner, unsigned bits)
{
	return ((key + (uint64_t)owner * 0x9e3779b97f4a7c15u) * 0xd1b54a32d192ed03u) >> (64 - bits);
}

/* The first layer alone: NULL when it does not know. */
static inline const struct hd_unwind_step *hd_step_cache_peek(const struct hd_unwind_step *items, uint64_t key,
	uint32_t space)
{
	const struct hd_unwind_step *s = &items[hd_step_cache_slot(key, space, HD_STEP_CACHE_ADDRESS_BITS)];

	return s->key == key && s->owner == space ? s : NULL;
}

/* Stays valid until the next question. */
static inline const struct hd_unwind_step *hd_step_cache_find(struct hd_step_cache *ss, const struct hd_unwind_arch *m,
	uint32_t space, uint64_t at)
{
	const struct hd_unwind_step *s = at <= HD_STEP_CACHE_ADDRESS_MAX
		? hd_step_cache_peek(ss->items, hd_step_cache_key(m, at), space)
		: NULL;

	return s ? s : hd_step_cache_compute(ss, m, space, at);
}

#endif
