/*
 * profile_source.c - see profile_source.h
 */
#include "cli/profile_source.h"

#include "base/encode.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sandbox.h"
#include "base/sha256.h"
#include "render/run_report.h"
#include "history/run_set.h"
#include "pipeline/folded_input.h"
#include "db/blob.h"
#include "history/run_lookup.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_folded(const struct hd_profile *p)
{
	return p->recording.format && !strcmp(p->recording.format, "folded");
}

/* ---- a file ---- */

#define DEFAULT_FILE "perf.data"	/* the operand if none is given */

/*
 * Return true if an operand names a file.  "-", the default operand and names with a slash always do, other names if
 * the file exists.  run:NAME never does.
 */
static bool is_file(const char *what)
{
	struct stat st;

	if (!strncmp(what, "run:", 4))
		return false;
	return !strcmp(what, "-") || !strcmp(what, DEFAULT_FILE) || strchr(what, '/') || stat(what, &st) == 0 ||
		errno != ENOENT;
}

/* Return the error that opening a missing file gives.  It is also an error if the file is there by now. */
static int fail_absent(const char *path, struct hd_err *err)
{
	int fd = hd_file_open(path, err);

	if (fd < 0)
		return fd;
	close(fd);
	return hd_fail(err, HD_EIO, "%s: appeared after it was looked for; run the command again", path);
}

/* Fail if the default file does not exist.  The user may have typed no operand, so the message lists the choices. */
static int check_default(const char *what, struct hd_err *err)
{
	struct stat st;

	if (strcmp(what, DEFAULT_FILE) || stat(what, &st) == 0 || errno != ENOENT)
		return 0;
	return hd_fail(err, HD_EFORMAT,
		DEFAULT_FILE ": there is no such file in this folder; name a recording, or 'latest' for the newest "
			     "run of the database; 'hotdrift profile -- CMD' records one");
}

static int read_file(struct hd_profile_source *e, const char *path, const char *event, const struct hd_input *in,
	struct hd_log *log, struct hd_err *err)
{
	int rc = check_default(path, err);

	if (rc >= 0)
		rc = hd_input_read_samples(&e->p, path, in, log, err);
	if (rc < 0)
		return rc;
	e->event = hd_input_main_event(e->p);
	if (!event || is_folded(e->p)) {
		hd_input_note_other_events(e->p, e->event, log);
		return 0;
	}
	for (uint32_t i = 0; i < e->p->nevents; i++) {
		const char *name = hd_profile_str(e->p, e->p->events[i].name);
		size_t n = strlen(event);

		if (e->p->events[i].samples && !strncmp(name, event, n) && (!name[n] || name[n] == ':')) {
			e->event = i;
			return 0;
		}
	}
	return hd_fail(err, HD_EFORMAT, "%s has no samples of an event '%s'", path, event);
}

/* ---- runs ---- */

/* The stored runs that one operand names. */
struct stored {
	struct hd_stored_run *past;
	size_t n;
};

static void release_stored(struct stored *s)
{
	for (size_t i = 0; i < s->n; i++)
		hd_run_load_release(&s->past[i]);
	free(s->past);
	*s = (struct stored){ 0 };
}

static int load(struct stored *s, struct hd_db *db, int64_t row, struct hd_err *err)
{
	int rc = hd_run_load(&s->past[s->n], db, row, UINT_MAX, err);

	s->n += rc >= 0;
	return rc;
}

/*
 * Load the run that `what` names.  If there is no such run and run_only is false, load the runs of the commit or list
 * of runs that `what` names; if there are several, *name becomes their title.
 */
static int find(struct stored *s, char **name, struct hd_db *db, const char *what, const char *event,
	const struct hd_input *in, bool run_only, struct hd_err *err)
{
	struct hd_run_set_filter ask = { .target = in->target, .event = event };
	struct hd_buf title = { 0 };
	struct hd_err why = { 0 };
	struct hd_run_set side;
	int64_t row;
	int rc = hd_run_lookup(db, what, &row, run_only ? err : &why);

	if (rc >= 0) {
		s->past = hd_new_array(struct hd_stored_run, 1);
		return load(s, db, row, err);
	}
	if (run_only)
		return rc;
	if (!strncmp(what, "latest", 6) || rc == HD_EIO)
		return hd_fail(err, rc, "%s", why.msg);
	rc = hd_run_set_find(&side, db, what, &ask, err);
	if (rc < 0)
		return rc == HD_ENOBASE ? HD_EFORMAT : rc;
	s->past = hd_new_array(struct hd_stored_run, side.n);
	for (size_t i = 0; i < side.n && rc >= 0; i++)
		rc = load(s, db, side.runs[i].row, err);
	if (side.n > 1) {
		hd_buf_addf(&title, side.commit[0] ? "%s (%zu runs)" : "%s", side.name, side.n);
		*name = hd_buf_take(&title);
	}
	hd_run_set_release(&side);
	return rc;
}

