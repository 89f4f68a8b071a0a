/*
 * trie.c - equal paths get equal ids, however many children a node has
 */
#include "test.h"

#include "base/mem.h"
#include "base/trie.h"

#include <stdlib.h>

TEST(a_path_is_there_once_and_ids_ascend_from_the_root_on)
{
	struct hd_trie t = { 0 };
	uint32_t a = hd_trie_add(&t, 0, 7), b = hd_trie_add(&t, a, 7), c = hd_trie_add(&t, a, 0);

	EXPECT(a == 1 && b == 2 && c == 3 && t.n == 4);
	EXPECT(hd_trie_add(&t, 0, 7) == a && hd_trie_add(&t, a, 0) == c && hd_trie_add(&t, a, 7) == b);
	EXPECT(t.n == 4 && t.nodes[b].parent == a && t.nodes[b].label == 7 && t.nodes[a].children == 2);
	EXPECT(t.nodes[0].child == a && t.nodes[a].child == c && t.nodes[c].next == b && t.nodes[b].next == 0);
	hd_trie_release(&t);
	EXPECT(!t.nodes && !t.n);
}

TEST(a_node_with_many_children_finds_each_and_lists_them_all)
{
	for (uint32_t many = 1; many < 3000; many = many * 2 + 1) {
		struct hd_trie t = { 0 };
		uint32_t *id = hd_new_array(uint32_t, many), seen = 0;

		for (uint32_t i = 0; i < many; i++) {
			id[i] = hd_trie_add(&t, 0, i * 3);
			EXPECT_INT(id[i], i + 1);
			EXPECT_INT(hd_trie_add(&t, 0, i / 2 * 3), id[i / 2]);
		}
		for (uint32_t i = 0; i < many; i++) {
			EXPECT_INT(hd_trie_add(&t, 0, i * 3), id[i]);
			/* The same label below another node is another path. */
			EXPECT_INT(hd_trie_add(&t, id[i], 5), many + i + 1);
		}
		EXPECT_INT(t.nodes[0].children, many);
		for (uint32_t c = t.nodes[0].child; c; c = t.nodes[c].next)
			seen++;
		EXPECT_INT(seen, many);
		free(id);
		hd_trie_release(&t);
	}
}

TEST_MAIN(RUN(a_path_is_there_once_and_ids_ascend_from_the_root_on),
	  RUN(a_node_with_many_children_finds_each_and_lists_them_all))
