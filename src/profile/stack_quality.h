/*
 * stack_quality.h - the quality of the stacks of a recording, as a grade
 *
 *     grade   stacks without a gap           frames without a symbol
 *     good    at least 95 %                  at most 5 %
 *     fair    at least 80 %                  at most 20 %
 *     poor    otherwise, and without call chains and stack copies
 *
 * A stack without a gap reaches its root and has the caller of its innermost function (hd_recording.caller_hidden).  It
 * reaches its root as recorded (root_reached) or completed from another sample (stitched_root).  Stacks that reach it
 * through guessed frames do not count.
 *
 * Reason for the limits: the total of a function near the root is too small by the share of the stacks that end
 * before it.  At 95 % no total is off by more than 5 points.  At 80 % the order of totals is doubtful.  Below that a
 * flame graph shows roots that are not roots of the program.  Self cost does not depend on the grade.
 */
#ifndef HD_PROFILE_STACK_QUALITY_H
#define HD_PROFILE_STACK_QUALITY_H

#include "profile/recording.h"

enum hd_stack_grade {
	HD_STACK_GRADE_NONE,		/* not a recording: folded text has no stack quality */
	HD_STACK_GRADE_POOR,
	HD_STACK_GRADE_FAIR,
	HD_STACK_GRADE_GOOD,
};

struct hd_stack_quality {
	enum hd_stack_grade grade;
	double root_pct;	/* share of with_stack that reaches the root, stitched ones included */
	double stitched_pct;	/* the stitched ones among these, as a share of with_stack */
	double whole_pct;	/* share of with_stack without a gap */
	double unknown_pct;	/* share of frames without a symbol */
};

struct hd_stack_quality hd_stack_quality_of(const struct hd_recording *r);
const char *hd_stack_grade_word(enum hd_stack_grade grade); /* a constant; NULL for HD_STACK_GRADE_NONE */

#endif
