/* since.c - verify only what was added after the heads of an earlier verification */
#include "unit/history/history_test.h"

#include "history/prune.h"
#include "trust/chain.h"
#include "trust/verified_heads.h"

/* A database with three runs, and the heads of its verification. */
struct fixture {
	struct place place;
	struct hd_db *db;
	struct hd_run run;
	struct hd_verified_heads heads;
};

static void add(struct fixture *f)
{
	f->run.recorded++;
	must_add(f->db, &f->run);
}

/*
 * Verify from f->heads on, or everything if there are none.  On success, f->heads becomes the present heads, read back
 * from the text of a file.
 */
static int verify(struct fixture *f, struct hd_chain_walk *found, struct hd_err *err)
{
	struct hd_chain_heads heads = { 0 };
	struct hd_chain_verify_opts o = { .since = f->heads.n ? &f->heads : NULL, .heads = &heads };
	struct hd_buf text = { 0 };
	int rc = hd_chain_verify(f->db, &o, found, err);

	if (rc >= 0) {
		hd_verified_heads_release(&f->heads);
		EXPECT_INT(hd_verified_heads_text(&text, &heads, "db", err), 0);
		EXPECT_INT(hd_verified_heads_parse(&f->heads, text.data, text.len, "heads", err), 0);
		hd_buf_release(&text);
	}
	hd_chain_heads_release(&heads);
	return rc;
}

