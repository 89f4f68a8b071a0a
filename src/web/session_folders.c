/*
 * session_folders.c - see session_folders.h
 */
#include "web/session_folders.h"

#include "base/file.h"
#include "base/mem.h"
#include "history/config.h"
#include "history/run_lookup.h"
#include "profile/mode.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RUN_JSON_MAX = 1 << 24 /* a command line can have megabytes */, FILES_MAX = 60 };

/* A results folder, or a mode without a results folder (option --failed). */
struct entry {
	const char *folder;		/* NULL: the mode has no folder */
	const char *mode;		/* the mode, as in run.json or --failed */
	const char *why;		/* why the mode has no folder, as in --failed */
	char *owned;			/* the text of --failed, into which `mode` and `why` point; else NULL */
	struct hd_json_doc *doc;	/* run.json; NULL: the file cannot be read, and `trouble` is the reason */
	char *trouble;
	size_t order;			/* position on the command line */
};

const char *hd_session_folders_run_text(const struct hd_json *run, const char *key)
{
	const struct hd_json *v = run ? hd_json_get(run, key) : NULL;
	size_t n;

	return v && hd_json_kind(v) == HD_JSON_STRING ? hd_json_string(v, &n) : NULL;
}

bool hd_session_folders_is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static const struct hd_json *run_of(const struct entry *e)
{
	return e->doc ? hd_json_root(e->doc) : NULL;
}

/* ---- reading ---- */

static void read_run(struct entry *e)
{
	struct hd_buf path = { 0 }, text = { 0 };
	struct hd_err err = { 0 };
	int fd, rc;

	hd_buf_addf(&path, "%s/run.json", e->folder);
	fd = rc = hd_session_folders_is_file(path.data) || access(path.data, F_OK) < 0 ? hd_file_open(path.data, &err) :
		  hd_fail(&err, HD_EFORMAT, "%s: not a regular file", path.data);
	if (fd >= 0) {
		rc = hd_file_slurp(fd, path.data, RUN_JSON_MAX, &text, &err);
		close(fd);
	}
	if (rc >= 0)
		rc = hd_json_parse(&e->doc, hd_buf_str(&text), text.len, path.data, &err);
	if (rc >= 0 && hd_json_kind(hd_json_root(e->doc)) != HD_JSON_OBJECT) {
		rc = hd_fail(&err, HD_EFORMAT, "%s: not an object", path.data);
		hd_json_free(e->doc);
		e->doc = NULL;
	}
	if (rc < 0)
		e->trouble = hd_strdup(err.msg);
	e->mode = hd_session_folders_run_text(run_of(e), "mode");
	if (!e->mode)
		e->mode = strrchr(e->folder, '/') && strrchr(e->folder, '/')[1] ? strrchr(e->folder, '/') + 1
										: e->folder;
	hd_buf_release(&path);
	hd_buf_release(&text);
}

static int by_rank(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	unsigned p = hd_profile_mode_position(x->mode), q = hd_profile_mode_position(y->mode);

	return p != q ? (p > q) - (p < q) : (x->order > y->order) - (x->order < y->order);
}

/* ---- the facts ---- */

static void fact(struct hd_session_page *s, const char *label, const char *value)
{
	if (value && *value)
		hd_session_page_fact(s, label, value);
}

/* Add the first 16 digits of the configuration's fingerprint to the page. */
static void fingerprint(struct hd_session_page *s, const char *sha256)
{
	char start[17];

	snprintf(start, sizeof(start), "%.16s", sha256 ? sha256 : "");
	fact(s, "configuration", start);
}

/*
 * Add to the page what the database has about the run: branch, subject, configuration, machine, kernel.  Returns false
 * if the run is not in the database, or if the database cannot be opened or is not a file.
 */
static bool stored_facts(struct hd_session_page *s, const struct hd_json *run)
{
	const char *id = hd_session_folders_run_text(run, "run"), *url = hd_session_folders_run_text(run, "db");
	struct hd_db_opts o = { .url = url, .mode = HD_DB_READ, .busy_ms = 2000 };
	struct hd_buf machine = { 0 };
	struct hd_err err = { 0 };
	struct hd_stored_run p;
	struct hd_db *db;
	int64_t row;
	bool known;

	if (!id || !url || !hd_session_folders_is_file(url) || hd_db_open(&db, &o, &err) < 0)
		return false;
	known = hd_run_lookup(db, id, &row, &err) >= 0 && hd_run_load_brief(&p, db, row, 0, &err) >= 0;
	if (known) {
		fact(s, "branch", p.branch);
		fact(s, "subject", p.subject);
		fingerprint(s, p.config);
		hd_buf_addf(&machine, "%s%s%s", p.cpu_model ? p.cpu_model : "", p.cpu_model && p.hostname ? ", " : "",
			p.hostname ? p.hostname : "");
		if (p.cpus_online > 0)
			hd_buf_addf(&machine, ", %lld CPUs", (long long)p.cpus_online);
		fact(s, "machine", hd_buf_str(&machine));
		fact(s, "kernel", p.kernel);
		hd_run_load_release(&p);
	}
	hd_buf_release(&machine);
	hd_db_close(db);
	return known;
}

