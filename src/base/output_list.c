/*
 * output_list.c - the outputs of this call, which must differ from its inputs and from each other: see file.h
 */
#include "base/file.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct output {
	const char *path, *option;	/* borrowed */
	char *input;			/* the input that is the same file; NULL: none so far */
};

/* hd_output_declare() fills the list before any thread runs.  `lock` protects the members `input`. */
static struct { struct output *items; size_t n, cap; } outputs;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_same_inode(const struct stat *a, const struct stat *b)
{
	return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Return true if both paths lead to one regular file, or to one place at which a file can be created. */
static bool is_same_place(const char *a, const char *b)
{
	struct hd_outplace place[2] = { { .dir = -1 }, { .dir = -1 } };
	int found[2] = { hd_outplace_find(&place[0], a, NULL), hd_outplace_find(&place[1], b, NULL) };
	struct stat folder[2];
	bool same = false;

	if (found[0] > 0 && found[1] > 0)
		same = is_same_inode(&place[0].st, &place[1].st);
	else if (found[0] == 0 && found[1] == 0)
		same = fstat(place[0].dir, &folder[0]) == 0 && fstat(place[1].dir, &folder[1]) == 0 &&
			folder[0].st_dev == folder[1].st_dev && folder[0].st_ino == folder[1].st_ino &&
			!strcmp(place[0].name, place[1].name);
	hd_outplace_release(&place[0]);
	hd_outplace_release(&place[1]);
	return same;
}

int hd_output_declare(const char *path, const char *option, struct hd_err *err)
{
	if (!strcmp(path, "-") || hd_outfile_inherited(path) >= 0)
		return 0;
	for (size_t i = 0; i < outputs.n; i++)
		if (is_same_place(outputs.items[i].path, path))
			return hd_fail(err, HD_EUSAGE,
				"--%s %s and --%s %s are the same file, which can keep only one of the two; name "
				"another file", outputs.items[i].option, outputs.items[i].path, option, path);
	HD_GROW(outputs.items, outputs.n + 1, outputs.cap);
	outputs.items[outputs.n++] = (struct output){ .path = path, .option = option };
	return 0;
}

int hd_output_check(struct hd_err *err)
{
	int rc = 0;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < outputs.n && rc >= 0; i++)
		if (outputs.items[i].input)
			rc = hd_fail(err, HD_EUSAGE,
				"--%s %s would replace %s, which this command uses; name another file",
				outputs.items[i].option, outputs.items[i].path, outputs.items[i].input);
	pthread_mutex_unlock(&lock);
	return rc;
}

int hd_output_check_input(const char *path, int fd, struct hd_err *err)
{
	struct stat in, out;
	bool found = false;

	if (!outputs.n || (fd >= 0 && fstat(fd, &in) < 0))
		return 0;
	for (size_t i = 0; i < outputs.n; i++) {
		struct output *o = &outputs.items[i];

		if (fd >= 0 ? stat(o->path, &out) < 0 || !is_same_inode(&in, &out) : !is_same_place(o->path, path))
			continue;
		found = true;
		pthread_mutex_lock(&lock);
		if (!o->input)
			o->input = hd_strdup(strcmp(path, "-") ? path : "the file on standard input");
		pthread_mutex_unlock(&lock);
	}
	return found ? hd_output_check(err) : 0;
}
