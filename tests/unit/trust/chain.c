/* chain.c - detect changes of stored runs */
#include "unit/history/history_test.h"

#include "trust/chain.h"
#include "trust/journal.h"

struct fixture {
	struct place place;
	struct hd_db *db;
	struct hd_run_ticket tickets[3];
	char origin[40];		/* identifies the chain of the runs */
};

/* The third run has all optional members. */
static struct fixture three_runs(void)
{
	struct fixture f = { .place = place_new() };
	char *origin;

	f.db = must_open(f.place.db, HD_DB_WRITE);
	for (int i = 0; i < 3; i++) {
		struct hd_run run = i < 2 ? sample_run() : full_run();

		run.recorded += i + 1;
		f.tickets[i] = must_add(f.db, &run);
	}
	origin = text_of(f.db, "SELECT origin FROM chain WHERE is_local = 1");
	snprintf(f.origin, sizeof(f.origin), "%s", origin);
	free(origin);
	return f;
}

static void release(struct fixture *f)
{
	hd_db_close(f->db);
	place_remove(&f->place);
}

/* Run `sql` in a transaction, expect that verifying the chains fails with the message `want`, and roll back. */
static void tampered(struct hd_db *db, const char *sql, const char *want)
{
	struct hd_chain_walk found;
	struct hd_err err = { 0 };

	EXPECT_INT(hd_db_begin(db, NULL), 0);
	must_exec(db, sql);
	EXPECT_INT(hd_chain_verify(db, NULL, &found, &err), HD_ENO);
	if (!strstr(err.msg, want))
		print_message("%s\n%s\n", sql, err.msg);
	EXPECT(strstr(err.msg, want));
	hd_db_rollback(db);
}

TEST(each_run_follows_the_one_before_it_from_64_zeros_on)
{
	struct fixture f = three_runs();
	struct hd_chain_walk found;

	EXPECT_INT(count(f.db, "SELECT COUNT(*) FROM run WHERE seq = id"), 3);
	EXPECT_TEXT(f.db, "SELECT prev_hash FROM run WHERE seq = 1", HD_CHAIN_START);
	EXPECT_TEXT(f.db, "SELECT prev_hash FROM run WHERE seq = 2", f.tickets[0].hash);
	EXPECT_TEXT(f.db, "SELECT prev_hash FROM run WHERE seq = 3", f.tickets[1].hash);
	EXPECT_TEXT(f.db, "SELECT run_hash FROM run WHERE seq = 3", f.tickets[2].hash);
	EXPECT_INT(hd_chain_verify(f.db, NULL, &found, NULL), 0);
	EXPECT_INT(found.runs, 3);
	release(&f);
}

TEST(the_link_is_the_sum_of_the_text_that_chain_h_tells)
{
	char hex[HD_SHA256_HEX];

	/* the output of printf 'hotdrift chain 1\nabc\n7\nprev\ncontent\n' | sha256sum */
	hd_chain_link("abc", 7, "prev", "content", hex);
	EXPECT_STR(hex, "8e741acf08d2e75d29d0134d60382f40781b503a5324759eb9f33f9a46966418");
}

TEST(an_empty_database_is_in_order)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_chain_walk found;

	EXPECT_INT(hd_chain_verify(db, NULL, &found, NULL), 0);
	EXPECT_INT(found.runs, 0);
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_changed_cost_is_seen)
{
	struct fixture f = three_runs();

	forget_references(f.db);
	tampered(f.db, "UPDATE hotspot SET self = self - 1 WHERE run_id = 2 AND rank = 1",
		 "(2 of its chain): its content was changed after it was added");
	release(&f);
}

