/*
 * stitch.c - see stitch.h
 */
#include "pipeline/stitch.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "pipeline/locator.h"
#include "pipeline/chain_sums.h"

#include <stdlib.h>
#include <string.h>

enum {
	THREADS = 4096, /* maximum number of threads whose last stack is stored */
	/*
	 * entries of the table of frames of earlier stacks; in recordings of compilers, a table of four times this size
	 * completes 0.3 % more stacks
	 */
	SEEN = 1 << 17,
	TOPS = 128, /* entries of thread.top */
	DEEPEST = 4096, /* maximum number of frames that a search for the root of a stack visits */
};

/* A frame on the stack of a thread. */
struct frame {
	uint64_t cfa, ip;
	uint32_t node;
	uint32_t tag;
};

/*
 * A sample of a thread at which the stack was shallower than at every later sample so far.  cfa: the CFA of the
 * innermost frame at that sample.  turn: the number of the sample among those of the thread.
 */
struct top {
	uint64_t cfa;
	uint32_t turn;
};

/* The stack of a thread at its last sample, outermost frame first. */
struct thread {
	int32_t pid, tid;
	uint32_t space;
	uint32_t root;			/* root node of the frames */
	bool whole;			/* the caller of frame[0] is the node `root`; if false, it is another frame */
	uint64_t time_ns;		/* time of the last sample */
	/* a stack of this thread was cut; from then on, its frames are stored in the table `seen` when they return */
	bool was_cut;
	uint32_t turn;			/* number of samples of this thread so far */
	struct top top[TOPS];		/* oldest first, with decreasing CFAs */
	uint32_t ntops;
	struct frame *frame;
	uint32_t n;
	size_t cap;
};

/* A frame of an earlier stack of a thread.  32 bytes, so that two entries fit in a cache line. */
struct seen {
	uint64_t cfa, ip;
	int32_t tid;
	uint32_t node;			/* 0: empty */
	uint32_t root;
	uint32_t turn : 31;		/* number of the thread's sample in which the frame was last on the stack */
	/* the frame was the outermost one of a cut stack, and another frame of that stack was in the same function */
	uint32_t again : 1;
};

struct hd_stitch {
	struct hd_chains *c;
	bool off;
	struct hd_map by_tid;		/* tid -> index into threads */
	struct thread *threads;
	/* next: the index in `threads` of the entry that the next new thread will replace */
	size_t nthreads, next;
	struct seen *seen;
};

struct hd_stitch *hd_stitch_new(struct hd_chains *c, bool off)
{
	struct hd_stitch *st = hd_new(struct hd_stitch);

	st->c = c;
	st->off = off;
	st->threads = hd_new_array(struct thread, THREADS);
	if (!off)
		st->seen = hd_new_array(struct seen, SEEN);
	return st;
}

void hd_stitch_free(struct hd_stitch *st)
{
	if (!st)
		return;
	for (size_t i = 0; i < st->nthreads; i++)
		free(st->threads[i].frame);
	free(st->threads);
	free(st->seen);
	hd_map_release(&st->by_tid);
	free(st);
}

void hd_stitch_clear(struct hd_stitch *st)
{
	for (size_t i = 0; i < st->nthreads; i++)
		st->threads[i].n = 0;
	if (!st->off)
		memset(st->seen, 0, SEEN * sizeof(*st->seen));
}

/* Return the state of a thread.  If the table is full, a new thread replaces the thread that was added first. */
static struct thread *thread_of(struct hd_stitch *st, int32_t pid, int32_t tid)
{
	uint32_t at = hd_map_get(&st->by_tid, (uint32_t)tid);
	struct thread *t;

	if (at == HD_MAP_NONE || st->threads[at].tid != tid) {
		at = (uint32_t)st->next++ % THREADS;
		if (at >= st->nthreads)
			st->nthreads = at + 1;
		hd_map_put(&st->by_tid, (uint32_t)tid, at);
		st->threads[at].pid = pid - 1;
	}
	t = &st->threads[at];
	if (t->pid != pid || t->tid != tid) {
		t->pid = pid;
		t->tid = tid;
		t->n = t->ntops = 0;
		t->was_cut = false;
	}
	return t;
}

