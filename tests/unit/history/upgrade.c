/*
 * upgrade.c - upgrade databases of older programs
 */
#include "unit/history/history_test.h"

#include "base/assets.h"
#include "trust/chain.h"
#include "history/run_load.h"
#include "history/run_lookup.h"
#include "trust/witness.h"

/*
 * The database that the program with schema 3 wrote for the recording "main;parse;read_row 30",
 * "main;decode 20", "main;<ESC>[2J 5".
 */
static const char written_by_schema_3[] =
	"INSERT INTO chain "
	"VALUES('abfba2a880e9bebd3d83e3517dec7441',1,'2026-11-22T03:32:52Z',1,"
	"'ed8dde0065e40cba90dbc949f64638d62bd7ceebb8786ec6601b629a9c2e0595');INSERT "
	"INTO stack_blob "
	"VALUES('3b137f7f17d41533bba0435c6f87a00520b74585fe96ab93dba928e543b3ec88',53,"
	"X'28b52ffd2035a901006d61696e3b5c7831625b324a20350a6d61696e3b6"
	"465636f64652032300a6d61696e3b70617273653b726561645f726f772033300a');INSERT "
	"INTO run "
	"VALUES(1,'20261120T140102Z-nocommit-ed8dde00','2026-11-20T14:01:02Z','2026-11-22T03:32:52Z','se;rve',NULL,"
	"'cpu','ok',NULL,NULL,NULL,NULL,NULL,NULL,'no-inline',NULL,NULL,NULL,NULL,NULL,NULL,3,3,'0.1.0',"
	"'abfba2a880e9bebd3d83e3517dec7441',1,'c51769357c11eb11e4c3a3976a31db9586317ef0a30439c1ccee59d367f8079a',"
	"'0000000000000000000000000000000000000000000000000000000000000000',"
	"'ed8dde0065e40cba90dbc949f64638d62bd7ceebb8786ec6601b629a9c2e0595');INSERT "
	"INTO artifact "
	"VALUES(1,0,'recording','o.folded',NULL,50,'c773918afc1de78b5c"
	"811b8e6a4d993d3a1152728259139b633497863d6219b8');INSERT "
	"INTO event "
	"VALUES(1,0,'folded',NULL,'samples',NULL,55,3,0,'3b137f7f17d41"
	"533bba0435c6f87a00520b74585fe96ab93dba928e543b3ec88');INSERT "
	"INTO object "
	"VALUES(1,'c9fa80f8e8bfe09d71da3bd5c094da3e71b53ad1a579c1d570780cd6d8e4c851','[folded]',NULL,NULL,0);INSERT "
	"INTO symbol "
	"VALUES(1,'f1f794c79f4f87ec6f40e5cfffb8fc27d05c93ce320006e8a8942718b3c04a34','[folded]',NULL,'read_row',"
	"NULL,'read_row',NULL,'read_row',NULL);INSERT "
	"INTO symbol "
	"VALUES(2,'0febad44c02388af1738306dfde5d7be3276ce0a4a06f8b7d19310dfc7c8baca','[folded]',NULL,'decode',NULL,"
	"'decode',NULL,'decode',NULL);INSERT "
	"INTO symbol "
	"VALUES(3,'162369ab4f103d516f0b10c9f2eb5cb3da71a1521e50a04e9e429c25c1caa1b5','[folded]',NULL,'\\x1b[2J',"
	"X'1b5b324a','\\x1b[2J',X'1b5b324a','\\x1b[2J',X'1b5b324a');INSERT "
	"INTO hotspot VALUES(1,0,1,1,1,NULL,30,30,1,NULL,NULL);INSERT INTO hotspot "
	"VALUES(1,0,2,2,1,NULL,20,20,1,NULL,NULL);INSERT INTO hotspot VALUES(1,0,3,3,1,NULL,5,5,1,NULL,NULL);";

