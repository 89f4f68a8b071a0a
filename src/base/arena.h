/*
 * arena.h - allocate memory that is freed all at once
 *
 * Allocations are 16-byte aligned and are freed together by hd_arena_release().  Zero-initialise.
 */
#ifndef HD_BASE_ARENA_H
#define HD_BASE_ARENA_H

#include "base/hash_index.h"

#include <stddef.h>

struct hd_arena_block;
struct hd_arena_text;

struct hd_arena {
	struct hd_arena_block *blocks;
	size_t used, cap;		/* used bytes and size of the newest block */
	struct hd_arena_text *texts;	/* the long texts of hd_arena_text() */
	size_t ntexts, cap_texts;
	struct hd_index text_index;
};

void *hd_arena_alloc(struct hd_arena *a, size_t n);	/* uninitialised */
char *hd_arena_strndup(struct hd_arena *a, const char *s, size_t n);
/*
 * Return a NUL-terminated copy that the caller must not modify.  Equal texts of 128 bytes or more share one copy,
 * because the rows of an SQL join often repeat a text.
 */
const char *hd_arena_text(struct hd_arena *a, const char *s, size_t n);
void hd_arena_release(struct hd_arena *a);		/* frees everything; the arena can be used again */

#endif
