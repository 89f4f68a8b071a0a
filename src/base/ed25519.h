/*
 * ed25519.h - signatures by Ed25519 (RFC 8032), made and checked by libcrypto
 *
 * A key is a PEM file as `openssl genpkey -algorithm ed25519` and `openssl pkey -pubout` write it.  Whoever has the private
 * key signs; the public key checks signatures and cannot make any.
 */
#ifndef HD_BASE_ED25519_H
#define HD_BASE_ED25519_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HD_ED25519_PUBLIC = 32, HD_ED25519_SIGNATURE = 64 };	/* bytes */

struct hd_ed25519;

/* Is this text PEM at all? */
bool hd_ed25519_is_pem(const char *text, size_t n);
/* The key of a PEM text, private or public; the caller owns it.  path is for messages.  Anything else is HD_EFORMAT. */
int hd_ed25519_read(struct hd_ed25519 **out, const char *text, size_t n, const char *path, struct hd_err *err);
void hd_ed25519_free(struct hd_ed25519 *k);			/* accepts NULL */

bool hd_ed25519_can_sign(const struct hd_ed25519 *k);		/* is it a private key? */
void hd_ed25519_public(const struct hd_ed25519 *k, uint8_t public_key[HD_ED25519_PUBLIC]);
/* k must be a private key. */
void hd_ed25519_sign(const struct hd_ed25519 *k, const void *p, size_t n, uint8_t signature[HD_ED25519_SIGNATURE]);
bool hd_ed25519_holds(const struct hd_ed25519 *k, const void *p, size_t n,
	const uint8_t signature[HD_ED25519_SIGNATURE]);

#endif
