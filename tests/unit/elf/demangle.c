/* demangle.c - demangle linkage names, also those that were made to attack demanglers */
#include "test.h"

#include "base/buf.h"
#include "base/mem.h"
#include "symbols/symbols.h"
#include "elf/demangle.h"
#include "elf/demangle.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static void expect(const char *linkage, bool full, const char *want)
{
	char *got = hd_demangle(linkage, full);

	if (!want) {
		EXPECT(!got);
	} else {
		EXPECT(got);
		EXPECT_STR(got, want);
	}
	free(got);
}

#define SHORT(linkage, want) expect(linkage, false, want)
#define FULL(linkage, want)  expect(linkage, true, want)

TEST(a_function_is_shown_without_its_parameters_and_in_full_with_them)
{
	SHORT("_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back");
	FULL("_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back(int const&)");
	SHORT("_Z1fIiEvT_", "f<int>");
	FULL("_Z1fIiEvT_", "void f<int>(int)");
}

TEST(template_arguments_keep_their_parameters)
{
	SHORT("_Z1fIXadL_Z1gvEEEvv", "f<&(g())>");
	SHORT("_ZNKSt8functionIFvvEEclEv", "std::function<void ()>::operator()");
	SHORT("_Z3fooILi3EEvv", "foo<3>");
}

TEST(operators_and_special_members_have_their_names)
{
	SHORT("_ZN3FooC1Ev", "Foo::Foo");
	SHORT("_ZN3FooC2Ev", "Foo::Foo");
	SHORT("_ZN3FooD0Ev", "Foo::~Foo");
	SHORT("_ZN3FooC1IiEET_", "Foo::Foo<int>");
	SHORT("_ZNK3FoocvbEv", "Foo::operator bool");
	SHORT("_ZN3FooplERKS_", "Foo::operator+");
	SHORT("_ZNK3FooclEv", "Foo::operator()");
	SHORT("_Znwm", "operator new");
	SHORT("_ZTV3Foo", "vtable for Foo");
	SHORT("_ZThn16_N3Foo3barEv", "non-virtual thunk to Foo::bar()");
	SHORT("_ZGVZ4mainE1x", "guard variable for main::x");
	SHORT("_ZTW3foo", "TLS wrapper function for foo");
	SHORT("_Z3fooB5cxx11v", "foo[abi:cxx11]");
}

TEST(lambdas_and_unnamed_namespaces_are_readable)
{
	SHORT("_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()");
	SHORT("_ZZ4workRSt6vectorIdSaIdEEENKUlddE_clEdd",
	      "work(std::vector<double, std::allocator<double> >&)::{lambda(double, double)#1}::operator()");
	SHORT("_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo");
}

TEST(compiler_suffixes_are_not_shown_and_in_full_they_are)
{
	SHORT("_ZN3foo3barEi.constprop.0", "foo::bar");
	SHORT("_ZN3foo3barEv.isra.0.cold", "foo::bar");
	FULL("_ZN3foo3barEi.constprop.0", "foo::bar(int) [clone .constprop.0]");
}

TEST(old_rust_names_lose_their_hash)
{
	SHORT("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad");
	SHORT("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE.llvm.1234567890", "core::fmt::Formatter::pad");
	SHORT("_ZN58_$LT$alloc..string..String$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE",
	      "<alloc::string::String as core::fmt::Debug>::fmt");
	FULL("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad");
}

TEST(new_rust_names_lose_their_disambiguators)
{
	SHORT("_RNvC6_123foo3bar", "123foo::bar");
	SHORT("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar");
	SHORT("_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>");
	SHORT("_RNvXs_C5alloc3fooNtB4_3bar3baz", NULL);		/* the name is truncated */
	SHORT("_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
		"utf8_idents::\xe1\x83\xa1\xe1\x83\x90\xe1\x83\xad\xe1\x83\x9b\xe1\x83\x94\xe1\x83\x9a\xe1\x83\x90"
		"\xe1\x83\x93_\xe1\x83\x92\xe1\x83\x94\xe1\x83\x9b\xe1\x83\xa0\xe1\x83\x98\xe1\x83\x94\xe1\x83\x9a"
		"\xe1\x83\x98_\xe1\x83\xa1\xe1\x83\x90\xe1\x83\x93\xe1\x83\x98\xe1\x83\x9a\xe1\x83\x98");
}

