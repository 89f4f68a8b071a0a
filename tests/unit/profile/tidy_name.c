/* tidy_name.c - remove the parameters of demangled names.  The expected names are those of `c++filt -p`. */
#include "test.h"

#include "profile/tidy_name.h"

#include <string.h>

static void expect_short(const char *name, const char *want)
{
	struct hd_buf out = { 0 };

	hd_buf_add(&out, name, hd_name_without_parameters(name, strlen(name)));
	EXPECT_STR(hd_buf_str(&out), want);
	hd_buf_release(&out);
}

TEST(parameters_are_cut)
{
	expect_short("h(int)", "h");
	expect_short("A::g() &&", "A::g");
	expect_short("std::function<int (int)>::operator()(int) const", "std::function<int (int)>::operator()");
	expect_short("(anonymous namespace)::parse(int)", "(anonymous namespace)::parse");
	expect_short("net/http.(*Client).Do", "net/http.(*Client).Do");
}

TEST(a_local_name_keeps_the_parameters_of_its_function)
{
	expect_short("h(int)::L::m(char)", "h(int)::L::m");
	expect_short("h(int)::L::m", "h(int)::L::m");
	expect_short("A::f(int) const::{lambda(char)#1}::operator()(char) const",
		"A::f(int) const::{lambda(char)#1}::operator()");
	expect_short("A::g() &&::{lambda(char)#1}::operator()(char) const",
		"A::g() &&::{lambda(char)#1}::operator()");
	expect_short("f(void (*)(int))::g(int)::h(long)", "f(void (*)(int))::g(int)::h");
}

TEST(damaged_names_end_at_their_parenthesis)
{
	expect_short("f(", "f");
	expect_short("f((int)::g", "f");
	expect_short("f()::", "f()::");
	expect_short("f)::g(int)", "f)::g");
	expect_short("", "");
}

TEST_MAIN(RUN(parameters_are_cut),
	  RUN(a_local_name_keeps_the_parameters_of_its_function),
	  RUN(damaged_names_end_at_their_parenthesis))
