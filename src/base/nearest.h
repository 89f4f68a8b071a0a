/*
 * nearest.h - find the candidate that is most similar to a misspelt word: "did you mean"
 *
 *     struct hd_nearest n = hd_nearest_to("histroy");
 *     for (each command)
 *             hd_nearest_try(&n, command->name);
 *     hd_nearest_hint(&n)		"; did you mean 'history'?", or "" if no candidate is close
 *
 * The distance is the number of inserted, deleted, replaced and swapped characters (optimal string alignment), ignoring
 * case.  A candidate is close if the distance is at most a third of its length, rounded up, and less than its length.
 * Of equally close candidates the first wins.  Words longer than HD_NEAREST_MAX bytes are never close.
 */
#ifndef HD_BASE_NEAREST_H
#define HD_BASE_NEAREST_H

#include <stddef.h>

enum { HD_NEAREST_MAX = 128 };

struct hd_nearest {
	const char *word;
	char best[HD_NEAREST_MAX + 1];		/* "": no candidate was close */
	char hint[2 * HD_NEAREST_MAX];		/* storage of hd_nearest_hint() */
	size_t distance;
};

/* Return the distance between `a` and `b`; SIZE_MAX if one of them is longer than HD_NEAREST_MAX. */
size_t hd_nearest_distance(const char *a, const char *b);

struct hd_nearest hd_nearest_to(const char *word);
void hd_nearest_try(struct hd_nearest *n, const char *candidate);
/* Return the hint; the string belongs to `n`. */
const char *hd_nearest_hint(struct hd_nearest *n);

#endif