/* Make a database as the program with schema 3 left it. */
static void make_old(const char *path)
{
	const struct hd_db_opts o = { .url = path, .mode = HD_DB_WRITE };
	struct hd_err err = { 0 };
	struct hd_db *db;

	EXPECT_INT(hd_db_open(&db, &o, &err), 0);
	for (int v = 1; v <= 3; v++) {
		char number[16];

		snprintf(number, sizeof(number), "%03d_", v);
		for (const struct hd_asset *a = hd_assets; a->name; a++) {
			if (strncmp(a->name, number, 4))
				continue;
			must_exec(db, a->data);
			EXPECT_INT(hd_db_do(db, &err, "INSERT INTO schema_version VALUES ($1, $2, '', '', '')", "it",
					   (int64_t)v, a->name),
				0);
		}
	}
	must_exec(db, written_by_schema_3);
	hd_db_close(db);
}

TEST(a_run_from_before_the_new_columns_keeps_its_hashes_and_another_one_follows_it)
{
	struct place p = place_new();
	struct hd_chain_walk found;
	struct hd_err err = { 0 };
	struct hd_run run = full_run();
	struct hd_db *db;

	ONLY_SQLITE();
	make_old(p.db);
	EXPECT_INT(open_as(&db, p.db, HD_DB_READ, 0, &err), HD_EIO);
	EXPECT(strstr(err.msg, "the next command that writes upgrades it"));
	db = must_open(p.db, HD_DB_WRITE);
	EXPECT_INT(hd_chain_verify(db, NULL, &found, &err), 0);
	EXPECT_INT(found.runs, 1);
	must_add(db, &run);
	EXPECT_INT(hd_chain_verify(db, NULL, &found, &err), 0);
	EXPECT_INT(found.runs, 2);
	expect_sound(db);
	hd_db_close(db);
	place_remove(&p);
}

TEST(the_witness_of_an_old_run_holds_with_its_form)
{
	static const int64_t runs[] = { 1 };
	struct place p = place_new();
	struct hd_err err = { 0 };
	struct hd_outfile out;
	struct hd_witness w;
	struct hd_db *db;

	ONLY_SQLITE();
	make_old(p.db);
	db = must_open(p.db, HD_DB_WRITE);
	hd_outfile_memory(&out);
	EXPECT_INT(hd_witness_write(&out, db, runs, 1, HD_WITNESS_CHAIN | HD_WITNESS_RUNS, &err), 0);
	EXPECT(strstr(hd_buf_str(&out.pending), ",\"form\":1,"));
	EXPECT_INT(hd_witness_check(&w, hd_buf_str(&out.pending), out.pending.len, "w", &err), 0);
	EXPECT_INT(w.nruns, 1);
	hd_witness_release(&w);
	hd_outfile_discard(&out);
	hd_db_close(db);
	place_remove(&p);
}

TEST(fields_that_an_old_run_lacks_are_unknown)
{
	struct place p = place_new();
	struct hd_err err = { 0 };
	struct hd_stored_run run;
	struct hd_db *db;
	int64_t row;

	ONLY_SQLITE();
	make_old(p.db);
	db = must_open(p.db, HD_DB_WRITE);
	EXPECT_INT(hd_run_lookup(db, "latest", &row, &err), 0);
	EXPECT_INT(hd_run_load(&run, db, row, 10, &err), 0);
	EXPECT(run.work != run.work);
	EXPECT(!run.selection);
	EXPECT(!run.side);
	EXPECT_INT(run.events[0].symbols, 3);
	EXPECT_INT(run.events[0].rest_symbols, 0);
	EXPECT(run.events[0].effective != run.events[0].effective);
	EXPECT_STR(run.events[0].hotspots[2].name, "\x1b[2J");
	hd_run_load_release(&run);
	EXPECT_TEXT(db, "SELECT symbols || ' ' || top5 FROM v_run_summary", "3 read_row; decode; \\x1b[2J");
	hd_db_close(db);
	place_remove(&p);
}

TEST_MAIN(RUN(the_witness_of_an_old_run_holds_with_its_form),
	RUN(a_run_from_before_the_new_columns_keeps_its_hashes_and_another_one_follows_it),
	RUN(fields_that_an_old_run_lacks_are_unknown))
