/*
 * intern.c - see intern.h
 */
#include "history/intern.h"

#include "base/encode.h"
#include "base/mem.h"
#include "base/symbol_name.h"
#include "db/blob.h"
#include "db/row_reader.h"
#include "history/hotspot_rest.h"
#include "trust/derived_columns.h"

#include <stdlib.h>
#include <string.h>

/*
 * The tables of rows that runs share.  find: the start of the query that looks up ids by their keys, see db/row_ids.h.
 */
static const struct table {
	const char *find;
	struct hd_new_ids fresh;
} tables[HD_INTERN_TABLES] = {
#define TABLE(name, key) { "SELECT " key ", id FROM " name " WHERE " key " IN", HD_NEW_IDS(name, key) }
/* The id of a commit whose row has no subject yet is negated. */
#define COMMIT_ID "CASE WHEN t.subject IS NULL THEN -t.id ELSE t.id END"
	[HD_INTERN_COMMIT] = { "SELECT sha, " COMMIT_ID " FROM commit_info t WHERE sha IN",
		HD_NEW_IDS_OF("commit_info", "sha", COMMIT_ID, "nextval('commit_info_ids')") },
	[HD_INTERN_MACHINE] = TABLE("machine", "key"),
	[HD_INTERN_CONFIG] = TABLE("config", "sha256"),
	[HD_INTERN_ENVIRONMENT] = TABLE("environment", "sha256"),
	[HD_INTERN_OBJECT] = TABLE("object", "key"),
	[HD_INTERN_SYMBOL] = TABLE("symbol", "key"),
	/* Texts have no ids.  1 means that the text is there. */
	[HD_INTERN_TEXT] = { "SELECT sha256, 1 FROM stack_blob WHERE sha256 IN",
		{ "SELECT 1", NULL, "SELECT k.key, CASE WHEN t.bytes IS NOT NULL THEN 1 END, CASE WHEN t.bytes IS NULL "
			"THEN 1 END FROM unnest(CAST($1 AS TEXT[])) k (key) LEFT JOIN stack_blob t ON t.sha256 = "
			"k.key" } },
};

/* ---- one row per run ---- */

static int fill_commit(struct hd_db *db, const struct hd_git_commit *g, int64_t id, struct hd_err *err)
{
	return hd_db_do(db, err,
		"UPDATE commit_info SET parents = $1, committed_utc = $2, subject = $3, subject_raw = $4 WHERE id = $5",
		"ttvi", g->parents, g->committed_utc, g->subject, id);
}

static int add_commit(struct hd_db *db, const struct hd_git_commit *g, int64_t id, struct hd_err *err)
{
	return hd_db_do(db, err,
		"INSERT INTO commit_info (id, sha, parents, committed_utc, subject, subject_raw) "
		"VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (sha) DO NOTHING",
		"itttv", id, g->sha, g->parents, g->committed_utc, g->subject);
}

/*
 * The database stores the fields of a machine in printable form only (hd_enc_visible()).  Their raw bytes need no
 * columns, because `key` is a hash of the raw bytes.
 */
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
		"$10, $11, $12, $13, $14, $15) ON CONFLICT (key) DO NOTHING",
		"itttttttototttt", id, m->fingerprint, m->key, m->source, t[0], t[1], t[2], t[3], m->cpus_online, t[4],
		m->memory_bytes, t[5], t[6], t[7], t[8]);
	for (size_t i = 0; i < HD_COUNT(v); i++)
		hd_buf_release(&v[i]);
	return rc;
}

static int add_config(struct hd_db *db, const struct hd_config *c, int64_t id, struct hd_err *err)
{
	return hd_db_do(db, err,
		"INSERT INTO config (id, sha256, form, canonical) VALUES ($1, $2, $3, $4) ON CONFLICT (sha256) "
		"DO NOTHING",
		"ittt", id, c->sha256, c->form, c->text.data);
}

static int add_environment(struct hd_db *db, const char *sha256, const char *variables, int64_t id, struct hd_err *err)
{
	return hd_db_do(db, err,
		"INSERT INTO environment (id, sha256, variables) VALUES ($1, $2, $3) ON CONFLICT (sha256) DO NOTHING",
		"itt", id, sha256, variables);
}

