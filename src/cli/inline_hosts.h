/*
 * inline_hosts.h - explain why a function has no rows: it was inlined into other functions
 *
 *     into count_a (76.66%), count_b (22.94%)
 *
 * A profile that is read without inlined functions does not have the function at all.  So the recording is read again.
 */
#ifndef HD_CLI_INLINE_HOSTS_H
#define HD_CLI_INLINE_HOSTS_H

#include "cli/input.h"

struct hd_inline_hosts {
	char *name;		/* the first function that matches the pattern and was inlined; NULL: there is none */
	char *hottest;		/* the function that contains most of its cost */
	struct hd_buf text;	/* "into A (76.66%), B (22.94%)": shares of the first event with samples */
};

/*
 * Read the file `path` again, and find the functions that contain inlined copies of the functions that match `pattern`
 * (annotate/symbol_pattern.h).  self: count only samples that were taken in a copy, not those in its callees.  If
 * nothing is found, or the file cannot be read again, h->name is NULL.  The caller releases *h in all cases.
 */
void hd_inline_hosts_find(struct hd_inline_hosts *h, const char *path, const struct hd_input *in, const char *pattern,
	bool self);
void hd_inline_hosts_release(struct hd_inline_hosts *h);

#endif