/*
 * Return the slot of a frame.  hd_mix() cannot be used here because its values differ from run to run: of two frames
 * with the same slot only one is stored, and that choice must be reproducible.
 */
static struct seen *slot_of(struct hd_stitch *st, int32_t tid, uint64_t cfa, uint64_t ip)
{
	uint64_t h = hd_hash_fold(cfa + (uint32_t)tid, 0x9e3779b97f4a7c15u) ^ hd_hash_fold(ip, 0xd1b54a32d192ed03u);

	return &st->seen[(h ^ h >> 32) % SEEN];
}

static bool is(const struct seen *s, int32_t tid, uint64_t cfa, uint64_t ip)
{
	return s->node && s->cfa == cfa && s->ip == ip && s->tid == tid;
}

/* Store a frame in `seen`, the table of frames of earlier stacks, unless its CFA is unknown. */
static void remember(struct hd_stitch *st, const struct thread *t, const struct frame *f, uint32_t turn, bool again)
{
	if (f->cfa)
		*slot_of(st, t->tid, f->cfa, f->ip) =
			(struct seen){ f->cfa, f->ip, t->tid, f->node, t->root, turn, again };
}

/*
 * Follow callers and grafts to a root that was not grafted.  Return that root, or 0 if the grafts form a cycle or the
 * path is too long.
 */
static uint32_t outermost(const struct hd_stitch *st, uint32_t node)
{
	const struct hd_chain_node *nodes = hd_chains_nodes(st->c);

	for (unsigned steps = 0; steps < DEEPEST; steps++) {
		if (!hd_chain_is_root(&nodes[node])) {
			node = nodes[node].outer;
			continue;
		}
		if (!hd_chains_root_of(st->c, node)->graft)
			return node;
		node = hd_chains_root_of(st->c, node)->graft;
	}
	return 0;
}

/*
 * Return true for a recursion: `caller`, or a caller of it, is in the function at `location`.  All levels of a
 * recursion have the same frames at the same distances.  So a frame that is seen again in a later sample identifies
 * neither the level nor the recursion.
 */
static bool recursive(const struct hd_stitch *st, uint32_t location, uint32_t caller)
{
	const struct hd_chain_node *nodes = hd_chains_nodes(st->c);

	for (unsigned steps = 0; caller && steps < DEEPEST; steps++) {
		if (hd_chain_is_root(&nodes[caller])) {
			caller = hd_chains_root_of(st->c, caller)->graft;
			continue;
		}
		if (nodes[caller].location == location)
			return true;
		caller = nodes[caller].outer;
	}
	return false;
}

/*
 * Count one more sample of the thread.  The CFA of its innermost frame shows how deep the stack is.  Keep in t->top
 * only the samples at which the stack was shallower than now, and append this one.
 */
static void next_turn(struct thread *t, uint64_t innermost_cfa)
{
	t->turn++;
	while (t->ntops && t->top[t->ntops - 1].cfa <= innermost_cfa)
		t->ntops--;
	if (t->ntops == TOPS)
		memmove(t->top, t->top + 1, --t->ntops * sizeof(*t->top));
	t->top[t->ntops++] = (struct top){ innermost_cfa, t->turn };
}

/*
 * Return true if the stack was shallower in a sample after number `turn`, so that a frame with this CFA has returned
 * since.
 */
static bool has_returned(const struct thread *t, uint32_t turn, uint64_t cfa)
{
	for (uint32_t i = 0; i < t->ntops; i++)
		if (t->top[i].turn > turn)
			return t->top[i].cfa > cfa;
	return false;
}

/* Give the root of a cut stack the caller `caller`, unless that would form a cycle. */
static void graft(struct hd_stitch *st, uint32_t cut, uint32_t caller)
{
	uint32_t root = outermost(st, caller);

	if (root && root != cut)
		hd_chains_graft(st->c, cut, caller);
}

/*
 * Update the stored stack of a thread after its address space changed, for example by a new mapping.  The stack itself
 * is the same, but an address may now belong to another function.  Frames from the first such address inwards are
 * discarded.
 */
