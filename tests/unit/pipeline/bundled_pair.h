/* bundled_pair.h - make a synthetic recording and its bundle */
#ifndef TESTS_UNIT_PIPELINE_PAIR_H
#define TESTS_UNIT_PIPELINE_PAIR_H

#include "recording.h"

/* A recording with its symbols, and the result of `hotdrift bundle`. */
struct pair {
	struct place at;
	struct hd_buf bundle;
	struct hd_bundle_builder_stats stats;
};

static inline struct pair bundled(struct image *im)
{
	struct pair p = { .at = place_of(im) };

	p.bundle = bundle_of(p.at.path, &(struct hd_pipeline_opts){ .symfs = p.at.dir }, &p.stats);
	return p;
}

static inline void pair_release(struct pair *p)
{
	place_release(&p->at);
	hd_buf_release(&p->bundle);
}

/*
 * Return the number of samples of a bundle with these n bytes, or -1 if it is rejected.  *lost is true if a warning
 * about losses was given.
 */
static inline long kept(const struct pair *p, const char *bytes, size_t n, bool *lost)
{
	char *path = put_file(p->at.dir, "x.hdb", bytes, n);
	struct hd_pipeline_opts opts = { 0 };
	struct hd_err err = { 0 };
	struct hd_profile *prof;
	long answer = -1;

	*lost = false;
	if (hd_pipeline_read(&prof, path, &opts, &err) >= 0) {
		expect_sums(prof);
		answer = (long)prof->kept;
		for (size_t i = 0; i < prof->log.n; i++)
			*lost |= !strncmp(prof->log.items[i].code, "lost.", 5);
	} else {
		EXPECT(strstr(err.msg, "x.hdb"));
	}
	hd_profile_free(prof);
	free(path);
	return answer;
}

#endif