/* Append the stored stacks of one event to `text`.  Returns 1, or 0 if the run was added without stacks. */
static int add_stacks(struct hd_buf *text, struct hd_db *db, const struct hd_stored_event *of,
	const struct hd_stored_run *run, struct hd_err *err)
{
	struct hd_buf one = { 0 };
	int rc = of->stacks ? hd_blob_get(db, of->stacks, &one, err) : 0;

	if (rc == 0 && of->stacks)
		rc = hd_fail(err, HD_EFORMAT, "%s: the stacks of run %s are missing", hd_db_name(db), run->id);
	if (rc > 0)
		hd_buf_add(text, one.data, one.len);
	if (rc > 0 && one.len && one.data[one.len - 1] != '\n')
		hd_buf_addc(text, '\n');
	hd_buf_release(&one);
	return rc;
}

static int from_stacks(struct hd_profile_source *e, const struct hd_buf *text, const char *name,
	const struct hd_input *in, struct hd_err *err)
{
	struct hd_pipeline_opts opts = in->ingest;
	int fd = hd_file_temporary(name, err), rc;

	opts.keys |= HD_KEY_COMM;
	/* `text` has only the selected event, so it is read without a selection of events */
	opts.select.event = (struct hd_string_list){ 0 };
	e->p->keys = opts.keys;
	rc = fd < 0 ? fd : hd_file_pwrite(fd, hd_buf_str(text), text->len, 0, name, err);
	if (rc >= 0)
		rc = hd_folded_input_read(e->p, fd, name, &opts, err);
	if (rc >= 0 && e->p->read)
		rc = hd_input_need_samples(e->p, name, in, err);
	if (fd >= 0)
		close(fd);
	return rc < 0 ? rc : 0;
}

/*
 * Make a profile from the stored list of functions, for runs without stored stacks.  Each stack of the profile has one
 * frame, the function, without callers.
 */
static void from_hotspots(struct hd_profile_source *e, const struct hd_stored_event *of)
{
	uint32_t object = hd_profile_add_object(e->p, "[run]", "", false);

	hd_profile_add_event(e->p, of->name, of->unit);
	for (size_t i = 0; i < of->nhotspots; i++) {
		const struct hd_stored_hotspot *h = &of->hotspots[i];
		struct hd_sample_row row = { .weight = h->self > 0 ? (uint64_t)h->self : 0,
			.count = h->samples > 0 ? (uint64_t)h->samples : 0 };
		struct hd_frame f = { .symbol = hd_profile_add_named_symbol(e->p, object,
					      h->name            ? h->name
						      : h->vaddr ? h->vaddr
								 : HD_UNKNOWN,
					      false) };

		row.self = hd_profile_add_frame(e->p, &f);
		row.stack = hd_stacks_add(e->p->stacks, (hd_stack_id){ 0 }, row.self);
		hd_profile_add_sample(e->p, &row);
	}
}

