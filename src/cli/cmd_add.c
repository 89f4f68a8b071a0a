/*
 * cmd_add.c - hotdrift add FILE...: store the measurements of one run in the database
 */
#include "base/encode.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/utc.h"
#include "cli/db_option.h"
#include "cli/input.h"
#include "history/run_benchmarks.h"
#include "history/run_builder.h"
#include "history/run_library.h"
#include "series/benchmark_files.h"
#include "trust/signing_key.h"
#include "pipeline/selection_text.h"
#include "cli/run_environment.h"
#include "history/run_add.h"
#include "render/fields.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct add_opts {
	struct hd_input in;
	struct hd_db_option db;
	const char *target, *mode, *config, *command, *exit_status, *commit, *recorded, *session, *side, *work, *key,
		*out;
	const char *latency, *memory, *power, *gpu, *results, *samples, *report;
	int status, machine;
	unsigned duration;
	struct hd_string_list artifacts, series, benchmarks;
	struct hd_run_environment_opts surroundings;
	bool no_stacks, once, json;
};

static const struct add_opts add_defaults = { .target = "default", .status = -1 };

static const char *const status_words[] = { "ok", "failed", "interrupted", "fixture" };

static const struct hd_opt add_opts[] = {
	{ HD_OPT_STR, 0, "target", "NAME", "name of what was profiled (default 'default')",
		offsetof(struct add_opts, target) },
	{ HD_OPT_STR, 0, "mode", "WORD", "{mode words}, faults, library, benchmark, or another word (default gpu "
		"for a GPU capture, library or benchmark without recordings and CSV files, otherwise cpu)",
		offsetof(struct add_opts, mode) },
	{ HD_OPT_STR, 0, "config", "FILE", "configuration of the run (JSON), stored with its fingerprint",
		offsetof(struct add_opts, config) },
	{ HD_OPT_ENUM, 0, "status", "ok|failed|interrupted|fixture",
		"ok, failed, ... (default ok, or failed if --exit-status is not 0); only ok runs are compared",
		offsetof(struct add_opts, status) },
	{ HD_OPT_STR, 0, "exit-status", "N", "exit status of the recorded program",
		offsetof(struct add_opts, exit_status) },
	{ HD_OPT_STR, 0, "command", "TEXT", "the recorded command (default: from the recording)",
		offsetof(struct add_opts, command) },
	{ HD_OPT_STR, 0, "commit", "SHA",
		"the recorded commit, or none (default: that of the checkout around the current folder)",
		offsetof(struct add_opts, commit) },
	{ HD_OPT_STR, 0, "recorded", "TIME",
		"time as 2026-11-20T14:01:02Z (default: when the first FILE, or the recording in a bundle, was "
		"last changed)",
		offsetof(struct add_opts, recorded) },
	{ HD_OPT_STR, 0, "session", "WORD", "name that all runs of one job share",
		offsetof(struct add_opts, session) },
	{ HD_OPT_STR, 0, "side", "WORD", "side of a comparison that the run was made for: base, head, A, B",
		offsetof(struct add_opts, side) },
	{ HD_OPT_STR, 0, "work", "N", "units of work done: requests, tokens, rows", offsetof(struct add_opts, work) },
	{ HD_OPT_UINT, 0, "duration", "SECONDS",
		"the recording was ended after SECONDS, before the program; such runs are compared with each other "
		"only",
		offsetof(struct add_opts, duration) },
	{ HD_OPT_ENUM, 0, "machine", "auto|here|unknown",
		"the machine of the recording (default auto: this one if the recording says so)",
		offsetof(struct add_opts, machine) },
	{ HD_OPT_LIST, 0, "env", "NAME[=VALUE]",
		"store the value of this environment variable, or of all that match a pattern; may be repeated; "
		"env in hotdrift.ini names more",
		offsetof(struct add_opts, surroundings.env) },
	{ HD_OPT_STR, 0, "load-average", "N",
		"load average of one minute at the start (default: the current one, if recorded here)",
		offsetof(struct add_opts, surroundings.load_average) },
	{ HD_OPT_LIST, 0, "artifact", "PATH",
		"a file that belongs to the run; its path and SHA-256 are stored; may be repeated",
		offsetof(struct add_opts, artifacts) },
	{ HD_OPT_STR, 0, "key", "FILE",
		"sign the run as the head of its chain; 'verify --key FILE' checks the signature",
		offsetof(struct add_opts, key) },
	{ HD_OPT_FLAG, 0, "no-stacks", NULL, "do not store the folded stacks", offsetof(struct add_opts, no_stacks) },
	{ HD_OPT_FLAG, 0, "once", NULL, "if this recording is already stored, print its run and add none",
		offsetof(struct add_opts, once) },
	HD_ROW_JSON(struct add_opts, "hotdrift.add"),
	HD_ROW_OUTPUT(struct add_opts),
	{ 0 },
};
static const struct hd_opt csv_opts[] = {
	{ HD_OPT_STR, 0, "latency", "FILE", "latencies of requests or iterations",
		offsetof(struct add_opts, latency) },
	{ HD_OPT_STR, 0, "memory", "FILE", "resident memory and classes of buffers over time",
		offsetof(struct add_opts, memory) },
	{ HD_OPT_STR, 0, "power", "FILE", "power over time, in total or by source", offsetof(struct add_opts, power) },
	{ HD_OPT_STR, 0, "gpu", "FILE", "utilisation and memory of GPUs over time", offsetof(struct add_opts, gpu) },
	{ HD_OPT_STR, 0, "results", "FILE", "results of a sweep over settings", offsetof(struct add_opts, results) },
	{ HD_OPT_STR, 0, "samples", "DIR",
		"folder of 'hotdrift sample -o DIR': its series, command, status and time",
		offsetof(struct add_opts, samples) },
	{ HD_OPT_LIST, 0, "series", "NAME=FILE",
		"any CSV file with a header: series NAME.column; may be repeated",
		offsetof(struct add_opts, series) },
	{ HD_OPT_STR, 0, "report", "FILE",
		"report of libhotdrift (JSON): operations, allocations, memory, latency, power and spans",
		offsetof(struct add_opts, report) },
	{ HD_OPT_LIST, 0, "benchmarks", "PATH",
		"micro-benchmarks: the folder of Criterion, or the JSON of Google Benchmark or 'hotdrift bench'; may "
		"be repeated",
		offsetof(struct add_opts, benchmarks) },
	{ 0 },
};
static const struct hd_opt_group add_groups[] = {
	{ "measurements", csv_opts, 0 },
	HD_DB_OPTION_GROUP(struct add_opts, db),
	{ "selection", hd_select_opts, offsetof(struct add_opts, in) + offsetof(struct hd_input, ingest.select) },
	HD_INPUT_MORE_GROUPS(struct add_opts, in),
	{ NULL, NULL, 0 },
};

