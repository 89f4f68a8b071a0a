/* hotspot_rest.c - small symbols share one row, and their cost is not lost */
#include "unit/history/history_test.h"

#include "trust/chain.h"
#include "history/run_load.h"
#include "history/hotspot_rest.h"

enum { N = 20 };

/* Fill in an event of 1,000,000 cycles: six large symbols, the first the largest, and 14 with 99 cycles each. */
static void fill(struct hd_run_hotspot *h, struct hd_run_event *e, char (*names)[16])
{
	for (int i = 0; i < N; i++) {
		snprintf(names[i], sizeof(names[i]), "f%02d", i);
		h[i] = (struct hd_run_hotspot){ .object = "/bin/app",
			.linkage = names[i],
			.name = names[i],
			.has_vaddr = true,
			.vaddr = 0x1000 + (uint64_t)i,
			.self = i < 6 ? 100000 : 99,
			.total = 100000,
			.samples = 1 };
		if (i >= 6)
			h[i].total = 9999;
	}
	h[0].self = 1000000 - 5 * 100000 - 14 * 99;
	*e = (struct hd_run_event){ .name = "cycles", .unit = "cycles", .samples = N, .weight = 1000000,
				    .hotspots = h, .nhotspots = N, .folded = "f 1\n", .folded_len = 4 };
}

TEST(symbols_below_a_ten_thousandth_share_one_row_that_ranks_last)
{
	struct hd_run_hotspot h[N];
	struct hd_run_event e;
	char names[N][16];
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_run run = sample_run();
	struct hd_chain_walk found;
	struct hd_stored_run past;
	const struct hd_stored_event *got;

	fill(h, &e, names);
	run.events = &e;
	must_add(db, &run);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM hotspot"), 7);
	EXPECT_INT(count(db, "SELECT SUM(self) FROM hotspot"), 1000000);
	EXPECT_INT(count(db, "SELECT SUM(samples) FROM hotspot"), N);
	EXPECT_TEXT(db,
		"SELECT rank || ' ' || self || ' ' || total || ' ' || h.samples || ' ' || name FROM hotspot h JOIN "
		"symbol s ON s.id = symbol_id WHERE linkage IS NULL AND name IS NOT NULL AND vaddr IS NULL AND object "
		"IS NULL AND normal IS NULL",
		"7 1386 1386 14 [rest]");
	EXPECT_TEXT(db, "SELECT symbols || ' ' || rest_symbols FROM event", "20 14");
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM v_top5 WHERE symbol = '[rest]'"), 0);
	EXPECT_INT(count(db, "SELECT symbols FROM v_run_summary"), N);
	EXPECT_INT(hd_chain_verify(db, NULL, &found, NULL), 0);
	expect_sound(db);

	EXPECT_INT(hd_run_load(&past, db, 1, 100, NULL), 0);
	got = &past.events[0];
	EXPECT_INT(got->symbols, N);
	EXPECT_INT(got->rest_symbols, 14);
	EXPECT_INT(got->nhotspots, 7);
	EXPECT(got->hotspots[6].rest && !got->hotspots[5].rest);
	hd_run_load_release(&past);

	/* a second run uses the same symbol */
	must_add(db, &run);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM symbol WHERE name = '[rest]'"), 1);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM symbol"), 7);
	hd_db_close(db);
	place_remove(&p);
}

TEST(without_folded_stacks_every_symbol_has_its_row)
{
	struct hd_run_hotspot h[N];
	struct hd_run_event e;
	char names[N][16];

	fill(h, &e, names);
	EXPECT_INT(hd_hotspot_rest_of(&e).n, 14);
	e.folded = NULL;
	EXPECT_INT(hd_hotspot_rest_of(&e).n, 0);
	EXPECT_INT(hd_hotspot_rest_of(&e).symbols, N);
}

TEST(a_symbol_that_is_large_by_total_or_inline_cost_has_its_row)
{
	struct hd_run_hotspot h[N];
	struct hd_run_event e;
	char names[N][16];

	fill(h, &e, names);
	h[10].total = 10000;
	EXPECT_INT(hd_hotspot_rest_of(&e).n, 13);
	EXPECT(!hd_hotspot_rest_has(&e, 10));
	h[11].has_inline = true;
	h[11].inline_self = 100;
	EXPECT_INT(hd_hotspot_rest_of(&e).n, 12);
	h[11].inline_self = 99;
	EXPECT_INT(hd_hotspot_rest_of(&e).n, 13);
	EXPECT(hd_hotspot_rest_of(&e).sum.has_inline);
	EXPECT_INT(hd_hotspot_rest_of(&e).sum.inline_self, 99);
	h[12].self = 100;
	EXPECT_INT(hd_hotspot_rest_of(&e).n, 12);
}

TEST(the_first_five_and_a_single_small_one_keep_their_rows)
{
	struct hd_run_hotspot h[N];
	struct hd_run_event e;
	char names[N][16];

	fill(h, &e, names);
	e.weight = 1ull << 40;		/* a large total, so every symbol is below the limit */
	EXPECT_INT(hd_hotspot_rest_of(&e).n, N - 5);
	e.nhotspots = 6;
	EXPECT_INT(hd_hotspot_rest_of(&e).n, 0);
	e.nhotspots = 5;
	EXPECT_INT(hd_hotspot_rest_of(&e).n, 0);
	e.nhotspots = 0;
	EXPECT_INT(hd_hotspot_rest_of(&e).n, 0);
}

TEST(a_symbol_that_is_called_rest_is_not_the_rest)
{
	const struct hd_run_hotspot h = { .object = "/bin/app",
		.linkage = "[rest]",
		.name = "[rest]",
		.self = 1,
		.total = 1,
		.samples = 1 };
	const struct hd_run_event e = { .name = "e",
		.unit = "u",
		.samples = 1,
		.weight = 1,
		.hotspots = &h,
		.nhotspots = 1 };
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_run run = sample_run();
	struct hd_stored_run past;

	run.events = &e;
	must_add(db, &run);
	EXPECT_INT(hd_run_load(&past, db, 1, 100, NULL), 0);
	EXPECT(!past.events[0].hotspots[0].rest);
	hd_run_load_release(&past);
	hd_db_close(db);
	place_remove(&p);
}

TEST_MAIN(RUN(symbols_below_a_ten_thousandth_share_one_row_that_ranks_last),
	RUN(without_folded_stacks_every_symbol_has_its_row),
	RUN(a_symbol_that_is_large_by_total_or_inline_cost_has_its_row),
	RUN(the_first_five_and_a_single_small_one_keep_their_rows), RUN(a_symbol_that_is_called_rest_is_not_the_rest))