TEST(a_changed_name_status_or_loss_is_seen)
{
	struct fixture f = three_runs();

	forget_references(f.db);
	tampered(f.db, "UPDATE symbol SET name = 'innocent' WHERE id = 1", "(1 of its chain): its content was changed");
	tampered(f.db, "UPDATE symbol SET linkage_raw = CAST('?' AS BLOB) WHERE id = 1",
		"(1 of its chain): its content was changed");
	tampered(f.db, "UPDATE object SET build_id = 'ff' WHERE id = 1", "(1 of its chain): its content was changed");
	tampered(f.db, "UPDATE run SET status = 'fixture' WHERE seq = 3", "(3 of its chain): its content was changed");
	tampered(f.db, "UPDATE run SET target = 'x' WHERE seq = 3", "(3 of its chain): its content was changed");
	tampered(f.db, "UPDATE run SET dirty = 0 WHERE seq = 2", "(2 of its chain): its content was changed");
	tampered(f.db, "UPDATE event SET lost = 0 WHERE run_id = 1", "(1 of its chain): its content was changed");
	tampered(f.db, "DELETE FROM hotspot WHERE run_id = 3 AND rank = 3",
		"(3 of its chain): its content was changed");
	tampered(f.db, "INSERT INTO dropped VALUES (2, 0, 'x', 1)", "(2 of its chain): its content was changed");
	tampered(f.db, "UPDATE hotspot SET vaddr = NULL WHERE run_id = 1 AND rank = 1",
		"(1 of its chain): its content was changed");
	release(&f);
}

TEST(changed_work_selection_counts_and_series_are_seen)
{
	static const char altered[] = "(3 of its chain): its content was changed";
	struct fixture f = three_runs();

	forget_references(f.db);
	tampered(f.db, "UPDATE run SET work = 2.25 WHERE seq = 3", altered);
	tampered(f.db, "UPDATE run SET work = NULL WHERE seq = 3", altered);
	tampered(f.db, "UPDATE run SET selection = NULL WHERE seq = 3", altered);
	tampered(f.db, "UPDATE run SET selection_raw = NULL WHERE seq = 3", altered);
	tampered(f.db, "UPDATE run SET side = 'head' WHERE seq = 3", altered);
	tampered(f.db, "UPDATE run SET work = 1 WHERE seq = 1", "(1 of its chain): its content was changed");
	tampered(f.db, "UPDATE event SET symbols = 4 WHERE run_id = 3", altered);
	tampered(f.db, "UPDATE event SET rest_symbols = NULL WHERE run_id = 3", altered);
	tampered(f.db, "UPDATE event SET effective_samples = 1 WHERE run_id = 3", altered);
	tampered(f.db, "UPDATE event SET frequency_hz = 99 WHERE run_id = 3", altered);
	tampered(f.db, "UPDATE event SET frequency_hz = NULL, period = 999 WHERE run_id = 3", altered);
	tampered(f.db, "UPDATE event SET throttled = 0 WHERE run_id = 3", altered);
	tampered(f.db, "UPDATE event SET unthrottled = 3 WHERE run_id = 3", altered);
	tampered(f.db, "UPDATE event SET silent = 0 WHERE run_id = 3", altered);
	tampered(f.db, "UPDATE event SET running_ns = enabled_ns WHERE run_id = 3", altered);
	tampered(f.db, "UPDATE event SET enabled_ns = NULL WHERE run_id = 3", altered);
	tampered(f.db, "UPDATE event SET call_graph = 'fp' WHERE run_id = 3", altered);
	tampered(f.db, "UPDATE event SET stack_bytes = 4096 WHERE run_id = 3", altered);
	tampered(f.db, "UPDATE run SET compiler = 'clang' WHERE seq = 3", altered);
	tampered(f.db, "UPDATE run SET load_average = NULL WHERE seq = 3", altered);
	tampered(f.db, "UPDATE environment SET variables = '+HARDENED=0'", altered);
	tampered(f.db, "UPDATE run SET environment_id = NULL WHERE seq = 3", altered);
	tampered(f.db, "UPDATE event SET throttled = 0 WHERE run_id = 1", "(1 of its chain): its content was changed");
	tampered(f.db, "UPDATE series SET samples = 5 WHERE run_id = 3 AND series = 0", altered);
	tampered(f.db, "UPDATE series SET name_raw = NULL WHERE run_id = 3 AND series = 1", altered);
	tampered(f.db, "UPDATE series SET kind = 'memory' WHERE run_id = 3 AND series = 0", altered);
	tampered(f.db, "UPDATE series_summary SET value = 301 WHERE run_id = 3 AND stat = 'p95'", altered);
	tampered(f.db, "UPDATE series_summary SET lo = NULL WHERE run_id = 3 AND stat = 'p95'", altered);
	tampered(f.db, "DELETE FROM series_summary WHERE run_id = 3 AND stat = 'n'", altered);
	tampered(f.db, "INSERT INTO series (run_id, series, kind, name, unit, samples) VALUES "
		"(1, 0, 'other', 'x', '1', 1)",
		 "(1 of its chain): its content was changed");
	tampered(f.db, "UPDATE stack_blob SET bytes = 14 WHERE bytes = 15",
		"(stacks, or a series) was changed after it was added");
	release(&f);
}

