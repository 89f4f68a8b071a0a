/*
 * moves.c - see moves.h
 */
#include "heap/moves.h"

#include "base/mem.h"

#include <stdlib.h>

void hd_heap_add_move(struct hd_heap *h, const struct hd_heap_move *m)
{
	if (!m->bytes)
		return;
	HD_GROW(h->moves, h->nmoves + 1, h->moves_cap);
	h->moves[h->nmoves++] = (struct hd_heap_move_at){ .ms = m->tick, .node = m->node, .bytes = m->bytes };
}

static int by_time(const void *va, const void *vb)
{
	const struct hd_heap_move_at *a = va, *b = vb;

	if (a->ms != b->ms)
		return a->ms < b->ms ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

void hd_heap_sort_moves(struct hd_heap *h)
{
	size_t n = 0;

	if (h->nmoves)
		qsort(h->moves, h->nmoves, sizeof(*h->moves), by_time);
	for (size_t i = 0; i < h->nmoves; i++) {
		const struct hd_heap_move_at m = h->moves[i];

		if (n && h->moves[n - 1].ms == m.ms && h->moves[n - 1].node == m.node)
			h->moves[n - 1].bytes = (int64_t)((uint64_t)h->moves[n - 1].bytes +
				(uint64_t)m.bytes); /* garbage may overflow */
		else
			h->moves[n++] = m;
	}
	h->nmoves = n;
}
