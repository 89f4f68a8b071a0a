/* inlines.c - inlined functions compared with addr2line, in every form of DWARF that compilers write */
#include "inline_programs.h"

#include "dwarf/split_dwarf.h"

/* Builds that several tests share. */
#define C_O1	"$CC -g -O1 -nostdlib -shared -fPIC ../in.c -o in.so"
#define C_O2	"$CC -g -O2 -nostdlib -shared -fPIC ../in.c -o in.so"

static char *first_with(struct hd_bench *b, const char *file, const char *function)
{
	size_t n;
	uint64_t *v = addresses_of(file, &n);
	char *found = NULL;

	for (size_t i = 0; !found && i < n; i++) {
		char *one = inlined_at(b, v[i]);

		if (!strncmp(one, function, strlen(function)) && one[strlen(function)] == ' ')
			found = one;
		else
			free(one);
	}
	free(v);
	EXPECT(found);
	return found;
}

TEST(inlined_functions_come_innermost_first_each_with_the_line_that_called_it)
{
	struct hd_bench b;
	char *got;

	lay_out_sources();
	BUILD_IN("o1", C_O1);
	bench_file(&b, "o1/in.so");
	got = first_with(&b, "o1/in.so", "inner");
	/*
	 * The compiler decides which copy of inner is first: one of the calls from middle in outer, or the direct
	 * call.  The possible lines are always these.
	 */
	EXPECT(!strcmp(got, "inner in.c:6 < middle in.c:12") || !strcmp(got, "inner in.c:7 < middle in.c:12") ||
		!strcmp(got, "inner in.c:15") || !strcmp(got, "inner in.c:6 < middle a-tool.y:502") ||
		!strcmp(got, "inner in.c:7 < middle a-tool.y:502"));
	free(got);
	bench_close(&b);
}

TEST(all_calls_of_the_source_are_found)
{
	static const char *const calls[] = {
		"inner in.c:6 < middle in.c:12\n", "inner in.c:7 < middle in.c:12\n", " inner in.c:15\n",
		"inner in.c:6 < middle a-tool.y:502\n", "inner in.c:7 < middle a-tool.y:502\n",
	};
	size_t inlined;
	char *all;

	lay_out_sources();
	BUILD_IN("o1", C_O1);
	all = all_inlined("o1/in.so", &inlined);
	for (size_t i = 0; i < HD_COUNT(calls); i++)
		EXPECT(strstr(all, calls[i]));
	free(all);
}

TEST(a_function_into_which_nothing_is_inlined_has_none_and_no_complaint)
{
	struct hd_inline_hit hit;
	struct hd_bench b;

	NEED("nm");
	lay_out_sources();
	BUILD_IN("o1", C_O1);
	bench_file(&b, "o1/in.so");
	EXPECT_INT(hd_object_inlines(b.o, nm_of("o1/in.so", "plain"), &hit, 1), 0);
	EXPECT_INT(hd_object_inlines(b.o, 0, &hit, 1), 0);
	EXPECT_INT(hd_object_inlines(b.o, UINT64_MAX, &hit, 1), 0);
	EXPECT_INT(b.log.n, 0);
	bench_close(&b);
	RUN_SH("$CC -g0 -O1 -nostdlib -shared -fPIC in.c -o in.so");
	bench_file(&b, "in.so");
	EXPECT_INT(hd_object_inlines(b.o, nm_of("in.so", "outer"), &hit, 1), 0);
	EXPECT_INT(b.log.n, 0);
	bench_close(&b);
}

TEST(one_instance_has_one_lowest_address_and_another_call_another)
{
	struct hd_inline_hit hits[8];
	uint64_t lows[8], *v;
	size_t n, nlows = 0;
	struct hd_bench b;

	NEED("nm");
	lay_out_sources();
	BUILD_IN("o1", C_O1);
	v = addresses_of("o1/in.so", &n);
	bench_file(&b, "o1/in.so");
	for (size_t i = 0; i < n; i++) {
		if (!hd_object_inlines(b.o, v[i], hits, 8) || strcmp(hits[0].linkage, "inner"))
			continue;
		for (size_t k = 0; k <= nlows; k++) {
			if (k == nlows) {
				EXPECT(nlows < HD_COUNT(lows));
				lows[nlows++] = hits[0].low;
				break;
			}
			if (lows[k] == hits[0].low)
				break;
		}
	}
	EXPECT_INT(nlows, 5);		/* two copies in each of two copies of middle, and one copy in outer */
	bench_close(&b);
	free(v);
}

