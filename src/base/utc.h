/* utc.h - UTC times as sortable text (2026-11-20T14:01:02Z), and parsers for seconds such as 12.345678 */
#ifndef HD_BASE_UTC_H
#define HD_BASE_UTC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HD_UTC_TEXT = 21 };	/* bytes, including the NUL */

int64_t hd_utc_now(void);				/* seconds since 1970 */
void hd_utc_text(int64_t secs, char out[HD_UTC_TEXT]);	/* clamped to the years 0000 to 9999 */
/* Parse a time of exactly the form 2026-11-20T14:01:02Z.  Returns 0, or -1 if the text is not a valid time. */
int hd_utc_parse(const char *text, int64_t *secs);

/*
 * Parse the n bytes "12.345678" as seconds with at most nine decimals, without sign and exponent.  Returns false if
 * invalid.
 */
bool hd_parse_seconds_ns(const char *s, size_t n, uint64_t *ns);
/*
 * Parse the range "A,B" of seconds.  An empty bound leaves its output unchanged.  Returns false if invalid or if A > B.
 */
bool hd_parse_seconds_range(const char *text, uint64_t *from_ns, uint64_t *to_ns);

#endif
