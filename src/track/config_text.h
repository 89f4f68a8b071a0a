/*
 * config_text.h - the canonical text of a configuration, from JSON
 *
 * Two configurations are equal if their canonical texts are.  The fingerprint of a configuration is the SHA-256 of the
 * text.  The program (history/config.h) and libhotdrift (hd_config_digest()) both use this function.
 *
 *     struct   an object with exactly the keys of the table below: the text that Rust's serde_json writes for
 *              the struct, with the keys in this order and without blanks
 *     jcs      anything else: RFC 8785, with the keys sorted by their UTF-16 code units and numbers as ECMAScript
 *              prints them
 *
 *     KEY             IN THE FILE                       IN THE TEXT
 *     model_commit    string                            as is
 *     weights_hash    string                            as is
 *     lambda, eps     number within the f32 range       rounded once to f32, as ryu or zmij prints it (decimal.h)
 *     tau             integer, 0..18446744073709551615  as is
 *     compiler_flags  string or array of strings        as is, order kept
 *
 * In both forms strings have the escapes \" \\ \b \f \n \r \t, \u00XX for other control characters, and no others.  The
 * order and spacing of the input do not matter, nor does the locale.
 *
 * The input is strict RFC 8259: UTF-8 without a byte order mark, no duplicate keys, no unpaired surrogates, at most
 * HD_CONFIG_BYTES_MAX bytes and HD_CONFIG_DEPTH_MAX nested arrays and objects.  base/json.h accepts the same texts up
 * to its own limits, and has messages for the others; tests/fuzz/fuzz_json.c compares the two readers.
 *
 * Thread-safe.  Not recursive, so that a small stack is sufficient.  Needs libc only.
 */
#ifndef HD_TRACK_CONFIG_TEXT_H
#define HD_TRACK_CONFIG_TEXT_H

#include "track/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { HD_CONFIG_BYTES_MAX = 4 << 20, HD_CONFIG_DEPTH_MAX = 512, HD_CONFIG_NUMBER_SHOWN = 41 };

struct hd_config_text {
	char *text;			/* owned by the caller, who frees it; NUL-terminated */
	size_t len;
	bool is_struct;
	/* If the result is HD_TRACK_INVALID: why.  If neither is set, the input is not valid JSON, or too large. */
	const char *key, *wanted;	/* constants: the member `key` of the struct must be `wanted` */
	char number[HD_CONFIG_NUMBER_SHOWN];	/* the beginning of a number beyond the range of a double */
};

/* Returns HD_TRACK_OK, INVALID or NOMEM.  Unless it is OK, out->text is NULL. */
int hd_config_text(struct hd_config_text *out, const char *json, size_t n, enum hd_float_form form);

#endif
