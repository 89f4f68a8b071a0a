/*
 * cmd_hash.c - hotdrift hash CONFIG.json: the fingerprint of a configuration
 */
#include "base/file.h"
#include "base/jsonw.h"
#include "cli/cmd.h"
#include "cli/db_option.h"
#include "cli/input.h"
#include "render/stored_text.h"
#include "history/config_diff.h"

#include <string.h>
#include <unistd.h>

struct hash_opts {
	struct hd_db_option db;
	bool canonical, json, explain;
	int form;			/* enum hd_float_form */
	const char *output;
};

static const struct hash_opts hash_defaults = { 0 };

static const struct hd_opt hash_opts[] = {
	{ HD_OPT_FLAG, 0, "canonical", NULL, "also print the canonical text, on a second line",
		offsetof(struct hash_opts, canonical) },
	{ HD_OPT_FLAG, 0, "explain", NULL, "list the fields in which two configurations, A and B, differ",
		offsetof(struct hash_opts, explain) },
	{ HD_OPT_ENUM, 0, "float", "ryu|zmij", "write lambda and eps as serde_json does before 1.0.147 (ryu, the "
		"default) "
		"or since (zmij)", offsetof(struct hash_opts, form) },
	HD_ROW_JSON(struct hash_opts, "hotdrift.hash or hotdrift.explain"),
	{ HD_OPT_OUT, 'o', "output", "FILE", "write to FILE instead of standard output",
		offsetof(struct hash_opts, output) },
	{ 0 },
};
static const struct hd_opt_group hash_groups[] = { HD_DB_OPTION_GROUP(struct hash_opts, db), { NULL, NULL, 0 } };

static void print_text(struct hd_buf *out, const struct hd_config *c, const struct hash_opts *o)
{
	hd_buf_addf(out, "%s\n", c->sha256);
	if (!o->canonical)
		return;
	/*
	 * Write the exact bytes to files and pipes, so that sha256sum gives the same hash.  Escape the text for a
	 * terminal.
	 */
	if (!o->output && isatty(STDOUT_FILENO))
		hd_stored_text_term(out, c->text.data, c->text.len);
	else
		hd_buf_add(out, c->text.data, c->text.len);
	hd_buf_addc(out, '\n');
}

static void print_json(struct hd_buf *out, const struct hd_config *c, const char *path, int form)
{
	struct hd_jsonw w = hd_jsonw_document(out, "hotdrift.hash", 1);
	struct hd_buf exact = { 0 };

	hd_stored_text_json(&exact, c->text.data, c->text.len);
	hd_jsonw_str(&w, "file", path);
	hd_jsonw_str(&w, "sha256", c->sha256);
	hd_jsonw_str(&w, "form", c->form);
	hd_jsonw_str(&w, "float", form == HD_FLOAT_ZMIJ ? "zmij" : "ryu");
	hd_jsonw_raw(&w, "canonical", exact.data);
	hd_jsonw_close(&w, '}');
	hd_buf_release(&exact);
}

/* ---- --explain ---- */

/* Return true if `text` has 8 to 64 hexadecimal digits and is not the path of a file. */
static bool is_fingerprint(const char *text)
{
	size_t n = strlen(text);

	return n >= 8 && n < HD_SHA256_HEX && !text[strspn(text, "0123456789abcdef")] && access(text, F_OK) < 0;
}

static int read_either(struct hd_config *c, const char *text, const struct hash_opts *o, struct hd_err *err)
{
	struct hd_db *db;
	int rc;

	if (!is_fingerprint(text))
		return hd_config_read_as(c, text, (enum hd_float_form)o->form, err);
	rc = hd_db_option_open(&db, &o->db, HD_DB_READ, 0, err);
	if (rc < 0)
		return rc;
	rc = hd_config_load(c, db, text, err);
	hd_db_close(db);
	return rc;
}

static void explain_text(struct hd_buf *out, const struct hd_config_diff *diff)
{
	for (size_t i = 0; i < diff->n; i++) {
		const struct hd_config_field *f = &diff->items[i];
		const char *parts[3] = { *f->path ? f->path : "(the whole)", f->a ? f->a : "(absent)",
			f->b ? f->b : "(absent)" };

		for (int k = 0; k < 3; k++) {
			hd_buf_adds(out, k == 0 ? "" : k == 1 ? ": " : " -> ");
			hd_stored_text_term(out, parts[k], strlen(parts[k]));
		}
		hd_buf_addc(out, '\n');
	}
	if (!diff->n)
		hd_buf_adds(out, "no difference\n");
}

