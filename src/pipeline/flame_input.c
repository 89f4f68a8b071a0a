/*
 * flame_input.c - see flame_input.h
 */
#include "pipeline/flame_input.h"

#include "base/base64.h"
#include "base/file.h"
#include "base/gunzip.h"
#include "base/mem.h"
#include "pipeline/folded_input.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_FILE = 64 << 20, MAX_PLAIN = 256 << 20, MAX_FOLDED = 1 << 30, MAX_DEPTH = 1 << 17 };
#define MAGIC	"hotdrift.flame 1\n"
#define BEGIN	"<metadata class=\"hd-data\">"
#define REST	"[narrower frames]"

/* A position in the text; lines are separated by \n. */
struct lines {
	const char *at, *end;
};

/* The state while the embedded call tree is read: its labels, and the path from the root to the current node. */
struct tree {
	struct { const char *name; size_t len; char kind; } *labels;
	size_t nlabels;
	size_t *open;			/* labels from the root to the current node */
	size_t depth, open_cap;
	bool reversed;
	uint64_t all, rest;		/* weight of all nodes, and of the nodes `[narrower frames]` */
};

bool hd_flame_input_is(const char *head, size_t n)
{
	static const char mark[] = "class=\"hd-flame\"";
	size_t look = n < 65536 ? n : 65536;

	return n > 0 && head[0] == '<' && memmem(head, look, mark, sizeof(mark) - 1) != NULL;
}

static int damaged(const char *path, const char *what, struct hd_err *err)
{
	return hd_fail(err, HD_EFORMAT,
		"%s: the stacks in this flamegraph are damaged: %s; draw it again from the recording",
		path, what);
}

/* ---- bytes ---- */

/*
 * Decompress `packed` into `plain`.  The data goes through an unlinked temporary file, because hd_gunzip reads files.
 */
static int inflate_into(struct hd_buf *plain, const struct hd_buf *packed, const char *path, struct hd_err *err)
{
	int fd = hd_file_temporary(path, err), rc = fd;
	struct hd_gunzip *z;
	uint64_t offset;
	ssize_t n = 1;

	if (fd < 0)
		return fd;
	rc = hd_file_pwrite(fd, hd_buf_str(packed), packed->len, 0, path, err);
	z = hd_gunzip_new(fd, path);
	while (rc >= 0 && n > 0 && plain->len < MAX_PLAIN) {
		n = hd_gunzip_read(z, hd_buf_reserve(plain, 65536), 65536, err);
		if (n < 0)
			rc = (int)n;
		else
			plain->len += (size_t)n;
	}
	if (rc >= 0 && hd_gunzip_damage(z, &offset))
		rc = damaged(path, hd_gunzip_damage(z, &offset), err);
	if (rc >= 0 && n > 0)
		rc = damaged(path, "they are larger than 256 MiB", err);
	hd_gunzip_free(z);
	close(fd);
	return rc < 0 ? rc : 0;
}

/* ---- lines ---- */

static bool next_line(struct lines *l, const char **line, size_t *n)
{
	const char *nl = l->at < l->end ? memchr(l->at, '\n', (size_t)(l->end - l->at)) : NULL;

	if (!nl)
		return false;
	*line = l->at;
	*n = (size_t)(nl - l->at);
	l->at = nl + 1;
	return true;
}

/* Parse a decimal number of 64 bits at *at, and the blank after it unless `end` is there.  Returns false if invalid. */
static bool take_number(const char **at, const char *end, uint64_t *v)
{
	const char *from = *at;

	*v = 0;
	while (*at < end && **at >= '0' && **at <= '9') {
		if (__builtin_mul_overflow(*v, 10u, v) || __builtin_add_overflow(*v, (uint64_t)(**at - '0'), v))
			return false;
		++*at;
	}
	if (*at == from || (*at < end && **at != ' '))
		return false;
	*at += *at < end;
	return true;
}

/* Parse a line that consists of `word` and a number.  Returns false if the line has another form. */
static bool take_count(struct lines *l, const char *word, uint64_t *v)
{
	const char *line;
	size_t n, len = strlen(word);

	if (!next_line(l, &line, &n) || n <= len + 1 || memcmp(line, word, len) != 0 || line[len] != ' ')
		return false;
	line += len + 1;
	return take_number(&line, l->at - 1, v) && line == l->at - 1;
}

/* ---- the tree ---- */

static bool take_labels(struct tree *t, struct lines *l)
{
	uint64_t n;

	if (!take_count(l, "labels", &n) || n > (uint64_t)(l->end - l->at))
		return false;
	t->labels = hd_alloc((size_t)(n + 1) * sizeof(*t->labels));
	for (t->nlabels = 0; t->nlabels < n; t->nlabels++) {
		const char *line, *blank;
		size_t len;

		if (!next_line(l, &line, &len))
			return false;
		blank = memchr(line, ' ', len);
		if (!blank || blank == line)
			return false;
		t->labels[t->nlabels].kind = line[0];
		t->labels[t->nlabels].name = blank + 1;
		t->labels[t->nlabels].len = len - (size_t)(blank + 1 - line);
	}
	return true;
}

