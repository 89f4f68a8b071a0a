/*
 * intern.c - see intern.h
 */
#include "history/intern.h"

#include "base/encode.h"
#include "base/mem.h"
#include "base/symbol_name.h"
#include "db/row_ids.h"
#include "history/hotspot_rest.h"
#include "trust/derived_columns.h"
#include "trust/journal.h"

#include <stdlib.h>
#include <string.h>

/* ---- one row per run: each is looked up by a query ---- */

static int fill_commit(struct hd_db *db, const struct hd_git_commit *g, int64_t id, struct hd_err *err)
{
	return hd_db_do(db, err,
		"UPDATE commit_info SET parents = $1, committed_utc = $2, subject = $3, subject_raw = $4 WHERE id = $5",
		"ttvi", g->parents, g->committed_utc, g->subject, id);
}

static int add_commit(struct hd_db *db, const struct hd_git_commit *g, int64_t *id, struct hd_err *err)
{
	int rc = hd_db_query_int(db, id, 1, err, "SELECT MAX(id) + 1 FROM commit_info", "");

	if (rc < 0)
		return rc;
	return hd_db_do(db, err,
		"INSERT INTO commit_info (id, sha, parents, committed_utc, subject, subject_raw) "
		"VALUES ($1, $2, $3, $4, $5, $6)",
		"itttv", *id, g->sha, g->parents, g->committed_utc, g->subject);
}

int hd_intern_commit(struct hd_intern *in, const struct hd_git_commit *g, int64_t *id, struct hd_err *err)
{
	/* The query returns the negative id if the stored commit has no subject yet. */
	int rc = hd_db_query_int(in->db, id, 0, err,
		"SELECT CASE WHEN subject IS NULL THEN -id ELSE id END FROM commit_info WHERE sha = $1", "t", g->sha);
	bool there = rc >= 0 && *id, described = *id > 0 || !g->subject;

	if (*id < 0)
		*id = -*id;
	if (rc < 0 || (there && described))
		return rc;
	rc = there ? fill_commit(in->db, g, *id, err) : add_commit(in->db, g, id, err);
	return rc < 0 ? rc : hd_journal_note(in->db, HD_JOURNAL_COMMIT, g->sha, 0, err);
}

/* The fields are stored in their visible form.  They have no raw column, since the key covers the bytes. */
static int add_machine(struct hd_db *db, const struct hd_machine *m, int64_t id, struct hd_err *err)
{
	struct hd_buf v[9] = { { 0 } };
	const char *const raw[9] = { m->arch, m->cpu_model, m->cpu_id, m->cpu_flags, m->smt, m->kernel, m->microcode,
		m->governor, m->hostname };
	const char *t[9];
	int rc;

	for (size_t i = 0; i < HD_COUNT(v); i++) {
		if (raw[i])
			hd_enc_visible(&v[i], raw[i], strlen(raw[i]));
		t[i] = raw[i] ? hd_buf_str(&v[i]) : NULL;
	}
	rc = hd_db_do(db, err,
		"INSERT INTO machine (id, fingerprint, key, source, arch, cpu_model, cpu_id, cpu_flags, cpus_online, "
		"smt, memory_bytes, kernel, microcode, governor, hostname) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, "
		"$10, $11, $12, $13, $14, $15)",
		"itttttttototttt", id, m->fingerprint, m->key, m->source, t[0], t[1], t[2], t[3], m->cpus_online, t[4],
		m->memory_bytes, t[5], t[6], t[7], t[8]);
	for (size_t i = 0; i < HD_COUNT(v); i++)
		hd_buf_release(&v[i]);
	return rc;
}

int hd_intern_machine(struct hd_intern *in, const struct hd_machine *m, int64_t *id, struct hd_err *err)
{
	int rc = hd_db_query_int(in->db, id, 0, err, "SELECT id FROM machine WHERE key = $1", "t", m->key);

	if (rc < 0 || *id)
		return rc;
	rc = hd_db_query_int(in->db, id, 1, err, "SELECT MAX(id) + 1 FROM machine", "");
	return rc < 0 ? rc : add_machine(in->db, m, *id, err);
}

int hd_intern_config(struct hd_intern *in, const struct hd_config *c, int64_t *id, struct hd_err *err)
{
	int rc = hd_db_query_int(in->db, id, 0, err, "SELECT id FROM config WHERE sha256 = $1", "t", c->sha256);

	if (rc < 0 || *id)
		return rc;
	rc = hd_db_query_int(in->db, id, 1, err, "SELECT MAX(id) + 1 FROM config", "");
	if (rc < 0)
		return rc;
	return hd_db_do(in->db, err, "INSERT INTO config (id, sha256, form, canonical) VALUES ($1, $2, $3, $4)", "ittt",
		*id, c->sha256, c->form, c->text.data);
}

int hd_intern_environment(struct hd_intern *in, const char *variables, int64_t *id, struct hd_err *err)
{
	char sum[HD_SHA256_HEX];
	int rc;

	hd_sha256_hex(variables, strlen(variables), sum);
	rc = hd_db_query_int(in->db, id, 0, err, "SELECT id FROM environment WHERE sha256 = $1", "t", sum);
	if (rc < 0 || *id)
		return rc;
	rc = hd_db_query_int(in->db, id, 1, err, "SELECT MAX(id) + 1 FROM environment", "");
	if (rc < 0)
		return rc;
	return hd_db_do(in->db, err, "INSERT INTO environment (id, sha256, variables) VALUES ($1, $2, $3)", "itt", *id,
		sum, variables);
}

/* ---- many rows per run: look up all keys, then insert the missing rows ---- */

