/* witness.c - write a witness, a file that another machine can verify, and detect changes of it */
#include "unit/history/history_test.h"

#include "history/config.h"
#include "trust/chain.h"
#include "trust/witness.h"

#define HD_SHA256_EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

enum { LINES = 64 };

/* A witness as lines, for tampering. */
struct file {
	char *line[LINES];
	size_t n;
};

static struct hd_buf written(struct hd_db *db, const int64_t *runs, size_t n, unsigned which)
{
	struct hd_outfile out;
	struct hd_err err = { 0 };
	struct hd_buf text = { 0 };

	hd_outfile_memory(&out);
	if (hd_witness_write(&out, db, runs, n, which, &err) < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(err.code, 0);
	hd_buf_add(&text, hd_buf_str(&out.pending), out.pending.len);
	hd_outfile_discard(&out);
	return text;
}

static struct hd_buf sample(unsigned which)
{
	static const int64_t runs[] = { 3 };
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_run_artifact recording = { "recording", "perf.data", 7, HD_SHA256_EMPTY };
	struct hd_run run = sample_run();
	struct hd_buf text;

	run.artifacts = &recording;
	run.nartifacts = 1;
	for (int i = 0; i < 4; i++) {
		run.recorded++;
		must_add(db, &run);
	}
	text = written(db, runs, 1, which);
	hd_db_close(db);
	place_remove(&p);
	return text;
}

static struct file split(const struct hd_buf *text)
{
	struct file f = { .n = 0 };

	for (const char *p = text->data; *p; p = strchr(p, '\n') + 1) {
		EXPECT(f.n < LINES);
		f.line[f.n++] = hd_strndup(p, (size_t)(strchr(p, '\n') - p));
	}
	return f;
}

static void release(struct file *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->line[i]);
	f->n = 0;
}

static struct hd_buf join(const struct file *f)
{
	struct hd_buf text = { 0 };

	for (size_t i = 0; i < f->n; i++)
		hd_buf_addf(&text, "%s\n", f->line[i]);
	return text;
}

static void says(const char *text, size_t len, int code, const char *why)
{
	struct hd_err err = { 0 };
	struct hd_witness w;

	EXPECT_INT(hd_witness_check(&w, text, len, "w", &err), code);
	if (why && !strstr(err.msg, why))
		print_message("%s\n  instead of: %s\n", err.msg, why);
	EXPECT(!why || strstr(err.msg, why));
	hd_witness_release(&w);
}

static void file_says(const struct file *f, int code, const char *why)
{
	struct hd_buf text = join(f);

	says(text.data, text.len, code, why);
	hd_buf_release(&text);
}

static void insert(struct file *f, size_t at, const char *line)
{
	memmove(&f->line[at + 1], &f->line[at], (f->n - at) * sizeof(f->line[0]));
	f->line[at] = hd_strdup(line);
	f->n++;
}

static char *take(struct file *f, size_t at)
{
	char *line = f->line[at];

	f->n--;
	memmove(&f->line[at], &f->line[at + 1], (f->n - at) * sizeof(f->line[0]));
	return line;
}

/* Return the index of the first line that contains `word`.  The test fails if there is none. */
static size_t find(const struct file *f, const char *word)
{
	size_t i = 0;

	while (i < f->n && !strstr(f->line[i], word))
		i++;
	EXPECT(i < f->n);
	return i;
}

static void replace(struct file *f, size_t i, const char *old, const char *new)
{
	struct hd_buf line = { 0 };
	char *at = strstr(f->line[i], old);

	EXPECT(at != NULL);
	hd_buf_add(&line, f->line[i], (size_t)(at - f->line[i]));
	hd_buf_addf(&line, "%s%s", new, at + strlen(old));
	free(f->line[i]);
	f->line[i] = hd_buf_take(&line);
}

