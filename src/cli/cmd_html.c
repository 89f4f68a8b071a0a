/*
 * cmd_html.c - hotdrift html: one page with the history of a database, or with the runs of one session
 */
#include "base/encode.h"
#include "base/mem.h"
#include "cli/db_option.h"
#include "cli/input.h"
#include "profile/mode.h"
#include "web/session_folders.h"
#include "pipeline/folded_input.h"
#include "web/history_page.h"
#include "db/blob.h"
#include "history/run_lookup.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct html_opts {
	struct hd_db_option db;
	struct hd_overview_opts chosen;
	const char *title, *out, *runs, *session;
	struct hd_string_list failed;
	unsigned stacks;
};

static const struct html_opts html_defaults = { .chosen.symbols = 20, .stacks = 12, .out = "report.html" };

static const struct hd_opt html_opts[] = {
	{ HD_OPT_OUT, 'o', "output", "FILE", "write to FILE (default report.html; - is standard output)",
		offsetof(struct html_opts, out) },
	{ HD_OPT_STR, 0, "target", "NAME", "only runs of this target", offsetof(struct html_opts, chosen.target) },
	{ HD_OPT_STR, 0, "branch", "NAME", "only runs of this branch", offsetof(struct html_opts, chosen.branch) },
	{ HD_OPT_STR, 0, "since", "TIME", "only runs recorded since DATE: 2026-11-20, or 2026-11-20T14:01:02Z",
		offsetof(struct html_opts, chosen.since) },
	{ HD_OPT_STR, 0, "until", "TIME", "only runs recorded until DATE, inclusive",
		offsetof(struct html_opts, chosen.until) },
	{ HD_OPT_UINT, 0, "last", "N", "only the N newest runs (default 10000)",
		offsetof(struct html_opts, chosen.runs) },
	{ HD_OPT_UINT, 'n', "limit", "N", "chart the N symbols with the largest shares (default 20)",
		offsetof(struct html_opts, chosen.symbols) },
	{ HD_OPT_UINT, 0, "stacks", "N",
		"flame graphs of N runs per target and event: the newest, those around changes, then older ones "
			"(default 12)",
		offsetof(struct html_opts, stacks) },
	{ HD_OPT_STR, 0, "runs", "RUN,RUN...", "flame graphs of these runs only", offsetof(struct html_opts, runs) },
	{ HD_OPT_STR, 0, "title", "TEXT", "title of the page (default: the target, or hotdrift)",
		offsetof(struct html_opts, title) },
	{ HD_OPT_STR, 0, "session", "WORD", "with folders: name of their session",
		offsetof(struct html_opts, session) },
	{ HD_OPT_LIST, 0, "failed", "MODE=WHY",
		"with folders: a mode without a folder, and the reason; may be repeated",
		offsetof(struct html_opts, failed) },
	{ 0 },
};
static const struct hd_opt_group html_groups[] = { HD_DB_OPTION_GROUP(struct html_opts, db), { NULL, NULL, 0 } };

/* ---- choice of the runs that get a flame graph ---- */

/*
 * Choose the run at index `slot` of a lane (a sequence of comparable runs) for the page.  Returns false if the run was
 * chosen before, or cannot be chosen because it has no stored stacks.
 */
static bool choose(const struct hd_overview_lane *l, bool *chosen, size_t slot)
{
	if (slot >= l->nslots || chosen[slot] || !l->slots[slot].stacks)
		return false;
	chosen[slot] = true;
	return true;
}

/*
 * Among the runs of a lane (a sequence of comparable runs) before index `slot`, find the newest run at which the share
 * of some symbol changed.  Returns its index in the lane, or 0 if there is none.
 */
static size_t change_before(const struct hd_overview_lane *l, size_t slot)
{
	size_t newest = 0;

	for (size_t k = 0; k < l->nshares; k++)
		for (size_t i = 0; i < l->columns[k].nchanges; i++)
			if (l->columns[k].changes[i].index < slot && l->columns[k].changes[i].index > newest)
				newest = l->columns[k].changes[i].index;
	return newest;
}

/*
 * Choose at most `most` runs of a lane (a sequence of comparable runs), whose call trees the page will show.  The order
 * of choice is: the newest run; for each change, the newest first, the run at the change and the run before it; the
 * other runs, the newest first.
 */
