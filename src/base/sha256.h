/*
 * sha256.h - compute SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104) through libcrypto
 *
 * The first hash loads libcrypto (base/libcrypto.h).  If the machine does not have it, this ends the program.
 */
#ifndef HD_BASE_SHA256_H
#define HD_BASE_SHA256_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HD_SHA256_BYTES = 32, HD_SHA256_HEX = 65 };

struct hd_sha256;		/* a hash in progress */

struct hd_sha256 *hd_sha256_new(void);
void hd_sha256_add(struct hd_sha256 *h, const void *p, size_t n);
void hd_sha256_end(struct hd_sha256 *h, uint8_t sum[HD_SHA256_BYTES]);	/* frees h */

/* Hash n bytes; write 64 lower-case hexadecimal digits and a NUL. */
void hd_sha256_hex(const void *p, size_t n, char hex[HD_SHA256_HEX]);

/* Hash a file as hd_sha256_hex() does; *bytes is its size.  Fails as hd_file_open_regular() and hd_file_pread() do. */
int hd_sha256_file(const char *path, char hex[HD_SHA256_HEX], uint64_t *bytes, struct hd_err *err);

/* Write the HMAC-SHA-256 of n bytes under a key as 64 lower-case hexadecimal digits and a NUL. */
void hd_hmac_sha256_hex(const void *key, size_t key_len, const void *p, size_t n, char hex[HD_SHA256_HEX]);
/* Compare n bytes in a time that does not depend on their values.  Used for values derived from a secret. */
bool hd_equal_constant_time(const void *a, const void *b, size_t n);
/* Overwrite a secret; the compiler cannot remove this store. */
void hd_wipe(void *p, size_t n);

#endif
