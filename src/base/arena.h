/*
 * arena.h - memory with one lifetime
 *
 * Allocations are 16-byte aligned and die together in _release.  Zero-initialise.
 */
#ifndef HD_BASE_ARENA_H
#define HD_BASE_ARENA_H

#include <stddef.h>

struct hd_arena_block;
struct hd_strtab;

struct hd_arena {
	struct hd_strtab *texts;	/* long texts of hd_arena_text; NULL: none yet */
	struct hd_arena_block *blocks;
	size_t used, cap;	/* of the newest block */
};

void *hd_arena_alloc(struct hd_arena *a, size_t n);	/* uninitialised */
char *hd_arena_strndup(struct hd_arena *a, const char *s, size_t n);
/* A copy that nobody writes to.  A long text that was copied before is not copied again: rows of a join repeat it. */
const char *hd_arena_text(struct hd_arena *a, const char *s, size_t n);
void hd_arena_release(struct hd_arena *a);

#endif
