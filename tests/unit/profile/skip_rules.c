/* skip_rules.c - rules assign the self cost of a sample to the innermost frame of the user's own code */
#include "test.h"

#include "profile/skip_rules.h"

#include <string.h>

struct frame { const char *object, *name; bool inlined, kernel; };

static hd_frame_id add(struct hd_profile *p, const struct frame *f)
{
	struct hd_profile_symbol s = { .object = hd_profile_add_object(p, f->object, "", f->kernel),
		.kernel = f->kernel };

	if (f->name)
		s.linkage = s.name = s.full = hd_profile_name(p, f->name);
	else
		s.unresolved = true, s.start = 0x1234;
	return hd_profile_add_frame(p,
		&(struct hd_frame){ .symbol = hd_profile_add_symbol(p, &s), .inlined = f->inlined });
}

/*
 * Return the function to which these rules assign the self cost of a stack of n frames (outermost first), as `self`,
 * or as `self/inner` if the innermost frame is another function.
 */
static const char *self_of(const struct frame *frames, size_t n, const char *rules, bool by_default)
{
	static char text[200];
	struct hd_profile *p = hd_profile_new();
	struct hd_sample_row row = { 0 };
	struct hd_skip_rules k;

	for (size_t i = 0; i < n; i++) {
		hd_frame_id f = add(p, &frames[i]);

		row.stack = hd_stacks_add(p->stacks, row.stack, f);
		if (!frames[i].inlined)
			row.self = f;
	}
	hd_skip_rules_init(&k, p, rules, by_default);
	hd_skip_rules_apply(&k, &row);
	snprintf(text, sizeof(text), "%s%s%s", hd_profile_frame_name(p, row.self, &(bool){ false }),
		row.inner.v && row.inner.v != row.self.v ? "/" : "",
		row.inner.v && row.inner.v != row.self.v ? hd_profile_frame_name(p, row.inner, &(bool){ false }) : "");
	hd_skip_rules_release(&k);
	hd_profile_free(p);
	return text;
}
#define SELF(rules, by_default, ...) self_of((const struct frame[]){ __VA_ARGS__ }, \
	sizeof((const struct frame[]){ __VA_ARGS__ }) / sizeof(struct frame), rules, by_default)

#define MAIN	{ "/bin/app", "main", false, false }
#define PARSE	{ "/bin/app", "parse", false, false }
#define PUSH	{ "/bin/app", "std::vector<int>::push_back", false, false }
#define MALLOC	{ "/lib/x86_64-linux-gnu/libc.so.6", "malloc", false, false }
#define KERNEL	{ "[kernel.kallsyms]", "__schedule", false, true }

TEST(frames_of_the_allocator_the_libraries_and_the_kernel_are_skipped)
{
	EXPECT_STR(SELF(NULL, true, MAIN, PARSE, PUSH, { "/lib/libstdc++.so.6", "operator new", false, false }, MALLOC),
		"parse");
	EXPECT_STR(SELF(NULL, true, MAIN, PARSE, { "/lib/libc.so.6", "read", false, false }, KERNEL), "parse");
	EXPECT_STR(SELF(NULL, true, MAIN, PARSE, { "/bin/app", "operator new[]", false, false }), "parse");
	EXPECT_STR(SELF(NULL, true, MAIN, PARSE, { "/lib/libc-2.31.so", NULL, false, false }), "parse");
}

TEST(a_function_that_only_sounds_like_one_of_them_is_not)
{
	EXPECT_STR(SELF(NULL, true, MAIN, { "/bin/app", "core::run", false, false }, MALLOC), "core::run");
	EXPECT_STR(SELF(NULL, true, MAIN, { "/bin/app", "my_malloc", false, false }, MALLOC), "my_malloc");
	EXPECT_STR(SELF(NULL, true, MAIN, { "/opt/libcrunch.so", "crunch", false, false }, MALLOC), "crunch");
	EXPECT_STR(SELF(NULL, true, MAIN, { "/bin/app", NULL, false, false }, MALLOC),
		"[unknown]"); /* stripped code is also the user's */
}

TEST(with_inlines_the_innermost_inlined_function_of_the_user_has_the_inner_cost)
{
	EXPECT_STR(SELF(NULL, true, MAIN, PARSE, { "/bin/app", "clamp", true, false },
			   { "/bin/app", "std::max", true, false }, MALLOC),
		"parse/clamp");
	EXPECT_STR(SELF(NULL, true, MAIN, PARSE, PUSH, { "/bin/app", "clamp", true, false }, MALLOC), "parse");
}

