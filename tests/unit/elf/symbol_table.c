/* symbol_table.c - look up addresses where symbols touch, are nested or share an address */
#include "test.h"

#include "base/mem.h"
#include "elf/symbol_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct hd_symtable *t, uint64_t start, uint64_t size, const char *name, unsigned flags)
{
	struct hd_symraw raw = { .start = start, .size = size, .limit = 0x1000, .flags = (uint8_t)flags };

	raw.name = hd_symtable_name(t, name, strlen(name));
	hd_symtable_add(t, &raw);
}

/*
 * Return the first letters of the symbols at the addresses 0, 1, 2, ...  (".": none) as text, which the caller frees.
 */
static char *map_of(const struct hd_symtable *t, uint64_t n)
{
	char *s = hd_alloc(n + 1);
	size_t at = 0;

	for (uint64_t a = 0; a < n; a++) {
		struct hd_symspan span;

		s[a] = '.';
		if (hd_symtable_find(t, a, &at, &span)) {
			EXPECT(span.start <= a && a < span.end);
			s[a] = *hd_symtable_str(t, span.name);
		}
	}
	s[n] = '\0';
	return s;
}

#define EXPECT_MAP(t, policy, want)				\
	do {							\
		char *got_;					\
								\
		hd_symtable_build(t, policy);			\
		got_ = map_of(t, strlen(want));			\
		EXPECT_STR(got_, want);				\
		free(got_);					\
		hd_symtable_release(t);				\
	} while (0)

TEST(a_symbol_covers_its_size_and_no_byte_more)
{
	struct hd_symtable t = { 0 };

	add(&t, 2, 3, "a", HD_SYM_GLOBAL);
	add(&t, 8, 2, "b", 0);
	EXPECT_MAP(&t, HD_SYM_FUNCTIONS, "..aaa...bb..");
}

TEST(an_unsized_symbol_reaches_to_the_next_one_or_to_the_end_of_its_section)
{
	struct hd_symtable t = { 0 };
	struct hd_symraw last = { .start = 7, .limit = 9 };

	add(&t, 1, 0, "a", 0);
	add(&t, 4, 1, "b", 0);
	last.name = hd_symtable_name(&t, "c", 1);
	hd_symtable_add(&t, &last);
	EXPECT_MAP(&t, HD_SYM_FUNCTIONS, ".aaab..cc..");
}

TEST(symbols_may_come_in_any_order)
{
	struct hd_symtable t = { 0 };

	add(&t, 6, 2, "c", 0);
	add(&t, 0, 3, "a", 0);
	add(&t, 3, 3, "b", 0);
	EXPECT_MAP(&t, HD_SYM_FUNCTIONS, "aaabbbcc.");
}

TEST(of_two_symbols_at_one_address_sized_strong_global_fewer_underscores_and_longer_wins)
{
	struct hd_symtable t = { 0 };

	add(&t, 0, 2, "sized", HD_SYM_WEAK);
	add(&t, 0, 0, "unsized_but_last_gets_the_rest", HD_SYM_GLOBAL);
	add(&t, 2, 2, "weak", HD_SYM_WEAK);
	add(&t, 2, 2, "Strong", 0);
	add(&t, 4, 2, "local", 0);
	add(&t, 4, 2, "Global", HD_SYM_GLOBAL);
	add(&t, 6, 2, "__much_longer", HD_SYM_GLOBAL);
	add(&t, 6, 2, "_fewer", HD_SYM_GLOBAL);
	add(&t, 8, 2, "short", HD_SYM_GLOBAL);
	add(&t, 8, 2, "Longer", HD_SYM_GLOBAL);
	add(&t, 10, 2, "first", HD_SYM_GLOBAL);
	add(&t, 10, 2, "Equal", HD_SYM_GLOBAL);
	EXPECT_MAP(&t, HD_SYM_FUNCTIONS, "uuSSGG__LLff");
}

