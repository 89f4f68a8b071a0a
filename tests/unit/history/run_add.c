/* run_add.c - a run is added completely or not at all, and is stored as it was passed */
#include "unit/history/history_test.h"

#include "db/blob.h"
#include "trust/chain.h"
#include "trust/derived_columns.h"

static struct hd_err add_fails(struct hd_db *db, const struct hd_run *run, enum hd_code code)
{
	struct hd_run_ticket ticket;
	struct hd_err err = { 0 };

	EXPECT_INT(hd_run_add(db, run, &ticket, &err), code);
	return err;
}

TEST(a_run_is_one_row_with_everything_it_refers_to)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_run run = sample_run();
	struct hd_run_ticket t = must_add(db, &run);

	EXPECT(!strncmp(t.id, "20261023T140102Z-nocommit-", 26));
	EXPECT_INT(strlen(t.id), 26 + 8);
	EXPECT(!strncmp(t.id + 26, t.hash, 8));
	EXPECT_TEXT(db, "SELECT run_id FROM run", t.id);
	EXPECT_TEXT(db,
		"SELECT recorded_utc || ' ' || target || ' ' || mode || ' ' || status || ' ' || inline_mode FROM run",
		"2026-10-23T14:01:02Z serve cpu ok no-inline");
	EXPECT_INT(
		count(db,
			"SELECT COUNT(*) FROM run WHERE exit_status IS NULL AND commit_id IS NULL AND machine_id IS "
			"NULL AND config_id IS NULL AND dirty IS NULL AND command IS NULL"),
		1);
	EXPECT_TEXT(db, "SELECT name || ' ' || unit || ' ' || weight || ' ' || samples || ' ' || lost FROM event",
		"cycles:u cycles 100 10 2");
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM hotspot"), 3);
	EXPECT_INT(count(db, "SELECT SUM(self) FROM hotspot"), 100);
	expect_sound(db);
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_symbol_is_known_by_object_name_and_linkage_name)
{
	struct hd_run_hotspot h = sample_hotspots[0];
	struct hd_run_event e = sample_event;
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_run run = sample_run();

	must_add(db, &run);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM symbol"), 3);
	EXPECT_TEXT(db,
		"SELECT object || ' ' || linkage || ' ' || name || ' ' || normal FROM symbol WHERE name = "
		"'decode.part.0'",
		"serve decode.part.0 decode.part.0 decode");
	EXPECT_INT(
		count(db,
			"SELECT COUNT(*) FROM symbol WHERE object = '[kernel.kallsyms]' AND linkage IS NULL AND name "
			"IS NULL AND normal IS NULL"),
		1);
	EXPECT_TEXT(db, "SELECT vaddr FROM hotspot WHERE rank = 3", "0xffffffff81000123");
	/* another build in another folder has the same symbol in another object */
	h.object = "/home/ci/serve";
	h.build_id = "ffff";
	h.vaddr = 0x777000;
	e.hotspots = &h;
	e.nhotspots = 1;
	run.events = &e;
	must_add(db, &run);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM symbol"), 3);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM object"), 3);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM v_symbol_history WHERE linkage = '_Z9parse_rowv'"), 2);
	/* without a path the build-id identifies the object; without both, nothing does */
	h.object = NULL;
	must_add(db, &run);
	h.build_id = NULL;
	must_add(db, &run);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM symbol WHERE linkage = '_Z9parse_rowv' AND object = 'ffff'"), 1);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM symbol WHERE linkage = '_Z9parse_rowv' AND object IS NULL"), 1);
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_symbol_inserted_in_advance_gets_the_name_of_the_first_run_that_refers_to_it)
{
	struct hd_run run = sample_run();
	struct hd_run_hotspot renamed[3];
	struct hd_run_event event = sample_event;
	struct hd_chain_walk found;
	struct hd_err err = { 0 };
	char key[HD_SHA256_HEX];
	struct place p;
	struct hd_db *db;

	ONLY_SQLITE();
	p = place_new();
	db = must_open(p.db, HD_DB_WRITE);
	run.nevents = 0;
	must_add(db, &run);
	hd_derived_columns_key("symbol", "serve", "_Z9parse_rowv", key);
	EXPECT_INT(hd_db_do(db, &err, "INSERT INTO symbol (id, key, object, linkage, name, normal) VALUES "
		"(7, $1, 'serve', '_Z9parse_rowv', 'innocent', 'innocent')", "t", key), 0);
	run.nevents = 1;
	must_add(db, &run);
	EXPECT_TEXT(db, "SELECT name || ' ' || normal FROM symbol WHERE id = 7", "parse_row parse_row");
	/* Now the hash of a run covers the name. */
	memcpy(renamed, sample_hotspots, sizeof(renamed));
	renamed[0].name = "another";
	event.hotspots = renamed;
	run.events = &event;
	must_add(db, &run);
	EXPECT_TEXT(db, "SELECT name || ' ' || normal FROM symbol WHERE id = 7", "parse_row parse_row");
	EXPECT_INT(hd_chain_verify(db, NULL, &found, &err), 0);
	hd_db_close(db);
	place_remove(&p);
}

