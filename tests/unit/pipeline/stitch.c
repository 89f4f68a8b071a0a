/*
 * stitch.c - complete cut stacks from other samples of their thread
 *
 * A stack is written as perf prints it, innermost frame first: "30@300 20@400 10@500" is the address 0x30 in the frame
 * whose CFA is 0x300, and its callers.
 */
#include "synthetic_locations.h"

#include "pipeline/stitch.h"
#include "pipeline/chain_sums.h"

#include <string.h>

enum { MAX = 64 };

struct world {
	struct places *places;
	struct hd_chains *c;
	struct hd_stitch *st;
	struct hd_process_context at;
	uint32_t flags;			/* flags of the last sample */
	uint64_t time_ns;		/* time of all samples that are added */
};

static struct world world(bool off)
{
	struct world w = { .places = hd_new(struct places), .at = { .space = 1 } };

	w.c = places_chains(w.places);
	w.st = hd_stitch_new(w.c, off);
	return w;
}

static void release(struct world *w)
{
	hd_stitch_free(w->st);
	hd_chains_free(w->c);
	places_release(w->places);
	free(w->places);
}

/* Add a stack of thread tid that ended for the reason `end`; returns its node. */
static uint32_t add(struct world *w, int32_t tid, enum hd_unwind_end end, const char *frames)
{
	uint64_t ip[MAX], cfa[MAX];
	uint8_t flags[MAX] = { HD_UNWIND_EXACT };
	struct hd_unwound_stack u = { .at = &w->at,
		.pid = 1,
		.tid = tid,
		.time_ns = w->time_ns,
		.end = end,
		.ip = ip,
		.cfa = cfa,
		.flags = flags };

	for (const char *s = frames; *s; u.n++) {
		char *end_of;

		EXPECT(u.n < MAX);
		ip[u.n] = strtoull(s, &end_of, 16);
		EXPECT(*end_of == '@');
		cfa[u.n] = strtoull(end_of + 1, &end_of, 16);
		s = end_of + (*end_of == ' ');
	}
	w->flags = 0;
	return hd_stitch_add(w->st, &u, &w->flags);
}

/* Expect the stack after all completions: a word for its outer end, then the addresses, outermost first. */
static void expect_stack(const struct world *w, uint32_t node, const char *want)
{
	static const char *const ends[] = { "recorded", "root", "ended", "cut", "cut" };
	const struct hd_chain_node *nodes = hd_chains_nodes(w->c);
	uint64_t ip[4 * MAX];
	struct hd_buf b = { 0 };
	size_t n = 0;

	for (;;) {
		if (hd_chain_is_root(&nodes[node])) {
			const struct hd_chain_root *r = hd_chains_root_of(w->c, node);

			if (!r->graft) {
				hd_buf_adds(&b, ends[r->end]);
				break;
			}
			node = r->graft;
			continue;
		}
		EXPECT(n < HD_COUNT(ip));
		ip[n++] = w->places->items[nodes[node].location].ip;
		node = nodes[node].outer;
	}
	while (n-- > 0)
		hd_buf_addf(&b, " %llx", (unsigned long long)ip[n]);
	EXPECT_STR(hd_buf_str(&b), want);
	hd_buf_release(&b);
}

TEST(a_whole_stack_is_a_path_from_its_root)
{
	struct world w = world(false);

	expect_stack(&w, add(&w, 7, HD_UNWIND_END_ROOT, "30@300 20@400 10@500"), "root 10 20 30");
	EXPECT_INT(w.flags, 0);
	release(&w);
}

TEST(equal_stacks_are_one_node)
{
	struct world w = world(false);
	uint32_t a = add(&w, 7, HD_UNWIND_END_ROOT, "30@300 20@400 10@500");

	EXPECT_INT(add(&w, 7, HD_UNWIND_END_ROOT, "30@300 20@400 10@500"), a);
	EXPECT_INT(add(&w, 8, HD_UNWIND_END_ROOT, "30@3000 20@4000 10@5000"), a);
	release(&w);
}

TEST(a_cut_stack_has_the_callers_that_the_sample_before_showed)
{
	struct world w = world(false);
	uint32_t node;

	add(&w, 7, HD_UNWIND_END_ROOT, "31@300 20@400 10@500");
	node = add(&w, 7, HD_UNWIND_END_CUT, "40@200 32@300 20@400");
	expect_stack(&w, node, "root 10 20 32 40");
	EXPECT_INT(w.flags, HD_CHAIN_SUM_CUT | HD_CHAIN_SUM_STITCHED);
	release(&w);
}

TEST(cut_stacks_are_completed_one_from_another)
{
	struct world w = world(false);

	add(&w, 7, HD_UNWIND_END_ROOT, "30@300 20@400 10@500");
	add(&w, 7, HD_UNWIND_END_CUT, "50@100 40@200 30@300");
	expect_stack(&w, add(&w, 7, HD_UNWIND_END_CUT, "70@50 60@80 50@100"), "root 10 20 30 40 50 60 70");
	release(&w);
}

