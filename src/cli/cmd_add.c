/*
 * cmd_add.c - hotdrift add FILE...: what was measured of one run becomes one run in the database
 */
#include "base/encode.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/utc.h"
#include "cli/db_option.h"
#include "cli/input.h"
#include "history/run_builder.h"
#include "trust/signing_key.h"
#include "pipeline/selection_text.h"
#include "cli/run_environment.h"
#include "history/run_add.h"

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
	const char *latency, *memory, *power, *gpu, *results, *samples;
	int status, machine;
	unsigned duration;
	struct hd_string_list artifacts, series;
	struct hd_run_environment_opts surroundings;
	bool no_stacks, once, json;
};

static const struct add_opts add_defaults = { .target = "default", .status = -1 };

static const char *const status_words[] = { "ok", "failed", "interrupted", "fixture" };

static const struct hd_opt add_opts[] = {
	{ HD_OPT_STR, 0, "target", "NAME", "what was profiled (default 'default')", offsetof(struct add_opts, target) },
	{ HD_OPT_STR, 0, "mode", "WORD",
		"cpu, memory, faults, gpu, async, syscall, power (default gpu for a GPU capture, else cpu)",
		offsetof(struct add_opts, mode) },
	{ HD_OPT_STR, 0, "config", "FILE", "the configuration of the run (JSON); it is kept with its fingerprint",
		offsetof(struct add_opts, config) },
	{ HD_OPT_ENUM, 0, "status", "ok|failed|interrupted|fixture",
		"only an ok run is a side of a comparison (default ok, failed with a --exit-status that is not 0)",
		offsetof(struct add_opts, status) },
	{ HD_OPT_STR, 0, "exit-status", "N", "of the program that was recorded",
		offsetof(struct add_opts, exit_status) },
	{ HD_OPT_STR, 0, "command", "TEXT", "the command that was recorded (default: what the recording says)",
		offsetof(struct add_opts, command) },
	{ HD_OPT_STR, 0, "commit", "SHA",
		"the commit that was recorded, or none (default: that of the checkout around the current folder)",
		offsetof(struct add_opts, commit) },
	{ HD_OPT_STR, 0, "recorded", "TIME",
		"when, as 2026-11-20T14:01:02Z (default: when the first FILE, or the recording in a bundle, was last "
		"changed)",
		offsetof(struct add_opts, recorded) },
	{ HD_OPT_STR, 0, "session", "WORD", "the same for all runs of one job", offsetof(struct add_opts, session) },
	{ HD_OPT_STR, 0, "side", "WORD", "of a comparison that the run was made for: base, head, A, B",
		offsetof(struct add_opts, side) },
	{ HD_OPT_STR, 0, "work", "N", "units of work that it did: requests, tokens, rows",
		offsetof(struct add_opts, work) },
	{ HD_OPT_UINT, 0, "duration", "SECONDS",
		"the recording was ended then, before the program; such runs are compared with each other only",
		offsetof(struct add_opts, duration) },
	{ HD_OPT_ENUM, 0, "machine", "auto|here|unknown",
		"where it was recorded (default auto: here if the recording says so)",
		offsetof(struct add_opts, machine) },
	{ HD_OPT_LIST, 0, "env", "NAME[=VALUE]",
		"store the value of this environment variable, or of those that match a pattern; may be repeated, and "
		"hotdrift.ini (env) names more",
		offsetof(struct add_opts, surroundings.env) },
	{ HD_OPT_STR, 0, "load-average", "N",
		"of one minute when the recording began (default: that of now, if it was recorded here)",
		offsetof(struct add_opts, surroundings.load_average) },
	{ HD_OPT_LIST, 0, "artifact", "PATH",
		"a file that belongs to the run: its path and SHA-256 are kept; may be repeated",
		offsetof(struct add_opts, artifacts) },
	{ HD_OPT_STR, 0, "key", "FILE", "sign the run as the head of its chain; 'verify --key FILE' checks it",
		offsetof(struct add_opts, key) },
	{ HD_OPT_FLAG, 0, "no-stacks", NULL, "do not keep the folded stacks", offsetof(struct add_opts, no_stacks) },
	{ HD_OPT_FLAG, 0, "once", NULL, "when this recording is in the database already, tell its run and add none",
		offsetof(struct add_opts, once) },
	HD_ROW_JSON(struct add_opts, "hotdrift.add"),
	HD_ROW_OUTPUT(struct add_opts),
	{ 0 },
};
static const struct hd_opt csv_opts[] = {
	{ HD_OPT_STR, 0, "latency", "FILE", "latencies: sample_id,wall_time_us,kernel_time_us,seq_len",
		offsetof(struct add_opts, latency) },
	{ HD_OPT_STR, 0, "memory", "FILE", "memory: timestamp_us,peak_rss_bytes,kv_cache_bytes,...",
		offsetof(struct add_opts, memory) },
	{ HD_OPT_STR, 0, "power", "FILE", "power: timestamp_us,watts or t_ns,source,domain,watts,...",
		offsetof(struct add_opts, power) },
	{ HD_OPT_STR, 0, "gpu", "FILE",
		"utilisation and memory of GPUs: t_ns,device,util_pct,mem_util_pct,mem_used_bytes,...",
		offsetof(struct add_opts, gpu) },
	{ HD_OPT_STR, 0, "results", "FILE", "a sweep: setting,coherence_delta,...",
		offsetof(struct add_opts, results) },
	{ HD_OPT_STR, 0, "samples", "DIR",
		"what 'hotdrift sample -o DIR' wrote: its series, the command, its status and time",
		offsetof(struct add_opts, samples) },
	{ HD_OPT_LIST, 0, "series", "NAME=FILE", "any CSV file with a header: series NAME.column; may be repeated",
		offsetof(struct add_opts, series) },
	{ 0 },
};
static const struct hd_opt_group add_groups[] = {
	{ "CSV files", csv_opts, 0 },
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
		return hd_fail(err, HD_EUSAGE, "add: --target and --mode want a name, not an empty one");
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

/* path: of the first recording or else series.  sampled_s: the start of what was sampled, 0: unknown, or there is a recording. */
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

/* ---- what was measured ---- */

static int add_csv(struct hd_run_builder *m, const char *path, const char *form, const char *name, struct hd_log *log,
	struct hd_err *err)
{
	const struct hd_run_csv_input ask = { .path = path, .form = form, .name = name };

	return path ? hd_run_csv_set_add(&m->csvs, &ask, log, err) : 0;
}

static int add_named(struct hd_run_builder *m, const char *said, struct hd_log *log, struct hd_err *err)
{
	const char *eq = strchr(said, '=');
	char *name;
	int rc;

	if (!eq || eq == said || !eq[1] || eq - said > 200)
		return hd_fail(err, HD_EUSAGE, "add: --series takes NAME=FILE, not '%s'", said);
	name = hd_strdup(said);
	name[eq - said] = '\0';
	rc = add_csv(m, eq + 1, NULL, name, log, err);
	free(name);
	return rc;
}

/* Operands are recordings, but for CSV files of ours, which their header tells. */
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

/* A file that is named counts instead of the one of --samples. */
static int take_csvs(struct hd_run_builder *m, const struct add_opts *o, char **argv, int argc, struct hd_log *log,
	struct hd_err *err)
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
	m->run.series = m->csvs.series;
	m->run.nseries = m->csvs.n;
	if (rc >= 0 && !m->recordings.n && !m->csvs.nfiles)
		return hd_fail(err, HD_EUSAGE, "add: a recording or a CSV file is wanted");
	return rc;
}

