/*
 * cmd_hash.c - hotdrift hash CONFIG.json
 */
#include "base/file.h"
#include "base/jsonw.h"
#include "cli/cmd.h"
#include "cli/stored.h"
#include "store/canonical.h"

#include <string.h>
#include <unistd.h>

struct hash_opts {
	bool canonical, json;
	const char *output;
};

static const struct hash_opts hash_defaults = { 0 };

static const struct hd_opt hash_opts[] = {
	{ HD_OPT_FLAG, 0, "canonical", NULL, "print the canonical text too, on a second line", offsetof(struct hash_opts, canonical) },
	{ HD_OPT_FLAG, 0, "json", NULL, "JSON, format hotdrift.hash", offsetof(struct hash_opts, json) },
	{ HD_OPT_STR, 'o', "output", "FILE", "write to FILE instead of standard output", offsetof(struct hash_opts, output) },
	{ 0 },
};

static void print_text(struct hd_buf *out, const struct hd_config *c, const struct hash_opts *o)
{
	hd_buf_addf(out, "%s\n", c->sha256);
	if (!o->canonical)
		return;
	/* To a file or a program byte for byte, so that sha256sum agrees; a terminal might obey some of it. */
	if (!o->output && isatty(STDOUT_FILENO))
		hd_stored_term(out, c->text.data, c->text.len);
	else
		hd_buf_add(out, c->text.data, c->text.len);
	hd_buf_addc(out, '\n');
}

static void print_json(struct hd_buf *out, const struct hd_config *c, const char *path)
{
	struct hd_jsonw w = hd_jsonw_to(out);
	struct hd_buf exact = { 0 };

	hd_stored_json(&exact, c->text.data, c->text.len);
	hd_jsonw_open(&w, NULL, '{');
	hd_jsonw_str(&w, "format", "hotdrift.hash");
	hd_jsonw_u64(&w, "version", 1);
	hd_jsonw_str(&w, "file", path);
	hd_jsonw_str(&w, "sha256", c->sha256);
	hd_jsonw_str(&w, "form", c->form);
	hd_jsonw_raw(&w, "canonical", exact.data);
	hd_jsonw_close(&w, '}');
	hd_buf_release(&exact);
}

static int hash_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct hash_opts *o = opts;
	struct hd_config c;
	struct hd_buf out = { 0 };
	int rc;

	rc = hd_config_read(&c, argv[0], err);
	if (rc < 0)
		return rc;
	if (o->json)
		print_json(&out, &c, argv[0]);
	else
		print_text(&out, &c, o);
	hd_config_release(&c);
	rc = hd_file_write(o->output, &out, err);
	hd_buf_release(&out);
	return rc;
}

const struct hd_cmd hd_cmd_hash = {
	.name = "hash", .args = "CONFIG.json", .summary = "fingerprint a configuration",
	.details =
		"Prints the SHA-256 of the configuration's canonical text, as 64 hexadecimal digits.  The order of keys and\n"
		"the spacing do not matter.  An object with exactly the keys model_commit, weights_hash, lambda, tau, eps and\n"
		"compiler_flags becomes the text that Rust's serde_json writes for that struct (lambda and eps as f32, tau as\n"
		"u64; compiler_flags a string or an array of strings); anything else becomes RFC 8785 (JCS).\n"
		"Duplicate keys, half surrogate pairs, numbers out of range and files over 4 MiB are refused (exit 5).\n"
		"'-' reads stdin.",
	.examples =
		"hotdrift hash config.json\tthe fingerprint that `add --config` stores\n"
		"hotdrift hash --canonical config.json\tand the text it is the SHA-256 of\n",
	HD_CMD_OPTS(hash_opts, hash_defaults), .min_args = 1, .max_args = 1, .run = hash_run,
};
