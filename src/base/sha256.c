/*
 * sha256.c - see sha256.h
 */
#include "base/sha256.h"

#include "base/mem.h"

#include <assert.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct hd_sha256 {
	EVP_MD_CTX *ctx;
};

struct hd_sha256 *hd_sha256_new(void)
{
	struct hd_sha256 *h = hd_new(struct hd_sha256);
	int ok;

	h->ctx = EVP_MD_CTX_new();
	ok = h->ctx && EVP_DigestInit_ex(h->ctx, EVP_sha256(), NULL);
	if (!ok) {
		fputs("hotdrift: error: libcrypto has no memory, or no SHA-256\n", stderr);
		_exit(6);
	}
	return h;
}

void hd_sha256_add(struct hd_sha256 *h, const void *p, size_t n)
{
	EVP_DigestUpdate(h->ctx, p, n);
}

void hd_sha256_end(struct hd_sha256 *h, uint8_t sum[HD_SHA256_BYTES])
{
	unsigned int n = 0;

	EVP_DigestFinal_ex(h->ctx, sum, &n);
	assert(n == HD_SHA256_BYTES);
	EVP_MD_CTX_free(h->ctx);
	free(h);
}

void hd_sha256_hex(const void *p, size_t n, char hex[HD_SHA256_HEX])
{
	static const char digits[] = "0123456789abcdef";
	struct hd_sha256 *h = hd_sha256_new();
	uint8_t sum[HD_SHA256_BYTES];

	hd_sha256_add(h, p, n);
	hd_sha256_end(h, sum);
	for (size_t i = 0; i < sizeof(sum); i++) {
		hex[2 * i] = digits[sum[i] >> 4];
		hex[2 * i + 1] = digits[sum[i] & 15];
	}
	hex[HD_SHA256_HEX - 1] = '\0';
}