static void move_thread(struct hd_stitch *st, struct thread *t, const struct hd_process_context *at)
{
	const struct hd_chain_node *nodes = hd_chains_nodes(st->c);

	if (t->space != at->space)
		for (uint32_t i = 0; i < t->n; i++)
			if (hd_chains_locate(st->c, at, t->frame[i].tag, t->frame[i].ip) !=
				nodes[t->frame[i].node].location) {
				t->n = i;
				break;
			}
	t->space = at->space;
}

static bool same_frame(const struct frame *f, const struct hd_unwound_stack *u, uint32_t i)
{
	return f->ip == u->ip[i] && f->cfa == u->cfa[i];
}

/*
 * Return the index of the thread's frame with this CFA, or UINT32_MAX.  The binary search relies on decreasing CFAs,
 * which holds except on signal stacks.
 */
static uint32_t find(const struct thread *t, uint64_t cfa)
{
	uint32_t lo = 0, hi = t->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (t->frame[mid].cfa > cfa)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->n && t->frame[lo].cfa == cfa ? lo : UINT32_MAX;
}

static uint32_t tag_of(const struct hd_unwound_stack *u, uint32_t i)
{
	return HD_MODE_USER | (u->flags[i] & HD_UNWIND_EXACT ? HD_TAG_PC : 0);
}

/*
 * Remove the frames from index `left` on, which have returned.  If a stack of the thread was ever cut, store the frames
 * in `seen`, the table of frames of earlier stacks.
 */
static void returned(struct hd_stitch *st, struct thread *t, uint32_t left)
{
	if (t->was_cut && !st->off)
		for (uint32_t i = left; i < t->n; i++)
			remember(st, t, &t->frame[i], t->turn - 1, false);
	t->n = left;
}

/* Return true for the root of a cut stack whose callers are still unknown. */
static bool is_waiting(const struct hd_stitch *st, uint32_t root)
{
	const struct hd_chain_root *r = hd_chains_root_of(st->c, root);

	return r->end == HD_CHAIN_OPEN && !r->graft;
}

/*
 * The caller of the frame (cfa, ip) became known.  If an earlier cut stack ended in this frame and has no callers yet,
 * graft its root onto `caller`.
 */
static void graft_onto(struct hd_stitch *st, const struct thread *t, uint64_t cfa, uint64_t ip, uint32_t caller)
{
	const struct seen *s = slot_of(st, t->tid, cfa, ip);

	if (!is(s, t->tid, cfa, ip) || s->root == t->root)
		return;
	if (is_waiting(st, s->root) && hd_chains_nodes(st->c)[s->node].outer == s->root && !s->again &&
		!(has_returned(t, s->turn, cfa) && recursive(st, hd_chains_nodes(st->c)[s->node].location, caller)))
		graft(st, s->root, caller);
}

static void push(struct thread *t, const struct hd_unwound_stack *u, uint32_t i, uint32_t node)
{
	HD_GROW(t->frame, t->n + 1, t->cap);
	t->frame[t->n++] = (struct frame){ u->cfa[i], u->ip[i], node, tag_of(u, i) };
}

static uint32_t node_of(struct hd_stitch *st, const struct hd_unwound_stack *u, uint32_t i, uint32_t outer)
{
	return hd_chains_child(st->c, outer, hd_chains_locate(st->c, u->at, tag_of(u, i), u->ip[i]));
}

/*
 * Return true if frame i has called its own function again: a frame inside frame i is at the same location.  As in
 * recursive(), the frames of a recursion do not identify a stack if they are seen again.
 */
static bool is_again(struct hd_stitch *st, const struct hd_unwound_stack *u, uint32_t i)
{
	uint32_t location = hd_chains_locate(st->c, u->at, tag_of(u, i), u->ip[i]);

	while (i-- > 0)
		if (hd_chains_locate(st->c, u->at, tag_of(u, i), u->ip[i]) == location)
			return true;
	return false;
}

/* Discard the stored stack of the thread, and start a new one whose outermost caller is the node `root`. */
static void begin(struct hd_stitch *st, struct thread *t, uint32_t root)
{
	returned(st, t, 0);
	t->root = root;
	t->whole = true;
}

/*
 * Put a cut stack onto the frames that are known from earlier samples of the thread: find the callers of its outermost
 * frame.  If they are unknown, add an open root.  Return the index of that frame in t->frame.
 */
