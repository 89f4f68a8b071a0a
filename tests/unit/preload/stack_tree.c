/*
 * stack_tree.c - add stacks to the tree and mark new nodes, which must be written to the recording, also if a stack
 * did not fit
 */
#include "preload/stack_tree.c"

#include "test.h"

#include <stdlib.h>

enum { DEPTH = 511 };

static unsigned blocks_left;
static const char *marked, *marked_end;	/* the last range of bytes that was marked as dirty */

/* ---- substitutes for the recording and its memory ---- */

void *hd_recording_file_block(enum hd_heap_block_type type, uint32_t payload, uint32_t n)
{
	(void)type, (void)n;
	return blocks_left && blocks_left-- ? calloc(1, payload) : NULL;
}

void hd_recording_file_mark_dirty(const void *p, size_t bytes)
{
	marked = p;
	marked_end = marked + bytes;
}

void *hd_recorder_mem_take(size_t bytes)
{
	return calloc(1, bytes);
}

void hd_recorder_mem_fill(void *p, size_t bytes)
{
	(void)p, (void)bytes;
}

void hd_recorder_lock(void)
{
}

void hd_recorder_unlock(void)
{
}

/* ---- tests ---- */

static bool is_marked(uint32_t node)
{
	return (const char *)node_of(node) >= marked && (const char *)(node_of(node) + 1) <= marked_end;
}

/*
 * Add a stack of n frames with the addresses pc, pc + 1, and so on, outermost first.  Returns false if it did not fit.
 */
static bool add_stack(uint64_t pc, uint32_t n, struct hd_last_frame *to)
{
	struct hd_found_frame now[DEPTH] = { 0 };
	struct hd_frame_rule rule = { 0 };

	for (uint32_t i = 0; i < n; i++)
		now[n - 1 - i] = (struct hd_found_frame){ .pc = pc + i, .step = &rule };
	marked = marked_end = NULL;
	return hd_stack_tree_add(0, now, n, to);
}

TEST(new_nodes_are_marked_and_known_ones_are_not)
{
	struct hd_last_frame to[DEPTH];

	blocks_left = 1;
	hd_stack_tree_begin();
	EXPECT(add_stack(1000, 3, to));
	EXPECT_INT(to[0].node, 1);
	EXPECT_INT(to[2].node, 3);
	for (uint32_t node = 1; node <= 3; node++)
		EXPECT(is_marked(node));
	EXPECT(add_stack(1000, 4, to));
	EXPECT_INT(to[3].node, 4);
	EXPECT(is_marked(4) && !is_marked(3));
	free(blocks[0]);
	free(atomic_load(&current));
}

/* The last block has room for one node of a stack of three. */
TEST(nodes_for_which_there_was_room_are_marked_although_their_stack_did_not_fit)
{
	struct hd_last_frame to[DEPTH];

	blocks_left = 1;
	hd_stack_tree_begin();
	EXPECT(add_stack(1000, DEPTH, to));
	EXPECT(add_stack(2000, DEPTH, to));
	EXPECT_INT(to[DEPTH - 1].node, HD_HEAP_NODES - 2);
	EXPECT(!add_stack(3000, 3, to));
	EXPECT(is_marked(HD_HEAP_NODES - 1));
	EXPECT(!is_marked(HD_HEAP_NODES - 2));
	/* A stack that uses only this node adds nothing, so nothing marks the node later. */
	EXPECT(add_stack(3000, 1, to));
	EXPECT_INT(to[0].node, HD_HEAP_NODES - 1);
	EXPECT(!marked);
	free(blocks[0]);
	free(atomic_load(&current));
}

TEST_MAIN(
	RUN(new_nodes_are_marked_and_known_ones_are_not),
	RUN(nodes_for_which_there_was_room_are_marked_although_their_stack_did_not_fit),
)