TEST(names_are_weighed_as_they_are_shown)
{
	struct hd_symtable t = { 0 };

	/* `_Z1fv` is displayed as `f`, which is shorter than `gg`. */
	add(&t, 0, 2, "_Z1fv", HD_SYM_GLOBAL);
	add(&t, 0, 2, "gg", HD_SYM_GLOBAL);
	/* `_Z4longv` is displayed without a leading underscore. */
	add(&t, 2, 2, "lon", HD_SYM_GLOBAL);
	add(&t, 2, 2, "_Z4longv", HD_SYM_GLOBAL);
	/* Both variants of a constructor have the same display name, so the first one wins. */
	add(&t, 4, 2, "_ZN1AC2Ev", HD_SYM_GLOBAL);
	add(&t, 4, 2, "_ZN1AC1Ev", HD_SYM_GLOBAL);
	hd_symtable_build(&t, HD_SYM_FUNCTIONS);
	EXPECT_STR(hd_symtable_str(&t, t.pieces[0].name), "gg");
	EXPECT_STR(hd_symtable_str(&t, t.pieces[1].name), "_Z4longv");
	EXPECT_STR(hd_symtable_str(&t, t.pieces[2].name), "_ZN1AC2Ev");
	hd_symtable_release(&t);
}

TEST(of_unsized_symbols_at_one_address_the_last_is_shown_as_perf_does)
{
	struct hd_symtable t = { 0 };

	add(&t, 0, 0, "a", HD_SYM_GLOBAL);
	add(&t, 0, 0, "__b", 0);
	add(&t, 3, 0, "c", 0);
	EXPECT_MAP(&t, HD_SYM_FUNCTIONS, "___ccc");
}

TEST(the_innermost_of_nested_symbols_is_found_and_the_outer_one_again_after_it)
{
	struct hd_symtable t = { 0 };

	add(&t, 0, 10, "outer", 0);
	add(&t, 3, 2, "inner", 0);
	add(&t, 6, 8, "tail", 0);
	EXPECT_MAP(&t, HD_SYM_FUNCTIONS, "oooiiotttttttt.");
}

TEST(a_piece_of_a_symbol_knows_the_whole)
{
	struct hd_symtable t = { 0 };
	struct hd_symspan span;
	size_t at = 0;

	add(&t, 0, 10, "outer", 0);
	add(&t, 3, 2, "inner", 0);
	hd_symtable_build(&t, HD_SYM_FUNCTIONS);
	EXPECT(hd_symtable_find(&t, 7, &at, &span));
	EXPECT(span.start == 0 && span.end == 10);
	hd_symtable_release(&t);
}

TEST(a_label_inside_a_function_does_not_hide_it_but_in_a_kernel_it_does)
{
	struct hd_symtable t = { 0 };

	add(&t, 0, 6, "function", 0);
	add(&t, 2, 0, "label", HD_SYM_LABEL);
	add(&t, 8, 2, "next", 0);
	EXPECT_MAP(&t, HD_SYM_FUNCTIONS, "ffffffllnn");
	add(&t, 0, 6, "function", 0);
	add(&t, 2, 0, "label", HD_SYM_LABEL);
	add(&t, 8, 2, "next", 0);
	EXPECT_MAP(&t, HD_SYM_INNERMOST, "ffllllllnn");
}

/* OCaml puts a global label `camlMODULE__code_begin`, without a size, at the first function of each module. */
TEST(a_sized_function_wins_over_a_label_at_its_start_in_any_order_and_whatever_their_binding)
{
	for (int order = 0; order < 2; order++) {
		struct hd_symtable t = { 0 };

		if (order)
			add(&t, 0, 6, "function", 0);
		add(&t, 0, 0, "label", HD_SYM_LABEL | HD_SYM_GLOBAL);
		if (!order)
			add(&t, 0, 6, "function", 0);
		add(&t, 8, 2, "next", 0);
		EXPECT_MAP(&t, HD_SYM_FUNCTIONS, "ffffff..nn");
	}
}

TEST(in_a_log_the_last_entry_counts)
{
	struct hd_symtable t = { 0 };

	add(&t, 0, 6, "a", 0);
	add(&t, 4, 4, "b", 0);
	add(&t, 0, 2, "c", 0);
	add(&t, 1, 1, "d", 0);
	add(&t, 9, 0, "empty", 0);
	EXPECT_MAP(&t, HD_SYM_LATEST, "cdaabbbb..");
}

