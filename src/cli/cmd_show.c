/*
 * cmd_show.c - hotdrift show [RUN]: everything about one run
 */
#include "base/encode.h"
#include "base/mem.h"
#include "cli/db_option.h"
#include "db/blob.h"
#include "cli/input.h"
#include "render/fields.h"
#include "render/run_report.h"
#include "render/stored_series.h"
#include "render/stored_text.h"
#include "cli/terminal.h"
#include "render/table.h"
#include "render/unit_text.h"
#include "history/environment.h"
#include "history/run_lookup.h"
#include "history/run_set.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct show_opts {
	struct hd_terminal term;
	struct hd_db_option db;
	const char *against, *event, *series, *target, *out;
	unsigned limit;
	bool json, csv;
};

static const struct show_opts show_defaults = { .limit = 20 };

static const struct hd_opt show_opts[] = {
	{ HD_OPT_UINT, 'n', "limit", "N",
		"the N costliest symbols of each event, or the first N rows of series (default 20, 0 lists all)",
		offsetof(struct show_opts, limit) },
	{ HD_OPT_STR, 0, "event", "NAME", "only this event", offsetof(struct show_opts, event) },
	{ HD_OPT_STR, 0, "against", "RUN",
		"only what changed in the top five since RUN; 'last' is the last comparable run",
		offsetof(struct show_opts, against) },
	{ HD_OPT_MAYBE, 0, "series", "NAME",
		"print the stored rows of the CSV files; NAME: of this kind (latency, memory, ...) or with this series",
		offsetof(struct show_opts, series) },
	{ HD_OPT_STR, 0, "target", "NAME", "select among the runs of a commit by target",
		offsetof(struct show_opts, target) },
	HD_ROW_JSON(struct show_opts, "hotdrift.show; with --series hotdrift.series"),
	{ HD_OPT_FLAG, 0, "csv", NULL, "with --series: print the stored file, byte by byte",
		offsetof(struct show_opts, csv) },
	HD_ROW_OUTPUT(struct show_opts),
	{ 0 },
};
static const struct hd_opt_group show_groups[] = { HD_DB_OPTION_GROUP(struct show_opts, db),
	HD_TERMINAL_GROUP(struct show_opts, term), { NULL, NULL, 0 } };

/* ---- text ---- */

static void field(struct hd_buf *out, const char *label, const char *text)
{
	if (!text)
		return;
	hd_buf_addf(out, "%-12s ", label);
	hd_enc_term(out, text, strlen(text));
	hd_buf_addc(out, '\n');
}

static void number(struct hd_buf *out, const char *label, int64_t n)
{
	if (n >= 0)
		hd_buf_addf(out, "%-12s %" PRId64 "\n", label, n);
}

static void loss(struct hd_buf *out, const struct hd_stored_loss *l)
{
	struct hd_buf reason = { 0 }, text = { 0 };

	hd_enc_term(&reason, l->reason, strlen(l->reason));
	if (*l->text)
		hd_enc_term(&text, l->text, strlen(l->text));
	hd_buf_addf(out, "%-12s %" PRId64 " %s%s%s\n", *l->text ? "warning" : "dropped", l->count, hd_buf_str(&reason),
		*l->text ? ": " : "", hd_buf_str(&text));
	hd_buf_release(&reason);
	hd_buf_release(&text);
}

static void artifact(struct hd_buf *out, const struct hd_stored_artifact *a)
{
	struct hd_buf kind = { 0 };

	hd_enc_term(&kind, a->kind, strlen(a->kind));
	hd_buf_addf(out, "%-12s ", hd_buf_str(&kind));
	hd_enc_term(out, a->path, strlen(a->path));
	if (a->bytes >= 0)
		hd_buf_addf(out, ", %" PRId64 " bytes", a->bytes);
	if (a->sha256) {
		hd_buf_adds(out, ", sha256 ");
		hd_enc_term(out, a->sha256, strlen(a->sha256));
	}
	hd_buf_addc(out, '\n');
	hd_buf_release(&kind);
}

/* Print the variables that hotdrift.ini named, with their values or "(not set)", and the number of the others. */
static void variables(struct hd_buf *out, const char *text)
{
	struct hd_environment_variable v;
	size_t others = 0;

	while (text && hd_environment_next(&text, &v)) {
		others += !v.named;
		if (!v.named)
			continue;
		hd_buf_addf(out, "%-12s ", "variable");
		hd_stored_text_term(out, v.name, v.name_len);
		hd_buf_addc(out, v.value ? '=' : ' ');
		hd_stored_text_term(out, v.value ? v.value : "(not set)", v.value ? v.value_len : strlen("(not set)"));
		hd_buf_addc(out, '\n');
	}
	if (others)
		hd_buf_addf(out, "%-12s %zu others, of which only the names are stored\n", "variables", others);
}

