/*
 * sha256.c - see sha256.h
 */
#include "base/sha256.h"

#include "base/file.h"
#include "base/hex.h"
#include "base/libcrypto.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct hd_sha256 {
	const struct hd_libcrypto *lib;
	EVP_MD_CTX *ctx;
};

static void check(int ok)
{
	if (ok != 1)
		hd_out_of_memory("libcrypto");
}

struct hd_sha256 *hd_sha256_new(void)
{
	struct hd_sha256 *h = hd_new(struct hd_sha256);

	h->lib = hd_libcrypto();
	h->ctx = h->lib->EVP_MD_CTX_new();
	check(h->ctx && h->lib->EVP_DigestInit_ex2(h->ctx, h->lib->EVP_sha256(), NULL));
	return h;
}

void hd_sha256_add(struct hd_sha256 *h, const void *p, size_t n)
{
	check(h->lib->EVP_DigestUpdate(h->ctx, p, n));
}

void hd_sha256_end(struct hd_sha256 *h, uint8_t sum[HD_SHA256_BYTES])
{
	check(h->lib->EVP_DigestFinal_ex(h->ctx, sum, NULL));
	h->lib->EVP_MD_CTX_free(h->ctx);
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

int hd_sha256_file(const char *path, char hex[HD_SHA256_HEX], uint64_t *bytes, struct hd_err *err)
{
	enum { CHUNK = 1 << 16 };
	uint8_t sum[HD_SHA256_BYTES];
	struct hd_sha256 *h;
	char *chunk;
	ssize_t n;
	int fd = hd_file_open_regular(path, err);

	*bytes = 0;
	if (fd < 0)
		return fd;
	h = hd_sha256_new();
	chunk = hd_alloc(CHUNK);
	while ((n = hd_file_pread(fd, chunk, CHUNK, *bytes, path, err)) > 0) {
		hd_sha256_add(h, chunk, (size_t)n);
		*bytes += (uint64_t)n;
	}
	hd_sha256_end(h, sum);
	hd_hex(sum, sizeof(sum), hex);
	free(chunk);
	close(fd);
	return n < 0 ? (int)n : 0;
}

void hd_hmac_sha256_hex(const void *key, size_t key_len, const void *p, size_t n, char hex[HD_SHA256_HEX])
{
	uint8_t sum[HD_SHA256_BYTES];
	unsigned char *mac;

	mac = hd_libcrypto()->EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, key_len ? key : "", key_len, p, n, sum,
		sizeof(sum), NULL);
	check(mac != NULL);
	hd_hex(sum, sizeof(sum), hex);
}

bool hd_equal_constant_time(const void *a, const void *b, size_t n)
{
	const volatile uint8_t *x = a, *y = b;
	uint8_t differs = 0;

	for (size_t i = 0; i < n; i++)
		differs |= x[i] ^ y[i];
	return differs == 0;
}

void hd_wipe(void *p, size_t n)
{
	explicit_bzero(p, n);
}