/* ---- options ---- */

static int read_status(struct hd_run *run, const struct add_opts *o, const struct hd_sample_folder *sampled,
	struct hd_err *err)
{
	unsigned long long n;

	run->exit_status = -1;
	if (o->exit_status) {
		if (hd_parse_uint(o->exit_status, 255, &n) < 0)
			return hd_fail(err, HD_EUSAGE, "add: --exit-status takes a number from 0 to 255, not '%s'",
				o->exit_status);
		run->exit_status = (int)n;
	}
	run->status = o->status >= 0 ? status_words[o->status] : run->exit_status > 0 ? "failed" : "ok";
	if (o->samples && !o->exit_status) {
		run->exit_status = sampled->exit_status;
		run->status = o->status >= 0 ? run->status : sampled->status;
	}
	return 0;
}

static int read_words(struct hd_run *run, const struct add_opts *o, struct hd_err *err)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	const char *mode = o->mode ? o->mode : "cpu";
	size_t n = strspn(mode, "abcdefghijklmnopqrstuvwxyz0123456789-");

	if (!*o->target || !*mode)
		return hd_fail(err, HD_EUSAGE, "add: --target and --mode need a name");
	if (mode[n] || n > 32)
		return hd_fail(err, HD_EUSAGE, "add: --mode takes a word of lower-case letters, not '%s'", mode);
	if (o->side && (!*o->side || o->side[strspn(o->side, word)] || strlen(o->side) > 64))
		return hd_fail(err, HD_EUSAGE,
			"add: --side takes a word of letters, digits, '.', '_' and '-', not '%s'", o->side);
	run->target = o->target;
	run->mode = mode;
	run->session = o->session;
	run->side = o->side;
	return 0;
}

