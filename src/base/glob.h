/*
 * glob.h - patterns of * ? [a-z] [!a-z], \ before what is meant as it is
 *
 * Over bytes that may be anything.  A star goes back at most once for each byte of the text, so that no pattern
 * takes more than its length times the text's.  A [ without its ] is itself.
 */
#ifndef HD_BASE_GLOB_H
#define HD_BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

bool hd_glob(const char *pattern, size_t np, const char *text, size_t n);

#endif