/* Add the fingerprint of the configuration file to the page, for sessions without a run in the database. */
static void config_fact(struct hd_session_page *s, const struct hd_json *run)
{
	const char *path = hd_session_folders_run_text(run, "config");
	struct hd_err err = { 0 };
	struct hd_config c;

	if (path && hd_session_folders_is_file(path) && hd_config_read(&c, path, &err) >= 0) {
		fingerprint(s, c.sha256);
		hd_config_release(&c);
	}
}

static void command_fact(struct hd_session_page *s, const struct hd_json *run)
{
	const struct hd_json *words = hd_json_get(run, "command");
	struct hd_buf line = { 0 };

	for (size_t i = 0; words && hd_json_kind(words) == HD_JSON_ARRAY && i < hd_json_count(words) && line.len < 2000;
		i++) {
		const struct hd_json *w = hd_json_at(words, i);
		size_t n;

		if (hd_json_kind(w) == HD_JSON_STRING)
			hd_buf_addf(&line, "%s%s", line.len ? " " : "", hd_json_string(w, &n));
	}
	fact(s, "command", hd_buf_str(&line));
	hd_buf_release(&line);
}

static void add_facts(struct hd_session_page *s, const struct entry *entries, size_t n,
	const struct hd_session_folders_opts *o)
{
	const struct hd_json *run = NULL, *dirty;
	struct hd_buf commit = { 0 };
	bool stored = false;

	for (size_t i = 0; i < n && !run; i++)
		run = run_of(&entries[i]);
	if (run) {
		const char *sha = hd_session_folders_run_text(run, "commit");

		dirty = hd_json_get(run, "dirty");
		if (sha)
			hd_buf_addf(&commit, "%.12s%s", sha,
				dirty && hd_json_kind(dirty) == HD_JSON_BOOL && hd_json_bool(dirty) ? ", modified"
												    : "");
		command_fact(s, run);
		fact(s, "commit", hd_buf_str(&commit));
		fact(s, "recorded", hd_session_folders_run_text(run, "time"));
	}
	fact(s, "session", o->session);
	for (size_t i = 0; i < n && !stored; i++)
		stored = entries[i].doc && stored_facts(s, run_of(&entries[i]));
	if (run && !stored)
		config_fact(s, run);
	fact(s, "hotdrift", HD_VERSION);
	hd_buf_release(&commit);
}

/* ---- links ---- */

/* Append the relative path to the file `to` from `from`, the folder of the page.  Both are absolute paths. */
static void relative(struct hd_buf *out, const char *from, const char *to)
{
	size_t same = 0;

	for (size_t i = 0;; i++) {
		bool end_from = from[i] == '\0' || from[i] == '/', end_to = to[i] == '\0' || to[i] == '/';

		if (end_from && end_to)
			same = i;
		if (!from[i] || from[i] != to[i])
			break;
	}
	for (const char *at = from + same; *at; at++)
		if (*at == '/' && at[1])
			hd_buf_adds(out, "../");
	hd_buf_adds(out, to[same] == '/' ? to + same + 1 : *(to + same) ? to + same : ".");
}

static int plain_file(const struct dirent *e)
{
	return *e->d_name != '.';
}