/* Compute the numbers and sums of all lines again, as anybody can who writes a file. */
static void forge(struct file *f)
{
	char sum[HD_SHA256_HEX] = HD_CHAIN_START;

	for (size_t i = 0; i < f->n; i++) {
		struct hd_buf line = { 0 };
		char *n = strstr(f->line[i], "\"n\":");
		char *tail = strstr(f->line[i], ",\"~\":\"");

		hd_buf_add(&line, f->line[i], (size_t)(n + 4 - f->line[i]));
		hd_buf_addf(&line, "%zu", i + 1);
		n += 4 + strspn(n + 4, "0123456789");
		hd_buf_add(&line, n, (size_t)(tail - n));
		hd_witness_next_sum(sum, line.data, line.len, sum);
		hd_buf_addf(&line, ",\"~\":\"%s\"}", sum);
		free(f->line[i]);
		f->line[i] = hd_buf_take(&line);
	}
}

TEST(what_was_written_holds_and_says_what_it_is)
{
	struct hd_buf text = sample(HD_WITNESS_CHAIN | HD_WITNESS_RUNS);
	struct hd_err err = { 0 };
	struct hd_witness w;

	EXPECT_INT(hd_witness_check(&w, text.data, text.len, "w", &err), 0);
	EXPECT_INT(w.nplaces, 4);
	EXPECT_INT(w.nruns, 1);
	EXPECT_STR(w.runs[0].hash, w.places[2].hash);
	EXPECT_STR(w.runs[0].recording, HD_SHA256_EMPTY);
	EXPECT_STR(w.runs[0].inline_mode, "no-inline");
	EXPECT_INT(w.runs[0].sums.nevents, 1);
	EXPECT_INT(w.runs[0].sums.events[0].hotspots, 3);
	EXPECT_INT(w.runs[0].sums.events[0].self, 100);
	EXPECT_INT(w.runs[0].sums.events[0].lines, 1);
	EXPECT_INT(w.runs[0].sums.events[0].line_weight, 60);
	EXPECT_INT(w.runs[0].ntops, 3);
	EXPECT_STR(w.runs[0].tops[0].name, "parse_row");
	EXPECT_STR(w.runs[0].tops[2].vaddr, "0xffffffff81000123");
	hd_witness_release(&w);
	hd_buf_release(&text);
	text = sample(HD_WITNESS_CHAIN);
	says(text.data, text.len, 0, NULL);
	hd_buf_release(&text);
	text = sample(HD_WITNESS_RUNS);
	says(text.data, text.len, 0, NULL);
	hd_buf_release(&text);
}

TEST(keys_are_sorted_and_there_are_no_blanks)
{
	struct hd_buf text = sample(HD_WITNESS_CHAIN | HD_WITNESS_RUNS);
	struct file f = split(&text);

	for (size_t i = 0; i < f.n; i++) {
		struct hd_config c;

		EXPECT_INT(hd_config_parse(&c, f.line[i], strlen(f.line[i]), "line", NULL), 0);
		EXPECT_STR(c.text.data, f.line[i]);
		hd_config_release(&c);
	}
	release(&f);
	hd_buf_release(&text);
}

TEST(a_changed_byte_is_told_with_its_line)
{
	struct hd_buf text = sample(HD_WITNESS_CHAIN | HD_WITNESS_RUNS);
	size_t line = 1;

	for (size_t i = 0; i < text.len; i++) {
		char was = text.data[i], why[120];

		if (was == '\n') {
			line++;
			continue;
		}
		text.data[i] = was == '1' ? '2' : '1';
		if (line > 1) {
			snprintf(why, sizeof(why), "w: line %zu was ", line);
			/*
			 * The message must name the line, unless the byte is in its sum (the last 66 bytes), or in the
			 * footer, which no line follows.
			 */
			says(text.data, text.len, HD_ENO,
				strchr(text.data + i, '\n')[1] && strchr(text.data + i, '\n') - text.data - i > 66
					? why
					: NULL);
		} else {
			says(text.data, text.len, i < 29 ? HD_EFORMAT : HD_ENO, NULL);
		}
		text.data[i] = was;
	}
	says(text.data, text.len, 0, NULL);
	hd_buf_release(&text);
}

