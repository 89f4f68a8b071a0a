/*
 * stack.h - call stacks, stored as a tree of shared prefixes
 *
 * A stack is a pair (caller stack, frame).  Equal stacks have equal ids, so a sample stores one integer and stacks are
 * compared by comparing integers:
 *
 *     main;parse;read     3 = (2, read)
 *     main;parse;close    4 = (2, close)        main;parse is stored once
 *
 * Owns:      the node array and its index.  Frames are ids of profile.h.
 * Input:     pipeline/ calls hd_stacks_add() for each frame of a distinct call chain, outermost caller first.
 * Invariant: caller(id) < id.  An ascending loop visits callers first, a descending loop callees first; no recursion is
 *            needed.
 */
#ifndef HD_PROFILE_STACK_H
#define HD_PROFILE_STACK_H

#include <stddef.h>
#include <stdint.h>

typedef struct { uint32_t v; } hd_frame_id;	/* distinct types, so that the */
typedef struct { uint32_t v; } hd_stack_id;	/* compiler rejects a mix-up    */

struct hd_stacks;				/* opaque; fields are in stack.c */

struct hd_stacks *hd_stacks_new(void);
void hd_stacks_free(struct hd_stacks *st);	/* accepts NULL */
/* Return the id of `caller` extended by `frame`; add it if it is new.  Stack 0 is empty. */
hd_stack_id hd_stacks_add(struct hd_stacks *st, hd_stack_id caller, hd_frame_id frame);
/*
 * The caller is about to add these n frames to a stack, outermost first.  Begin to load the memory that hd_stacks_add()
 * will read for the first 64 of them.
 */
void hd_stacks_prefetch(const struct hd_stacks *st, hd_stack_id caller, const hd_frame_id *frames, size_t n);
hd_stack_id hd_stacks_caller(const struct hd_stacks *st, hd_stack_id id);
hd_frame_id hd_stacks_frame(const struct hd_stacks *st, hd_stack_id id);
uint32_t hd_stacks_depth(const struct hd_stacks *st, hd_stack_id id);	/* number of frames */
uint32_t hd_stacks_count(const struct hd_stacks *st);	/* ids are 0 .. count - 1 */

struct hd_stack_node {
	uint32_t caller;	/* stack id */
	uint32_t frame;
	uint32_t depth;
	uint32_t hash;		/* hash of all frames */
};

/* Return the nodes of all stacks, by id; valid until the next hd_stacks_add(). */
const struct hd_stack_node *hd_stacks_nodes(const struct hd_stacks *st);

#endif
