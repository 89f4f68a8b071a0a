/* stack_cache.c - see stack_cache.h */
#include "preload/stack_cache.h"

/*
 * A check is a stack slot and the value that it must still have.  Return true if all checks of the cached stack k hold.
 * The checks of a deep stack are in several linked records.  The next record is prefetched while the checks of the
 * current one are compared.
 */
COLD bool hd_stack_cache_linked_holds(const struct hd_thread *t, const struct hd_cached_stack *k)
{
	const struct hd_cached_stack *outer;
	uint32_t n = k->n;

	for (; k->outer; k = outer) {
		outer = (const struct hd_cached_stack *)&t->ring[k->link % HD_RING];
		__builtin_prefetch(outer);
		if (UNLIKELY(!hd_checks_hold(k->checks, n - k->outer)) || UNLIKELY(t->ring_end - k->link > HD_RING))
			return false;
		n = k->outer;
	}
	return hd_checks_hold(k->checks, n);
}

/*
 * Store the offset from sp to the return address for the pc of a stack's innermost frame (t->leaves).  An entry is
 * never replaced, because hashes of cached stacks depend on it.
 */
static void add_leaf(struct hd_thread *t, uint64_t pc, const struct hd_frame_rule *s)
{
	struct hd_leaf *l = hd_leaf_slot(t, pc);
	int32_t off = s->cfa_off + s->ra_off;

	if (!l->pc && s->op == HD_FRAME_RULE_SP && off >= 0 && off <= UINT16_MAX && !(off & 7))
		*l = (struct hd_leaf){ pc, (uint64_t)off };
}

/*
 * Add a record for the stack in t->frames to the cache.  A record has checks: stack slots and the values that they must
 * have.  If an earlier record has the checks of the stack's outer frames, the new record links to the earlier one
 * instead of repeating these checks.  But records in the older half of the ring buffer will be overwritten soon.  If a
 * record that the new one depends on is in that half, the new record has all checks of the stack and no link.  A stack
 * whose record would need more than HD_CACHED_STACK_CHECKS checks is not added.
 */
void hd_stack_cache_add(struct hd_thread *t, const struct hd_regs *r, uint32_t kept, struct hd_heap_counter *counter)
{
	const struct hd_last_frame *f = &t->frames[t->nlast - 1];
	uint32_t outer = kept ? t->frames[kept - 1].checks : 0, nowners = t->nowners;
	struct hd_stack_cache_tag *set, *oldest;
	uint64_t hash, at = t->ring_end;
	struct hd_cached_stack *k;
	size_t own, bytes;

	if (kept < t->nlast)
		add_leaf(t, r->pc, t->now[0].step);
	while (nowners && t->owners[nowners - 1].outer >= outer)
		nowners--;
	if (!nowners || nowners == HD_LINKS || outer < HD_LINK_LEAST || at - t->owners[0].at > HD_RING / 2)
		nowners = outer = 0;
	own = f->checks - outer;
	t->nowners = 0;
	if (own > HD_CACHED_STACK_CHECKS)
		return;
	bytes = sizeof(*k) + (1 + own) * sizeof(t->checks[0]);
	if (at % HD_RING + bytes > HD_RING)
		at = (at / HD_RING + 1) * HD_RING;
	hash = hd_stack_cache_hash(t, r);
	set = oldest = hd_stack_cache_set(t, hash);
	for (struct hd_stack_cache_tag *tag = set; tag < set + HD_STACK_CACHE_TAG_WAYS; tag++)
		if (tag->at < oldest->at)
			oldest = tag;
	*oldest = (struct hd_stack_cache_tag){ hash, at };
	t->ring_end = at + bytes;
	k = (struct hd_cached_stack *)&t->ring[at % HD_RING];
	*k = (struct hd_cached_stack){
		.pc = r->pc, .sp = r->sp, .fp = r->fp, .counter = counter, .n = f->checks, .outer = (uint16_t)outer,
		.needs_fp = f->needs_fp, .link = nowners ? t->owners[nowners - 1].at : 0,
	};
	k->checks[0] = hd_check_end;
	for (size_t i = 1; i <= own; i++)
		k->checks[i] = t->checks[outer + i];
	t->owners[nowners] = (struct hd_check_owner){ at, outer };
	t->nowners = nowners + 1;
}
