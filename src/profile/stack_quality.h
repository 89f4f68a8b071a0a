/*
 * stack_quality.h - grade the quality of the stacks of a recording
 *
 *     grade   stacks without a gap           frames without a symbol
 *     good    at least 95 %             and  at most 5 %
 *     fair    at least 80 %             and  at most 20 %
 *     poor    otherwise, and if the recording has no call chains or stack copies
 *
 * A stack without a gap reaches its root and contains the caller of its innermost function
 * (hd_recording.caller_hidden).  It reaches its root as recorded (root_reached) or completed from another sample
 * (stitched_root).  Stacks that reach it through guessed frames do not count.
 *
 * Reason for the limits: the total of a function near the root is too small by the share of the stacks that end
 * before it.  At 95 % no total is off by more than 5 points.  At 80 % the order of totals is doubtful.  Below that a
 * flame graph shows roots that are not roots of the program.  Self cost does not depend on the grade.
 */
#ifndef HD_PROFILE_STACK_QUALITY_H
#define HD_PROFILE_STACK_QUALITY_H

#include "profile/recording.h"

enum hd_stack_grade {
	HD_STACK_GRADE_NONE,		/* there are neither records nor stacks with a known quality: folded text */
	HD_STACK_GRADE_POOR,
	HD_STACK_GRADE_FAIR,
	HD_STACK_GRADE_GOOD,
};

struct hd_stack_quality {
	enum hd_stack_grade grade;
	/* Percentages of the samples with a stack (hd_recording.with_stack): */
	double root_pct;	/* the stack reaches the root, as recorded or stitched */
	double stitched_pct;	/* the stack reaches the root because it was stitched */
	double whole_pct;	/* the stack has no gap */
	double unknown_pct;	/* percentage of the frames that have no symbol */
};

struct hd_stack_quality hd_stack_quality_of(const struct hd_recording *r);
const char *hd_stack_grade_word(enum hd_stack_grade grade); /* a constant; NULL for HD_STACK_GRADE_NONE */

#endif
