/* prune.c - old runs are deleted, and the history stays valid */
#include "unit/history/history_test.h"

#include "trust/chain.h"
#include "history/prune.h"

static struct hd_run_ticket add_of(struct hd_db *db, const char *target, const char *sha, int64_t when,
	const char *status)
{
	struct hd_git_commit git = { .sha = (char *)sha, .dirty = 0 };
	struct hd_run run = sample_run();
	struct hd_run_event e = sample_event;
	char folded[40];

	snprintf(folded, sizeof(folded), "main;f %d\n", (int)when);	/* each run has other stacks */
	e.folded = folded;
	e.folded_len = strlen(folded);
	run.events = &e;
	run.target = target;
	run.recorded = when;
	run.status = status;
	run.git = sha ? &git : NULL;
	return must_add(db, &run);
}

/*
 * Check what the rule does with each run, newest first: "-" means that the run is deleted, a letter is the reason for
 * which it is kept (l: last run, f: finding, a: another reason).
 */
static void expect_rule(struct hd_db *db, const struct hd_prune_opts *o, const char *want)
{
	struct hd_prune_list list;
	struct hd_err err = { 0 };
	char got[100] = "";
	size_t going = 0;

	EXPECT_INT(hd_prune_find(db, o, &list, &err), 0);
	for (size_t i = 0; i < list.n; i++) {
		const char *stays = list.items[i].stays;

		got[i] = !stays ? '-' : strstr(stays, "last run") ? 'l' : strstr(stays, "finding") ? 'f' : 'a';
		going += !stays;
	}
	EXPECT_STR(got, want);
	EXPECT_INT(list.going, going);
	hd_prune_release(&list);
}

TEST(the_newest_of_each_target_stay_and_of_a_commit_the_last)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);

	for (int i = 0; i < 4; i++)
		add_of(db, "serve", "1111111111111111111111111111111111111111", 1000 + i, "ok");
	for (int i = 0; i < 3; i++)
		add_of(db, "serve", "2222222222222222222222222222222222222222", 2000 + i, "ok");
	for (int i = 0; i < 3; i++)
		add_of(db, "batch", NULL, 3000 + i, "ok");
	expect_rule(db, &(struct hd_prune_opts){ .keep = 2 }, "-" "-" "l---");
	expect_rule(db, &(struct hd_prune_opts){ .keep = 1 }, "--" "--" "l---");
	expect_rule(db, &(struct hd_prune_opts){ .keep = 10 }, "");
	expect_rule(db, &(struct hd_prune_opts){ .keep = 1, .target = "serve" }, "--" "l---");
	expect_rule(db, &(struct hd_prune_opts){ .keep = 1, .target = "nobody" }, "");
	expect_rule(db, &(struct hd_prune_opts){ .keep = 1, .target = "serve", .before_utc = "1970-01-01T00:16:42Z" },
		"--");
	hd_db_close(db);
	place_remove(&p);
}

TEST(the_last_that_was_ok_stays_beside_the_last)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	static const char sha[] = "1111111111111111111111111111111111111111";

	add_of(db, "serve", sha, 1, "ok");
	add_of(db, "serve", sha, 2, "ok");
	add_of(db, "serve", sha, 3, "failed");
	add_of(db, "serve", sha, 4, "failed");
	add_of(db, "serve", NULL, 5, "ok");
	expect_rule(db, &(struct hd_prune_opts){ .keep = 1 }, "l-l-");
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_run_with_a_finding_or_an_acknowledgement_is_kept)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);

	for (int i = 1; i <= 4; i++)
		add_of(db, "serve", i == 1 ? "1111111111111111111111111111111111111111" : NULL, i, "ok");
	add_of(db, "serve", "1111111111111111111111111111111111111111", 9, "ok");
	must_exec(db,
		"INSERT INTO drift_event (id, base_run, head_run, event, kind, verdict, found_utc) VALUES (1, "
		"2, 3, 0, 'cost', 'FAIL', '');INSERT INTO acknowledgement (id, symbol, level_pct, commit_sha, "
		"reason, created_utc) VALUES (1, 'f', 1, '1111111111111111111111111111111111111111', 'known', "
		"'')");
	expect_rule(db, &(struct hd_prune_opts){ .keep = 1 }, "-ffa");
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_deleted_run_leaves_its_hashes_and_nothing_else)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_prune_opts o = { .keep = 1 };
	struct hd_prune_list list;
	struct hd_chain_walk found;
	struct hd_err err = { 0 };

	for (int i = 1; i <= 4; i++)
		add_of(db, "serve", NULL, i == 2 ? 4 : i, "ok");	/* runs 2 and 4 have the same stacks */
	EXPECT_INT(hd_prune_find(db, &o, &list, &err), 0);
	EXPECT_INT(list.going, 3);
	EXPECT_INT(hd_prune_do(db, &list, "--keep 1", &err), 0);
	hd_prune_release(&list);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM run"), 1);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM tombstone WHERE reason = '--keep 1'"), 3);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM hotspot"), 3);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM event"), 1);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM stack_blob"), 1);
	expect_sound(db);
	if (hd_chain_verify(db, NULL, &found, &err) < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(err.code, 0);
	EXPECT_INT(found.runs, 1);
	EXPECT_INT(found.pruned, 3);
	/* the chain continues after the deleted runs */
	add_of(db, "serve", NULL, 9, "ok");
	EXPECT_INT(count(db, "SELECT MAX(seq) FROM run"), 5);
	EXPECT_INT(hd_chain_verify(db, NULL, &found, &err), 0);
	hd_db_close(db);
	place_remove(&p);
}

TEST(references_that_prune_follows_have_an_index)
{
	static const char without_index[] =
		"SELECT GROUP_CONCAT(reference, ' ') FROM (SELECT m.name || '.' || f.\"from\" AS reference "
		"FROM sqlite_master m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table' AND f.seq = 0 "
		"AND NOT EXISTS (SELECT 1 FROM pragma_index_list(m.name) i, pragma_index_info(i.name) c "
		"WHERE c.seqno = 0 AND c.name = f.\"from\") ORDER BY 1)";
	struct place p;
	struct hd_db *db;

	ONLY_SQLITE();		/* tests/run-pg.sh has the query for a server */
	p = place_new();
	db = must_open(p.db, HD_DB_WRITE);
	/* no command deletes the rows that these refer to (schema/018_references.sql) */
	EXPECT_TEXT(db, without_index, "drift_event.symbol_id hotspot.object_id hotspot.symbol_id run.config_id "
		    "run.environment_id run.machine_id");
	hd_db_close(db);
	place_remove(&p);
}

TEST_MAIN(RUN(the_newest_of_each_target_stay_and_of_a_commit_the_last), RUN(the_last_that_was_ok_stays_beside_the_last),
	  RUN(a_run_with_a_finding_or_an_acknowledgement_is_kept),
	  RUN(a_deleted_run_leaves_its_hashes_and_nothing_else),
	  RUN(references_that_prune_follows_have_an_index))
