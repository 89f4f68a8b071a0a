/*
 * judge_command.c - see judge_command.h
 */
#include "cli/judge_command.h"

#include "base/file.h"
#include "base/mem.h"
#include "cli/gate_places.h"
#include "cli/ini.h"
#include "cli/input.h"
#include "cli/limits.h"
#include "cli/terminal.h"
#include "gate/gate_result.h"
#include "render/gate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct hd_opt hd_judge_command_rows[] = {
	{ HD_OPT_STR, 0, "target", "NAME",
		"target of the runs (default: that of the head's runs, if it is unique)",
		offsetof(struct hd_judge_command_opts, target) },
	{ HD_OPT_STR, 0, "mode", "WORD", "{mode words}, faults, or another mode of 'add' (default cpu, if the head "
		"has such runs)",
		offsetof(struct hd_judge_command_opts, mode) },
	{ HD_OPT_STR, 0, "event", "NAME", "compare this event (default: the first with samples)",
		offsetof(struct hd_judge_command_opts, event) },
	{ HD_OPT_STR, 0, "pin", "REF",
		"also compare with this release; the worse verdict counts (default: pin of hotdrift.ini)",
		offsetof(struct hd_judge_command_opts, pin) },
	{ HD_OPT_STR, 0, "limit", "PCT", "a symbol fails if its cost grew by this much (default 10 %)",
		offsetof(struct hd_judge_command_opts, limit) },
	{ HD_OPT_STR, 0, "floor", "PCT", "and by at least this share of the base total (default 0.5 %)",
		offsetof(struct hd_judge_command_opts, floor) },
	{ HD_OPT_STR, 0, "limit-total", "PCT",
		"limit for the sum of all symbols, per unit of work if known (default 6 %)",
		offsetof(struct hd_judge_command_opts, total) },
	{ HD_OPT_STR, 0, "limit-latency", "PCT",
		"limit for p50, p95 and p99 of wall and kernel time (default 10 %)",
		offsetof(struct hd_judge_command_opts, latency) },
	{ HD_OPT_STR, 0, "limit-memory", "PCT", "limit for the peak of resident memory (default 10 %)",
		offsetof(struct hd_judge_command_opts, memory) },
	{ HD_OPT_STR, 0, "limit-energy", "PCT", "limit for joules, per unit of work if known (default 10 %)",
		offsetof(struct hd_judge_command_opts, energy) },
	{ HD_OPT_STR, 0, "ini", "FILE",
		"read limits and pin of the target from FILE (default: hotdrift.ini, found as by 'target')",
		offsetof(struct hd_judge_command_opts, ini) },
	{ HD_OPT_FLAG, 0, "test-equal-builds", NULL, "compare even if the build ids are the same on both sides",
		offsetof(struct hd_judge_command_opts, test_equal_builds) },
	{ HD_OPT_FLAG, 0, "no-record", NULL, "do not store the verdict in the database",
		offsetof(struct hd_judge_command_opts, no_record) },
	HD_ROW_JSON(struct hd_judge_command_opts, "hotdrift.gate or hotdrift.drift"),
	{ HD_OPT_FLAG, 0, "markdown", NULL, "print Markdown, for a comment on a merge request",
		offsetof(struct hd_judge_command_opts, markdown) },
	{ HD_OPT_OUT, 0, "junit", "FILE", "also write JUnit XML to FILE",
		offsetof(struct hd_judge_command_opts, junit) },
	{ HD_OPT_OUT, 0, "sarif", "FILE", "also write SARIF 2.1.0 to FILE, for code scanning on GitHub",
		offsetof(struct hd_judge_command_opts, sarif) },
	{ HD_OPT_OUT, 0, "codequality", "FILE", "also write a code quality report of GitLab to FILE",
		offsetof(struct hd_judge_command_opts, codequality) },
	{ HD_OPT_OUT, 0, "openmetrics", "FILE", "also write gauges for Prometheus to FILE",
		offsetof(struct hd_judge_command_opts, openmetrics) },
	{ HD_OPT_OUT, 0, "comment", "FILE",
		"also write the Markdown of --markdown to FILE; its first line is hidden and identifies the comment",
		offsetof(struct hd_judge_command_opts, comment) },
	HD_ROW_OUTPUT(struct hd_judge_command_opts),
	{ 0 },
};

