/*
 * strtab.c - equal strings get equal IDs
 */
#include "test.h"

#include "base/strtab.h"

#include <string.h>

TEST(the_empty_string_is_id_0)
{
	struct hd_strtab *st = hd_strtab_new();

	EXPECT_INT(hd_strtab_add(st, ""), 0);
	EXPECT_STR(hd_strtab_get(st, 0), "");
	EXPECT_INT(hd_strtab_len(st, 0), 0);
	EXPECT_INT(hd_strtab_count(st), 1);
	hd_strtab_free(st);
}

TEST(equal_strings_get_equal_ids_and_others_the_next_one)
{
	struct hd_strtab *st = hd_strtab_new();

	EXPECT_INT(hd_strtab_add(st, "main"), 1);
	EXPECT_INT(hd_strtab_add(st, "read"), 2);
	EXPECT_INT(hd_strtab_add(st, "main"), 1);
	EXPECT_INT(hd_strtab_addn(st, "mainly", 4), 1);
	EXPECT_INT(hd_strtab_count(st), 3);
	hd_strtab_free(st);
}

TEST(strings_that_differ_only_behind_a_nul_are_two)
{
	struct hd_strtab *st = hd_strtab_new();
	uint32_t ab = hd_strtab_addn(st, "a\0b", 3), ac = hd_strtab_addn(st, "a\0c", 3), a = hd_strtab_addn(st, "a", 1);

	EXPECT(ab != ac && ab != a && ac != a);
	EXPECT_INT(hd_strtab_len(st, ab), 3);
	EXPECT_MEM(hd_strtab_get(st, ab), "a\0b", 4);
	hd_strtab_free(st);
}

TEST(a_string_stays_where_it_is_while_ten_thousand_others_come)
{
	struct hd_strtab *st = hd_strtab_new();
	uint32_t id = hd_strtab_add(st, "first");
	const char *s = hd_strtab_get(st, id);
	char name[16];

	for (unsigned i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		EXPECT_INT(hd_strtab_add(st, name), i + 2);
	}
	for (unsigned i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		EXPECT_INT(hd_strtab_add(st, name), i + 2);
		EXPECT_STR(hd_strtab_get(st, i + 2), name);
	}
	EXPECT(hd_strtab_get(st, id) == s);
	EXPECT_STR(s, "first");
	hd_strtab_free(st);
}


TEST_MAIN(RUN(the_empty_string_is_id_0),
	  RUN(equal_strings_get_equal_ids_and_others_the_next_one),
	  RUN(strings_that_differ_only_behind_a_nul_are_two),
	  RUN(a_string_stays_where_it_is_while_ten_thousand_others_come))