static int read_work(struct hd_run *run, const struct add_opts *o, struct hd_err *err)
{
	char *end;

	if (!o->work)
		return 0;
	errno = 0;
	run->work = strtod(o->work, &end);
	if (errno || end == o->work || *end || !isfinite(run->work) || run->work <= 0 ||
		o->work[strspn(o->work, "0123456789.eE+")])
		return hd_fail(err, HD_EUSAGE, "add: --work takes a number above 0, not '%s'", o->work);
	return 0;
}

/*
 * Set the time of the run: --recorded, otherwise sampled_s (start of --samples or time of --report, 0: unknown),
 * otherwise the modification time of `path`, otherwise now.  path: the first recording, or without recordings the first
 * CSV file, report or benchmark file.
 */
static int read_time(struct hd_run *run, const struct add_opts *o, const char *path, int64_t sampled_s,
	struct hd_err *err)
{
	struct stat st;

	if (o->recorded) {
		if (hd_utc_parse(o->recorded, &run->recorded) < 0)
			return hd_fail(err, HD_EUSAGE,
				"add: --recorded takes a time like 2026-11-20T14:01:02Z, not '%s'", o->recorded);
		return 0;
	}
	if (sampled_s) {
		run->recorded = sampled_s;
		return 0;
	}
	run->recorded = strcmp(path, "-") && stat(path, &st) == 0 && !S_ISFIFO(st.st_mode) ? (int64_t)st.st_mtime
											   : hd_utc_now();
	return 0;
}

/* ---- measurements ---- */

static int add_csv(struct hd_run_builder *m, const char *path, const char *form, const char *name, struct hd_log *log,
	struct hd_err *err)
{
	const struct hd_run_csv_input ask = { .path = path, .form = form, .name = name };

	return path ? hd_run_csv_set_add(&m->csvs, &ask, log, err) : 0;
}

static int add_named(struct hd_run_builder *m, const char *text, struct hd_log *log, struct hd_err *err)
{
	const char *eq = strchr(text, '=');
	char *name;
	int rc;

	if (!eq || eq == text || !eq[1] || eq - text > 200)
		return hd_fail(err, HD_EUSAGE, "add: --series takes NAME=FILE, not '%s'", text);
	name = hd_strdup(text);
	name[eq - text] = '\0';
	rc = add_csv(m, eq + 1, NULL, name, log, err);
	free(name);
	return rc;
}

/* Divide the operands into recordings and CSV files of hotdrift, which are recognised by their header. */
static int sort_operands(struct hd_run_builder *m, char **argv, int argc, struct hd_log *log, struct hd_err *err)
{
	int rc = 0;

	for (int i = 0; i < argc && rc >= 0; i++) {
		if (hd_run_is_csv(argv[i])) {
			rc = add_csv(m, argv[i], NULL, NULL, log, err);
			continue;
		}
		HD_GROW(m->recordings.items, m->recordings.n + 1, m->recordings.cap);
		m->recordings.items[m->recordings.n++] = argv[i];
	}
	return rc;
}

/*
 * Read all micro-benchmark files and add their results, with the symbols that each benchmark covers.  The files are
 * also stored as artifacts of the run.
 */
static int take_benchmarks(struct hd_run_builder *m, struct add_opts *o, struct hd_log *log, struct hd_err *err)
{
	struct hd_micro_benchmarks all = { .n = 0 };
	char *rules = o->benchmarks.n ? hd_run_ini_value(m->run.target, HD_INI_COVERS, &m->git_log) : NULL;
	int rc = 0;

	for (size_t i = 0; i < o->benchmarks.n && rc >= 0; i++) {
		const char *path = o->benchmarks.items[i];

		rc = hd_micro_benchmarks_read(&all, path, log, err);
		HD_GROW(o->artifacts.items, o->artifacts.n + 1, o->artifacts.cap);
		o->artifacts.items[o->artifacts.n++] = path;
	}
	if (rc >= 0)
		rc = hd_run_benchmarks_add(&m->csvs, &all, rules, err);
	hd_micro_benchmarks_release(&all);
	free(rules);
	return rc;
}

