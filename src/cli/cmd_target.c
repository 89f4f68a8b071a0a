/*
 * cmd_target.c - hotdrift target: print hotdrift.ini, for users and scripts
 */
#include "base/encode.h"
#include "base/file.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "cli/cmd.h"
#include "cli/ini.h"
#include "history/git_commit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct target_opts {
	const char *file;
	bool json, zero, checkout;
};

static const struct target_opts target_defaults = { 0 };

static const struct hd_opt target_opts[] = {
	{ HD_OPT_STR, 'f', "file", "FILE", "read FILE instead of looking for hotdrift.ini",
		offsetof(struct target_opts, file) },
	{ HD_OPT_FLAG, 0, "json", "", "print JSON, with escaped names", offsetof(struct target_opts, json) },
	{ HD_OPT_FLAG, '0', "null", "", "print key=value, raw, each terminated by a zero byte",
		offsetof(struct target_opts, zero) },
	{ HD_OPT_FLAG, 0, "checkout", "",
		"print commit= and dirty= (true, false, unknown) of the git checkout here instead",
		offsetof(struct target_opts, checkout) },
	{ 0 },
};

/* A parsed hotdrift.ini, its folder, and one of its targets (NULL: all). */
struct view {
	struct hd_ini ini;
	struct hd_buf path, root;
	const struct hd_ini_target *one;
};

static int locate(struct view *v, const char *file, struct hd_err *err)
{
	char *cwd, *full;
	int found;

	if (file) {
		full = realpath(file, NULL);
		if (!full)
			return hd_fail_errno(err, HD_EIO, errno, "%s", file);
		hd_buf_adds(&v->path, full);
		free(full);
	} else {
		cwd = getcwd(NULL, 0);
		if (!cwd)
			return hd_fail_errno(err, HD_EIO, errno, "the current folder");
		found = hd_ini_locate(&v->path, cwd, err);
		free(cwd);
		if (found < 0)
			return found;
		if (!found)
			return hd_fail(err, HD_EIO,
				"no hotdrift.ini in this folder or above it, up to the root of the git checkout");
	}
	hd_buf_add(&v->root, v->path.data, (size_t)(strrchr(v->path.data, '/') - v->path.data));
	if (!v->root.len)
		hd_buf_addc(&v->root, '/');
	return 0;
}

static int no_such_target(const struct hd_ini *ini, const char *name, const char *path, struct hd_err *err)
{
	struct hd_nearest n = hd_nearest_to(name);
	struct hd_buf names = { 0 };
	int rc;

	for (size_t i = 0; i < ini->ntargets; i++)
		hd_nearest_try(&n, ini->targets[i].name);
	for (size_t i = 0; i < ini->ntargets && names.len < 400; i++)
		hd_buf_addf(&names, "%s%s", i ? ", " : "", ini->targets[i].name);
	rc = hd_fail(err, HD_EUSAGE, "no target '%s' in %s; it has %s%s", name, path, names.len ? names.data : "none",
		     hd_nearest_hint(&n));
	hd_buf_release(&names);
	return rc;
}

/* Print `key=value`: as an escaped line, or raw and terminated by a zero byte.  Print nothing if value is NULL. */
static void put_pair(struct hd_buf *b, bool zero, const char *key, const char *value)
{
	if (!value)
		return;
	hd_buf_addf(b, "%s=", key);
	if (zero)
		hd_buf_add(b, value, strlen(value) + 1);
	else {
		hd_enc_visible(b, value, strlen(value));
		hd_buf_addc(b, '\n');
	}
}

static void put_pairs(struct hd_buf *b, bool zero, const struct view *v)
{
	put_pair(b, zero, "file", v->path.data);
	put_pair(b, zero, "root", v->root.data);
	put_pair(b, zero, "results", v->ini.results);
	put_pair(b, zero, "db", v->ini.db);
	put_pair(b, zero, "remote", v->ini.remote);
	for (size_t i = 0; i < v->ini.ntargets; i++)
		if (!v->one || v->one == &v->ini.targets[i])
			put_pair(b, zero, "target", v->ini.targets[i].name);
	for (int k = 0; v->one && k < HD_INI_KEYS; k++)
		put_pair(b, zero, hd_ini_key_name(k), v->one->value[k]);
}

static void put_member(struct hd_jsonw *w, const char *key, const char *value)
{
	if (value)
		hd_jsonw_str(w, key, value);
}

