/*
 * stack.h - call stacks as a tree of shared prefixes
 *
 * A stack is (caller stack, frame).  Equal stacks get equal ids, so a sample
 * carries one integer and comparing stacks is comparing integers:
 *
 *     main;parse;read     3 = (2, read)
 *     main;parse;close    4 = (2, close)        main;parse is stored once
 *
 * Owns:   the node array and its index.  Frames are ids of profile.h.
 * Fed by: pipeline/, once per distinct frame path, outermost caller first.
 * Feeds:  profile/, which sums sample weights per id.
 * Holds:  caller(id) < id.  Ascending loops meet callers first, descending
 *         loops meet callees first; nothing here needs recursion.
 */
#ifndef HD_PROFILE_STACK_H
#define HD_PROFILE_STACK_H

#include <stddef.h>
#include <stdint.h>

typedef struct { uint32_t v; } hd_frame_id;	/* structs, so that a frame */
typedef struct { uint32_t v; } hd_stack_id;	/* cannot pass for a stack  */

struct hd_stacks;				/* opaque: the fields live in stack.c */

struct hd_stacks *hd_stacks_new(void);
void hd_stacks_free(struct hd_stacks *st);	/* NULL is fine */
/* The id of `caller` extended by `frame`, added on first sight.  Stack 0 is empty. */
hd_stack_id hd_stacks_add(struct hd_stacks *st, hd_stack_id caller, hd_frame_id frame);
hd_stack_id hd_stacks_caller(const struct hd_stacks *st, hd_stack_id id);
hd_frame_id hd_stacks_frame(const struct hd_stacks *st, hd_stack_id id);
uint32_t hd_stacks_depth(const struct hd_stacks *st, hd_stack_id id);
uint32_t hd_stacks_count(const struct hd_stacks *st);	/* ids are 0 .. count - 1 */

struct hd_stack_node {
	uint32_t caller;	/* stack id */
	uint32_t frame;
	uint32_t depth;
};

/* All of them by id, for loops over many; good until the next _add. */
const struct hd_stack_node *hd_stacks_nodes(const struct hd_stacks *st);

#endif
