/*
 * quantity_text.h - numbers for people: rounded to about three significant digits, with a unit
 *
 *     hd_quantity_ns(t, 1234567)      "1.23 ms"
 *     hd_quantity_bytes(t, 3e6)       "2.86 MiB"
 *     hd_quantity_real(t, 0.04567)    "0.0457"
 *     hd_quantity_count(t, 1234567)   "1,234,567"
 *
 * Digits before the decimal point are all written: 123456 s is "123456 s".  The text does not depend on the locale of
 * the program, as that of the printf family would.  A number that is not finite is "-".  Each function returns `out`.
 */
#ifndef HD_TRACK_QUANTITY_TEXT_H
#define HD_TRACK_QUANTITY_TEXT_H

#include <stdint.h>

enum { HD_QUANTITY_TEXT = 48 };

char *hd_quantity_ns(char out[HD_QUANTITY_TEXT], double ns);
char *hd_quantity_bytes(char out[HD_QUANTITY_TEXT], double bytes);
char *hd_quantity_real(char out[HD_QUANTITY_TEXT], double v);
/* Write a whole number with separators.  A number of 1e15 or more is written like hd_quantity_real() does. */
char *hd_quantity_count(char out[HD_QUANTITY_TEXT], double v);
/* Write a number with one decimal, for percentages: "41.2". */
char *hd_quantity_tenths(char out[HD_QUANTITY_TEXT], double v);

#endif