TEST(of_a_long_chain_the_innermost_are_given)
{
	struct hd_inline_hit all[8], some[8];
	struct hd_bench b;
	uint64_t *v;
	size_t n, deep = 0;

	NEED("nm");
	lay_out_sources();
	BUILD_IN("o1", C_O1);
	v = addresses_of("o1/in.so", &n);
	bench_file(&b, "o1/in.so");
	for (size_t i = 0; i < n; i++) {
		if (hd_object_inlines(b.o, v[i], all, 8) < 2)
			continue;
		deep++;
		EXPECT_INT(hd_object_inlines(b.o, v[i], some, 1), 1);
		EXPECT_STR(some[0].linkage, all[0].linkage);
		EXPECT_INT(some[0].call_line, all[0].call_line);
		EXPECT_INT(hd_object_inlines(b.o, v[i], some, 0), 0);
	}
	EXPECT(deep > 3);
	bench_close(&b);
	free(v);
}

TEST(an_inlined_static_function_has_its_own_name_with_its_scopes)
{
	static const char *const names[] = {
		"(anonymous namespace)::helper", "(anonymous namespace)::hidden::add", "outer_space::stat",
		"entry::{lambda}::operator()",
		"twice<int>", "_ZNK6shapes3boxIiE4growEi",
	};
	static const char *const linkage[] = {
		"_ZN12_GLOBAL__N_16helperEi", "_ZN12_GLOBAL__N_16hidden3addEi", "_ZN11outer_spaceL4statEi",
		"_ZZ5entryENK3$_0clEi",
		"_ZL5twiceIiET_S0_", "_ZNK6shapes3boxIiE4growEi",
	};
	const char *compilers[] = { "g++", "clang++" };

	NEED("nm");
	lay_out_sources();
	for (size_t c = 0; c < HD_COUNT(compilers); c++) {
		char *cmd = textf("%s -g -O1 -nostdlib -shared -fPIC in.cc in2.cc -o in.so 2>/dev/null", compilers[c]),
		     *all;
		size_t inlined;

		if (run_sh(cmd) == 0) {
			all = all_inlined("in.so", &inlined);
			for (size_t i = 0; i < HD_COUNT(names); i++) {
				char *own = textf(" %s ", names[i]), *mangled = textf(" %s ", linkage[i]);

				/*
				 * The compiler decides which of the two names is used, but the
				 * function is the same.
				 */
				EXPECT(strstr(all, own) || strstr(all, mangled));
				free(own);
				free(mangled);
			}
			free(all);
		}
		free(cmd);
	}
}

TEST(a_name_is_told_from_a_linkage_name)
{
	struct hd_inline_hit hits[8];
	size_t n, mangled = 0, plain = 0;
	struct hd_bench b;
	uint64_t *v;

	NEED("nm");
	lay_out_sources();
	TRY_SH("g++ -g -O1 -nostdlib -shared -fPIC in.cc in2.cc -o in.so");
	v = addresses_of("in.so", &n);
	bench_file(&b, "in.so");
	for (size_t i = 0; i < n; i++)
		for (size_t k = hd_object_inlines(b.o, v[i], hits, 8); k > 0; k--) {
			EXPECT_INT(hits[k - 1].mangled, !strncmp(hits[k - 1].linkage, "_Z", 2));
			*(hits[k - 1].mangled ? &mangled : &plain) += 1;
		}
	EXPECT(mangled && plain);
	bench_close(&b);
	free(v);
}

/* ---- the forms of DWARF, compared with other tools ---- */

#define C_VARIANT(test, build)							\
	TEST(test)								\
	{									\
		NEED("nm");							\
		NEED("addr2line");						\
		lay_out_sources();						\
		TRY_SH(build " -nostdlib -shared -fPIC in.c -o in.so");		\
		expect_tools_agree("in.so");					\
	}
#define CC_VARIANT(test, build)							\
	TEST(test)								\
	{									\
		NEED("nm");							\
		NEED("addr2line");						\
		lay_out_sources();						\
		TRY_SH(build " -nostdlib -shared -fPIC in.cc in2.cc -o in.so");	\
		expect_tools_agree("in.so");					\
	}

