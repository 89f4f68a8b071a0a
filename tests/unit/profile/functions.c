/* functions.c - find the function to which a sample in inlined code belongs, and the symbols that are one function */
#include "test.h"

#include "profile/functions.h"

static uint32_t symbol(struct hd_profile *p, uint32_t object, const char *linkage, uint64_t start, bool kernel)
{
	struct hd_profile_symbol s = {
		.object = object, .start = start, .size = start ? 16 : 0, .kernel = kernel,
		.linkage = hd_profile_name(p, linkage), .name = hd_profile_name(p, linkage),
	};

	return hd_profile_add_symbol(p, &s);
}

static hd_frame_id frame(struct hd_profile *p, uint32_t of, bool inlined, uint64_t vaddr)
{
	struct hd_frame f = { .symbol = of, .inlined = inlined, .vaddr = vaddr };

	return hd_profile_add_frame(p, &f);
}

static hd_stack_id stack(struct hd_profile *p, const hd_frame_id *frames, size_t n)
{
	hd_stack_id s = { 0 };

	for (size_t i = 0; i < n; i++)
		s = hd_stacks_add(p->stacks, s, frames[i]);
	return s;
}

/* A profile in which main calls work; clamp is inlined into work, and low into clamp. */
struct example {
	struct hd_profile *p;
	hd_frame_id main, work, clamp, low;
	struct hd_sample_row row;
};

static struct example example(void)
{
	struct example e = { .p = hd_profile_new() };
	uint32_t app = hd_profile_add_object(e.p, "/bin/app", "", false);

	e.main = frame(e.p, symbol(e.p, app, "main", 0x1000, false), false, 0x1008);
	e.work = frame(e.p, symbol(e.p, app, "work", 0x2000, false), false, 0x2008);
	e.clamp = frame(e.p, symbol(e.p, app, "clamp", 0, false), true, 0x2008);
	e.low = frame(e.p, symbol(e.p, app, "low", 0, false), true, 0x2008);
	e.row.stack = stack(e.p, (hd_frame_id[]){ e.main, e.work, e.clamp, e.low }, 4);
	e.row.self = e.work;
	return e;
}

TEST(by_the_symbol_table_a_sample_belongs_to_the_function_that_contains_the_inlined_code)
{
	struct example e = example();

	EXPECT_INT(hd_functions_self(e.p, &e.row, false).v, e.work.v);
	hd_profile_free(e.p);
}

TEST(by_inlined_functions_a_sample_belongs_to_the_innermost_one)
{
	struct example e = example();

	EXPECT_INT(hd_functions_self(e.p, &e.row, true).v, e.low.v);
	e.row.stack = stack(e.p, &e.main, 1);
	e.row.self = e.main;
	EXPECT_INT(hd_functions_self(e.p, &e.row, true).v, e.main.v);
	hd_profile_free(e.p);
}

TEST(a_sample_taken_outside_of_its_stack_is_not_the_stacks)
{
	struct example e = example();
	uint32_t kernel = hd_profile_add_object(e.p, "[kernel.kallsyms]", "", true);

	e.row.self = frame(e.p, symbol(e.p, kernel, "entry", 0xffff800000000010, true), false, 0);
	EXPECT_INT(hd_functions_self(e.p, &e.row, true).v, e.row.self.v);
	e.row.stack.v = 0;
	EXPECT_INT(hd_functions_self(e.p, &e.row, true).v, e.row.self.v);
	hd_profile_free(e.p);
}

TEST(the_holder_may_be_another_frame_of_the_same_function)
{
	struct example e = example();

	e.row.self = frame(e.p, e.p->frames[e.work.v].symbol, false, 0x200c);
	EXPECT_INT(hd_functions_self(e.p, &e.row, true).v, e.low.v);
	hd_profile_free(e.p);
}

TEST(in_folded_text_the_function_that_contains_the_inlined_leaf_is_found_in_the_stack)
{
	struct example e = example();

	e.row.self = e.low;
	EXPECT_INT(hd_functions_self(e.p, &e.row, true).v, e.low.v);
	EXPECT_INT(hd_functions_self(e.p, &e.row, false).v, e.work.v);
	/* the stack has inlined functions only, without the function that contains them */
	e.row.stack = stack(e.p, (hd_frame_id[]){ e.clamp, e.low }, 2);
	EXPECT_INT(hd_functions_self(e.p, &e.row, false).v, e.low.v);
	hd_profile_free(e.p);
}

TEST(symbols_with_one_linkage_name_in_one_object_are_one_function_represented_by_the_lowest_address)
{
	for (int turn = 0; turn < 2; turn++) {
		struct hd_profile *p = hd_profile_new();
		uint32_t a = hd_profile_add_object(p, "/a.so", "", false),
			 b = hd_profile_add_object(p, "/b.so", "", false);
		struct hd_functions fn;
		uint32_t low, high, inlined, other, kernel;

		if (turn) {
			inlined = symbol(p, a, "work", 0, false);
			low = symbol(p, a, "work", 0x1000, false);
			high = symbol(p, a, "work", 0x2000, false);
		} else {
			high = symbol(p, a, "work", 0x2000, false);
			low = symbol(p, a, "work", 0x1000, false);
			inlined = symbol(p, a, "work", 0, false);
		}
		other = symbol(p, b, "work", 0, false);
		kernel = symbol(p, a, "work", 0x3000, true);
		hd_functions_init(&fn, p);
		EXPECT_INT(fn.of[high], low);
		EXPECT_INT(fn.of[inlined], low);
		EXPECT_INT(fn.of[low], low);
		EXPECT_INT(fn.of[other], other);
		EXPECT_INT(fn.of[kernel], kernel);
		hd_functions_release(&fn);
		hd_profile_free(p);
	}
}

TEST(addresses_without_a_name_belong_to_no_function)
{
	struct hd_profile *p = hd_profile_new();
	struct hd_profile_symbol a = { .start = 0x10, .unresolved = true }, b = { .start = 0x20, .unresolved = true };
	uint32_t x = hd_profile_add_symbol(p, &a), y = hd_profile_add_symbol(p, &b);
	struct hd_functions fn;

	hd_functions_init(&fn, p);
	EXPECT_INT(fn.of[0], 0);
	EXPECT_INT(fn.of[x], x);
	EXPECT_INT(fn.of[y], y);
	hd_functions_release(&fn);
	hd_profile_free(p);
}

TEST_MAIN(RUN(by_the_symbol_table_a_sample_belongs_to_the_function_that_contains_the_inlined_code),
	  RUN(by_inlined_functions_a_sample_belongs_to_the_innermost_one),
	  RUN(a_sample_taken_outside_of_its_stack_is_not_the_stacks),
	  RUN(the_holder_may_be_another_frame_of_the_same_function),
	  RUN(in_folded_text_the_function_that_contains_the_inlined_leaf_is_found_in_the_stack),
	  RUN(symbols_with_one_linkage_name_in_one_object_are_one_function_represented_by_the_lowest_address),
	  RUN(addresses_without_a_name_belong_to_no_function))