/* Read the report that libhotdrift wrote and add its content.  The file is also stored as an artifact of the run. */
static int take_report(struct hd_run_builder *m, struct hd_run_library *lib, struct add_opts *o, struct hd_err *err)
{
	int rc = hd_run_library_read(lib, &m->csvs, o->report, err);

	if (rc < 0)
		return rc;
	HD_GROW(o->artifacts.items, o->artifacts.n + 1, o->artifacts.cap);
	o->artifacts.items[o->artifacts.n++] = o->report;
	m->samples.is_here |= lib->is_here;
	return 0;
}

/*
 * Read all CSV files, micro-benchmarks and the report of libhotdrift; the operands that are no CSV files become
 * m->recordings.  A file named by an option, such as --memory, replaces the file of this kind in the folder of
 * --samples.
 */
static int take_csvs(struct hd_run_builder *m, struct hd_run_library *lib, struct add_opts *o, char **argv, int argc,
	struct hd_log *log, struct hd_err *err)
{
	const struct { const char *path, *form; } files[] = {
		{ o->latency, "latency" },
		{ o->memory ? o->memory : m->samples.memory, "memory" },
		{ o->power ? o->power : m->samples.power, "power" },
		{ o->gpu ? o->gpu : m->samples.gpu, "gpu" },
		{ o->results, "results" },
	};
	int rc = 0;

	for (size_t i = 0; i < HD_COUNT(files) && rc >= 0; i++)
		rc = add_csv(m, files[i].path, files[i].form, NULL, log, err);
	for (size_t i = 0; i < o->series.n && rc >= 0; i++)
		rc = add_named(m, o->series.items[i], log, err);
	if (rc >= 0)
		rc = sort_operands(m, argv, argc, log, err);
	if (rc >= 0)
		rc = take_benchmarks(m, o, log, err);
	if (rc >= 0 && o->report)
		rc = take_report(m, lib, o, err);
	m->run.series = m->csvs.series;
	m->run.nseries = m->csvs.n;
	if (rc >= 0 && !m->recordings.n && !m->csvs.nfiles && !o->benchmarks.n && !o->report)
		return hd_fail(err, HD_EUSAGE, "add: no recording and no CSV file given");
	if (rc >= 0 && !m->recordings.n && !m->csvs.nfiles && !o->mode)
		m->run.mode = o->report ? "library" : "benchmark";
	return rc;
}

/*
 * Describe the sample selection of the command line as text.  A selection applies to recordings only, so it is an error
 * if no recording is added.
 */
static int take_selection(struct hd_run_builder *m, const struct add_opts *o, struct hd_err *err)
{
	hd_selection_text_add(&m->selection, &o->in.ingest.select);
	if (m->selection.len && !m->recordings.n)
		return hd_fail(err, HD_EUSAGE, "add: %s selects from a recording, but no recording is given",
			m->selection.data);
	return 0;
}

/*
 * Append the skipped frames and --duration to the text of the selection, because runs that differ in them are not
 * comparable.
 */
static void end_selection(struct hd_run_builder *m, const struct add_opts *o)
{
	bool skips = false;

	for (size_t i = 0; i < m->recordings.n; i++)
		skips |= m->profiles[i]->recording.skips;
	hd_selection_text_add_skip(&m->selection,
		skips ? o->in.ingest.select.skip ? o->in.ingest.select.skip : "default" : NULL);
	hd_selection_text_add_duration(&m->selection, o->duration);
	m->run.selection = m->selection.len ? m->selection.data : NULL;
}

/* ---- output ---- */

/* Return the number of symbols with samples. */
static uint64_t sampled(const struct hd_run_event *e)
{
	uint64_t n = 0;

	for (size_t i = 0; i < e->nhotspots; i++)
		n += e->hotspots[i].samples > 0;
	return n;
}

static void print_text(struct hd_buf *out, const struct hd_run_ticket *t, const char *db, bool added)
{
	hd_buf_addf(out, "run       %s%s\ndatabase  ", t->id, added ? "" : " (already stored)");
	hd_enc_term(out, db, strlen(db));
	hd_buf_addc(out, '\n');
}

static const struct hd_fields series_fields = HD_FIELDS(
	HD_FIELD("kind", NULL, TEXT, struct hd_run_series, kind),
	HD_FIELD("name", NULL, NAME, struct hd_run_series, name),
	HD_FIELD("samples", NULL, WEIGHT, struct hd_run_series, samples));