TEST(a_frame_is_recognised_by_its_stack_address_and_its_address)
{
	struct world w = world(false);

	add(&w, 7, HD_UNWIND_END_ROOT, "30@300 20@400 10@500");
	expect_stack(&w, add(&w, 7, HD_UNWIND_END_CUT, "40@200 30@308"),
		"cut 30 40"); /* the frame of 30 is at another place of the stack */
	EXPECT_INT(w.flags, HD_CHAIN_SUM_CUT);
	release(&w);
}

TEST(another_callee_at_the_same_place_may_have_another_caller)
{
	struct world w = world(false);

	add(&w, 7, HD_UNWIND_END_ROOT, "30@300 20@400 10@500");
	expect_stack(&w, add(&w, 7, HD_UNWIND_END_CUT, "40@200 31@300"), "cut 31 40");
	release(&w);
}

TEST(a_sample_that_was_taken_before_the_last_one_is_not_completed_from_it)
{
	uint64_t ip[] = { 0x40, 0x30 }, cfa[] = { 0x200, 0x300 };
	uint8_t flags[] = { HD_UNWIND_EXACT, 0 };
	struct world w = world(false);
	struct hd_unwound_stack u = { .at = &w.at,
		.pid = 1,
		.tid = 7,
		.n = 2,
		.end = HD_UNWIND_END_CUT,
		.ip = ip,
		.cfa = cfa,
		.flags = flags };

	w.time_ns = 20;
	add(&w, 7, HD_UNWIND_END_ROOT, "30@300 20@400 10@500");
	u.time_ns = 10;	/* the sample of another CPU has an earlier time than the one that was added before it */
	expect_stack(&w, hd_stitch_add(w.st, &u, &w.flags), "cut 30 40");
	release(&w);
}

TEST(a_function_interrupted_by_a_signal_is_not_stitched_to_another_caller)
{
	uint64_t ip[] = { 0x90, 0x31 }, cfa[] = { 0x9000, 0x300 };
	uint8_t flags[] = { HD_UNWIND_EXACT, HD_UNWIND_EXACT };
	struct world w = world(false);
	struct hd_unwound_stack u = { .at = &w.at,
		.pid = 1,
		.tid = 7,
		.n = 2,
		.end = HD_UNWIND_END_CUT,
		.ip = ip,
		.cfa = cfa,
		.flags = flags };

	add(&w, 7, HD_UNWIND_END_ROOT, "30@300 20@400 10@500");
	expect_stack(&w, hd_stitch_add(w.st, &u, &w.flags), "cut 31 90");
	release(&w);
}

/* All frames of a recursion look alike, 0x10 bytes apart. */
TEST(frames_of_a_recursion_from_before_its_return_complete_no_stack)
{
	struct world w = world(false);

	add(&w, 7, HD_UNWIND_END_CUT, "40@200"); /* a stack was cut: from now on stacks are stored */
	add(&w, 7, HD_UNWIND_END_ROOT, "50@3d0 40@3e0 40@3f0 20@400 10@500");
	add(&w, 7, HD_UNWIND_END_ROOT, "11@500");			/* all inner functions have returned */
	expect_stack(&w, add(&w, 7, HD_UNWIND_END_CUT, "60@3c0 40@3d0 40@3e0"), "cut 40 40 60");
	add(&w, 7, HD_UNWIND_END_ROOT, "51@3f0 20@400 10@500");
	add(&w, 7, HD_UNWIND_END_ROOT, "11@500");
	expect_stack(&w, add(&w, 7, HD_UNWIND_END_CUT, "60@3e0 51@3f0 20@400"),
		"root 10 20 51 60"); /* no frame of this stack is recursive */
	release(&w);
}

TEST(threads_do_not_complete_each_other)
{
	struct world w = world(false);

	add(&w, 7, HD_UNWIND_END_ROOT, "30@300 20@400 10@500");
	expect_stack(&w, add(&w, 8, HD_UNWIND_END_CUT, "40@200 30@300"), "cut 30 40");
	release(&w);
}

TEST(a_later_sample_completes_the_ones_before_it)
{
	struct world w = world(false);
	uint32_t first = add(&w, 7, HD_UNWIND_END_CUT, "50@100 40@200 30@300"),
		 second = add(&w, 7, HD_UNWIND_END_CUT, "51@100 40@200");

	expect_stack(&w, first, "cut 30 40 50");
	expect_stack(&w, second, "cut 30 40 51");
	add(&w, 7, HD_UNWIND_END_ROOT, "30@300 20@400 10@500");
	expect_stack(&w, first, "root 10 20 30 40 50");
	expect_stack(&w, second, "root 10 20 30 40 51");
	release(&w);
}