static int by_self(const void *a, const void *b)
{
	const struct hd_top_row *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/*
 * Add up the stored lists of functions of all runs.  Until the final loop, `rank` is the order of first occurrence,
 * by which by_self() breaks ties.
 */
static void add_top(struct hd_profile_source *e, const struct stored *s, const size_t *number)
{
	struct hd_top *top = e->tops.of = hd_new_array(struct hd_top, 1);
	struct hd_map at = { 0 };
	size_t cap = 0;

	e->tops.n = 1;
	for (size_t i = 0; i < s->n; i++) {
		const struct hd_stored_event *of = &s->past[i].events[number[i]];

		top->weight += of->weight > 0 ? (uint64_t)of->weight : 0;
		top->samples += of->samples > 0 ? (uint64_t)of->samples : 0;
		for (size_t k = 0; k < of->nhotspots; k++) {
			const struct hd_stored_hotspot *h = &of->hotspots[k];
			const char *name = h->rest ? "(all others together)"
				: h->name          ? h->name
				: h->vaddr         ? h->vaddr
						   : HD_UNKNOWN;
			uint32_t object = hd_profile_add_object(e->p, h->object ? h->object : HD_UNKNOWN,
				h->build_id ? h->build_id : "", false);
			uint32_t symbol = hd_profile_add_named_symbol(e->p, object, name, false),
				 row = hd_map_get(&at, symbol);

			if (row == HD_MAP_NONE) {
				row = (uint32_t)top->n++;
				HD_GROW(top->rows, top->n, cap);
				top->rows[row] = (struct hd_top_row){ .rank = row, .symbol = symbol };
				hd_map_put(&at, symbol, row);
			}
			top->rows[row].self += h->self > 0 ? (uint64_t)h->self : 0;
			top->rows[row].total += h->total > 0 ? (uint64_t)h->total : 0;
			top->rows[row].samples += h->samples > 0 ? (uint64_t)h->samples : 0;
		}
	}
	hd_map_release(&at);
	if (top->n)
		qsort(top->rows, top->n, sizeof(*top->rows), by_self);
	for (size_t i = 0; i < top->n; i++)
		top->rows[i].rank = (uint32_t)i + 1;
	top->symbols = top->n;
}

static void describe(struct hd_profile_source *e, const struct stored *s, const size_t *number, char *name)
{
	const struct hd_stored_run *first = &s->past[0];
	const struct hd_stored_event *of = &first->events[number[0]];
	struct hd_buf ids = { 0 };
	double samples = 0, effective = 0, work = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct hd_stored_event *one = &s->past[i].events[number[i]];

		samples += one->samples > 0 ? (double)one->samples : 0;
		effective += one->effective > 0 ? one->effective : one->samples > 0 ? (double)one->samples : 0;
		work += s->past[i].work;	/* NaN if the work of any run is unknown */
		hd_buf_addf(&ids, "%s,", s->past[i].id);
	}
	e->ids = hd_buf_take(&ids);
	e->nruns = s->n;
	e->work = work > 0 ? work : 0;
	e->p->events[0].rate = of->rate;
	e->p->recording.format = "stored run";
	e->p->recording.stored = true;
	e->p->events[0].name = hd_profile_name(e->p, of->name);
	e->p->events[0].unit = hd_profile_name(e->p, of->unit);
	if (samples > 0 && strcmp(of->unit, "samples")) {
		e->p->events[0].samples = e->p->read = e->p->kept = (uint64_t)samples;
		/* the effective number of samples, which is smaller if the periods vary */
		e->samples = effective;
	} else {
		e->p->recording.format = "folded";
		e->p->recording.stored = false;		/* the weights are numbers of samples */
	}
	e->run = name ? name : hd_strdup(first->id);
	e->p->recording.path = hd_strdup(e->run);
	e->machine = first->machine ? hd_strdup(first->machine) : NULL;
	e->config = first->config ? hd_strdup(first->config) : NULL;
	e->inline_mode = hd_strdup(first->inline_mode);
	e->target = hd_strdup(first->target);
}

/* Drop the runs that were added without stacks. */
static void drop_without_stacks(struct stored *s, size_t *number)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (s->past[i].events[number[i]].stacks) {
			number[kept] = number[i];
			s->past[kept++] = s->past[i];
		} else {
			hd_run_load_release(&s->past[i]);
		}
	}
	s->n = kept;
}

/* Warn about n runs without stored stacks, of which `run` is the first one.  empty: they have no samples either. */
static void warn_without_stacks(struct hd_log *log, size_t n, const struct hd_stored_run *run, bool several, bool empty)
{
	if (n && empty)
		hd_warn_n(log, "diff.no-samples", n, "", "run %s: no sample was recorded%s", run->id,
			several ? "; it is ignored" : "");
	else if (n)
		hd_warn_n(log, "diff.no-stacks", n, "add it without --no-stacks",
			several ? "run %s: added without its stacks and ignored"
				: "run %s: added without its stacks, so only functions are compared", run->id);
}