TEST(functions_of_one_name_stay_rows_of_their_own_and_history_sums_them)
{
	const struct hd_run_hotspot twins[] = {
		{ .object = "/x/app",
			.linkage = "init",
			.name = "init",
			.has_vaddr = true,
			.vaddr = 0x1000,
			.self = 50,
			.total = 70,
			.samples = 5 },
		{ .object = "/x/app",
			.linkage = "init",
			.name = "init",
			.has_vaddr = true,
			.vaddr = 0x2000,
			.self = 30,
			.total = 90,
			.samples = 3 },
	};
	const struct hd_run_event e = { .name = "e",
		.unit = "u",
		.samples = 8,
		.weight = 100,
		.hotspots = twins,
		.nhotspots = 2 };
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_run run = sample_run();

	run.events = &e;
	must_add(db, &run);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM v_top5 WHERE symbol = 'init'"), 2);
	EXPECT_TEXT(db,
		"SELECT rank || ' ' || self || ' ' || total || ' ' || samples || ' ' || CAST(self_pct AS BIGINT) FROM "
		"v_symbol_history",
		"1 80 90 8 80");
	hd_db_close(db);
	place_remove(&p);
}

TEST(hostile_names_are_stored_visibly_with_their_bytes_beside_them)
{
	static const char *const names[] = {
		"x');DROP TABLE run;--", "a\nmain 99", "\x1b[2J", "\xff\xfe", "C:\\x\\xff", "", "[unknown]", "=1+1",
		"na\xc3\xafve",
	};
	static const char *const shown[] = {
		"x');DROP TABLE run;--", "a\\x0amain 99", "\\x1b[2J", "\\xff\\xfe", "C:\\\\x\\\\xff", "", "[unknown]",
		"=1+1", "na\xc3\xafve",
	};
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);

	for (size_t i = 0; i < HD_COUNT(names); i++) {
		struct hd_run_hotspot h = { .object = names[i],
			.linkage = names[i],
			.name = names[i],
			.self = 1,
			.total = 1,
			.samples = 1 };
		struct hd_run_event e = { .name = names[i],
			.unit = names[i],
			.samples = 1,
			.weight = 1,
			.hotspots = &h,
			.nhotspots = 1 };
		struct hd_run run = sample_run();
		struct hd_db_rows r;
		struct hd_err err;
		char *back;
		size_t n;

		run.target = run.command = run.session = names[i];
		run.events = &e;
		must_add(db, &run);
		EXPECT_INT(
			hd_db_query(&r, db, &err,
				"SELECT s.linkage, s.linkage_raw, r.target, r.target_raw, e.name, e.name_raw, "
				"r.command, r.command_raw FROM run r JOIN event e ON e.run_id = r.id JOIN hotspot h ON "
				"h.run_id = r.id JOIN symbol s ON s.id = h.symbol_id WHERE r.id = $1",
				"i", (int64_t)i + 1),
			0);
		EXPECT_INT(hd_db_next(&r, &err), 1);
		for (int c = 0; c < 8; c += 2) {
			EXPECT_STR(hd_col_bytes(&r, c, &n), shown[i]);
			back = hd_col_raw_name(&r, c);
			EXPECT_STR(back, names[i]);
			free(back);
		}
		hd_db_end(&r);
	}
	expect_sound(db);
	hd_db_close(db);
	place_remove(&p);
}

