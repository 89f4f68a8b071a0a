/*
 * gate_places.c - see gate_places.h
 */
#include "cli/gate_places.h"
#include "base/mem.h"
#include "cli/source_files.h"
#include "history/checkout.h"
#include "history/symbol_address.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Return the root of the checkout (the current folder if it is in none), with symbolic links resolved.  The caller
 * frees it.  NULL if it is unknown.
 */
static char *checkout_root(void)
{
	char *cwd = getcwd(NULL, 0), *root;

	if (!cwd)
		return NULL;
	cwd[hd_checkout_root(cwd)] = '\0';
	root = realpath(cwd, NULL);
	free(cwd);
	return root;
}

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/*
 * Return the path of the file `path` relative to the folder `root`, or NULL if it is not a file in there.  The caller
 * frees it.
 */
static char *below(const char *root, const char *path)
{
	size_t n = strlen(root);
	char *real = realpath(path, NULL), *rest = NULL;

	if (real && !strncmp(real, root, n) && real[n] == '/' && is_file(real))
		rest = hd_strdup(real + n + 1);
	free(real);
	return rest;
}

/* Return the path of a source file relative to the root of the checkout, or NULL.  The caller frees it. */
static char *in_checkout(const char *root, const char *file)
{
	struct hd_buf path = { 0 };
	char *found = *file == '/' ? below(root, file) : NULL;
	const char *end = file;

	/* try `file` if it is a relative path, then ever shorter ends of the path that contain a slash */
	for (bool first = *file != '/'; !found && end && (first || strchr(end, '/')); first = false) {
		hd_buf_reset(&path);
		hd_buf_addf(&path, "%s/%s", root, end);
		found = below(root, path.data);
		end = strchr(end, '/');
		end = end ? end + 1 : NULL;
	}
	hd_buf_release(&path);
	return found;
}

static int find_row(struct hd_gate_place *to, const struct hd_comparison *c, const struct hd_judge_row *row,
	struct hd_db *db, struct hd_source_files *files, const char *root, struct hd_err *err)
{
	struct hd_symbol_address at = { 0 };
	struct hd_arena arena = { 0 };
	const char *file;
	unsigned line;
	int rc = hd_symbol_address_load(&at, db, &arena, &c->head, row->symbol_id, err);

	if (rc > 0) {
		file = hd_source_files_find(files, at.path, at.build_id, at.vaddr, &line);
		to->file = file && line ? in_checkout(root, file) : NULL;
		to->line = line;
	}
	hd_arena_release(&arena);
	return rc < 0 ? rc : 0;
}

int hd_gate_places_find(struct hd_gate_places *out, const struct hd_comparison *c, struct hd_db *db,
	struct hd_err *err)
{
	struct hd_log quiet = { 0 };
	struct hd_source_files *files = hd_source_files_new(&quiet);
	char *root = checkout_root();
	int rc = 0;

	out->n = c->nrows + (c->pin ? c->pin->nrows : 0);
	out->places = hd_new_array(struct hd_gate_place, out->n + 1);
	for (size_t i = 0; root && i < out->n && rc >= 0; i++) {
		const struct hd_comparison *of = i < c->nrows ? c : c->pin;
		const struct hd_judge_row *row = &of->rows[i < c->nrows ? i : i - c->nrows];

		if (row->verdict != HD_PASS)
			rc = find_row(&out->places[i], of, row, db, files, root, err);
	}
	hd_source_files_free(files);
	hd_log_release(&quiet);
	free(root);
	return rc;
}

void hd_gate_places_fallback(struct hd_gate_places *out, const char *path, unsigned line)
{
	char *root = checkout_root(), *file = root ? below(root, path) : NULL;

	if (file) {
		free(out->fallback.file);
		out->fallback = (struct hd_gate_place){ file, line };
	}
	free(root);
}

void hd_gate_places_release(struct hd_gate_places *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->places[i].file);
	free(p->places);
	free(p->fallback.file);
	*p = (struct hd_gate_places){ 0 };
}