static void expect_valid(struct fixture *f, int64_t runs, int64_t unread)
{
	struct hd_chain_walk found;
	struct hd_err err = { 0 };

	if (verify(f, &found, &err) < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(err.code, 0);
	EXPECT_INT(found.runs, runs);
	EXPECT_INT(found.unread, unread);
}

/* Run `sql` in a transaction, expect that verifying fails with the message `want`, and roll back. */
static void expect_invalid(struct fixture *f, const char *sql, const char *want)
{
	struct hd_chain_walk found;
	struct hd_err err = { 0 };

	EXPECT_INT(hd_db_begin(f->db, NULL), 0);
	must_exec(f->db, sql);
	EXPECT_INT(verify(f, &found, &err), HD_ENO);
	if (!strstr(err.msg, want))
		print_message("%s\n%s\n", sql, err.msg);
	EXPECT(strstr(err.msg, want));
	hd_db_rollback(f->db);
}

static struct fixture three_runs(void)
{
	struct fixture f = { .place = place_new(), .run = sample_run() };

	f.db = must_open(f.place.db, HD_DB_WRITE);
	for (int i = 0; i < 3; i++)
		add(&f);
	forget_references(f.db);
	expect_valid(&f, 3, 0);
	EXPECT_INT(f.heads.n, 2);
	return f;
}

static void release(struct fixture *f)
{
	hd_verified_heads_release(&f->heads);
	hd_db_close(f->db);
	place_remove(&f->place);
}

TEST(only_later_runs_are_read)
{
	struct fixture f = three_runs();

	expect_valid(&f, 0, 3);
	add(&f);
	add(&f);
	expect_valid(&f, 2, 3);
	expect_valid(&f, 0, 5);
	release(&f);
}

TEST(a_change_of_a_run_before_the_head_is_not_read_and_one_after_it_is_found)
{
	struct fixture f = three_runs();

	add(&f);
	must_exec(f.db, "UPDATE hotspot SET self = self - 1 WHERE run_id = 2 AND rank = 1");
	expect_invalid(&f, "UPDATE hotspot SET self = self - 1 WHERE run_id = 4 AND rank = 1",
		"(4 of its chain): its content was changed");
	expect_invalid(&f, "UPDATE symbol SET normal = 'innocent' WHERE id = 1", ": symbol 1 ");
	expect_invalid(&f, "DELETE FROM stack_blob", "was deleted after it was added");
	if (!on_server()) {
		expect_invalid(&f, "UPDATE journal SET number = 1.5 WHERE seq = 1", "a value of journal.number has");
		expect_invalid(&f, "UPDATE run SET id = 10 WHERE id = 1", "its row was renumbered");
	}
	expect_valid(&f, 1, 3);
	release(&f);
}

TEST(a_rewritten_missing_or_replaced_head_is_found)
{
	struct fixture f = three_runs();

	add(&f);
	expect_invalid(&f, "UPDATE run SET run_hash = content_hash WHERE seq = 3",
		"(3 of its chain) is not the one that was verified before (heads): the history was rewritten");
	expect_invalid(&f, "UPDATE run SET seq = 9 WHERE seq = 3",
		": its run 3, which was verified before (heads), is missing");
	expect_invalid(&f, "UPDATE run SET prev_hash = content_hash WHERE seq = 4",
		"(4 of its chain): it does not follow the run before it");
	expect_invalid(&f, "UPDATE run SET seq = 5 WHERE seq = 4", "(5 of its chain): a run before it is missing");
	expect_invalid(&f, "UPDATE chain SET head_seq = 5 WHERE kind = 'runs'", "its newest run is missing");
	expect_invalid(&f, "UPDATE journal SET entry_hash = content_hash WHERE seq = (SELECT head_seq FROM chain WHERE "
		"kind = 'journal')", "of its journal is not the one that was verified before (heads)");
	release(&f);
}

TEST(a_run_before_the_head_that_was_deleted_is_noticed_because_runs_are_counted)
{
	struct fixture f = three_runs();

	expect_invalid(&f, "UPDATE run SET seq = 0 WHERE seq = 1", "were inserted or deleted without their chains");
	release(&f);
}

TEST(a_chain_that_is_gone_and_heads_of_another_database_are_found)
{
	struct fixture f = three_runs(), other = three_runs();
	struct hd_verified_heads heads = other.heads;
	struct hd_chain_walk found;
	struct hd_err err = { 0 };

	expect_invalid(&f, "UPDATE chain SET origin = 'aa' WHERE kind = 'journal'",
		"of heads is missing: it was removed, or the file is of another database");
	other.heads = f.heads;
	EXPECT_INT(verify(&other, &found, &err), HD_ENO);
	EXPECT(strstr(err.msg, "or the file is of another database"));
	other.heads = heads;
	release(&f);
	release(&other);
}

TEST(a_pruned_head_is_a_tombstone_with_the_same_hash)
{
	struct fixture f = three_runs();
	struct hd_prune_list list;
	struct hd_chain_walk found;

	for (int i = 0; i < 2; i++)
		add(&f);
	EXPECT_INT(hd_prune_find(f.db, &(struct hd_prune_opts){ .keep = 1 }, &list, NULL), 0);
	EXPECT_INT(hd_prune_do(f.db, &list, "test", NULL), 0);
	hd_prune_release(&list);
	EXPECT_INT(count(f.db, "SELECT COUNT(*) FROM tombstone WHERE seq = 3"), 1);
	EXPECT_INT(verify(&f, &found, NULL), 0);
	EXPECT_INT(found.runs + found.pruned, 2);
	EXPECT(found.unread_journal > 0);
	release(&f);
}

TEST(a_chain_without_a_head_is_verified_whole)
{
	struct fixture f = three_runs();

	for (size_t i = 0; i < f.heads.n; i++)
		if (!f.heads.items[i].journal)
			f.heads.items[i] = f.heads.items[--f.heads.n];
	must_exec(f.db, "UPDATE hotspot SET self = self - 1 WHERE run_id = 2 AND rank = 1");
	expect_invalid(&f, "SELECT 1", "(2 of its chain): its content was changed");
	release(&f);
}

TEST(damaged_heads_are_rejected_with_their_line)
{
#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	static const char *const bad[] = {
		"x", "hotdrift-head", "hotdrift-head 2 runs ab 1 " HASH, "hotdrift-head 1 run ab 1 " HASH,
		"hotdrift-head 1 runs xy 1 " HASH, "hotdrift-head 1 runs ab 0 " HASH,
		"hotdrift-head 1 runs ab -1 " HASH,
		"hotdrift-head 1 runs ab 12345678901234567890 " HASH, "hotdrift-head 1 runs ab 1 " HASH "0",
		"hotdrift-head 1 runs ab 1 0123", "hotdrift-head 1 runs ab 1 " HASH " x",
		"hotdrift-head 1 runs  1 " HASH,
	};
	struct hd_verified_heads list;
	struct hd_err err;
	char text[400];

	for (size_t i = 0; i < HD_COUNT(bad); i++) {
		snprintf(text, sizeof(text), "# comment\r\n\nhotdrift-head 1 journal cd 7 " HASH "\n%s\n", bad[i]);
		EXPECT_INT(hd_verified_heads_parse(&list, text, strlen(text), "heads", &err), HD_EFORMAT);
		EXPECT(strstr(err.msg, "heads: line 4 is not a head of 'hotdrift verify --since FILE': expected "));
		hd_verified_heads_release(&list);
	}
	snprintf(text, sizeof(text), "hotdrift-head 1 runs cd 7 " HASH "\n\nhotdrift-head 1 journal cd 8 " HASH);
	EXPECT_INT(hd_verified_heads_parse(&list, text, strlen(text), "heads", &err), HD_EFORMAT);
	EXPECT_STR(err.msg, "heads: line 3 has the chain of line 1 again");
	hd_verified_heads_release(&list);
}

TEST_MAIN(RUN(only_later_runs_are_read),
	  RUN(a_change_of_a_run_before_the_head_is_not_read_and_one_after_it_is_found),
	  RUN(a_rewritten_missing_or_replaced_head_is_found),
	  RUN(a_run_before_the_head_that_was_deleted_is_noticed_because_runs_are_counted),
	  RUN(a_chain_that_is_gone_and_heads_of_another_database_are_found),
	  RUN(a_pruned_head_is_a_tombstone_with_the_same_hash),
	  RUN(a_chain_without_a_head_is_verified_whole),
	  RUN(damaged_heads_are_rejected_with_their_line))