TEST(a_second_table_only_fills_in_what_the_first_lacks)
{
	struct hd_symtable t = { 0 };

	add(&t, 0, 2, "a", 0);
	add(&t, 4, 0, "b", 0);
	add(&t, 0, 2, "Alias_that_is_longer", HD_SYM_GLOBAL | HD_SYM_SECOND);
	add(&t, 4, 2, "Balias", HD_SYM_GLOBAL | HD_SYM_SECOND);
	add(&t, 8, 2, "c", HD_SYM_GLOBAL | HD_SYM_SECOND);
	EXPECT_MAP(&t, HD_SYM_FUNCTIONS, "aa..bbbbcc");
}

/* ---- random overlaps: lookups compared with a search of all symbols ---- */

enum { N = 40, SPAN = 64 };

static char shown(const struct hd_symraw *r, size_t n, uint64_t a, enum hd_sym_policy policy)
{
	const struct hd_symraw *best = NULL;

	for (size_t i = 0; i < n; i++) {
		if (a < r[i].start || a >= r[i].start + r[i].size)
			continue;
		if (!best || policy == HD_SYM_LATEST || r[i].start > best->start)
			best = &r[i];
	}
	return best ? (char)('A' + (best - r)) : '.';
}

TEST(any_overlaps_give_what_the_policy_says_address_by_address)
{
	unsigned seed = 1;

	for (int round = 0; round < 400; round++) {
		enum hd_sym_policy policy = round & 1 ? HD_SYM_LATEST : HD_SYM_INNERMOST;
		struct hd_symtable t = { 0 };
		struct hd_symraw raw[N];
		char want[SPAN + 1], *got;
		size_t n = 0;

		for (size_t i = 0; i < N; i++) {
			char name[2] = { (char)('A' + n), 0 };
			bool taken = false;

			seed = seed * 1103515245 + 12345;
			raw[n] = (struct hd_symraw){ .start = seed >> 16 & 63, .size = 1 + (seed >> 24) % 20 };
			for (size_t k = 0; k < n; k++)
				taken |= raw[k].start == raw[n].start;
			if (taken && policy == HD_SYM_INNERMOST)
				continue;	/* other tests cover aliases */
			add(&t, raw[n].start, raw[n].size, name, 0);
			n++;
		}
		for (uint64_t a = 0; a < SPAN; a++)
			want[a] = shown(raw, n, a, policy);
		want[SPAN] = '\0';
		hd_symtable_build(&t, policy);
		EXPECT(t.npieces <= 2 * n);
		got = map_of(&t, SPAN);
		EXPECT_STR(got, want);
		free(got);
		hd_symtable_release(&t);
	}
}

TEST(questions_in_any_order_get_the_same_answers)
{
	struct hd_symtable t = { 0 };
	struct hd_symspan span;
	size_t at = 12345;

	for (unsigned i = 0; i < 1000; i++) {
		char name[8];

		snprintf(name, sizeof(name), "f%u", i);
		add(&t, i * 10, 7, name, 0);
	}
	hd_symtable_build(&t, HD_SYM_FUNCTIONS);
	for (unsigned i = 0; i < 5000; i++) {
		uint64_t a = (uint64_t)i * 7919 % 10000;

		EXPECT_INT(hd_symtable_find(&t, a, &at, &span), a % 10 < 7);
		if (a % 10 < 7)
			EXPECT_INT(span.start, a / 10 * 10);
	}
	hd_symtable_release(&t);
}

TEST(a_hundred_thousand_nested_symbols_cost_no_more_than_as_many_apart)
{
	struct hd_symtable t = { 0 };
	struct hd_symspan span;
	size_t at = 0;
	enum { DOLLS = 100000 };

	for (uint64_t i = 0; i < DOLLS; i++)
		add(&t, i, 2 * (DOLLS - i), "doll", 0);
	hd_symtable_build(&t, HD_SYM_INNERMOST);
	EXPECT(t.npieces <= 2 * DOLLS);
	/* Up to the innermost symbol, address i is in symbol i.  After it, the symbols follow in reverse order. */
	for (uint64_t i = 0; i < 2 * DOLLS; i++) {
		EXPECT(hd_symtable_find(&t, i, &at, &span));
		EXPECT_INT(span.start, i < DOLLS ? i : 2 * DOLLS - 1 - i);
	}
	hd_symtable_release(&t);
}

