/*
 * series.c - parse CSV text as columns, and count the cells that are lost
 */
#include "test.h"

#include "base/mem.h"
#include "series/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct read {
	struct hd_series *s;
	struct hd_log log;
	struct hd_err err;
	int rc;
};

static struct read parse(const char *text)
{
	struct read r = { 0 };
	char *room = hd_strdup(text);

	r.rc = hd_series_parse(&r.s, room, strlen(text), "f.csv", &r.log, &r.err);
	free(room);
	return r;
}

static void release(struct read *r)
{
	hd_series_free(r->s);
	hd_log_release(&r->log);
}

static void expect_refused(const char *text, const char *sentence)
{
	struct read r = parse(text);

	EXPECT_INT(r.rc, HD_EFORMAT);
	EXPECT_STR(r.err.msg, sentence);
	release(&r);
}

static void expect_warning(const struct read *r, const char *code, uint64_t count, const char *text)
{
	const struct hd_warning *w = hd_log_find(&r->log, code);

	EXPECT(w);
	EXPECT_INT(w->count, count);
	EXPECT_STR(w->text, text);
}

TEST(a_form_of_ours_has_its_columns)
{
	struct read r = parse("sample_id,wall_time_us,kernel_time_us,seq_len\n1,10.5,9,128\n2,11,,128\n");

	EXPECT_INT(r.rc, 0);
	EXPECT_STR(hd_series_form(r.s), "latency");
	EXPECT(r.s->rows == 2 && r.s->ncolumns == 4 && !r.s->skipped && !r.s->lost && !r.log.n);
	EXPECT(r.s->columns[1].v[0] == 10.5 && isnan(r.s->columns[2].v[1]) && r.s->columns[2].empty == 1 &&
		r.s->columns[2].n == 1);
	EXPECT_INT(r.s->columns[0].kind, HD_FORM_FIELD_NUMBER);
	release(&r);
}

TEST(in_a_file_of_another_form_columns_of_numbers_are_series_and_others_are_text)
{
	struct read r = parse("name,ms,note\nx,1,5\ny,2,n/a\nz,3,-\n");

	EXPECT_INT(r.rc, 0);
	EXPECT_STR(hd_series_form(r.s), "series");
	EXPECT(r.s->columns[0].kind == HD_FORM_FIELD_NAME && r.s->columns[1].kind == HD_FORM_FIELD_VALUE &&
		r.s->columns[2].kind == HD_FORM_FIELD_NAME);
	EXPECT(!r.s->lost && !r.log.n);
	EXPECT(hd_series_find(r.s, "ms") == &r.s->columns[1] && !hd_series_find(r.s, "m"));
	release(&r);
}

TEST(rows_of_another_length_are_skipped_with_a_warning)
{
	struct read r = parse("a,b\n1,2\n3\n4,5,6\n7,8\n");

	EXPECT_INT(r.rc, 0);
	EXPECT(r.s->rows == 2 && r.s->skipped == 2 && r.s->columns[0].v[1] == 7);
	expect_warning(&r, "lost.csv-row", 2, "f.csv: line 3 has 1 cells, its header 2, and was skipped");
	EXPECT_INT(hd_series_need_whole(r.s, &r.log, &r.err), HD_EFORMAT);
	EXPECT_STR(r.err.msg, "f.csv: 2 rows or cells were lost, as warned; --strict takes none");
	release(&r);
}

TEST(cells_that_are_no_finite_number_cost_themselves)
{
	struct read r = parse("a,b\n1,nan\n2,1e309\n3,0x10\nx,4\n5,6\n7,8\n9,10\n");

	EXPECT_INT(r.rc, 0);
	EXPECT(r.s->rows == 7 && r.s->lost == 4 && r.s->columns[0].n == 6 && r.s->columns[1].n == 4 &&
		r.s->columns[1].lost == 3);
	expect_warning(&r, "lost.csv-value", 4, "f.csv: line 5: a is not a number and was skipped");
	release(&r);
}

TEST(broken_quotes_and_nuls_are_reported_with_their_line)
{
	struct read r = parse("a,b\n1,2\n\"3\"x,4\n5,6\n7,\"8\n");

	EXPECT_INT(r.rc, 0);
	EXPECT(r.s->rows == 2 && r.s->skipped == 2);
	expect_warning(&r, "lost.csv-quote", 2, "f.csv: line 3 has text after a closing quote and was skipped");
	release(&r);
}

TEST(nanoseconds_since_1970_lose_nothing)
{
	struct read r = parse("t_ns,source,domain,watts,joules_cum,stale\n1700000000000000001,rapl,package-0,1,,0\n"
			      "1700000000000000002,rapl,package-0,1,,0\n");

	EXPECT_INT(r.rc, 0);
	EXPECT(r.s->columns[0].v[0] == 0 && r.s->columns[0].v[1] == 1 &&
		r.s->columns[0].origin == 1700000000000000001.0L);
	EXPECT_STR(hd_strtab_get(r.s->text, r.s->columns[2].names[1]), "package-0");
	release(&r);
}

TEST(columns_with_the_same_name_get_different_names)
{
	struct read r = parse("a,a,a (column 2)\n1,2,3\n");

	EXPECT_INT(r.rc, 0);
	EXPECT_STR(r.s->columns[0].name, "a");
	EXPECT_STR(r.s->columns[1].name, "a (column 2)");
	EXPECT_STR(r.s->columns[2].name, "a (column 2) (column 3)");
	expect_warning(&r, "csv.same-name", 2, "f.csv: column 2 has the name of one before it");
	release(&r);
}

TEST(a_file_that_is_no_series_is_rejected_with_the_reason)
{
	expect_refused("", "f.csv: is empty; a CSV file begins with the names of its columns");
	expect_refused("1,2\n3,4\n",
		"f.csv: line 1 is no header: all of it is numbers; put the names of the columns there");
	expect_refused("a,b\nx,y\n", "f.csv: no column of it holds numbers");
	expect_refused("a,b\n1\n2\n", "f.csv: none of its 2 rows has the 2 cells of its header");
	expect_refused("a,\"b\n1,2\n", "f.csv: line 1, its header, has a quote that never closes");
}

TEST_MAIN(
	RUN(a_form_of_ours_has_its_columns),
	RUN(in_a_file_of_another_form_columns_of_numbers_are_series_and_others_are_text),
	RUN(rows_of_another_length_are_skipped_with_a_warning),
	RUN(cells_that_are_no_finite_number_cost_themselves),
	RUN(broken_quotes_and_nuls_are_reported_with_their_line),
	RUN(nanoseconds_since_1970_lose_nothing),
	RUN(columns_with_the_same_name_get_different_names),
	RUN(a_file_that_is_no_series_is_rejected_with_the_reason),
)