TEST(a_missing_run_is_seen)
{
	struct fixture f = three_runs();

	forget_references(f.db);
	tampered(f.db, "DELETE FROM run WHERE seq = 2", "(3 of its chain): a run before it is missing");
	tampered(f.db, "DELETE FROM run WHERE seq = 1", "(2 of its chain): a run before it is missing");
	tampered(f.db, "DELETE FROM run WHERE seq = 3", "its newest run is missing: it ends at 2, its head is 3");
	tampered(f.db, "DELETE FROM run", "its newest run is missing: it ends at 0, its head is 3");
	tampered(f.db, "DELETE FROM chain", "3 runs belong to no chain");
	release(&f);
}

/* Insert a copy of the last run, with valid hashes. */
static void insert_behind(struct hd_db *db)
{
	char content[HD_SHA256_HEX], hash[HD_SHA256_HEX], sql[700],
	*origin = text_of(db, "SELECT origin FROM chain WHERE is_local = 1"),
	     *prev = text_of(db, "SELECT run_hash FROM run WHERE seq = 3");
	struct hd_err err = { 0 };

	must_exec(db,
		"INSERT INTO run (id, run_id, recorded_utc, added_utc, target, mode, status, inline_mode, "
		"samples_read, samples_kept, hotdrift, origin, seq, content_hash, prev_hash, run_hash) SELECT "
		"4, '', recorded_utc, added_utc, target, mode, status, inline_mode, 0, 0, hotdrift, origin, 4, "
		"'', run_hash, '' FROM run WHERE seq = 3");
	EXPECT_INT(hd_chain_content(db, 4, 1, content, &err), 0);
	hd_chain_link(origin, 4, prev, content, hash);
	snprintf(sql, sizeof(sql),
		"UPDATE run SET content_hash = '%s', run_hash = '%s', run_id = (SELECT SUBSTR(run_id, 1, "
		"LENGTH(run_id) - 8) FROM run WHERE seq = 3) || '%.8s' WHERE seq = 4",
		content, hash, hash);
	must_exec(db, sql);
	free(origin);
	free(prev);
}

TEST(a_run_that_was_inserted_behind_the_head_is_seen)
{
	struct fixture f = three_runs();
	struct hd_chain_walk found;
	struct hd_err err = { 0 };

	insert_behind(f.db);
	EXPECT_INT(hd_chain_verify(f.db, NULL, &found, &err), HD_ENO);
	EXPECT(strstr(err.msg, "a run was inserted after its head: it ends at 4, its head is 3"));
	release(&f);
}

TEST(stacks_that_are_not_what_their_key_says_are_seen)
{
	struct fixture f = three_runs();

	forget_references(f.db);
	tampered(f.db, "UPDATE stack_blob SET bytes = bytes - 1", ": the text ");
	release(&f);
}

TEST(a_hash_that_was_kept_elsewhere_anchors_what_was_there_then)
{
	struct fixture f = three_runs();
	struct hd_chain_verify_opts second = { .anchor = f.tickets[1].hash };
	struct hd_chain_walk found;
	struct hd_err err = { 0 };
	char start[9];

	EXPECT_INT(hd_chain_verify(f.db, &second, &found, &err), 0);
	EXPECT_STR(found.anchor, f.tickets[1].id);
	EXPECT_INT(found.after, 1);
	snprintf(start, sizeof(start), "%.8s", f.tickets[2].hash);
	EXPECT_INT(hd_chain_verify(f.db, &(struct hd_chain_verify_opts){ .anchor = start }, &found, &err), 0);
	EXPECT_STR(found.anchor, f.tickets[2].id);
	EXPECT_INT(found.after, 0);
	EXPECT_INT(hd_chain_verify(f.db, &(struct hd_chain_verify_opts){ .anchor = "0123456789abcdef" }, &found, &err),
		HD_ENO);
	EXPECT(strstr(err.msg,
		": no run has the hash 0123456789abcdef: the history was rewritten since the hash was noted"));
	release(&f);
}

