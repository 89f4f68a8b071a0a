/*
 * libcrypto.h - load libcrypto at the first call, and look up its functions
 *
 * Linking libcrypto would lengthen every start of the program by a third, and most commands do not hash.
 * Besides libcrypto.c, only sha256.c and ed25519.c include this.
 */
#ifndef HD_BASE_LIBCRYPTO_H
#define HD_BASE_LIBCRYPTO_H

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#define HD_LIBCRYPTO_FUNCTIONS(X)									\
	X(CRYPTO_set_mem_functions) X(OPENSSL_init_crypto) X(BIO_free) X(BIO_new_mem_buf)		\
	X(PEM_read_bio_PUBKEY) X(PEM_read_bio_PrivateKey)						\
	X(EVP_sha256) X(EVP_Q_mac) X(EVP_MD_CTX_new) X(EVP_MD_CTX_free)					\
	X(EVP_DigestInit_ex2) X(EVP_DigestUpdate) X(EVP_DigestFinal_ex)					\
	X(EVP_DigestSignInit) X(EVP_DigestSign) X(EVP_DigestVerifyInit) X(EVP_DigestVerify)		\
	X(EVP_PKEY_free) X(EVP_PKEY_get_id) X(EVP_PKEY_get_raw_public_key)

struct hd_libcrypto {
#define X(name) __typeof__(name) *name;
	HD_LIBCRYPTO_FUNCTIONS(X)
#undef X
};

/*
 * Return the functions.  The first call loads and configures the library.  If that is impossible, it prints an error
 * and ends the program with status 6, because a hash has no value that could mean "unknown".  Thread-safe.
 */
const struct hd_libcrypto *hd_libcrypto(void);

#endif