static void print_json(struct hd_buf *out, const struct hd_run_ticket *t, const char *db, bool added,
	const struct hd_run *run, const char *same)
{
	struct hd_jsonw w = hd_jsonw_document(out, "hotdrift.add", 1);

	hd_jsonw_str(&w, "run", t->id);
	hd_jsonw_bool(&w, "added", added);
	hd_jsonw_str(&w, "hash", added ? t->hash : NULL);
	hd_jsonw_str(&w, "db", db);
	hd_jsonw_str(&w, "target", run->target);
	hd_jsonw_str(&w, "mode", run->mode);
	hd_jsonw_str(&w, "status", run->status);
	hd_jsonw_str(&w, "commit", run->git ? run->git->sha : NULL);
	hd_jsonw_str(&w, "config", run->config ? run->config->sha256 : NULL);
	hd_jsonw_str(&w, "machine", run->machine ? run->machine->fingerprint : NULL);
	hd_jsonw_str(&w, "same_recording_as", *same ? same : NULL);
	hd_jsonw_open(&w, "events", '[');
	for (size_t i = 0; i < run->nevents; i++) {
		hd_jsonw_row(&w, NULL, '{');
		hd_jsonw_str(&w, "event", run->events[i].name);
		hd_jsonw_str(&w, "unit", run->events[i].unit);
		hd_jsonw_u64(&w, "samples", run->events[i].samples);
		hd_jsonw_u64(&w, "weight", run->events[i].weight);
		hd_jsonw_u64(&w, "symbols", sampled(&run->events[i]));
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_str(&w, "selection", run->selection);
	if (run->work > 0)
		hd_jsonw_num(&w, "work", run->work, 6);
	hd_fields_array(&w, "series", &series_fields, run->series, run->nseries, sizeof(*run->series));
	hd_jsonw_close(&w, '}');
}

/* Add the run to the database, unless --once is given and its recording is stored already.  Print the result. */
static int store(const struct add_opts *o, const struct hd_run *run, struct hd_log *log, struct hd_err *err)
{
	struct hd_run_ticket ticket = { 0 };
	struct hd_outfile file;
	struct hd_buf out = { 0 };
	struct hd_err bad;
	struct hd_db *db;
	int rc;

	rc = hd_db_option_open_to_add(&db, &o->db, err);
	if (rc < 0)
		return rc;
	/* Open the output before the run is written, so that no run is added if this fails. */
	rc = hd_outfile_open(&file, o->out, err);
	if (rc < 0) {
		hd_db_close(db);
		return rc;
	}
	rc = hd_run_add(db, run, &ticket, err);
	if (rc >= 0) {
		if (*ticket.same && ticket.added)
			hd_warn(log, "store.same-recording", "pass --once to add a recording only once",
				"this recording is already stored as run %s", ticket.same);
		if (o->json)
			print_json(&out, &ticket, hd_db_name(db), ticket.added, run, ticket.same);
		else
			print_text(&out, &ticket, hd_db_name(db), ticket.added);
		hd_outfile_add(&file, out.data, out.len);
		rc = hd_outfile_commit(&file, &bad);
		if (rc < 0)
			hd_fail(err, rc, "%s; run %s was added to the database", bad.msg, ticket.id);
	} else {
		hd_outfile_discard(&file);
	}
	hd_buf_release(&out);
	hd_db_close(db);
	return rc;
}

static int read_recordings(struct hd_run_builder *m, const struct add_opts *o, struct hd_log *log, struct hd_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < m->recordings.n && rc >= 0; i++) {
		struct hd_profile *p;

		rc = hd_input_read_samples(&p, m->recordings.items[i], &o->in, log, err);
		if (rc >= 0)
			hd_run_builder_add_profile(m, p);
	}
	return rc < 0 ? rc : hd_run_builder_join(m, hd_input_inlined(&o->in, false), !o->no_stacks, log, err);
}

static int read_key(struct hd_run_builder *m, struct hd_signing_key *key, const char *path, struct hd_err *err)
{
	int rc = path ? hd_signing_key_read(key, path, true, &m->git_log, err) : 0;

	if (rc >= 0 && path)
		m->run.key = key;
	return rc;
}

/* Read and check all input, without writing anything. */
static int gather(struct hd_run_builder *m, struct hd_signing_key *key, struct add_opts *o, char **argv, int argc,
	struct hd_log *log, struct hd_err *err)
{
	struct hd_run_library lib = { .n = 0 };
	const char *first;
	int rc;