/* Insert the run's row with the new id `id` into a table: its commit, machine, configuration or environment. */
static int add_own(struct hd_intern *in, enum hd_intern_table table, int64_t id, struct hd_err *err)
{
	const struct hd_run *run = in->run;

	switch (table) {
	case HD_INTERN_COMMIT:
		in->wrote_commit = true;
		return add_commit(in->db, run->git, id, err);
	case HD_INTERN_MACHINE:
		return add_machine(in->db, run->machine, id, err);
	case HD_INTERN_CONFIG:
		return add_config(in->db, run->config, id, err);
	default:
		return add_environment(in->db, hd_row_ids_key(in->ids[table], in->own[table]), run->variables, id, err);
	}
}

static int put_own(struct hd_intern *in, enum hd_intern_table table, struct hd_err *err)
{
	int64_t id = in->own[table] ? hd_row_ids_id(in->ids[table], in->own[table]) : -1;
	int rc;

	if (in->own[table] && !id) {
		rc = hd_row_ids_assign(in->ids[table], in->own[table], &id, err);
		return rc < 0 ? rc : add_own(in, table, id, err);
	}
	if (table != HD_INTERN_COMMIT || !in->own[table] || id > 0 || !in->run->git->subject)
		return 0;
	in->wrote_commit = true;
	return fill_commit(in->db, in->run->git, -id, err);
}

int64_t hd_intern_id(const struct hd_intern *in, enum hd_intern_table table)
{
	int64_t id = in->own[table] ? hd_row_ids_id(in->ids[table], in->own[table]) : -1;

	return in->own[table] && id < 0 ? -id : id;
}

/* ---- many rows per run: look up all keys, then insert the missing rows ---- */

const char *hd_intern_object_name(const char *path)
{
	const char *slash = path[0] == '/' ? strrchr(path, '/') : NULL;

	return slash && slash[1] ? slash + 1 : path;
}

/*
 * Return the object part of a symbol's identity: the name of its object.  Without a path, return the build-id, or NULL
 * if that is unknown, too.
 */
static const char *object_identity(const struct hd_run_hotspot *h)
{
	return h->object && *h->object ? hd_intern_object_name(h->object) : h->build_id;
}

/* The objects of the last hotspots. */
struct recent {
	struct { const char *object, *build_id; uint32_t place; } items[16];
	unsigned n;
};

/*
 * Return the place in `objects` of the key of a hotspot's object; add the key if it is new.  Thousands of hotspots
 * belong to a few objects.  Hotspots of the same object point to the same string for its name, so recently used objects
 * are cached by the address of this string.
 */
static uint32_t want_object(struct hd_row_ids *objects, struct recent *recent, const struct hd_run_hotspot *h)
{
	char key[HD_SHA256_HEX];
	unsigned i;

	for (i = 0; i < HD_COUNT(recent->items); i++)
		if (recent->items[i].place && recent->items[i].object == h->object &&
			recent->items[i].build_id == h->build_id)
			return recent->items[i].place;
	i = recent->n++ % HD_COUNT(recent->items);
	hd_derived_columns_key("object", h->object, h->build_id, key);
	recent->items[i].object = h->object;
	recent->items[i].build_id = h->build_id;
	recent->items[i].place = hd_row_ids_want(objects, key);
	return recent->items[i].place;
}

static uint32_t want_symbol(struct hd_row_ids *symbols, const struct hd_intern_hotspot *row)
{
	char key[HD_SHA256_HEX];

	if (row->rest)
		hd_derived_columns_key("rest", NULL, NULL, key);
	else
		hd_derived_columns_key("symbol", object_identity(row->hotspot), row->hotspot->linkage, key);
	return hd_row_ids_want(symbols, key);
}

static int put_object(struct hd_intern *in, struct hd_db_bulk *m, const struct hd_run_hotspot *h, uint32_t place,
	struct hd_err *err)
{
	struct hd_row_ids *objects = in->ids[HD_INTERN_OBJECT];
	int64_t id = hd_row_ids_id(objects, place);
	int rc;