TEST(d_names_are_shown_without_their_parameters)
{
	SHORT("_Dmain", "D main");
	SHORT("_D5hello4mainFAAyaZi", "hello.main");
	FULL("_D5hello4mainFAAyaZi", "hello.main(immutable(char)[][])");
	SHORT("_D3std5stdio12__ModuleInfoZ", "ModuleInfo for std.stdio");
}

TEST(ocaml_names_are_shown_as_module_paths)
{
	SHORT("camlStdlib__List__map_123", "Stdlib.List.map_123");
	SHORT("camlFoo__$2b$2b_7", "Foo.++_7");
	SHORT("caml_alloc", NULL);
}

TEST(text_around_a_name_is_kept)
{
	SHORT("_ZN3foo3barEi@plt", "foo::bar@plt");
	SHORT("_ZN3foo3barEi@@VERS_1", "foo::bar@@VERS_1");
	SHORT("._ZN3foo3barEi", ".foo::bar");
	SHORT("_RNvC6_123foo3bar@plt", "123foo::bar@plt");
}

TEST(names_that_are_not_mangled_are_not_touched)
{
	static const char *const names[] = {
		"", "main", "_", "_Z", "_R", "_D", "_ZN", "_Zxyz", "__libc_start_main", "_start", "_GLOBAL__sub_I_main",
		"foo@@VERS",
		"memcpy@plt", "caml", "camlfoo", "LazyCompile:~main /app/server.js:12", "[unknown]", "@", ".", "$x",
		"_D2v", "_Dx", "___Z3foov_block_invoke",
	};

	for (size_t i = 0; i < HD_COUNT(names); i++) {
		SHORT(names[i], NULL);
		FULL(names[i], NULL);
	}
}

/* ---- names made to break demanglers ---- */

