/*
 * signing_key.h - keys that sign the heads of chains (anchor.h)
 *
 * A key file is an Ed25519 key in PEM form, private or public (base/ed25519.h); any other file is a secret of 16 to 4096
 * bytes, without the line end after them.  The id of a pair of keys is the start of the SHA-256 of the public key, the id of a
 * secret is the start of an HMAC under it.  By its id another key is distinguished from an altered anchor.
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
	uint8_t bytes[HD_SIGNING_KEY_MAX];	/* of a secret */
	size_t n;
	struct hd_ed25519 *pair;	/* NULL: it is a secret */
	char id[HD_SIGNING_KEY_ID];
};

/*
 * Read a key file, or standard input for "-".  A private key or secret that the file's mode lets others read is HD_EFORMAT,
 * one that its group can read gets a warning ("key.readable").  to_sign: a public key is HD_EUSAGE.
 */
int hd_signing_key_read(struct hd_signing_key *k, const char *path, bool to_sign, struct hd_log *log,
	struct hd_err *err);
/* From the bytes of such a file. */
int hd_signing_key_set(struct hd_signing_key *k, const void *bytes, size_t n, const char *path, struct hd_err *err);
bool hd_signing_key_can_sign(const struct hd_signing_key *k);
void hd_signing_key_release(struct hd_signing_key *k);		/* frees it, and overwrites a secret */

#endif