#define RUN_THREAD { "/lib/libstdc++.so.6", "execute_native_thread_routine", false, false }
#define THREAD	{ "/bin/app", THREAD_NAME, false, false }
#define THREAD_NAME "std::thread::_State_impl<std::thread::_Invoker<std::tuple<main::{lambda()#1}> > >::_M_run"

TEST(a_function_that_runs_a_callable_of_the_user_counts_as_the_callable_that_was_inlined_into_it)
{
	static const char *const names[] = {
		"std::_Function_handler<void (), main::{lambda()#1}>::_M_invoke",
		"std::__future_base::_Async_state_impl<std::thread::_Invoker<std::tuple<f> >, void>::_M_run",
		"std::_Bind<f (int)>::operator()<>", "std::__invoke_impl<void, f>", "std::call_once<f>",
		"std::__1::__thread_proxy[abi:v160006]<std::__1::tuple<f> >",
		"std::__1::__function::__func<f, std::__1::allocator<f>, void ()>::operator()",
		"std::sys::backtrace::__rust_begin_short_backtrace",
	};

	EXPECT_STR(SELF(NULL, true, RUN_THREAD, THREAD, MALLOC), THREAD_NAME);
	EXPECT_STR(SELF(NULL, true, RUN_THREAD, THREAD, { "/bin/app", "main::{lambda()#1}", true, false }, MALLOC),
		THREAD_NAME "/main::{lambda()#1}");
	EXPECT_STR(SELF(NULL, true, RUN_THREAD, THREAD, PARSE, MALLOC), "parse");
	EXPECT_STR(SELF("std::*", true, MAIN, THREAD, MALLOC), "main");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		EXPECT_STR(SELF(NULL, true, MAIN, { "/bin/app", names[i], false, false }, MALLOC), names[i]);
}

TEST(templates_in_an_object_of_the_user_are_skipped_unless_their_own_cost_is_listed)
{
	struct hd_skip_rules_names sort = { "std::__introsort_loop<int*, long>", "_ZSt16__introsort_loop", "app",
		false, false };
	struct hd_skip_rules_names in_library = { "std::ostream::write", "_ZNSo5writeEPKcl", "libstdc++.so.6", false,
		true };
	struct hd_skip_rules k;

	hd_skip_rules_init(&k, NULL, NULL, true);
	EXPECT(hd_skip_rules_match(&k, &sort));
	sort.own_cost = true;
	EXPECT(!hd_skip_rules_match(&k, &sort));
	EXPECT(hd_skip_rules_match(&k, &in_library));
	hd_skip_rules_release(&k);
	hd_skip_rules_init(&k, NULL, "std::*", true);
	EXPECT(hd_skip_rules_match(&k, &sort));
	hd_skip_rules_release(&k);
}

TEST(a_stack_of_such_frames_alone_keeps_its_innermost_one)
{
	EXPECT_STR(SELF(NULL, true, { "/lib/ld-linux-x86-64.so.2", "_dl_start", false, false }, MALLOC), "malloc");
}

TEST(rules_add_to_the_default_ones_take_from_them_or_turn_them_off)
{
	EXPECT_STR(SELF("par*", true, MAIN, PARSE, MALLOC), "main");
	EXPECT_STR(SELF("par*", false, MAIN, PARSE, MALLOC), "main");
	EXPECT_STR(SELF("!std::*", true, MAIN, PARSE, PUSH, MALLOC), "std::vector<int>::push_back");
	EXPECT_STR(SELF("app", true, { "/lib/libown.so", "own", false, false }, PARSE, MALLOC), "own");
	EXPECT_STR(SELF("none", true, MAIN, PARSE, MALLOC), "malloc");
	EXPECT_STR(SELF(NULL, false, MAIN, PARSE, MALLOC), "malloc");
	EXPECT_STR(SELF("default", false, MAIN, PARSE, MALLOC), "parse");
}

TEST_MAIN(RUN(frames_of_the_allocator_the_libraries_and_the_kernel_are_skipped),
	  RUN(a_function_that_only_sounds_like_one_of_them_is_not),
	  RUN(with_inlines_the_innermost_inlined_function_of_the_user_has_the_inner_cost),
	  RUN(a_function_that_runs_a_callable_of_the_user_counts_as_the_callable_that_was_inlined_into_it),
	  RUN(templates_in_an_object_of_the_user_are_skipped_unless_their_own_cost_is_listed),
	  RUN(a_stack_of_such_frames_alone_keeps_its_innermost_one),
	  RUN(rules_add_to_the_default_ones_take_from_them_or_turn_them_off))
