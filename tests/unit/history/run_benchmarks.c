/* run_benchmarks.c - find the symbols that a micro-benchmark covers */
#include "history/benchmark_cover.h"
#include "history/run_benchmarks.h"
#include "test.h"

#include <string.h>

/* Return the symbols that a benchmark of this name covers, joined by blanks; "error" if the rules are invalid. */
static const char *covers(const char *name, const char *rules)
{
	static char out[400];
	struct hd_micro_benchmarks b = { .n = 0 };
	struct hd_micro_benchmark *one;
	struct hd_run_csv_set set = { .n = 0 };
	struct hd_err err;

	*out = '\0';
	EXPECT(hd_micro_benchmarks_add(&b, &one, name, strlen(name), "criterion", "x", &err) == 0);
	if (hd_run_benchmarks_add(&set, &b, rules, &err) < 0)
		strcpy(out, "error");
	for (size_t i = 0; i < set.n; i++)
		for (size_t k = 0; k < set.series[i].ncovers; k++)
			snprintf(out + strlen(out), sizeof(out) - strlen(out), "%s%s", k ? " " : "",
				set.series[i].covers[k]);
	hd_run_csv_set_release(&set);
	hd_micro_benchmarks_release(&b);
	return out;
}

TEST(the_words_of_the_name_are_covered)
{
	EXPECT_STR(covers("parse_row/1000", NULL), "parse_row");
	EXPECT_STR(covers("parser/parse_row/1000", NULL), "parser parse_row");
	EXPECT_STR(covers("BM_Sort<std::vector<int>>/64", NULL), "Sort");
	EXPECT_STR(covers("BM_Map<a/b>/x1y", NULL), "Map x1y");
	EXPECT_STR(covers("bench_decode", NULL), "decode");
	EXPECT_STR(covers("Parser::row/8", NULL), "Parser::row");
	EXPECT_STR(covers("row::/8", NULL), "");
	EXPECT_STR(covers("sort it/64 kB/ab/100", NULL), "");
	EXPECT_STR(covers("dup/dup/dup", NULL), "dup");
}

TEST(rules_replace_the_words_of_the_benchmarks_that_they_match)
{
	const char *rules = "decode/* = Decoder::run\n decode/fast* = inflate_fast\nx=1/* = eq";

	EXPECT_STR(covers("decode/slow", rules), "Decoder::run");
	EXPECT_STR(covers("decode/fast/8", rules), "Decoder::run inflate_fast");
	EXPECT_STR(covers("x=1/8", rules), "eq");
	EXPECT_STR(covers("parse", rules), "parse");
	EXPECT_STR(covers("parse", "no rule"), "error");
	EXPECT_STR(covers("parse", " = x"), "error");
}

TEST(a_cover_is_a_whole_name_or_its_last_parts)
{
	struct hd_benchmark_cover c = { .symbol = "row" };

	EXPECT(hd_benchmark_cover_applies(&c, "row") && hd_benchmark_cover_applies(&c, "Parser::row"));
	EXPECT(!hd_benchmark_cover_applies(&c, "narrow") && !hd_benchmark_cover_applies(&c, "::row"));
	EXPECT(!hd_benchmark_cover_applies(&c, "rows") && !hd_benchmark_cover_applies(&c, ""));
	c.symbol = "";
	EXPECT(!hd_benchmark_cover_applies(&c, "row"));
}

TEST_MAIN(RUN(the_words_of_the_name_are_covered), RUN(rules_replace_the_words_of_the_benchmarks_that_they_match),
	  RUN(a_cover_is_a_whole_name_or_its_last_parts))
