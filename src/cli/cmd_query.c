/*
 * cmd_query.c - hotdrift query: run read-only SQL, of the user or a named query
 */
#include "base/assets.h"
#include "base/encode.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "cli/db_option.h"
#include "cli/input.h"
#include "render/stored_text.h"
#include "cli/terminal.h"
#include "render/table.h"
#include "track/decimal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 100, CUT_SUM = 8 };	/* maximum width of a table cell; digits of SHA-256 that end a truncated one */

struct query_opts {
	struct hd_terminal term;
	struct hd_db_option db;
	const char *name, *out;
	unsigned limit, timeout_ms;
	bool list, json, csv;
};

static const struct query_opts query_defaults = { .limit = 10000, .timeout_ms = 10000 };

static const struct hd_opt query_opts[] = {
	{ HD_OPT_STR, 0, "name", "NAME", "a named query instead of SQL; the operands are its values",
		offsetof(struct query_opts, name) },
	{ HD_OPT_FLAG, 0, "list", NULL, "list the named queries", offsetof(struct query_opts, list) },
	HD_ROW_JSON(struct query_opts, "hotdrift.query"),
	{ HD_OPT_FLAG, 0, "csv", NULL, "print CSV; NULL is a field without quotes", offsetof(struct query_opts, csv) },
	{ HD_OPT_UINT, 'n', "limit", "N", "at most N rows (default 10000, 0: all)",
		offsetof(struct query_opts, limit) },
	{ HD_OPT_UINT, 0, "timeout-ms", "N", "give up after N ms (default 10000)",
		offsetof(struct query_opts, timeout_ms) },
	HD_ROW_OUTPUT(struct query_opts),
	{ 0 },
};
static const struct hd_opt_group query_groups[] = { HD_DB_OPTION_GROUP(struct query_opts, db),
	HD_TERMINAL_GROUP(struct query_opts, term), { NULL, NULL, 0 } };

/* ---- named queries: schema/query_NAME.sql; the first line describes the query ---- */

/* Return the NAME in query_NAME.sql and set *n to its length; NULL if the embedded file `a` is not a query. */
static const char *query_name(const struct hd_asset *a, size_t *n)
{
	size_t len = strlen(a->name);

	if (strncmp(a->name, "query_", 6) || len < 11 || strcmp(a->name + len - 4, ".sql"))
		return NULL;
	*n = len - 10;
	return a->name + 6;
}

static void list(struct hd_buf *out)
{
	for (const struct hd_asset *a = hd_assets; a->name; a++) {
		size_t n;
		const char *name = query_name(a, &n);

		if (name)
			hd_buf_addf(out, "%-16.*s %.*s\n", (int)n, name, (int)strcspn(a->data, "\n") - 3, a->data + 3);
	}
}

static const char *find(const char *wanted, struct hd_err *err)
{
	for (const struct hd_asset *a = hd_assets; a->name; a++) {
		size_t n;
		const char *name = query_name(a, &n);

		if (name && strlen(wanted) == n && !memcmp(name, wanted, n))
			return a->data;
	}
	hd_fail(err, HD_EUSAGE, "query: no query '%s'; 'hotdrift query --list' lists them", wanted);
	return NULL;
}

/* ---- cells ---- */

static void hex(struct hd_buf *out, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hd_buf_addf(out, "%02x", (unsigned char)p[i]);
}

/*
 * Print a number so that it can be parsed back exactly.  Infinities and NaN are printed as words, with `quote` before
 * and after them.
 */
static void real(struct hd_buf *out, double v, const char *quote)
{
	char text[HD_NUM_TEXT];

	if (isfinite(v)) {
		hd_num_es6(v, text);
		hd_buf_adds(out, text);
	} else {
		hd_buf_addf(out, "%s%s%s", quote, v < 0 ? "-Infinity" : v > 0 ? "Infinity" : "NaN", quote);
	}
}

/*
 * Limit a table cell to CELL columns.  A longer text is truncated and ends in ~ and the first digits of the SHA-256 of
 * p[0..n-1], the value before escaping.
 */
static void cut(struct hd_buf *v, const char *p, size_t n)
{
	char sum[HD_SHA256_HEX];

	if (hd_enc_width(v->data, v->len) <= CELL)
		return;
	hd_sha256_hex(p, n, sum);
	v->len = hd_enc_cut(v->data, v->len, CELL - CUT_SUM - 1);
	hd_buf_addf(v, "~%.*s", CUT_SUM, sum);
}

/*
 * Append text for a table cell, escaped for the terminal.  The text "NULL" is escaped, too, so that it differs from an
 * SQL null.
 */
