/* grid.c - compute the values of a grid, and judge its criteria */
#include "bench/grid.h"
#include "../tmpdir.h"

#include <math.h>

#define SETTINGS	"setting,lambda,tau,status,run\n"
#define LATENCY		"sample_id,wall_time_us,kernel_time_us,seq_len\n"
#define MEMORY		"timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes\n"

static int parse(struct hd_grid *g, const char *text, struct hd_err *err)
{
	char *copy = hd_strdup(text);
	int rc;

	*g = (struct hd_grid){ 0 };
	*err = (struct hd_err){ 0 };
	rc = hd_grid_parse_settings(g, copy, strlen(copy), "settings.csv", err);
	free(copy);
	return rc;
}

/* Return a grid with the settings in `text`.  No values are read; the caller sets them. */
static struct hd_grid grid_of(const char *text)
{
	struct hd_grid g;
	struct hd_err err;

	EXPECT_INT(parse(&g, text, &err), 0);
	return g;
}

TEST(the_baseline_comes_first_and_the_others_keep_their_order)
{
	struct hd_grid g = grid_of(SETTINGS "b,0.5,8,ok,20261124T000000Z-x\nbaseline,,,ok,\na,0.1,16,failed,\n");

	EXPECT_INT(g.n, 3);
	EXPECT_STR(g.settings[0].name, "baseline");
	EXPECT_STR(g.settings[1].name, "b");
	EXPECT_STR(g.settings[2].name, "a");
	EXPECT(isnan(g.settings[0].lambda) && g.settings[1].lambda == 0.5 && g.settings[2].tau == 16);
	EXPECT(hd_grid_setting_is_ok(&g.settings[1]) && !hd_grid_setting_is_ok(&g.settings[2]));
	hd_grid_release(&g);
}

TEST(names_that_lead_out_of_the_folder_are_rejected)
{
	static const char *const names[] = { "../x", "a/b", ".x", "-x", "", "a b", "a\tb" };

	for (size_t i = 0; i < HD_COUNT(names); i++) {
		struct hd_buf text = { 0 };
		struct hd_grid g;
		struct hd_err err;

		hd_buf_addf(&text, SETTINGS "baseline,,,ok,\n%s,1,1,ok,\n", names[i]);
		EXPECT_INT(parse(&g, text.data, &err), HD_EFORMAT);
		EXPECT_STR(err.msg, "settings.csv: line 3: invalid setting, status or run");
		hd_buf_release(&text);
	}
}

TEST(invalid_lists_are_rejected_with_their_line)
{
	static const struct { const char *text, *why; } lists[] = {
		{ "a,b\n", "settings.csv: line 1: the header is not setting,lambda,tau,status,run" },
		{ SETTINGS "baseline,,,ok\n", "settings.csv: line 2: not a row of 5 cells" },
		{ SETTINGS "baseline,,,fine,\n", "settings.csv: line 2: invalid setting, status or run" },
		{ SETTINGS "baseline,,,ok,\nbaseline,,,ok,\n", "settings.csv: line 3: setting baseline occurs twice" },
		{ SETTINGS "baseline,nan,,ok,\n", "settings.csv: line 2: lambda and tau must be numbers" },
		{ SETTINGS "a,1,1,ok,\n", "settings.csv: no setting is named 'baseline'" },
		{ "", "settings.csv: no setting is named 'baseline'" },
	};

	for (size_t i = 0; i < HD_COUNT(lists); i++) {
		struct hd_grid g;
		struct hd_err err;

		EXPECT_INT(parse(&g, lists[i].text, &err), HD_EFORMAT);
		EXPECT_STR(err.msg, lists[i].why);
		EXPECT(!g.settings);
	}
}

static void put(const char *dir, const char *name, const char *text)
{
	free(put_file(dir, name, text, strlen(text)));
}

static char *small_folder(const char *settings)
{
	char *dir = tmpdir();
	struct hd_buf csv = { 0 };

	hd_buf_addf(&csv, "%s/csv", dir);
	EXPECT(mkdir(csv.data, 0700) == 0);
	hd_buf_release(&csv);
	put(dir, "settings.csv", settings);
	put(dir, "csv/baseline.csv", LATENCY "0,100,90,64\n1,200,180,64\n2,100,90,64\n3,100,90,64\n");
	put(dir, "csv/baseline-memory.csv",
		MEMORY "1,4000,1000,0,0\n2,8000,3000,0,0\n3,4000,1000,0,0\n4,4000,3000,0,0\n");
	return dir;
}

