/*
 * expect.h - print expectations next to the measured shares, as text, Markdown or JSON
 *
 * JSON: {"format":"hotdrift.expect","version":1,"verdict":"PASS|FAIL","input","file","event","unit","weight","samples",
 * "tolerance","violated","rows":[{"line","tier","measure":"self|total","name","glob","at_least","at_most",
 * "strict":bool,"measured_pct","functions","worst","verdict":"ok|near|violated"}]}
 *
 * at_least or at_most is null if the range has no such end.  strict: at least one bound of the range is exclusive.
 * near: outside of the range by no more than `tolerance` points.  worst: if the expectation is about all other
 * functions, the function that meets it least; else null.
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
	const char *input;		/* name of the input, raw bytes */
	/* path of the file with the expectations, raw bytes; NULL: the expectations come from the database */
	const char *file;
	const char *event, *unit;
	uint64_t weight, samples;
	/*
	 * true if the input has only the sum of its smallest functions (history/hotspot_rest.h), so that an expectation
	 * about one of them finds no function
	 */
	bool rest;
};

void hd_expect_text(struct hd_buf *out, const struct hd_expect_report *w, bool markdown);
void hd_expect_json(struct hd_buf *out, const struct hd_expect_report *w);

#endif
