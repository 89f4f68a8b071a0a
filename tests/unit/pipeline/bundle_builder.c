/* bundle_builder.c - a recording and its bundle give the same output; a damaged bundle gives less, with warnings */
#include "bundled_pair.h"

#include "bundle/bundle.h"
#include "pipeline/bundle_builder.h"

TEST(a_bundle_says_what_the_recording_said_and_needs_none_of_its_files)
{
	static const struct hd_pipeline_opts rows[] = {
		{ .strict = false }, { .lines = true }, { .no_inline = true }, { .full_names = true }, { .threads = 1 },
		{ .threads = 2 }, { .strict = true },
		{ .select.no_kernel = true }, { .select.strip_version = true }, { .no_symbols = true },
		{ .select.weight = HD_WEIGHT_SAMPLES },
		{ .select.time = "2,4" },
	};
	struct image im = side_band();
	struct pair p;
	char *map, *said;

	five_samples(&im);
	p = bundled(&im);
	EXPECT_INT(p.stats.with_symbols, 1);
	map = in_dir(p.at.dir, "tmp/perf-10.map");
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		struct hd_pipeline_opts opts = rows[i];

		opts.symfs = p.at.dir;
		expect_law_without(p.at.path, opts, (const char *const[]){ map, NULL });
	}
	said = told(p.at.path, (struct hd_pipeline_opts){ .symfs = p.at.dir });
	EXPECT(strstr(said, "work"));
	free(said);
	free(map);
	pair_release(&p);
	hd_buf_release(&im.b);
}

TEST(the_same_recording_makes_the_same_bundle)
{
	struct image im = side_band();
	struct pair a, b;

	five_samples(&im);
	a = bundled(&im);
	b = bundled(&im);
	/*
	 * The sizes differ a little, because the recordings are in different folders, whose names the bundle contains
	 * as sources of symbols.
	 */
	EXPECT_INT(a.bundle.len > b.bundle.len ? a.bundle.len - b.bundle.len < 20 : b.bundle.len - a.bundle.len < 20,
		1);
	EXPECT(hd_bundle_is(a.bundle.data, a.bundle.len));
	pair_release(&a);
	pair_release(&b);
	hd_buf_release(&im.b);
}

TEST(a_bundle_that_is_truncated_anywhere_reports_the_loss)
{
	struct image im = side_band();
	struct pair p;
	bool lost;

	five_samples(&im);
	p = bundled(&im);
	EXPECT_INT(kept(&p, p.bundle.data, p.bundle.len, &lost), 5);
	EXPECT(!lost);
	for (size_t n = 16; n < p.bundle.len; n += 3)
		EXPECT(kept(&p, p.bundle.data, n, &lost) < 0 || lost);
	EXPECT(kept(&p, p.bundle.data, p.bundle.len - 1, &lost) == 5 && lost);	/* cut inside the end mark */
	pair_release(&p);
	hd_buf_release(&im.b);
}

TEST(damaged_symbols_cost_names_and_no_sample)
{
	struct image im = side_band();
	struct pair p;
	struct hd_bundle *b;
	struct hd_log log = { 0 };
	uint64_t from, to;
	unsigned silent = 0;
	bool lost;
	char *path, *before, *after;

	five_samples(&im);
	p = bundled(&im);
	path = put_file(p.at.dir, "y.hdb", p.bundle.data, p.bundle.len);
	EXPECT_INT(hd_bundle_open(&b, hd_file_open(path, NULL), path, &log, NULL), 0);
	from = hd_bundle_find(b, HD_BUNDLE_SYMBOLS, NULL)->at;
	to = hd_bundle_find(b, HD_BUNDLE_RECORDING, NULL)->at - HD_BUNDLE_SECTION_HEAD;
	hd_bundle_close(b);
	EXPECT(from < to);
	before = told(path, (struct hd_pipeline_opts){ .strict = false });
	for (uint64_t i = from; i < to; i++) {
		p.bundle.data[i] ^= 0x10;
		EXPECT_INT(kept(&p, p.bundle.data, p.bundle.len, &lost), 5);
		silent += !lost;
		if (!lost) {	/* zstd ignores some bits, so the content must be unchanged */
			free(put_file(p.at.dir, "y.hdb", p.bundle.data, p.bundle.len));
			after = told(path, (struct hd_pipeline_opts){ .strict = false });
			EXPECT_STR(before, after);
			free(after);
		}
		p.bundle.data[i] ^= 0x10;
	}
	EXPECT(silent < 10);
	free(before);
	free(path);
	pair_release(&p);
	hd_buf_release(&im.b);
}

TEST(options_about_symbols_change_nothing_and_that_is_said)
{
	struct image im = side_band();
	struct pair p;
	struct hd_pipeline_opts opts = { .kallsyms = "/nowhere" };
	struct hd_profile *prof;
	char *path;

	five_samples(&im);
	p = bundled(&im);
	path = put_file(p.at.dir, "x.hdb", p.bundle.data, p.bundle.len);
	EXPECT_INT(hd_pipeline_read(&prof, path, &opts, NULL), 0);
	EXPECT(hd_log_find(&prof->log, "bundle.own-symbols"));
	EXPECT(!hd_log_find(&prof->log, "symbols.kallsyms"));
	hd_profile_free(prof);
	free(path);
	pair_release(&p);
	hd_buf_release(&im.b);
}

static void expect_refused(const char *path, const char *because)
{
	struct hd_bundle_builder_opts opts = { 0 };
	struct hd_bundle_builder_stats stats;
	struct hd_log log = { 0 };
	struct hd_outfile out;
	struct hd_err err = { 0 };

	hd_outfile_memory(&out);
	EXPECT_INT(hd_bundle_builder_run(&out, path, &opts, &stats, &log, &err), HD_EFORMAT);
	EXPECT(strstr(err.msg, because));
	hd_outfile_discard(&out);
	hd_log_release(&log);
}

TEST(an_input_that_needs_no_bundle_is_rejected)
{
	struct image im = side_band();
	struct pair p;
	char *path, *folded;

	five_samples(&im);
	p = bundled(&im);
	path = put_file(p.at.dir, "x.hdb", p.bundle.data, p.bundle.len);
	folded = put_file(p.at.dir, "x.folded", "a;b 1\n", 6);
	expect_refused(path, "is a bundle already");
	expect_refused(folded, "is no recording of perf's");
	free(path);
	free(folded);
	pair_release(&p);
	hd_buf_release(&im.b);
}

TEST_MAIN(RUN(a_bundle_says_what_the_recording_said_and_needs_none_of_its_files),
	RUN(the_same_recording_makes_the_same_bundle), RUN(a_bundle_that_is_truncated_anywhere_reports_the_loss),
	RUN(damaged_symbols_cost_names_and_no_sample), RUN(options_about_symbols_change_nothing_and_that_is_said),
	RUN(an_input_that_needs_no_bundle_is_rejected))