TEST(names_of_any_length_are_kept_whole)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	char *longest = hd_alloc(70001);
	struct hd_run_hotspot h = { .object = longest,
		.linkage = longest,
		.name = longest,
		.self = 1,
		.total = 1,
		.samples = 1 };
	struct hd_run_event e = { .name = "e", .unit = "u", .samples = 1, .weight = 1, .hotspots = &h, .nhotspots = 1 };
	struct hd_run run = sample_run();

	memset(longest, 'A', 70000);
	longest[70000] = '\0';
	run.events = &e;
	must_add(db, &run);
	EXPECT_INT(count(db, "SELECT LENGTH(linkage) FROM symbol"), 70000);
	memset(longest, 0xff, 70000);
	must_add(db, &run);
	EXPECT_INT(count(db, "SELECT LENGTH(linkage) FROM symbol WHERE id = 2"), 280000);
	EXPECT_INT(count(db, "SELECT LENGTH(linkage_raw) FROM symbol WHERE id = 2"), 70000);
	free(longest);
	hd_db_close(db);
	place_remove(&p);
}

TEST(commit_machine_and_config_are_shared_by_runs)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	char sha[] = "00112233445566778899aabbccddeeff00112233", subject[] = "Parse faster", branch[] = "main",
	     model[] = "CPU", empty[] = "";
	struct hd_git_commit git = { .sha = sha, .branch = branch, .dirty = 1 };
	struct hd_machine machine = { .source = "here", .cpu_model = model, .cpus_online = 8, .memory_bytes = -1 };
	struct hd_config config;
	struct hd_run run = sample_run();
	struct hd_run_ticket t;

	hd_machine_seal(&machine);
	EXPECT_INT(hd_config_parse(&config, "{\"b\":1, \"a\":2}", 14, "c", NULL), 0);
	run.git = &git;
	run.machine = &machine;
	run.config = &config;
	run.exit_status = 3;
	t = must_add(db, &run);
	EXPECT(!strncmp(t.id, "20261023T140102Z-0011223-", 25));
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM commit_info WHERE subject IS NULL"), 1);
	/* a later run can add values of the commit that were missing */
	git.subject = subject;
	git.parents = empty;
	must_add(db, &run);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM commit_info"), 1);
	EXPECT_TEXT(db, "SELECT subject FROM commit_info", "Parse faster");
	EXPECT_INT(
		count(db,
			"SELECT COUNT(*) FROM machine WHERE cpus_online = 8 AND memory_bytes IS NULL AND arch IS NULL"),
		1);
	EXPECT_TEXT(db, "SELECT canonical FROM config", "{\"a\":2,\"b\":1}");
	EXPECT_INT(
		count(db,
			"SELECT COUNT(*) FROM v_run_summary WHERE commit_sha = "
			"'00112233445566778899aabbccddeeff00112233' AND dirty = 1 AND branch = 'main' AND exit_status "
			"= 3 AND cpu_model = 'CPU' AND config IS NOT NULL"),
		2);
	EXPECT_INT(hd_chain_verify(db, NULL, &(struct hd_chain_walk){ 0 }, NULL), 0);
	hd_config_release(&config);
	hd_db_close(db);
	place_remove(&p);
}

