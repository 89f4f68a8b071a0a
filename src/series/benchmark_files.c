/*
 * benchmark_files.c - see benchmark_files.h
 */
#include "series/benchmark_files.h"

#include "base/file.h"
#include "base/mem.h"
#include "series/criterion.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_BYTES = 64 << 20 };		/* the limit of base/json.h */

/* Order `struct hd_micro_benchmark *` by name and tool. */
static int by_name(const void *a, const void *b)
{
	const struct hd_micro_benchmark *const *x = a, *const *y = b;
	int c = strcmp((*x)->name, (*y)->name);

	return c ? c : strcmp((*x)->tool, (*y)->tool);
}

/* Fail if a name occurs twice for one tool, because the stored rows would not be distinguishable. */
static int check_names(const struct hd_micro_benchmarks *all, const char *path, struct hd_err *err)
{
	const struct hd_micro_benchmark **sorted = hd_new_array(const struct hd_micro_benchmark *, all->n + 1);
	int rc = 0;

	for (size_t i = 0; i < all->n; i++)
		sorted[i] = &all->items[i];
	qsort(sorted, all->n, sizeof(*sorted), by_name);
	for (size_t i = 1; i < all->n && rc >= 0; i++)
		if (!strcmp(sorted[i - 1]->name, sorted[i]->name) && !strcmp(sorted[i - 1]->tool, sorted[i]->tool))
			rc = hd_fail(err, HD_EFORMAT, "%s: the benchmark %.200s occurs twice", path, sorted[i]->name);
	free(sorted);
	return rc;
}

static int read_file(struct hd_micro_benchmarks *all, const char *path, struct hd_log *log, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	int fd = hd_file_open(path, err), rc = fd;

	if (fd < 0)
		return fd;
	rc = hd_file_slurp(fd, path, MAX_BYTES, &text, err);
	close(fd);
	if (rc >= 0)
		rc = hd_micro_benchmarks_parse(all, hd_buf_str(&text), text.len, path, log, err);
	hd_buf_release(&text);
	return rc;
}

int hd_micro_benchmarks_read(struct hd_micro_benchmarks *all, const char *path, struct hd_log *log, struct hd_err *err)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	struct stat st;
	int rc;

	if (strcmp(path, "-") && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		rc = hd_criterion_read_folder(all, path, log, err);
	else if (!strcmp(file, "estimates.json"))
		rc = hd_criterion_read(all, path, NULL, err);
	else
		rc = read_file(all, path, log, err);
	return rc < 0 ? rc : check_names(all, path, err);
}
