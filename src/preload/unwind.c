/*
 * unwind.c - find the stack of an allocation, and its node
 *
 * A frame is (pc, sp, fp).  Its outer frames follow from these three, and from the stack slots that hold the saved
 * registers of its callers.  If an allocation reaches a frame of the thread's last stack again, and all slots further
 * out hold the same values, the rest of the stack is the same:
 *
 *     last    main  run  parse  add  alloc
 *     now     ................  add  grow    parse has the same pc, sp and fp.  The unwinder compares the slots of run
 *                                            and parse, and then looks up only add (at another pc) and grow.
 *
 * stack_cache.h compares whole stacks before that.
 */
#include "preload/counters.h"
#include "preload/stack_cache.h"
#include "preload/stack_tree.h"

#include <string.h>

struct finding { struct hd_frame_rule *s; uint64_t pc; bool exact; };

static void find_step(void *arg)
{
	struct finding *f = arg;

	hd_frame_rule_find(f->s, f->pc, f->exact);
}

static COLD void look_up(struct hd_frame_rule *s, uint64_t pc, bool exact)
{
	struct finding f = { s, pc, exact };

	hd_recorder_lock();
	hd_on_stack(find_step, &f);
	hd_recorder_unlock();
}

static inline struct hd_frame_rule *slot_of(const struct hd_thread *t, uint64_t key)
{
	for (uint32_t i = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 40); ; i++) {
		struct hd_frame_rule *s = &t->steps[i & t->steps_mask];

		if (LIKELY(s->key == key) || UNLIKELY(!s->key))
			return s;
	}
}

bool hd_frame_rule_was_met(const struct hd_thread *t, uint64_t pc)
{
	return slot_of(t, pc << 1)->key;
}

static struct hd_frame_rule *room_for(struct hd_thread *t, uint32_t n)
{
	const size_t bytes = n * sizeof(struct hd_frame_rule);
	struct hd_frame_rule *steps;

	if (n == HD_FRAME_RULES_INSIDE) {
		steps = HD_THREAD_FRAME_RULES(t);
		if (!hd_recorder_mem_make_huge(t, HD_HUGE))
			hd_recorder_mem_fill(steps, bytes);
	} else if (bytes >= HD_HUGE) {
		steps = hd_recorder_mem_map_huge(bytes);
		if (steps)
			hd_recorder_mem_make_huge(steps, bytes);
	} else {
		steps = hd_recorder_mem_map(bytes);
		if (steps)
			hd_recorder_mem_fill(steps, bytes);
	}
	return steps;
}

/*
 * Enlarge the hash table of frame rules, so that it has room for the rules of a whole stack.  The frames in `now` point
 * into the table, so it must not move during a walk.  Returns false if there is no memory, or if the table has its
 * largest size.
 */
static COLD bool make_room(struct hd_thread *t)
{
	uint32_t n = t->steps ? 4 * (t->steps_mask + 1) : HD_FRAME_RULES_FIRST, mask = t->steps_mask;
	int errno_was = errno;
	struct hd_frame_rule *old = t->steps, *more = n > HD_FRAME_RULES_MAX ? NULL : room_for(t, n);

	errno = errno_was;
	if (!more)
		return false;
	t->steps = more;
	t->steps_mask = n - 1;
	for (uint32_t i = 0; old && i <= mask; i++)
		if (old[i].key)
			*slot_of(t, old[i].key) = old[i];
	if (old && old != HD_THREAD_FRAME_RULES(t))
		hd_recorder_mem_unmap(old, (mask + 1) * sizeof(*old));
	return true;
}

static inline struct hd_frame_rule *step_at(struct hd_thread *t, uint64_t pc, bool exact)
{
	struct hd_frame_rule *s = slot_of(t, pc << 1 | exact);

	if (UNLIKELY(!s->key)) {
		look_up(s, pc, exact);
		t->nsteps++;
	}
	return s;
}

/*
 * Replace the registers *r of a frame by those of its caller.  For the rules SP and FP, f receives the stack slots of
 * the caller's pc and fp.  Returns false if there is no caller or the rule leads out of the stack; *r is then
 * undefined.
 */
