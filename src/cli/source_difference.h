/*
 * source_difference.h - compare two profiles that operands name, for the commands diff and flame --base
 */
#ifndef HD_CLI_SOURCE_DIFFERENCE_H
#define HD_CLI_SOURCE_DIFFERENCE_H

#include "cli/profile_source.h"
#include "gate/difference.h"

/*
 * Build *d from two profiles.  The rows of symbols are whole functions, as in `top`, unless --inline is given.  If both
 * are stored runs, the changes of functions, their confidence intervals, and whether runs of another total are compared
 * as they are (`how->as_they_are`), are those of `gate`.  If gate does not compare these runs, a warning has its
 * reason.  The profiles must outlive *d, which the caller releases, also if the function fails.
 */
int hd_source_difference_build(struct hd_difference *d, const struct hd_profile_source *base,
	const struct hd_profile_source *head, const struct hd_difference_opts *how, const struct hd_input *in,
	struct hd_log *log, struct hd_err *err);

#endif
