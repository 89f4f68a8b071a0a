/*
 * sha256.c - see sha256.h
 *
 * The plain functions and not EVP: these allocate nothing and look for no
 * provider.  What EVP sets up when first asked for takes longer than most of
 * our sums, and crashes inside libcrypto 3.0 where memory ends meanwhile.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/sha256.h"

#include "base/hex.h"
#include "base/mem.h"

#include <openssl/sha.h>
#include <stdlib.h>

struct hd_sha256 {
	SHA256_CTX ctx;
};

struct hd_sha256 *hd_sha256_new(void)
{
	struct hd_sha256 *h = hd_new(struct hd_sha256);

	SHA256_Init(&h->ctx);
	return h;
}

void hd_sha256_add(struct hd_sha256 *h, const void *p, size_t n)
{
	SHA256_Update(&h->ctx, p, n);
}

void hd_sha256_end(struct hd_sha256 *h, uint8_t sum[HD_SHA256_BYTES])
{
	SHA256_Final(sum, &h->ctx);
	free(h);
}

void hd_sha256_hex(const void *p, size_t n, char hex[HD_SHA256_HEX])
{
	struct hd_sha256 *h = hd_sha256_new();
	uint8_t sum[HD_SHA256_BYTES];

	hd_sha256_add(h, p, n);
	hd_sha256_end(h, sum);
	hd_hex(sum, sizeof(sum), hex);
}
