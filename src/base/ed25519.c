/*
 * ed25519.c - see ed25519.h
 */
#include "base/ed25519.h"

#include "base/libcrypto.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct hd_ed25519 {
	const struct hd_libcrypto *lib;
	EVP_PKEY *pair;
	bool can_sign;
};

static bool begins(const char *text, size_t n, const char *with)
{
	return n >= strlen(with) && !memcmp(text, with, strlen(with));
}

bool hd_ed25519_is_pem(const char *text, size_t n)
{
	return begins(text, n, "-----BEGIN ");
}

/* Do not prompt for the password of an encrypted key. */
static int no_password(char *buf, int size, int writing, void *arg)
{
	(void)buf, (void)size, (void)writing, (void)arg;
	return -1;
}

int hd_ed25519_read(struct hd_ed25519 **out, const char *text, size_t n, const char *path, struct hd_err *err)
{
	bool is_public = begins(text, n, "-----BEGIN PUBLIC KEY-----");
	const struct hd_libcrypto *lib;
	struct hd_ed25519 *k;
	EVP_PKEY *pair;
	BIO *bio;

	if (begins(text, n, "-----BEGIN ENCRYPTED"))
		return hd_fail(err, HD_EFORMAT,
			"%s: the key is encrypted: 'openssl pkey -in KEY -out PLAIN' decrypts it", path);
	lib = hd_libcrypto();
	bio = lib->BIO_new_mem_buf(text, (int)n);
	if (!bio)
		hd_out_of_memory("libcrypto");
	pair = is_public ? lib->PEM_read_bio_PUBKEY(bio, NULL, no_password, NULL)
			 : lib->PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);
	lib->BIO_free(bio);
	if (!pair || lib->EVP_PKEY_get_id(pair) != EVP_PKEY_ED25519) {
		lib->EVP_PKEY_free(pair);
		return hd_fail(err, HD_EFORMAT,
			"%s: a PEM file, but not an Ed25519 key of openssl: 'openssl genpkey -algorithm ed25519' makes "
			"one",
			path);
	}
	k = hd_new(struct hd_ed25519);
	k->lib = lib;
	k->pair = pair;
	k->can_sign = !is_public;
	*out = k;
	return 0;
}

void hd_ed25519_free(struct hd_ed25519 *k)
{
	if (!k)
		return;
	k->lib->EVP_PKEY_free(k->pair);
	free(k);
}

bool hd_ed25519_can_sign(const struct hd_ed25519 *k)
{
	return k->can_sign;
}

void hd_ed25519_public(const struct hd_ed25519 *k, uint8_t public_key[HD_ED25519_PUBLIC])
{
	size_t n = HD_ED25519_PUBLIC;

	if (k->lib->EVP_PKEY_get_raw_public_key(k->pair, public_key, &n) != 1)
		hd_out_of_memory("libcrypto");
}

static EVP_MD_CTX *context(const struct hd_libcrypto *lib)
{
	EVP_MD_CTX *ctx = lib->EVP_MD_CTX_new();

	if (!ctx)
		hd_out_of_memory("libcrypto");
	return ctx;
}

/* With a private Ed25519 key, signing can fail only for lack of memory. */
void hd_ed25519_sign(const struct hd_ed25519 *k, const void *p, size_t n, uint8_t signature[HD_ED25519_SIGNATURE])
{
	EVP_MD_CTX *ctx = context(k->lib);
	size_t len = HD_ED25519_SIGNATURE;

	if (k->lib->EVP_DigestSignInit(ctx, NULL, NULL, NULL, k->pair) != 1 ||
	    k->lib->EVP_DigestSign(ctx, signature, &len, p, n) != 1)
		hd_out_of_memory("libcrypto");
	k->lib->EVP_MD_CTX_free(ctx);
}

bool hd_ed25519_holds(const struct hd_ed25519 *k, const void *p, size_t n,
	const uint8_t signature[HD_ED25519_SIGNATURE])
{
	EVP_MD_CTX *ctx = context(k->lib);
	bool holds;

	if (k->lib->EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, k->pair) != 1)
		hd_out_of_memory("libcrypto");
	holds = k->lib->EVP_DigestVerify(ctx, signature, HD_ED25519_SIGNATURE, p, n) == 1;
	k->lib->EVP_MD_CTX_free(ctx);
	return holds;
}