static bool skip_texts(struct lines *l)
{
	const char *line;
	uint64_t n;
	size_t len;

	if (!take_count(l, "texts", &n))
		return false;
	while (n-- > 0)
		if (!next_line(l, &line, &len))
			return false;
	return true;
}

static void add_frame(struct hd_buf *out, const struct tree *t, size_t label)
{
	static const char marks[] = "kij";
	char kind = t->labels[label].kind;

	hd_buf_add(out, t->labels[label].name, t->labels[label].len);
	if (strchr(marks, kind))
		hd_buf_addf(out, "_[%c]", kind);
}

/* Append the stack of the current node as a folded line.  The root, which is open[0], has no name. */
static void add_stack(struct hd_buf *out, const struct tree *t, uint64_t self)
{
	for (size_t i = 1; i < t->depth; i++) {
		if (i > 1)
			hd_buf_addc(out, ';');
		add_frame(out, t, t->open[t->reversed ? t->depth - i : i]);
	}
	hd_buf_addf(out, " %llu\n", (unsigned long long)self);
}

static const char *take_nodes(struct tree *t, struct lines *l, struct hd_buf *folded)
{
	uint64_t n, up, label, self;

	if (!take_count(l, "nodes", &n))
		return "the number of nodes is missing";
	for (uint64_t i = 0; i < n; i++) {
		const char *line, *end;
		size_t len;

		if (!next_line(l, &line, &len))
			return "nodes are missing";
		end = line + len;
		if (!take_number(&line, end, &up) || !take_number(&line, end, &label) ||
		    !take_number(&line, end, &self) || label >= t->nlabels || up > t->depth || (i && up == t->depth))
			return "a node is invalid";
		t->depth -= (size_t)up;
		if (t->depth >= MAX_DEPTH)
			return "the stacks are too deep";
		HD_GROW(t->open, t->depth + 1, t->open_cap);
		t->open[t->depth++] = (size_t)label;
		if (!self || t->depth < 2)
			continue;
		t->all += self;
		if (t->labels[label].len == strlen(REST) && !memcmp(t->labels[label].name, REST, strlen(REST)))
			t->rest += self;
		add_stack(folded, t, self);
		if (folded->len > MAX_FOLDED)
			return "their text is longer than 1 GiB";
	}
	return NULL;
}

/* Convert the decompressed call tree `plain` to folded text. */
static int unfold(struct hd_buf *folded, const struct hd_buf *plain, struct hd_profile *p, const char *path,
	struct hd_err *err)
{
	struct lines l = { hd_buf_str(plain), hd_buf_str(plain) + plain->len };
	struct tree t = { 0 };
	const char *problem = NULL;
	uint64_t reversed, comm;

	if (plain->len < strlen(MAGIC) || memcmp(plain->data, MAGIC, strlen(MAGIC)) != 0)
		return hd_fail(err, HD_EFORMAT,
			"%s: the stacks in this flamegraph have another version; use the hotdrift that wrote it", path);
	l.at += strlen(MAGIC);
	if (!take_count(&l, "reversed", &reversed) || !take_count(&l, "comm", &comm) || !take_labels(&t, &l) ||
	    !skip_texts(&l))
		problem = "the list of names is incomplete";
	t.reversed = reversed == 1;
	if (!problem)
		problem = take_nodes(&t, &l, folded);
	if (!problem && t.rest)
		hd_warn(&p->log, "lost.flame-rest", "read the recording for all stacks",
			"%s: %.2f %% of the weight are stacks that were summed up as " REST " to keep the file small",
			path, t.all ? (double)t.rest / (double)t.all * 100 : 0);
	free(t.labels);
	free(t.open);
	return problem ? damaged(path, problem, err) : 0;
}

int hd_flame_input_read(struct hd_profile *p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err)
{
	struct hd_buf text = { 0 }, packed = { 0 }, plain = { 0 }, folded = { 0 };
	const char *from, *to;
	int rc = hd_file_slurp(fd, path, MAX_FILE, &text, err), copy = -1;

	if (rc < 0)
		goto out;
	from = memmem(hd_buf_str(&text), text.len, BEGIN, strlen(BEGIN));
	to = from ? memchr(from + strlen(BEGIN), '<', text.len - (size_t)(from + strlen(BEGIN) - text.data)) : NULL;
	if (!to) {
		rc = hd_fail(err, HD_EFORMAT,
			"%s: this flamegraph has no stacks to read; flamegraphs of 'hotdrift flame' have them", path);
		goto out;
	}
	from += strlen(BEGIN);
	rc = hd_base64_decode(&packed, from, (size_t)(to - from)) ? 0 : damaged(path, "they are not base64", err);
	if (rc >= 0)
		rc = inflate_into(&plain, &packed, path, err);
	if (rc >= 0)
		rc = unfold(&folded, &plain, p, path, err);
	if (rc >= 0)
		copy = rc = hd_file_temporary(path, err);
	if (rc >= 0)
		rc = hd_file_pwrite(copy, hd_buf_str(&folded), folded.len, 0, path, err);
	if (rc >= 0)
		rc = hd_folded_input_read(p, copy, path, opts, err);
out:
	if (copy >= 0)
		close(copy);
	hd_buf_release(&text);
	hd_buf_release(&packed);
	hd_buf_release(&plain);
	hd_buf_release(&folded);
	return rc;
}
