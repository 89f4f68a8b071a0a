/*
 * stack_quality.c - see stack_quality.h
 */
#include "profile/stack_quality.h"

#include "profile/top.h"
#include "base/mem.h"

static const struct { enum hd_stack_grade grade; double whole_pct, unknown_pct; } grades[] = {
	{ HD_STACK_GRADE_GOOD, 95, 5 },
	{ HD_STACK_GRADE_FAIR, 80, 20 },
};

struct hd_stack_quality hd_stack_quality_of(const struct hd_recording *r)
{
	struct hd_stack_quality q = {
		.grade = r->with_stack || r->nrecords ? HD_STACK_GRADE_POOR : HD_STACK_GRADE_NONE,
		.root_pct = hd_share_pct(r->root_reached + r->stitched_root, r->with_stack),
		.whole_pct = hd_share_pct(r->root_reached + r->stitched_root - r->hidden_root, r->with_stack),
		.stitched_pct = hd_share_pct(r->stitched_root, r->with_stack),
		.unknown_pct = hd_share_pct(r->unknown_frames, r->frames),
	};

	for (size_t i = 0; r->with_stack && i < HD_COUNT(grades); i++) {
		if (q.whole_pct >= grades[i].whole_pct && q.unknown_pct <= grades[i].unknown_pct) {
			q.grade = grades[i].grade;
			break;
		}
	}
	return q;
}

const char *hd_stack_grade_word(enum hd_stack_grade grade)
{
	switch (grade) {
	case HD_STACK_GRADE_POOR: return "poor";
	case HD_STACK_GRADE_FAIR: return "fair";
	case HD_STACK_GRADE_GOOD: return "good";
	case HD_STACK_GRADE_NONE: break;
	}
	return NULL;
}