	o->in.ingest.keys = HD_KEY_COMM;	/* no_inline stays unset: costs with and without inlining are stored */
	o->in.ingest.squares = true;
	rc = hd_input_check(&o->in, "add", err);
	for (int i = 0; i < argc && rc >= 0 && o->key && !strcmp(o->key, "-"); i++)
		if (!strcmp(argv[i], "-"))
			rc = hd_fail(err, HD_EUSAGE,
				"add: the recording and --key cannot both be standard input");
	if (rc >= 0)
		rc = o->samples ? hd_sample_folder_read(&m->samples, o->samples, err) : 0;
	if (rc >= 0)
		rc = read_status(&m->run, o, &m->samples, err);
	if (rc >= 0)
		rc = read_words(&m->run, o, err);
	if (rc >= 0)
		rc = read_work(&m->run, o, err);
	if (rc >= 0)
		rc = hd_run_environment_check(&o->surroundings, err);
	if (rc >= 0)
		rc = hd_run_builder_config(m, o->config, err);
	if (rc >= 0)
		rc = read_key(m, key, o->key, err);
	if (rc >= 0 && !(o->commit && !strcmp(o->commit, "none")))
		rc = hd_git_commit_read(&m->git, ".", o->commit, &m->git_log, err);
	if (rc >= 0)
		rc = take_csvs(m, &lib, o, argv, argc, log, err);
	if (rc >= 0)
		rc = take_selection(m, o, err);
	if (rc < 0)
		return rc;
	first = m->recordings.n ? m->recordings.items[0]
		: m->csvs.nfiles ? m->csvs.files[0]->path : o->report ? o->report : o->benchmarks.items[0];
	rc = read_time(&m->run, o, first, m->recordings.n ? 0
		: m->samples.started_s ? m->samples.started_s : lib.recorded_s, err);
	if (rc >= 0)
		rc = read_recordings(m, o, log, err);
	if (rc >= 0)
		rc = hd_run_builder_add_events(m, lib.events, lib.n, err);
	if (rc >= 0 && !o->mode && m->recordings.n && m->profiles[0]->gpu)
		m->run.mode = "gpu";
	if (rc >= 0 && !o->recorded && m->recordings.n && m->profiles[0]->recording.written_s)
		m->run.recorded = m->profiles[0]->recording.written_s;
	if (rc >= 0)
		end_selection(m, o);
	return rc < 0 ? rc : hd_run_builder_files(m, &o->artifacts, err);
}

static int add_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct add_opts *o = opts;
	struct hd_run_builder m = { .git.dirty = -1 };
	struct hd_signing_key key = { 0 };
	int rc = gather(&m, &key, o, argv, argc, log, err);

	if (rc >= 0) {
		/* a copy of the warnings so far, which are stored with the run; later ones are only printed */
		struct hd_log of_reader = { 0 };

		hd_log_add(&of_reader, log);
		hd_run_builder_machine(&m, (enum hd_machine_choice)o->machine);
		if (m.machine.unread)
			hd_warn(log, "machine.unread", "add the run again; without its machine it is comparable "
				"with no other run",
				"%s: cannot be read, so the description of the machine is "
					"incomplete", m.machine.unread);
		hd_run_builder_command(&m, o->command);
		hd_run_environment_take(&m, &o->surroundings);
		m.run.git = &m.git;
		m.run.warnings = &of_reader;
		m.run.once = o->once;
		rc = store(o, &m.run, &m.git_log, err);
		hd_log_release(&of_reader);
	}
	for (size_t i = 0; i < m.git_log.n; i++)
		hd_warn_n(log, m.git_log.items[i].code, m.git_log.items[i].count, m.git_log.items[i].fix, "%s",
			m.git_log.items[i].text);
	hd_run_builder_release(&m);
	hd_signing_key_release(&key);
	return rc;
}