	if (id)
		return 0;
	rc = hd_row_ids_assign(objects, place, &id, err);
	return rc < 0 ? rc
		      : hd_db_bulk_add(m, err, "itvti", id, hd_row_ids_key(objects, place), h->object, h->build_id,
				(int64_t)h->kernel);
}

/* Return the name that the symbol of a hotspot has; NULL if it has none. */
static const char *symbol_name(const struct hd_intern_hotspot *row)
{
	return row->rest ? HD_HOTSPOT_REST_NAME : row->hotspot->linkage ? row->hotspot->name : NULL;
}

/* Return the normalised name for symbol_name(), which the caller frees; NULL if it has none. */
static char *symbol_normal(const struct hd_intern_hotspot *row)
{
	const struct hd_run_hotspot *h = row->hotspot;

	return !row->rest && h->linkage && h->name ? hd_symbol_name_normalize(h->name) : NULL;
}

static int put_symbol(struct hd_intern *in, struct hd_db_bulk *m, const struct hd_intern_hotspot *row, uint32_t place,
	struct hd_err *err)
{
	struct hd_row_ids *symbols = in->ids[HD_INTERN_SYMBOL];
	const struct hd_run_hotspot *h = row->hotspot;
	int64_t id = hd_row_ids_id(symbols, place);
	char *normal;
	int rc;

	if (id)
		return 0;
	rc = hd_row_ids_assign(symbols, place, &id, err);
	if (rc < 0)
		return rc;
	normal = symbol_normal(row);
	rc = hd_db_bulk_add(m, err, "itvvvv", id, hd_row_ids_key(symbols, place), row->rest ? NULL : object_identity(h),
		row->rest ? NULL : h->linkage, symbol_name(row), normal);
	free(normal);
	return rc;
}

struct stored_symbol {
	char *name;
};
static const struct hd_row_field stored_symbol_fields[] = { HD_ROW(struct stored_symbol, name, "name", NAME) };
static const struct hd_row_query stored_symbol = HD_ROW_QUERY(struct stored_symbol, stored_symbol_fields,
	"FROM symbol WHERE id = $1");

/*
 * Correct the name of a symbol that the database has, if no run refers to it.  The key of a symbol does not cover its
 * name, so a person who can write the file could insert the symbol in advance with another name.  A symbol that a run
 * refers to keeps its name, because the hash of the run covers it.
 */
static int correct_symbol(struct hd_intern *in, const struct hd_intern_hotspot *row, int64_t id, struct hd_err *err)
{
	const char *name = symbol_name(row);
	struct stored_symbol stored = { 0 };
	int64_t used = 1;
	char *normal;
	int rc = hd_row_get(&stored, &stored_symbol, in->db, NULL, err, "i", id);
	bool differs = rc > 0 && strcmp(hd_or_empty(stored.name), hd_or_empty(name)) != 0;

	free(stored.name);
	if (differs)
		rc = hd_db_query_int(in->db, &used, 0, err,
			"SELECT 1 FROM (SELECT DISTINCT id / 32 AS era FROM run) t CROSS JOIN hotspot h "
			"WHERE h.run_id / 32 = t.era AND h.symbol_id = $1 LIMIT 1", "i", id);
	if (rc < 0 || used)
		return rc < 0 ? rc : 0;
	normal = symbol_normal(row);
	rc = hd_db_do(in->db, err, "UPDATE symbol SET name = $1, name_raw = $2, normal = $3, normal_raw = $4 "
		"WHERE id = $5", "vvi", name, normal, id);
	free(normal);
	return rc;
}

/* A server would need a round trip for each symbol, so only those of a file are corrected. */
static int correct_symbols(struct hd_intern *in, struct hd_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < in->n && rc >= 0 && !hd_db_has_writers(in->db); i++) {
		int64_t id = hd_row_ids_id(in->ids[HD_INTERN_SYMBOL], in->places[i].symbol);

		rc = id ? correct_symbol(in, &in->rows[i], id, err) : 0;
	}
	return rc;
}