TEST(a_tie_of_names_made_to_be_expensive_is_decided_soon)
{
	struct hd_symtable t = { 0 };
	struct hd_symraw raw = { .size = 2 };
	uint32_t names[2];

	/* Each of the two names would take gigabytes when it is demangled. */
	for (unsigned k = 0; k < 2; k++) {
		struct hd_buf b = { 0 };

		hd_buf_addf(&b, "_Z%s1PIiiE", k ? "1fI" : "1gI");
		for (unsigned i = 0; i < 34; i++)
			hd_buf_addf(&b, "S_IS%c_S%c_E", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i],
				"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i]);
		hd_buf_adds(&b, "Evv");
		names[k] = hd_symtable_name(&t, b.data, b.len);
		hd_buf_release(&b);
	}
	for (unsigned i = 0; i < 200000; i++) {
		raw.start = i / 2 * 2;
		raw.name = names[i & 1];
		hd_symtable_add(&t, &raw);
	}
	hd_symtable_build(&t, HD_SYM_FUNCTIONS);
	EXPECT_INT(t.npieces, 100000);
	EXPECT(t.alias_work < 65 << 20);
	hd_symtable_release(&t);
}

TEST(a_large_table_answers_as_a_small_one_does)
{
	enum { MANY = 5000 };
	struct hd_symtable t = { 0 };
	uint64_t at = 0x1000;
	struct hd_symspan span;

	/* Some symbols are close together, others are far from the next one. */
	for (uint64_t i = 0; i < MANY; i++, at += i % 100 ? 16 : 1 << 20) {
		struct hd_symraw raw = { .start = at,
			.size = 12,
			.limit = UINT64_MAX,
			.name = hd_symtable_name(&t, "f", 1) };

		hd_symtable_add(&t, &raw);
	}
	hd_symtable_build(&t, HD_SYM_FUNCTIONS);
	EXPECT(t.stretches);
	for (size_t k = 0; k < MANY; k++) {
		const struct hd_sympiece *p = &t.pieces[k * 7 % MANY];
		size_t cursor = 0;

		EXPECT(hd_symtable_find(&t, p->start, &cursor, &span) && span.start == p->start);
		cursor = 0;
		EXPECT(hd_symtable_find(&t, p->end - 1, &cursor, &span) && span.start == p->start);
		cursor = 0;
		EXPECT(!hd_symtable_find(&t, p->end, &cursor, &span));
		EXPECT(!hd_symtable_find(&t, p->start - 1, &cursor, &span));
		EXPECT(!hd_symtable_find(&t, 0, &cursor, &span));
		EXPECT(!hd_symtable_find(&t, UINT64_MAX, &cursor, &span));
	}
	hd_symtable_release(&t);
}

TEST(an_empty_table_covers_nothing)
{
	struct hd_symtable t = { 0 };
	struct hd_symspan span;
	size_t at = 0;

	hd_symtable_build(&t, HD_SYM_FUNCTIONS);
	EXPECT(!hd_symtable_find(&t, 0, &at, &span));
	EXPECT(!hd_symtable_find(&t, UINT64_MAX, &at, &span));
	hd_symtable_release(&t);
}

TEST_MAIN(
	RUN(a_symbol_covers_its_size_and_no_byte_more),
	RUN(an_unsized_symbol_reaches_to_the_next_one_or_to_the_end_of_its_section),
	RUN(symbols_may_come_in_any_order),
	RUN(of_two_symbols_at_one_address_sized_strong_global_fewer_underscores_and_longer_wins),
	RUN(names_are_weighed_as_they_are_shown),
	RUN(of_unsized_symbols_at_one_address_the_last_is_shown_as_perf_does),
	RUN(the_innermost_of_nested_symbols_is_found_and_the_outer_one_again_after_it),
	RUN(a_piece_of_a_symbol_knows_the_whole),
	RUN(a_label_inside_a_function_does_not_hide_it_but_in_a_kernel_it_does),
	RUN(a_sized_function_wins_over_a_label_at_its_start_in_any_order_and_whatever_their_binding),
	RUN(in_a_log_the_last_entry_counts),
	RUN(a_second_table_only_fills_in_what_the_first_lacks),
	RUN(any_overlaps_give_what_the_policy_says_address_by_address),
	RUN(questions_in_any_order_get_the_same_answers),
	RUN(a_hundred_thousand_nested_symbols_cost_no_more_than_as_many_apart),
	RUN(a_tie_of_names_made_to_be_expensive_is_decided_soon),
	RUN(a_large_table_answers_as_a_small_one_does),
	RUN(an_empty_table_covers_nothing),
)