const struct hd_cmd hd_cmd_add = {
	.name = "add",
	.args = "[FILE...]",
	.summary = "store a run in the database",
	.details =
		"FILE is any input, or a CSV file of ours, recognised by its header.  All files together are one "
		"run.  The run is written in one transaction: self and total cost of the symbols of every event, the "
		"folded stacks, the series, the commit, the machine, the configuration, and what was lost.  If "
		"anything fails, nothing is written.  If the database does not exist, it is created (SQLite, WAL "
		"mode), with its default folder.\n"
		"\n"
		"Several recordings contribute their events in order.  An event may occur once only.  Machine and "
		"command are those of the first recording.  A run without a recording has series only.\n"
		"\n"
		"The forms of CSV files:\n"
		"  latency   {latency}\n"
		"  memory    {memory}\n"
		"  power     {power}  or  {sources}\n"
		"  gpu       {gpu}\n"
		"  results   setting,coherence_delta,... (a sweep)\n"
		"\n"
		"Each column of a CSV file is a series, with the summaries of 'stats' and their intervals.  Power "
		"also has joules and peak as in 'energy'; memory has peak_rss, mean_rss, kv_cache_total and "
		"activation_total.  The text of the file is stored compressed.  A run has one file of each form; "
		"other files need --series NAME=FILE.  If a row or a cell cannot be read, nothing is added (exit 5).\n"
		"\n"
		"--report FILE adds the JSON report of a program that uses libhotdrift.  Its operations and "
		"allocations are events of the run, with a row for each name; each name is a series, too.  Its memory, "
		"latency and power are series as those of CSV files, unless the run has such a file.  A run of a "
		"report only has the mode library.\n"
		"\n"
		"--benchmarks PATH adds micro-benchmarks: the folder target/criterion of Criterion.rs or one of its "
		"estimates.json, the JSON of Google Benchmark, or that of 'bench'.  Each benchmark is a series with "
		"its time per iteration.  It covers the symbols that 'covers' of hotdrift.ini names (lines PATTERN = "
		"SYMBOL), otherwise those whose name is a part of its name: parse_row/1000 covers parse_row.  The "
		"view v_benchmark_hotspot joins them with the hot symbols of the same commit.  A run of "
		"micro-benchmarks only has the mode benchmark.\n"
		"\n"
		"--samples DIR reads power.csv, gpu.csv and memory.csv of 'hotdrift sample', and from its "
		"sample.json the command, its exit status, its time and whether it ran on this machine.  Other "
		"options of 'add' take precedence.\n"
		"\n"
		"The selection from the recordings is stored with the run.  Runs with different selections are not "
		"compared.\n"
		"\n"
		"Runs are not compared either if they differ in a variable that hotdrift.ini names for the target "
		"(env = NAME, PATTERN).  Of all other variables only the names are stored.\n"
		"\n"
		"With folded stacks, symbols below 0.01 % of an event by self and 1 % by total share one row, "
		"[rest]; the stacks still have them.  --no-stacks gives each symbol its own row.\n"
		"\n"
		"Self and total cost refer to the symbol table, as in perf.  inline_self and inline_total count "
		"inlined functions separately.  With --inline self and total do so too; runs that differ in this are "
		"not compared.  The stacks have inlined functions as frames.\n"
		"\n"
		"The id of a run is the time of the recording, the commit and the start of the run's hash.  The hash "
		"covers the run before it, so that changes of old runs are detected.  Adding a recording twice makes "
		"two runs and a warning, unless --once is given.  With --key the run is signed as well; if a run "
		"that was signed before is missing, nothing is written (exit 1).\n"
		"\n"
		"Another writer is waited for (--busy-ms).  If it does not finish, nothing is written (exit 6).  A "
		"cost above 2^63 - 1 is rejected (exit 5).",
	.examples =
		"hotdrift add perf.data --target serve\ta run of target serve at this commit\n"
		"hotdrift add perf.data --target serve --config config.json --json\twith its configuration\n"
		"hotdrift add perf.data latency.csv power.csv --work 5000\twith further measurements\n"
		"hotdrift add --latency l.csv --series queue=depth.csv --machine here\tseries only\n"
		"hotdrift add --samples out --target serve --work 5000\tenergy, memory and GPU use of a command\n"
		"hotdrift add --report report.json --target serve\twhat the program measured itself, by libhotdrift\n"
		"hotdrift add --benchmarks target/criterion --target serve\tmicro-benchmarks of this commit\n"
		"hotdrift add old.data --commit 4f1c2e9 --machine unknown\tan old recording\n"
		"",
	HD_CMD_OPTS(add_opts, add_defaults),
	.groups = add_groups,
	.max_args = -1,
	.run = add_run,
};
