/*
 * source_text.c - see source_text.h
 */
#include "annotate/source_text.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "dwarf/relative_path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the files that may be opened ---- */

static bool has_source_suffix(const char *path)
{
	static const char *const suffixes[] = {
		"c", "h", "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "inc", "inl", "ipp", "tcc", "tpp",
		"def", "i", "ii", "s", "S", "asm", "rs", "go", "zig", "d", "f", "F", "f77", "f90", "F90", "f95",
		"f03", "f08", "for", "m", "mm", "swift",
		"cu", "cuh", "cl", "y", "yy", "l", "ll", "re", "rl", "ml", "mli", "hs", "nim", "pas", "pp", "adb",
		"ads", "cr", "v",
		"java", "kt", "kts", "scala", "clj", "groovy", "js", "mjs", "cjs", "ts", "tsx", "jsx", "py", "pyx",
		"pxd", "rb",
		"php", "pl", "pm", "lua", "jl", "erl", "ex", "exs", "cs", "fs", "vb", "dart", "wat",
	};
	const char *name = strrchr(path, '/'), *dot;

	name = name ? name + 1 : path;
	dot = strrchr(name, '.');
	if (!dot || dot == name)
		return false;
	for (size_t i = 0; i < HD_COUNT(suffixes); i++)
		if (!strcmp(dot + 1, suffixes[i]))
			return true;
	return false;
}

static bool may_be_source(const char *path)
{
	return !strncmp(path, "/usr/include/", 13) || has_source_suffix(path);
}

/* ---- the paths that are tried ---- */

struct search {
	const struct hd_source_query *q;
	const char *recorded;
	struct hd_buf found;		/* path of the opened file */
	/* the error of the first file that could not be read, then why the recorded path itself is not tried */
	struct hd_buf problem;
	int fd;
};

/*
 * Try to open root/path, or `path` itself if `root` is "".  Returns true if it was opened; then s->fd is the file and
 * s->found its path.
 */
static bool try_path(struct search *s, const char *root, const char *path)
{
	struct hd_err err;

	s->fd = hd_file_open_untrusted(root, path, HD_SOURCE_TEXT_MAX, &err);
	if (s->fd >= 0)
		hd_buf_addf(&s->found, "%s%s%s", root, *root && *path != '/' ? "/" : "", path);
	else if (hd_file_is_trouble(&err) && !s->problem.len)
		hd_buf_addf(&s->problem, "%s", err.msg);
	return s->fd >= 0;
}

static const char *skip_folders(const char *path, unsigned n)
{
	for (path += *path == '/'; n; n--) {
		const char *slash = strchr(path, '/');

		if (!slash)
			break;
		path = slash + 1;
	}
	return path;
}

/* Step 1 of source_text.h: try the path with its start replaced by the rules of --substitute-path. */
static bool try_substitutes(struct search *s)
{
	const struct hd_string_list *rules = &s->q->opts->substitute;
	size_t best = 0, longest = 0;
	struct hd_buf path = { 0 };
	bool ok;

	for (size_t i = 0; i < rules->n; i++) {
		size_t from = strcspn(rules->items[i], "=");
		bool folder = from && !strncmp(s->recorded, rules->items[i], from) &&
			(rules->items[i][from - 1] == '/' || !s->recorded[from] || s->recorded[from] == '/');

		if (folder && rules->items[i][from] && from >= longest) {
			best = i;
			longest = from;
		}
	}
	if (!longest)
		return false;
	hd_buf_addf(&path, "%s%s", rules->items[best] + longest + 1, s->recorded + longest);
	ok = try_path(s, "", path.data);
	hd_buf_release(&path);
	return ok;
}

/* Step 2 of source_text.h: try the path in the folders of --source-prefix. */
static bool try_prefixes(struct search *s)
{
	const struct hd_annotate_opts *o = s->q->opts;

	for (size_t i = 0; i < o->source_prefix.n; i++) {
		const char *rest = skip_folders(s->recorded, o->prefix_strip), *next;

		for (;; rest = next) {
			if (try_path(s, o->source_prefix.items[i], rest))
				return true;
			next = skip_folders(rest, 1);
			if (next == rest)
				break;
		}
	}
	return false;
}

static bool open_source(struct search *s)
{
	if (try_substitutes(s) || try_prefixes(s))
		return true;
	if (s->recorded[0] != '/' || !may_be_source(s->recorded)) {
		if (s->problem.len)
			hd_buf_adds(&s->problem, "; ");
		if (s->recorded[0] != '/')
			hd_buf_adds(&s->problem, "its path is relative; name its folder with --source-prefix DIR");
		else
			hd_buf_adds(&s->problem,
				"it has no suffix of a source file; name its folder with --source-prefix DIR");
		return false;
	}
	return (s->q->symfs && try_path(s, s->q->symfs, s->recorded)) || try_path(s, "", s->recorded);
}

/* ---- text ---- */

/* Split `text` into lines, without their line ends (\n or \r\n). */
static void split(struct hd_annotation_file *f, const char *text, size_t n, struct hd_arena *arena)
{
	const char **lines;
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += text[i] == '\n';
	count += n && text[n - 1] != '\n';
	lines = hd_arena_alloc(arena, (count + 1) * sizeof(*lines));
	lines[0] = "";
	for (size_t i = 1, at = 0; i <= count; i++) {
		const char *end = memchr(text + at, '\n', n - at);
		size_t len = end ? (size_t)(end - text) - at : n - at;
		size_t shown = len && text[at + len - 1] == '\r' ? len - 1 : len;
		/* a line with a NUL byte is cut there; text files contain none */
		lines[i] = hd_arena_strndup(arena, text + at, strnlen(text + at, shown));
		at += len + 1;
	}
	f->text = lines;
	f->nlines = (uint32_t)count;
}

static void note_age(struct hd_annotation_file *f, int fd, int64_t object_mtime_ns)
{
	struct stat st;

	if (object_mtime_ns && fstat(fd, &st) == 0 && hd_file_mtime_ns(&st) > object_mtime_ns)
		f->problem = "it is newer than the object, so its lines may have moved";
}

void hd_source_text_read(struct hd_annotation_file *f, const struct hd_source_query *q, struct hd_arena *arena)
{
	struct search s = { .q = q, .fd = -1 };
	char *plain = f->path[0] == '/' ? hd_relative_path_join("/", f->path) : hd_strdup(f->path);
	struct hd_buf text = { 0 };
	struct hd_err err;

	s.recorded = plain ? plain : f->path;
	if (open_source(&s)) {
		f->read_from = hd_arena_strndup(arena, s.found.data, s.found.len);
		if (hd_file_slurp(s.fd, f->read_from, HD_SOURCE_TEXT_MAX, &text, &err) < 0) {
			f->problem = hd_arena_strndup(arena, err.msg, strlen(err.msg));
		} else {
			split(f, hd_buf_str(&text), text.len, arena);
			note_age(f, s.fd, q->object_mtime_ns);
		}
		close(s.fd);
	} else {
		f->problem = s.problem.len ? hd_arena_strndup(arena, s.problem.data, s.problem.len)
					   : "it is not on this machine; name its folder with --source-prefix DIR";
	}
	hd_buf_release(&text);
	hd_buf_release(&s.found);
	hd_buf_release(&s.problem);
	free(plain);
}