static void head_text(struct hd_buf *out, const struct hd_stored_run *p)
{
	field(out, "run", p->id);
	field(out, "target", p->target);
	field(out, "mode", p->mode);
	field(out, "status", p->status);
	number(out, "exit status", p->exit_status);
	field(out, "recorded", p->recorded);
	field(out, "added", p->added);
	field(out, "command", p->command);
	field(out, "commit", p->commit);
	if (p->dirty >= 0)
		field(out, "modified", p->dirty ? "yes" : "no");
	field(out, "branch", p->branch);
	field(out, "subject", p->subject);
	field(out, "committed", p->committed);
	field(out, "config", p->config);
	field(out, "cpu", p->cpu_model);
	number(out, "cpus", p->cpus_online);
	field(out, "smt", p->smt);
	if (p->memory_bytes >= 0) {
		hd_buf_addf(out, "%-12s ", "memory");
		hd_unit_text_add(out, (uint64_t)p->memory_bytes, "bytes");
		hd_buf_addc(out, '\n');
	}
	field(out, "kernel", p->kernel);
	field(out, "governor", p->governor);
	field(out, "host", p->hostname);
	field(out, "session", p->session);
	field(out, "side", p->side);
	if (!isnan(p->work))
		hd_buf_addf(out, "%-12s %.15g\n", "work", p->work);
	field(out, "selection", p->selection);
	field(out, "self cost", p->inline_mode);
	field(out, "compiler", p->compiler);
	if (!isnan(p->load_average))
		hd_buf_addf(out, "%-12s %.2f\n", "load average", p->load_average);
	variables(out, p->variables);
	for (size_t i = 0; i < p->nartifacts; i++)
		artifact(out, &p->artifacts[i]);
	number(out, "samples read", p->read);
	number(out, "samples kept", p->kept);
	for (size_t i = 0; i < p->ndropped; i++)
		loss(out, &p->dropped[i]);
	for (size_t i = 0; i < p->nwarnings; i++)
		loss(out, &p->warnings[i]);
	hd_buf_addf(out, "%-12s %" PRId64 " of its chain\n", "number", p->seq);
	field(out, "hash", p->run_hash);
	field(out, "follows", p->prev_hash);
}

static const struct hd_column columns[] = {
	{ "rank", true, false }, { "self", true, false }, { "total", true, false }, { "samples", true, false },
	{ "symbol (object)", false, false },
};

static void event_text(struct hd_buf *out, const struct hd_stored_event *e)
{
	struct hd_buf b = { 0 }, v = { 0 };
	struct hd_table t;

	hd_unit_text_add(&b, e->weight > 0 ? (uint64_t)e->weight : 0, e->unit);
	hd_buf_addc(out, '\n');
	hd_enc_term(out, e->name, strlen(e->name));
	hd_enc_visible(&v, b.data, b.len);
	hd_buf_addf(out, ": %" PRId64 " sample%s, %s, %" PRId64 " lost, %" PRId64 " symbol%s%s\n", e->samples,
		e->samples == 1 ? "" : "s", hd_buf_str(&v), e->lost, e->symbols, e->symbols == 1 ? "" : "s",
		e->stacks ? ", stacks kept" : "");
	hd_buf_reset(&b);
	hd_rate_text(&b, &e->rate);
	if (b.len)
		hd_buf_addf(out, "sampling %s\n", b.data);
	hd_table_init(&t, columns, HD_COUNT(columns));
	for (size_t i = 0; i < e->nhotspots; i++) {
		const struct hd_stored_hotspot *h = &e->hotspots[i];

		hd_table_cellf(&t, "%" PRId64, h->rank);
		hd_table_cellf(&t, "%.2f%%", hd_run_load_pct(h->self, e->weight));
		hd_table_cellf(&t, "%.2f%%", hd_run_load_pct(h->total, e->weight));
		hd_table_cellf(&t, "%" PRId64, h->samples);
		hd_buf_reset(&b);
		hd_run_report_symbol(&b, h, 0);
		hd_table_string(&t, b.data);
	}
	if (e->nhotspots)
		hd_table_text(out, &t, "");
	hd_table_release(&t);
	hd_buf_release(&b);
	hd_buf_release(&v);
}

static void show_text(struct hd_buf *out, const struct hd_stored_run *p, size_t first, size_t end)
{
	head_text(out, p);
	hd_run_report_series(out, p);
	for (size_t i = first; i < end; i++)
		event_text(out, &p->events[i]);
}