static void choose_newest(const struct hd_overview_lane *l, bool *chosen, unsigned most)
{
	unsigned n = 0;

	for (size_t i = l->nslots; i > 0 && most && !n; i--)
		n += choose(l, chosen, i - 1);
	for (size_t at = change_before(l, l->nslots); at && n < most; at = change_before(l, at)) {
		n += choose(l, chosen, at);
		if (n < most)
			n += choose(l, chosen, at - 1);
	}
	for (size_t i = l->nslots; i > 0 && n < most; i--)
		n += choose(l, chosen, i - 1);
}

/* Set *rows to the row ids (run.id) of the runs that the user named; the caller frees them. */
static int find_named(struct hd_db *db, const char *list, int64_t **rows, size_t *n, struct hd_err *err)
{
	char *copy = hd_strdup(list), *rest = copy, *name;
	size_t cap = 0;
	int rc = 0;

	while (rc >= 0 && (name = strsep(&rest, ","))) {
		if (!*name)
			continue;
		HD_GROW(*rows, *n + 1, cap);
		rc = hd_run_lookup(db, name, &(*rows)[*n], err);
		*n += rc >= 0;
	}
	free(copy);
	return rc;
}

static int choose_named(const struct hd_overview *c, const struct hd_overview_lane *l, bool *chosen,
	const int64_t *rows, size_t n)
{
	int found = 0;

	for (size_t i = 0; i < l->nslots; i++)
		for (size_t k = 0; k < n; k++)
			if (c->runs[l->slots[i].run].row == rows[k])
				found += choose(l, chosen, i);
	return found;
}

/* ---- flamegraphs ---- */

/* Parse folded text.  The text is written to a temporary file first, because the reader of folded text reads a file. */
static int read_folded(struct hd_profile **p, const struct hd_buf *text, struct hd_err *err)
{
	struct hd_pipeline_opts o = { .keys = HD_KEY_COMM };
	int fd, rc;

	fd = hd_file_temporary("stacks of a run", err);
	if (fd < 0)
		return fd;
	rc = hd_file_write_all(fd, hd_buf_str(text), text->len) < 0 || lseek(fd, 0, SEEK_SET) < 0 ?
	     hd_fail(err, HD_EIO, "stacks of a run: cannot write a temporary file") : 0;
	*p = hd_profile_new();
	(*p)->keys = o.keys;
	if (rc >= 0)
		rc = hd_folded_input_read(*p, fd, "stacks of a run", &o, err);
	close(fd);
	if (rc < 0) {
		hd_profile_free(*p);
		*p = NULL;
	}
	return rc;
}

static int add_tree(struct hd_history_page *h, const struct hd_blobs *blobs, const struct hd_overview *c,
	uint32_t lane, uint32_t slot, struct hd_log *log, struct hd_err *err)
{
	const struct hd_overview_slot *s = &c->lanes[lane].slots[slot];
	struct hd_call_tree_opts o = { .by_comm = true };
	struct hd_buf text = { 0 };
	struct hd_profile *p = NULL;
	struct hd_call_tree *t;
	int rc;

	rc = hd_blobs_get(blobs, s->stacks, &text, err);
	if (rc == 0)
		hd_warn(log, "lost.stacks", "'hotdrift verify' lists everything that is missing",
			"run %s: its stacks are not in the database", c->runs[s->run].id);
	if (rc > 0) {
		rc = read_folded(&p, &text, err);
		if (rc == HD_EFORMAT) {
			hd_warn(log, "lost.stacks", "'hotdrift verify' checks whether they were altered",
				"run %s: its stacks cannot be read: %s", c->runs[s->run].id, err->msg);
			rc = 0;
		}
	}
	if (p && p->nevents) {
		t = hd_call_tree_new(p, &o);
		hd_history_page_add_tree(h, lane, slot, t);
		hd_call_tree_free(t);
	}
	hd_profile_free(p);
	hd_buf_release(&text);
	return rc;
}

/* The runs whose call trees the page shows. */
struct trees {
	struct tree { uint32_t lane, slot; } *of;
	size_t n, cap;
};

static int choose_trees(struct trees *t, struct hd_db *db, const struct hd_overview *c, const struct html_opts *o,
	struct hd_err *err)
{
	int64_t *rows = NULL;
	size_t n = 0;
	int rc, found = 0;

