/*
 * glob.h - patterns with * ? [a-z] [!a-z], and \ to quote the next byte
 *
 * Matching works on bytes.  A star backtracks at most once per byte of the text, so matching takes at most the product
 * of both lengths.  A [ without ] matches itself.
 */
#ifndef HD_BASE_GLOB_H
#define HD_BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

bool hd_glob(const char *pattern, size_t np, const char *text, size_t n);

#endif