static void table_text(struct hd_buf *v, const char *p, size_t n)
{
	if (n == 4 && !memcmp(p, "NULL", 4))
		hd_buf_adds(v, "\\x4eULL");
	else
		hd_stored_text_term(v, p, n > 4 * CELL + 4 ? 4 * CELL : n);	/* cut() drops the rest */
	if (n > 4 * CELL + 4)
		for (int i = 0; i < CELL; i++)
			/*
			 * the cell does not show all of the text: these blanks make it too wide, so that cut() marks it
			 * as truncated
			 */
			hd_buf_addc(v, ' ');
}

/* How an output format writes values of SQL. */
struct form {
	const char *null, *quote;	/* null: text for NULL; quote: printed before and after infinities and NaN */
	const char *blob, *blob_end;	/* printed before and after the hexadecimal digits of a BLOB */
	size_t blob_bytes;		/* longer BLOBs are cut to this number of bytes */
	void (*text)(struct hd_buf *out, const char *p, size_t n);
};
static const struct form json_form = { "null", "\"", "{\"hex\":\"", "\"}", SIZE_MAX, hd_stored_text_json };
static const struct form csv_form = { "", "", "\"x'", "'\"", SIZE_MAX, hd_stored_text_csv };
static const struct form table_form = { "NULL", "", "x'", "'", CELL, table_text };

static void add_value(struct hd_buf *out, const struct form *f, const struct hd_db_rows *r, int i)
{
	size_t n;
	const char *p = hd_col_bytes(r, i, &n);

	switch (hd_col_kind(r, i)) {
	case HD_COL_NULL: hd_buf_adds(out, f->null); break;
	case HD_COL_INT: hd_buf_addf(out, "%" PRId64, hd_col_int(r, i)); break;
	case HD_COL_DOUBLE: real(out, hd_col_double(r, i), f->quote); break;
	case HD_COL_TEXT: f->text(out, p, n); break;
	case HD_COL_BLOB:
		hd_buf_adds(out, f->blob);
		hex(out, p, n < f->blob_bytes ? n : f->blob_bytes);
		hd_buf_adds(out, f->blob_end);
		break;
	}
}

static void table_cell(struct hd_table *t, const struct hd_db_rows *r, int i)
{
	struct hd_buf v = { 0 };
	size_t n;
	const char *p = hd_col_bytes(r, i, &n);

	add_value(&v, &table_form, r, i);
	cut(&v, p, n);
	hd_table_cell(t, v.data, v.len);
	hd_buf_release(&v);
}

/* ---- rows ---- */

/* Step to the next row.  Returns 1 if there is a row; 0 at the end, or with a warning at --limit; < 0 on errors. */
static int next(struct hd_db_rows *r, const struct query_opts *o, uint64_t *n, struct hd_log *log, struct hd_err *err)
{
	int rc = hd_db_next(r, err);

	if (rc <= 0)
		return rc;
	if (!o->limit || *n < o->limit) {
		++*n;
		return 1;
	}
	hd_warn(log, "lost.rows", "use a larger --limit", "only the first %u rows are shown", o->limit);
	return 0;
}

static int write_json(struct hd_outfile *out, struct hd_db_rows *r, const struct query_opts *o, struct hd_log *log,
	struct hd_err *err)
{
	struct hd_buf line = { 0 };
	uint64_t n = 0;
	int rc;

	hd_buf_adds(&line, "{\n  \"format\": \"hotdrift.query\",\n  \"version\": 1,\n  \"columns\": [");
	for (int i = 0; i < hd_col_count(r); i++) {
		hd_buf_adds(&line, i ? ", " : "");
		hd_stored_text_json(&line, hd_col_name(r, i), strlen(hd_col_name(r, i)));
	}
	hd_buf_adds(&line, "],\n  \"rows\": [");
	while ((rc = next(r, o, &n, log, err)) > 0) {
		hd_buf_adds(&line, n > 1 ? ",\n    [" : "\n    [");
		for (int i = 0; i < hd_col_count(r); i++) {
			hd_buf_adds(&line, i ? ", " : "");
			add_value(&line, &json_form, r, i);
		}
		hd_buf_addc(&line, ']');
		hd_outfile_add(out, line.data, line.len);
		hd_buf_reset(&line);
	}
	hd_buf_adds(&line, n ? "\n  ]\n}\n" : "]\n}\n");
	if (rc >= 0)
		hd_outfile_add(out, line.data, line.len);
	hd_buf_release(&line);
	return rc;
}

static int write_csv(struct hd_outfile *out, struct hd_db_rows *r, const struct query_opts *o, struct hd_log *log,
	struct hd_err *err)
{
	struct hd_buf line = { 0 };
	uint64_t n = 0;
	int rc;

	for (int i = 0; i < hd_col_count(r); i++) {
		hd_buf_adds(&line, i ? "," : "");
		hd_stored_text_csv(&line, hd_col_name(r, i), strlen(hd_col_name(r, i)));
	}
	do {
		hd_buf_addc(&line, '\n');
		hd_outfile_add(out, line.data, line.len);
		hd_buf_reset(&line);
		rc = next(r, o, &n, log, err);
		for (int i = 0; rc > 0 && i < hd_col_count(r); i++) {
			hd_buf_adds(&line, i ? "," : "");
			add_value(&line, &csv_form, r, i);
		}
	} while (rc > 0);
	hd_buf_release(&line);
	return rc;
}