TEST(a_later_sample_that_is_cut_itself_brings_what_it_knows)
{
	struct world w = world(false);
	uint32_t first = add(&w, 7, HD_UNWIND_END_CUT, "50@100 40@200 30@300");

	add(&w, 7, HD_UNWIND_END_CUT, "30@300 20@400 18@450");
	expect_stack(&w, first, "cut 18 20 30 40 50");
	add(&w, 7, HD_UNWIND_END_ROOT, "18@450 10@500");
	expect_stack(&w, first, "root 10 18 20 30 40 50");
	release(&w);
}

TEST(a_call_made_again_has_the_callers_it_had_before)
{
	struct world w = world(false);
	uint32_t first = add(&w, 7, HD_UNWIND_END_CUT, "40@200 30@300 20@400"), again;

	add(&w, 7, HD_UNWIND_END_ROOT, "35@300 20@400 10@500");
	add(&w, 7, HD_UNWIND_END_ROOT, "11@500");			/* all inner functions have returned */
	again = add(&w, 7, HD_UNWIND_END_CUT, "40@200 30@300 20@400");
	expect_stack(&w, again, "root 10 20 30 40");
	expect_stack(&w, first, "root 10 20 30 40");
	release(&w);
}

TEST(a_repeated_call_also_completes_the_stack_before_it)
{
	struct world w = world(false);
	uint32_t first = add(&w, 7, HD_UNWIND_END_CUT, "40@200 30@300");

	add(&w, 7, HD_UNWIND_END_ROOT, "11@500");
	add(&w, 7, HD_UNWIND_END_ROOT, "41@250 30@300 20@400 10@500");
	expect_stack(&w, first, "root 10 20 30 40");
	release(&w);
}

TEST(without_stitching_cut_stacks_stay_cut)
{
	struct world w = world(true);

	add(&w, 7, HD_UNWIND_END_ROOT, "30@300 20@400 10@500");
	expect_stack(&w, add(&w, 7, HD_UNWIND_END_CUT, "40@200 30@300"), "cut 30 40");
	EXPECT_INT(w.flags, HD_CHAIN_SUM_CUT);
	release(&w);
}

TEST(a_frame_without_a_stack_address_is_never_used_as_a_caller)
{
	struct world w = world(false);

	add(&w, 7, HD_UNWIND_END_ROOT, "30@0 20@400 10@500");
	expect_stack(&w, add(&w, 7, HD_UNWIND_END_CUT, "40@200 30@0"), "cut 30 40");
	release(&w);
}

/* A lookup for programs in which an address is the same function in all address spaces. */
static uint32_t same_in_all_spaces(void *ctx, const struct hd_process_context *at, unsigned tag, uint64_t ip)
{
	struct hd_process_context one = { .space = 1 };

	(void)at;
	return places_locate(ctx, &one, tag, ip);
}

TEST(a_mapping_in_between_does_not_change_the_callers)
{
	struct world w = world(false);

	hd_stitch_free(w.st);
	hd_chains_free(w.c);
	w.c = hd_chains_new(&(struct hd_chains_source){ .locate = same_in_all_spaces, .ctx = w.places });
	w.st = hd_stitch_new(w.c, false);
	add(&w, 7, HD_UNWIND_END_ROOT, "30@300 20@400 10@500");
	w.at.space = 2;
	expect_stack(&w, add(&w, 7, HD_UNWIND_END_CUT, "40@200 30@300"), "root 10 20 30 40");
	release(&w);
}

TEST(code_that_was_replaced_is_never_used_as_a_caller)
{
	struct world w = world(false);

	add(&w, 7, HD_UNWIND_END_ROOT, "30@300 20@400 10@500");
	w.at.space = 2;
	expect_stack(&w, add(&w, 7, HD_UNWIND_END_CUT, "40@200 30@300"), "cut 30 40");
	release(&w);
}

TEST(a_signal_handler_on_a_stack_of_its_own_is_no_circle)
{
	struct world w = world(false);
	uint32_t handler = add(&w, 7, HD_UNWIND_END_CUT, "90@9000 30@300");

	add(&w, 7, HD_UNWIND_END_CUT, "30@300 20@9000");
	add(&w, 7, HD_UNWIND_END_CUT, "20@9000 90@9000 30@300");
	add(&w, 7, HD_UNWIND_END_CUT, "91@8000 20@9000");
	expect_stack(&w, handler, "cut 20 30 90");
	release(&w);
}

TEST(forgotten_chains_are_not_built_on)
{
	struct world w = world(false);

	add(&w, 7, HD_UNWIND_END_ROOT, "30@300 20@400 10@500");
	hd_chains_clear(w.c);
	hd_stitch_clear(w.st);
	expect_stack(&w, add(&w, 7, HD_UNWIND_END_CUT, "40@200 30@300"), "cut 30 40");
	release(&w);
}

