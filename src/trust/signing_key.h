/*
 * signing_key.h - read the keys that sign the heads of chains (anchor.h)
 *
 * A key file contains an Ed25519 key in PEM form, private or public (base/ed25519.h).  Any other file is a secret of 16
 * to 4096 bytes; a line end after them is ignored.  The id of a key pair is the start of the SHA-256 of the public key.
 * The id of a secret is the start of an HMAC with this secret as the key.  The id is stored in each anchor; it
 * distinguishes an anchor made with another key from an altered anchor.
 */
#ifndef HD_TRUST_SIGNING_KEY_H
#define HD_TRUST_SIGNING_KEY_H

#include "base/ed25519.h"
#include "base/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HD_SIGNING_KEY_MIN = 16, HD_SIGNING_KEY_MAX = 4096, HD_SIGNING_KEY_ID = 17 };

struct hd_signing_key {
	uint8_t bytes[HD_SIGNING_KEY_MAX];	/* the secret, n bytes */
	size_t n;
	struct hd_ed25519 *pair;	/* the key pair; NULL: the key is a secret */
	char id[HD_SIGNING_KEY_ID];
};

/*
 * Read a key file, or standard input for "-".  Returns HD_EFORMAT if the file is not a key, or if its mode lets
 * all users read or write a private key or secret.  If it lets the group do so, the function warns ("key.readable").
 * to_sign: return HD_EUSAGE for a public key.
 */
int hd_signing_key_read(struct hd_signing_key *k, const char *path, bool to_sign, struct hd_log *log,
	struct hd_err *err);
/* Set the key *k from the n bytes of a key file.  path: the name of the file in messages. */
int hd_signing_key_set(struct hd_signing_key *k, const void *bytes, size_t n, const char *path, struct hd_err *err);
bool hd_signing_key_can_sign(const struct hd_signing_key *k);
void hd_signing_key_release(struct hd_signing_key *k);		/* frees the key and overwrites a secret */

#endif
