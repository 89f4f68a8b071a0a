/*
 * intern.c - see intern.h
 */
#include "store/intern.h"

#include "base/encode.h"
#include "base/mem.h"
#include "store/normal.h"
#include "store/rest.h"

#include <stdlib.h>
#include <string.h>

/* ---- keys: SHA-256 over the parts with their lengths, so that no two lists of parts are one text ---- */

static void add_part(struct hd_buf *b, const char *s)
{
	if (!s) {
		hd_buf_adds(b, "-\n");
		return;
	}
	hd_buf_addu(b, strlen(s));
	hd_buf_addc(b, ':');
	hd_buf_adds(b, s);
	hd_buf_addc(b, '\n');
}

static void key_of(const char *kind, const char *a, const char *b, char key[HD_SHA256_HEX])
{
	struct hd_buf text = { 0 };

	hd_buf_adds(&text, "hotdrift ");
	hd_buf_adds(&text, kind);
	hd_buf_adds(&text, " 1\n");
	add_part(&text, a);
	add_part(&text, b);
	hd_sha256_hex(text.data, text.len, key);
	hd_buf_release(&text);
}

/* ---- one row per run: ids are looked up each time ---- */

static int fill_commit(struct hd_db *db, const struct hd_gitinfo *g, int64_t id, struct hd_err *err)
{
	return hd_db_do(db, err, "UPDATE commit_info SET parents = $1, committed_utc = $2, subject = $3, subject_raw = $4 "
			"WHERE id = $5 AND subject IS NULL", "ttvi", g->parents, g->committed_utc, g->subject, id);
}

int hd_intern_commit(struct hd_intern *in, const struct hd_gitinfo *g, int64_t *id, struct hd_err *err)
{
	int rc = hd_db_ask_int(in->db, id, 0, err, "SELECT id FROM commit_info WHERE sha = $1", "t", g->sha);

	if (rc < 0)
		return rc;
	if (*id)
		return g->subject ? fill_commit(in->db, g, *id, err) : 0;
	rc = hd_db_ask_int(in->db, id, 1, err, "SELECT MAX(id) + 1 FROM commit_info", "");
	if (rc < 0)
		return rc;
	return hd_db_do(in->db, err, "INSERT INTO commit_info (id, sha, parents, committed_utc, subject, subject_raw) "
			"VALUES ($1, $2, $3, $4, $5, $6)", "itttv", *id, g->sha, g->parents, g->committed_utc, g->subject);
}

/* The fields are kept as V(text) like every foreign text; they have no raw column, since the key covers the bytes. */
static int add_machine(struct hd_db *db, const struct hd_machine *m, int64_t id, struct hd_err *err)
{
	struct hd_buf v[9] = { { 0 } };
	const char *const raw[9] = { m->arch, m->cpu_model, m->cpu_id, m->cpu_flags, m->smt, m->kernel, m->microcode, m->governor,
				     m->hostname };
	const char *t[9];
	int rc;

	for (size_t i = 0; i < HD_COUNT(v); i++) {
		if (raw[i])
			hd_enc_visible(&v[i], raw[i], strlen(raw[i]));
		t[i] = raw[i] ? hd_buf_str(&v[i]) : NULL;
	}
	rc = hd_db_do(db, err, "INSERT INTO machine (id, fingerprint, key, source, arch, cpu_model, cpu_id, cpu_flags, cpus_online, smt, "
		      "memory_bytes, kernel, microcode, governor, hostname) "
		      "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)", "itttttttototttt", id,
		      m->fingerprint, m->key, m->source, t[0], t[1], t[2], t[3], m->cpus_online, t[4], m->memory_bytes, t[5], t[6],
		      t[7], t[8]);
	for (size_t i = 0; i < HD_COUNT(v); i++)
		hd_buf_release(&v[i]);
	return rc;
}

int hd_intern_machine(struct hd_intern *in, const struct hd_machine *m, int64_t *id, struct hd_err *err)
{
	int rc = hd_db_ask_int(in->db, id, 0, err, "SELECT id FROM machine WHERE key = $1", "t", m->key);

	if (rc < 0 || *id)
		return rc;
	rc = hd_db_ask_int(in->db, id, 1, err, "SELECT MAX(id) + 1 FROM machine", "");
	return rc < 0 ? rc : add_machine(in->db, m, *id, err);
}