TEST(a_removed_line_is_told_with_its_place)
{
	struct hd_buf text = sample(HD_WITNESS_CHAIN | HD_WITNESS_RUNS);

	for (size_t i = 1;; i++) {
		struct file f = split(&text);
		char why[120];

		if (i + 1 >= f.n) {
			release(&f);
			break;
		}
		free(take(&f, i));
		snprintf(why, sizeof(why), "w: line %zu was removed", i + 1);
		file_says(&f, HD_ENO, why);
		if (i + 2 < f.n) {
			free(take(&f, i));
			snprintf(why, sizeof(why), "w: lines %zu to %zu were removed", i + 1, i + 2);
			file_says(&f, HD_ENO, why);
		}
		release(&f);
	}
	hd_buf_release(&text);
}

TEST(an_inserted_line_is_told_with_its_place)
{
	static const char *const strangers[] = {
		"{\"kind\":\"row\",\"n\":6,\"row\":[1],\"table\":\"hotspot\",\"~\":\"" HD_CHAIN_START "\"}", "nonsense",
		"",
	};
	struct hd_buf text = sample(HD_WITNESS_CHAIN | HD_WITNESS_RUNS);

	for (size_t k = 0; k < HD_COUNT(strangers) + 1; k++) {
		struct file f = split(&text);
		size_t n = f.n;

		release(&f);
		for (size_t i = 1; i < n; i++) {
			char why[120];

			f = split(&text);
			insert(&f, i, k < HD_COUNT(strangers) ? strangers[k] : f.line[i - 1]);
			snprintf(why, sizeof(why), "w: line %zu was inserted", i + 1);
			file_says(&f, HD_ENO, why);
			if (i == n - 1) {
				insert(&f, i, k < HD_COUNT(strangers) ? strangers[k] : f.line[i - 1]);
				snprintf(why, sizeof(why), "w: lines %zu to %zu were inserted", i + 1, i + 2);
				file_says(&f, HD_ENO, why);
			}
			release(&f);
		}
		f = split(&text);
		insert(&f, n, k < HD_COUNT(strangers) ? strangers[k] : f.line[2]);
		file_says(&f, HD_ENO, "was added after the footer");
		release(&f);
	}
	hd_buf_release(&text);
}

TEST(a_moved_line_is_reported)
{
	struct hd_buf text = sample(HD_WITNESS_CHAIN | HD_WITNESS_RUNS);
	struct file f = split(&text);
	size_t n = f.n;

	release(&f);
	for (size_t i = 1; i + 3 < n; i++) {
		char why[120], *line;

		f = split(&text);
		line = take(&f, i + 2);		/* move a line to an earlier place */
		insert(&f, i, line);
		free(line);
		snprintf(why, sizeof(why), "w: line %zu was moved: its number is %zu", i + 1, i + 3);
		file_says(&f, HD_ENO, why);
		release(&f);
	}
	hd_buf_release(&text);
}

TEST(a_file_that_was_cut_off_is_told_with_its_last_line)
{
	struct hd_buf text = sample(HD_WITNESS_CHAIN | HD_WITNESS_RUNS);
	size_t line = 1;

	for (size_t n = 1; n < text.len; n++) {
		char why[120];

		if (text.data[n - 1] == '\n')
			line++;
		if (line == 1)
			continue;
		if (text.data[n - 1] == '\n')
			snprintf(why, sizeof(why), "the file was cut off after line %zu: there is no footer", line - 1);
		else if (text.data[n] == '\n')
			continue;		/* only the line end is missing */
		else
			snprintf(why, sizeof(why), "w: line %zu is cut off: the file ends in it", line);
		says(text.data, n, HD_ENO, why);
	}
	hd_buf_release(&text);
}

