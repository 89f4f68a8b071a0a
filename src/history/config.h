/*
 * config.h - one text and one fingerprint for equal configurations
 *
 * Two configurations are the same when their canonical texts are; the
 * fingerprint is the SHA-256 of that text (UTF-8, no newline at its end).
 *
 *     struct   an object with exactly the keys of the table below becomes the
 *              text that Rust's serde_json writes for the struct: keys in this
 *              order, no spaces
 *     jcs      anything else becomes RFC 8785: keys sorted by their UTF-16 code
 *              units, numbers as ECMAScript prints the double they mean
 *
 *     KEY             IN THE FILE                       IN THE TEXT
 *     model_commit    string                            as is
 *     weights_hash    string                            as is
 *     lambda, eps     number within the f32 range       rounded once to f32, as ryu prints it
 *     tau             integer, 0..18446744073709551615  as is
 *     compiler_flags  string or array of strings        as is, order kept
 *
 * In both, strings are written with \b \t \n \f \r \" \\ and \u00xx for the
 * other controls, everything else raw.  The order and spacing of the input do
 * not matter.  Refused with HD_EFORMAT: what base/json.h refuses, the six keys
 * with other types or ranges, a number beyond the double range, and a file of more
 * than 4 MiB.
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

/* path: for the messages. */
int hd_config_parse(struct hd_config *c, const char *json, size_t len, const char *path, struct hd_err *err);
/* Of a file; "-" is stdin. */
int hd_config_read(struct hd_config *c, const char *path, struct hd_err *err);
void hd_config_release(struct hd_config *c);

#endif