/* Add a member with the canonical text `json`.  NULL means that the field is absent and adds nothing. */
static void explain_value(struct hd_jsonw *w, const char *key, const char *json)
{
	struct hd_buf exact = { 0 };

	if (!json)
		return;
	hd_stored_text_json_value(&exact, json, strlen(json));
	hd_jsonw_raw(w, key, exact.data);
	hd_buf_release(&exact);
}

static void explain_json(struct hd_buf *out, const struct hd_config_diff *diff, const struct hd_config *a,
	const struct hd_config *b)
{
	struct hd_jsonw w = hd_jsonw_document(out, "hotdrift.explain", 1);
	struct hd_buf exact = { 0 };

	hd_jsonw_str(&w, "a", a->sha256);
	hd_jsonw_str(&w, "b", b->sha256);
	hd_jsonw_open(&w, "fields", '[');
	for (size_t i = 0; i < diff->n; i++) {
		const struct hd_config_field *f = &diff->items[i];

		hd_jsonw_row(&w, NULL, '{');
		hd_buf_reset(&exact);
		hd_stored_text_json(&exact, f->path, strlen(f->path));
		hd_jsonw_raw(&w, "path", exact.data);
		explain_value(&w, "a", f->a);
		explain_value(&w, "b", f->b);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
	hd_buf_release(&exact);
}

static int explain(char **argv, const struct hash_opts *o, struct hd_buf *out, struct hd_err *err)
{
	struct hd_config c[2] = { 0 };
	struct hd_config_diff diff = { 0 };
	int rc = 0;

	for (int i = 0; i < 2 && rc >= 0; i++)
		rc = read_either(&c[i], argv[i], o, err);
	if (rc >= 0)
		rc = hd_config_diff(&diff, &c[0], &c[1], err);
	if (rc >= 0 && o->json)
		explain_json(out, &diff, &c[0], &c[1]);
	else if (rc >= 0)
		explain_text(out, &diff);
	hd_config_diff_release(&diff);
	hd_config_release(&c[0]);
	hd_config_release(&c[1]);
	return rc;
}

static int hash_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct hash_opts *o = opts;
	struct hd_config c;
	struct hd_buf out = { 0 };
	int rc;

	if (argc != (o->explain ? 2 : 1))
		return hd_fail(err, HD_EUSAGE, "hash: %s", o->explain ? "--explain compares two configurations" :
			       "exactly one configuration expected; --explain compares two");
	if (o->explain) {
		rc = explain(argv, o, &out, err);
		return rc < 0 ? rc : hd_output_write(o->output, &out, err);
	}
	rc = hd_config_read_as(&c, argv[0], (enum hd_float_form)o->form, err);
	if (rc < 0)
		return rc;
	if (o->json)
		print_json(&out, &c, argv[0], o->form);
	else
		print_text(&out, &c, o);
	hd_config_release(&c);
	rc = hd_file_write(o->output, &out, err);
	hd_buf_release(&out);
	return rc;
}

const struct hd_cmd hd_cmd_hash = {
	.name = "hash",
	.args = "CONFIG.json [B.json]",
	.summary = "compute the fingerprint of a configuration",
	.details =
		"Prints the SHA-256 of the configuration's canonical text as 64 hexadecimal digits.  The order of "
		"keys and the spacing do not matter.  An object with exactly the keys model_commit, weights_hash, "
		"lambda, tau, eps and compiler_flags is converted to the text that Rust's serde_json writes for that "
		"struct (lambda and eps as f32, tau as u64; compiler_flags a string or an array of strings).  "
		"Anything else is converted to RFC 8785 (JCS).  Duplicate keys, unpaired surrogates, numbers out of "
		"range and files over 4 MiB are rejected (exit 5).  '-' reads standard input.\n"
		"\n"
		"--explain A B lists the fields in which two configurations differ, by their canonical texts.  A and "
		"B are files, or fingerprints (at least 8 digits) of configurations in the database.  The exit is 0 "
		"even if they differ.\n"
		"\n"
		"serde_json prints floats with ryu before version 1.0.147 and with zmij since.  The texts differ in "
		"positive exponents only: lambda 1e13 is 1e13 by ryu and 1e+13 by zmij.  --float=zmij computes the "
		"fingerprint that a newer serde_json yields.  The database always has the fingerprint by ryu, so that "
		"it does not depend on a version.",
	.examples =
		"hotdrift hash config.json\tthe fingerprint that `add --config` stores\n"
		"hotdrift hash --canonical config.json\talso the text that is hashed\n"
		"hotdrift hash --float=zmij config.json\tthe fingerprint by serde_json 1.0.147 and newer\n"
		"hotdrift hash --explain 4735e79b config.json\tcompare with a stored configuration\n"
		"",
	HD_CMD_OPTS(hash_opts, hash_defaults),
	.groups = hash_groups,
	.min_args = 1,
	.max_args = 2,
	.run = hash_run,
};