TEST(the_object_in_which_unwinding_failed_is_recorded)
{
	struct world w = world(false);
	uint32_t node = add(&w, 7, HD_UNWIND_END_BAD, "30@300 20@400");

	expect_stack(&w, node, "ended 20 30");
	release(&w);
}

static uint64_t ip_of(const struct world *w, uint32_t node)
{
	return w->places->items[hd_chains_nodes(w->c)[node].location].ip;
}

/*
 * A program with known stacks: a random walk of calls and returns, in which every frame has its own
 * address.  Whatever part a copy has, the completed stack must be true: the caller of each frame
 * must be its real caller.
 */
TEST(no_stack_of_a_random_walk_is_completed_wrongly)
{
	enum { STEPS = 20000, WINDOW = 6, DEEP = 40 };
	uint64_t ip[DEEP], next_ip = 0x1000;
	uint64_t *caller_of;
	struct world w = world(false);
	uint32_t depth = 0, completed = 0, seed = 1, *nodes;

	caller_of = hd_new_array(uint64_t, STEPS + 0x1000 + DEEP);
	nodes = hd_new_array(uint32_t, STEPS);
	for (uint32_t step = 0; step < STEPS; step++) {
		uint64_t ips[DEEP], cfas[DEEP];
		uint8_t flags[DEEP] = { HD_UNWIND_EXACT };
		struct hd_unwound_stack u = { .at = &w.at, .pid = 1, .tid = 1, .ip = ips, .cfa = cfas, .flags = flags };

		seed = seed * 1103515245 + 12345;
		if (depth == 0 || (depth < DEEP && (seed >> 16 & 15) < 8)) {
			caller_of[next_ip] = depth ? ip[depth - 1] : 0;
			ip[depth++] = next_ip++;
		} else if (depth > 1) {
			depth--;
		}
		u.n = depth < WINDOW ? depth : WINDOW;
		u.end = depth <= WINDOW ? HD_UNWIND_END_ROOT : HD_UNWIND_END_CUT;
		for (uint32_t i = 0; i < u.n; i++) {
			ips[i] = ip[depth - 1 - i];
			cfas[i] = 0x100000 - 16 * (uint64_t)(depth - 1 - i);
		}
		nodes[step] = hd_stitch_add(w.st, &u, &w.flags);
	}
	for (uint32_t step = 0; step < STEPS; step++) {
		const struct hd_chain_node *all = hd_chains_nodes(w.c);
		uint32_t node = nodes[step], out;

		for (;;) {
			out = all[node].outer;
			while (hd_chain_is_root(&all[out]) && hd_chains_root_of(w.c, out)->graft)
				out = hd_chains_root_of(w.c, out)->graft;
			if (hd_chain_is_root(&all[out]))
				break;
			EXPECT_INT(caller_of[ip_of(&w, node)], ip_of(&w, out));
			node = out;
		}
		completed += hd_chains_root_of(w.c, out)->end == HD_CHAIN_COMPLETE;
	}
	EXPECT(completed > STEPS * 9 / 10);
	free(nodes);
	free(caller_of);
	release(&w);
}

TEST_MAIN(RUN(a_whole_stack_is_a_path_from_its_root),
	  RUN(equal_stacks_are_one_node),
	  RUN(a_cut_stack_has_the_callers_that_the_sample_before_showed),
	  RUN(cut_stacks_are_completed_one_from_another),
	  RUN(a_frame_is_recognised_by_its_stack_address_and_its_address),
	  RUN(another_callee_at_the_same_place_may_have_another_caller),
	  RUN(a_sample_that_was_taken_before_the_last_one_is_not_completed_from_it),
	  RUN(a_function_interrupted_by_a_signal_is_not_stitched_to_another_caller),
	  RUN(frames_of_a_recursion_from_before_its_return_complete_no_stack),
	  RUN(threads_do_not_complete_each_other),
	  RUN(a_later_sample_completes_the_ones_before_it),
	  RUN(a_later_sample_that_is_cut_itself_brings_what_it_knows),
	  RUN(a_call_made_again_has_the_callers_it_had_before),
	  RUN(a_repeated_call_also_completes_the_stack_before_it),
	  RUN(without_stitching_cut_stacks_stay_cut),
	  RUN(a_frame_without_a_stack_address_is_never_used_as_a_caller),
	  RUN(a_mapping_in_between_does_not_change_the_callers),
	  RUN(code_that_was_replaced_is_never_used_as_a_caller),
	  RUN(a_signal_handler_on_a_stack_of_its_own_is_no_circle),
	  RUN(forgotten_chains_are_not_built_on),
	  RUN(the_object_in_which_unwinding_failed_is_recorded),
	  RUN(no_stack_of_a_random_walk_is_completed_wrongly))
