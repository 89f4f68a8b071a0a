/*
 * moves.h - what is live through time: a part of reading, see heap.h
 */
#ifndef HD_HEAP_MOVES_H
#define HD_HEAP_MOVES_H

#include "heap/heap.h"
#include "preload/format.h"

void hd_heap_add_move(struct hd_heap *h, const struct hd_heap_move *m);
/* Those of one node in one tick become one; those of nothing are left out. */
void hd_heap_sort_moves(struct hd_heap *h);

#endif
