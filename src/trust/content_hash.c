/*
 * content_hash.c - see content_hash.h
 */
#include "trust/content_hash.h"

#include "base/hex.h"
#include "base/mem.h"

#include <assert.h>
#include <string.h>

struct part {
	const char *table;
	/* query for the rows to hash: $1 is a list of run.id; the last column is run.id, which is not hashed */
	const char *sql;
};

/*
 * Form 1: runs that were added before schema 010.  What these queries select must never change.  A part whose name has
 * a number ("run 2") holds columns of a later schema: if it has no rows, its name is not hashed either, so that runs
 * from before that schema keep their hashes.
 */
static const struct part form1[] = {
	{ "run",
		"SELECT recorded_utc, added_utc, target, target_raw, mode, status, command, command_raw, exit_status, "
		"session, session_raw, boot_id, inline_mode, dirty, branch, branch_raw, samples_read, samples_kept, "
		"hotdrift, id FROM run WHERE id IN [$1] ORDER BY id" },
	{ "commit",
		"SELECT c.sha, r.id FROM run r JOIN commit_info c ON c.id = r.commit_id WHERE r.id IN [$1] ORDER BY "
		"r.id" },
	{ "machine",
		"SELECT m.fingerprint, m.key, m.source, m.arch, m.cpu_model, m.cpu_id, m.cpu_flags, m.cpus_online, "
		"m.smt, m.memory_bytes, m.kernel, m.microcode, m.governor, m.hostname, r.id FROM run r JOIN machine m "
		"ON m.id = r.machine_id WHERE r.id IN [$1] ORDER BY r.id" },
	{ "config",
		"SELECT c.sha256, c.form, c.canonical, r.id FROM run r JOIN config c ON c.id = r.config_id WHERE r.id "
		"IN [$1] ORDER BY r.id" },
	{ "artifact",
		"SELECT ordinal, kind, path, path_raw, bytes, sha256, run_id FROM artifact WHERE run_id IN [$1] ORDER "
		"BY run_id, ordinal" },
	{ "dropped",
		"SELECT reason, samples, run_id FROM dropped WHERE run_id IN [$1] ORDER BY run_id, ordinal" },
	{ "run_warning",
		"SELECT code, count, message, message_raw, run_id FROM run_warning WHERE run_id IN [$1] ORDER BY "
		"run_id, ordinal" },
	{ "event",
		"SELECT event, name, name_raw, unit, unit_raw, weight, samples, lost, stacks, run_id FROM event WHERE "
		"run_id IN [$1] ORDER BY run_id, event" },
	{ "hotspot",
		"SELECT h.event, h.rank, s.object, s.object_raw, s.linkage, s.linkage_raw, s.name, s.name_raw, "
		"o.path, o.path_raw, o.build_id, o.kernel, h.vaddr, h.self, h.total, h.samples, h.inline_self, "
		"h.inline_total, h.run_id FROM hotspot h JOIN symbol s ON s.id = h.symbol_id JOIN object o ON o.id = "
		"h.object_id WHERE h.run_id IN [$1] ORDER BY h.run_id, h.event, h.rank" },
	{ "series",
		"SELECT series, kind, name, name_raw, unit, samples, csv, run_id FROM series WHERE run_id IN [$1] "
		"ORDER BY run_id, series" },
	{ "series_summary",
		"SELECT series, stat, value, lo, hi, run_id FROM series_summary WHERE run_id IN [$1] ORDER BY run_id, "
		"series, ordinal" },
	{ "run 2",
		"SELECT work, selection, selection_raw, side, id FROM run WHERE id IN [$1] AND (work IS NOT NULL OR "
		"selection IS NOT NULL OR side IS NOT NULL) ORDER BY id" },
	{ "event 2",
		"SELECT event, symbols, rest_symbols, effective_samples, run_id FROM event WHERE run_id IN [$1] AND "
		"(symbols IS NOT NULL OR rest_symbols IS NOT NULL OR effective_samples IS NOT NULL) ORDER BY run_id, "
		"event" },
	{ "event 3",
		"SELECT event, frequency_hz, period, throttled, unthrottled, silent, enabled_ns, running_ns, run_id "
		"FROM event WHERE run_id IN [$1] AND (frequency_hz IS NOT NULL OR period IS NOT NULL OR throttled IS "
		"NOT NULL OR enabled_ns IS NOT NULL) ORDER BY run_id, event" },
	/* Columns that are NULL in all runs of form 1.  They are hashed to reveal values that were added by hand. */
	{ "run 3",
		"SELECT selection_raw, compiler, load_average, environment_id, id FROM run WHERE id IN [$1] AND "
		"((selection_raw IS NOT NULL AND work IS NULL AND selection IS NULL AND side IS NULL) OR compiler IS "
		"NOT NULL OR load_average IS NOT NULL OR environment_id IS NOT NULL) ORDER BY id" },
	{ "series 2",
		"SELECT series, method, run_id FROM series WHERE run_id IN [$1] AND method IS NOT NULL ORDER BY "
		"run_id, series" },
	{ "benchmark_cover 2",
		"SELECT series, ordinal, symbol, symbol_raw, run_id FROM benchmark_cover WHERE run_id IN [$1] ORDER "
		"BY run_id, series, ordinal" },
	{ "event 4",
		"SELECT event, unthrottled, silent, running_ns, call_graph, stack_bytes, run_id FROM event WHERE "
		"run_id IN [$1] AND ((frequency_hz IS NULL AND period IS NULL AND throttled IS NULL AND enabled_ns IS "
		"NULL AND (unthrottled IS NOT NULL OR silent IS NOT NULL OR running_ns IS NOT NULL)) OR call_graph IS "
		"NOT NULL OR stack_bytes IS NOT NULL) ORDER BY run_id, event" },
};