TEST(every_address_has_the_frames_that_addr2line_gives)
{
	NEED("nm");
	NEED("addr2line");
	lay_out_sources();
	TRY_BUILD_IN("o2", C_O2);
	expect_tools_agree("o2/in.so");
}
C_VARIANT(in_dwarf_2, "gcc -gdwarf-2 -O2")
C_VARIANT(in_strict_dwarf_2_whose_units_do_not_know_all_their_addresses,
	"gcc -gdwarf-2 -gstrict-dwarf -O2 -ffunction-sections")
C_VARIANT(in_dwarf_3, "gcc -gdwarf-3 -O2")
C_VARIANT(in_dwarf_4, "gcc -gdwarf-4 -O2")
C_VARIANT(in_dwarf_5, "gcc -gdwarf-5 -O2")
C_VARIANT(in_64_bit_dwarf_4, "gcc -gdwarf64 -gdwarf-4 -O2")
C_VARIANT(in_64_bit_dwarf_5, "gcc -gdwarf64 -gdwarf-5 -O2")
C_VARIANT(for_32_bit_machines, "gcc -m32 -g -O2")
C_VARIANT(from_clang_in_dwarf_2, "clang -gdwarf-2 -O2")
C_VARIANT(from_clang_in_dwarf_3, "clang -gdwarf-3 -O2")
C_VARIANT(from_clang_in_dwarf_4, "clang -gdwarf-4 -O2")
C_VARIANT(from_clang_in_dwarf_5, "clang -gdwarf-5 -O2")
C_VARIANT(from_clang_with_line_tables_only, "clang -gmlt -O2")
C_VARIANT(with_packed_sections, "gcc -g -gz=zlib -O2")
C_VARIANT(with_sections_packed_the_old_way, "gcc -g -gz=zlib-gnu -O2")
CC_VARIANT(in_cxx, "g++ -g -O2")
CC_VARIANT(in_cxx_in_dwarf_2, "g++ -gdwarf-2 -O2")
CC_VARIANT(in_cxx_from_clang, "clang++ -g -O2")
CC_VARIANT(with_type_units_in_debug_types, "g++ -gdwarf-4 -fdebug-types-section -O2")
CC_VARIANT(with_type_units_in_debug_info, "g++ -gdwarf-5 -fdebug-types-section -O2")
CC_VARIANT(with_type_units_from_clang, "clang++ -gdwarf-5 -fdebug-types-section -O2")
CC_VARIANT(with_a_section_per_function_and_unused_ones_dropped,
	"g++ -g -O2 -ffunction-sections -Wl,--gc-sections,-u,entry")
CC_VARIANT(with_sections_dropped_by_lld, "clang++ -g -O2 -ffunction-sections -fuse-ld=lld -Wl,--gc-sections,-u,entry")
CC_VARIANT(after_link_time_optimisation, "g++ -g -O2 -flto")
CC_VARIANT(after_link_time_optimisation_by_clang, "clang++ -g -O2 -flto -fuse-ld=lld")

TEST(with_the_rare_half_of_a_function_moved_away)
{
	NEED("nm");
	NEED("addr2line");
	put("cold.c",
		"extern void out(int) __attribute__((cold));\n"
		"static inline __attribute__((always_inline)) int check(int x)\n"
		"{\n"
		"	if (__builtin_expect(x == 7, 0)) {\n"
		"		out(1);\n"
		"		out(x);\n"
		"		__builtin_trap();\n"
		"	}\n"
		"	return x * 3;\n"
		"}\n"
		"static inline __attribute__((always_inline)) int twice(int x) { return check(x) + check(x + 1); }\n"
		"int f(int x)\n"
		"{\n"
		"	return twice(x) + twice(x * 5);\n"
		"}\n"
		"int g(int x) { return f(x) + check(x + 9) + twice(x); }\n");
	TRY_SH("gcc -g -O2 -freorder-blocks-and-partition -nostdlib -shared -fPIC cold.c -o in.so && nm in.so | grep "
		"-q cold");
	expect_tools_agree("in.so");
}

