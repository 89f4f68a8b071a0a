/*
 * folded_diff.c DIR - compare the difference of two folded files with folded_diff/results
 *
 * The order of the lines has no meaning, so both outputs are sorted before they are compared.
 */
#include "answers.h"

#include "gate/difference.h"
#include "pipeline/pipeline.h"

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t lines(char *text, char ***out)
{
	size_t n = 0;

	*out = calloc(strlen(text) + 1, sizeof(**out));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		(*out)[n++] = line;
	qsort(*out, n, sizeof(**out), by_text);
	return n;
}

static bool read_folded(struct hd_profile **p, const char *dir, const char *file)
{
	struct hd_pipeline_opts o = { 0 };
	struct hd_err err = { 0 };
	char path[4096];

	snprintf(path, sizeof(path), "%s/folded_diff/%s", dir, file);
	if (hd_pipeline_read(p, path, &o, &err) >= 0)
		return true;
	printf("skipped: folded_diff/%s: %s\n", file, err.msg);
	return false;
}

static void compare(const char *dir, const char *base, const char *file, bool normalized)
{
	struct verdict v = { .file = file };
	const struct hd_difference_opts o = { .exact = true };
	struct hd_difference_side a = { 0 }, b = { 0 };
	struct hd_profile *pa, *pb;
	struct hd_difference d;
	struct hd_buf out = { 0 };
	char **ours, **theirs, *text = slurp(dir, file);
	size_t n, m, k = 0;

	if (!text || !read_folded(&pa, dir, base) || !read_folded(&pb, dir, "after.txt"))
		return;
	a.p = pa;
	b.p = pb;
	hd_difference_build(&d, &a, &b, &o);
	hd_difference_folded(&out, &d, normalized);
	n = lines(out.data, &ours);
	m = lines(text, &theirs);
	for (size_t i = 0; i < m; i++, v.rows++) {
		if (k >= n || strcmp(ours[k], theirs[i]))
			differ(&v, "%s: ours is '%s', expected '%s'", base, k < n ? ours[k] : "", theirs[i]);
		k++;
	}
	if (n != k)
		differ(&v, "%s: %zu lines, expected %zu", base, n, k);
	verdict_end(&v);
	free(text);
	free(ours);
	free(theirs);
	hd_buf_release(&out);
	hd_difference_release(&d);
	hd_profile_free(pa);
	hd_profile_free(pb);
}

/* Lines without a count are counted, reported and skipped; the other lines are read. */
static void bad_line(const char *dir)
{
	struct verdict v = { .file = "folded_diff/bad_before.txt", .note = "a line without a count" };
	struct hd_profile *bad, *good;
	size_t told = 0;

	if (!read_folded(&bad, dir, "bad_before.txt") || !read_folded(&good, dir, "before.txt"))
		return;
	for (size_t i = 0; i < bad->log.n; i++)
		if (!strncmp(bad->log.items[i].code, "lost.", 5))
			told += (size_t)bad->log.items[i].count;
	v.rows = 2;
	judge(&v, 0, "lines told as lost", (double)told, 1);
	judge(&v, 1, "weight", (double)bad->events[0].weight, (double)good->events[0].weight - 11);
	verdict_end(&v);
	hd_profile_free(bad);
	hd_profile_free(good);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	compare(argv[1], "before.txt", "folded_diff/results/default.txt", false);
	compare(argv[1], "before.txt", "folded_diff/results/normalize.txt", true);
	bad_line(argv[1]);
	return 0;
}