static int write_table(struct hd_outfile *out, struct hd_db_rows *r, const struct query_opts *o, struct hd_log *log,
	struct hd_err *err)
{
	size_t n = (size_t)hd_col_count(r);
	struct hd_column *columns = hd_new_array(struct hd_column, n);
	struct hd_buf *titles = hd_new_array(struct hd_buf, n), text = { 0 };
	struct hd_table t;
	uint64_t rows = 0;
	int rc;

	for (size_t i = 0; i < n; i++) {
		hd_stored_text_term(&titles[i], hd_col_name(r, (int)i), strlen(hd_col_name(r, (int)i)));
		cut(&titles[i], hd_col_name(r, (int)i), strlen(hd_col_name(r, (int)i)));
		columns[i].title = titles[i].data;
	}
	hd_table_init(&t, columns, n);
	while ((rc = next(r, o, &rows, log, err)) > 0) {
		for (size_t i = 0; i < n; i++) {
			enum hd_col_kind kind = hd_col_kind(r, (int)i);

			if (rows == 1)		/* the first row decides which columns are numbers */
				columns[i].right = kind == HD_COL_INT || kind == HD_COL_DOUBLE;
			table_cell(&t, r, (int)i);
		}
	}
	if (rc >= 0) {
		hd_table_text(&text, &t, "");
		hd_outfile_add(out, text.data, text.len);
	}
	hd_table_release(&t);
	for (size_t i = 0; i < n; i++)
		hd_buf_release(&titles[i]);
	hd_buf_release(&text);
	free(titles);
	free(columns);
	return rc;
}

static int answer(struct hd_db *db, const char *sql, char **values, int n, const struct query_opts *o,
	struct hd_log *log, struct hd_err *err)
{
	struct hd_outfile out;
	struct hd_db_rows r;
	int rc;

	rc = hd_db_query_user(&r, db, sql, values, n, err);
	if (rc < 0)
		return rc;
	rc = hd_outfile_open(&out, o->out, err);
	if (rc >= 0) {
		rc = o->json     ? write_json(&out, &r, o, log, err)
			: o->csv ? write_csv(&out, &r, o, log, err)
				 : write_table(&out, &r, o, log, err);
		if (rc >= 0)
			rc = hd_outfile_commit(&out, err);
		else
			hd_outfile_discard(&out);
	}
	hd_db_end(&r);
	return rc;
}

static int query_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct query_opts *o = opts;
	const char *sql = o->name ? find(o->name, err) : argc ? argv[0] : NULL;
	struct hd_buf text = { 0 };
	struct hd_db *db;
	int rc;

	hd_terminal_begin(&text, &o->term, o->out);
	if (o->list) {
		list(&text);
		return hd_output_write(o->out, &text, err);
	}
	if (!sql)
		return o->name ? HD_EUSAGE
			       : hd_fail(err, HD_EUSAGE, "query: SQL or --name NAME is missing; --list lists "
			       	"the names");
	rc = hd_db_option_open(&db, &o->db, HD_DB_QUERY, o->timeout_ms, err);
	if (rc < 0)
		return rc;
	rc = answer(db, sql, o->name ? argv : argv + 1, o->name ? argc : argc - 1, o, log, err);
	hd_db_close(db);
	return rc;
}

const struct hd_cmd hd_cmd_query = {
	.name = "query",
	.args = "[SQL] [VALUE...]",
	.summary = "query the database in SQL, read-only",
	.details =
		"SQL is one SELECT; $1, $2, ... in it are the VALUEs.  The views v_top5, v_symbol_history and "
		"v_run_summary are stable across versions; schema/001_init.sql describes the tables.  Shares (_pct) "
		"are in per cent of the event's weight.  Nothing is written, no other file is opened, and time, rows "
		"and memory are bounded.\n"
		"\n"
		"Names are escaped: a byte that could do harm is \\xHH or \\u{H..}, a backslash \\\\.  In a table "
		"NULL is NULL (the text NULL is \\x4eULL), empty text is \\e, and cells of more than 100 columns end "
		"in ~ and a checksum.  CSV and JSON hold every byte.\n"
		"\n"
		"Exit: 2 for invalid SQL; 6 if there is no database, or time or memory ran out.",
	.examples =
		"hotdrift query --name top5\tthe latest runs\n"
		"hotdrift query --name symbol-history parse_row\tone symbol over time\n"
		"hotdrift query --csv 'SELECT run_id, samples FROM v_run_summary WHERE target = $1' serve\tany SQL\n"
		"",
	HD_CMD_OPTS(query_opts, query_defaults),
	.groups = query_groups,
	.max_args = -1,
	.run = query_run,
};