TEST(a_run_of_which_a_tombstone_is_left_is_pruned_and_not_altered)
{
	struct fixture f = three_runs();
	struct hd_chain_walk found;
	struct hd_err err = { 0 };

	forget_references(f.db);
	EXPECT_INT(hd_db_begin(f.db, &err), 0);
	must_exec(f.db,
			"INSERT INTO tombstone SELECT origin, seq, run_id, content_hash, prev_hash, run_hash, 'a "
			"rule', added_utc FROM run WHERE seq = 2; DELETE FROM hotspot WHERE run_id = 2; DELETE FROM "
			"event WHERE run_id = 2; DELETE FROM run WHERE seq = 2");
	EXPECT_INT(hd_journal_note(f.db, HD_JOURNAL_PRUNED, f.origin, 2, &err), 0);
	EXPECT_INT(hd_db_commit(f.db, &err), 0);
	EXPECT_INT(hd_chain_verify(f.db, NULL, &found, &err), 0);
	EXPECT_INT(found.runs, 2);
	EXPECT_INT(found.pruned, 1);
	must_exec(f.db, "UPDATE tombstone SET content_hash = prev_hash");
	EXPECT_INT(hd_chain_verify(f.db, NULL, &found, &err), HD_ENO);
	release(&f);
}

TEST(an_exchanged_hash_or_id_is_seen)
{
	struct fixture f = three_runs();

	forget_references(f.db);
	tampered(f.db, "UPDATE run SET prev_hash = content_hash WHERE seq = 2",
		"(2 of its chain): it does not follow the run before it");
	tampered(f.db, "UPDATE run SET run_hash = content_hash WHERE seq = 2",
		"(2 of its chain): its hash does not match its content");
	tampered(f.db, "UPDATE run SET run_id = '20200101T000000Z-nocommit-00000000' WHERE seq = 2",
		"its id does not match its time, commit and hash");
	release(&f);
}

TEST(what_differs_from_database_to_database_is_in_no_hash)
{
	struct fixture f = three_runs();
	struct hd_err err = { 0 };
	struct hd_chain_walk found;

	forget_references(f.db);
	must_exec(f.db, "UPDATE hotspot SET symbol_id = symbol_id + 100, object_id = object_id + 7; "
			      "UPDATE symbol SET id = id + 100; UPDATE object SET id = id + 7");
	EXPECT_INT(hd_chain_verify(f.db, NULL, &found, &err), 0);
	release(&f);
}

TEST(two_chains_in_one_database_are_walked_apart)
{
	struct fixture f = three_runs();
	struct hd_run run = sample_run();
	struct hd_err err = { 0 };
	struct hd_chain_walk found;

	/* as after a merge: the old chain becomes a foreign one, and a new local chain begins */
	EXPECT_INT(hd_db_begin(f.db, &err), 0);
	must_exec(f.db,
			"UPDATE chain SET is_local = 0 WHERE is_local = 1; INSERT INTO chain (origin, is_local, "
			"created_utc, writer) SELECT 'ffffffffffffffffffffffffffffffff', 1, '2026-01-01T00:00:00Z', "
			"writer FROM chain WHERE kind = 'runs'");
	EXPECT_INT(hd_journal_note(f.db, HD_JOURNAL_CHAIN, f.origin, 0, &err), 0);
	EXPECT_INT(hd_journal_note(f.db, HD_JOURNAL_CHAIN, "ffffffffffffffffffffffffffffffff", 0, &err), 0);
	EXPECT_INT(hd_db_commit(f.db, &err), 0);
	must_add(f.db, &run);
	EXPECT_INT(count(f.db, "SELECT COUNT(*) FROM run WHERE seq = 1"), 2);
	EXPECT_INT(hd_chain_verify(f.db, NULL, &found, &err), 0);
	EXPECT_INT(found.runs, 4);
	release(&f);
}

/* Add tombstones to the chain `origin` until its newest entry has the number `to`. */
static void extend(struct hd_db *db, const char *origin, int64_t to)
{
	char content[HD_SHA256_HEX], prev[HD_SHA256_HEX], hash[HD_SHA256_HEX], name[40];
	struct hd_chain_head head;

	EXPECT_INT(hd_chain_head(&head, db, origin, NULL), 1);
	snprintf(prev, sizeof(prev), "%s", head.hash ? head.hash : HD_CHAIN_START);
	hd_sha256_hex("", 0, content);
	for (int64_t seq = head.seq + 1; seq <= to; seq++) {
		hd_chain_link(origin, seq, prev, content, hash);
		snprintf(name, sizeof(name), "pruned-%.32s", hash);
		EXPECT_INT(hd_db_do(db, NULL, "INSERT INTO tombstone (origin, seq, run_id, content_hash, prev_hash, "
					      "run_hash, reason, pruned_utc) VALUES ($1, $2, $3, $4, $5, $6, '', '')",
				    "titttt", origin, seq, name, content, prev, hash), 0);
		EXPECT_INT(hd_journal_note(db, HD_JOURNAL_PRUNED, origin, seq, NULL), 0);
		memcpy(prev, hash, sizeof(prev));
	}
	EXPECT_INT(hd_chain_advance(db, origin, to, prev, NULL), 0);
	hd_chain_head_release(&head);
}

