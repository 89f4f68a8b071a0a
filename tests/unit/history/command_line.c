/*
 * command_line.c - find the part of a command line that is the workload
 */
#include "test.h"

#include "history/command_line.h"
#include "base/mem.h"

static void expect_arguments(const char *command, const char *want)
{
	struct hd_buf b = { 0 };

	hd_workload_arguments(&b, command);
	EXPECT_STR(hd_buf_str(&b), want);
	hd_buf_release(&b);
}

TEST(the_arguments_are_those_of_the_workload)
{
	expect_arguments("serve --size 10", "serve --size 10");
	expect_arguments("/build/a/serve --size 10", "serve --size 10");
	expect_arguments("perf record -F 99 -g -o x.data ./serve -n 1", "serve -n 1");
	expect_arguments("/usr/bin/perf record --call-graph dwarf,8192 -e cycles:u -- /b/serve -n 1", "serve -n 1");
	expect_arguments("perf record --freq=99 --call-graph=fp serve", "serve");
	expect_arguments("perf record -a -o x.data", "");
	expect_arguments("perf stat ls", "");
	expect_arguments("perf", "");
	expect_arguments("   ", "");
	expect_arguments("", "");
}

TEST_MAIN(RUN(the_arguments_are_those_of_the_workload))