TEST(in_functions_inside_of_functions)
{
	size_t inlined;
	char *all;

	NEED("nm");
	put("nest.c",
		"extern int sink;\n"
		"int sink;\n"
		"static inline __attribute__((always_inline)) int leaf(int x) { sink = x; return x + 1; }\n"
		"__attribute__((noinline)) int outer(int x)\n"
		"{\n"
		"	__attribute__((noinline)) int nested(int y)\n"
		"	{\n"
		"		return leaf(y) * x;\n"
		"	}\n"
		"	return nested(x) + nested(leaf(x));\n"
		"}\n");
	TRY_SH("gcc -g -O1 -nostdlib -shared -fPIC nest.c -o in.so && nm in.so | grep -q nested");
	all = all_inlined("in.so", &inlined);
	EXPECT(strstr(all, "leaf nest.c:8\n"));
	EXPECT(strstr(all, "leaf nest.c:10\n"));
	free(all);
	expect_tools_agree("in.so");
}

TEST(in_the_other_byte_order)
{
	NEED("nm");
	NEED("llvm-symbolizer");
	lay_out_sources();
	TRY_SH("clang --target=powerpc-linux-gnu -g -O2 -fPIC -c in.c -o in.o && ld.lld -shared -m elf32ppc in.o -o "
		"in.so && nm -S in.so | grep -q outer");
	expect_tools_agree("in.so");
}

/* ---- the same code with its debug information elsewhere ---- */

#define CC_FILES	" -nostdlib -shared -fPIC ../in.cc ../in2.cc -o in.so"

/* Build with and without `options`; `change` is a command that then edits the second build. */
#define SAME(test, build, options, change)									\
	TEST(test)												\
	{													\
		NEED("nm");											\
		lay_out_sources();										\
		TRY_BUILD_IN("one", build CC_FILES);								\
		TRY_BUILD_IN("other", build options CC_FILES);							\
		TRY_SH("cd other && " change);									\
		expect_same_answers("one/in.so", "other/in.so");						\
	}

SAME(split_off_into_dwo_files_it_says_the_same, "g++ -O2 -gdwarf-4", " -gsplit-dwarf", "ls *.dwo >/dev/null")
SAME(split_off_in_dwarf_5_too, "g++ -O2 -gdwarf-5", " -gsplit-dwarf", "ls *.dwo >/dev/null")
SAME(split_off_with_types_too, "g++ -O2 -gdwarf-4", " -gsplit-dwarf -fdebug-types-section", "ls *.dwo >/dev/null")
SAME(split_off_with_types_in_dwarf_5_too, "g++ -O2 -gdwarf-5", " -gsplit-dwarf -fdebug-types-section",
	"ls *.dwo >/dev/null")
SAME(split_off_by_clang_too, "clang++ -O2 -gdwarf-4", " -gsplit-dwarf", "ls *.dwo >/dev/null")
SAME(split_off_by_clang_in_dwarf_5_too, "clang++ -O2 -gdwarf-5", " -gsplit-dwarf", "ls *.dwo >/dev/null")
SAME(split_off_by_clang_with_types_too, "clang++ -O2 -gdwarf-5", " -gsplit-dwarf -fdebug-types-section",
	"ls *.dwo >/dev/null")
SAME(packed_into_a_dwp_it_says_the_same, "g++ -O2 -gdwarf-4", " -gsplit-dwarf",
	"dwp -e in.so -o in.so.dwp && rm *.dwo")
SAME(packed_by_llvm_too, "clang++ -O2 -gdwarf-4", " -gsplit-dwarf", "llvm-dwp -e in.so -o in.so.dwp && rm *.dwo")
SAME(packed_in_dwarf_5_too, "clang++ -O2 -gdwarf-5", " -gsplit-dwarf", "llvm-dwp -e in.so -o in.so.dwp && rm *.dwo")
SAME(shortened_by_dwz_it_says_the_same, "g++ -O2 -gdwarf-4", "", "mv in.so long.so && dwz long.so -o in.so")
SAME(shortened_in_dwarf_5_too, "g++ -O2 -gdwarf-5", "", "mv in.so long.so && dwz long.so -o in.so")
SAME(with_names_in_an_alternate_file_it_says_the_same, "g++ -O2 -gdwarf-4", "",
	"cp in.so b.so && dwz -m common in.so b.so && test -e common")
SAME(with_a_supplementary_file_of_dwarf_5_too, "g++ -O2 -gdwarf-5", "",
	"cp in.so b.so && dwz --dwarf-5 -m common in.so b.so && test -e common")
