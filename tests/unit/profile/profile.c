/*
 * profile.c - tests of the profile: equal names, symbols, frames and stacks get equal IDs, and weights add up
 */
#include "test.h"

#include "profile/profile.h"

#include <string.h>

TEST(id_0_of_every_table_is_the_unknown_one)
{
	struct hd_profile *p = hd_profile_new();
	bool unknown = false;

	EXPECT(p->nobjects == 1 && p->objects[0].unknown);
	EXPECT_STR(hd_profile_str(p, p->objects[0].name), "[unknown]");
	EXPECT(p->nsymbols == 1 && p->symbols[0].unresolved);
	EXPECT_INT(p->nframes, 1);
	EXPECT_STR(hd_profile_frame_name(p, (hd_frame_id){ 0 }, &unknown), "[unknown]");
	EXPECT(unknown);
	EXPECT_STR(hd_profile_str(p, 0), "");
	hd_profile_free(p);
	hd_profile_free(NULL);
}

TEST(an_object_is_its_name_and_its_build_id_and_its_side)
{
	struct hd_profile *p = hd_profile_new();
	uint32_t a = hd_profile_add_object(p, "/usr/bin/app", "abcd", false);

	EXPECT_INT(hd_profile_add_object(p, "/usr/bin/app", "abcd", false), a);
	EXPECT(hd_profile_add_object(p, "/usr/bin/app", "", false) != a);
	EXPECT(hd_profile_add_object(p, "/usr/bin/app", "abcd", true) != a);
	EXPECT(hd_profile_add_object(p, "/usr/bin/other", "abcd", false) != a);
	EXPECT_INT(p->nobjects, 5);
	/* A mapping called [unknown] is not the unknown object. */
	EXPECT(hd_profile_add_object(p, "[unknown]", "", false) != 0);
	EXPECT(!p->objects[5].unknown);
	hd_profile_free(p);
}

TEST(a_symbol_is_its_object_and_its_start_whatever_it_is_called)
{
	struct hd_profile *p = hd_profile_new();
	struct hd_profile_symbol s = { .object = 1, .start = 0x1000, .size = 16, .name = hd_profile_name(p, "work") };
	uint32_t id = hd_profile_add_symbol(p, &s);

	s.name = hd_profile_name(p, "alias");
	EXPECT_INT(hd_profile_add_symbol(p, &s), id);
	EXPECT_STR(hd_profile_str(p, p->symbols[id].name), "work");	/* the first name wins */
	s.start = 0x2000;	/* another static function with the same name */
	EXPECT(hd_profile_add_symbol(p, &s) != id);
	s.start = 0x1000;
	s.object = 2;
	EXPECT(hd_profile_add_symbol(p, &s) != id);
	s.object = 1;
	s.unresolved = true;	/* an address that no symbol covers, and the symbol that begins there */
	EXPECT(hd_profile_add_symbol(p, &s) != id);
	hd_profile_free(p);
}

TEST(a_symbol_known_by_name_only_is_its_object_its_name_and_its_side)
{
	struct hd_profile *p = hd_profile_new();
	uint32_t id = hd_profile_add_named_symbol(p, 1, "read", false);

	EXPECT_INT(hd_profile_add_named_symbol(p, 1, "read", false), id);
	EXPECT(hd_profile_add_named_symbol(p, 1, "write", false) != id);
	EXPECT(hd_profile_add_named_symbol(p, 2, "read", false) != id);
	EXPECT(hd_profile_add_named_symbol(p, 1, "read", true) != id);
	hd_profile_free(p);
}

TEST(a_frame_is_its_symbol_its_address_its_line_and_whether_it_was_inlined)
{
	struct hd_profile *p = hd_profile_new();
	struct hd_frame base = { .symbol = 1, .vaddr = 0x1234, .file = 2, .line = 3 }, f;
	uint32_t id = hd_profile_add_frame(p, &base).v;

	EXPECT_INT(hd_profile_add_frame(p, &base).v, id);
	f = base, f.symbol++;
	EXPECT(hd_profile_add_frame(p, &f).v != id);
	f = base, f.vaddr++;
	EXPECT(hd_profile_add_frame(p, &f).v != id);
	f = base, f.file++;
	EXPECT(hd_profile_add_frame(p, &f).v != id);
	f = base, f.line++;
	EXPECT(hd_profile_add_frame(p, &f).v != id);
	f = base, f.inlined = true;
	EXPECT(hd_profile_add_frame(p, &f).v != id);
	EXPECT_INT(p->nframes, 7);	/* includes frame 0 */
	hd_profile_free(p);
}

