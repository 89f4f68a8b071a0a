/*
 * series_stats.c - summarise columns, and fit lines to pairs of columns
 */
#include "test.h"

#include "base/mem.h"
#include "series/series_stats.h"

#include <stdlib.h>
#include <string.h>

struct made {
	struct hd_series *s;
	struct hd_series_stats st;
	struct hd_log log;
	struct hd_err err;
	int rc;
};

static struct made make(const char *text, const char *only)
{
	struct hd_string_list words = { &only, only ? 1 : 0, 1 };
	struct made m = { 0 };
	char *room = hd_strdup(text);

	m.rc = hd_series_parse(&m.s, room, strlen(text), "f.csv", &m.log, &m.err);
	free(room);
	EXPECT_INT(m.rc, 0);
	m.rc = hd_series_stats_make(&m.st, m.s, &words, &m.log, &m.err);
	return m;
}

static void release(struct made *m)
{
	hd_series_stats_release(&m->st);
	hd_series_free(m->s);
	hd_log_release(&m->log);
}

#define LATENCY "sample_id,wall_time_us,kernel_time_us,seq_len\n"
#define MEMORY "timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes\n"

TEST(a_column_that_only_numbers_the_rows_is_not_summarised)
{
	struct made m = make(LATENCY "1,10,5,100\n2,30,5,200\n3,50,6,300\n", NULL);

	EXPECT(m.rc == 0 && m.st.n == 3);
	EXPECT_STR(m.st.columns[0].column->name, "wall_time_us");
	EXPECT(m.st.columns[0].sum.mean == 30 && !m.st.is_memory);
	release(&m);
	m = make(LATENCY "1,10,5,100\n2,30,5,200\n", "sample_id");
	EXPECT(m.rc == 0 && m.st.n == 1 && m.st.columns[0].sum.mean == 1.5);
	release(&m);
}

TEST(times_are_fitted_against_the_length_when_it_varies)
{
	struct made m = make(LATENCY "1,10,5,100\n2,30,5,200\n3,50,6,300\n", NULL);

	EXPECT_STR(m.st.columns[0].against, "seq_len");
	EXPECT(m.st.columns[0].fit.slope == 0.2 && m.st.columns[0].fit.r2 == 1 && !m.st.columns[2].against);
	release(&m);
	m = make(LATENCY "1,10,5,100\n2,30,5,100\n3,50,6,100\n", NULL);
	EXPECT_STR(m.st.columns[0].against, "sample_id");
	EXPECT(m.st.columns[0].fit.slope == 20);
	release(&m);
}

TEST(memory_has_its_totals_and_its_slopes)
{
	struct made m = make(MEMORY "1000,100,10,1,0\n2000,300,20,2,0\n3000,200,30,,0\n", "kv_cache_bytes");

	EXPECT(m.rc == 0 && m.st.n == 1 && m.st.is_memory);
	EXPECT(m.st.peak_rss == 300 && m.st.mean_rss == 200 && m.st.kv_cache_total == 60 && m.st.activation_total == 3);
	EXPECT_STR(m.st.columns[0].against, "timestamp_us");
	EXPECT(m.st.columns[0].fit.slope == 0.01 && m.st.columns[0].fit.intercept == 10);
	release(&m);
}

TEST(other_files_have_no_line)
{
	struct made m = make("x,y\n1,2\n2,4\n", NULL);

	EXPECT(m.rc == 0 && m.st.n == 2 && !m.st.columns[0].against && !m.st.columns[1].against);
	release(&m);
}

TEST(a_column_that_is_not_there_or_holds_text_is_refused)
{
	struct made m = make("x,y\n1,a\n2,b\n", "z");

	EXPECT_INT(m.rc, HD_EFORMAT);
	EXPECT_STR(m.err.msg, "f.csv: has no column 'z'; 'hotdrift stats f.csv' lists them");
	release(&m);
	m = make("x,y\n1,a\n2,b\n", "y");
	EXPECT_STR(m.err.msg, "f.csv: column 'y' holds text, not numbers");
	release(&m);
	m = make(LATENCY, NULL);
	EXPECT_STR(m.err.msg, "f.csv: has no row with a number");
	release(&m);
}

TEST(zeros_in_all_rows_mean_not_measured_where_no_measurement_is_zero)
{
	struct made m = make(LATENCY "0,0,0,8\n1,0,0,9\n", NULL);

	/* wall_time_us, kernel_time_us, seq_len */
	EXPECT(!m.st.columns[0].not_measured && m.st.columns[1].not_measured && !m.st.columns[2].not_measured);
	release(&m);
	m = make(LATENCY "0,5,0,0\n1,6,0.5,0\n", NULL);
	EXPECT(!m.st.columns[1].not_measured && m.st.columns[2].not_measured);
	release(&m);
	/* The same names in another file have no such meaning. */
	m = make("kernel_time_us,accuracy\n0,0\n", NULL);
	EXPECT(!m.st.columns[0].not_measured && !m.st.columns[1].not_measured);
	release(&m);
}

TEST_MAIN(
	RUN(a_column_that_only_numbers_the_rows_is_not_summarised),
	RUN(times_are_fitted_against_the_length_when_it_varies),
	RUN(memory_has_its_totals_and_its_slopes),
	RUN(other_files_have_no_line),
	RUN(a_column_that_is_not_there_or_holds_text_is_refused),
	RUN(zeros_in_all_rows_mean_not_measured_where_no_measurement_is_zero),
)