static void add_links(struct hd_session_page *s, const char *folder, const char *page)
{
	char *dir = hd_strdup(page && strcmp(page, "-") != 0 ? page : "./x"), *slash = strrchr(dir, '/'), *from, *to;
	struct dirent **names;
	struct hd_buf href = { 0 };
	int n;

	if (slash)
		*slash = '\0';
	from = realpath(slash ? (*dir ? dir : "/") : ".", NULL);
	to = realpath(folder, NULL);
	n = from && to ? scandir(folder, &names, plain_file, alphasort) : -1;
	for (int i = 0; i < n; i++) {
		struct hd_buf path = { 0 };

		hd_buf_addf(&path, "%s/%s", to, names[i]->d_name);
		if (i < FILES_MAX && hd_session_folders_is_file(path.data)) {
			hd_buf_reset(&href);
			relative(&href, from, path.data);
			hd_session_page_link(s, names[i]->d_name, hd_buf_str(&href));
		}
		hd_buf_release(&path);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	hd_buf_release(&href);
	free(from);
	free(to);
	free(dir);
}

/* ---- the page ---- */

/*
 * Set `path` to the recording in a results folder.  Returns false if the folder has measurements but no recording, as
 * those of `profile.sh power`.
 */
static bool find_recording(struct hd_buf *path, const char *folder)
{
	static const struct { const char *name; bool recording; } files[] = {
		{ "heap.data", true }, { "gpu_profile.sqlite", true }, { "gpu.trace", true }, { "gpu.json.gz", true },
		{ "gpu.json", true },
		{ "perf.data", true }, { "gpu.csv", false }, { "power.csv", false },
	};
	size_t n = strlen(folder);

	while (n > 1 && folder[n - 1] == '/')
		n--;
	for (size_t i = 0; i < HD_COUNT(files); i++) {
		hd_buf_reset(path);
		hd_buf_addf(path, "%.*s/%s", (int)n, folder, files[i].name);
		if (access(path->data, F_OK) == 0)
			return files[i].recording;
	}
	hd_buf_reset(path);
	/* none of the files exists; the reader reports that perf.data is missing */
	hd_buf_addf(path, "%.*s/perf.data", (int)n, folder);
	return true;
}

static int add_entry(struct hd_session_page *s, const struct entry *e, const struct hd_session_folders_opts *o,
	struct hd_log *log, struct hd_err *err)
{
	const struct hd_json *run = run_of(e);
	const char *status = hd_session_folders_run_text(run, "status");
	struct hd_buf recording = { 0 };
	int rc = 0;

	if (!e->folder || !run) {
		hd_session_page_mode(s, e->mode, e->folder ? "failed" : "absent", e->folder ? e->trouble : e->why);
		if (e->folder) {
			hd_warn(log, "lost.run", "hotdrift profile writes it", "%s", e->trouble);
			add_links(s, e->folder, o->out);
		}
		return 0;
	}
	hd_session_page_mode(s, e->mode, status ? status : "not known", hd_session_folders_run_text(run, "reason"));
	if (find_recording(&recording, e->folder))
		rc = hd_session_folders_is_file(recording.data) || access(recording.data, F_OK) < 0
			? hd_session_panel_recording(s, e->mode, run, recording.data, o->read, err)
			: hd_fail(err, HD_EFORMAT, "%s: not a regular file", recording.data);
	if (rc == HD_EFORMAT || (rc == HD_EIO && access(recording.data, R_OK) < 0)) {	/* affects this panel only */
		hd_warn(log, "lost.run", "", "%s", err->msg);
		hd_session_page_trouble(s, err->msg);
		rc = 0;
	}
	hd_session_panel_series(s, e->folder);
	add_links(s, e->folder, o->out);
	hd_buf_release(&recording);
	return rc;
}

static int write_page(const struct entry *entries, size_t n, const struct hd_session_folders_opts *o,
	struct hd_log *log, struct hd_err *err)
{
	const char *title = o->title;
	struct hd_outfile out;
	struct hd_session_page *s;
	int rc;

	for (size_t i = 0; i < n && !title; i++)
		title = hd_session_folders_run_text(run_of(&entries[i]), "target");
	rc = hd_outfile_open(&out, o->out, err);
	if (rc < 0)
		return rc;
	s = hd_session_page_new(title ? title : "hotdrift");
	add_facts(s, entries, n, o);
	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = add_entry(s, &entries[i], o, log, err);
	if (rc >= 0) {
		hd_session_page_write(s, &out);
		rc = hd_outfile_commit(&out, err);
	} else {
		hd_outfile_discard(&out);
	}
	hd_session_page_free(s);
	return rc;
}

static int need_folder(const char *path, struct hd_err *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return hd_fail_errno(err, HD_EIO, errno, "html: %s", path);
	return S_ISDIR(st.st_mode)
		? 0
		: hd_fail(err, HD_EUSAGE, "html: %s: not a folder; one that hotdrift profile wrote is meant", path);
}

/* Parse MODE=WHY. */
static int parse_failed(struct entry *e, const char *text, struct hd_err *err)
{
	char *equals;

	e->owned = hd_strdup(text);
	equals = strchr(e->owned, '=');
	if (!equals || equals == e->owned)
		return hd_fail(err, HD_EUSAGE, "html: --failed takes MODE=WHY, not '%s'", text);
	*equals = '\0';
	e->mode = e->owned;
	e->why = equals + 1;
	return 0;
}

int hd_session_folders_write(char *const *folders, int n, const struct hd_session_folders_opts *o, struct hd_log *log,
	struct hd_err *err)
{
	size_t all = (size_t)n + o->failed.n;
	struct entry *entries = hd_new_array(struct entry, all);
	int rc = 0;

	for (size_t i = 0; i < all && rc >= 0; i++) {
		entries[i].order = i;
		if (i < (size_t)n) {
			entries[i].folder = folders[i];
			rc = need_folder(folders[i], err);
			if (rc >= 0)
				read_run(&entries[i]);
		} else {
			rc = parse_failed(&entries[i], o->failed.items[i - (size_t)n], err);
		}
	}
	if (rc >= 0) {
		qsort(entries, all, sizeof(*entries), by_rank);
		rc = write_page(entries, all, o, log, err);
	}
	for (size_t i = 0; i < all; i++) {
		free(entries[i].owned);
		free(entries[i].trouble);
		hd_json_free(entries[i].doc);
	}
	free(entries);
	return rc;
}