/* What counts of the recordings; series are never selected from. */
static int take_selection(struct hd_run_builder *m, const struct add_opts *o, struct hd_err *err)
{
	hd_selection_text_add(&m->selection, &o->in.ingest.select);
	if (m->selection.len && !m->recordings.n)
		return hd_fail(err, HD_EUSAGE, "add: %s selects from a recording, and there is none",
			m->selection.data);
	return 0;
}

/* Runs whose self costs skip frames, or whose recording is a part of the program's run, are not compared with others. */
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

/* ---- the answer ---- */

/* That samples were taken in. */
static uint64_t sampled(const struct hd_run_event *e)
{
	uint64_t n = 0;

	for (size_t i = 0; i < e->nhotspots; i++)
		n += e->hotspots[i].samples > 0;
	return n;
}

static void tell(struct hd_buf *out, const struct hd_run_ticket *t, const char *db, bool added)
{
	hd_buf_addf(out, "run       %s%s\ndatabase  ", t->id, added ? "" : " (there already)");
	hd_enc_term(out, db, strlen(db));
	hd_buf_addc(out, '\n');
}

static void tell_json(struct hd_buf *out, const struct hd_run_ticket *t, const char *db, bool added,
	const struct hd_run *run, const char *same)
{
	struct hd_jsonw w = hd_jsonw_to(out);

	hd_jsonw_open(&w, NULL, '{');
	hd_jsonw_str(&w, "format", "hotdrift.add");
	hd_jsonw_u64(&w, "version", 1);
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
	hd_jsonw_open(&w, "series", '[');
	for (size_t i = 0; i < run->nseries; i++) {
		hd_jsonw_row(&w, NULL, '{');
		hd_jsonw_str(&w, "kind", run->series[i].kind);
		hd_jsonw_str(&w, "name", run->series[i].name);
		hd_jsonw_u64(&w, "samples", run->series[i].samples);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
}

/* Into the database, unless it is there and once is enough. */
static int store(const struct add_opts *o, const struct hd_run *run, struct hd_log *log, struct hd_err *err)
{
	struct hd_run_ticket ticket = { 0 };
	struct hd_outfile file;
	struct hd_buf out = { 0 };
	struct hd_err bad;
	char same[HD_RUN_ID] = "";
	struct hd_db *db;
	bool added = true;
	int rc;

	rc = hd_db_option_open(&db, &o->db, HD_DB_WRITE, 0, err);
	if (rc < 0)
		return rc;
	/* Before the run is written: a place for the answer that is not there must not leave a run behind. */
	rc = hd_outfile_open(&file, o->out, err);
	if (rc < 0) {
		hd_db_close(db);
		return rc;
	}
	if (run->artifacts[0].sha256)
		rc = hd_run_find_input(db, run->artifacts[0].sha256, same, err);
	if (rc >= 0 && *same && o->once) {
		added = false;
		snprintf(ticket.id, sizeof(ticket.id), "%s", same);
	} else if (rc >= 0) {
		rc = hd_run_add(db, run, &ticket, err);
		if (rc >= 0 && *same)
			hd_warn(log, "store.same-recording", "--once adds a recording only once",
				"this recording is run %s already", same);
	}
	if (rc >= 0) {
		if (o->json)
			tell_json(&out, &ticket, hd_db_name(db), added, run, same);
		else
			tell(&out, &ticket, hd_db_name(db), added);
		hd_outfile_add(&file, out.data, out.len);
		rc = hd_outfile_commit(&file, &bad);
		if (rc < 0)
			hd_fail(err, rc, "%s; run %s is in the database all the same", bad.msg, ticket.id);
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

/* All that is read; nothing is written yet. */
static int gather(struct hd_run_builder *m, struct hd_signing_key *key, struct add_opts *o, char **argv, int argc,
	struct hd_log *log, struct hd_err *err)
{
	const char *first;
	int rc;

	o->in.ingest.keys = HD_KEY_COMM;	/* and always with inlines: both costs are stored */
	o->in.ingest.squares = true;
	rc = hd_input_check(&o->in, "add", err);
	for (int i = 0; i < argc && rc >= 0 && o->key && !strcmp(o->key, "-"); i++)
		if (!strcmp(argv[i], "-"))
			rc = hd_fail(err, HD_EUSAGE,
				"add: both the recording and --key are '-', and there is one standard input");
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
		rc = take_csvs(m, o, argv, argc, log, err);
	if (rc >= 0)
		rc = take_selection(m, o, err);
	if (rc < 0)
		return rc;
	first = m->recordings.n ? m->recordings.items[0] : m->csvs.files[0]->path;
	rc = read_time(&m->run, o, first, m->recordings.n ? 0 : m->samples.started_s, err);
	if (rc >= 0)
		rc = read_recordings(m, o, log, err);
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
		struct hd_log of_reader = { 0 };	/* what is warned of from here on is not the recording's */

		hd_log_add(&of_reader, log);
		hd_run_builder_machine(&m, (enum hd_machine_choice)o->machine);
		if (m.machine.unread)
			hd_warn(log, "machine.unread", "add it again, else it compares with no other run",
				"%s: cannot be read, so the machine of this run is not known whole", m.machine.unread);
		hd_run_builder_command(&m, o->command);
		hd_run_environment_take(&m, &o->surroundings);
		m.run.git = &m.git;
		m.run.warnings = &of_reader;
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
	.summary = "record a run in the database",
	.details =
		"FILE is any input, or a CSV file of ours, which is known by its header; all of them are one run.  It "
		"is written in\n"
		"one transaction: the self and total cost of the symbols of every event, the folded stacks, the "
		"series, the commit,\n"
		"the machine, the configuration, what was lost.  Nothing is written when anything fails.  The database "
		"is made when\n"
		"it is not there (SQLite, WAL mode), with its default folder.\n"
		"\n"
		"Of several recordings the events follow each other; a run has each event once, and is of the machine "
		"and command\n"
		"that the first one tells.  A run without a recording has series only.\n"
		"\n"
		"Each column of a CSV file is a series, with the summaries of 'stats' and their intervals, of power "
		"also joules and\n"
		"peak as 'energy' has them, of memory peak_rss, mean_rss, kv_cache_total and activation_total.  The "
		"text is kept,\n"
		"compressed.  A run has one latency, memory, power, gpu and results file; others need --series "
		"NAME=FILE.  A file with a\n"
		"row or a cell that cannot be read is refused (exit 5), and nothing is added.\n"
		"\n"
		"--samples DIR takes power.csv, gpu.csv and memory.csv of 'hotdrift sample', and from its sample.json "
		"the command, how it\n"
		"ended, when, and whether it was this machine; other options of 'add' are over that.\n"
		"\n"
		"What is selected from the recordings is kept with the run, and runs that differ in it are not "
		"compared.\n"
		"\n"
		"Runs that differ in the value of a variable that hotdrift.ini names for the target (env = NAME, "
		"PATTERN) are not\n"
		"compared.  Of all other variables only the names are stored.\n"
		"\n"
		"With folded stacks, symbols below 0.01 % of an event by self and 1 % by total share one row, [rest]; "
		"the stacks\n"
		"have them.  --no-stacks gives each its row.\n"
		"\n"
		"Self and total are by the symbol table, as perf has them; beside them inline_self and inline_total "
		"count\n"
		"inlined functions for themselves.  With --inline self and total do so too; runs that differ in this "
		"are\n"
		"not compared.  The stacks have inlined functions as frames.\n"
		"\n"
		"Its id is the time it was recorded, the commit and the start of its hash.  The hash covers the run "
		"before it,\n"
		"so that the past cannot be changed unnoticed.  A recording added twice is two runs, with a warning; "
		"--once.\n"
		"With --key the run is signed as well; when what was signed before is not there any more, nothing is "
		"written (exit 1).\n"
		"\n"
		"Another writer is waited for (--busy-ms); then it is exit 6 and nothing is written.  A cost above "
		"2^63 - 1 is\n"
		"refused (exit 5).",
	.examples = "hotdrift add perf.data --target serve\ta run of target serve at this commit\n"
		    "hotdrift add perf.data --target serve --config config.json --json\twith its configuration\n"
		    "hotdrift add perf.data latency.csv power.csv --work 5000\twith what else was measured\n"
		    "hotdrift add --latency l.csv --series queue=depth.csv --machine here\tseries only\n"
		    "hotdrift add --samples out --target serve --work 5000\tenergy, memory and GPU use of a command\n"
		    "hotdrift add old.data --commit 4f1c2e9 --machine unknown\tof long ago\n",
	HD_CMD_OPTS(add_opts, add_defaults),
	.groups = add_groups,
	.max_args = -1,
	.run = add_run,
};
