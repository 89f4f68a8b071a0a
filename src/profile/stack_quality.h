/*
 * stack_quality.h - how far a recording's stacks can be trusted, in one word
 *
 *     grade   stacks without a gap           frames without a symbol
 *     good    95 % and more                  5 % and less
 *     fair    80 % and more                  20 % and less
 *     poor    the others, and a recording without call chains and stack copies
 *
 * A stack without a gap reaches its root, and has the caller of its innermost function (hd_recording.caller_hidden).
 * A stack reaches its root by evidence (hd_recording.root_reached) or completed
 * from another sample (.stitched_root); one that got there through guessed
 * frames does not count.  Why these: the total of a function near the root is
 * too small by the share of the stacks that end before it, so that at 95 % no
 * total is off by more than 5 points; at 80 % the order of totals is
 * doubtful, and below a picture shows roots that are none.
 *
 * Self cost does not depend on it.
 */
#ifndef HD_PROFILE_STACK_QUALITY_H
#define HD_PROFILE_STACK_QUALITY_H

#include "profile/recording.h"

enum hd_stack_grade {
	HD_STACK_GRADE_NONE,		/* not a recording: folded text tells nothing of it */
	HD_STACK_GRADE_POOR,
	HD_STACK_GRADE_FAIR,
	HD_STACK_GRADE_GOOD,
};

struct hd_stack_quality {
	enum hd_stack_grade grade;
	double root_pct;	/* of with_stack: reach their root, stitched ones included; 0 without stacks */
	double stitched_pct;	/* of with_stack: of those, the stitched ones */
	double whole_pct;	/* of with_stack: without a gap */
	double unknown_pct;	/* of frames */
};

struct hd_stack_quality hd_stack_quality_of(const struct hd_recording *r);
const char *hd_stack_grade_word(enum hd_stack_grade grade); /* "good"; a constant, NULL for HD_STACK_GRADE_NONE */

#endif
