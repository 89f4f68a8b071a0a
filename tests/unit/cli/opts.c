/*
 * opts.c - parse command lines with the option table of a command
 */
#include "test.h"

#include "base/mem.h"
#include "cli/cmd.h"

#include <stdlib.h>
#include <string.h>

struct shared {
	struct hd_string_list pid;
	bool no_kernel;
	int inlined;
};

struct opts {
	bool json;
	unsigned limit;
	const char *out, *power;
	int format;
	struct shared shared;
};

static const struct opts defaults = { .limit = 5, .format = 1 };

static const struct hd_opt rows[] = {
	{ HD_OPT_FLAG, 'j', "json", NULL, "", offsetof(struct opts, json) },
	{ HD_OPT_UINT, 'n', "limit", "N", "", offsetof(struct opts, limit) },
	{ HD_OPT_STR, 'o', "output", "FILE", "", offsetof(struct opts, out) },
	{ HD_OPT_ENUM, 0, "format", "text|markdown|json", "", offsetof(struct opts, format) },
	{ HD_OPT_MAYBE, 0, "power", "SOURCE", "", offsetof(struct opts, power) },
	{ HD_OPT_OPERAND, 'i', "input", "FILE", "", 0 },
	{ 0 },
};

static const struct hd_opt shared_rows[] = {
	{ HD_OPT_LIST, 0, "pid", "N", "", offsetof(struct shared, pid) },
	{ HD_OPT_FLAG, 'k', "no-kernel", NULL, "", offsetof(struct shared, no_kernel) },
	{ HD_OPT_CLEAR, 0, "kernel", NULL, "", offsetof(struct shared, no_kernel) },
	{ HD_OPT_YES, 0, "inline", NULL, "", offsetof(struct shared, inlined) },
	{ HD_OPT_NO, 0, "no-inline", NULL, "", offsetof(struct shared, inlined) },
	{ 0 },
};

static const struct hd_opt_group groups[] = { { "selection", shared_rows, offsetof(struct opts, shared) }, { 0 } };

static const struct hd_cmd cmd = {
	.name = "top", .args = "FILE", HD_CMD_OPTS(rows, defaults), .groups = groups, .min_args = 1, .max_args = 2,
};

struct parsed {
	struct opts o;
	char *argv[16];
	int nargs, rc;
	struct hd_err err;
};

#define PARSE(...) parse((const char *const[]){ __VA_ARGS__, NULL })

static struct parsed parse(const char *const *words)
{
	struct parsed p = { .o = defaults };
	int argc = 0;

	for (; words[argc]; argc++)
		p.argv[argc] = (char *)words[argc];
	p.rc = hd_opts_parse(&cmd, argc, p.argv, &p.nargs, &p.o, &p.err);
	return p;
}

static void done(struct parsed *p)
{
	hd_opts_release(&cmd, &p->o);
}

#define EXPECT_USAGE(sentence, ...)			\
	do {						\
		struct parsed p_ = PARSE(__VA_ARGS__);	\
		EXPECT_INT(p_.rc, HD_EUSAGE);		\
		EXPECT_STR(p_.err.msg, sentence);	\
		done(&p_);				\
	} while (0)

TEST(without_options_there_are_the_defaults_and_the_operands)
{
	struct parsed p = PARSE("a.data", "b.data");

	EXPECT_INT(p.rc, 0);
	EXPECT_INT(p.nargs, 2);
	EXPECT_STR(p.argv[0], "a.data");
	EXPECT_STR(p.argv[1], "b.data");
	EXPECT(!p.o.json && p.o.limit == 5 && !p.o.out && p.o.format == 1 && !p.o.shared.pid.n);
	done(&p);
}

TEST(a_long_option_takes_its_value_after_an_equals_sign_or_as_the_next_word)
{
	struct parsed p = PARSE("--limit=7", "a.data", "--output", "x=y", "--format=json");

	EXPECT_INT(p.rc, 0);
	EXPECT_INT(p.o.limit, 7);
	EXPECT_STR(p.o.out, "x=y");
	EXPECT_INT(p.o.format, 2);
	EXPECT_INT(p.nargs, 1);
	EXPECT_STR(p.argv[0], "a.data");
	done(&p);
	p = PARSE("--output=", "a.data");
	EXPECT_STR(p.o.out, "");
	done(&p);
}

TEST(a_letter_takes_its_value_at_once_or_as_the_next_word_and_flags_go_together)
{
	struct parsed p = PARSE("-n7", "-jk", "-o", "f", "a");

	EXPECT_INT(p.rc, 0);
	EXPECT(p.o.limit == 7 && p.o.json && p.o.shared.no_kernel);
	EXPECT_STR(p.o.out, "f");
	done(&p);
	p = PARSE("-jn", "9", "a");
	EXPECT(p.rc == 0 && p.o.json && p.o.limit == 9);
	done(&p);
	p = PARSE("-jn9", "a");
	EXPECT(p.rc == 0 && p.o.json && p.o.limit == 9);
	done(&p);
}