TEST(values_are_those_of_the_definitions)
{
	char *dir = small_folder(SETTINGS "baseline,,,ok,\na,0.5,8,ok,\n");
	struct hd_grid g = { 0 };
	struct hd_log log = { 0 };
	struct hd_err err;
	const struct hd_grid_value *v;

	put(dir, "csv/a.csv", LATENCY "0,50,45,64\n1,150,140,64\n2,60,45,64\n3,50,45,64\n");
	put(dir, "csv/a-memory.csv", MEMORY "1,6000,500,0,0\n2,5000,500,0,0\n3,5000,500,0,0\n4,5000,500,0,0\n");
	put(dir, "csv/a-quality.csv", "coherence_delta,accuracy\n0.1,1\n0.3,0.5\n0.2,1\n0.2,0.5\n");
	EXPECT_INT(hd_grid_read(&g, dir, &log, &err), 0);
	v = g.settings[1].value;
	EXPECT(g.settings[1].samples == 4 && g.settings[1].p50_us == 50);
	EXPECT(v[HD_GRID_P95_LATENCY_US].v == 150 && v[HD_GRID_P95_CHANGE].v == -0.25);
	EXPECT(v[HD_GRID_KV_CACHE_REDUCTION].v == 0.75 && v[HD_GRID_PEAK_MEM_REDUCTION].v == 0.25);
	EXPECT(fabs(v[HD_GRID_COHERENCE_DELTA].v - 0.2) < 1e-15 && v[HD_GRID_ACCURACY].v == 0.75);
	EXPECT(v[HD_GRID_ACCURACY].ci.hi == 1);		/* a share cannot exceed 1 */
	EXPECT(v[HD_GRID_KV_CACHE_REDUCTION].ci.lo <= 0.75 && v[HD_GRID_KV_CACHE_REDUCTION].ci.hi >= 0.75);
	EXPECT(isnan(v[HD_GRID_PEAK_MEM_REDUCTION].ci.lo) && isnan(v[HD_GRID_ENERGY_REDUCTION].v));
	EXPECT(g.measured[HD_GRID_ACCURACY] && !g.measured[HD_GRID_ENERGY_REDUCTION]);
	v = g.settings[0].value;
	EXPECT(v[HD_GRID_P95_CHANGE].v == 0 && isnan(v[HD_GRID_P95_CHANGE].ci.lo));
	EXPECT(v[HD_GRID_KV_CACHE_REDUCTION].v == 0);
	hd_grid_release(&g);
	hd_log_release(&log);
	tmpdir_remove(dir);
}

TEST(energy_is_compared_per_sample)
{
	char *dir = small_folder(SETTINGS "baseline,,,ok,\na,0.5,8,ok,\n");
	struct hd_grid g = { 0 };
	struct hd_log log = { 0 };
	struct hd_err err;

	put(dir, "csv/baseline-power.csv", "timestamp_us,watts\n0,10\n1000000,10\n2000000,10\n");	/* 20 joules */
	put(dir, "csv/a.csv", LATENCY "0,50,45,64\n1,50,45,64\n");
	put(dir, "csv/a-power.csv", "timestamp_us,watts\n0,8\n1000000,8\n");				/* 8 joules */
	EXPECT_INT(hd_grid_read(&g, dir, &log, &err), 0);
	EXPECT(g.settings[0].joules == 5 && g.settings[1].joules == 4);
	EXPECT(fabs(g.settings[1].value[HD_GRID_ENERGY_REDUCTION].v - 0.2) < 1e-12);
	hd_grid_release(&g);
	hd_log_release(&log);
	tmpdir_remove(dir);
}

TEST(a_baseline_that_failed_is_no_baseline)
{
	char *dir = small_folder(SETTINGS "baseline,,,failed,\na,0.5,8,ok,\n");
	struct hd_grid g = { 0 };
	struct hd_log log = { 0 };
	struct hd_err err;

	EXPECT_INT(hd_grid_read(&g, dir, &log, &err), HD_ENOBASE);
	tmpdir_remove(dir);
}

TEST(files_with_lost_rows_or_another_form_are_rejected)
{
	static const char *const files[] = { LATENCY "0,50\n1,1,1,1\n", LATENCY "0,x,1,1\n1,2,1,1\n",
		MEMORY "1,2,3,4,5\n" };

	for (size_t i = 0; i < HD_COUNT(files); i++) {
		char *dir = small_folder(SETTINGS "baseline,,,ok,\na,0.5,8,ok,\n");
		struct hd_grid g = { 0 };
		struct hd_log log = { 0 };
		struct hd_err err;

		put(dir, "csv/a.csv", files[i]);
		EXPECT_INT(hd_grid_read(&g, dir, &log, &err), HD_EFORMAT);
		hd_log_release(&log);
		tmpdir_remove(dir);
	}
}