static uint32_t place_cut(struct hd_stitch *st, struct thread *t, const struct hd_unwound_stack *u, uint32_t *flags)
{
	uint32_t i = u->n - 1, at = find(t, u->cfa[i]), root;
	struct seen s = *slot_of(st, u->tid, u->cfa[i], u->ip[i]);
	bool again;

	t->was_cut = true;
	*flags |= HD_CHAIN_SUM_CUT | HD_CHAIN_SUM_STITCHED;
	if (at != UINT32_MAX && same_frame(&t->frame[at], u, i))
		return at;
	again = is_again(st, u, i);
	if (!again && is(&s, u->tid, u->cfa[i], u->ip[i]) &&
	    hd_chains_nodes(st->c)[s.node].location == hd_chains_locate(st->c, u->at, tag_of(u, i), u->ip[i]) &&
	    !(has_returned(t, s.turn, s.cfa) &&
	      recursive(st, hd_chains_nodes(st->c)[s.node].location, hd_chains_nodes(st->c)[s.node].outer))) {
		begin(st, t, s.root);
		push(t, u, i, s.node);
		t->whole = false;
		return 0;
	}
	*flags &= ~(uint32_t)HD_CHAIN_SUM_STITCHED;
	root = hd_chains_open(st->c);
	begin(st, t, root);
	push(t, u, i, node_of(st, u, i, root));
	remember(st, t, &t->frame[0], t->turn, again);
	return 0;
}

/* Return the root node of stacks whose unwinding ended like that of u. */
static uint32_t root_of(struct hd_stitch *st, const struct hd_unwound_stack *u)
{
	enum hd_chain_end end = HD_CHAIN_ENDED;

	if (u->end == HD_UNWIND_END_ROOT)
		end = HD_CHAIN_COMPLETE;
	else if (u->end == HD_UNWIND_END_CUT)
		end = HD_CHAIN_CUT;
	return hd_chains_root(st->c, end, end == HD_CHAIN_CUT ? 0 : u->object);
}

uint32_t hd_stitch_add(struct hd_stitch *st, const struct hd_unwound_stack *u, uint32_t *flags)
{
	struct thread *t = thread_of(st, u->pid, u->tid);
	uint32_t i = u->n, j = 0, node, waiting = 0;
	struct frame head = { 0 };

	if (u->guessed)
		*flags |= HD_CHAIN_SUM_GUESSED;
	/*
	 * The file is not sorted by time across CPUs.  A lower time than that of the last sample means that the
	 * thread was on another CPU, so this sample does not follow the stored stack.
	 */
	if (u->time_ns < t->time_ns)
		t->n = 0;
	t->time_ns = u->time_ns;
	move_thread(st, t, u->at);
	next_turn(t, u->cfa[0]);
	if (t->n && is_waiting(st, t->root)) {
		waiting = t->root;
		head = t->frame[0];
	}
	if (u->end == HD_UNWIND_END_CUT && !st->off && u->cfa[u->n - 1]) {
		j = place_cut(st, t, u, flags);
		node = t->frame[j++].node;
		i--;
	} else {
		uint32_t root = root_of(st, u);

		if (u->end == HD_UNWIND_END_CUT)
			*flags |= HD_CHAIN_SUM_CUT;
		if (t->root != root || !t->n || !t->whole)
			begin(st, t, root);
		node = root;
	}
	while (i > 0 && j < t->n && same_frame(&t->frame[j], u, i - 1) && t->frame[j].tag == tag_of(u, i - 1)) {
		node = t->frame[j++].node;
		i--;
	}
	returned(st, t, j);
	while (i-- > 0) {
		uint32_t caller = node;

		if (waiting && waiting != t->root && head.cfa == u->cfa[i] && head.ip == u->ip[i]) {
			if (!recursive(st, hd_chains_nodes(st->c)[head.node].location, caller))
				graft(st, waiting, caller);
			waiting = 0;
		} else if (t->was_cut && !st->off) {
			graft_onto(st, t, u->cfa[i], u->ip[i], caller);
		}
		node = node_of(st, u, i, node);
		push(t, u, i, node);
	}
	return node;
}
