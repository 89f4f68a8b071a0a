/*
 * config.h - the canonical text and the fingerprint of a configuration
 *
 * Two configurations are equal if their canonical texts are.  The fingerprint is the SHA-256 of that text (UTF-8,
 * without a newline at its end).  The text has one of two forms:
 *
 *     struct   an object with exactly the keys of the table below: the text that Rust's serde_json writes for
 *              the struct, with the keys in this order and without blanks
 *     jcs      anything else: RFC 8785, with the keys sorted by their UTF-16 code units and numbers as ECMAScript
 *              prints them
 *
 *     KEY             IN THE FILE                       IN THE TEXT
 *     model_commit    string                            as is
 *     weights_hash    string                            as is
 *     lambda, eps     number within the f32 range       rounded once to f32, as ryu prints it
 *     tau             integer, 0..18446744073709551615  as is
 *     compiler_flags  string or array of strings        as is, order kept
 *
 * In both forms strings are written by hd_enc_json_canonical().  The order and spacing of the input do not matter.
 * HD_EFORMAT: invalid JSON (base/json.h), the six keys with other types or ranges, a number beyond the range of a
 * double, or a file of more than 4 MiB.
 */
#ifndef HD_HISTORY_CONFIG_H
#define HD_HISTORY_CONFIG_H

#include "base/buf.h"
#include "base/err.h"
#include "base/sha256.h"

#include <stddef.h>

struct hd_config {
	struct hd_buf text;		/* canonical */
	char sha256[HD_SHA256_HEX];
	const char *form;		/* "struct" or "jcs" */
};

/* Parse `len` bytes of JSON.  path is for messages.  The caller releases *c. */
int hd_config_parse(struct hd_config *c, const char *json, size_t len, const char *path, struct hd_err *err);
/* The same for a file; "-" is standard input. */
int hd_config_read(struct hd_config *c, const char *path, struct hd_err *err);
void hd_config_release(struct hd_config *c);

#endif