/* ---- JSON ---- */

static void machine_json(struct hd_jsonw *w, const struct hd_stored_run *p)
{
	hd_jsonw_open(w, "machine_info", '{');
	hd_jsonw_str(w, "source", p->machine_source);
	hd_jsonw_str(w, "arch", p->arch);
	hd_jsonw_str(w, "cpu_model", p->cpu_model);
	if (p->cpus_online >= 0)
		hd_jsonw_i64(w, "cpus_online", p->cpus_online);
	hd_jsonw_str(w, "smt", p->smt);
	if (p->memory_bytes >= 0)
		hd_jsonw_i64(w, "memory_bytes", p->memory_bytes);
	hd_jsonw_str(w, "kernel", p->kernel);
	hd_jsonw_str(w, "microcode", p->microcode);
	hd_jsonw_str(w, "governor", p->governor);
	hd_jsonw_str(w, "hostname", p->hostname);
	hd_jsonw_close(w, '}');
}

static void surroundings_json(struct hd_jsonw *w, const struct hd_stored_run *p)
{
	const char *text = p->variables;
	struct hd_environment_variable v;

	hd_jsonw_str(w, "compiler", p->compiler);
	hd_jsonw_num(w, "load_average", p->load_average, 2);
	hd_jsonw_open(w, "variables", '[');
	while (text && hd_environment_next(&text, &v)) {
		hd_jsonw_row(w, NULL, '{');
		hd_jsonw_strn(w, "name", v.name, v.name_len);
		hd_jsonw_bool(w, "named", v.named);
		if (v.value)
			hd_jsonw_strn(w, "value", v.value, v.value_len);
		else
			hd_jsonw_null(w, "value");
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
}

static const struct hd_fields artifact_fields = HD_FIELDS(
	HD_FIELD("kind", NULL, TEXT, struct hd_stored_artifact, kind),
	HD_FIELD("path", NULL, TEXT, struct hd_stored_artifact, path),
	HD_FIELD("bytes", NULL, COUNT_IF, struct hd_stored_artifact, bytes),
	HD_FIELD("sha256", NULL, TEXT, struct hd_stored_artifact, sha256));
static const struct hd_fields warning_fields = HD_FIELDS(
	HD_FIELD("code", NULL, TEXT, struct hd_stored_loss, reason),
	HD_FIELD("count", NULL, INT, struct hd_stored_loss, count),
	HD_FIELD("text", NULL, TEXT, struct hd_stored_loss, text));

static void losses_json(struct hd_jsonw *w, const struct hd_stored_run *p)
{
	hd_jsonw_open(w, "samples", '{');
	hd_jsonw_i64(w, "read", p->read);
	hd_jsonw_i64(w, "kept", p->kept);
	hd_jsonw_open(w, "reasons", '{');
	for (size_t i = 0; i < p->ndropped; i++)
		hd_jsonw_i64(w, p->dropped[i].reason, p->dropped[i].count);
	hd_jsonw_close(w, '}');
	hd_jsonw_close(w, '}');
	hd_fields_array(w, "warnings", &warning_fields, p->warnings, p->nwarnings, sizeof(*p->warnings));
}

static void show_json(struct hd_buf *out, const struct hd_stored_run *p, size_t first, size_t end,
	const struct hd_run_pair *pair)
{
	struct hd_jsonw w = hd_jsonw_document(out, "hotdrift.show", 1);

	hd_run_report_json(&w, p);
	hd_jsonw_str(&w, "command", p->command);
	hd_jsonw_str(&w, "session", p->session);
	hd_jsonw_str(&w, "boot_id", p->boot_id);
	hd_jsonw_str(&w, "parents", p->parents);
	hd_jsonw_str(&w, "committed", p->committed);
	hd_jsonw_str(&w, "config_form", p->config_form);
	hd_jsonw_str(&w, "hotdrift", p->hotdrift);
	hd_jsonw_str(&w, "origin", p->origin);
	hd_jsonw_i64(&w, "seq", p->seq);
	hd_jsonw_str(&w, "content_hash", p->content_hash);
	hd_jsonw_str(&w, "prev_hash", p->prev_hash);
	machine_json(&w, p);
	surroundings_json(&w, p);
	hd_fields_array(&w, "artifacts", &artifact_fields, p->artifacts, p->nartifacts, sizeof(*p->artifacts));
	losses_json(&w, p);
	hd_run_report_json_series(&w, p);
	if (pair)
		hd_run_report_json_changes(&w, pair);
	hd_jsonw_open(&w, "events", '[');
	for (size_t i = first; i < end; i++) {
		hd_jsonw_open(&w, NULL, '{');
		hd_run_report_json_symbols(&w, &p->events[i]);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
}

/* ---- stored rows ---- */

static bool is_wanted(const struct hd_stored_run *p, const struct hd_stored_series_file *f, const char *name)
{
	if (!*name || !strcmp(p->series[f->first].kind, name))
		return true;
	for (size_t i = f->first; i < f->first + f->n; i++)
		if (!strcmp(p->series[i].name, name))
			return true;
	return false;
}

/*
 * Set *f to the next stored CSV file: the first one that has a series with an index of at least `from`.  Returns false
 * if there is none.
 */
static bool next_file(struct hd_stored_series_file *f, const struct hd_stored_run *p, size_t from)
{
	while (from < p->nseries && !p->series[from].csv)
		from++;
	*f = (struct hd_stored_series_file){ .run = p, .first = from, .text = f->text };
	while (from < p->nseries && p->series[from].csv && !strcmp(p->series[from].csv, p->series[f->first].csv))
		from++, f->n++;
	return f->n > 0;
}

static int read_file(struct hd_stored_series_file *f, struct hd_db *db, struct hd_err *err)
{
	const struct hd_stored_series *s = &f->run->series[f->first];
	int rc = hd_blob_get(db, s->csv, f->text, err);

	return rc ? rc : hd_fail(err, HD_EFORMAT, "run %s: the stored rows of its %s series are missing", f->run->id,
		s->kind);
}

/* Fail because no stored file matches, or because n > 1 files match and CSV output can have only one. */
static int fail_files(const struct hd_stored_run *p, const char *name, size_t n, struct hd_err *err)
{
	struct hd_stored_series_file f = { 0 };
	struct hd_buf names = { 0 };
	int rc;

	for (size_t from = 0; next_file(&f, p, from) && names.len < 400; from = f.first + f.n) {
		hd_buf_addf(&names, "%s%s", names.len ? ", " : "", p->series[f.first].kind);
		hd_buf_addf(&names, " (%s%s)", p->series[f.first].name, f.n > 1 ? ", ..." : "");
	}
	if (n)
		rc = hd_fail(err, HD_EUSAGE, "show: --csv prints one file; name one of %s with --series=NAME",
			names.data);
	else if (names.len)
		rc = hd_fail(err, HD_EFORMAT, "run %s has no stored series '%s'; it has %s", p->id, name, names.data);
	else
		rc = hd_fail(err, HD_EFORMAT, "run %s has no stored rows of series", p->id);
	hd_buf_release(&names);
	return rc;
}

static int show_series(struct hd_buf *out, struct hd_db *db, const struct hd_stored_run *p, const struct show_opts *o,
	struct hd_err *err)
{
	struct hd_buf text = { 0 };
	struct hd_stored_series_file f = { .text = &text };
	struct hd_jsonw w = { 0 };
	size_t n = 0;
	int rc = 0;

	for (size_t from = 0; next_file(&f, p, from); from = f.first + f.n)
		n += is_wanted(p, &f, o->series);
	if (!n || (o->csv && n > 1))
		return fail_files(p, o->series, n, err);
	if (o->json) {
		w = hd_jsonw_document(out, "hotdrift.series", 1);
		hd_jsonw_str(&w, "run", p->id);
		hd_jsonw_open(&w, "files", '[');
	}
	n = 0;
	for (size_t from = 0; rc >= 0 && next_file(&f, p, from); from = f.first + f.n) {
		if (!is_wanted(p, &f, o->series))
			continue;
		rc = read_file(&f, db, err);
		if (rc < 0)
			break;
		if (!o->json && n++ && !o->csv)
			hd_buf_addc(out, '\n');
		if (o->csv)
			hd_buf_add(out, text.data, text.len);
		else
			rc = o->json ? hd_stored_series_json(&w, &f, err)
				: hd_stored_series_text(out, &f, o->limit, err);
	}
	if (o->json) {
		hd_jsonw_close(&w, ']');
		hd_jsonw_close(&w, '}');
	}
	hd_buf_release(&text);
	return rc < 0 ? rc : 0;
}

/*
 * Set *row to the run that `name` names.  If it names a commit, as a branch does, *row is its newest run, and a warning
 * names the run.
 */
static int find_run(int64_t *row, struct hd_db *db, const char *name, const struct show_opts *o, struct hd_log *log,
	struct hd_err *err)
{
	struct hd_run_set_filter filter = { .target = o->target };
	struct hd_run_set runs;
	struct hd_err other = { 0 };
	int rc = hd_run_lookup(db, name, row, err);

	if (rc != HD_EFORMAT)
		return rc;
	rc = hd_run_set_find(&runs, db, name, &filter, &other);
	if (rc == HD_EFORMAT)		/* git does not know the name either */
		return rc;
	if (rc < 0)
		return hd_fail(err, rc == HD_ENOBASE ? HD_EFORMAT : rc, "%s", other.msg);
	*row = runs.runs[runs.n - 1].row;
	if (runs.n > 1)
		hd_warn(log, "show.newest", "'hotdrift log' lists all", "%s has %zu runs; this is the newest one", name,
			runs.n);
	hd_run_set_release(&runs);
	return 0;
}

static int show(struct hd_buf *out, struct hd_db *db, const char *run, const struct show_opts *o, struct hd_log *log,
	struct hd_err *err)
{
	struct hd_run_pair pair = { 0 };
	unsigned limit = o->limit ? o->limit : UINT32_MAX;
	struct hd_stored_run p;
	size_t event = 0;
	int64_t row;
	int rc;

	rc = find_run(&row, db, run, o, log, err);
	if (rc >= 0)
		rc = hd_run_load(&p, db, row, o->against && limit < 5 ? 5 : limit, err);
	if (rc < 0)
		return rc;
	rc = hd_run_load_series(&p, db, err);
	if (rc >= 0 && o->series) {
		rc = show_series(out, db, &p, o, err);
		hd_run_load_release(&p);
		return rc;
	}
	if (rc >= 0 && (o->event || o->against))
		rc = hd_run_pair_event(&p, o->event, &event, err);
	if (rc >= 0 && o->against)
		rc = hd_run_pair_load(&pair, db, &p, event, o->against, err);
	if (rc >= 0) {
		size_t end = o->event ? event + 1 : p.nevents, first = o->event ? event : 0;

		if (o->json)
			show_json(out, &p, first, end, o->against ? &pair : NULL);
		else if (o->against)
			hd_run_report_changes(out, &pair, true);
		else
			show_text(out, &p, first, end);
	}
	hd_run_pair_release(&pair);
	hd_run_load_release(&p);
	return rc;
}

static int show_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct show_opts *o = opts;
	struct hd_buf out = { 0 };
	struct hd_db *db;
	int rc;

	hd_terminal_begin(&out, &o->term, o->out);
	if (o->csv && (!o->series || o->json))
		return hd_fail(err, HD_EUSAGE, "show: --csv requires --series, and excludes --json");
	if (o->series && (o->event || o->against))
		return hd_fail(err, HD_EUSAGE, "show: --series excludes --event and --against");
	rc = hd_db_option_open(&db, &o->db, HD_DB_READ, 0, err);
	if (rc < 0)
		return rc;
	rc = show(&out, db, argc ? argv[0] : "latest", o, log, err);
	hd_db_close(db);
	if (rc >= 0)
		rc = hd_output_write(o->out, &out, err);
	hd_buf_release(&out);
	return rc;
}

const struct hd_cmd hd_cmd_show = {
	.name = "show",
	.args = "[RUN]",
	.summary = "show everything about one run",
	.details =
		"RUN is the id of a run or a prefix of it, a prefix of its hash (at least 4 digits), latest (the "
		"default), or latest:TARGET.  Any of these followed by ~N is the Nth run before it.  The name of a "
		"commit or branch is its newest run.  Shares are in per cent of the event's weight; memory is in "
		"bytes.\n"
		"\n"
		"variable is an environment variable that hotdrift.ini names for the target, with its value.\n"
		"\n"
		"With --against only the changes of the top five are shown: points of self share, the cost per run "
		"(per unit of work if both runs know theirs), its change and interval as in 'gate', and a ~ where "
		"the change is within noise.  The last comparable run has the same target, mode, event, unit, inline "
		"mode and machine fingerprint, and status ok.\n"
		"\n"
		"With --series only the rows of the CSV files that were added with the run are shown.  The files are "
		"stored whole, so --csv prints the same bytes; JSON has all rows, too, with null for an empty cell.\n"
		"\n"
		"Exit: 6 if there is no database, 5 for an unknown run or series, 4 if the runs are not "
		"comparable, the target has no run, or there are fewer than N runs before (~N).",
	.examples = "hotdrift show latest:serve\tthe last run of a target\n"
		    "hotdrift show 5e6f7a8b --json\tone run by its hash\n"
		    "hotdrift show latest:serve --series=latency --csv\tthe latency.csv that was added\n"
		    "hotdrift show --against last\twhat changed in the top five\n",
	HD_CMD_OPTS(show_opts, show_defaults),
	.groups = show_groups,
	.max_args = 1,
	.run = show_run,
};
