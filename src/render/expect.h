/*
 * expect.h - what was declared and what was measured, as text, Markdown or JSON
 *
 * JSON: {"format":"hotdrift.expect","version":1,"verdict":"PASS|FAIL","input","file","event","unit","weight","samples","tolerance",
 * "violated","rows":[{"line","tier","measure":"self|total","name","glob","at_least","at_most","strict":bool,"measured_pct",
 * "functions","worst","verdict":"ok|near|violated"}]}; an open end is null.
 */
#ifndef HD_RENDER_EXPECT_H
#define HD_RENDER_EXPECT_H

#include "base/buf.h"
#include "gate/expect.h"
#include "profile/profile.h"

struct hd_expect_report {
	const struct hd_expect *e;
	const struct hd_expect_result *results;
	size_t violated;
	const char *input, *file;		/* raw bytes; file NULL: the database */
	const char *event, *unit;
	uint64_t weight, samples;
	bool rest;				/* functions below 0.01 % are not told apart */
};

void hd_expect_text(struct hd_buf *out, const struct hd_expect_report *w, bool markdown);
void hd_expect_json(struct hd_buf *out, const struct hd_expect_report *w);

#endif