TEST(losses_warnings_and_files_are_kept)
{
	static const struct hd_run_dropped dropped[] = { { "zero-period", 3 }, { "no-time", 1 } };
	static const struct hd_run_artifact artifacts[] = {
		{ "recording", "results/a b/perf.data", 1234, "ab" }, { "file", "x\ny", -1, NULL },
	};
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_run run = sample_run();
	struct hd_log log = { 0 };
	char id[HD_RUN_ID];
	struct hd_run_ticket t;

	hd_warn_n(&log, "lost.samples", 7, "", "7 samples of \x1b were lost");
	run.dropped = dropped;
	run.ndropped = 2;
	run.artifacts = artifacts;
	run.nartifacts = 2;
	run.warnings = &log;
	t = must_add(db, &run);
	EXPECT_INT(count(db, "SELECT SUM(samples) FROM dropped"), 4);
	EXPECT_TEXT(db, "SELECT code || ' ' || count || ' ' || message FROM run_warning",
		"lost.samples 7 7 samples of \\x1b were lost");
	EXPECT_TEXT(db, "SELECT path FROM artifact WHERE bytes IS NULL", "x\\x0ay");
	EXPECT_INT(hd_run_find_input(db, "ab", id, NULL), 0);
	EXPECT_STR(id, t.id);
	EXPECT_INT(hd_run_find_input(db, "cd", id, NULL), 0);
	EXPECT_STR(id, "");
	hd_log_release(&log);
	hd_db_close(db);
	place_remove(&p);
}

TEST(stacks_are_kept_compressed_and_once)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_run run = sample_run();
	struct hd_buf text = { 0 };
	struct hd_err err = { 0 };
	char *key;

	must_add(db, &run);
	must_add(db, &run);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM stack_blob"), 1);
	key = text_of(db, "SELECT stacks FROM event WHERE run_id = 2");
	EXPECT_INT(hd_blob_get(db, key, &text, &err), 1);
	EXPECT_STR(text.data, "main;decode;parse_row 60\n");
	EXPECT_INT(hd_blob_get(db, "00", &text, &err), 0);
	/* the stored size was altered in the database, so reading the text fails */
	must_exec(db, "UPDATE stack_blob SET bytes = 99");
	EXPECT_INT(hd_blob_get(db, key, &text, &err), HD_EIO);
	EXPECT(strstr(err.msg, "is damaged"));
	must_exec(db, "UPDATE stack_blob SET bytes = 999999999999");
	EXPECT_INT(hd_blob_get(db, key, &text, &err), HD_EIO);
	EXPECT(strstr(err.msg, "claims 999999999999 bytes"));
	must_exec(db, "UPDATE stack_blob SET bytes = 25, zstd = CAST('?' AS BLOB)");
	EXPECT_INT(hd_blob_get(db, key, &text, &err), HD_EIO);
	hd_buf_release(&text);
	free(key);
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_text_that_packs_a_thousand_times_is_kept_and_a_blob_that_claims_so_without_its_size_is_not_believed)
{
	enum { BYTES = 65 << 20 };
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	char *long_text = hd_alloc(BYTES), key[HD_SHA256_HEX];
	struct hd_buf text = { 0 };
	struct hd_err err = { 0 };

	memset(long_text, 'x', BYTES);
	EXPECT_INT(hd_blob_add(db, long_text, BYTES, key, &err), 0);
	EXPECT_INT(hd_blob_get(db, key, &text, &err), 1);
	EXPECT_INT(text.len, BYTES);
	EXPECT(!memcmp(text.data, long_text, BYTES));
	must_exec(db,
		   on_server() ? "UPDATE stack_blob SET zstd = substring(zstd from 1 for 20000)"
			       : "UPDATE stack_blob SET zstd = substr(zstd, 1, 20000)");
	EXPECT_INT(hd_blob_get(db, key, &text, &err), HD_EIO);
	EXPECT(strstr(err.msg, "claims 68157440 bytes in 20000"));
	hd_buf_release(&text);
	free(long_text);
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_cost_that_no_database_can_sum_is_refused_and_nothing_is_written)
{
	struct hd_run_hotspot h = sample_hotspots[0];
	struct hd_run_event e = sample_event;
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_run run = sample_run();

	e.hotspots = &h;
	e.nhotspots = 1;
	run.events = &e;
	e.weight = h.self = h.total = INT64_MAX;
	must_add(db, &run);
	e.weight = (uint64_t)INT64_MAX + 1;
	EXPECT_STR(add_fails(db, &run, HD_EFORMAT).msg,
		"the weight of cycles:u is 9223372036854775808, more than a database can store (9223372036854775807)");
	e.weight = 1;
	h.self = UINT64_MAX;
	EXPECT_STR(add_fails(db, &run, HD_EFORMAT).msg,
		"the self cost of parse_row is 18446744073709551615, more than a database can store "
		"(9223372036854775807)");
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM run"), 1);
	hd_db_close(db);
	place_remove(&p);
}