/* A hotspot and the key by which the missing rows are sorted. */
struct keyed {
	const char *key;
	size_t row;
};

static int by_key(const void *pa, const void *pb)
{
	const struct keyed *a = pa, *b = pb;
	int by = strcmp(a->key, b->key);

	return by ? by : (a->row > b->row) - (a->row < b->row);
}

/*
 * Return the hotspots in the order of the keys of their objects, or of their symbols.  With a file, they keep their
 * order.
 */
static struct keyed *sorted(const struct hd_intern *in, bool objects)
{
	const struct hd_row_ids *ids = in->ids[objects ? HD_INTERN_OBJECT : HD_INTERN_SYMBOL];
	struct keyed *order = hd_new_array(struct keyed, in->n + 1);

	for (size_t i = 0; i < in->n; i++)
		order[i] = (struct keyed){
			.key = hd_row_ids_key(ids, objects ? in->places[i].object : in->places[i].symbol),
			.row = i,
		};
	if (hd_db_has_writers(in->db))
		qsort(order, in->n, sizeof(*order), by_key);
	return order;
}

/*
 * Insert the missing objects and symbols.  On a server they are inserted in the order of their keys: two writers that
 * insert the same rows in different orders would wait for each other.
 */
static int put_hotspots(struct hd_intern *in, struct hd_err *err)
{
	struct hd_db_bulk objects = hd_db_bulk_into(in->db,
		"INSERT INTO object (id, key, path, path_raw, build_id, kernel) ON CONFLICT (key) DO NOTHING");
	struct hd_db_bulk symbols = hd_db_bulk_into(in->db,
		"INSERT INTO symbol (id, key, object, object_raw, linkage, linkage_raw, name, name_raw, normal, "
		"normal_raw) ON CONFLICT (key) DO NOTHING");
	struct keyed *order = sorted(in, true);
	int rc = 0;

	for (size_t i = 0; i < in->n && rc >= 0; i++)
		rc = put_object(in, &objects, in->rows[order[i].row].hotspot, in->places[order[i].row].object, err);
	rc = hd_db_bulk_end(&objects, rc, err);
	free(order);
	order = sorted(in, false);
	for (size_t i = 0; i < in->n && rc >= 0; i++)
		rc = put_symbol(in, &symbols, &in->rows[order[i].row], in->places[order[i].row].symbol, err);
	rc = hd_db_bulk_end(&symbols, rc, err);
	free(order);
	return rc;
}

/* ---- texts ---- */

static int put_text(struct hd_intern *in, const char *text, size_t len, const char *key, struct hd_err *err)
{
	struct hd_row_ids *texts = in->ids[HD_INTERN_TEXT];
	uint32_t place = hd_row_ids_want(texts, key);
	int64_t one;
	int rc;

	if (hd_row_ids_id(texts, place))
		return 0;
	rc = hd_row_ids_assign(texts, place, &one, err);
	return rc < 0 ? rc : hd_blob_put(in->db, text, len, key, err);
}

static int put_texts(struct hd_intern *in, struct hd_err *err)
{
	const struct hd_run *run = in->run;
	int rc = 0;

	for (size_t i = 0; i < run->nevents && rc >= 0; i++)
		if (run->events[i].folded)
			rc = put_text(in, run->events[i].folded, run->events[i].folded_len, in->stacks[i], err);
	for (size_t i = 0; i < run->nseries && rc >= 0; i++)
		if (run->series[i].csv)
			rc = put_text(in, run->series[i].csv, run->series[i].csv_len, in->csv[i], err);
	return rc;
}