int hd_intern_config(struct hd_intern *in, const struct hd_config *c, int64_t *id, struct hd_err *err)
{
	int rc = hd_db_ask_int(in->db, id, 0, err, "SELECT id FROM config WHERE sha256 = $1", "t", c->sha256);

	if (rc < 0 || *id)
		return rc;
	rc = hd_db_ask_int(in->db, id, 1, err, "SELECT MAX(id) + 1 FROM config", "");
	if (rc < 0)
		return rc;
	return hd_db_do(in->db, err, "INSERT INTO config (id, sha256, form, canonical) VALUES ($1, $2, $3, $4)", "ittt", *id,
			c->sha256, c->form, c->text.data);
}

/* ---- many rows per run: the next id is counted here ---- */

static int next_id(struct hd_intern *in, int64_t *next, const char *sql, int64_t *id, struct hd_err *err)
{
	if (!*next) {
		int rc = hd_db_ask_int(in->db, next, 1, err, sql, "");

		if (rc < 0)
			return rc;
	}
	*id = (*next)++;
	return 0;
}

/* Thousands of hotspots are of a handful of objects, whose names are borrowed from one place. */
static int64_t *recent_object(struct hd_intern *in, const struct hd_run_hotspot *h)
{
	unsigned i;

	for (i = 0; i < HD_COUNT(in->recent); i++)
		if (in->recent[i].id && in->recent[i].object == h->object && in->recent[i].build_id == h->build_id)
			return &in->recent[i].id;
	i = in->nrecent++ % HD_COUNT(in->recent);
	in->recent[i].object = h->object;
	in->recent[i].build_id = h->build_id;
	in->recent[i].id = 0;
	return &in->recent[i].id;
}

static int find_object(struct hd_intern *in, const struct hd_run_hotspot *h, int64_t *id, struct hd_err *err)
{
	char key[HD_SHA256_HEX];
	int rc;

	key_of("object", h->object, h->build_id, key);
	rc = hd_db_ask_int(in->db, id, 0, err, "SELECT id FROM object WHERE key = $1", "t", key);
	if (rc < 0 || *id)
		return rc;
	rc = next_id(in, &in->next_object, "SELECT MAX(id) + 1 FROM object", id, err);
	if (rc < 0)
		return rc;
	return hd_db_do(in->db, err, "INSERT INTO object (id, key, path, path_raw, build_id, kernel) VALUES ($1, $2, $3, $4, $5, $6)",
			"itvti", *id, key, h->object, h->build_id, (int64_t)h->kernel);
}

int hd_intern_object(struct hd_intern *in, const struct hd_run_hotspot *h, int64_t *id, struct hd_err *err)
{
	int64_t *recent = recent_object(in, h);

	if (!*recent) {
		int rc = find_object(in, h, recent, err);

		if (rc < 0)
			return rc;
	}
	*id = *recent;
	return 0;
}

const char *hd_object_identity(const struct hd_run_hotspot *h)
{
	const char *slash;

	if (!h->object || !*h->object)
		return h->build_id;
	slash = h->object[0] == '/' ? strrchr(h->object, '/') : NULL;
	return slash && slash[1] ? slash + 1 : h->object;
}

int hd_intern_symbol(struct hd_intern *in, const struct hd_run_hotspot *h, int64_t *id, struct hd_err *err)
{
	const char *object = hd_object_identity(h);
	char key[HD_SHA256_HEX], *normal;
	int rc;

	key_of("symbol", object, h->linkage, key);
	rc = hd_db_ask_int(in->db, id, 0, err, "SELECT id FROM symbol WHERE key = $1", "t", key);
	if (rc < 0 || *id)
		return rc;
	rc = next_id(in, &in->next_symbol, "SELECT MAX(id) + 1 FROM symbol", id, err);
	if (rc < 0)
		return rc;
	normal = h->linkage && h->name ? hd_normal_name(h->name) : NULL;
	rc = hd_db_do(in->db, err, "INSERT INTO symbol (id, key, object, object_raw, linkage, linkage_raw, name, name_raw, normal, "
		      "normal_raw) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)", "itvvvv", *id, key, object, h->linkage,
		      h->linkage ? h->name : NULL, normal);
	free(normal);
	return rc;
}

int hd_intern_rest(struct hd_intern *in, int64_t *id, struct hd_err *err)
{
	char key[HD_SHA256_HEX];
	int rc;

	key_of("rest", NULL, NULL, key);
	rc = hd_db_ask_int(in->db, id, 0, err, "SELECT id FROM symbol WHERE key = $1", "t", key);
	if (rc < 0 || *id)
		return rc;
	rc = next_id(in, &in->next_symbol, "SELECT MAX(id) + 1 FROM symbol", id, err);
	return rc < 0 ? rc : hd_db_do(in->db, err, "INSERT INTO symbol (id, key, name) VALUES ($1, $2, $3)", "itt", *id, key, HD_REST_NAME);
}
