/*
 * steps.h - (space, ip) -> how to leave the frame, from a cache
 *
 *     r = hd_steps_find(ss, m, space, at)
 *
 * Three layers, each asked when the one before does not know:
 *     by (space, ip)         what a frame costs, nearly always
 *     by (object, foff)      survives a new mapping of the process, and is shared by processes
 *     proc/ and cfi/         what is mapped there; the row of the function
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
#ifndef HD_UNWIND_STEPS_H
#define HD_UNWIND_STEPS_H

#include "base/hash.h"
#include "unwind/cpu.h"
#include "unwind/object.h"

enum hd_step_op {
	/* The fast ones: CFA = sp or fp + cfa_off, the return address in a slot. */
	HD_OP_SP,
	HD_OP_FP,
	/* The return address is still in its register. */
	HD_OP_LINK,		/* CFA = sp + cfa_off */
	/* The others. */
	HD_OP_SLOW,		/* the first of them */
	HD_OP_FULL = HD_OP_SLOW,	/* more than sp, fp and lr: cfi/ knows */
	HD_OP_ROOT,		/* there is no caller; cfa_off counts from `base` */
	HD_OP_SIGNAL,		/* aarch64's signal trampoline, which has no CFI */
	HD_OP_NO_CFI,		/* code that nobody describes */
	HD_OP_NOT_CODE,		/* no executable memory */
};

enum hd_step_flags {
	HD_STEP_SAVES_FP = 1 << 0,	/* the caller's frame pointer is in a slot */
	HD_STEP_LOSES_FP = 1 << 1,	/* it is not told where that is */
	HD_STEP_SIGNED = 1 << 2,	/* the return address is signed */
	HD_STEP_ROOT_FP = 1 << 3,	/* HD_OP_ROOT: its CFA counts from the frame pointer */
	HD_STEP_ROOT_CFA = 1 << 4,	/* HD_OP_ROOT: its CFA is known */
};

/* 32 bytes: two to a line of the processor's cache. */
struct hd_step {
	uint64_t key;		/* with the machine in its highest byte; 0: nothing here */
	uint32_t owner;		/* the space, or the object */
	int32_t cfa_off;
	int16_t fp_off, ra_off;	/* slots, from the CFA */
	uint8_t op, flags;
	uint32_t object;	/* of proc/; 0: nothing is mapped */
};

/* A part of a space that is one mapping. */
struct hd_step_map {
	uint64_t start, end;
	uint64_t delta;		/* foff - ip */
	uint32_t space, object;
};

enum {
	HD_STEP_BITS = 13,	/* of the first layer */
	HD_STEP_FILE_BITS = 16,	/* ... the second */
	HD_STEP_MAP_BITS = 8,
};

struct hd_steps {
	struct hd_texts *texts;
	struct hd_step *items, *files;
	struct hd_step_map maps[1 << HD_STEP_MAP_BITS];
	uint64_t asked_files, asked_cfi;	/* how often the first and the second layer did not know */
};

void hd_steps_init(struct hd_steps *ss, struct hd_texts *texts);
void hd_steps_release(struct hd_steps *ss);

/* What is mapped at an address; object 0: nothing. */
struct hd_step_map hd_steps_map(struct hd_steps *ss, uint32_t space, uint64_t at);

const struct hd_step *hd_steps_ask(struct hd_steps *ss, const struct hd_cpu *m, uint32_t space, uint64_t at);

/* Addresses of user space have no more bits (x86-64 with five levels of page tables: 56). */
#define HD_STEP_ADDRESS ((1ull << 56) - 1)

static inline uint64_t hd_steps_key(const struct hd_cpu *m, uint64_t at)
{
	return at | (uint64_t)m->index << 56;
}

static inline size_t hd_steps_slot(uint64_t key, uint32_t owner, unsigned bits)
{
	return ((key + (uint64_t)owner * 0x9e3779b97f4a7c15u) * 0xd1b54a32d192ed03u) >> (64 - bits);
}

/* The first layer alone: NULL when it does not know. */
static inline const struct hd_step *hd_steps_peek(const struct hd_step *items, uint64_t key, uint32_t space)
{
	const struct hd_step *s = &items[hd_steps_slot(key, space, HD_STEP_BITS)];

	return s->key == key && s->owner == space ? s : NULL;
}

/* Stays valid until the next question. */
static inline const struct hd_step *hd_steps_find(struct hd_steps *ss, const struct hd_cpu *m, uint32_t space, uint64_t at)
{
	const struct hd_step *s = at <= HD_STEP_ADDRESS ? hd_steps_peek(ss->items, hd_steps_key(m, at), space) : NULL;

	return s ? s : hd_steps_ask(ss, m, space, at);
}

#endif
