/*
 * cmd_doctor.c - hotdrift doctor: test what can be recorded here, and suggest fixes
 */
#include "base/assets.h"
#include "base/file.h"
#include "cli/cmd.h"
#include "render/doctor.h"
#include "cli/ini.h"
#include "base/subprocess.h"
#include "unwind/callgraph.h"
#include "db/db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct doctor_opts {
	const char *perf, *results;
	struct hd_string_list programs;
	bool json, fixes;
};

static const struct doctor_opts doctor_defaults = { 0 };

static const struct hd_opt doctor_opts[] = {
	{ HD_OPT_FLAG, 0, "json", "", "print JSON, format hotdrift.doctor", offsetof(struct doctor_opts, json) },
	{ HD_OPT_FLAG, 0, "fix-lines", "",
		"print only the suggested commands, each below a comment with its purpose",
		offsetof(struct doctor_opts, fixes) },
	{ HD_OPT_STR, 0, "perf", "PATH", "path of perf (default: HOTDRIFT_PERF, PERF, or perf in PATH)",
		offsetof(struct doctor_opts, perf) },
	{ HD_OPT_STR, 0, "results", "DIR", "folder for results (default: that of hotdrift profile)",
		offsetof(struct doctor_opts, results) },
	{ HD_OPT_LIST, 0, "program", "FILE",
		"only report which --call-graph suits the program FILE; repeat for its libraries",
		offsetof(struct doctor_opts, programs) },
	{ 0 },
};

static void set(struct hd_probe *p, bool works, const char *text)
{
	*p = (struct hd_probe){ .tried = true, .works = works };
	snprintf(p->text, sizeof(p->text), "%.199s", text);
}

/*
 * Test whether the results folder is writable.  It is `results` if that is not NULL, otherwise the one that
 * hotdrift.ini names (default: results beside hotdrift.ini), or ./results if there is no usable hotdrift.ini.  If it
 * does not exist, test its nearest existing parent.
 */
static void check_results(struct hd_probe *p, const char *results)
{
	struct hd_buf path = { 0 }, dir = { 0 };
	struct hd_log log = { 0 };
	struct hd_err err = { 0 };
	struct hd_ini ini = { 0 };
	char *cwd = getcwd(NULL, 0), *slash;

	if (results) {
		hd_buf_adds(&dir, results);
	} else if (cwd && hd_ini_locate_or_warn(&path, cwd, &log) && hd_ini_read(&ini, path.data, &log, &err) >= 0) {
		const char *named = ini.results ? ini.results : "results";

		if (*named != '/')
			hd_buf_addf(&dir, "%.*s/", (int)(strrchr(path.data, '/') - path.data), path.data);
		hd_buf_adds(&dir, named);
		hd_ini_release(&ini);
	} else {
		hd_buf_adds(&dir, "./results");
	}
	while (*dir.data && strcmp(dir.data, "/") && strcmp(dir.data, ".") && access(dir.data, F_OK) < 0) {
		slash = strrchr(dir.data, '/');
		if (slash) {
			slash[slash == dir.data] = '\0';
		} else {
			hd_buf_reset(&dir);
			hd_buf_addc(&dir, '.');
		}
	}
	hd_probe_folder(p, dir.data);
	hd_log_release(&log);
	hd_buf_release(&path);
	hd_buf_release(&dir);
	free(cwd);
}

static void check_build(struct hd_probe *probes)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	struct hd_err err = { 0 };
	bool loads = hd_db_server_available(&err) >= 0;

	set(&probes[HD_PROBE_POSTGRESQL], loads, loads ? "" : err.msg);
#ifdef HAVE_DEBUGINFOD
	set(&probes[HD_PROBE_DEBUGINFOD], urls && *urls, urls && *urls ? urls : "DEBUGINFOD_URLS is not set");
#else
	set(&probes[HD_PROBE_DEBUGINFOD], false, "this hotdrift was built without libdebuginfod");
	(void)urls;
#endif
	set(&probes[HD_PROBE_CHARTS], hd_asset_find("dygraph.min.js"),
		hd_asset_find("dygraph.min.js") ? "" : "this hotdrift was built without libjs-dygraphs");
}

static const char *perf_of(const struct doctor_opts *o)
{
	static const char *const names[] = { "HOTDRIFT_PERF", "PERF" };

	if (o->perf)
		return o->perf;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (getenv(names[i]) && *getenv(names[i]))
			return getenv(names[i]);
	return "perf";
}

