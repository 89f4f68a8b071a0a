/*
 * cmd_log.c - hotdrift log: list the runs, newest first, or the five costliest symbols of one run
 */
#include "base/encode.h"
#include "base/mem.h"
#include "cli/db_option.h"
#include "cli/input.h"
#include "render/run_report.h"
#include "cli/terminal.h"
#include "history/run_lookup.h"
#include "render/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct log_opts {
	struct hd_terminal term;
	struct hd_db_option db;
	const char *target, *top5, *against, *event, *out;
	unsigned limit;
	bool changes, json;
};

static const struct log_opts log_defaults = { .limit = 20 };

static const struct hd_opt log_opts[] = {
	{ HD_OPT_UINT, 'n', "limit", "N", "list the newest N runs (default 20, 0 lists all)",
		offsetof(struct log_opts, limit) },
	{ HD_OPT_STR, 0, "target", "NAME", "only runs of this target", offsetof(struct log_opts, target) },
	{ HD_OPT_STR, 0, "top5", "RUN",
		"print the five costliest symbols of one run, as text for a commit message",
		offsetof(struct log_opts, top5) },
	{ HD_OPT_FLAG, 0, "changes", NULL, "with --top5: also what changed since the last comparable run",
		offsetof(struct log_opts, changes) },
	{ HD_OPT_STR, 0, "against", "RUN", "with --top5: also what changed since this run",
		offsetof(struct log_opts, against) },
	{ HD_OPT_STR, 0, "event", "NAME", "with --top5: costs of this event (default: the first with samples)",
		offsetof(struct log_opts, event) },
	HD_ROW_JSON(struct log_opts, "hotdrift.log or hotdrift.top5"),
	HD_ROW_OUTPUT(struct log_opts),
	{ 0 },
};
static const struct hd_opt_group log_groups[] = { HD_DB_OPTION_GROUP(struct log_opts, db),
	HD_TERMINAL_GROUP(struct log_opts, term), { NULL, NULL, 0 } };

/* ---- one run ---- */

static void top5_json(struct hd_buf *out, const struct hd_stored_run *p, size_t event, const struct hd_run_pair *pair)
{
	struct hd_jsonw w = hd_jsonw_document(out, "hotdrift.top5", 1);

	hd_run_report_json(&w, p);
	hd_run_report_json_symbols(&w, &p->events[event]);
	if (pair)
		hd_run_report_json_changes(&w, pair);
	hd_jsonw_close(&w, '}');
}

static int top5(struct hd_buf *out, struct hd_db *db, const struct log_opts *o, struct hd_err *err)
{
	const char *against = o->against ? o->against : o->changes ? "last" : NULL;
	struct hd_run_pair pair = { 0 };
	struct hd_stored_run p;
	size_t event;
	int64_t row;
	int rc;

	rc = hd_run_lookup(db, o->top5, &row, err);
	if (rc >= 0)
		rc = hd_run_load(&p, db, row, 5, err);
	if (rc < 0)
		return rc;
	rc = hd_run_pair_event(&p, o->event, &event, err);
	if (rc >= 0 && against)
		rc = hd_run_pair_load(&pair, db, &p, event, against, err);
	if (rc >= 0) {
		if (o->json) {
			top5_json(out, &p, event, against ? &pair : NULL);
		} else {
			hd_run_report_top5(out, &p, event);
			if (against)
				hd_run_report_changes(out, &pair, false);
		}
	}
	hd_run_pair_release(&pair);
	hd_run_load_release(&p);
	return rc;
}

/* ---- all runs ---- */

/* A shortened id would name no run.  The id has the time and the commit, which a narrow terminal has no room for. */
#define RUN { "run", false, HD_CELLS_ID }
#define TARGET { "target", false, HD_CELLS_NAME }, { "mode", false, HD_CELLS_ID }, { "status", false, HD_CELLS_ID }
#define COST { "samples", true, HD_CELLS_TEXT }, { "self", true, HD_CELLS_TEXT }, { "costliest", false, HD_CELLS_LONG }
static const struct hd_column columns[] = { RUN, { "recorded", false, HD_CELLS_ID }, TARGET,
	{ "commit", false, HD_CELLS_TEXT }, COST };
static const struct hd_column narrow_columns[] = { RUN, TARGET, COST };
enum { WIDE = 130 };			/* columns of a terminal that has room for all of them */

static void table_row(struct hd_table *t, const struct hd_stored_run *p)
{
	struct hd_buf b = { 0 };
	size_t event;
	bool any = hd_run_pair_event(p, NULL, &event, NULL) >= 0, narrow = t->columns == narrow_columns;
	const struct hd_stored_event *e = any ? &p->events[event] : NULL;

	hd_table_string(t, p->id);
	if (!narrow)
		hd_table_string(t, p->recorded);
	hd_table_string(t, p->target);
	hd_table_string(t, p->mode);
	hd_table_string(t, p->status);
	if (!narrow) {
		hd_run_report_commit(&b, p, "+");
		hd_table_string(t, hd_buf_str(&b));
	}
	hd_table_cellf(t, "%" PRId64, e ? e->samples : 0);
	hd_buf_reset(&b);
	if (e && e->nhotspots) {
		hd_run_report_symbol(&b, &e->hotspots[0], 60);
		hd_table_cellf(t, "%.2f%%", hd_run_load_pct(e->hotspots[0].self, e->weight));
	} else {
		hd_table_string(t, "");
	}
	hd_table_string(t, hd_buf_str(&b));
	hd_buf_release(&b);
}

