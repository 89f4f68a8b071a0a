/*
 * sha256.c - see sha256.h
 *
 * libcrypto 3.0 crashes if an allocation fails while it initialises, so it is given allocation functions that do not
 * return NULL.  It must not read its configuration file either, which may load modules.
 */
#include "base/sha256.h"

#include "base/hex.h"
#include "base/mem.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>

struct hd_sha256 {
	EVP_MD_CTX *ctx;
};

static void *allocate(size_t n, const char *file, int line)
{
	(void)file, (void)line;
	return hd_alloc(n);
}

static void *reallocate(void *p, size_t n, const char *file, int line)
{
	(void)file, (void)line;
	if (n)
		return hd_realloc(p, n, 1);
	free(p);
	return NULL;
}

static void release(void *p, const char *file, int line)
{
	(void)file, (void)line;
	free(p);
}

void hd_crypto_begin(void)
{
	CRYPTO_set_mem_functions(allocate, reallocate, release);	/* fails after the first call */
	/*
	 * Without NO_ATEXIT, OpenSSL's exit handler would allocate memory, which may fail after the
	 * output was written.
	 */
	OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, NULL);
}

static void check(int ok)
{
	if (ok != 1)
		hd_out_of_memory("libcrypto");
}

struct hd_sha256 *hd_sha256_new(void)
{
	struct hd_sha256 *h = hd_new(struct hd_sha256);

	hd_crypto_begin();
	h->ctx = EVP_MD_CTX_new();
	check(h->ctx && EVP_DigestInit_ex2(h->ctx, EVP_sha256(), NULL));
	return h;
}

void hd_sha256_add(struct hd_sha256 *h, const void *p, size_t n)
{
	check(EVP_DigestUpdate(h->ctx, p, n));
}

void hd_sha256_end(struct hd_sha256 *h, uint8_t sum[HD_SHA256_BYTES])
{
	check(EVP_DigestFinal_ex(h->ctx, sum, NULL));
	EVP_MD_CTX_free(h->ctx);
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

void hd_hmac_sha256_hex(const void *key, size_t key_len, const void *p, size_t n, char hex[HD_SHA256_HEX])
{
	uint8_t sum[HD_SHA256_BYTES];
	unsigned char *mac;

	hd_crypto_begin();
	mac = EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, key_len ? key : "", key_len, p, n, sum, sizeof(sum), NULL);
	check(mac != NULL);
	hd_hex(sum, sizeof(sum), hex);
}

bool hd_equal_constant_time(const void *a, const void *b, size_t n)
{
	return CRYPTO_memcmp(a, b, n) == 0;
}

void hd_wipe(void *p, size_t n)
{
	OPENSSL_cleanse(p, n);
}
