/*
 * symbol_name.c - normalise symbol names so that they are the same in every build
 */
#include "test.h"

#include "base/mem.h"
#include "base/symbol_name.h"

#include <stdlib.h>
#include <string.h>

static void normal(const char *name, const char *want)
{
	char *got = hd_symbol_name_normalize(name);

	EXPECT_STR(got, want);
	free(got);
}

TEST(suffixes_of_compilers_go_however_many)
{
	normal("decode.cold", "decode");
	normal("decode.constprop.0", "decode");
	normal("decode.isra.0.part.3.cold", "decode");
	normal("decode.llvm.4455667788990011223", "decode");
	normal("decode.__uniq.1234567.argelim", "decode");
	normal("decode.lto_priv.12", "decode");
	normal("decode.llvm.42.cfi", "decode");
	normal("decode.cfi", "decode");
	normal("ns::decode(int) [clone .part.0] [clone .cold]", "ns::decode(int)");
}

TEST(hashes_of_rust_go)
{
	normal("alloc::vec::grow::h0123456789abcdef", "alloc::vec::grow");
	normal("alloc::vec::grow::h0123456789abcdef.llvm.77", "alloc::vec::grow");
	normal("krate[0123456789abcdef]::module::run", "krate::module::run");
	normal("<krate[9876543210ab]::T as other[fedcba9876543210]::Trait>::run.llvm.1.cold",
		"<krate::T as other::Trait>::run");
}

TEST(functions_without_a_name_lose_the_hash_of_their_module)
{
	normal("anon.5f0c6a1b2d3e4f5a6b7c8d9e0f1a2b3c.12", "anon");
	normal("anon.5f0c6a1b2d3e4f5a6b7c8d9e0f1a2b3c.12.llvm.42.cfi", "anon");
	normal("outer.anon.0123456789abcdef.0", "outer.anon");
}

TEST(what_belongs_to_the_name_stays)
{
	static const char *const names[] = {
		"", "decode", "operator new(unsigned long)", "operator new[](unsigned long)", "main.(*T).Run.func1",
		"main.init.0",
		"f.cold_start", ".cold", "x.0", "a.b.c", "std::array<int, 8>::at", "table[12345678]",
		"table[12345678]:x",
		"path::h0123456789abcde", "path::h0123456789abcdeg", "::h0123456789abcdef", "f [clone]", "[clone .x]",
		" [clone .x]",
		"caf\xc3\xa9", "\xff\xfe", "__memmove_avx_unaligned_erms", "anon.12", "anon.0123456789abcde.1",
		"canon.0123456789abcdef.1", "anon.0123456789abcdef", ".0123456789abcdef.1", "0123456789abcdef.1",
		"[12345678]::x",
	};

	for (size_t i = 0; i < HD_COUNT(names); i++)
		normal(names[i], names[i]);
}

TEST(a_normal_name_is_its_own_normal_name)
{
	static const char *const names[] = { "a.cold.cold", "x::h0123456789abcdef::h0123456789abcdef",
		"a [clone .b] [clone .c].isra.0" };

	for (size_t i = 0; i < HD_COUNT(names); i++) {
		char *once = hd_symbol_name_normalize(names[i]);

		normal(once, once);
		free(once);
	}
}

TEST_MAIN(RUN(suffixes_of_compilers_go_however_many),
	  RUN(hashes_of_rust_go),
	  RUN(functions_without_a_name_lose_the_hash_of_their_module),
	  RUN(what_belongs_to_the_name_stays),
	  RUN(a_normal_name_is_its_own_normal_name))
