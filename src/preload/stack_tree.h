/* stack_tree.h - the tree of stacks in the recording: each node is a frame, its parent is the caller */
#ifndef HD_PRELOAD_STACK_TREE_H
#define HD_PRELOAD_STACK_TREE_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct hd_found_frame;
struct hd_last_frame;

void hd_stack_tree_begin(void);
/*
 * Return the node of a frame whose caller is node `caller`; 0 if there is no such node.  Needs no lock; without it, a
 * node that another thread has just added may be missed.
 */
uint32_t hd_stack_tree_child(uint32_t caller, uint32_t module, uint64_t address);
/*
 * Find the nodes of n frames, and add those that are missing.  The caller of the outermost frame is node `caller`.
 * now[0] is the innermost frame.  to[] has the opposite order: to[0].node becomes the node of the outermost frame,
 * to[n - 1].node that of the innermost one.
 * Takes the lock.  Returns false if there is no room.
 */
bool hd_stack_tree_add(uint32_t caller, const struct hd_found_frame *now, uint32_t n, struct hd_last_frame *to);

#pragma GCC visibility pop

#endif
