/*
 * glob.h - match texts against patterns with * ? [a-z] [!a-z] [^a-z], and \ to quote the next byte
 *
 * hd_glob() returns true if the pattern matches the whole text, byte by byte.  A [ without ] matches itself.  Inside of
 * [ ], a backslash is an ordinary byte, and a ] that comes first is a member of the set.  A star backtracks at most
 * once per byte of the text, so the number of steps is at most the product of both lengths.
 */
#ifndef HD_BASE_GLOB_H
#define HD_BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

bool hd_glob(const char *pattern, size_t np, const char *text, size_t n);

#endif
