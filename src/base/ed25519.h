/*
 * ed25519.h - make and verify Ed25519 signatures (RFC 8032) through libcrypto
 *
 * A key is a PEM file as written by `openssl genpkey -algorithm ed25519` (private) or `openssl pkey -pubout` (public).
 * The private key signs and verifies; the public key only verifies.
 */
#ifndef HD_BASE_ED25519_H
#define HD_BASE_ED25519_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HD_ED25519_PUBLIC = 32, HD_ED25519_SIGNATURE = 64 };	/* bytes */

struct hd_ed25519;

/* Return true if the text begins with "-----BEGIN ", as every PEM text does. */
bool hd_ed25519_is_pem(const char *text, size_t n);
/*
 * Read a private or public key from a PEM text.  The caller owns *out.  `path` is for messages.  Returns HD_EFORMAT for
 * anything else, including encrypted keys.
 */
int hd_ed25519_read(struct hd_ed25519 **out, const char *text, size_t n, const char *path, struct hd_err *err);
void hd_ed25519_free(struct hd_ed25519 *k);			/* accepts NULL */

bool hd_ed25519_can_sign(const struct hd_ed25519 *k);		/* true for a private key */
void hd_ed25519_public(const struct hd_ed25519 *k, uint8_t public_key[HD_ED25519_PUBLIC]);
/* Sign n bytes; k must be a private key. */
void hd_ed25519_sign(const struct hd_ed25519 *k, const void *p, size_t n, uint8_t signature[HD_ED25519_SIGNATURE]);
/* Return true if `signature` is a valid signature of the n bytes.  A private key verifies like its public key. */
bool hd_ed25519_holds(const struct hd_ed25519 *k, const void *p, size_t n,
	const uint8_t signature[HD_ED25519_SIGNATURE]);

#endif
