/*
 * criterion.c - see criterion.h
 *
 * estimates.json    {"mean":{"confidence_interval":{"confidence_level","lower_bound","upper_bound"},"point_estimate",
 *                   "standard_error"},"median":{...},"median_abs_dev":{...},"slope":{...} or null,"std_dev":{...}}
 * benchmark.json    {"group_id","function_id","value_str","throughput":{"Bytes":N} or {"BytesDecimal":N} or
 *                   {"Elements":N} or null,"full_id","directory_name","title"}
 * sample.json       {"sampling_mode","iters":[...],"times":[...]}
 *
 * Times are nanoseconds.  times[i] of sample.json is the total time of iters[i] iterations.
 */
#include "series/criterion.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fts.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BYTES = 64 << 20 };

/* ---- the three files ---- */

static struct hd_micro_figure figure(const struct hd_json *estimates, const char *key)
{
	const struct hd_json *v = hd_micro_member(estimates, key), *ci = hd_micro_member(v, "confidence_interval");
	struct hd_micro_figure f = { hd_micro_number(v, "point_estimate"),
		{ hd_micro_number(ci, "lower_bound"), hd_micro_number(ci, "upper_bound") } };

	return f;
}

static int read_name(const char **name, size_t *n, struct hd_json_doc **doc, const struct hd_criterion_files *f,
	struct hd_err *err)
{
	const struct hd_json *id;
	int rc;

	*name = f->name;
	*n = strlen(f->name);
	if (!f->benchmark)
		return 0;
	rc = hd_json_parse(doc, f->benchmark, f->nbenchmark, f->path, err);
	if (rc < 0)
		return rc;
	id = hd_json_get(hd_json_root(*doc), "full_id");
	if (id && hd_json_kind(id) == HD_JSON_STRING)
		*name = hd_json_string(id, n);
	return 0;
}

/*
 * Set the throughput (elements and bytes per second) from the time per iteration that Criterion prints: the slope if it
 * is known, otherwise the mean.
 */
static void read_throughput(struct hd_micro_benchmark *b, const struct hd_json_doc *doc)
{
	const struct hd_json *v = doc ? hd_json_get(hd_json_root(doc), "throughput") : NULL;
	double per_second = 1e9 / (isnan(b->slope.value) ? b->mean.value : b->slope.value);
	double bytes = hd_micro_number(v, "Bytes");

	if (!isfinite(per_second) || per_second < 0)
		return;
	b->elements_per_s = hd_micro_number(v, "Elements") * per_second;
	b->bytes_per_s = (isnan(bytes) ? hd_micro_number(v, "BytesDecimal") : bytes) * per_second;
}

static int read_samples(struct hd_micro_benchmark *b, const struct hd_criterion_files *f, struct hd_err *err)
{
	const struct hd_json *iterations, *times;
	struct hd_json_doc *doc = NULL;
	int rc = f->sample ? hd_json_parse(&doc, f->sample, f->nsample, f->path, err) : 0;

	if (rc < 0 || !doc)
		return rc;
	iterations = hd_json_get(hd_json_root(doc), "iters");
	times = hd_json_get(hd_json_root(doc), "times");
	if (!iterations || !times || hd_json_count(iterations) != hd_json_count(times)) {
		rc = hd_fail(err, HD_EFORMAT, "%s: sample.json beside it has not as many times as iteration counts",
			f->path);
	} else {
		for (size_t i = 0; i < hd_json_count(times); i++)
			hd_micro_benchmark_sample(b, hd_micro_value(hd_json_at(times, i)),
				hd_micro_value(hd_json_at(iterations, i)));
		rc = hd_micro_benchmark_summarize(b, true, err);
	}
	hd_json_free(doc);
	return rc;
}

int hd_micro_benchmarks_parse_criterion(struct hd_micro_benchmarks *all, const struct hd_criterion_files *f,
	struct hd_err *err)
{
	struct hd_json_doc *estimates = NULL, *benchmark = NULL;
	struct hd_micro_benchmark *b;
	const struct hd_json *root;
	const char *name;
	size_t n;
	int rc = hd_json_parse(&estimates, f->estimates, f->nestimates, f->path, err);

	if (rc >= 0)
		rc = read_name(&name, &n, &benchmark, f, err);
	if (rc >= 0) {
		root = hd_json_root(estimates);
		if (!(hd_micro_number(hd_micro_member(root, "mean"), "point_estimate") >= 0))
			rc = hd_fail(err, HD_EFORMAT, "%s: not an estimates.json of Criterion: mean.point_estimate is "
				"missing", f->path);
	}
	if (rc >= 0)
		rc = hd_micro_benchmarks_add(all, &b, name, n, "criterion", f->path, err);
	if (rc >= 0) {
		b->mean = figure(root, "mean");
		b->median = figure(root, "median");
		b->std = figure(root, "std_dev");
		b->slope = figure(root, "slope");
		read_throughput(b, benchmark);
		rc = read_samples(b, f, err);
	}
	hd_json_free(estimates);
	hd_json_free(benchmark);
	return rc;
}