/* ---- criteria: judge() makes two settings, whose p95 latency changes by the shares a and b (NaN: not measured) */

static enum hd_grid_outcome judge(double a, double b, const char *status_of_b, bool need_one)
{
	struct hd_grid_criterion c = { .name = HD_GRID_P95_CHANGE, .at_most = true, .limit = 0.1 };
	const struct hd_grid_setting *one;
	struct hd_buf text = { 0 };
	enum hd_grid_outcome outcome;
	struct hd_grid g;

	hd_buf_addf(&text, SETTINGS "baseline,,,ok,\na,1,1,ok,\nb,1,2,%s,\n", status_of_b);
	g = grid_of(text.data);
	g.settings[1].value[HD_GRID_P95_CHANGE].v = a;
	g.settings[2].value[HD_GRID_P95_CHANGE].v = b;
	outcome = hd_grid_judge(&g, &c, 1, need_one, &one);
	EXPECT(!need_one || (outcome == HD_GRID_MET) == (one != NULL));
	hd_grid_release(&g);
	hd_buf_release(&text);
	return outcome;
}

TEST(a_criterion_is_met_by_every_setting_or_missed)
{
	EXPECT_INT(judge(0.1, -0.5, "ok", false), HD_GRID_MET);
	EXPECT_INT(judge(0.1, 0.11, "ok", false), HD_GRID_MISSED);
	EXPECT_INT(judge(0.1, NAN, "ok", false), HD_GRID_NOT_MEASURED);
	EXPECT_INT(judge(0.2, NAN, "ok", false), HD_GRID_MISSED);
	EXPECT_INT(judge(0.1, NAN, "failed", false), HD_GRID_INCOMPLETE);
	EXPECT_INT(judge(0.2, NAN, "skipped", false), HD_GRID_MISSED);
}

TEST(one_setting_is_enough_if_that_is_asked_for)
{
	EXPECT_INT(judge(0.1, 0.5, "ok", true), HD_GRID_MET);
	EXPECT_INT(judge(0.2, 0.5, "ok", true), HD_GRID_MISSED);
	EXPECT_INT(judge(0.1, NAN, "interrupted", true), HD_GRID_MET);
	EXPECT_INT(judge(0.2, NAN, "interrupted", true), HD_GRID_INCOMPLETE);
	EXPECT_INT(judge(0.2, NAN, "ok", true), HD_GRID_NOT_MEASURED);
}

TEST(one_setting_must_meet_all_criteria_not_each_of_them_another)
{
	struct hd_grid_criterion c[] = {
		{ .name = HD_GRID_P95_CHANGE, .at_most = true, .limit = 0 },
		{ .name = HD_GRID_ACCURACY, .limit = 0.9 },
	};
	struct hd_grid g = grid_of(SETTINGS "baseline,,,ok,\na,1,1,ok,\nb,1,2,ok,\n");
	const struct hd_grid_setting *one;

	g.settings[1].value[HD_GRID_P95_CHANGE].v = -0.5;
	g.settings[1].value[HD_GRID_ACCURACY].v = 0.5;
	g.settings[2].value[HD_GRID_P95_CHANGE].v = 0.5;
	g.settings[2].value[HD_GRID_ACCURACY].v = 1;
	EXPECT_INT(hd_grid_judge(&g, c, 2, true, &one), HD_GRID_MISSED);
	EXPECT(!one && c[0].outcome == HD_GRID_MET && c[1].outcome == HD_GRID_MET);
	g.settings[1].value[HD_GRID_ACCURACY].v = 0.9;
	EXPECT_INT(hd_grid_judge(&g, c, 2, true, &one), HD_GRID_MET);
	EXPECT(one == &g.settings[1]);
	hd_grid_release(&g);
}

TEST_MAIN(RUN(the_baseline_comes_first_and_the_others_keep_their_order),
	RUN(names_that_lead_out_of_the_folder_are_rejected), RUN(invalid_lists_are_rejected_with_their_line),
	RUN(values_are_those_of_the_definitions), RUN(energy_is_compared_per_sample),
	RUN(a_baseline_that_failed_is_no_baseline), RUN(files_with_lost_rows_or_another_form_are_rejected),
	RUN(a_criterion_is_met_by_every_setting_or_missed), RUN(one_setting_is_enough_if_that_is_asked_for),
	RUN(one_setting_must_meet_all_criteria_not_each_of_them_another))