static void put_json(struct hd_buf *b, const struct view *v)
{
	struct hd_jsonw w = hd_jsonw_document(b, "hotdrift.target", 1);

	put_member(&w, "file", v->path.data);
	put_member(&w, "root", v->root.data);
	put_member(&w, "results", v->ini.results);
	put_member(&w, "db", v->ini.db);
	put_member(&w, "remote", v->ini.remote);
	hd_jsonw_open(&w, "targets", '[');
	for (size_t i = 0; i < v->ini.ntargets; i++) {
		const struct hd_ini_target *t = &v->ini.targets[i];

		if (v->one && v->one != t)
			continue;
		hd_jsonw_open(&w, NULL, '{');
		hd_jsonw_str(&w, "name", t->name);
		for (int k = 0; k < HD_INI_KEYS; k++)
			put_member(&w, hd_ini_key_name(k), t->value[k]);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
}

/*
 * List the targets with the first line of their descriptions.  If a target has no description, the first line of its
 * run command is printed instead.
 */
static void put_list(struct hd_buf *b, const struct hd_ini *ini)
{
	size_t width = 0;

	for (size_t i = 0; i < ini->ntargets; i++)
		if (strlen(ini->targets[i].name) > width)
			width = strlen(ini->targets[i].name);
	for (size_t i = 0; i < ini->ntargets; i++) {
		const struct hd_ini_target *t = &ini->targets[i];
		const char *what = t->value[HD_INI_DESCRIPTION] ? t->value[HD_INI_DESCRIPTION] : t->value[HD_INI_RUN];

		hd_buf_addf(b, "%-*s", what ? (int)width : 0, t->name);
		if (what) {
			hd_buf_adds(b, "  ");
			hd_enc_visible(b, what, strcspn(what, "\n"));
		}
		hd_buf_addc(b, '\n');
	}
}

/* Print the commit and the dirty flag that `add` would store.  No program named in the git configuration is started. */
static int print_checkout(struct hd_log *log, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	struct hd_git_commit git;
	int rc = hd_git_commit_read(&git, ".", NULL, log, err);

	if (rc >= 0) {
		hd_buf_addf(&text, "commit=%s\ndirty=%s\n", git.sha ? git.sha : "",
			    git.dirty > 0 ? "true" : git.dirty < 0 && git.sha ? "unknown" : "false");
		rc = hd_file_write("-", &text, err);
		hd_git_commit_release(&git);
	}
	hd_buf_release(&text);
	return rc;
}

static int target_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct target_opts *o = opts;
	struct view v = { 0 };
	struct hd_buf text = { 0 };
	int rc;

	if (o->checkout)
		return print_checkout(log, err);
	rc = locate(&v, o->file, err);
	if (rc >= 0)
		rc = hd_ini_read(&v.ini, v.path.data, log, err);
	if (rc >= 0 && argc) {
		v.one = hd_ini_find(&v.ini, argv[0]);
		if (!v.one)
			rc = no_such_target(&v.ini, argv[0], v.path.data, err);
	}
	if (rc >= 0) {
		if (o->json)
			put_json(&text, &v);
		else if (v.one || o->zero)
			put_pairs(&text, o->zero, &v);
		else
			put_list(&text, &v.ini);
		rc = hd_file_write("-", &text, err);
	}
	hd_buf_release(&text);
	hd_buf_release(&v.path);
	hd_buf_release(&v.root);
	hd_ini_release(&v.ini);
	return rc;
}

const struct hd_cmd hd_cmd_target = {
	.name = "target",
	.args = "[NAME]",
	.summary = "list the targets of hotdrift.ini, or print one",
	.details =
		"hotdrift.ini names the targets that a repository profiles.  It is looked up from the current folder "
		"to the root of the git checkout, and outside a checkout in the current folder only.  This command "
		"only reads it.  hotdrift profile runs the build and run lines of the selected target by sh -c in the "
		"folder of the file, so trust the file like a Makefile.\n"
		"\n"
		"  [hotdrift]\n"
		"  results      folder of the results, default results\n"
		"  db           the database, a path or a postgresql:// URL, default hotspots.db in results\n"
		"  remote       the database that 'hotdrift push' sends runs to\n"
		"  weights      of the modes, for 'hotdrift opportunities': cpu=3, memory=1\n"
		"\n"
		"  [owners]\n"
		"  NAME         who owns which code, for 'hotdrift opportunities': src/parser/*, Parser::*\n"
		"\n"
		"  [target NAME]\n"
		"  description  one line for the list\n"
		"  build        command line that makes the profiling build\n"
		"  run          command line of the workload\n"
		"  dir          folder to build and run in, default that of the file\n"
		"  modes        modes that the target is for, of {mode words}; default all of them\n"
		"  event        event to sample, default cycles\n"
		"  frequency    samples per second and CPU, default 997, fewer under max_size\n"
		"  call_graph   auto, fp, dwarf, dwarf,BYTES or lbr; default auto, the best for the program\n"
		"  max_size     largest size of a recording: 100M, 1G; default 100M.  It determines stack copies and "
		"frequency, unless they are given; at this size the recording ends, but not the program\n"
		"  duration     seconds after which the recording and the program end\n"
		"  cpus         number of CPUs that the program keeps busy, for that choice\n"
		"  config       file whose hash is stored with each run\n"
		"  latency_csv, memory_csv, power_csv, results_csv\n"
		"               CSV files that the workload writes; their series are part of the run\n"
		"  series_csv   further CSV files with any header: NAME=FILE, one per line\n"
		"  work         units of work of a run\n"
		"  kv_cache, activation, temp_buffer\n"
		"               functions whose blocks belong to these classes in memory.csv: patterns of * ? [a-z], "
		"separated by commas or lines ('hotdrift timeline --help')\n"
		"  env          environment variables that affect the workload, names or patterns separated by "
		"commas: their values are stored with each run, and runs that differ in one are not compared\n"
		"  skip         functions and objects without self cost in memory, async and syscall: patterns in "
		"addition to the default ones, !PATTERN for exceptions, or none ('hotdrift top --help')\n"
		"  limits       per cent that gate allows: symbols 10, total 6, latency 10, memory 10, "
		"energy 10, floor 0.5\n"
		"  pin          a release that gate also compares with\n"
		"  rules        for attribution\n"
		"  covers       which symbols the micro-benchmarks of 'hotdrift add --benchmarks' cover: PATTERN = "
		"SYMBOL, one per line\n"
		"\n"
		"A comment is a line that starts with ; or #.  A line with a larger indent than its key continues "
		"the value.  Paths are relative to the folder of the file.",
	.examples =
		"hotdrift target\tlist the targets\n"
		"hotdrift target memgraph\tits settings, one key=value per line\n"
		"hotdrift target memgraph -0\tfor a script: raw values, separated by zero bytes\n"
		"",
	HD_CMD_OPTS(target_opts, target_defaults),
	.max_args = 1,
	.run = target_run,
};
