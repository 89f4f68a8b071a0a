/*
 * add_runs.c - add the runs of a session to the database, by `hotdrift add`
 *
 * Each run becomes a run in the database, failed ones included, but no warm-up.  The series of a run are the CSV files
 * that it wrote (none if it failed) and the values measured here: wall time as a latency CSV and peak RSS as a memory
 * CSV of one row, unless the run wrote a file of that form.  The series `process` holds all measured values.  `gate`
 * ignores it, because the kernel counts CPU time of short runs in ticks.
 *
 * CSV files are copied during the session and added after it, so that no database is written between two
 * measurements.  `hotdrift add` runs in the folder of the variant, so the commit is that of the checkout there, unless
 * --commit names it.
 */
#include "bench/bench.h"

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/utc.h"
#include "track/number.h"
#include "track/form.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SERIES_MAX_BYTES = 256 << 20, ADD_LIMIT_MS = 600000 };

static int make_folder(struct hd_bench *b, struct hd_err *err)
{
	const char *base = getenv("TMPDIR");
	struct hd_buf path = { 0 };

	if (b->folder)
		return 0;
	hd_buf_addf(&path, "%s/hotdrift-bench.XXXXXX", base && *base ? base : "/tmp");
	if (!mkdtemp(path.data)) {
		int rc = hd_fail_errno(err, HD_EIO, errno, "bench: %s: cannot create a temporary folder for the "
			"series of the runs",
			path.data);

		hd_buf_release(&path);
		return rc;
	}
	b->folder = hd_buf_take(&path);
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void hd_bench_add_release(struct hd_bench *b)
{
	if (b->folder)
		nftw(b->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(b->folder);
	b->folder = NULL;
}

/* ---- during the session ---- */

static int copy(const char *from, const char *to, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	int fd = hd_file_open(from, err), rc = fd;

	if (fd >= 0) {
		rc = hd_file_slurp(fd, from, SERIES_MAX_BYTES, &text, err);
		close(fd);
	}
	if (rc >= 0)
		rc = hd_file_write(to, &text, err);
	hd_buf_release(&text);
	return rc;
}

/* Return the form of a CSV file, such as latency or memory, by its header; HD_FORM_OTHER if it cannot be read. */
static enum hd_form form_of(const char *path)
{
	char line[512] = "";
	struct hd_csv_cell cells[HD_FORM_FIELDS_MAX + 1];
	struct hd_csv csv;
	size_t n = 0;
	FILE *f = fopen(path, "re");

	if (f && fgets(line, sizeof(line), f)) {
		csv = hd_csv_init(line, strlen(line));
		if (hd_csv_next(&csv, cells, HD_COUNT(cells), &n) != HD_CSV_ROW || n > HD_COUNT(cells))
			n = 0;
	}
	if (f)
		fclose(f);
	return n ? hd_form_detect(cells, n) : HD_FORM_OTHER;
}

static void row_path(struct hd_buf *path, const struct hd_bench_run *run, const char *name)
{
	hd_buf_reset(path);
	hd_buf_addf(path, "%s/%s", run->kept, name);
}

static int write_row(const struct hd_bench_run *run, const char *name, const char *header, const double *v, size_t n,
	struct hd_err *err)
{
	struct hd_buf path = { 0 }, text = { 0 };
	char number[HD_NUMBER_TEXT_MAX];
	int rc;

	row_path(&path, run, name);
	hd_buf_addf(&text, "%s\n", header);
	for (size_t i = 0; i < n; i++) {
		*number = '\0';
		if (isfinite(v[i]))
			hd_number_write(number, v[i]);
		hd_buf_addf(&text, "%s%s", i ? "," : "", number);
	}
	hd_buf_addc(&text, '\n');
	rc = hd_file_write(path.data, &text, err);
	hd_buf_release(&path);
	hd_buf_release(&text);
	return rc;
}

int hd_bench_add_keep_csv(struct hd_bench *b, struct hd_bench_run *run, const struct hd_bench_variant *side,
	struct hd_err *err)
{
	const struct hd_string_list *files = &b->o->series;
	const double latency[] = { run->number + 1, run->value[HD_BENCH_WALL], NAN, NAN };
	const double memory[] = { run->value[HD_BENCH_WALL], run->value[HD_BENCH_RSS], NAN, NAN, NAN };
	const double process[] = { run->value[HD_BENCH_WALL], run->value[HD_BENCH_USER], run->value[HD_BENCH_KERNEL],
		run->value[HD_BENCH_RSS] };
	struct hd_buf path = { 0 }, from = { 0 };
	bool own_latency = false, own_memory = false;
	int rc = make_folder(b, err);

	if (rc >= 0) {
		hd_buf_addf(&path, "%s/%s-%06u", b->folder, side->name, run->number + 1);
		run->kept = hd_strdup(path.data);
		if (mkdir(run->kept, 0700) < 0)
			rc = hd_fail_errno(err, HD_EIO, errno, "bench: %s", run->kept);
	}
	for (size_t i = 0; rc >= 0 && i < files->n && !run->why_failed; i++) {
		char name[32];

		hd_buf_reset(&from);
		hd_bench_variant_path(&from, side, files->items[i]);
		own_latency = own_latency || form_of(from.data) == HD_FORM_LATENCY;
		own_memory = own_memory || form_of(from.data) == HD_FORM_MEMORY;
		snprintf(name, sizeof(name), "series-%zu.csv", i);
		row_path(&path, run, name);
		rc = copy(from.data, path.data, err);
	}
	if (rc >= 0 && !own_latency)
		rc = write_row(run, "latency.csv", hd_form_layout(HD_FORM_LATENCY)->header, latency, HD_COUNT(latency),
			err);
	if (rc >= 0 && !own_memory)
		rc = write_row(run, "memory.csv", hd_form_layout(HD_FORM_MEMORY)->header, memory, HD_COUNT(memory),
			err);
	if (rc >= 0)
		rc = write_row(run, "process.csv", "wall_time_us,user_time_us,kernel_time_us,peak_rss_bytes", process,
			HD_COUNT(process), err);
	hd_buf_release(&path);
	hd_buf_release(&from);
	return rc;
}

/* ---- after the session ---- */

static void word(struct hd_argv *c, const char *w)
{
	hd_argv_add(c, w, strlen(w));
}

/* Append two words to the command, `option` and `value`.  If value is NULL, append nothing. */
static void pair(struct hd_argv *c, const char *option, const char *value)
{
	if (!value)
		return;
	word(c, option);
	word(c, value);
}

/* Append `option path` with an absolute path, because `hotdrift add` runs in another folder.  URLs are kept. */
static void pair_path(struct hd_argv *c, const char *option, const char *path)
{
	struct hd_buf full = { 0 };
	char *cwd = getcwd(NULL, 0);

	if (path && *path != '/' && cwd && !strstr(path, "://"))
		hd_buf_addf(&full, "%s/", cwd);
	hd_buf_adds(&full, path ? path : "");
	pair(c, option, path ? full.data : NULL);
	hd_buf_release(&full);
	free(cwd);
}

/* Append the name of a series: the base name of the path up to its first dot. */
static void series_name(struct hd_buf *out, const char *path)
{
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	hd_buf_add(out, name, strcspn(name, "."));
}

static void add_series(struct hd_argv *c, const struct hd_bench *b, const struct hd_bench_run *run)
{
	static const char *const ours[] = { "latency.csv", "memory.csv" };
	struct hd_buf path = { 0 }, named = { 0 };

	for (size_t i = 0; i < b->o->series.n && !run->why_failed; i++) {
		char name[32];

		snprintf(name, sizeof(name), "series-%zu.csv", i);
		row_path(&path, run, name);
		hd_buf_reset(&named);
		series_name(&named, b->o->series.items[i]);
		hd_buf_addf(&named, "=%s", path.data);
		if (form_of(path.data) == HD_FORM_OTHER)
			pair(c, "--series", named.data);
		else
			word(c, path.data);
	}
	for (size_t i = 0; i < HD_COUNT(ours); i++) {
		row_path(&path, run, ours[i]);
		if (access(path.data, F_OK) == 0)
			word(c, path.data);
	}
	row_path(&path, run, "process.csv");
	hd_buf_reset(&named);
	hd_buf_addf(&named, "process=%s", path.data);
	if (access(path.data, F_OK) == 0)
		pair(c, "--series", named.data);
	hd_buf_release(&path);
	hd_buf_release(&named);
}

/*
 * Append the session of the runs.  Runs of two sides that were recorded in turns get one even without --session, so
 * that `hotdrift gate` can tell them from runs of the base that were recorded at another time.
 */
static void add_session(struct hd_argv *c, const struct hd_bench *b)
{
	char utc[HD_UTC_TEXT], own[HD_UTC_TEXT + 40];

	hd_utc_text(b->runs[0].began, utc);
	snprintf(own, sizeof(own), "bench-%s-%ld", utc, (long)getpid());
	pair(c, "--session", b->o->session || b->nsides == 1 ? b->o->session : own);
}

static void make_command(struct hd_argv *c, const struct hd_bench *b, const struct hd_bench_run *run)
{
	const struct hd_bench_opts *o = b->o;
	struct hd_buf text = { 0 };
	char utc[HD_UTC_TEXT], status[16];

	*c = (struct hd_argv){ 0 };
	word(c, "/proc/self/exe");
	word(c, "add");
	if (run->recording && access(run->recording, R_OK) == 0)
		word(c, run->recording);
	add_series(c, b, run);
	pair(c, "--target", o->target ? o->target : "default");
	pair(c, "--mode", "cpu");
	pair(c, "--status", run->why_failed ? "failed" : "ok");
	if (run->end.how == HD_SUBPROCESS_EXITED) {
		snprintf(status, sizeof(status), "%d", run->end.status);
		pair(c, "--exit-status", status);
	}
	hd_argv_quote(&text, &b->side[run->side].command);
	pair(c, "--command", text.data);
	hd_utc_text(run->began, utc);
	pair(c, "--recorded", utc);
	pair(c, "--machine", "here");
	add_session(c, b);
	pair(c, "--side", b->nsides == 2 ? b->side[run->side].name : NULL);
	pair(c, "--work", o->work);
	pair(c, "--commit", o->commit);
	pair_path(c, "--config", o->config);
	pair(c, "--db", b->db);
	if (o->busy_ms) {
		snprintf(status, sizeof(status), "%u", o->busy_ms);
		pair(c, "--busy-ms", status);
	}
	word(c, "--json");
	hd_buf_release(&text);
}

static char *id_of(const struct hd_buf *answer)
{
	struct hd_json_doc *doc = NULL;
	struct hd_err err = { 0 };
	const struct hd_json *v;
	const char *id = NULL;
	char *copied = NULL;
	size_t n = 0;

	if (hd_json_parse(&doc, hd_buf_str(answer), answer->len, "add", &err) >= 0) {
		v = hd_json_get(hd_json_root(doc), "run");
		id = v && hd_json_kind(v) == HD_JSON_STRING ? hd_json_string(v, &n) : NULL;
		copied = id ? hd_strndup(id, n) : NULL;
	}
	hd_json_free(doc);
	return copied;
}

/* Fail with the message that `hotdrift add` printed when it rejected a run. */
static int refused(const struct hd_bench_run *run, const struct hd_bench_variant *side,
	const struct hd_subprocess_result *end, struct hd_err *err)
{
	static const char head[] = "hotdrift: error: ";
	const char *message = strstr(hd_buf_str(&end->errors), head);
	struct hd_buf why = { 0 };
	int rc;

	if (message) {
		message += sizeof(head) - 1;
		hd_buf_add(&why, message, strcspn(message, "\n"));
	} else {
		hd_buf_adds(&why, "hotdrift add ");
		hd_subprocess_describe(&why, end);
	}
	rc = end->how == HD_SUBPROCESS_EXITED && end->status == 5      ? HD_EFORMAT
		: end->how == HD_SUBPROCESS_EXITED && end->status == 2 ? HD_EUSAGE
								       : HD_EIO;
	rc = hd_fail(err, (enum hd_code)rc, "bench: %s %u could not be added: %s", side->name, run->number + 1,
		hd_buf_str(&why));
	hd_buf_release(&why);
	return rc;
}

static int add_one(struct hd_bench *b, struct hd_bench_run *run, struct hd_err *err)
{
	const struct hd_bench_variant *side = &b->side[run->side];
	struct hd_subprocess what = { .dir = side->dir,
		.sum_output = true,
		.keep_bytes = 1 << 20,
		.limit_ms = ADD_LIMIT_MS };
	struct hd_subprocess_result end;
	struct hd_argv c;
	int rc;

	make_command(&c, b, run);
	what.argv = c.argv;
	rc = hd_subprocess_run(&end, &what, &b->watch, err);
	hd_argv_release(&c);
	if (rc < 0)
		return rc;
	if (end.how == HD_SUBPROCESS_EXITED && !end.status)
		run->id = id_of(&end.output);
	else
		rc = refused(run, side, &end, err);
	hd_subprocess_result_release(&end);
	return rc;
}

int hd_bench_add(struct hd_bench *b, struct hd_err *err)
{
	int rc = hd_signal_watch_begin(&b->watch, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < b->nruns && rc >= 0; i++) {
		if (!b->runs[i].kept)
			continue;
		rc = add_one(b, &b->runs[i], err);
		b->added += rc >= 0;
	}
	hd_signal_watch_end(&b->watch);
	return rc;
}
