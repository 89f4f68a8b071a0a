/*
 * fuzz_json.c - read any bytes as JSON, and as a configuration
 *
 * Invariants: a valid text can be walked; each number begins with a digit or '-'; the canonical text of a
 * configuration is its own canonical text; base/json.h and track/config_text.h accept the same texts.
 */
#include "base/json.h"
#include "history/config.h"
#include "track/config_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t walk(const struct hd_json *v)
{
	const struct hd_json *child;
	const char *key;
	size_t len, n = 1;

	switch (hd_json_kind(v)) {
	case HD_JSON_NUMBER:
		if (!strchr("-0123456789", hd_json_number(v)[0]) || !hd_json_number(v)[0])
			abort();
		break;
	case HD_JSON_STRING:
		if (strlen(hd_json_string(v, &len)) > len)
			abort();
		break;
	case HD_JSON_ARRAY:
		for (size_t i = 0; i < hd_json_count(v); i++)
			n += walk(hd_json_at(v, i));
		break;
	case HD_JSON_OBJECT:
		for (size_t i = 0; i < hd_json_count(v); i++) {
			child = hd_json_member(v, i, &key, &len);
			if (strlen(key) == len && hd_json_get(v, key) != child)
				abort();
			n += walk(child);
		}
		break;
	case HD_JSON_NULL:
	case HD_JSON_BOOL:
		break;
	}
	return n;
}

static void canonicalise(const char *text, size_t size)
{
	struct hd_config a, b;
	struct hd_err err;

	if (hd_config_parse(&a, text, size, "fuzz", &err) < 0)
		return;
	if (hd_config_parse(&b, a.text.data, a.text.len, "again", &err) < 0)
		abort();
	if (a.text.len != b.text.len || memcmp(a.text.data, b.text.data, a.text.len) || strcmp(a.sha256, b.sha256))
		abort();
	hd_config_release(&a);
	hd_config_release(&b);
}

/* Abort if track/ and base/ disagree on whether the text is JSON; base/ found it `valid`. */
static void compare_readers(const char *text, size_t size, bool valid)
{
	struct hd_config_text t;
	int rc = hd_config_text(&t, text, size, HD_FLOAT_ZMIJ);
	bool is_json = rc >= 0 || t.key || t.number[0];

	if (size <= HD_CONFIG_BYTES_MAX && is_json != valid)
		abort();
	free(t.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_json_doc *doc;
	struct hd_err err;
	bool valid = hd_json_parse(&doc, (const char *)data, size, "fuzz", &err) >= 0;

	compare_readers((const char *)data, size, valid);
	if (!valid) {
		if (err.code != HD_EFORMAT || !err.msg[0])
			abort();
		return 0;
	}
	if (walk(hd_json_root(doc)) == 0)
		abort();
	hd_json_free(doc);
	canonicalise((const char *)data, size);
	return 0;
}