static int run_probes(struct hd_checkup *c, const struct doctor_opts *o, struct hd_err *err)
{
	struct hd_signal_watch watch;
	int rc, stopped;

	hd_rights_read(&c->rights, "");
	rc = hd_signal_watch_begin(&watch, err);
	if (rc < 0)
		return rc;
	hd_probe_run(&(struct hd_probe_env){ c->probe, &c->rights, perf_of(o), &watch });
	check_results(&c->probe[HD_PROBE_DATABASE], o->results);
	check_build(c->probe);
	stopped = hd_signal_watch_stopped(&watch) ? watch.stopped_by : 0;
	hd_signal_watch_end(&watch);
	if (stopped)
		return hd_fail(err, HD_EIO, "doctor: ended by SIG%s", sigabbrev_np(stopped));
	return 0;
}

/* Print the recommended call graph mode and the reason, as one line that profile.sh parses for --call-graph auto. */
static int print_call_graph(const struct hd_string_list *programs, struct hd_err *err)
{
	struct hd_buf text = { 0 }, why = { 0 };
	enum hd_call_graph how;
	int rc = hd_call_graph_choose(&how, &why, programs->items, programs->n, err);

	if (rc >= 0) {
		hd_buf_addf(&text, "call graph  %s: %s\n", hd_call_graph_name(how), hd_buf_str(&why));
		rc = hd_file_write("-", &text, err);
	}
	hd_buf_release(&text);
	hd_buf_release(&why);
	return rc;
}

static int doctor_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct doctor_opts *o = opts;
	struct hd_checkup c = { 0 };
	struct hd_conditions now;
	struct hd_findings findings;
	struct hd_buf text = { 0 }, how = { 0 };
	int rc;

	if (o->programs.n)
		return print_call_graph(&o->programs, err);
	hd_conditions_read(&now, "");		/* first, because the probes cause load */
	rc = run_probes(&c, o, err);
	if (rc >= 0) {
		hd_checkup_findings(&findings, &c, &now);
		(o->json ? hd_doctor_json : o->fixes ? hd_doctor_fixes : hd_doctor_text)(&text, &c, &findings);
		rc = hd_file_write("-", &text, err);
	}
	if (rc >= 0 && hd_profile_mode_judge(&c, hd_profile_mode_find("cpu"), &how).state == HD_MODE_SUPPORT_NO)
		rc = hd_fail(err, HD_EIO, "doctor: hotdrift profile cpu cannot record here: %s", hd_buf_str(&how));
	hd_buf_release(&text);
	hd_buf_release(&how);
	return rc;
}

const struct hd_cmd hd_cmd_doctor = {
	.name = "doctor",
	.args = "",
	.summary =
		"test what recording needs on this machine, and suggest commands that fix what is missing",
	.details =
		"Each feature is tested by using it.  A child process opens the event with perf_event_open(2), "
		"triggers it and waits for its records.  perf makes short recordings into a pipe, with the options "
		"of hotdrift profile.  A program runs with the library that records allocations.  Each test has a time "
		"limit and changes nothing.  A failure is explained by the settings of the machine: "
		"kernel.perf_event_paranoid, capabilities, seccomp, user namespaces, containers, tracefs, virtual "
		"machines without counters.\n"
		"\n"
		"Each mode of hotdrift profile works fully, reduced (without something optional) or not at all.  A "
		"line that begins with '>' is a suggested command.  docs/privileges.md explains who may record what.\n"
		"\n"
		"The report also lists what makes measurements vary (governor, turbo, SMT, swap, load, ...); 'bench' "
		"measures it.\n"
		"\n"
		"Exit: 0 if hotdrift profile cpu works here, fully or reduced; 6 if it does not, or if a signal ended "
		"doctor.",
	.examples =
		"hotdrift doctor\twhat works here, and how to fix the rest\n"
		"hotdrift doctor --fix-lines\tonly the suggested commands\n"
		"sudo hotdrift doctor\twhat root may record\n"
		"hotdrift doctor --json | jq '.modes[] | select(.state != \"full\")'\tfor scripts\n"
		"",
	HD_CMD_OPTS(doctor_opts, doctor_defaults),
	.max_args = 0,
	.run = doctor_run,
};
