/*
 * config.c - see config.h
 */
#include "history/config.h"

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "track/config_text.h"

#include <stdlib.h>
#include <unistd.h>

/* Fail with the reason why hd_config_text() rejected the text. */
static int fail_invalid(const struct hd_config_text *t, const char *json, size_t len, const char *path,
			struct hd_err *err)
{
	struct hd_json_doc *doc;
	int rc;

	if (t->key)
		return hd_fail(err, HD_EFORMAT, "%s: \"%s\" must be %s", path, t->key, t->wanted);
	if (t->number[0])
		return hd_fail(err, HD_EFORMAT, "%s: the number %.40s is beyond the range of a double", path,
			       t->number);
	rc = hd_json_parse(&doc, json, len, path, err);		/* sets the error message */
	if (rc < 0)
		return rc;
	hd_json_free(doc);
	return hd_fail(err, HD_EFORMAT, "%s: not valid JSON", path);
}

static int parse(struct hd_config *c, const char *json, size_t len, const char *path, enum hd_float_form form,
		 struct hd_err *err)
{
	struct hd_config_text t;
	int rc;

	*c = (struct hd_config){ 0 };
	if (len > HD_CONFIG_BYTES_MAX)
		return hd_fail(err, HD_EFORMAT, "%s: a configuration of %zu bytes; the limit is %d", path, len,
			HD_CONFIG_BYTES_MAX);
	rc = hd_config_text(&t, json, len, form);
	if (rc == HD_TRACK_NOMEM)
		hd_out_of_memory("hd_config_text");
	if (rc < 0)
		return fail_invalid(&t, json, len, path, err);
	hd_buf_add(&c->text, t.text, t.len);
	free(t.text);
	c->form = t.is_struct ? "struct" : "jcs";
	hd_sha256_hex(c->text.data, c->text.len, c->sha256);
	return 0;
}

int hd_config_parse(struct hd_config *c, const char *json, size_t len, const char *path, struct hd_err *err)
{
	return parse(c, json, len, path, HD_FLOAT_RYU, err);
}

int hd_config_read_as(struct hd_config *c, const char *path, enum hd_float_form form, struct hd_err *err)
{
	struct hd_buf json = { 0 };
	int fd = hd_file_open(path, err), rc;

	*c = (struct hd_config){ 0 };
	if (fd < 0)
		return fd;
	rc = hd_file_slurp(fd, path, HD_CONFIG_BYTES_MAX, &json, err);
	close(fd);
	if (rc >= 0)
		rc = parse(c, hd_buf_str(&json), json.len, path, form, err);
	hd_buf_release(&json);
	return rc;
}

int hd_config_read(struct hd_config *c, const char *path, struct hd_err *err)
{
	return hd_config_read_as(c, path, HD_FLOAT_RYU, err);
}

void hd_config_release(struct hd_config *c)
{
	hd_buf_release(&c->text);
	*c = (struct hd_config){ 0 };
}