/*
 * Form 2: new runs.  A cell is hashed with the number of its column, and NULL is skipped.  So columns of later schemas
 * can be appended to the lists, and old runs keep their hashes.
 */
static const struct part form2[] = {
	{ "run",
		"SELECT recorded_utc, added_utc, target, target_raw, mode, status, command, command_raw, exit_status, "
		"session, session_raw, boot_id, inline_mode, dirty, branch, branch_raw, samples_read, samples_kept, "
		"hotdrift, work, selection, selection_raw, side, compiler, load_average, (SELECT v.variables FROM "
		"environment v WHERE v.id = run.environment_id), id FROM run WHERE id IN [$1] ORDER BY id" },
	{ "commit",
		"SELECT c.sha, r.id FROM run r JOIN commit_info c ON c.id = r.commit_id WHERE r.id IN [$1] ORDER BY "
		"r.id" },
	{ "machine",
		"SELECT m.fingerprint, m.key, m.source, m.arch, m.cpu_model, m.cpu_id, m.cpu_flags, m.cpus_online, "
		"m.smt, m.memory_bytes, m.kernel, m.microcode, m.governor, m.hostname, r.id FROM run r JOIN machine m "
		"ON m.id = r.machine_id WHERE r.id IN [$1] ORDER BY r.id" },
	{ "config",
		"SELECT c.sha256, c.form, c.canonical, r.id FROM run r JOIN config c ON c.id = r.config_id WHERE r.id "
		"IN [$1] ORDER BY r.id" },
	{ "artifact",
		"SELECT ordinal, kind, path, path_raw, bytes, sha256, run_id FROM artifact WHERE run_id IN [$1] ORDER "
		"BY run_id, ordinal" },
	{ "dropped",
		"SELECT reason, samples, ordinal, run_id FROM dropped WHERE run_id IN [$1] ORDER BY run_id, ordinal" },
	{ "run_warning",
		"SELECT code, count, message, message_raw, ordinal, run_id FROM run_warning WHERE run_id IN [$1] "
		"ORDER BY run_id, ordinal" },
	{ "event",
		"SELECT event, name, name_raw, unit, unit_raw, weight, samples, lost, stacks, symbols, rest_symbols, "
		"effective_samples, frequency_hz, period, throttled, unthrottled, silent, enabled_ns, running_ns, "
		"call_graph, stack_bytes, run_id FROM event WHERE run_id IN [$1] ORDER BY run_id, event" },
	{ "hotspot",
		"SELECT h.event, h.rank, s.object, s.object_raw, s.linkage, s.linkage_raw, s.name, s.name_raw, "
		"o.path, o.path_raw, o.build_id, o.kernel, h.vaddr, h.self, h.total, h.samples, h.inline_self, "
		"h.inline_total, h.run_id FROM hotspot h JOIN symbol s ON s.id = h.symbol_id JOIN object o ON o.id = "
		"h.object_id WHERE h.run_id IN [$1] ORDER BY h.run_id, h.event, h.rank" },
	{ "series",
		"SELECT series, kind, name, name_raw, unit, samples, csv, method, run_id FROM series WHERE run_id IN "
		"[$1] ORDER BY run_id, series" },
	{ "series_summary",
		"SELECT series, stat, value, lo, hi, ordinal, run_id FROM series_summary WHERE run_id IN [$1] ORDER "
		"BY run_id, series, ordinal" },
	{ "benchmark_cover",
		"SELECT series, ordinal, symbol, symbol_raw, run_id FROM benchmark_cover WHERE run_id IN [$1] ORDER "
		"BY run_id, series, ordinal" },
};