SAME(with_the_alternate_file_in_a_folder_above, "g++ -O2 -gdwarf-4", "",
	"cp in.so b.so && dwz -m common -M ../shared/common in.so b.so && mkdir -p ../shared && mv common ../shared")

TEST(dwo_files_are_also_found_beside_the_binary)
{
	NEED("nm");
	lay_out_sources();
	TRY_BUILD_IN("one", "g++ -O2 -gdwarf-5" CC_FILES);
	TRY_BUILD_IN("other", "g++ -O2 -gdwarf-5 -gsplit-dwarf" CC_FILES);
	RUN_SH("rm -rf moved && mv other moved");
	expect_same_answers("one/in.so", "moved/in.so");
}

TEST(more_dwo_files_than_are_open_at_a_time_answer_in_any_order)
{
	enum { UNITS = HD_SPLIT_OPEN + 4 };
	struct hd_buf sources = { 0 };

	NEED("nm");
	lay_out_sources();
	RUN_SH("rm -rf one other && mkdir one other");
	for (int i = 0; i < UNITS; i++) {
		char *name = textf("unit%d.c", i),
		     *text = textf("#include \"inner.h\"\nint u%d(int x)\n{\n	return inner(x * %d);\n}\n", i,
			     i + 3);

		put(name, text);
		hd_buf_addf(&sources, "../%s ", name);
		free(name);
		free(text);
	}
	for (int i = 0; i < 2; i++) {
		char *cmd = textf("cd %s && gcc -O1 -g %s -nostdlib -shared -fPIC ../in.c %s -o in.so 2>/dev/null",
			i ? "other" : "one", i ? "-gsplit-dwarf" : "", sources.data);

		if (run_sh(cmd)) {
			free(cmd);
			hd_buf_release(&sources);
			SKIP("cannot build it here");
		}
		free(cmd);
	}
	hd_buf_release(&sources);
	expect_same_answers("one/in.so", "other/in.so");
	{
		struct hd_bench b;
		size_t n, inlined[2] = { 0, 0 };
		uint64_t *v = addresses_of("other/in.so", &n);

		/* Look up addresses that are far apart, and each one twice. */
		bench_file(&b, "other/in.so");
		for (size_t i = 0; i < 2 * n; i++) {
			char *one = inlined_at(&b, v[i * 7919 % n]);

			inlined[i / n] += strcmp(one, "-") != 0;
			free(one);
		}
		EXPECT(inlined[0] > 40 && inlined[0] == inlined[1]);
		EXPECT_INT(b.log.n, 0);
		bench_close(&b);
		free(v);
	}
}

/*
 * Look up all addresses of a file, and count the results with an inlined function in *inlined.  The warnings stay in
 * b.
 */
static void ask_all(struct hd_bench *b, const char *file, size_t *inlined)
{
	size_t n;
	uint64_t *v = addresses_of(file, &n);

	*inlined = 0;
	bench_file(b, file);
	for (size_t i = 0; i < n; i++) {
		char *one = inlined_at(b, v[i]);

		*inlined += strcmp(one, "-") != 0;
		free(one);
	}
	free(v);
}

TEST(a_dwo_file_that_is_not_there_is_told_once)
{
	struct hd_bench b;
	size_t inlined;

	NEED("nm");
	lay_out_sources();
	TRY_BUILD_IN("other", "g++ -O2 -gdwarf-5 -gsplit-dwarf" CC_FILES);
	RUN_SH("rm other/*.dwo");
	ask_all(&b, "other/in.so", &inlined);
	EXPECT_INT(inlined, 0);
	EXPECT_INT(b.log.n, 1);
	EXPECT_INT(b.log.items[0].count, 1);
	EXPECT_STR(b.log.items[0].code, "symbols.dwo-absent");
	EXPECT(strstr(b.log.items[0].text, "in.so") && strstr(b.log.items[0].text, ".dwo"));
	bench_close(&b);
}

TEST(a_dwo_file_of_another_build_is_not_used)
{
	struct hd_bench b;
	size_t inlined;

	NEED("nm");
	lay_out_sources();
	TRY_BUILD_IN("other", "g++ -O2 -gdwarf-5 -gsplit-dwarf" CC_FILES);
	TRY_SH("cd other && g++ -O2 -Dtwice=thrice -Darea=volume -gdwarf-5 -gsplit-dwarf -nostdlib -shared -fPIC "
		"../in.cc ../in2.cc -o in.so.new && for f in in.so.new-*.dwo; do mv $f in.so-${f#in.so.new-}; done");
	ask_all(&b, "other/in.so", &inlined);
	EXPECT_INT(inlined, 0);
	EXPECT(hd_log_find(&b.log, "symbols.dwo-absent"));
	bench_close(&b);
}