/* All series of one CSV file have the same text, so its key is computed once. */
static void want_texts(struct hd_intern *in)
{
	const struct hd_run *run = in->run;

	in->stacks = hd_zalloc(run->nevents + 1, sizeof(*in->stacks));
	in->csv = hd_zalloc(run->nseries + 1, sizeof(*in->csv));
	for (size_t i = 0; i < run->nevents; i++) {
		if (!run->events[i].folded)
			continue;
		hd_sha256_hex(run->events[i].folded, run->events[i].folded_len, in->stacks[i]);
		hd_row_ids_want(in->ids[HD_INTERN_TEXT], in->stacks[i]);
	}
	for (size_t i = 0; i < run->nseries; i++) {
		if (!run->series[i].csv)
			continue;
		if (i && run->series[i - 1].csv == run->series[i].csv)
			memcpy(in->csv[i], in->csv[i - 1], sizeof(in->csv[i]));
		else
			hd_sha256_hex(run->series[i].csv, run->series[i].csv_len, in->csv[i]);
		hd_row_ids_want(in->ids[HD_INTERN_TEXT], in->csv[i]);
	}
}

/* ---- all rows ---- */

static void want_own(struct hd_intern *in, enum hd_intern_table table, const char *key)
{
	if (key)
		in->own[table] = hd_row_ids_want(in->ids[table], key);
}

void hd_intern_init(struct hd_intern *in, struct hd_db *db, const struct hd_run *run, struct hd_intern_hotspot *rows,
	size_t n)
{
	struct recent recent = { 0 };
	char variables[HD_SHA256_HEX];

	*in = (struct hd_intern){ .db = db, .run = run, .rows = rows, .n = n };
	for (int i = 0; i < HD_INTERN_TABLES; i++)
		in->ids[i] = hd_row_ids_new(db, tables[i].find, &tables[i].fresh);
	if (run->variables)
		hd_sha256_hex(run->variables, strlen(run->variables), variables);
	want_own(in, HD_INTERN_COMMIT, run->git ? run->git->sha : NULL);
	want_own(in, HD_INTERN_MACHINE, run->machine ? run->machine->key : NULL);
	want_own(in, HD_INTERN_CONFIG, run->config ? run->config->sha256 : NULL);
	want_own(in, HD_INTERN_ENVIRONMENT, run->variables ? variables : NULL);
	want_texts(in);
	in->places = hd_new_array(struct hd_intern_place, n + 1);
	for (size_t i = 0; i < n; i++) {
		in->places[i].object = want_object(in->ids[HD_INTERN_OBJECT], &recent, rows[i].hotspot);
		in->places[i].symbol = want_symbol(in->ids[HD_INTERN_SYMBOL], &rows[i]);
	}
}

void hd_intern_release(struct hd_intern *in)
{
	for (int i = 0; i < HD_INTERN_TABLES; i++)
		hd_row_ids_free(in->ids[i]);
	free(in->places);
	free(in->stacks);
	free(in->csv);
	*in = (struct hd_intern){ 0 };
}

int hd_intern_start(struct hd_intern *in, struct hd_err *err)
{
	int rc = 0;

	for (int i = 0; i < HD_INTERN_TABLES && rc >= 0; i++)
		rc = hd_row_ids_start(in->ids[i], err);
	return rc;
}

int hd_intern_put(struct hd_intern *in, bool again, struct hd_err *err)
{
	int rc = 0;

	for (int i = 0; i < HD_INTERN_TABLES && rc >= 0; i++)
		rc = hd_row_ids_finish(in->ids[i], err);
	for (int i = 0; i < HD_INTERN_OBJECT && rc >= 0; i++)
		rc = put_own(in, (enum hd_intern_table)i, err);
	if (rc >= 0)
		rc = correct_symbols(in, err);
	if (rc >= 0)
		rc = put_hotspots(in, err);
	if (rc >= 0)
		rc = put_texts(in, err);
	for (int i = 0; i < HD_INTERN_TEXT && rc >= 0 && again && hd_db_has_writers(in->db); i++)
		rc = hd_row_ids_find_again(in->ids[i], err);
	for (size_t i = 0; i < in->n && rc >= 0; i++) {
		in->rows[i].object = hd_row_ids_id(in->ids[HD_INTERN_OBJECT], in->places[i].object);
		in->rows[i].symbol = hd_row_ids_id(in->ids[HD_INTERN_SYMBOL], in->places[i].symbol);
	}
	return rc;
}
