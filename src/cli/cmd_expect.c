/*
 * cmd_expect.c - hotdrift expect FILE [INPUT]: compare the shares of the total cost with declared ones
 */
#include "profile/top.h"
#include "base/mem.h"
#include "cli/profile_source.h"
#include "render/run_report.h"
#include "cli/terminal.h"
#include "gate/expect_store.h"
#include "history/run_lookup.h"
#include "render/expect.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct expect_opts {
	struct hd_terminal term;
	struct hd_input in;
	struct hd_db_option db;
	const char *run, *event, *tolerance, *out;
	bool store, json, markdown;
};

static const struct expect_opts expect_defaults = { 0 };

static const struct hd_opt expect_opts[] = {
	{ HD_OPT_STR, 0, "run", "RUN", "check this run of the database (default, without INPUT: latest)",
		offsetof(struct expect_opts, run) },
	{ HD_OPT_STR, 0, "tolerance", "POINTS", "percentage points by which a share may lie outside its range",
		offsetof(struct expect_opts, tolerance) },
	{ HD_OPT_STR, 0, "event", "NAME",
		"shares of this event (default: the one in FILE, otherwise the first with samples)",
		offsetof(struct expect_opts, event) },
	{ HD_OPT_FLAG, 0, "store", NULL, "store the expectations in the database, for the target of the run",
		offsetof(struct expect_opts, store) },
	HD_ROW_JSON(struct expect_opts, "hotdrift.expect"),
	HD_ROW_MARKDOWN(struct expect_opts),
	HD_ROW_OUTPUT(struct expect_opts),
	{ 0 },
};
static const struct hd_opt_group expect_groups[] = {
	HD_DB_OPTION_GROUP(struct expect_opts, db),
	HD_INPUT_MORE_GROUPS(struct expect_opts, in),
	HD_TERMINAL_GROUP(struct expect_opts, term), { NULL, NULL, 0 },
};

/* The measured costs of functions, in per cent of the event's total weight, from a recording or a stored run. */
struct measured {
	struct hd_expect_cost *costs;
	size_t n;
	struct hd_expect_report paper;
	struct hd_profile *p;		/* the recording, which owns the names in `costs`; NULL: stored run */
	struct hd_stored_run past;		/* the stored run, which owns the names otherwise */
	struct hd_arena arena;		/* names that are copies */
};

static void measured_release(struct measured *m)
{
	free(m->costs);
	hd_profile_free(m->p);
	hd_run_load_release(&m->past);
	hd_arena_release(&m->arena);
}

static int of_input(struct measured *m, const char *path, const char *event, struct expect_opts *o, struct hd_log *log,
	struct hd_err *err)
{
	struct hd_functions fn = { 0 };
	bool inlined = hd_input_inlined(&o->in, false);
	struct hd_top top;
	char buf[HD_SYMBOL_TEXT];
	uint32_t e;
	int rc;

	o->in.ingest.no_inline = !inlined;
	rc = hd_input_read_samples(&m->p, path, &o->in, log, err);
	if (rc < 0)
		return rc;
	e = hd_input_main_event(m->p);
	for (uint32_t i = 0; event && i < m->p->nevents; i++)
		if (!strcmp(hd_profile_str(m->p, m->p->events[i].name), event) && m->p->events[i].samples)
			e = i;
	if (event && strcmp(hd_profile_str(m->p, m->p->events[e].name), event))
		return hd_fail(err, HD_EFORMAT, "%s: has no samples of an event '%s'", path, event);
	if (inlined)
		hd_functions_init(&fn, m->p);
	hd_top_build_inlined(&top, m->p, e, true, inlined ? &fn : NULL);
	m->costs = hd_new_array(struct hd_expect_cost, top.n + 1);
	for (size_t i = 0; i < top.n; i++) {
		const struct hd_top_row *row = &top.rows[i];
		const char *name = hd_symbol_text(m->p, row->symbol, false, buf, sizeof(buf));

		m->costs[m->n++] = (struct hd_expect_cost){
			.name = name == buf ? hd_arena_strndup(&m->arena, buf, strlen(buf)) : name,
			.linkage = hd_profile_str(m->p, m->p->symbols[row->symbol].linkage),
			.self = hd_share_pct(row->self, top.weight), .total = hd_share_pct(row->total, top.weight),
		};
	}
	m->paper.input = path;
	m->paper.event = hd_profile_str(m->p, m->p->events[e].name);
	m->paper.unit = hd_profile_str(m->p, m->p->events[e].unit);
	m->paper.weight = top.weight;
	m->paper.samples = top.samples;
	hd_top_release(&top);
	hd_functions_release(&fn);
	return 0;
}