/* Make the profile.  If some of several runs have no stacks, they are dropped from `s` and `number`. */
static int rebuild(struct hd_profile_source *e, struct hd_db *db, struct stored *s, size_t *number, const char *name,
	const struct hd_input *in, struct hd_log *log, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	size_t n[2] = { 0 }, which[2] = { 0 }, without;		/* [1]: runs without samples */
	int rc = 0;

	for (size_t i = 0; i < s->n && rc >= 0; i++) {
		const struct hd_stored_event *of = &s->past[i].events[number[i]];
		bool empty = of->samples == 0;

		rc = add_stacks(&text, db, of, &s->past[i], err);
		if (rc == 0 && !n[empty]++)
			which[empty] = i;
	}
	without = n[0] + n[1];
	e->p = hd_profile_new();
	if (rc >= 0 && without < s->n)
		rc = from_stacks(e, &text, name ? name : s->past[0].id, in, err);
	else if (rc >= 0 && s->n > 1)
		rc = hd_fail(err, HD_EFORMAT,
			n[0] ? "%s: the %zu runs were added without their stacks; name one of them"
			     : "%s: the %zu runs have no samples", name, s->n);
	else if (rc >= 0)
		from_hotspots(e, &s->past[0].events[number[0]]);
	hd_buf_release(&text);
	for (int empty = 0; empty < 2 && rc >= 0; empty++)
		warn_without_stacks(log, n[empty], &s->past[which[empty]], s->n > 1, empty);
	if (rc >= 0 && without < s->n)
		drop_without_stacks(s, number);
	return rc;
}

static int read_stored(struct hd_profile_source *e, struct hd_db *db, const char *what, const char *event,
	const struct hd_input *in, bool run_only, struct hd_log *log, struct hd_err *err)
{
	struct stored s = { 0 };
	struct hd_err why = { 0 };
	size_t *number = NULL;
	char *name = NULL;
	int rc = find(&s, &name, db, what, event, in, run_only, &why);

	if (rc >= 0)
		number = hd_new_array(size_t, s.n);
	else if (run_only || !strncmp(what, "latest", 6))
		hd_fail(err, rc, "%s", why.msg);
	else
		hd_fail(err, rc, "%s: there is no such file; %s", what, why.msg);
	for (size_t i = 0; i < s.n && rc >= 0; i++)
		rc = hd_run_pair_event(&s.past[i], event, &number[i], err);
	if (rc >= 0)
		rc = rebuild(e, db, &s, number, name, in, log, err);
	if (rc >= 0) {
		describe(e, &s, number, name);
		add_top(e, &s, number);
		name = NULL;
	}
	free(name);
	free(number);
	release_stored(&s);
	return rc;
}

int hd_profile_source_read(struct hd_profile_source *e, const char *what, const char *event, const struct hd_input *in,
	const struct hd_db_option *arg, struct hd_log *log, struct hd_err *err)
{
	bool run_only = !strncmp(what, "run:", 4);
	struct hd_db *db;
	int rc;

	*e = (struct hd_profile_source){ .nruns = 1 };
	if (is_file(what)) {
		rc = read_file(e, what, event, in, log, err);
	} else {
		rc = hd_db_option_open(&db, arg, HD_DB_READ, 0, err);
		if (rc < 0)	/* no database, so the operand can only be a file: report that it is missing */
			return run_only || !strncmp(what, "latest", 6) ? rc : fail_absent(what, err);
		rc = read_stored(e, db, run_only ? what + 4 : what, event, in, run_only, log, err);
		hd_db_close(db);
	}
	if (rc < 0)
		hd_profile_source_release(e);
	return rc;
}

void hd_profile_source_release(struct hd_profile_source *e)
{
	hd_profile_free(e->p);
	hd_tops_release(&e->tops);
	free(e->run);
	free(e->machine);
	free(e->config);
	free(e->inline_mode);
	free(e->target);
	free(e->ids);
	*e = (struct hd_profile_source){ 0 };
}

const struct hd_top *hd_profile_source_functions(const struct hd_profile_source *e, const struct hd_input *in)
{
	const struct hd_selection *s = &in->ingest.select;

	return e->tops.n && !s->comm.n && !s->symbol.n && !s->no_kernel && !s->weight ? &e->tops.of[0] : NULL;
}

/* ---- two sides of a comparison ---- */

static void unlike_configs(const struct hd_profile_source *a, const struct hd_profile_source *b, struct hd_log *log)
{
	char fix[200] = "";

	if (a->config && b->config)
		snprintf(fix, sizeof(fix), "'hotdrift hash --explain %.64s %.64s' names the fields", a->config,
			b->config);
	hd_warn(log, "diff.unlike", fix, "the runs had different configurations");
}