TEST(a_value_may_look_like_an_option_and_a_dash_is_an_operand)
{
	struct parsed p = PARSE("-o", "-", "--output=--json", "-");

	EXPECT_INT(p.rc, 0);
	EXPECT_STR(p.o.out, "--json");
	EXPECT(!p.o.json);
	EXPECT_INT(p.nargs, 1);
	EXPECT_STR(p.argv[0], "-");
	done(&p);
}

TEST(behind_two_dashes_everything_is_an_operand)
{
	struct parsed p = PARSE("--json", "--", "--json", "-n");

	EXPECT_INT(p.rc, 0);
	EXPECT_INT(p.nargs, 2);
	EXPECT_STR(p.argv[0], "--json");
	EXPECT_STR(p.argv[1], "-n");
	done(&p);
}

TEST(the_last_of_a_repeated_option_counts_and_a_list_takes_all)
{
	struct parsed p = PARSE("-n1", "--pid", "1", "-n2", "--pid=2", "a", "--no-kernel", "--kernel");

	EXPECT_INT(p.rc, 0);
	EXPECT_INT(p.o.limit, 2);
	EXPECT_INT(p.o.shared.pid.n, 2);
	EXPECT_STR(p.o.shared.pid.items[0], "1");
	EXPECT_STR(p.o.shared.pid.items[1], "2");
	EXPECT(!p.o.shared.no_kernel);
	done(&p);
}

TEST(a_pair_of_options_that_was_not_given_stays_at_its_default)
{
	static const struct { const char *words[4]; int want; } cases[] = {
		{ { "a" }, 0 }, { { "a", "--inline" }, 1 }, { { "--no-inline", "a" }, -1 },
		{ { "--inline", "--no-inline", "a" }, -1 }, { { "--no-inline", "--inline", "a" }, 1 },
	};

	for (size_t i = 0; i < HD_COUNT(cases); i++) {
		struct parsed p = parse(cases[i].words);

		EXPECT_INT(p.rc, 0);
		EXPECT_INT(p.o.shared.inlined, cases[i].want);
		done(&p);
	}
}

TEST(asking_for_help_is_no_error_whatever_is_missing)
{
	struct parsed p = PARSE("--help");

	EXPECT_INT(p.rc, 1);
	done(&p);
	p = PARSE("a", "b", "c", "-h");
	EXPECT_INT(p.rc, 1);
	done(&p);
}

TEST(an_unknown_option_is_named_as_it_was_written)
{
	EXPECT_USAGE("top: unknown option '--frobnicate'; see 'hotdrift top --help'", "a", "--frobnicate");
	EXPECT_USAGE("top: unknown option '--='; see 'hotdrift top --help'", "a", "--=");
	EXPECT_USAGE("top: unknown option '-jx'; see 'hotdrift top --help'", "a", "-jx");
	EXPECT_USAGE("top: unknown option '-5'; see 'hotdrift top --help'", "a", "-5");
}

TEST(a_misspelt_option_is_answered_with_the_closest_one)
{
	EXPECT_USAGE("top: unknown option '--jsn'; did you mean --json? 'hotdrift top --help' lists all", "a", "--jsn");
	EXPECT_USAGE("top: unknown option '--limi=3'; did you mean --limit? 'hotdrift top --help' lists all", "a",
		"--limi=3");
	EXPECT_USAGE("top: unknown option '--no-kernle'; did you mean --no-kernel? 'hotdrift top --help' lists all",
		"a", "--no-kernle");
}

TEST(an_optional_value_follows_an_equals_sign_only)
{
	struct parsed p = PARSE("--power", "file");

	EXPECT(p.rc == 0 && p.nargs == 1);
	EXPECT_STR(p.o.power, "");
	done(&p);
	p = PARSE("--power=rapl", "file");
	EXPECT_STR(p.o.power, "rapl");
	done(&p);
	p = PARSE("file", "--power");
	EXPECT(p.rc == 0 && p.nargs == 1);
	EXPECT_STR(p.o.power, "");
	done(&p);
	p = PARSE("file");
	EXPECT(!p.o.power);
	done(&p);
}

TEST(an_option_for_an_operand_takes_its_place)
{
	struct parsed p = PARSE("-i", "x", "--json", "y");

	EXPECT_INT(p.rc, 0);
	EXPECT_INT(p.nargs, 2);
	EXPECT_STR(p.argv[0], "x");
	EXPECT_STR(p.argv[1], "y");
	done(&p);
	EXPECT_USAGE("top: -i needs a value (FILE)", "-i");
}

TEST(a_default_operand_counts_where_none_was_given)
{
	char json[] = "--json", *given[] = { json, NULL, NULL }, *none[] = { NULL, NULL };
	struct hd_cmd with = cmd;
	struct opts o = { 0 };
	int n;

	with.default_arg = "perf.data";
	EXPECT_INT(hd_opts_parse(&with, 1, given, &n, &o, NULL), 0);
	EXPECT_INT(n, 1);
	EXPECT_STR(given[0], "perf.data");
	EXPECT_INT(hd_opts_parse(&with, 0, none, &n, &o, NULL), 0);
	EXPECT_INT(n, 1);
	EXPECT_STR(none[0], "perf.data");
}