TEST(the_same_recording_twice_is_two_runs_with_two_ids)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_run run = sample_run();
	struct hd_run_ticket a = must_add(db, &run), b = must_add(db, &run);

	EXPECT(strcmp(a.id, b.id) != 0);
	EXPECT(strcmp(a.hash, b.hash) != 0);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM run"), 2);
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_run_without_events_is_a_run)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_run run = sample_run();

	run.nevents = 0;
	run.status = "failed";
	must_add(db, &run);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM v_run_summary WHERE event IS NULL"), 1);
	hd_db_close(db);
	place_remove(&p);
}

TEST(when_one_row_cannot_be_written_none_is)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_run run = sample_run();

	must_add(db, &run);
	must_exec(db, "ALTER TABLE series_summary RENAME TO gone"); /* its rows are written after those counted below */
	add_fails(db, &run, HD_EIO);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM run"), 1);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM event"), 1);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM hotspot"), 3);
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_run_that_the_database_of_another_program_refuses_is_said_not_to_be_added)
{
	struct place p = place_new();
	const struct hd_db_opts o = { .url = p.db, .mode = HD_DB_WRITE };
	struct hd_run run = sample_run();
	struct hd_run_ticket ticket;
	struct hd_err err = { 0 };
	struct hd_db *db;

	EXPECT_INT(hd_db_open(&db, &o, &err), 0);
	must_exec(db, "CREATE TABLE another (x BIGINT)");
	EXPECT_INT(hd_run_add(db, &run, &ticket, &err), HD_EIO);
	EXPECT(strstr(err.msg, "not one of hotdrift; nothing was added"));
	hd_db_close(db);
	place_remove(&p);
}

TEST_MAIN(RUN(a_run_is_one_row_with_everything_it_refers_to),
	  RUN(a_run_that_the_database_of_another_program_refuses_is_said_not_to_be_added),
	  RUN(a_symbol_is_known_by_object_name_and_linkage_name),
	  RUN(a_symbol_inserted_in_advance_gets_the_name_of_the_first_run_that_refers_to_it),
	  RUN(functions_of_one_name_stay_rows_of_their_own_and_history_sums_them),
	  RUN(hostile_names_are_stored_visibly_with_their_bytes_beside_them),
	  RUN(names_of_any_length_are_kept_whole),
	  RUN(commit_machine_and_config_are_shared_by_runs),
	  RUN(losses_warnings_and_files_are_kept),
	  RUN(stacks_are_kept_compressed_and_once),
	  RUN(a_text_that_packs_a_thousand_times_is_kept_and_a_blob_that_claims_so_without_its_size_is_not_believed),
	  RUN(a_cost_that_no_database_can_sum_is_refused_and_nothing_is_written),
	  RUN(the_same_recording_twice_is_two_runs_with_two_ids),
	  RUN(a_run_without_events_is_a_run),
	  RUN(when_one_row_cannot_be_written_none_is))