/* Accept any result that is not large and takes less than 100 s of CPU time. */
static void expect_bounded(const char *linkage)
{
	struct timespec a, b;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	for (int full = 0; full < 2; full++) {
		char *got = hd_demangle(linkage, full);

		EXPECT(!got || strlen(got) <= 128 * 1024);
		free(got);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	/* A name that grows exponentially would take hours.  Sanitizers and slow machines take seconds. */
	EXPECT(b.tv_sec - a.tv_sec < 100);
}

static void expect_repeated_bounded(const char *head, const char *body, size_t times, const char *tail)
{
	struct hd_buf b = { 0 };

	hd_buf_adds(&b, head);
	for (size_t i = 0; i < times; i++)
		hd_buf_adds(&b, body);
	hd_buf_adds(&b, tail);
	expect_bounded(hd_buf_str(&b));
	hd_buf_release(&b);
}

TEST(names_as_long_as_they_please_are_given_up_on)
{
	static const char *const heads[] = { "", "_Z", "_ZN", "_R", "_D", "_ZZ", "_ZN1a" };

	for (size_t i = 0; i < HD_COUNT(heads); i++) {
		expect_repeated_bounded(heads[i], "A", 65536, "");
		expect_repeated_bounded(heads[i], "1a", 32768, "Ev");
		expect_repeated_bounded(heads[i], "9", 65536, "");
	}
}

TEST(deep_nesting_does_not_exhaust_the_stack)
{
	static const struct { const char *head, *body, *tail; } deep[] = {
		{ "_Z1f", "P", "i" }, { "_Z1f", "FvP", "vE" }, { "_ZN1a", "I1bIN1c", "EEEEv" },
		{ "_Z1fIX", "ng", "Li1EEEvv" },
		{ "_R", "Nv", "C1a1b" }, { "_RIC1a", "P", "uE" }, { "_RIC1a", "T", "E" }, { "_RYp", "Yp", "C1aC1b" },
		{ "_D1fF", "P", "iZv" }, { "_D1fF", "A", "iZv" }, { "_D1f", "F", "Zv" }, { "_Z", "Z1fvE", "1x" },
	};

	for (size_t i = 0; i < HD_COUNT(deep); i++)
		for (size_t n = 10; n <= 10000; n *= 10)
			expect_repeated_bounded(deep[i].head, deep[i].body, n, deep[i].tail);
}

TEST(demangling_a_short_name_that_expands_to_gigabytes_is_given_up)
{
	struct hd_buf b = { 0 };

	/*
	 * Each template argument is twice as long as the one before it: f(P<int, int>, P<P<int,
	 * int>, P<int, int> >, ...).
	 */
	hd_buf_adds(&b, "_Z1f1PIiiE");
	for (unsigned i = 0; i < 34; i++) {
		const char *digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

		hd_buf_addf(&b, "S_IS%c_S%c_E", digits[i], digits[i]);
	}
	expect_bounded(hd_buf_str(&b));
	EXPECT(!hd_demangle(hd_buf_str(&b), true));
	hd_buf_release(&b);
}

static void add_base62(struct hd_buf *b, size_t v)
{
	char digits[16];
	size_t n = 0;

	if (v) {
		v--;
		do {
			digits[n++] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[v % 62];
			v /= 62;
		} while (v);
	}
	while (n)
		hd_buf_addc(b, digits[--n]);
	hd_buf_addc(b, '_');
}

/*
 * Append a mangled Rust name with 40 tuple types.  The two elements of each tuple are back references to the previous
 * type, so the types double in size; a back reference contains the offset of its target in the name.
 */
static void rust_bomb(struct hd_buf *b, const char *first_type)
{
	size_t last;

	hd_buf_adds(b, "_RINvC1a1f");
	last = b->len - 2;
	hd_buf_adds(b, first_type);
	for (unsigned i = 0; i < 40; i++) {
		size_t at = b->len - 2;

		hd_buf_adds(b, "TB");
		add_base62(b, last);
		hd_buf_addc(b, 'B');
		add_base62(b, last);
		hd_buf_addc(b, 'E');
		last = at;
	}
	hd_buf_addc(b, 'E');
}

TEST(the_same_in_rust_with_names_outside_ascii_too)
{
	static const char *const types[] = { "TmmE", "NtC1au9bcher_kvaB", "NtCu3x_y1z" };

	for (size_t i = 0; i < HD_COUNT(types); i++) {
		struct hd_buf b = { 0 };

		rust_bomb(&b, types[i]);
		expect_bounded(hd_buf_str(&b));
		hd_buf_release(&b);
	}
}

TEST(a_name_with_a_few_doublings_is_shown)
{
	struct hd_buf b = { 0 };
	char *got;

	hd_buf_adds(&b, "_RINvC1a1fTmmETB7_B7_EE");
	got = hd_demangle(hd_buf_str(&b), false);
	EXPECT(got);
	EXPECT_STR(got, "a::f::<(u32, u32), ((u32, u32), (u32, u32))>");
	free(got);
	hd_buf_release(&b);
}

TEST(damaged_names_never_break_anything)
{
	static const char *const seeds[] = {
		"_ZNSt6vectorIiSaIiEE9push_backERKi",
		"_ZZ4workRSt6vectorIdSaIdEEENKUlddE_clEdd",
		"_Z1fIXadL_Z1gvEEEvv",
		"_RINvNtC3std3mem8align_ofdE",
		"_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
		"_ZN58_$LT$alloc..string..String$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE",
		("_D3std6format8internal5write__T12writeAlignedTSQBt5ar"
		 "ray__T8AppenderTyAaZQoTAaTaZQByFNaNfKQBsQrMKxSQDtQDs4spec__T10FormatSpecTaZQpZv"),
	};
	unsigned seed = 7;

	for (size_t i = 0; i < HD_COUNT(seeds); i++) {
		for (int round = 0; round < 3000; round++) {
			char name[256];
			size_t n = strlen(seeds[i]);

			memcpy(name, seeds[i], n + 1);
			for (int k = 0; k < 1 + round % 4; k++) {
				seed = seed * 1103515245 + 12345;
				name[2 + (seed >> 8) % (n - 2)] = "EINSTZRB_0129uQPFvK\xc3@."[(seed >> 20) % 22];
			}
			free(hd_demangle(name, round & 1));
			name[(seed >> 12) % n] = '\0';
			free(hd_demangle(name, round & 1));
		}
	}
}

/* ---- names as they are compared between builds ---- */

static void expect_normal(const char *linkage, const char *want)
{
	char *got = hd_symbol_normalise(linkage), *again;

	EXPECT_STR(got, want);
	again = hd_symbol_normalise(got);
	EXPECT_STR(again, want);
	free(again);
	free(got);
}

TEST(a_normalised_name_has_no_number_a_compiler_gave_it)
{
	expect_normal("main", "main");
	expect_normal("parse.constprop.0", "parse");
	expect_normal("parse.isra.0.constprop.12.cold", "parse");
	expect_normal("parse.part.3", "parse");
	expect_normal("parse.cold", "parse");
	expect_normal("parse.cold.7", "parse");
	expect_normal("parse.llvm.8a5fF3", "parse");
	expect_normal("parse.lto_priv.0.lto_priv.1", "parse");
	expect_normal("_ZN3foo3barEi.constprop.0", "foo::bar");
	expect_normal("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad");
	expect_normal("_ZN4core3fmt9Formatter3pad17hfedcba9876543210E.llvm.123", "core::fmt::Formatter::pad");
	expect_normal("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar");
	expect_normal("puts@plt", "puts@plt");
	expect_normal("_ZN3foo3barEi@plt", "foo::bar@plt");
	expect_normal("", "");
}

TEST(what_only_looks_like_such_a_number_stays)
{
	expect_normal("parse.constprop", "parse.constprop");
	expect_normal("parse.constprop.x", "parse.constprop.x");
	expect_normal("parse.cold.x", "parse.cold.x");
	expect_normal("version.12", "version.12");
	expect_normal(".cold", ".cold");
	expect_normal(".part.0", ".part.0");
	expect_normal("a.coldness", "a.coldness");
	expect_normal("a.llvm.xyz", "a.llvm.xyz");
}

TEST(normalising_a_name_of_a_megabyte_of_suffixes_is_no_work)
{
	struct hd_buf b = { 0 };
	char *got;

	hd_buf_adds(&b, "f");
	for (size_t i = 0; i < 200000; i++)
		hd_buf_adds(&b, ".cold");
	got = hd_symbol_normalise(hd_buf_str(&b));
	EXPECT_STR(got, "f");
	free(got);
	hd_buf_release(&b);
}

TEST_MAIN(
	RUN(a_function_is_shown_without_its_parameters_and_in_full_with_them),
	RUN(template_arguments_keep_their_parameters),
	RUN(operators_and_special_members_have_their_names),
	RUN(lambdas_and_unnamed_namespaces_are_readable),
	RUN(compiler_suffixes_are_not_shown_and_in_full_they_are),
	RUN(old_rust_names_lose_their_hash),
	RUN(new_rust_names_lose_their_disambiguators),
	RUN(d_names_are_shown_without_their_parameters),
	RUN(ocaml_names_are_shown_as_module_paths),
	RUN(text_around_a_name_is_kept),
	RUN(names_that_are_not_mangled_are_not_touched),
	RUN(names_as_long_as_they_please_are_given_up_on),
	RUN(deep_nesting_does_not_exhaust_the_stack),
	RUN(demangling_a_short_name_that_expands_to_gigabytes_is_given_up),
	RUN(the_same_in_rust_with_names_outside_ascii_too),
	RUN(a_name_with_a_few_doublings_is_shown),
	RUN(damaged_names_never_break_anything),
	RUN(a_normalised_name_has_no_number_a_compiler_gave_it),
	RUN(what_only_looks_like_such_a_number_stays),
	RUN(normalising_a_name_of_a_megabyte_of_suffixes_is_no_work),
)