/* ---- folders ---- */

/* Read the file `name` from the folder of estimates.json.  If it does not exist, return 0 and leave *text empty. */
static int read_beside(struct hd_buf *text, const char *estimates, const char *name, struct hd_err *err)
{
	size_t folder = strlen(estimates) - strlen("estimates.json");
	struct hd_buf path = { 0 };
	int fd, rc = 0;

	hd_buf_add(&path, estimates, folder);
	hd_buf_adds(&path, name);
	if (access(hd_buf_str(&path), F_OK) == 0) {
		fd = rc = hd_file_open_regular(path.data, err);
		if (fd >= 0) {
			rc = hd_file_slurp(fd, path.data, FILE_BYTES, text, err);
			close(fd);
		}
	}
	hd_buf_release(&path);
	return rc;
}

/* Append the name of the folder that contains new/: "parse" for "x/parse/new/estimates.json". */
static void name_of(struct hd_buf *name, const char *path)
{
	char *copy = hd_strdup(path), *slash;

	for (int i = 0; i < 2; i++) {
		slash = strrchr(copy, '/');
		if (slash)
			*slash = '\0';
	}
	slash = strrchr(copy, '/');
	hd_buf_adds(name, slash ? slash + 1 : copy);
	free(copy);
}

int hd_criterion_read(struct hd_micro_benchmarks *all, const char *path, const char *name, struct hd_err *err)
{
	struct hd_buf estimates = { 0 }, benchmark = { 0 }, sample = { 0 }, own_name = { 0 };
	struct hd_criterion_files f = { .path = path };
	int rc = read_beside(&estimates, path, "estimates.json", err);

	if (rc >= 0)
		rc = read_beside(&benchmark, path, "benchmark.json", err);
	if (rc >= 0)
		rc = read_beside(&sample, path, "sample.json", err);
	if (rc >= 0 && !estimates.len)
		rc = hd_fail(err, HD_EIO, "%s: it does not exist, or it is empty", path);
	if (rc >= 0) {
		name_of(&own_name, path);
		f.estimates = hd_buf_str(&estimates);
		f.nestimates = estimates.len;
		f.benchmark = benchmark.len ? benchmark.data : NULL;
		f.nbenchmark = benchmark.len;
		f.sample = sample.len ? sample.data : NULL;
		f.nsample = sample.len;
		f.name = name ? name : hd_buf_str(&own_name);
		rc = hd_micro_benchmarks_parse_criterion(all, &f, err);
	}
	hd_buf_release(&estimates);
	hd_buf_release(&benchmark);
	hd_buf_release(&sample);
	hd_buf_release(&own_name);
	return rc;
}

static int by_entry_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Return true for .../new/estimates.json. */
static bool is_result(const FTSENT *e)
{
	return e->fts_info == FTS_F && !strcmp(e->fts_name, "estimates.json") && e->fts_parent &&
		!strcmp(e->fts_parent->fts_name, "new");
}

/* Return the path of a result relative to the folder, without the suffix /new/estimates.json; NULL if it is empty. */
static char *relative_name(const FTSENT *e, const char *folder)
{
	size_t skip = strlen(folder), end = strlen(e->fts_path) - strlen("/new/estimates.json");
	const char *at = e->fts_path + skip;

	while (*at == '/' && at < e->fts_path + end)
		at++;
	return at < e->fts_path + end ? hd_strndup(at, (size_t)(e->fts_path + end - at)) : NULL;
}

int hd_criterion_read_folder(struct hd_micro_benchmarks *all, const char *path, struct hd_log *log, struct hd_err *err)
{
	char *own = hd_strdup(path), *paths[] = { own, NULL };
	FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_entry_name);
	size_t before = all->n;
	FTSENT *e;
	int rc = 0;

	if (!tree) {
		free(own);
		return hd_fail_errno(err, HD_EIO, errno, "%s: cannot search it", path);
	}
	while (rc >= 0 && (errno = 0, e = fts_read(tree))) {
		if (e->fts_info == FTS_D && e->fts_level > HD_MICRO_BENCHMARK_DEPTH)
			fts_set(tree, e, FTS_SKIP);
		if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR)
			hd_warn(log, "lost.benchmark", "make it readable", "%s: cannot be read: %s", e->fts_path,
				strerror(e->fts_errno));
		if (is_result(e)) {
			char *name = relative_name(e, path);

			rc = hd_criterion_read(all, e->fts_path, name, err);
			free(name);
		}
	}
	if (rc >= 0 && errno)
		rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot search it", path);
	fts_close(tree);
	free(own);
	if (rc >= 0 && all->n == before)
		rc = hd_fail(err, HD_EFORMAT, "%s: no new/estimates.json of Criterion below it", path);
	return rc;
}
