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

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

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

/* One of the two passes: the key, padded to a block and mixed with `pad`, then the bytes. */
static void hmac_pass(const uint8_t key[SHA256_CBLOCK], uint8_t pad, const void *p, size_t n,
	uint8_t sum[HD_SHA256_BYTES])
{
	uint8_t block[SHA256_CBLOCK];
	SHA256_CTX ctx;

	for (size_t i = 0; i < sizeof(block); i++)
		block[i] = key[i] ^ pad;
	SHA256_Init(&ctx);
	SHA256_Update(&ctx, block, sizeof(block));
	SHA256_Update(&ctx, p, n);
	SHA256_Final(sum, &ctx);
	hd_wipe(block, sizeof(block));
	hd_wipe(&ctx, sizeof(ctx));
}

void hd_hmac_sha256_hex(const void *key, size_t key_len, const void *p, size_t n, char hex[HD_SHA256_HEX])
{
	uint8_t block[SHA256_CBLOCK] = { 0 }, sum[HD_SHA256_BYTES];

	if (key_len > sizeof(block))
		SHA256(key, key_len, block);
	else if (key_len)
		memcpy(block, key, key_len);
	hmac_pass(block, 0x36, p, n, sum);
	hmac_pass(block, 0x5c, sum, sizeof(sum), sum);
	hd_hex(sum, sizeof(sum), hex);
	hd_wipe(block, sizeof(block));
}

bool hd_equal_constant_time(const void *a, const void *b, size_t n)
{
	return CRYPTO_memcmp(a, b, n) == 0;
}

void hd_wipe(void *p, size_t n)
{
	OPENSSL_cleanse(p, n);
}