TEST(an_alternate_file_that_is_not_there_or_another_costs_names_and_is_told)
{
	struct hd_inline_hit hits[8];
	struct hd_bench b;
	size_t n;
	uint64_t *v;

	NEED("nm");
	NEED("dwz");
	lay_out_sources();
	TRY_BUILD_IN("other", "g++ -O2 -gdwarf-4" CC_FILES);
	TRY_SH("cd other && cp in.so b.so && dwz -m common in.so b.so");
	RUN_SH("mv other/common other/away");
	for (int pass = 0; pass < 2; pass++) {
		v = addresses_of("other/in.so", &n);
		bench_file(&b, "other/in.so");
		for (size_t i = 0; i < n; i++)
			for (size_t k = hd_object_inlines(b.o, v[i], hits, 8); k > 0; k--)
				EXPECT(hits[k - 1].linkage);
		EXPECT(hd_log_find(&b.log, "symbols.alt-absent"));
		EXPECT(strstr(hd_log_find(&b.log, "symbols.alt-absent")->text, "common"));
		bench_close(&b);
		free(v);
		/* In the second pass `common` exists, but its build-id is another one, so it is not used. */
		RUN_SH("cp other/b.so other/common");
	}
}

TEST(inlined_functions_of_a_stripped_file_come_from_its_debug_file)
{
	size_t inlined;
	struct hd_bench b;
	uint64_t *v, n;

	NEED("nm");
	NEED("objcopy");
	lay_out_sources();
	TRY_BUILD_IN("o2", C_O2);
	RUN_SH("cp o2/in.so . && objcopy --only-keep-debug in.so in.dbg");
	v = addresses_of("in.so", &n);
	RUN_SH("objcopy -S --add-gnu-debuglink=in.dbg in.so && rm -rf .debug && mkdir .debug && mv in.dbg .debug");
	bench_file(&b, "in.so");
	inlined = 0;
	for (size_t i = 0; i < n; i++) {
		char *one = inlined_at(&b, v[i]);

		inlined += strcmp(one, "-") != 0;
		free(one);
	}
	EXPECT(inlined > 10);
	EXPECT_INT(b.log.n, 0);
	bench_close(&b);
	free(v);
}

/* ---- Rust ---- */

static const char in_rs[] =
	"use std::sync::atomic::{AtomicI32, Ordering};\n"
	"static SINK: AtomicI32 = AtomicI32::new(0);\n"
	"#[inline(always)]\n"
	"fn deep(x: i32) -> i32 {\n"
	"    SINK.store(x, Ordering::SeqCst);\n"
	"    x * 3\n"
	"}\n"
	"struct Point { x: i32 }\n"
	"impl Point {\n"
	"    #[inline(always)]\n"
	"    fn sum(&self) -> i32 {\n"
	"        deep(self.x) + deep(7)\n"
	"    }\n"
	"}\n"
	"#[no_mangle]\n"
	"pub extern \"C\" fn entry(x: i32) -> i32 {\n"
	"    Point { x }.sum() + (1..x).map(|v| deep(v)).fold(0, |a, b| a ^ b)\n"
	"}\n";

static void expect_rust(const char *flags, const char *prefix)
{
	/* rustup looks for compilers in HOME, which the test has changed. */
	char *cmd = textf(
		     "HOME=$(getent passwd $(id -u) | cut -d: -f6) RUSTC_BOOTSTRAP=1 rustc --crate-type cdylib -g -C "
		     "opt-level=1 %s in.rs -o in.so 2>/dev/null && nm -S in.so | awk '$4 == \"entry\" { print $1, $2 "
		     "}'",
		     flags),
	     *found;
	uint64_t start, size, in_sum = 0;
	struct hd_bench b;

	NEED("nm");
	NEED("rustc");
	put("in.rs", in_rs);
	found = said(cmd);
	free(cmd);
	if (sscanf(found, "%" SCNx64 " %" SCNx64, &start, &size) != 2) {
		free(found);
		SKIP("rustc cannot build it here");
	}
	free(found);
	bench_file(&b, "in.so");
	for (uint64_t a = start; a < start + size; a++) {
		char *all = inlined_at(&b, a), *deep = strstr(all, "4deep");

		/* The call chain is entry, sum, deep, deep; all but entry are inlined. */
		if (deep && strstr(deep, " in.rs:12 < ")) {
			EXPECT(strstr(strstr(deep, " < "), prefix) == strstr(deep, " < ") + 3);
			in_sum += strstr(deep, "3sum") && !strcmp(strrchr(deep, ' '), " in.rs:17");
		}
		free(all);
	}
	EXPECT(in_sum);
	EXPECT_INT(b.log.n, 0);
	bench_close(&b);
}