static int load_past(struct measured *m, struct hd_db *db, const char *run, struct hd_err *err)
{
	int64_t row;
	int rc = hd_run_lookup(db, run, &row, err);

	return rc < 0 ? rc : hd_run_load(&m->past, db, row, UINT_MAX, err);
}

static bool has(const struct measured *m, const char *name)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->costs[i].name, name))
			return true;
	return false;
}

/*
 * Add the total cost of functions that have no row in the database, because they have hardly any self cost.  It is
 * computed from the stored stacks.  Nothing is done if no expectation needs a total cost.
 */
static int add_callers(struct measured *m, const struct hd_expect *e, const char *event, const struct expect_opts *o,
	struct hd_log *log, struct hd_err *err)
{
	struct hd_buf name = { 0 };
	struct hd_profile_source run;
	struct hd_top top;
	size_t cap = m->n + 1;
	bool wanted = false;
	int rc;

	for (size_t i = 0; i < e->n; i++)
		wanted = wanted || e->items[i].total;
	if (!wanted)
		return 0;
	hd_buf_addf(&name, "run:%s", m->past.id);
	rc = hd_profile_source_read(&run, name.data, event, &o->in, &o->db, log, err);
	hd_buf_release(&name);
	if (rc < 0)
		return rc;
	hd_top_build(&top, run.p, run.event, true);
	for (size_t i = 0; i < top.n; i++) {
		const char *text = hd_profile_str(run.p, run.p->symbols[top.rows[i].symbol].name);

		if (!*text || has(m, text))
			continue;
		HD_GROW(m->costs, m->n + 1, cap);
		m->costs[m->n++] = (struct hd_expect_cost){ .name = hd_arena_strndup(&m->arena, text, strlen(text)),
			.total = hd_share_pct(top.rows[i].total, top.weight) };
	}
	hd_top_release(&top);
	hd_profile_source_release(&run);
	return 0;
}

/* Set the measured shares from the loaded run. */
static int of_run(struct measured *m, const char *event, struct hd_err *err)
{
	const struct hd_stored_event *e;
	size_t number;
	int rc = hd_run_pair_event(&m->past, event, &number, err);

	if (rc < 0)
		return rc;
	e = &m->past.events[number];
	m->costs = hd_new_array(struct hd_expect_cost, e->nhotspots + 1);
	for (size_t i = 0; i < e->nhotspots; i++) {
		const struct hd_stored_hotspot *h = &e->hotspots[i];

		if (h->rest || (!h->name && !h->vaddr))
			continue;
		m->costs[m->n++] = (struct hd_expect_cost){ .name = h->name ? h->name : h->vaddr, .linkage = h->linkage,
			.self = hd_run_load_pct(h->self, e->weight), .total = hd_run_load_pct(h->total, e->weight) };
	}
	m->paper.rest = e->rest_symbols > 0;
	m->paper.input = m->past.id;
	m->paper.event = e->name;
	m->paper.unit = e->unit;
	m->paper.weight = e->weight > 0 ? (uint64_t)e->weight : 0;
	m->paper.samples = e->samples > 0 ? (uint64_t)e->samples : 0;
	return 0;
}

static int read_file(struct hd_expect *e, const char *path, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	int fd = hd_file_open(path, err), rc = fd;

	if (fd < 0)
		return fd;
	rc = hd_file_slurp(fd, path, HD_EXPECT_BYTES, &text, err);
	close(fd);
	if (rc >= 0)
		rc = hd_expect_parse(e, hd_buf_str(&text), text.len, path, err);
	hd_buf_release(&text);
	return rc;
}

static int read_tolerance(struct hd_expect *e, const char *text, struct hd_err *err)
{
	char *end;
	double v;

	if (!text)
		return 0;
	v = strtod(text, &end);
	if (end == text || *end || !(v >= 0 && v <= 100))
		return hd_fail(err, HD_EUSAGE, "expect: --tolerance takes percentage points from 0 to 100, not '%s'",
			text);
	e->tolerance = v;
	return 0;
}

static int check(struct measured *m, struct hd_expect *e, const struct expect_opts *o, const char *file,
	struct hd_err *err)
{
	struct hd_expect_result *results = hd_new_array(struct hd_expect_result, e->n + 1);
	struct hd_buf out = { 0 };
	int rc;

	hd_terminal_begin(&out, &o->term, o->out);
	m->paper.e = e;
	m->paper.results = results;
	m->paper.file = file;
	m->paper.violated = hd_expect_check(results, e, m->costs, m->n);
	if (o->json)
		hd_expect_json(&out, &m->paper);
	else
		hd_expect_text(&out, &m->paper, o->markdown);
	rc = hd_output_write(o->out, &out, err);
	if (rc >= 0 && m->paper.violated)
		rc = hd_fail(err, HD_ENO, "%zu of %zu expectation%s %s violated", m->paper.violated, e->n,
			e->n == 1 ? "" : "s", m->paper.violated == 1 ? "is" : "are");
	hd_buf_release(&out);
	free(results);
	return rc;
}