/* ---- limits ---- */

static int take_number(double *to, const char *text, const char *option, struct hd_err *err)
{
	if (text && hd_limits_number(text, to) < 0)
		return hd_fail(err, HD_EUSAGE, "--%s takes a percentage from 0 to 1000, not '%s'", option, text);
	return 0;
}

static int take_options(struct hd_judge_opts *what, const struct hd_judge_command_opts *jo, struct hd_err *err)
{
	int rc = take_number(&what->limit, jo->limit, "limit", err);

	if (rc >= 0)
		rc = take_number(&what->floor, jo->floor, "floor", err);
	if (rc >= 0)
		rc = take_number(&what->limit_total, jo->total, "limit-total", err);
	if (rc >= 0)
		rc = take_number(&what->limit_latency, jo->latency, "limit-latency", err);
	if (rc >= 0)
		rc = take_number(&what->limit_memory, jo->memory, "limit-memory", err);
	if (rc >= 0)
		rc = take_number(&what->limit_energy, jo->energy, "limit-energy", err);
	return rc;
}

static void take_limit(double *to, double said)
{
	if (said >= 0)
		*to = said;
}

/* Return the target whose limits apply: --target, or that of the head's runs.  The caller frees it; NULL: none. */
static char *target_of(struct hd_db *db, const struct hd_judge_opts *what)
{
	struct hd_run_set head;
	char *target = NULL;

	if (what->filter.target)
		return hd_strdup(what->filter.target);
	if (hd_run_set_find(&head, db, what->head, &what->filter, NULL) < 0)
		return NULL;
	if (head.runs[0].like[HD_RUN_FIELD_TARGET])
		target = hd_strdup(head.runs[0].like[HD_RUN_FIELD_TARGET]);
	hd_run_set_release(&head);
	return target;
}

static int take_ini(struct hd_judge_opts *what, struct hd_gate_places *places, const struct hd_ini *ini,
	const char *path, struct hd_db *db, struct hd_err *err)
{
	struct hd_limits l = hd_limits_unset;
	char *name = ini->ntargets ? target_of(db, what) : NULL, where[200];
	const struct hd_ini_target *t = name ? hd_ini_find(ini, name) : NULL;
	int rc = 0;

	free(name);
	hd_gate_places_fallback(places, path, t ? t->line : 1);
	if (t && t->value[HD_INI_LIMITS]) {
		snprintf(where, sizeof(where), "%.100s:%u: limits of target %s", path, t->value_line[HD_INI_LIMITS],
			t->name);
		rc = hd_limits_parse(&l, t->value[HD_INI_LIMITS], where, err);
	}
	take_limit(&what->limit, l.symbols);
	take_limit(&what->floor, l.floor);
	take_limit(&what->limit_total, l.total);
	take_limit(&what->limit_latency, l.latency);
	take_limit(&what->limit_memory, l.memory);
	take_limit(&what->limit_energy, l.energy);
	if (t && t->value[HD_INI_PIN] && !what->pin)
		what->pin = hd_strdup(t->value[HD_INI_PIN]);
	return rc;
}

/*
 * Read the limits of hotdrift.ini and, without --pin, its pin; set the fallback of `places` to the target's line.  The
 * caller applies the limits of the command line afterwards.
 */
static int read_ini(struct hd_judge_opts *what, struct hd_gate_places *places, const struct hd_judge_command_opts *jo,
	struct hd_db *db, struct hd_log *log, struct hd_err *err)
{
	struct hd_buf path = { 0 };
	struct hd_ini ini = { 0 };
	char *cwd = NULL;
	bool found = jo->ini != NULL;
	int rc = 0;

	if (jo->ini) {
		hd_buf_adds(&path, jo->ini);
	} else {
		cwd = getcwd(NULL, 0);
		found = cwd && hd_ini_locate_or_warn(&path, cwd, log);
	}
	if (found)
		rc = hd_ini_read(&ini, path.data, log, err);
	if (found && rc >= 0)
		rc = take_ini(what, places, &ini, path.data, db, err);
	hd_ini_release(&ini);
	hd_buf_release(&path);
	free(cwd);
	return rc;
}