TEST(what_is_no_witness_or_a_newer_one_is_no_tampering)
{
	struct hd_buf text = sample(HD_WITNESS_CHAIN | HD_WITNESS_RUNS);
	struct file f = split(&text);

	says("", 0, HD_EFORMAT, "w: not a witness");
	says("{}\n", 3, HD_EFORMAT, "w: not a witness");
	replace(&f, 0, "\"version\":2", "\"version\":3");
	forge(&f);
	file_says(&f, HD_EFORMAT, "w: a witness of version 3; this program supports versions up to 2");
	replace(&f, 0, "\"version\":3", "\"version\":2");
	replace(&f, find(&f, "\"hotspot\""), "\"hotspot\"", "\"hotspot 9\"");
	forge(&f);
	file_says(&f, HD_EFORMAT, "the file was written by a newer hotdrift");
	release(&f);
	hd_buf_release(&text);
}

/* ---- forged files whose line sums are valid ---- */

TEST(changed_rows_do_not_have_the_sums_nor_the_hash_of_their_run)
{
	struct hd_buf text = sample(HD_WITNESS_CHAIN | HD_WITNESS_RUNS);
	struct file f = split(&text);
	size_t row = find(&f, "parse_row"), end = find(&f, "\"end\"");

	replace(&f, row, ",60,60,6,", ",59,60,6,");
	forge(&f);
	file_says(&f, HD_ENO, "the sum 'self' of event 0 differs from that of the lines of its run, 99");
	replace(&f, end, "\"self\":100", "\"self\":99");
	forge(&f);
	file_says(&f, HD_ENO, " do not match its hash");
	release(&f);
	f = split(&text);
	replace(&f, row, ",60,60,6,", ",{\"d\":\"60\"},60,6,");
	forge(&f);
	file_says(&f, HD_ENO, "the sum 'self'");
	release(&f);
	hd_buf_release(&text);
}

TEST(each_sum_is_compared)
{
	static const char *const keys[] = { "dropped", "hotspots", "self", "stack_weight", "stacks", "weight", "kept",
		"read", "rows", "series", "summaries", "text_bytes", "texts" };
	struct hd_buf text = sample(HD_WITNESS_CHAIN | HD_WITNESS_RUNS);

	for (size_t i = 0; i < HD_COUNT(keys); i++) {
		struct file f = split(&text);
		char old[40], new[40], why[120];

		snprintf(old, sizeof(old), "\"%s\":", keys[i]);
		snprintf(new, sizeof(new), "\"%s\":9", keys[i]);
		snprintf(why, sizeof(why), "line %zu: the sum '%s'", find(&f, "\"end\"") + 1, keys[i]);
		replace(&f, find(&f, "\"end\""), old, new);
		forge(&f);
		file_says(&f, HD_ENO, why);
		release(&f);
	}
	hd_buf_release(&text);
}

TEST(rows_texts_and_places_that_were_taken_out_put_in_or_exchanged_are_told)
{
	static const struct { const char *word, *why; } taken[] = {
		{ "decode.part.0", "the sum 'hotspots'" },
		{ "\"artifact\"", "the head of the run lists inputs that no row has" },
		{ "\"text\"", "a text that the rows refer to is missing" }, { "\"bundle\"", "a row without its run" },
		{ "\"end\"", "lines of this kind do not belong here" },
		{ "\"seq\":1,", "this run does not follow the one before it in its chain" },
		{ "\"seq\":3,", "this run does not follow the one before it in its chain" },
	};
	struct hd_buf text = sample(HD_WITNESS_CHAIN | HD_WITNESS_RUNS);
	struct file f;

	for (size_t i = 0; i < HD_COUNT(taken); i++) {
		f = split(&text);
		free(take(&f, find(&f, taken[i].word)));
		forge(&f);
		file_says(&f, HD_ENO, taken[i].why);
		release(&f);
	}
	f = split(&text);		/* a row that occurs twice */
	insert(&f, find(&f, "parse_row"), f.line[find(&f, "parse_row")]);
	forge(&f);
	file_says(&f, HD_ENO, "the sum 'hotspots' of event 0 differs from that of the lines of its run, 4");
	release(&f);
	f = split(&text);
	replace(&f, find(&f, "\"text\""), "main;decode;parse_row 60", "main;decode;parse_row 61");
	forge(&f);
	file_says(&f, HD_ENO, "the text before it does not match its key");
	release(&f);
	f = split(&text);
	replace(&f, find(&f, "\"bundle\""), "\"inputs\":[\"e3b0", "\"inputs\":[\"e3b1");
	forge(&f);
	file_says(&f, HD_ENO, "this row contradicts the head of its run");
	release(&f);
	hd_buf_release(&text);
}

