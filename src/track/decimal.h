/*
 * decimal.h - floating-point numbers as their shortest decimal text
 *
 * The functions write the shortest digits that read back as the same number.  If several texts of that length read back
 * as the number, they write the nearest one; an exact tie goes to the even digit.  The notations differ:
 *
 *     hd_num_es6     ECMAScript's Number::toString, which RFC 8785 requires:
 *                    1  0.000001  1e-7  100000000000000000000  1e+21, and 0 for -0
 *     hd_num_ryu32   Rust's ryu, with which serde_json writes an f32:
 *                    1.0  0.000001  1e-7  1000000000000.0  1e13  1.5e16  -0.0
 *     hd_num_zmij32  Rust's zmij, which serde_json uses since 1.0.147: as ryu, but
 *                    with a sign in positive exponents: 1e+13  1.5e+16
 *
 * hd_num_es6() writes the floating-point numbers of JSON and CSV output that are not
 * rounded on purpose.  Their text then depends on no library, and JSON.stringify() of
 * JavaScript writes the same.
 *
 * Needs: LC_NUMERIC "C" in the calling thread.
 */
#ifndef HD_TRACK_DECIMAL_H
#define HD_TRACK_DECIMAL_H

enum { HD_NUM_TEXT = 40 };	/* bytes, with the NUL; the longest are 26 */

/* Write v as described above.  If v is not finite, each function writes "null", as JSON.stringify() does. */
void hd_num_es6(double v, char out[HD_NUM_TEXT]);
void hd_num_ryu32(float v, char out[HD_NUM_TEXT]);
void hd_num_zmij32(float v, char out[HD_NUM_TEXT]);

#endif
