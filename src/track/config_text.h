/*
 * config_text.h - the canonical text of a configuration, from JSON
 *
 * Two configurations are equal if their canonical texts are.  The fingerprint of a configuration is the SHA-256 of the
 * text.  The program (history/config.h) and libhotdrift (hd_config_digest()) both use hd_config_text().
 *
 * There are two forms of the text:
 *
 *     struct   if the input is an object with exactly the keys of the table below: the text that Rust's serde_json
 *              writes for a struct with the fields model_commit, weights_hash, lambda, tau, eps, compiler_flags, in
 *              this order and without blanks
 *     jcs      for any other input: RFC 8785, with the keys sorted by their UTF-16 code units and numbers as ECMAScript
 *              prints them
 *
 *     KEY             IN THE FILE                       IN THE TEXT
 *     model_commit    string                            as is
 *     weights_hash    string                            as is
 *     lambda, eps     number within the f32 range       rounded once to f32, as ryu or zmij prints it (decimal.h)
 *     tau             integer, 0..18446744073709551615  as is
 *     compiler_flags  string or array of strings        as is, order kept
 *
 * In both forms strings have the escapes \" \\ \b \f \n \r \t, \u00XX for the other bytes below 0x20, and no others.
 * The order of the keys in the input and the blanks between its values do not matter, nor does the locale.
 *
 * The input is strict RFC 8259: UTF-8 without a byte order mark, no duplicate keys, no unpaired surrogates, at most
 * HD_CONFIG_BYTES_MAX bytes and HD_CONFIG_DEPTH_MAX nested arrays and objects (config_values.h).  base/json.h accepts
 * the same texts within its own limits, and has an error message for each text that it rejects; tests/fuzz/fuzz_json.c
 * compares the readers.
 *
 * Thread-safe.  Not recursive, so that a small stack is sufficient.  Needs libc only.
 */
#ifndef HD_TRACK_CONFIG_TEXT_H
#define HD_TRACK_CONFIG_TEXT_H

#include "track/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { HD_CONFIG_BYTES_MAX = 4 << 20, HD_CONFIG_NUMBER_SHOWN = 41 };

struct hd_config_text {
	char *text;			/* owned by the caller, who frees it; NUL-terminated */
	size_t len;
	bool is_struct;
	/*
	 * After HD_TRACK_INVALID, the reason is shown by `key` together with `wanted`, or by `number` alone.  If none
	 * of them is set, the input is not valid JSON, is too large, or is nested too deeply.
	 */
	const char *key, *wanted;	/* constants: member `key` must be of the form `wanted` */
	char number[HD_CONFIG_NUMBER_SHOWN];	/* the beginning of a number beyond the range of a double */
};

/*
 * Convert a JSON text to the canonical text of the configuration.  Returns HD_TRACK_OK, INVALID or NOMEM.  Unless it
 * returns OK, out->text is NULL.
 */
int hd_config_text(struct hd_config_text *out, const char *json, size_t n, enum hd_float_form form);

#endif