TEST(rust_functions_have_their_legacy_names)
{
	expect_rust("-Z unstable-options -C symbol-mangling-version=legacy", "_ZN");
}

TEST(rust_functions_have_their_v0_names)
{
	expect_rust("-C symbol-mangling-version=v0", "_R");
}

WORKSHOP_MAIN(
	RUN(inlined_functions_come_innermost_first_each_with_the_line_that_called_it),
	RUN(all_calls_of_the_source_are_found),
	RUN(a_function_into_which_nothing_is_inlined_has_none_and_no_complaint),
	RUN(one_instance_has_one_lowest_address_and_another_call_another),
	RUN(of_a_long_chain_the_innermost_are_given),
	RUN(an_inlined_static_function_has_its_own_name_with_its_scopes),
	RUN(a_name_is_told_from_a_linkage_name),
	RUN(every_address_has_the_frames_that_addr2line_gives),
	RUN(in_dwarf_2),
	RUN(in_strict_dwarf_2_whose_units_do_not_know_all_their_addresses),
	RUN(in_dwarf_3),
	RUN(in_dwarf_4),
	RUN(in_dwarf_5),
	RUN(in_64_bit_dwarf_4),
	RUN(in_64_bit_dwarf_5),
	RUN(for_32_bit_machines),
	RUN(from_clang_in_dwarf_2),
	RUN(from_clang_in_dwarf_3),
	RUN(from_clang_in_dwarf_4),
	RUN(from_clang_in_dwarf_5),
	RUN(from_clang_with_line_tables_only),
	RUN(with_packed_sections),
	RUN(with_sections_packed_the_old_way),
	RUN(in_cxx),
	RUN(in_cxx_in_dwarf_2),
	RUN(in_cxx_from_clang),
	RUN(with_type_units_in_debug_types),
	RUN(with_type_units_in_debug_info),
	RUN(with_type_units_from_clang),
	RUN(with_a_section_per_function_and_unused_ones_dropped),
	RUN(with_sections_dropped_by_lld),
	RUN(after_link_time_optimisation),
	RUN(after_link_time_optimisation_by_clang),
	RUN(with_the_rare_half_of_a_function_moved_away),
	RUN(in_functions_inside_of_functions),
	RUN(in_the_other_byte_order),
	RUN(split_off_into_dwo_files_it_says_the_same),
	RUN(split_off_in_dwarf_5_too),
	RUN(split_off_with_types_too),
	RUN(split_off_with_types_in_dwarf_5_too),
	RUN(split_off_by_clang_too),
	RUN(split_off_by_clang_in_dwarf_5_too),
	RUN(split_off_by_clang_with_types_too),
	RUN(packed_into_a_dwp_it_says_the_same),
	RUN(packed_by_llvm_too),
	RUN(packed_in_dwarf_5_too),
	RUN(shortened_by_dwz_it_says_the_same),
	RUN(shortened_in_dwarf_5_too),
	RUN(with_names_in_an_alternate_file_it_says_the_same),
	RUN(with_a_supplementary_file_of_dwarf_5_too),
	RUN(with_the_alternate_file_in_a_folder_above),
	RUN(dwo_files_are_also_found_beside_the_binary),
	RUN(more_dwo_files_than_are_open_at_a_time_answer_in_any_order),
	RUN(a_dwo_file_that_is_not_there_is_told_once),
	RUN(a_dwo_file_of_another_build_is_not_used),
	RUN(an_alternate_file_that_is_not_there_or_another_costs_names_and_is_told),
	RUN(inlined_functions_of_a_stripped_file_come_from_its_debug_file),
	RUN(rust_functions_have_their_legacy_names),
	RUN(rust_functions_have_their_v0_names),
)