static int store(const struct hd_expect *e, const struct expect_opts *o, const char *target, const char *file,
	struct hd_err *err)
{
	struct hd_db *db;
	int rc = hd_db_option_open(&db, &o->db, HD_DB_WRITE, 0, err);

	if (rc < 0)
		return rc;
	rc = hd_expect_store(db, e, target, file, err);
	hd_db_close(db);
	return rc;
}

static int expect_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct expect_opts *o = opts;
	const char *file = argc ? argv[0] : NULL, *input = argc > 1 ? argv[1] : NULL;
	struct hd_expect e = { 0 };
	struct measured m = { 0 };
	struct hd_db *db = NULL;
	int rc;

	if (input && (o->run || o->store))
		return hd_fail(err, HD_EUSAGE, "expect: %s",
			o->run ? "INPUT and --run exclude each other"
			       : "--store stores them for the target of a run; name it with --run RUN");
	if (!file && o->store)
		return hd_fail(err, HD_EUSAGE, "expect: --store needs a FILE");
	if (o->json && o->markdown)
		return hd_fail(err, HD_EUSAGE, "expect: at most one of --json and --markdown");
	if (read_tolerance(&e, o->tolerance, err) < 0 || (rc = hd_input_check(&o->in, "expect", err)) < 0)
		return HD_EUSAGE;
	rc = file ? read_file(&e, file, err) : 0;
	if (rc >= 0 && !input)
		rc = hd_db_option_open(&db, &o->db, HD_DB_READ, 0, err);
	if (rc >= 0 && db)
		rc = load_past(&m, db, o->run ? o->run : "latest", err);
	if (rc >= 0 && db && !file)
		rc = hd_expect_load(&e, db, m.past.target, err);
	if (rc >= 0)
		rc = read_tolerance(&e, o->tolerance, err);
	if (rc >= 0)
		rc = db ? of_run(&m, o->event ? o->event : e.event, err)
			: of_input(&m, input, o->event ? o->event : e.event, o, log, err);
	if (rc >= 0 && db)
		rc = add_callers(&m, &e, o->event ? o->event : e.event, o, log, err);
	if (rc >= 0 && o->store)
		rc = store(&e, o, m.past.target, file, err);
	if (rc >= 0)
		rc = check(&m, &e, o, file, err);
	hd_db_close(db);
	measured_release(&m);
	hd_expect_release(&e);
	return rc;
}

const struct hd_cmd hd_cmd_expect = {
	.name = "expect",
	.args = "[FILE [INPUT]]",
	.summary = "compare the shares of the total cost with declared ones",
	.details =
		"FILE declares shares; a line is [TIER:] [self|total] NAME[, NAME ...] RANGE:\n"
		"\n"
		"  event cycles:u                 of this event (default: the first with samples)\n"
		"  tolerance 1                    percentage points by which a share may lie outside its range\n"
		"  similarity 15..25 %            self cost from 15 to 25 per cent of all cost\n"
		"  total main >= 95 %             cost with callees\n"
		"  primary: parse_row, decode     a tier has a range: primary > 5 %, secondary 2..5 %, tertiary < 2 %\n"
		"  tertiary: emit < 1 %           or a range of the line\n"
		"  primary > 8 %                  redefine the range of a tier for the following lines\n"
		"  std::vector<* < 10 %           * and ?: the sum of all matches\n"
		"  \"operator*\" = 3 %              a quoted name is literal\n"
		"  others < 2 %                   each function that no line matches\n"
		"\n"
		"RANGE is LO..HI, or one of < <= > >= = and a number.  It follows a blank at the end of the line, so "
		"a name may hold blanks, commas inside brackets, and operators.  # begins a comment.  A name is the "
		"displayed name, with or without compiler suffixes, or the linkage name; entries of one name are "
		"added up.  A function without samples has 0 %.\n"
		"\n"
		"INPUT is any input.  Without it, a run is checked.  Without FILE, the expectations stored by "
		"--store for the target of that run are used.  --store replaces the stored ones by those of FILE.\n"
		"\n"
		"Exit: 1 if an expectation is violated, 5 if FILE cannot be parsed (with the line), 4 if there is no "
		"run or nothing is stored.",
	.examples =
		"hotdrift expect shares.txt perf.data\ta recording\n"
		"hotdrift expect shares.txt --run latest:serve --tolerance 5\ta stored run, up to 5 points off\n"
		"hotdrift expect shares.txt --store && hotdrift expect\tstore for the target of the newest run, then "
		"check\n"
		"",
	HD_CMD_OPTS(expect_opts, expect_defaults),
	.groups = expect_groups,
	.max_args = 2,
	.run = expect_run,
};