TEST(names_of_any_bytes_come_through)
{
	static const int64_t runs[] = { 1 };
	const struct hd_run_hotspot spots[] = {
		{ .object = "/x/\xff\"\\\n",
			.linkage = "\x01\x7f\xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80",
			.name = "a\tb",
			.self = 5,
			.total = 5,
			.samples = 1,
			.has_inline = true,
			.inline_self = 1,
			.inline_total = 2 },
	};
	struct hd_run_event e = { .name = "\"}\n,\"~\":\"",
		.unit = "x",
		.samples = 1,
		.weight = 5,
		.hotspots = spots,
		.nhotspots = 1 };
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_run run = sample_run();
	struct hd_buf folded = { 0 }, text;

	/* long lines without an end, and a text that is cut within characters */
	for (int i = 0; i < 30000; i++)
		hd_buf_adds(&folded, i % 1000 ? "\xe2\x80\xa8;" : "\xe2\x80\xa8 7\n");
	e.folded = folded.data;
	e.folded_len = folded.len;
	run.events = &e;
	run.target = "\xff\xfe'\"";
	run.command = "x\n\"n\":5,";
	must_add(db, &run);
	text = written(db, runs, 1, HD_WITNESS_CHAIN | HD_WITNESS_RUNS);
	says(text.data, text.len, 0, NULL);
	hd_buf_release(&text);
	hd_buf_release(&folded);
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_database_that_goes_on_agrees_and_one_that_was_written_anew_does_not)
{
	static const int64_t runs[] = { 2 };
	struct place p = place_new(), q = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE), *other = must_open(q.db, HD_DB_WRITE);
	struct hd_run run = sample_run();
	struct hd_err err = { 0 };
	struct hd_witness w;
	struct hd_buf text;

	must_add(db, &run);
	must_add(db, &run);
	text = written(db, runs, 1, HD_WITNESS_CHAIN | HD_WITNESS_RUNS);
	must_add(db, &run);
	EXPECT_INT(hd_witness_check(&w, text.data, text.len, "w", &err), 0);
	EXPECT_INT(hd_witness_compare(&w, db, "w", &err), 0);
	EXPECT_INT(hd_witness_compare(&w, other, "w", &err), HD_ENO);
	EXPECT(strstr(err.msg, "w: line 2: ") && strstr(err.msg, " has no run 1 of chain "));
	must_exec(db, "UPDATE run SET run_hash = content_hash WHERE id = 1");
	EXPECT_INT(hd_witness_compare(&w, db, "w", &err), HD_ENO);
	EXPECT(strstr(err.msg, " has another hash for run 1 of chain "));
	hd_witness_release(&w);
	hd_buf_release(&text);
	hd_db_close(db);
	hd_db_close(other);
	place_remove(&p);
	place_remove(&q);
}

TEST_MAIN(RUN(what_was_written_holds_and_says_what_it_is), RUN(keys_are_sorted_and_there_are_no_blanks),
	RUN(a_changed_byte_is_told_with_its_line), RUN(a_removed_line_is_told_with_its_place),
	RUN(an_inserted_line_is_told_with_its_place), RUN(a_moved_line_is_reported),
	RUN(a_file_that_was_cut_off_is_told_with_its_last_line), RUN(what_is_no_witness_or_a_newer_one_is_no_tampering),
	RUN(changed_rows_do_not_have_the_sums_nor_the_hash_of_their_run), RUN(each_sum_is_compared),
	RUN(rows_texts_and_places_that_were_taken_out_put_in_or_exchanged_are_told),
	RUN(names_of_any_bytes_come_through),
	RUN(a_database_that_goes_on_agrees_and_one_that_was_written_anew_does_not))