static inline bool leave(const struct hd_thread *t, struct hd_found_frame *f, struct hd_reads *reads,
	const struct hd_frame_rule *s, struct hd_regs *r, uint64_t top)
{
	uint64_t cfa, ra_at, fp_at;

	if (UNLIKELY(s->op > HD_FRAME_RULE_FP))
		return hd_slow_unwind_frame(t, reads, s, r, top);
	cfa = (s->op == HD_FRAME_RULE_SP ? r->sp : r->fp) + (uint64_t)(int64_t)s->cfa_off;
	ra_at = cfa + (uint64_t)(int64_t)s->ra_off;
	if (UNLIKELY(cfa - r->sp - 1 >= top - r->sp || ra_at - r->sp > top - 8 - r->sp || (cfa & 7)))
		return false;
	f->fp_slot = 0;
	if (s->fp == HD_CFI_AT_CFA) {
		fp_at = cfa + (uint64_t)(int64_t)s->fp_off;
		if (UNLIKELY(fp_at - r->sp > top - 8 - r->sp))
			return false;
		r->fp = *(const uint64_t *)fp_at;
		f->fp_slot = fp_at;
	} else if (UNLIKELY(s->fp == HD_CFI_UNDEFINED)) {
		r->fp = 0;
	}
	r->pc = *(const uint64_t *)ra_at;
	if (UNLIKELY(s->flags & HD_CFI_SIGNED))
		r->pc = hd_unsigned(r->pc);
	f->ra_slot = ra_at;
	r->sp = cfa;
	r->exact = s->flags & HD_CFI_SIGNAL;
	return r->pc != 0;
}

static inline bool is_same(const struct hd_last_frame *f, const struct hd_regs *r)
{
	return f->sp == r->sp && f->pc == r->pc && (!f->needs_fp || f->fp == r->fp) && f->exact == r->exact;
}

void hd_unwind_stack_forget(struct hd_thread *t)
{
	t->ring_end = (t->ring_end / HD_RING + 2) * HD_RING;
	t->nlast = t->nowners = 0;
	t->checks[0] = hd_check_end;
}

static COLD void forget(struct hd_thread *t)
{
	hd_unwind_stack_forget(t);
	if (t->nsteps)
		memset(t->steps, 0, (t->steps_mask + 1) * sizeof(t->steps[0]));
	t->nsteps = 0;
	memset(t->leaves, 0, sizeof(t->leaves));
	t->map_epoch = atomic_load(&hd_recorder.map_epoch);
}

/* Return the cached tree node of a frame whose caller is node `caller`; 0 if it is not cached. */
static inline uint32_t memoized_node(const struct hd_frame_rule *s, uint32_t caller)
{
	for (const struct hd_node_memo *m = s->memo; m < s->memo + HD_MEMOS; m++)
		if (m->caller == caller && LIKELY(m->node))
			return m->node;
	return 0;
}

static inline void memoize_node(struct hd_frame_rule *s, uint32_t caller, uint32_t node)
{
	s->memo[s->next_memo++ % HD_MEMOS] = (struct hd_node_memo){ caller, node };
}

static const uint64_t never;
const struct hd_check hd_check_end = { &never, 1 };

static COLD uint32_t add_reads(struct hd_thread *t, uint32_t checks, const struct hd_reads *reads)
{
	/* Not all reads are listed: add a check that always fails. */
	if (reads->n > HD_READS) {
		t->checks[++checks] = hd_check_end;
		return checks;
	}
	for (uint32_t i = 0; i < reads->n; i++)
		t->checks[++checks] = reads->check[i];
	return checks;
}

/*
 * Find the tree nodes of the innermost n frames, from t->now[n - 1] (child of `caller`) to t->now[0], and store them in
 * f[0] to f[n - 1].  Missing nodes are added.  Returns the node of t->now[0], or 0 if there is no room.
 */
static inline uint32_t set_nodes(struct hd_thread *t, struct hd_last_frame *f, uint32_t n, uint32_t caller)
{
	while (n > 0) {
		const struct hd_found_frame *now = &t->now[n - 1];
		struct hd_frame_rule *s = now->step;
		uint32_t node = memoized_node(s, caller);

		if (!node) {
			node = hd_stack_tree_child(caller, s->module, now->pc);
			if (!node)
				break;
			memoize_node(s, caller, node);
		}
		caller = (f++)->node = node;
		n--;
	}
	if (n) {
		if (!hd_stack_tree_add(caller, t->now, n, f))
			return 0;
		for (; n > 0; caller = (f++)->node)
			memoize_node(t->now[--n].step, caller, f->node);
	}
	return caller;
}

/*
 * Append the n frames of t->now (innermost first) to the `kept` frames of the last stack, with a check (stack slot and
 * value) for each register that was restored.  A check of fp is added only if an outer frame depends on fp.
 */
