/*
 * chain_sums.c - see chain_sums.h
 */
#include "pipeline/chain_sums.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { LOOK = 64 };		/* maximum number of list elements that are compared */

static __attribute__((noinline)) void more_heads(struct hd_chain_sums *s, uint32_t leaf)
{
	HD_GROW(s->heads, (size_t)leaf + 1, s->heads_cap);
	memset(s->heads + s->nheads, 0, (s->heads_cap - s->nheads) * sizeof(*s->heads));
	s->nheads = s->heads_cap;
}

static __attribute__((noinline)) void add_item(struct hd_chain_sums *s, const struct hd_chain_sum *key)
{
	struct hd_chain_sum *e;

	HD_GROW(s->items, s->n + 1, s->cap);
	e = &s->items[s->n++];
	*e = *key;
	e->next = s->heads[key->leaf];
	s->heads[key->leaf] = (uint32_t)s->n;
}

uint32_t hd_chain_sums_add(struct hd_chain_sums *s, const struct hd_chain_sum *key)
{
	unsigned looked = 0;
	struct hd_chain_sum *e;

	if (key->leaf >= s->nheads)
		more_heads(s, key->leaf);
	for (uint32_t i = s->heads[key->leaf]; i && looked < LOOK; i = e->next, looked++) {
		e = &s->items[i - 1];
		if (e->self == key->self && e->event == key->event && e->comm == key->comm && e->tid == key->tid &&
		    e->pid == key->pid && e->cpu == key->cpu && e->tuple == key->tuple && e->flags == key->flags) {
			e->weight += key->weight;
			e->count += key->count;
			return i - 1;
		}
	}
	add_item(s, key);
	return (uint32_t)s->n - 1;
}

void hd_chain_sums_clear(struct hd_chain_sums *s)
{
	s->n = 0;
	if (s->heads)
		memset(s->heads, 0, s->nheads * sizeof(*s->heads));
}

void hd_chain_sums_release(struct hd_chain_sums *s)
{
	free(s->items);
	free(s->heads);
	*s = (struct hd_chain_sums){ 0 };
}