TEST(many_chains_and_a_chain_longer_than_a_portion_are_checked_in_order)
{
	static const char *const origins[] = { "0a", "0b", "0c", "0d" };
	struct fixture f = three_runs();
	struct hd_chain_walk found;
	struct hd_err err = { 0 };

	forget_references(f.db);
	EXPECT_INT(hd_db_begin(f.db, NULL), 0);
	for (size_t i = 0; i < HD_COUNT(origins); i++) {
		EXPECT_INT(hd_db_do(f.db, NULL, "INSERT INTO chain (origin, is_local, created_utc) VALUES ($1, 0, '')",
				    "t", origins[i]), 0);
		EXPECT_INT(hd_journal_note(f.db, HD_JOURNAL_CHAIN, origins[i], 0, NULL), 0);
		extend(f.db, origins[i], i == 1 ? 4500 : i == 2 ? 0 : 2);
	}
	EXPECT_INT(hd_db_commit(f.db, NULL), 0);
	if (hd_chain_verify(f.db, NULL, &found, &err) < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(err.code, 0);
	EXPECT_INT(found.chains, 5);
	EXPECT_INT(found.runs, 3);
	EXPECT_INT(found.pruned, 4504);
	/* at the limits of the portions of 2,048 entries, inside of one, and at the end */
#define OF_0B " WHERE origin = '0b'"
	tampered(f.db, "DELETE FROM tombstone" OF_0B " AND seq = 1", "(2 of its chain): a run before");
	tampered(f.db, "DELETE FROM tombstone" OF_0B " AND seq = 2048", "(2049 of its chain): a run before");
	tampered(f.db, "DELETE FROM tombstone" OF_0B " AND seq = 2049", "(2050 of its chain): a run before");
	tampered(f.db, "UPDATE tombstone SET content_hash = 'x'" OF_0B " AND seq = 4097",
		"(4097 of its chain): its hash does not match");
	tampered(f.db, "DELETE FROM tombstone" OF_0B " AND seq > 4096", "it ends at 4096, its head is 4500");
	tampered(f.db, "DELETE FROM tombstone" OF_0B, "chain 0b: its newest run is missing: it ends at 0");
	tampered(f.db, "UPDATE chain SET head_seq = 3" OF_0B, "after its head: it ends at 4500");
	tampered(f.db, "UPDATE chain SET head_seq = 9223372036854775807" OF_0B, "it ends at 4500, its head is 9");
	tampered(f.db, "UPDATE tombstone SET seq = 0" OF_0B " AND seq = 4000", "another run has the same");
#undef OF_0B
	/* of several faults, the first in the order of the chains is reported */
	tampered(f.db, "UPDATE chain SET head_hash = 'x' WHERE origin = '0a'; DELETE FROM tombstone "
			  "WHERE origin = '0b' AND seq = 1", "chain 0a: its newest run was replaced");
	tampered(f.db, "UPDATE chain SET head_hash = 'x' WHERE origin IN ('0a', '0d'); UPDATE run SET form = 77 "
			  "WHERE seq = 3", "a run has content of form 77");
	tampered(f.db, "UPDATE run SET form = 77 WHERE seq = 3; UPDATE run SET target = 'x' WHERE seq = 1",
		"(1 of its chain): its content was changed");
	tampered(f.db, "UPDATE chain SET head_seq = 1 WHERE origin = '0c'; UPDATE chain SET head_hash = 'x' "
			  "WHERE origin = '0d'", "chain 0c: its newest run is missing: it ends at 0, its head is 1");
	release(&f);
}

/* Run `sql` in a transaction, expect this result of hd_chain_count(), and roll back. */
static void counted(struct hd_db *db, const char *sql, int want)
{
	struct hd_err err = { 0 };

	EXPECT_INT(hd_db_begin(db, NULL), 0);
	must_exec(db, sql);
	if (hd_chain_count(db, &err) != want)
		print_message("%s\n%s\n", sql, err.msg);
	EXPECT_INT(err.code, want);
	hd_db_rollback(db);
}

TEST(the_count_of_places_finds_what_was_inserted_and_on_a_server_only_new_places_that_are_missing)
{
	struct fixture f = three_runs();
	int old = on_server() ? 0 : HD_EIO;

	forget_references(f.db);
	EXPECT_INT(hd_db_begin(f.db, NULL), 0);
	must_exec(f.db, "INSERT INTO chain (origin, is_local, created_utc) VALUES ('0a', 0, ''), ('0b', 0, '')");
	extend(f.db, "0b", 1100);	/* 4 chains: more than 256 entries each */
	EXPECT_INT(hd_db_commit(f.db, NULL), 0);
	counted(f.db, "UPDATE chain SET is_local = is_local", 0);
#define OF_0B " WHERE origin = '0b' AND seq "
	counted(f.db, "UPDATE tombstone SET seq = 0" OF_0B "= 1", HD_EIO);
	counted(f.db, "UPDATE tombstone SET seq = 1101" OF_0B "= 1", HD_EIO);
	counted(f.db, "UPDATE tombstone SET seq = 1101" OF_0B "= 1100", HD_EIO);
	counted(f.db, "UPDATE tombstone SET seq = 10000" OF_0B "= 1100", HD_EIO);
	counted(f.db, "UPDATE tombstone SET origin = '0c'" OF_0B "= 1", HD_EIO);
	counted(f.db, "UPDATE run SET origin = '0b' WHERE seq = 1", HD_EIO);
	counted(f.db, "UPDATE run SET origin = '0c'", HD_EIO);
	counted(f.db, "UPDATE run SET origin = (SELECT origin FROM chain WHERE kind = 'journal')", HD_EIO);
	counted(f.db, "UPDATE journal SET origin = '0a' WHERE seq = 1", HD_EIO);
	counted(f.db, "UPDATE chain SET head_seq = 1099 WHERE origin = '0b'", HD_EIO);
	counted(f.db, "UPDATE chain SET head_seq = 1101 WHERE origin = '0b'", HD_EIO);
	counted(f.db, "UPDATE chain SET head_seq = 9223372036854775807 WHERE origin = '0b'", HD_EIO);
	counted(f.db, "UPDATE chain SET head_seq = NULL WHERE origin = '0b'", HD_EIO);
	counted(f.db, "DELETE FROM tombstone" OF_0B "= 1100", HD_EIO);
	counted(f.db, "DELETE FROM tombstone" OF_0B "= 1069", HD_EIO);
	counted(f.db, "DELETE FROM tombstone" OF_0B "= 1068", old);
	counted(f.db, "DELETE FROM tombstone" OF_0B "= 1", old);
#undef OF_0B
	tampered(f.db, "DELETE FROM tombstone WHERE origin = '0b' AND seq = 1", "(2 of its chain): a run before");
	release(&f);
}

TEST_MAIN(RUN(each_run_follows_the_one_before_it_from_64_zeros_on),
	  RUN(the_link_is_the_sum_of_the_text_that_chain_h_tells),
	  RUN(an_empty_database_is_in_order),
	  RUN(a_changed_cost_is_seen),
	  RUN(a_changed_name_status_or_loss_is_seen),
	  RUN(changed_work_selection_counts_and_series_are_seen), RUN(a_missing_run_is_seen),
	  RUN(a_run_that_was_inserted_behind_the_head_is_seen),
	  RUN(stacks_that_are_not_what_their_key_says_are_seen),
	  RUN(a_hash_that_was_kept_elsewhere_anchors_what_was_there_then),
	  RUN(a_run_of_which_a_tombstone_is_left_is_pruned_and_not_altered),
	  RUN(an_exchanged_hash_or_id_is_seen),
	  RUN(what_differs_from_database_to_database_is_in_no_hash),
	  RUN(two_chains_in_one_database_are_walked_apart),
	  RUN(many_chains_and_a_chain_longer_than_a_portion_are_checked_in_order),
	  RUN(the_count_of_places_finds_what_was_inserted_and_on_a_server_only_new_places_that_are_missing))
