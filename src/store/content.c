/*
 * content.c - see content.h
 */
#include "store/content.h"

#include "base/hex.h"
#include "base/mem.h"

#include <assert.h>
#include <string.h>

/*
 * What a run says, table by table; $1 is run.id.  The order and the columns are the format: new ones go to the end, with a
 * number.  Of a name with a number nothing is hashed when there is no row, so that a run from before them keeps its hash.
 */
static const struct { const char *table, *sql; } parts[] = {
	{ "run", "SELECT recorded_utc, added_utc, target, target_raw, mode, status, command, command_raw, exit_status, session, "
		 "session_raw, boot_id, inline_mode, dirty, branch, branch_raw, samples_read, samples_kept, hotdrift "
		 "FROM run WHERE id = $1" },
	{ "commit", "SELECT c.sha FROM run r JOIN commit_info c ON c.id = r.commit_id WHERE r.id = $1" },
	{ "machine", "SELECT m.fingerprint, m.key, m.source, m.arch, m.cpu_model, m.cpu_id, m.cpu_flags, m.cpus_online, m.smt, "
		     "m.memory_bytes, m.kernel, m.microcode, m.governor, m.hostname "
		     "FROM run r JOIN machine m ON m.id = r.machine_id WHERE r.id = $1" },
	{ "config", "SELECT c.sha256, c.form, c.canonical FROM run r JOIN config c ON c.id = r.config_id WHERE r.id = $1" },
	{ "artifact", "SELECT ordinal, kind, path, path_raw, bytes, sha256 FROM artifact WHERE run_id = $1 ORDER BY ordinal" },
	{ "dropped", "SELECT reason, samples FROM dropped WHERE run_id = $1 ORDER BY ordinal" },
	{ "run_warning", "SELECT code, count, message, message_raw FROM run_warning WHERE run_id = $1 ORDER BY ordinal" },
	{ "event", "SELECT event, name, name_raw, unit, unit_raw, weight, samples, lost, stacks FROM event WHERE run_id = $1 "
		   "ORDER BY event" },
	{ "hotspot", "SELECT h.event, h.rank, s.object, s.object_raw, s.linkage, s.linkage_raw, s.name, s.name_raw, "
		     "o.path, o.path_raw, o.build_id, o.kernel, h.vaddr, h.self, h.total, h.samples, h.inline_self, h.inline_total "
		     "FROM hotspot h JOIN symbol s ON s.id = h.symbol_id JOIN object o ON o.id = h.object_id "
		     "WHERE h.run_id = $1 ORDER BY h.event, h.rank" },
	{ "series", "SELECT series, kind, name, name_raw, unit, samples, csv FROM series WHERE run_id = $1 ORDER BY series" },
	{ "series_summary", "SELECT series, stat, value, lo, hi FROM series_summary WHERE run_id = $1 ORDER BY series, ordinal" },
	{ "run 2", "SELECT work, selection, selection_raw, side FROM run WHERE id = $1 "
		   "AND (work IS NOT NULL OR selection IS NOT NULL OR side IS NOT NULL)" },
	{ "event 2", "SELECT event, symbols, rest_symbols, effective_samples FROM event WHERE run_id = $1 "
		     "AND (symbols IS NOT NULL OR rest_symbols IS NOT NULL OR effective_samples IS NOT NULL) ORDER BY event" },
	{ "event 3", "SELECT event, frequency_hz, period, throttled, unthrottled, silent, enabled_ns, running_ns FROM event WHERE run_id = $1 "
		     "AND (frequency_hz IS NOT NULL OR period IS NOT NULL OR throttled IS NOT NULL OR enabled_ns IS NOT NULL) ORDER BY event" },
};

size_t hd_content_parts(void)
{
	return HD_COUNT(parts);
}

const char *hd_content_name(size_t part)
{
	return parts[part].table;
}

size_t hd_content_find(const char *name)
{
	size_t part = 0;

	while (part < HD_COUNT(parts) && strcmp(parts[part].table, name))
		part++;
	return part;
}

int hd_content_ask(struct hd_db_rows *r, struct hd_db *db, size_t part, int64_t run, struct hd_err *err)
{
	return hd_db_ask(r, db, err, parts[part].sql, "i", run);
}

size_t hd_content_cells(const struct hd_db_rows *r, struct hd_cell *cells)
{
	int n = hd_col_count(r);

	assert(n <= HD_CONTENT_COLUMNS);
	for (int i = 0; i < n; i++) {
		struct hd_cell *c = &cells[i];

		*c = (struct hd_cell){ .kind = hd_col_kind(r, i) };
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

/* ---- the text ---- */

void hd_content_begin(struct hd_content *c)
{
	*c = (struct hd_content){ .sum = hd_sha256_new() };
	hd_sha256_add(c->sum, "hotdrift run 1\n", strlen("hotdrift run 1\n"));
}

static void add_name(struct hd_content *c, size_t part)
{
	hd_sha256_add(c->sum, parts[part].table, strlen(parts[part].table));
	hd_sha256_add(c->sum, "\n", 1);
}

/* The names of the parts before this one: those that had no rows, too, but for the later ones with a number. */
static void name_until(struct hd_content *c, size_t part)
{
	for (; c->part < part; c->part++)
		if (!strchr(parts[c->part].table, ' '))
			add_name(c, c->part);
}

static void add_cell(struct hd_buf *text, const struct hd_cell *c)
{
	switch (c->kind) {		/* the two that most cells are go without a format */
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

int hd_content_row(struct hd_content *c, size_t part, const struct hd_cell *cells, size_t n)
{
	if (part + 1 < c->part)
		return -1;
	if (c->part <= part) {
		name_until(c, part);
		add_name(c, part);
		c->part = part + 1;
	}
	hd_buf_reset(&c->text);
	for (size_t i = 0; i < n; i++)
		add_cell(&c->text, &cells[i]);
	hd_sha256_add(c->sum, hd_buf_str(&c->text), c->text.len);
	return 0;
}

void hd_content_end(struct hd_content *c, char hex[HD_SHA256_HEX])
{
	uint8_t bytes[HD_SHA256_BYTES];

	name_until(c, HD_COUNT(parts));
	hd_sha256_end(c->sum, bytes);
	hd_hex(bytes, sizeof(bytes), hex);
	hd_buf_release(&c->text);
	*c = (struct hd_content){ 0 };
}