	rc = o->runs ? find_named(db, o->runs, &rows, &n, err) : 0;
	for (uint32_t i = 0; i < c->nlanes && rc >= 0; i++) {
		bool *chosen = hd_new_array(bool, c->lanes[i].nslots + 1);

		if (o->runs)
			found += choose_named(c, &c->lanes[i], chosen, rows, n);
		else
			choose_newest(&c->lanes[i], chosen, o->stacks);
		for (uint32_t k = 0; k < c->lanes[i].nslots; k++)
			if (chosen[k]) {
				HD_GROW(t->of, t->n + 1, t->cap);
				t->of[t->n++] = (struct tree){ i, k };
			}
		free(chosen);
	}
	free(rows);
	if (rc >= 0 && n && !found)
		rc = hd_fail(err, HD_EFORMAT, "--runs: none of these runs is on the page with stacks");
	return rc;
}

static int add_trees(struct hd_history_page *h, struct hd_db *db, const struct hd_overview *c,
	const struct html_opts *o, struct hd_log *log, struct hd_err *err)
{
	struct trees t = { 0 };
	struct hd_blobs blobs = { 0 };
	int rc = choose_trees(&t, db, c, o, err);
	const char **keys = hd_new_array(const char *, t.n + 1);

	for (size_t i = 0; i < t.n; i++)
		keys[i] = c->lanes[t.of[i].lane].slots[t.of[i].slot].stacks;
	if (rc >= 0)
		rc = hd_blobs_load(&blobs, db, keys, t.n, err);
	for (size_t i = 0; i < t.n && rc >= 0; i++)
		rc = add_tree(h, &blobs, c, t.of[i].lane, t.of[i].slot, log, err);
	hd_blobs_release(&blobs);
	free(keys);
	free(t.of);
	return rc;
}

/* ---- the page ---- */

/* Print the path of the page, its number of runs, and its sizes. */
static int print_summary(const struct hd_overview *c, const struct html_opts *o, const struct hd_history_page_sizes *z,
	struct hd_err *err)
{
	struct hd_buf out = { 0 };
	int rc;

	hd_buf_adds(&out, "page      ");
	hd_enc_term(&out, o->out, strlen(o->out));
	hd_buf_addf(&out, "\nruns      %zu\nsize      %.1f MB, data %.1f MB, including stacks %.1f MB\n", c->nruns,
		(double)z->page / 1e6, (double)z->data / 1e6, (double)z->trees / 1e6);
	rc = hd_output_write(NULL, &out, err);
	hd_buf_release(&out);
	return rc;
}

static void warn(const struct hd_overview *c, struct hd_log *log)
{
	if (!hd_history_page_has_charts())
		hd_warn(log, "html.no-charts", HD_HISTORY_PAGE_NO_CHARTS,
			"this hotdrift was built without a chart library: the page has tables and flame graphs, "
				"but no charts");
	if (c->runs_left_out)
		hd_warn_n(log, "html.runs", c->runs_left_out, "use a larger --last N", "older runs are not on "
			"the page");
	if (c->lanes_left_out)
		hd_warn_n(log, "html.lanes", c->lanes_left_out, "--target chooses",
			"the page has at most %d combinations of target, event and machine, and %d runs, the "
				"newest ones; events dropped",
			HD_OVERVIEW_LANES, HD_OVERVIEW_SLOTS);
}

static const char *title_of(const struct html_opts *o, const struct hd_overview *c)
{
	if (o->title)
		return o->title;
	for (size_t i = 1; i < c->nruns; i++)
		if (strcmp(c->runs[i].target, c->runs[0].target))
			return "hotdrift";
	return c->nruns ? c->runs[0].target : "hotdrift";
}

static int write_page(struct hd_db *db, const struct hd_overview *c, const struct html_opts *o, struct hd_log *log,
	struct hd_err *err)
{
	struct hd_history_page_sizes sizes = { 0 };
	struct hd_outfile out;
	struct hd_history_page *h;
	int rc;

	rc = hd_outfile_open(&out, o->out, err);
	if (rc < 0)
		return rc;
	h = hd_history_page_new(c);
	rc = add_trees(h, db, c, o, log, err);
	if (rc >= 0) {
		hd_history_page_write(h, &out, title_of(o, c), &sizes);
		rc = hd_outfile_commit(&out, err);
	} else {
		hd_outfile_discard(&out);
	}
	hd_history_page_free(h);
	if (rc >= 0)
		warn(c, log);
	return rc >= 0 && strcmp(o->out, "-") ? print_summary(c, o, &sizes, err) : rc;
}