/* Warn if the base and the head differ in a way that makes shares hard to compare. */
static void warn_differences(const struct hd_profile_source *a, const struct hd_profile_source *b, struct hd_log *log)
{
	const struct hd_event *x = &a->p->events[a->event], *y = &b->p->events[b->event];
	const char *ux = hd_profile_str(a->p, x->unit), *uy = hd_profile_str(b->p, y->unit);

	if (strcmp(ux, uy) && strcmp(ux, "samples") && strcmp(uy, "samples"))
		hd_warn(log, "diff.unlike", "select a common event with --event",
			"the base has event %s in %s, the head %s in %s: their shares mean different things",
			hd_profile_str(a->p, x->name), ux, hd_profile_str(b->p, y->name), uy);
	if (a->run && b->run && strcmp(a->machine ? a->machine : "", b->machine ? b->machine : ""))
		hd_warn(log, "diff.unlike", "", "the runs were made on machines with different fingerprints");
	if (a->run && b->run && strcmp(a->config ? a->config : "", b->config ? b->config : ""))
		unlike_configs(a, b, log);
}

/*
 * Warn if the base and the head differ in how their stacks were recorded (call graph) or how inlined functions are
 * counted, because their stacks or costs then differ in meaning.
 */
static void warn_methods(const struct hd_profile_source *a, const struct hd_profile_source *b,
	const struct hd_input *in, struct hd_log *log)
{
	const struct hd_rate *x = &a->p->events[a->event].rate, *y = &b->p->events[b->event].rate;
	bool plain = in->inlined < 0;

	if (x->call_graph && y->call_graph && strcmp(x->call_graph, y->call_graph))
		hd_warn(log, "diff.unlike", "record both with the same perf record --call-graph",
			"the stacks of the base were recorded with call graph %s, those of the head with %s",
			x->call_graph, y->call_graph);
	if (a->inline_mode && b->inline_mode && strcmp(a->inline_mode, b->inline_mode))
		hd_warn(log, "diff.unlike", "", "the self cost of the base was stored as %s, that of the head as %s",
			a->inline_mode, b->inline_mode);
	if (plain && !a->run != !b->run)
		hd_warn(log, "diff.unlike", "omit --no-inline",
			"the stored stacks of the run have inlined functions, but the recording is read without them");
}

void hd_profile_source_warn_unlike(const struct hd_profile_source *base, const struct hd_profile_source *head,
	const struct hd_input *in, struct hd_log *log)
{
	warn_differences(base, head, log);
	warn_methods(base, head, in, log);
}

/* ---- the recording of a run ---- */

/* Return true if an artifact of a run can be annotated: its recording, or the bundle that profile.sh keeps. */
static bool is_recording(const struct hd_stored_artifact *a)
{
	size_t n = strlen(a->path);

	return !strcmp(a->kind, "recording") || (n > 4 && !strcmp(a->path + n - 4, ".hdb"));
}

/* Join the folder of the database and the last two components of `path`.  The caller frees it; NULL if not possible. */
static char *beside_database(const char *path, const char *database)
{
	const char *folder_end = strrchr(database, '/'), *name = strrchr(path, '/');
	struct hd_buf moved = { 0 };

	while (name && name > path && *--name != '/')
		;
	if (!folder_end || strstr(database, "://") || !name)
		return NULL;
	hd_buf_addf(&moved, "%.*s/%s", (int)(folder_end - database), database, name + (*name == '/'));
	return hd_buf_take(&moved);
}

/*
 * Return true if the file `path` has the SHA-256 that is stored in `a`.  If none is stored, any readable file or folder
 * is accepted.  If the result is false, `why` has the reason.
 */
static bool has_content(const char *path, const struct hd_stored_artifact *a, struct hd_err *why)
{
	char hex[HD_SHA256_HEX];
	struct stat st;
	uint64_t bytes;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {	/* a folder has no checksum; others must not be read */
		hd_fail(why, HD_EFORMAT, "%s is no regular file any more", path);
		return S_ISDIR(st.st_mode) && !a->sha256;
	}
	if (hd_sha256_file(path, hex, &bytes, why) < 0)
		return false;
	if (a->sha256 && strcmp(hex, a->sha256))
		hd_fail(why, HD_EFORMAT, "%s has changed since the run was added", path);
	return !a->sha256 || !strcmp(hex, a->sha256);
}

