/*
 * digest.h - SHA-256 (FIPS 180-4) without libcrypto, for libhotdrift
 *
 * The program hashes with base/sha256.h, which uses libcrypto.  A test compares the two.
 */
#ifndef HD_TRACK_DIGEST_H
#define HD_TRACK_DIGEST_H

#include <stddef.h>

enum { HD_DIGEST_HEX = 65 };		/* bytes, with the NUL; equal to HD_DIGEST_TEXT of hotdrift.h */

/* Hash n bytes with SHA-256.  Write 64 lower-case hexadecimal digits and a NUL to `hex`. */
void hd_digest_sha256(const void *p, size_t n, char hex[HD_DIGEST_HEX]);

#endif