TEST(ten_thousand_of_each_keep_their_ids)
{
	struct hd_profile *p = hd_profile_new();

	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 10000; i++) {
			struct hd_profile_symbol s = { .object = i % 3, .start = 0x1000 + 16ull * i, .size = 16 };
			struct hd_frame f = { .symbol = i, .vaddr = i };

			EXPECT_INT(hd_profile_add_symbol(p, &s), i + 1);
			EXPECT_INT(hd_profile_add_frame(p, &f).v, i + 1);
		}
	hd_profile_free(p);
}

TEST(an_event_is_its_name_and_sums_what_is_added_to_its_rows)
{
	struct hd_profile *p = hd_profile_new();
	uint32_t cycles = hd_profile_add_event(p, "cycles", "cycles"),
		 clock = hd_profile_add_event(p, "cpu-clock", "ns");
	struct hd_sample_row row = { .event = clock, .weight = 1000, .count = 2 };

	EXPECT_INT(hd_profile_add_event(p, "cycles", "cycles"), cycles);
	hd_profile_add_sample(p, &row);
	row.pid = 7;
	hd_profile_add_sample(p, &row);
	EXPECT_INT(p->events[clock].weight, 2000);
	EXPECT_INT(p->events[clock].samples, 4);
	EXPECT_INT(p->events[cycles].weight, 0);
	EXPECT_INT(p->rows.n, 2);
	hd_profile_free(p);
}

TEST(dropped_samples_are_counted_by_reason)
{
	struct hd_profile *p = hd_profile_new();

	hd_profile_drop(p, "not selected", 1);
	hd_profile_drop(p, "lost.sample-cut", 2);
	hd_profile_drop(p, "not selected", 3);
	EXPECT_INT(p->ndropped, 2);
	EXPECT_STR(p->dropped[0].reason, "not selected");
	EXPECT_INT(p->dropped[0].count, 4);
	EXPECT_INT(p->dropped[1].count, 2);
	hd_profile_free(p);
}

TEST(a_frame_is_called_by_its_symbols_name_and_a_name_is_not_the_pseudo_name)
{
	struct hd_profile *p = hd_profile_new();
	struct hd_frame f = { .symbol = hd_profile_add_named_symbol(p, 1, "[unknown]", false) };
	struct hd_profile_symbol bare = { .object = 1, .start = 0x1234, .unresolved = true };
	bool unknown = true;

	EXPECT_STR(hd_profile_frame_name(p, hd_profile_add_frame(p, &f), &unknown), "[unknown]");
	EXPECT(!unknown);
	f.symbol = hd_profile_add_symbol(p, &bare);
	EXPECT_STR(hd_profile_frame_name(p, hd_profile_add_frame(p, &f), &unknown), "[unknown]");
	EXPECT(unknown);
	hd_profile_free(p);
}

TEST_MAIN(RUN(id_0_of_every_table_is_the_unknown_one),
	  RUN(an_object_is_its_name_and_its_build_id_and_its_side),
	  RUN(a_symbol_is_its_object_and_its_start_whatever_it_is_called),
	  RUN(a_symbol_known_by_name_only_is_its_object_its_name_and_its_side),
	  RUN(a_frame_is_its_symbol_its_address_its_line_and_whether_it_was_inlined),
	  RUN(ten_thousand_of_each_keep_their_ids),
	  RUN(an_event_is_its_name_and_sums_what_is_added_to_its_rows),
	  RUN(dropped_samples_are_counted_by_reason),
	  RUN(a_frame_is_called_by_its_symbols_name_and_a_name_is_not_the_pseudo_name))
