/* anchor.c - verify that the history still has what was signed with a key that is stored elsewhere */
#include "unit/history/history_test.h"

#include "trust/anchor.h"
#include "trust/content_hash.h"

static struct hd_signing_key key_of(const char *bytes)
{
	struct hd_signing_key k = { 0 };

	EXPECT_INT(hd_signing_key_set(&k, bytes, strlen(bytes), "key", NULL), 0);
	return k;
}

/* A database with three runs that were signed when they were added, and one that was not. */
struct fixture {
	struct place place;
	struct hd_db *db;
	struct hd_signing_key key;
	struct hd_run_ticket tickets[4];
};

static struct fixture four_runs(void)
{
	struct fixture f = { .place = place_new(), .key = key_of("a key of sixteen bytes or more") };
	struct hd_run run = sample_run();

	f.db = must_open(f.place.db, HD_DB_WRITE);
	for (int i = 0; i < 4; i++) {
		run.recorded++;
		run.key = i < 3 ? &f.key : NULL;
		f.tickets[i] = must_add(f.db, &run);
	}
	return f;
}

static void release(struct fixture *f)
{
	hd_db_close(f->db);
	place_remove(&f->place);
}

static void must(struct hd_db *db, const char *sql)
{
	struct hd_err err = { 0 };

	if (hd_db_exec(db, sql, &err) < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(err.code, 0);
}

static void answers(struct fixture *f, const struct hd_signing_key *key, const struct hd_anchors *more, int code,
	const char *why)
{
	struct hd_anchor_report found;
	struct hd_err err = { 0 };

	EXPECT_INT(hd_anchor_check(f->db, key, more, &found, &err), code);
	if (why && !strstr(err.msg, why))
		print_message("%s\n", err.msg);
	EXPECT(!why || strstr(err.msg, why));
	hd_anchor_report_release(&found);
}

/* Compute all hashes of the chain again, as an attacker with write access to the database could. */
static void forge(struct hd_db *db)
{
	char prev[HD_SHA256_HEX] = HD_CHAIN_START, content[HD_SHA256_HEX], hash[HD_SHA256_HEX];
	int64_t n = count(db, "SELECT MAX(seq) FROM run");

	for (int64_t i = 1; i <= n; i++) {
		char *origin = text_of(db, "SELECT origin FROM chain WHERE is_local = 1");
		int64_t id;

		EXPECT_INT(hd_db_query_int(db, &id, 0, NULL, "SELECT id FROM run WHERE seq = $1", "i", i), 0);
		EXPECT_INT(hd_chain_content(db, id, HD_CONTENT_HASH_FORM, content, NULL), 0);
		hd_chain_link(origin, i, prev, content, hash);
		EXPECT_INT(hd_db_do(db, NULL,
				   "UPDATE run SET prev_hash = $1, content_hash = $2, run_hash = $3, "
				   "run_id = SUBSTR(run_id, 1, 26) || SUBSTR($3, 1, 8) WHERE id = $4",
				   "ttti", prev, content, hash, id),
			0);
		EXPECT_INT(hd_chain_advance(db, origin, i, hash, NULL), 0);
		memcpy(prev, hash, sizeof(prev));
		free(origin);
	}
}

TEST(what_was_signed_holds_and_what_came_after_it_is_counted)
{
	struct fixture f = four_runs();
	struct hd_anchor_report found;

	EXPECT_INT(hd_anchor_check(f.db, &f.key, NULL, &found, NULL), 0);
	EXPECT_INT(found.anchors, 3);
	EXPECT_INT(found.n, 2);
	EXPECT(!found.chains[0].journal && found.chains[1].journal);
	EXPECT(!found.chains[1].run);
	EXPECT_STR(found.chains[0].run, f.tickets[2].id);
	EXPECT_INT(found.chains[0].seq, 3);
	EXPECT_INT(found.chains[0].head, 4);
	hd_anchor_report_release(&found);
	release(&f);
}

TEST(a_history_written_anew_is_told_though_all_its_hashes_fit)
{
	struct fixture f = four_runs();
	struct hd_chain_walk walk;

	must(f.db, "UPDATE hotspot SET self = self - 1 WHERE run_id = 2 AND rank = 1");
	forge(f.db);
	EXPECT_INT(hd_chain_verify(f.db, NULL, &walk, NULL), 0);
	answers(&f, &f.key, NULL, HD_ENO, "(2 of its chain) is not the one that was signed at ");
	answers(&f, &f.key, NULL, HD_ENO, "rewritten after its run 1, which is unchanged");
	release(&f);
}

TEST(what_was_not_signed_can_be_written_anew)
{
	struct fixture f = four_runs();

	must(f.db, "UPDATE hotspot SET self = self - 1 WHERE run_id = 4 AND rank = 1");
	forge(f.db);
	answers(&f, &f.key, NULL, 0, NULL);
	release(&f);
}

TEST(an_altered_anchor_is_told_from_another_key_and_from_none)
{
	static const char *const changes[] = {
		"UPDATE anchor SET seq = 4 WHERE seq = 3",
		"UPDATE anchor SET run_hash = (SELECT run_hash FROM run WHERE seq = 1) WHERE seq = 3",
		"UPDATE anchor SET signed_utc = '2001-01-01T00:00:00Z' WHERE seq = 3",
		"UPDATE anchor SET mac = run_hash WHERE seq = 3",
		"UPDATE anchor SET mac = mac || 'x' WHERE seq = 3 AND mac <> ''",
	};
	struct hd_signing_key other = key_of("another key of many bytes");

	for (size_t i = 0; i < HD_COUNT(changes) - 1; i++) {
		struct fixture f = four_runs();

		must(f.db, changes[i]);
		answers(&f, &f.key, NULL, HD_ENO, "was altered: key ");
		answers(&f, &other, NULL, HD_ENOBASE,
			"another key: there are 3 anchors, and none was signed with key ");
		must(f.db, "DELETE FROM anchor");
		answers(&f, &f.key, NULL, HD_ENOBASE, "nothing was signed yet, or the anchors were deleted");
		release(&f);
	}
}

TEST(heads_are_signed_once_and_by_several_keys)
{
	struct fixture f = four_runs();
	struct hd_signing_key other = key_of("another key of many bytes");
	struct hd_anchors made = { 0 };

	EXPECT_INT(hd_anchor_sign(f.db, &f.key, NULL, NULL, NULL, &made, NULL), 0);
	EXPECT_INT(made.n, 2);		/* the heads of the runs and of the journal */
	EXPECT_INT(made.items[0].seq, 4);
	EXPECT_STR(made.items[0].hash, f.tickets[3].hash);
	EXPECT_INT(hd_anchor_sign(f.db, &f.key, NULL, NULL, NULL, &made, NULL), 0);
	EXPECT_INT(made.n, 2);
	EXPECT_INT(hd_anchor_sign(f.db, &other, NULL, NULL, NULL, &made, NULL), 0);
	EXPECT_INT(made.n, 4);
	answers(&f, &f.key, NULL, 0, NULL);
	answers(&f, &other, NULL, 0, NULL);
	hd_anchors_release(&made);
	release(&f);
}

TEST(a_broken_history_is_not_signed)
{
	struct fixture f = four_runs();
	struct hd_anchors made = { 0 };
	struct hd_run run = sample_run();
	struct hd_run_ticket ticket;
	struct hd_err err = { 0 };

	must(f.db, "UPDATE hotspot SET self = self - 1 WHERE run_id = 2 AND rank = 1");
	EXPECT_INT(hd_anchor_sign(f.db, &f.key, NULL, NULL, NULL, &made, &err), HD_ENO);
	EXPECT(strstr(err.msg, "was changed after it was added"));
	forge(f.db);
	EXPECT_INT(hd_anchor_sign(f.db, &f.key, NULL, NULL, NULL, &made, &err), HD_ENO);
	EXPECT(strstr(err.msg, "is not the one that was signed"));
	run.key = &f.key;
	EXPECT_INT(hd_run_add(f.db, &run, &ticket, &err), HD_ENO);
	EXPECT(strstr(err.msg, "; nothing was added"));
	EXPECT_INT(count(f.db, "SELECT COUNT(*) FROM run"), 4);
	EXPECT_INT(count(f.db, "SELECT COUNT(*) FROM anchor"), 3);
	hd_anchors_release(&made);
	release(&f);
}

/* Sign the database, and return the anchors as they are read back from the lines that a user stores elsewhere. */
static struct hd_anchors kept_of(struct fixture *f)
{
	struct hd_anchors none = { 0 }, made = { 0 }, kept = { 0 };
	struct hd_buf text = { 0 };
	struct hd_err err = { 0 };

	EXPECT_INT(hd_anchor_sign(f->db, &f->key, &none, NULL, NULL, &made, &err), 0);
	hd_buf_adds(&text, "# kept by the job\n\n");
	for (size_t i = 0; i < made.n; i++)
		hd_anchor_line(&text, &made.items[i]);
	EXPECT_INT(hd_anchors_parse(&kept, text.data, text.len, "anchors", &err), 0);
	EXPECT_INT(kept.n, made.n);
	EXPECT_MEM(&kept.items[0], &made.items[0], sizeof(kept.items[0]));
	hd_buf_release(&text);
	hd_anchors_release(&made);
	return kept;
}

TEST(anchors_kept_elsewhere_tell_that_the_database_went_back)
{
	struct fixture f = four_runs();
	struct hd_anchors kept = kept_of(&f);

	answers(&f, &f.key, &kept, 0, NULL);
	/*
	 * Restore the state of the day before: the newest run and anchor are missing, and
	 * everything else is consistent.
	 */
	forget_references(f.db);
	must(f.db,
		"DELETE FROM anchor WHERE seq = 4; DELETE FROM hotspot WHERE run_id = 4; DELETE FROM event WHERE "
		"run_id = 4; DELETE FROM run WHERE id = 4; UPDATE chain SET head_seq = 3, head_hash = (SELECT run_hash "
		"FROM run WHERE seq = 3)");
	answers(&f, &f.key, NULL, 0, NULL);
	answers(&f, &f.key, &kept, HD_ENO, "its run 4, signed at ");
	answers(&f, &f.key, &kept, HD_ENO, "is missing: the history was replaced by an older");
	hd_anchors_release(&kept);
	release(&f);
}

TEST(a_head_that_the_file_lacks_is_given_to_it)
{
	struct fixture f = four_runs();
	struct hd_anchors kept = kept_of(&f), made = { 0 }, none = { 0 };

	EXPECT_INT(hd_anchor_sign(f.db, &f.key, &kept, NULL, NULL, &made, NULL), 0);
	EXPECT_INT(made.n, 0);
	EXPECT_INT(hd_anchor_sign(f.db, &f.key, &none, NULL, NULL, &made, NULL), 0);
	EXPECT_INT(made.n, 2);
	EXPECT_INT(count(f.db, "SELECT COUNT(*) FROM anchor"), 5);
	hd_anchors_release(&made);
	hd_anchors_release(&kept);
	release(&f);
}

TEST(a_line_that_is_no_anchor_is_named)
{
	static const char good[] = "hotdrift-anchor 1 0123456789abcdef0123456789abcdef 3 " HD_CHAIN_START
				   " 2026-11-22T03:22:32Z 44a2875d87878195 " HD_CHAIN_START;
	static const char *const bad[] = {
		"hotdrift-anchor 2 ab 3 " HD_CHAIN_START " 2026-11-22T03:22:32Z 44a2875d87878195 " HD_CHAIN_START,
		"hotdrift-anchor 1 ab 0 " HD_CHAIN_START " 2026-11-22T03:22:32Z 44a2875d87878195 " HD_CHAIN_START,
		"hotdrift-anchor 1 ab -3 " HD_CHAIN_START " 2026-11-22T03:22:32Z 44a2875d87878195 " HD_CHAIN_START,
		"hotdrift-anchor 1 ab 3 abcd 2026-11-22T03:22:32Z 44a2875d87878195 " HD_CHAIN_START,
		"hotdrift-anchor 1 ab 3 " HD_CHAIN_START " 2026-11-22 44a2875d87878195 " HD_CHAIN_START,
		"hotdrift-anchor 1 ab 3 " HD_CHAIN_START " 2026-11-22T03:22:32Z 44a2 " HD_CHAIN_START,
		"hotdrift-anchor 1 ab 3 " HD_CHAIN_START " 2026-11-22T03:22:32Z 44a2875d87878195 " HD_CHAIN_START " x",
		"hotdrift-anchor 1", " ", "x",
	};
	struct hd_anchors list = { 0 };
	struct hd_err err = { 0 };

	EXPECT_INT(hd_anchors_parse(&list, good, strlen(good), "f", &err), 0);	/* without a line end, too */
	EXPECT_INT(list.n, 1);
	for (size_t i = 0; i < HD_COUNT(bad); i++) {
		struct hd_buf text = { 0 };

		hd_buf_addf(&text, "%s\r\n# a remark\n%s\n", good, bad[i]);
		EXPECT_INT(hd_anchors_parse(&list, text.data, text.len, "f", &err), HD_EFORMAT);
		EXPECT(strstr(err.msg, "f: line 3 is not an anchor"));
		hd_buf_release(&text);
	}
	hd_anchors_release(&list);
}

TEST(a_key_ends_before_its_line_end_and_has_a_length)
{
	struct hd_signing_key a = { 0 }, b = { 0 };
	char many[HD_SIGNING_KEY_MAX + 2];

	memset(many, 'x', sizeof(many));
	EXPECT_INT(hd_signing_key_set(&a, "0123456789abcdef", 16, "k", NULL), 0);
	EXPECT_INT(hd_signing_key_set(&b, "0123456789abcdef\r\n", 18, "k", NULL), 0);
	EXPECT_STR(a.id, b.id);
	EXPECT_INT(strlen(a.id), 16);
	EXPECT_INT(hd_signing_key_set(&b, "0123456789abcde\n", 16, "k", NULL), HD_EFORMAT);
	EXPECT_INT(hd_signing_key_set(&b, "", 0, "k", NULL), HD_EFORMAT);
	EXPECT_INT(hd_signing_key_set(&b, many, HD_SIGNING_KEY_MAX, "k", NULL), 0);
	EXPECT_INT(hd_signing_key_set(&b, many, HD_SIGNING_KEY_MAX + 1, "k", NULL), HD_EFORMAT);
}

static const char private_key[] =
	"-----BEGIN PRIVATE KEY-----\n"
	"MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
	"-----END PRIVATE KEY-----\n";
static const char public_key[] =
	"-----BEGIN PUBLIC KEY-----\n"
	"MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
	"-----END PUBLIC KEY-----\n";

TEST(a_private_key_that_others_can_read_is_refused_and_one_for_its_group_warned_of)
{
	static const struct { const char *text; mode_t mode; int rc; bool warned; } cases[] = {
		{ private_key, 0600, 0, false }, { private_key, 0400, 0, false }, { private_key, 0640, 0, true },
		{ private_key, 0604, HD_EFORMAT, false },
		{ private_key, 0444, HD_EFORMAT, false }, { public_key, 0644, 0, false },
		{ "0123456789abcdef\n", 0600, 0, false },
		{ "0123456789abcdef\n", 0440, 0, true }, { "0123456789abcdef\n", 0644, HD_EFORMAT, false },
	};
	struct place p = place_new();
	char path[600];

	snprintf(path, sizeof(path), "%s/key", p.dir);
	for (size_t i = 0; i < HD_COUNT(cases); i++) {
		struct hd_log log = { 0 };
		struct hd_signing_key k = { 0 };
		struct hd_err err = { 0 };
		FILE *f = fopen(path, "w");

		fputs(cases[i].text, f);
		fclose(f);
		chmod(path, cases[i].mode);
		EXPECT_INT(hd_signing_key_read(&k, path, false, &log, &err), cases[i].rc);
		EXPECT(!cases[i].rc || strstr(err.msg, "every user of this machine can read or write this key (mode "));
		EXPECT((hd_log_find(&log, "key.readable") != NULL) == cases[i].warned);
		hd_signing_key_release(&k);
		hd_log_release(&log);
		remove(path);
	}
	place_remove(&p);
}

TEST(an_auditor_checks_with_the_public_key_and_cannot_sign_with_it)
{
	struct fixture f = four_runs();
	struct hd_signing_key private = key_of(private_key), public = key_of(public_key),
			      other = key_of("another key of many bytes");
	struct hd_anchors made = { 0 }, kept = { 0 };
	struct hd_run run = sample_run();
	struct hd_run_ticket ticket;
	struct hd_buf text = { 0 };
	struct hd_err err = { 0 };

	EXPECT_STR(private.id, public.id);
	EXPECT(hd_signing_key_can_sign(&private) && !hd_signing_key_can_sign(&public));
	EXPECT_INT(hd_anchor_sign(f.db, &private, NULL, NULL, NULL, &made, &err), 0);
	EXPECT_INT(made.n, 2);
	EXPECT_INT(strlen(made.items[0].mac), 128);
	for (size_t i = 0; i < made.n; i++)
		hd_anchor_line(&text, &made.items[i]);
	EXPECT(!strncmp(text.data, "hotdrift-anchor 2 ", 18));
	EXPECT_INT(hd_anchors_parse(&kept, text.data, text.len, "anchors", &err), 0);
	EXPECT_MEM(&kept.items[0], &made.items[0], sizeof(kept.items[0]));
	answers(&f, &public, &kept, 0, NULL);
	answers(&f, &private, NULL, 0, NULL);
	answers(&f, &f.key, NULL, 0, NULL);		/* anchors made with the secret f.key are still valid */
	answers(&f, &other, NULL, HD_ENOBASE, "another key: there are 5 anchors");
	run.key = &public;
	EXPECT_INT(hd_run_add(f.db, &run, &ticket, &err), HD_EUSAGE);
	EXPECT(strstr(err.msg, "is a public key, which cannot sign; nothing was added"));
	must(f.db, "UPDATE hotspot SET self = self - 1 WHERE run_id = 2 AND rank = 1");
	forge(f.db);
	answers(&f, &public, NULL, HD_ENO, "is not the one that was signed at ");
	must(f.db, "UPDATE anchor SET run_hash = (SELECT run_hash FROM run WHERE seq = 4) WHERE seq = 4");
	answers(&f, &public, NULL, HD_ENO, "was altered: key ");
	hd_buf_release(&text);
	hd_anchors_release(&made);
	hd_anchors_release(&kept);
	hd_signing_key_release(&private);
	hd_signing_key_release(&public);
	release(&f);
}

TEST(any_change_of_an_anchor_is_seen)
{
	static const char *const columns[] = { "origin", "run_hash", "signed_utc", "mac", "seq" };
	struct hd_signing_key private = key_of(private_key);

	for (size_t i = 0; i < HD_COUNT(columns); i++) {
		struct fixture f = four_runs();
		struct hd_anchors made = { 0 };
		char sql[200];

		EXPECT_INT(hd_anchor_sign(f.db, &private, NULL, NULL, NULL, &made, NULL), 0);
		hd_anchors_release(&made);
		forget_references(f.db);
		snprintf(sql, sizeof(sql),
			i < 4 ? "UPDATE anchor SET %s = %s || '0' WHERE seq = 3 OR seq = 4"
			      : "UPDATE anchor SET %s = %s + 10 WHERE seq > 2",
			columns[i], columns[i]);
		must(f.db, sql);
		answers(&f, &private, NULL, HD_ENO, "was altered: key ");
		answers(&f, &f.key, NULL, HD_ENO, "was altered: key ");
		release(&f);
	}
	hd_signing_key_release(&private);
}

TEST_MAIN(RUN(what_was_signed_holds_and_what_came_after_it_is_counted),
	RUN(a_history_written_anew_is_told_though_all_its_hashes_fit), RUN(what_was_not_signed_can_be_written_anew),
	RUN(an_altered_anchor_is_told_from_another_key_and_from_none), RUN(heads_are_signed_once_and_by_several_keys),
	RUN(a_broken_history_is_not_signed), RUN(anchors_kept_elsewhere_tell_that_the_database_went_back),
	RUN(a_head_that_the_file_lacks_is_given_to_it), RUN(a_line_that_is_no_anchor_is_named),
	RUN(a_key_ends_before_its_line_end_and_has_a_length),
	RUN(a_private_key_that_others_can_read_is_refused_and_one_for_its_group_warned_of),
	RUN(an_auditor_checks_with_the_public_key_and_cannot_sign_with_it), RUN(any_change_of_an_anchor_is_seen))