/*
 * Return the path of a usable recording of a run; the caller frees it.  If the result is NULL, `why` has the reason why
 * the first recording is unusable, or that none was stored.
 */
static char *recording_of(const struct hd_stored_run *run, const char *database, struct hd_err *why)
{
	struct hd_err other = { 0 };

	for (size_t i = 0; i < run->nartifacts; i++) {
		const struct hd_stored_artifact *a = &run->artifacts[i];
		char *moved;

		if (!a->path || !a->kind || !is_recording(a))
			continue;
		if (has_content(a->path, a, why->code ? &other : why))
			return hd_strdup(a->path);
		moved = beside_database(a->path, database);
		if (moved && has_content(moved, a, &other))
			return moved;
		free(moved);
	}
	if (!why->code)
		hd_fail(why, HD_EFORMAT, "no recording was stored with it");
	return NULL;
}

int hd_profile_source_recording(char **path, const char *what, const struct hd_input *in, const char *out,
	struct hd_err *err)
{
	const char *event = in->ingest.select.event.n ? in->ingest.select.event.items[0] : NULL;
	bool run_only = !strncmp(what, "run:", 4);
	struct stored s = { 0 };
	struct hd_err why = { 0 };
	struct hd_db *db;
	char *name = NULL;
	int rc;

	*path = is_file(what) ? hd_strdup(what) : NULL;
	if (*path)
		return 0;
	rc = hd_db_option_open(&db, &in->db, HD_DB_READ, 0, err);
	if (rc < 0)	/* no database, so the operand can only be a file: report that it is missing */
		return run_only || !strncmp(what, "latest", 6) ? rc : fail_absent(what, err);
	rc = find(&s, &name, db, run_only ? what + 4 : what, event, in, run_only, &why);
	if (rc < 0)
		hd_fail(err, rc, "%s%s%s", run_only || !strncmp(what, "latest", 6) ? "" : what,
			run_only || !strncmp(what, "latest", 6) ? "" : ": there is no such file; ", why.msg);
	why = (struct hd_err){ 0 };
	for (size_t i = s.n; i-- > 0 && !*path;)
		*path = recording_of(&s.past[i], hd_db_name(db), &why);
	if (rc >= 0 && !*path)
		rc = hd_fail(err, HD_EFORMAT,
			"%s: stored stacks have neither addresses nor times, and there is no recording of run %s: %s; "
			"name a recording or a bundle of the same program", what, s.past[s.n - 1].id, why.msg);
	free(name);
	release_stored(&s);
	hd_db_close(db);
	if (rc < 0)
		return rc;
	hd_sandbox_enter(out);		/* the database is not needed any more */
	return 0;
}

/* ---- for commands that read a recording ---- */

int hd_profile_source_open(struct hd_profile_source *e, const char *what, const struct hd_input *in, bool empty,
	struct hd_log *log, struct hd_err *err)
{
	const char *event = in->ingest.select.event.n ? in->ingest.select.event.items[0] : NULL;

	*e = (struct hd_profile_source){ 0 };
	if (is_file(what)) {
		int rc = check_default(what, err);

		if (rc < 0)
			return rc;
		return empty ? hd_input_read(&e->p, what, in, log, err)
			     : hd_input_read_samples(&e->p, what, in, log, err);
	}
	return hd_profile_source_read(e, what, event, in, &in->db, log, err);
}

int hd_profile_source_open_stacks(struct hd_profile_source *e, const char *what, const struct hd_input *in,
	struct hd_log *log, struct hd_err *err)
{
	int rc = hd_profile_source_open(e, what, in, false, log, err);

	if (rc >= 0 && e->run && in->ingest.no_inline)
		hd_warn(log, "run.inlined", "'hotdrift show' has the costs of whole functions",
			"run %s: its stored costs count inlined functions separately", e->run);
	return rc;
}

int hd_profile_source_read_profile(struct hd_profile **p, const char *what, const struct hd_input *in,
	struct hd_log *log, struct hd_err *err)
{
	struct hd_profile_source e;
	int rc = hd_profile_source_open_stacks(&e, what, in, log, err);

	*p = e.p;
	e.p = NULL;
	hd_profile_source_release(&e);
	return rc;
}