/*
 * Return the object part of a symbol's identity: the last part of its path, so that a build in
 * another folder is the same program.  Without a path it is the build-id; without both NULL.
 */
static const char *object_identity(const struct hd_run_hotspot *h)
{
	const char *slash;

	if (!h->object || !*h->object)
		return h->build_id;
	slash = h->object[0] == '/' ? strrchr(h->object, '/') : NULL;
	return slash && slash[1] ? slash + 1 : h->object;
}

/* The hotspots of a run while they are interned. */
struct rows {
	struct hd_row_ids *objects, *symbols;
	struct place { uint32_t object, symbol; } *places;	/* of the keys, by row (db/row_ids.h) */
	struct hd_db_bulk put_objects, put_symbols;
	struct { const char *object, *build_id; uint32_t place; } recent[16];
	unsigned nrecent;
};

/*
 * Thousands of hotspots belong to a few objects.  Their names are equal pointers, so recent ones are cached by
 * address.
 */
static uint32_t want_object(struct rows *all, const struct hd_run_hotspot *h)
{
	char key[HD_SHA256_HEX];
	unsigned i;

	for (i = 0; i < HD_COUNT(all->recent); i++)
		if (all->recent[i].place && all->recent[i].object == h->object &&
			all->recent[i].build_id == h->build_id)
			return all->recent[i].place;
	i = all->nrecent++ % HD_COUNT(all->recent);
	hd_derived_columns_key("object", h->object, h->build_id, key);
	all->recent[i].object = h->object;
	all->recent[i].build_id = h->build_id;
	all->recent[i].place = hd_row_ids_want(all->objects, key);
	return all->recent[i].place;
}

static uint32_t want_symbol(struct rows *all, const struct hd_intern_hotspot *row)
{
	char key[HD_SHA256_HEX];

	if (row->rest)
		hd_derived_columns_key("rest", NULL, NULL, key);
	else
		hd_derived_columns_key("symbol", object_identity(row->hotspot), row->hotspot->linkage, key);
	return hd_row_ids_want(all->symbols, key);
}

static int put_object(struct rows *all, const struct hd_run_hotspot *h, uint32_t place, struct hd_err *err)
{
	int64_t id = hd_row_ids_id(all->objects, place);
	int rc;

	if (id)
		return 0;
	rc = hd_row_ids_assign(all->objects, place, &id, err);
	return rc < 0 ? rc
		      : hd_db_bulk_add(&all->put_objects, err, "itvti", id, hd_row_ids_key(all->objects, place),
				h->object, h->build_id, (int64_t)h->kernel);
}

static int put_symbol(struct rows *all, const struct hd_intern_hotspot *row, uint32_t place, struct hd_err *err)
{
	const struct hd_run_hotspot *h = row->hotspot;
	int64_t id = hd_row_ids_id(all->symbols, place);
	char *normal;
	int rc;

	if (id)
		return 0;
	rc = hd_row_ids_assign(all->symbols, place, &id, err);
	if (rc < 0)
		return rc;
	if (row->rest)
		return hd_db_bulk_add(&all->put_symbols, err, "itvvvv", id, hd_row_ids_key(all->symbols, place), NULL,
			NULL, HD_HOTSPOT_REST_NAME, NULL);
	normal = h->linkage && h->name ? hd_symbol_name_normalize(h->name) : NULL;
	rc = hd_db_bulk_add(&all->put_symbols, err, "itvvvv", id, hd_row_ids_key(all->symbols, place),
		object_identity(h), h->linkage, h->linkage ? h->name : NULL, normal);
	free(normal);
	return rc;
}

static int put_all(struct rows *all, struct hd_intern_hotspot *rows, size_t n, struct hd_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc >= 0; i++) {
		rc = put_object(all, rows[i].hotspot, all->places[i].object, err);
		if (rc >= 0)
			rc = put_symbol(all, &rows[i], all->places[i].symbol, err);
		rows[i].object = hd_row_ids_id(all->objects, all->places[i].object);
		rows[i].symbol = hd_row_ids_id(all->symbols, all->places[i].symbol);
	}
	rc = hd_db_bulk_end(&all->put_objects, rc, err);
	return hd_db_bulk_end(&all->put_symbols, rc, err);
}

int hd_intern_hotspots(struct hd_db *db, struct hd_intern_hotspot *rows, size_t n, struct hd_err *err)
{
	struct rows all = {
		.objects = hd_row_ids_new(db, "SELECT key, id FROM object WHERE key IN",
			"SELECT MAX(id) + 1 FROM object"),
		.symbols = hd_row_ids_new(db, "SELECT key, id FROM symbol WHERE key IN",
			"SELECT MAX(id) + 1 FROM symbol"),
		.places = hd_new_array(struct place, n + 1),
		.put_objects = hd_db_bulk_into(db, "INSERT INTO object (id, key, path, path_raw, build_id, kernel)"),
		.put_symbols = hd_db_bulk_into(db,
			"INSERT INTO symbol (id, key, object, object_raw, linkage, linkage_raw, name, name_raw, "
			"normal, normal_raw)"),
	};
	int rc;

	for (size_t i = 0; i < n; i++) {
		all.places[i].object = want_object(&all, rows[i].hotspot);
		all.places[i].symbol = want_symbol(&all, &rows[i]);
	}
	rc = hd_row_ids_find(all.objects, err);
	if (rc >= 0)
		rc = hd_row_ids_find(all.symbols, err);
	if (rc >= 0)
		rc = put_all(&all, rows, n, err);
	free(all.places);
	hd_row_ids_free(all.objects);
	hd_row_ids_free(all.symbols);
	return rc;
}