static void json_row(struct hd_jsonw *w, const struct hd_stored_run *p)
{
	hd_jsonw_open(w, NULL, '{');
	hd_run_report_json(w, p);
	hd_jsonw_open(w, "events", '[');
	for (size_t i = 0; i < p->nevents; i++) {
		hd_jsonw_row(w, NULL, '{');
		hd_run_report_json_symbols(w, &p->events[i]);
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
	hd_jsonw_close(w, '}');
}

static int each_run(struct hd_db *db, const struct log_opts *o, struct hd_table *t, struct hd_jsonw *w,
	struct hd_err *err)
{
	enum { AT_ONCE = 5000 };	/* bounds the memory for the loaded runs */
	int64_t *rows;
	size_t n;
	int rc = hd_run_lookup_list(db, o->target, o->limit, &rows, &n, err);

	for (size_t done = 0; done < n && rc >= 0; done += AT_ONCE) {
		struct hd_run_list list;

		rc = hd_run_load_list(&list, db, rows + done, n - done < AT_ONCE ? n - done : AT_ONCE, 1, err);
		for (size_t i = 0; rc >= 0 && i < list.n; i++) {
			if (w)
				json_row(w, &list.runs[i]);
			else
				table_row(t, &list.runs[i]);
		}
		if (rc >= 0)
			hd_run_list_release(&list);
	}
	free(rows);
	return rc < 0 ? rc : 0;
}

static int list_json(struct hd_buf *out, struct hd_db *db, const struct log_opts *o, struct hd_err *err)
{
	struct hd_jsonw w = hd_jsonw_document(out, "hotdrift.log", 1);
	int rc;

	hd_jsonw_str(&w, "db", hd_db_name(db));
	hd_jsonw_open(&w, "runs", '[');
	rc = each_run(db, o, NULL, &w, err);
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
	return rc;
}

static void no_run_of(struct hd_buf *out, struct hd_db *db, const char *target)
{
	struct hd_nearest n = hd_nearest_to(target);

	hd_run_lookup_suggest_targets(&n, db);
	hd_buf_addf(out, "no run of this target yet%s\n", hd_nearest_hint(&n));
}

static int list_text(struct hd_buf *out, struct hd_db *db, const struct log_opts *o, struct hd_err *err)
{
	struct hd_table t;
	int rc;

	if (out->columns && out->columns < WIDE)
		hd_table_init(&t, narrow_columns, HD_COUNT(narrow_columns));
	else
		hd_table_init(&t, columns, HD_COUNT(columns));
	rc = each_run(db, o, &t, NULL, err);
	if (rc >= 0 && t.ncells)
		hd_table_text(out, &t, "");
	else if (rc >= 0 && o->target)
		no_run_of(out, db, o->target);
	else if (rc >= 0)
		hd_buf_adds(out, "no run yet\n");
	hd_table_release(&t);
	return rc;
}

static int log_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct log_opts *o = opts;
	struct hd_buf out = { 0 };
	struct hd_db *db;
	int rc;

	(void)argc, (void)argv, (void)log;
	hd_terminal_begin(&out, &o->term, o->out);
	if (!o->top5 && (o->changes || o->against || o->event))
		return hd_fail(err, HD_EUSAGE, "log: --changes, --against and --event require --top5 RUN");
	rc = hd_db_option_open(&db, &o->db, HD_DB_READ, 0, err);
	if (rc < 0)
		return rc;
	rc = o->top5 ? top5(&out, db, o, err) : o->json ? list_json(&out, db, o, err) : list_text(&out, db, o, err);
	hd_db_close(db);
	if (rc >= 0)
		rc = hd_output_write(o->out, &out, err);
	hd_buf_release(&out);
	return rc;
}

const struct hd_cmd hd_cmd_log = {
	.name = "log",
	.args = "",
	.summary = "list the recorded runs, or the top five of one",
	.details =
		"A + after the commit means that tracked files were modified.  self is the share of the costliest "
		"symbol of the first event, in per cent of the event's weight.\n"
		"\n"
		"RUN is the id of a run or a prefix of it, a prefix of its hash (at least 4 digits), latest, or "
		"latest:TARGET.  Any of these followed by ~N is the Nth run before it.  The last comparable run has "
		"the same target, mode, event, unit, inline mode and machine fingerprint, and status ok.  Points are "
		"percentage points of self share.  change is the change of cost; a ~ marks a change within noise.\n"
		"\n"
		"Exit: 6 if there is no database, 5 for an unknown run, 4 if the runs are not comparable, the "
		"target has no run, or there are fewer than N runs before (~N).",
	.examples =
		"hotdrift log -n 5 --target serve\tthe last five runs of a target\n"
		"hotdrift log --top5 latest --changes\talso what changed since the run before\n"
		"git notes add -m \"$(hotdrift log --top5 latest)\"\tstore it as a note of the commit\n"
		"",
	HD_CMD_OPTS(log_opts, log_defaults),
	.groups = log_groups,
	.max_args = 0,
	.run = log_run,
};