/* ---- outputs ---- */

static int write_files(const struct hd_comparison *c, const struct hd_gate_places *places,
	const struct hd_judge_command_opts *jo, const char *command, const char *db, struct hd_err *err)
{
	const struct { const char *path; hd_gate_report *write; } reports[] = { { jo->junit, hd_gate_junit },
		{ jo->sarif, hd_gate_sarif }, { jo->codequality, hd_gate_codequality },
		{ jo->openmetrics, hd_gate_openmetrics }, { jo->comment, hd_gate_comment } };
	struct hd_buf out = { 0 };
	int rc = 0;

	for (size_t i = 0; i < HD_COUNT(reports) && rc >= 0; i++) {
		if (!reports[i].path)
			continue;
		reports[i].write(&out, c, command, places);
		rc = hd_file_write(reports[i].path, &out, err);
		hd_buf_reset(&out);
	}
	if (rc >= 0) {
		hd_terminal_begin(&out, &jo->term, jo->out);
		if (jo->json)
			hd_gate_json(&out, c, command);
		else if (jo->markdown)
			hd_gate_markdown(&out, c, command, db);
		else
			hd_gate_text(&out, c, command, db);
		rc = hd_output_write(jo->out, &out, err);
	}
	hd_buf_release(&out);
	return rc;
}

/* Store the verdict.  If the database cannot be written, warn instead of failing. */
static void record(const struct hd_comparison *c, const struct hd_db_option *arg, const char *command,
	struct hd_log *log)
{
	struct hd_err why = { 0 };
	struct hd_db *db;
	int rc = hd_db_option_open(&db, arg, HD_DB_WRITE, 0, &why);

	if (rc >= 0) {
		rc = hd_gate_result_record(db, c, command, &why);
		hd_db_close(db);
	}
	if (rc < 0)
		hd_warn(log, "gate.not-recorded", "pass --no-record to suppress this warning", "the verdict is "
			"not stored: %s",
			why.msg);
}

int hd_judge_command_run(struct hd_comparison *c, const struct hd_db_option *arg,
	const struct hd_judge_command_opts *jo, struct hd_judge_opts *what, const char *command, struct hd_log *log,
	struct hd_err *err)
{
	struct hd_gate_places places = { .db = arg->db };
	struct hd_db *db;
	char *pin = NULL;
	int rc;

	if (jo->json && jo->markdown)
		return hd_fail(err, HD_EUSAGE, "%s: --json and --markdown exclude each other", command);
	what->filter = (struct hd_run_set_filter){ .target = jo->target, .mode = jo->mode, .event = jo->event };
	what->pin = jo->pin;
	what->test_equal_builds = jo->test_equal_builds;
	rc = take_options(what, jo, err);	/* before any file is opened */
	if (rc >= 0)
		rc = hd_db_option_open(&db, arg, HD_DB_READ, 0, err);
	if (rc < 0)
		return rc;
	rc = read_ini(what, &places, jo, db, log, err);
	if (what->pin != jo->pin)
		pin = (char *)what->pin;
	if (jo->no_pin)
		what->pin = NULL;
	if (rc >= 0)
		rc = take_options(what, jo, err);
	if (rc >= 0)
		rc = hd_judge(c, db, what, log, err);
	if (rc >= 0 && (jo->sarif || jo->codequality))
		rc = hd_gate_places_find(&places, c, db, err);
	hd_db_close(db);
	free(pin);
	if (rc < 0) {
		hd_gate_places_release(&places);
		return rc;
	}
	if (err)
		*err = (struct hd_err){ 0 };	/* "not comparable" is a verdict, not an error */
	if (!jo->no_record)
		/* the verdict is recorded before write_files(), because that can fail */
		record(c, arg, command, log);
	rc = write_files(c, &places, jo, command, arg->db, err);
	hd_gate_places_release(&places);
	return rc;
}