static const struct form {
	const char *head;
	const struct part *parts;
	size_t n;
} forms[] = {
	{ "hotdrift run 1\n", form1, HD_COUNT(form1) },
	{ "hotdrift run 2\n", form2, HD_COUNT(form2) },
};

static const struct form *of(int form)
{
	assert(hd_content_hash_has_form(form));
	return &forms[form - 1];
}

bool hd_content_hash_has_form(int64_t form)
{
	return form >= 1 && form <= (int64_t)HD_COUNT(forms);
}

size_t hd_content_hash_parts(int form)
{
	return of(form)->n;
}

const char *hd_content_hash_part_name(int form, size_t part)
{
	return of(form)->parts[part].table;
}

size_t hd_content_hash_find_part(int form, const char *name)
{
	const struct form *f = of(form);
	size_t part = 0;

	while (part < f->n && strcmp(f->parts[part].table, name))
		part++;
	return part;
}

int hd_content_hash_query(struct hd_db_rows *r, struct hd_db *db, int form, size_t part, const int64_t *runs, size_t n,
	struct hd_err *err)
{
	assert(hd_content_hash_parts(form) <= HD_CONTENT_HASH_PARTS);
	return hd_db_query(r, db, err, of(form)->parts[part].sql, "l", runs, n);
}

size_t hd_content_hash_run_cells(const struct hd_db_rows *r, struct hd_content_cell *cells, int64_t *run)
{
	size_t n = hd_content_hash_cells(r, cells);

	*run = hd_col_int(r, (int)n - 1);
	return n - 1;
}

size_t hd_content_hash_cells(const struct hd_db_rows *r, struct hd_content_cell *cells)
{
	int n = hd_col_count(r);

	assert(n <= HD_CONTENT_HASH_COLUMNS);
	for (int i = 0; i < n; i++) {
		struct hd_content_cell *c = &cells[i];

		*c = (struct hd_content_cell){ .kind = hd_col_kind(r, i) };
		switch (c->kind) {
		case HD_COL_NULL: break;
		case HD_COL_INT: c->i = hd_col_int(r, i); break;
		case HD_COL_DOUBLE: c->d = hd_col_double(r, i); break;
		case HD_COL_TEXT:
		case HD_COL_BLOB: c->p = hd_col_bytes(r, i, &c->n); break;
		}
	}
	return (size_t)n;
}

/* ---- columns by name ---- */

/* Return the index of a column in a SELECT list; SIZE_MAX if it is not in the list. */
static size_t find_column(const char *sql, const char *name)
{
	const char *start = sql + strlen("SELECT ");
	size_t n = strlen(name), column = 0;
	int depth = 0;

	for (const char *at = start; *at; at++) {
		bool is_end = !depth && !strncmp(at, " FROM ", 6);

		depth += (*at == '(') - (*at == ')');
		if (!is_end && (depth || *at != ','))
			continue;
		if ((size_t)(at - start) >= n && !memcmp(at - n, name, n) && (at - n == start || *(at - n - 1) == '.'))
			return column;
		if (is_end)
			break;
		start = at + strlen(", ");
		column++;
	}
	return SIZE_MAX;
}

bool hd_content_row_is_of(const struct hd_content_row *row, const char *part)
{
	return !strcmp(hd_content_hash_part_name(row->form, row->part), part);
}

