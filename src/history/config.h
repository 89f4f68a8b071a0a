/*
 * config.h - compute the canonical text and the fingerprint of a configuration
 *
 * Two configurations are equal if their canonical texts are.  track/config_text.h describes the texts.  The fingerprint
 * is the SHA-256 of the text (UTF-8, without a newline at its end).
 *
 * HD_EFORMAT: the JSON is invalid (base/json.h), one of the six keys of form "struct" (track/config_text.h) has a wrong
 * type or an invalid value, a number exceeds the range of a double, or the file has more than 4 MiB.
 */
#ifndef HD_HISTORY_CONFIG_H
#define HD_HISTORY_CONFIG_H

#include "base/buf.h"
#include "base/err.h"
#include "base/sha256.h"
#include "track/status.h"

#include <stddef.h>

struct hd_config {
	struct hd_buf text;		/* canonical */
	char sha256[HD_SHA256_HEX];
	const char *form;		/* "struct" or "jcs" */
};

/*
 * Parse `len` bytes of JSON.  In the canonical text, floats are written as by ryu.  path is for messages.  The caller
 * releases *c, except on failure.
 */
int hd_config_parse(struct hd_config *c, const char *json, size_t len, const char *path, struct hd_err *err);
/* Read and parse a file; "-" is standard input.  Otherwise like hd_config_parse(). */
int hd_config_read(struct hd_config *c, const char *path, struct hd_err *err);
/* Like hd_config_read(), but write floats in another form.  The fingerprints in the database use ryu's form only. */
int hd_config_read_as(struct hd_config *c, const char *path, enum hd_float_form form, struct hd_err *err);
void hd_config_release(struct hd_config *c);

#endif
