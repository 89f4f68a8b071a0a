/*
 * number.h - binary numbers as their shortest decimal text
 *
 * The shortest digits that read back as the same number, and among those the
 * ones nearest to it (an exact tie goes to the even digit), in two notations:
 *
 *     hd_num_es6     ECMAScript's Number::toString, which RFC 8785 asks for:
 *                    1  0.000001  1e-7  100000000000000000000  1e+21, and 0 for -0
 *     hd_num_ryu32   Rust's ryu, which serde_json writes an f32 with:
 *                    1.0  0.000001  1e-7  1000000000000.0  1e13  1.5e16  -0.0
 *
 * Needs: LC_NUMERIC "C" (the program never calls setlocale).
 */
#ifndef HD_STORE_NUMBER_H
#define HD_STORE_NUMBER_H

enum { HD_NUM_TEXT = 40 };	/* bytes, with the NUL; the longest are 26 */

/* v is finite. */
void hd_num_es6(double v, char out[HD_NUM_TEXT]);
void hd_num_ryu32(float v, char out[HD_NUM_TEXT]);

#endif