static inline uint32_t push(struct hd_thread *t, uint32_t kept, uint32_t n)
{
	struct hd_last_frame *f = &t->frames[kept];
	uint32_t checks = kept ? f[-1].checks : 0;
	bool needs = kept && f[-1].needs_fp;

	for (uint32_t i = n; i-- > 0; f++) {
		const struct hd_found_frame *now = &t->now[i];
		const struct hd_frame_rule *s = now->step;
		bool outermost = f == t->frames;

		f->pc = now->pc;
		f->sp = now->sp;
		f->fp = now->fp;
		f->exact = now->exact;
		if (LIKELY(s->op <= HD_FRAME_RULE_FP)) {
			if (!outermost) {
				if (now->fp_slot && needs)
					t->checks[++checks] = (struct hd_check){ (const uint64_t *)now->fp_slot,
						f[-1].fp };
				t->checks[++checks] = (struct hd_check){ (const uint64_t *)now->ra_slot,
					*(const uint64_t *)now->ra_slot };
			}
			needs = s->op == HD_FRAME_RULE_FP || (needs && s->fp == HD_CFI_SAME);
		} else {
			needs = s->op == HD_FRAME_RULE_FULL || s->op == HD_FRAME_RULE_GUESS;
			if (!outermost)
				checks = add_reads(t, checks, &t->reads[i]);
		}
		f->needs_fp = needs;
		f->checks = (uint16_t)checks;
	}
	return set_nodes(t, &t->frames[kept], n, kept ? t->frames[kept - 1].node : 0);
}

/* Prefetch the rules of the next two frames.  They are probably the same as when this rule was last used. */
static inline void look_ahead(const struct hd_thread *t, uint32_t n)
{
	const struct hd_frame_rule *s = t->now[n].step;
	uint32_t at = (uint32_t)(s - t->steps);

	__builtin_prefetch(&t->steps[s->hint[0]]);
	__builtin_prefetch(&t->steps[s->hint[1]]);
	for (uint32_t i = 0; i < 2 && i < n; i++)
		t->now[n - 1 - i].step->hint[i] = at;
}

/*
 * Unwind from the registers `from` until a frame equals one of the last stack.  Return the node of the innermost frame,
 * or 0 if there is no room.  *kept_out becomes the number of outermost frames shared with the last stack.
 */
static uint32_t walk(struct hd_thread *t, const struct hd_regs *from, uint32_t *kept_out)
{
	struct hd_regs r = *from;
	uint32_t n = 0, kept = 0, at = t->nlast, node;
	bool cut = false;
	uint64_t top;

	top = hd_thread_top(t, r.sp);
again:
	for (;;) {
		struct hd_found_frame *f;

		while (at && t->frames[at - 1].sp < r.sp)
			at--;
		if (at && is_same(&t->frames[at - 1], &r) &&
			LIKELY(hd_checks_hold(t->checks, t->frames[at - 1].checks))) {
			kept = at;
			break;
		}
		if (UNLIKELY(n == HD_DEPTH)) {
			cut = true;
			break;
		}
		f = &t->now[n];
		f->pc = r.pc;
		f->sp = r.sp;
		f->fp = r.fp;
		f->exact = r.exact;
		f->step = step_at(t, r.pc, r.exact);
		look_ahead(t, n++);
		if (!leave(t, f, &t->reads[n - 1], f->step, &r, top))
			break;
	}
	/*
	 * If the new and the shared frames are more than HD_DEPTH, unwind once more without the last stack.  This keeps
	 * the innermost HD_DEPTH frames.
	 */
	if (UNLIKELY(kept + n > HD_DEPTH)) {
		r = *from;
		kept = n = at = 0;
		goto again;
	}
	if (UNLIKELY(cut))
		__atomic_fetch_add(&hd_recorder.header->deep, 1, __ATOMIC_RELAXED);
	node = push(t, kept, n);
	t->nlast = cut || !node ? 0 : kept + n;
	*kept_out = kept;
	return node;
}

struct hd_heap_counter *hd_unwind_stack(struct hd_thread *t, const struct hd_regs *from)
{
	struct hd_heap_counter *c;
	uint32_t node, kept = 0;

	if (UNLIKELY(t->map_epoch != atomic_load_explicit(&hd_recorder.map_epoch, memory_order_relaxed)))
		forget(t);
	/* A stack may need HD_DEPTH new rules. */
	if (UNLIKELY(t->nsteps + HD_DEPTH > (t->steps_mask + 1) / 4 * 3) && UNLIKELY(!make_room(t)))
		forget(t);
	node = LIKELY(t->steps != NULL) ? walk(t, from, &kept) : 0;
	if (UNLIKELY(!node)) {
		t->nowners = 0;
		__atomic_fetch_add(&hd_recorder.header->lost, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	c = hd_counter(t, node);
	if (LIKELY(c != NULL) && LIKELY(t->nlast))
		hd_stack_cache_add(t, from, kept, c);
	else
		t->nowners = 0;
	return c;
}