const struct hd_content_cell *hd_content_row_cell(const struct hd_content_row *row, const char *column)
{
	static const struct hd_content_cell none = { .kind = HD_COL_NULL };
	size_t i = find_column(of(row->form)->parts[row->part].sql, column);

	return i < row->n ? &row->cells[i] : &none;
}

int64_t hd_content_row_int(const struct hd_content_row *row, const char *column)
{
	const struct hd_content_cell *c = hd_content_row_cell(row, column);

	return c->kind == HD_COL_INT ? c->i : 0;
}

char *hd_content_row_text(const struct hd_content_row *row, const char *column)
{
	const struct hd_content_cell *c = hd_content_row_cell(row, column);

	return c->kind == HD_COL_TEXT ? hd_strndup(c->p, strnlen(c->p, c->n)) : NULL;
}

/* ---- the text ---- */

void hd_content_hash_begin(struct hd_content_hash *c, int form)
{
	*c = (struct hd_content_hash){ .sum = hd_sha256_new(), .form = form };
	hd_sha256_add(c->sum, of(form)->head, strlen(of(form)->head));
}

static void add_name(struct hd_content_hash *c, size_t part)
{
	const char *name = hd_content_hash_part_name(c->form, part);

	hd_sha256_add(c->sum, name, strlen(name));
	hd_sha256_add(c->sum, "\n", 1);
}

/*
 * Advance to `part` of a run's content.  The parts that are skipped have no rows.  In form 1 their names are hashed as
 * well, except names with a number ("run 2").
 */
static void name_until(struct hd_content_hash *c, size_t part)
{
	for (; c->part < part; c->part++)
		if (c->form == 1 && !strchr(hd_content_hash_part_name(c->form, c->part), ' '))
			add_name(c, c->part);
}

static void add_cell(struct hd_buf *text, const struct hd_content_cell *c)
{
	/* The most frequent kinds of cells are written without a format string, because formatting is slow. */
	switch (c->kind) {
	case HD_COL_NULL:
		hd_buf_adds(text, "-\n");
		break;
	case HD_COL_INT:
		hd_buf_adds(text, c->i < 0 ? "i-" : "i");
		hd_buf_addu(text, c->i < 0 ? -(uint64_t)c->i : (uint64_t)c->i);
		hd_buf_addc(text, '\n');
		break;
	case HD_COL_DOUBLE:
		hd_buf_addf(text, "d%.17g\n", c->d);
		break;
	case HD_COL_TEXT:
	case HD_COL_BLOB:
		hd_buf_addc(text, c->kind == HD_COL_TEXT ? 't' : 'b');
		hd_buf_addu(text, c->n);
		hd_buf_addc(text, ':');
		hd_buf_add(text, c->p, c->n);
		hd_buf_addc(text, '\n');
		break;
	}
}

void hd_content_hash_row_text(struct hd_buf *text, const struct hd_content_cell *cells, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (cells[i].kind == HD_COL_NULL)
			continue;
		hd_buf_addu(text, i);
		add_cell(text, &cells[i]);
	}
	hd_buf_addc(text, '\n');
}

int hd_content_hash_row(struct hd_content_hash *c, size_t part, const struct hd_content_cell *cells, size_t n)
{
	if (part + 1 < c->part)
		return -1;
	if (c->part <= part) {
		name_until(c, part);
		add_name(c, part);
		c->part = part + 1;
	}
	hd_buf_reset(&c->text);
	if (c->form == 1)
		for (size_t i = 0; i < n; i++)
			add_cell(&c->text, &cells[i]);
	else
		hd_content_hash_row_text(&c->text, cells, n);
	hd_sha256_add(c->sum, hd_buf_str(&c->text), c->text.len);
	return 0;
}

void hd_content_hash_end(struct hd_content_hash *c, char hex[HD_SHA256_HEX])
{
	uint8_t bytes[HD_SHA256_BYTES];

	name_until(c, hd_content_hash_parts(c->form));
	hd_sha256_end(c->sum, bytes);
	hd_hex(bytes, sizeof(bytes), hex);
	hd_buf_release(&c->text);
	*c = (struct hd_content_hash){ 0 };
}