TEST(a_value_that_is_missing_or_too_much_is_a_usage_error)
{
	EXPECT_USAGE("top: --limit needs a value (N)", "a", "--limit");
	EXPECT_USAGE("top: -n needs a value (N)", "a", "-n");
	EXPECT_USAGE("top: -o needs a value (FILE)", "a", "-jo");
	EXPECT_USAGE("top: --json takes no value", "a", "--json=yes");
	EXPECT_USAGE("top: --json takes no value", "a", "--json=");
}

TEST(a_value_of_the_wrong_kind_is_a_usage_error_that_says_which_one_it_takes)
{
	EXPECT_USAGE("top: --limit takes a whole number up to 4294967295, not 'x'", "a", "-n", "x");
	EXPECT_USAGE("top: --limit takes a whole number up to 4294967295, not '-1'", "a", "-n", "-1");
	EXPECT_USAGE("top: --limit takes a whole number up to 4294967295, not ''", "a", "--limit=");
	EXPECT_USAGE("top: --limit takes a whole number up to 4294967295, not '4294967296'", "a", "--limit=4294967296");
	EXPECT_USAGE("top: --format takes one of text|markdown|json, not 'html'", "a", "--format", "html");
	EXPECT_USAGE("top: --format takes one of text|markdown|json, not 'tex'; did you mean 'text'?", "a", "--format",
		"tex");
	EXPECT_USAGE("top: --format takes one of text|markdown|json, not 'text|markdown'", "a", "--format",
		"text|markdown");
	EXPECT_USAGE("top: --format takes one of text|markdown|json, not ''", "a", "--format=");
}

TEST(operands_are_counted)
{
	static const struct hd_cmd two = { .name = "diff", .args = "A B", .min_args = 2, .max_args = 2 };
	static const struct hd_cmd any = { .name = "log", .args = "[RUN...]", .max_args = -1 };
	struct parsed p = PARSE("--json");
	char *argv[] = { (char *)"a", (char *)"b", (char *)"c", NULL };
	struct hd_err err;
	int n;

	EXPECT_INT(p.rc, HD_EUSAGE);
	EXPECT_STR(p.err.msg, "top: an operand is missing; usage: hotdrift top [options] FILE");
	done(&p);
	EXPECT_USAGE("top: unexpected operand 'c'; usage: hotdrift top [options] FILE", "a", "b", "c", "d");
	EXPECT_INT(hd_opts_parse(&two, 0, argv, &n, NULL, &err), HD_EUSAGE);
	EXPECT_STR(err.msg, "diff: operands are missing; usage: hotdrift diff [options] A B");
	EXPECT_INT(hd_opts_parse(&any, 3, argv, &n, NULL, &err), 0);
	EXPECT_INT(n, 3);
	EXPECT_INT(hd_opts_parse(&any, 0, argv, &n, NULL, &err), 0);
	EXPECT_INT(n, 0);
}

TEST(a_whole_number_has_digits_and_nothing_else)
{
	static const char *const bad[] = { "", " 1", "1 ", "+1", "-1", "1.0", "1e3", "0x10", "18446744073709551616" };
	unsigned long long n;

	EXPECT_INT(hd_parse_uint("0", 10, &n), 0);
	EXPECT(n == 0);
	EXPECT_INT(hd_parse_uint("007", 10, &n), 0);
	EXPECT(n == 7);
	EXPECT_INT(hd_parse_uint("18446744073709551615", UINT64_MAX, &n), 0);
	EXPECT(n == UINT64_MAX);
	EXPECT_INT(hd_parse_uint("11", 10, &n), HD_EUSAGE);
	for (size_t i = 0; i < HD_COUNT(bad); i++)
		EXPECT_INT(hd_parse_uint(bad[i], UINT64_MAX, &n), HD_EUSAGE);
}

TEST_MAIN(RUN(without_options_there_are_the_defaults_and_the_operands),
	  RUN(a_long_option_takes_its_value_after_an_equals_sign_or_as_the_next_word),
	  RUN(a_letter_takes_its_value_at_once_or_as_the_next_word_and_flags_go_together),
	  RUN(a_value_may_look_like_an_option_and_a_dash_is_an_operand),
	  RUN(behind_two_dashes_everything_is_an_operand),
	  RUN(the_last_of_a_repeated_option_counts_and_a_list_takes_all),
	  RUN(a_pair_of_options_that_was_not_given_stays_at_its_default),
	  RUN(asking_for_help_is_no_error_whatever_is_missing),
	  RUN(an_unknown_option_is_named_as_it_was_written),
	  RUN(a_misspelt_option_is_answered_with_the_closest_one),
	  RUN(an_optional_value_follows_an_equals_sign_only),
	  RUN(an_option_for_an_operand_takes_its_place),
	  RUN(a_default_operand_counts_where_none_was_given),
	  RUN(a_value_that_is_missing_or_too_much_is_a_usage_error),
	  RUN(a_value_of_the_wrong_kind_is_a_usage_error_that_says_which_one_it_takes),
	  RUN(operands_are_counted),
	  RUN(a_whole_number_has_digits_and_nothing_else))