/* Implements hd_session_reader: read a recording with the sample selection that belongs to the recording's mode. */
static int read_session(struct hd_profile **p, const char *path, const char *mode, const char *event,
	const struct hd_string_list *fields, struct hd_log *log, struct hd_err *err)
{
	struct hd_input in = { .ingest.keys = HD_KEY_COMM, .ingest.fields = *fields };
	const struct hd_profile_mode *m = hd_profile_mode_find(mode);

	if (m && m->weight)
		in.ingest.select.weight = (enum hd_weight)hd_opt_choice(HD_WEIGHT_CHOICES, m->weight);
	if (in.ingest.select.weight == HD_WEIGHT_OFF_CPU && event && strstr(event, "cpu-clock"))
		in.ingest.select.weight = HD_WEIGHT_WALL;	/* a recording of `profile async --wall` */
	in.ingest.select.no_kernel = m && m->weight;
	return hd_input_read_samples(p, path, &in, log, err);
}

static int session_run(int argc, char **argv, const struct html_opts *o, struct hd_log *log, struct hd_err *err)
{
	if (o->chosen.target || o->chosen.branch || o->chosen.since || o->chosen.until || o->chosen.runs || o->runs)
		return hd_fail(err, HD_EUSAGE,
			"html: results folders exclude --target, --branch, --since, --until, --last and --runs, "
				"which select from the database");
	return hd_session_folders_write(argv, argc,
		&(struct hd_session_folders_opts){ .read = read_session,
			.title = o->title,
			.session = o->session,
			.out = o->out,
			.failed = o->failed },
		log, err);
}

static int html_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct html_opts *o = opts;
	struct hd_overview c;
	struct hd_db *db;
	int rc = 0;

	if (argc || o->failed.n)
		return session_run(argc, argv, o, log, err);
	if (o->session)
		return hd_fail(err, HD_EUSAGE, "html: --session requires results folders");
	if (o->chosen.since)
		rc = hd_overview_time(o->chosen.since, "html: --since", err);
	if (rc >= 0 && o->chosen.until)
		rc = hd_overview_time(o->chosen.until, "html: --until", err);
	if (rc < 0)
		return rc;
	rc = hd_db_option_open(&db, &o->db, HD_DB_READ, 0, err);
	if (rc < 0)
		return rc;
	rc = hd_overview_load(&c, db, &o->chosen, err);
	if (rc >= 0) {
		rc = c.nruns ? write_page(db, &c, o, log, err)
			     : hd_fail(err, HD_ENOBASE, "%s: no run %s", hd_db_name(db),
				       o->chosen.target || o->chosen.branch || o->chosen.since || o->chosen.until
					       ? "matches; 'hotdrift log' lists all runs"
					       : "yet; 'hotdrift add --help' explains how to add one");
		hd_overview_release(&c);
	}
	hd_db_close(db);
	return rc;
}

const struct hd_cmd hd_cmd_html = {
	.name = "html",
	.args = "[FOLDER...]",
	.summary = "write the history, or the runs of one session, as one self-contained page",
	.details =
		"The page charts the shares of the costliest symbols over time, with their change points and the "
		"findings of 'gate'; latency, memory and energy on the same axis; the top five of every commit; "
		"flame graphs of single runs and of the difference between two.  It is one file and loads nothing.  "
		"Its ? key lists the other keys.\n"
		"\n"
		"Comparable runs are grouped: same target, mode, event, unit, meaning of self cost, selection, "
		"machine and configuration.  Change points are computed from runs with status ok (E-divisive, p "
		"0.001, at least 5 %).  The charted symbols are those that were ever among the five costliest, the "
		"largest mean shares first.  Call tree nodes below 0.005 % of the tree, and beyond 4,000, are "
		"omitted; the page states their number.  The same database and options give the same bytes.\n"
		"\n"
		"With results folders of hotdrift profile the page shows these runs instead, one panel per mode: "
		"status, figures, the top five, flame graphs, and links to the files.  Only the options -o, --title, "
		"--session and --failed apply.  'hotdrift profile all' writes such a page.\n"
		"\n"
		"Exit: 4 if there is no run to show, 6 if there is no database.",
	.examples =
		"hotdrift html -o report.html\tthe whole default database\n"
		"hotdrift html --target serve --branch main --since 2026-11-01 -o november.html\ta part of it\n"
		"hotdrift html --runs latest,latest~1 -o last.html\twith flame graphs of two runs\n"
		"hotdrift html results/20261120T1401*/ -o all.html\tthe runs of one session, mode by mode\n"
		"",
	HD_CMD_OPTS(html_opts, html_defaults),
	.groups = html_groups,
	.max_args = -1,
	.run = html_run,
};
