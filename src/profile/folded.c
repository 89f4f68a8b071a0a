/*
 * folded.c - see folded.h
 *
 * Stacks that differ in addresses or symbols can have the same text.  Therefore each name is encoded once, equal
 * encoded texts become one label, and the stacks are interned again as stacks of labels, so that equal lines have
 * equal ids.  walk() then visits the tree of label stacks depth first, with children in byte order.  Only the current
 * line is in memory.
 */
#include "profile/folded.h"

#include "base/encode.h"
#include "base/mem.h"
#include "base/trie.h"
#include "profile/tidy_name.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_BYTES	(UINT64_C(32) << 20)
enum { BYTES_PER_BYTE = 96, WEIGHT_BYTES = 22 };	/* WEIGHT_BYTES: blank, 20 digits and newline after the stack */

/* The cached label stack of a profile stack.  It is valid only for output lines that begin with the frame `root`. */
struct memo {
	uint32_t root;			/* label of the first frame, plus 1 */
	uint32_t labels;
};

struct folder {
	const struct hd_profile *p;
	const struct hd_folded_opts *opts;
	struct hd_strtab *texts;	/* encoded names; ids are labels */
	/*
	 * Cached labels of frames, plus 1; 0: not computed yet.  The index is 2 * frame, or 2 * frame + 1 in a stack
	 * whose first frame is `java`.
	 */
	uint32_t *of_frame;
	uint32_t *of_comm;		/* cached labels of thread names, plus 1; 0: not computed yet */
	struct memo *of_stack;
	struct hd_trie stacks;		/* the label stacks: (caller's label stack, label) -> label stack */
	struct sums {
		uint64_t weight, samples;
	} *sums;			/* indexed by label stack */
	size_t nsums, sums_cap;
	uint64_t left;			/* bytes that may still be written */
	uint64_t written;		/* number of lines written */
};

static uint32_t label(struct folder *fo, const struct hd_buf *text)
{
	return hd_strtab_addn(fo->texts, hd_buf_str(text), text->len) + 1;
}

/* Append the annotation of a frame: _[k], _[i] or _[j] (hd_folded_opts.annotate). */
static void add_mark(struct hd_buf *b, const struct folder *fo, const struct hd_frame *f, const char *object)
{
	const struct hd_folded_opts *o = fo->opts;

	if (fo->p->symbols[f->symbol].kernel || (o->tidy && hd_object_is_bracketed(object))) {
		if (o->annotate || o->annotate_kernel)
			hd_buf_adds(b, "_[k]");
	} else if (f->inlined) {
		if (o->annotate || o->annotate_inlined)
			hd_buf_adds(b, "_[i]");
	} else if ((o->annotate || o->annotate_jit) && hd_object_is_jit(object)) {
		hd_buf_adds(b, "_[j]");
	}
}

/*
 * Append an encoded name with the plain backslashes that other programs write (`RegExp:\bFoo`).  A backslash stays
 * double where it would begin \x or \u.
 */
static void add_plain_backslashes(struct hd_buf *b, const struct hd_buf *encoded)
{
	const char *s = hd_buf_str(encoded);

	for (size_t i = 0; i < encoded->len; i++) {
		if (s[i] == '\\' && s[i + 1] == '\\' && s[i + 2] != 'x' && s[i + 2] != 'u')
			i++;
		hd_buf_addc(b, s[i]);
	}
}

/* Append the name of a frame as raw bytes; the caller encodes it. */
static void add_name(struct hd_buf *b, const struct folder *fo, const struct hd_profile_symbol *s, const char *object,
	bool java)
{
	uint32_t name = fo->opts->full_names ? s->full : s->name;
	struct hd_tidy_frame tidy = { .object = object, .java = java };

	if (!s->unresolved) {
		tidy.name = hd_profile_str(fo->p, name);
		tidy.n = hd_strtab_len(fo->p->names, name);
	}
	if (fo->opts->tidy)
		hd_tidy_name(b, &tidy);
	else
		hd_buf_add(b, tidy.name, tidy.n);
}

static void add_address(struct hd_buf *b, const struct hd_profile_symbol *s, const char *object)
{
	const char *file = strrchr(object, '/');

	hd_buf_addf(b, "[%s <%llx>]", !strcmp(object, HD_UNKNOWN) ? "unknown" : file ? file + 1 : object,
		(unsigned long long)s->start);
}

/* Return the label of a frame.  java: the first frame of the line is `java`. */
static uint32_t frame_label(struct folder *fo, hd_frame_id id, bool java)
{
	const struct hd_profile *p = fo->p;
	const struct hd_frame *f = &p->frames[id.v];
	const struct hd_profile_symbol *s = &p->symbols[f->symbol];
	const char *object = hd_profile_str(p, p->objects[s->object].name);
	uint32_t *known = &fo->of_frame[2 * (size_t)id.v + java];
	struct hd_buf name = { 0 }, encoded = { 0 }, b = { 0 };

	if (*known)
		return *known - 1;
	if (s->unresolved && fo->opts->addresses)
		add_address(&name, s, object);
	else if (!s->unresolved || fo->opts->tidy)
		add_name(&name, fo, s, object, java);
	if (fo->opts->source && f->line)
		hd_buf_addf(&name, ":%s:%u", hd_profile_str(p, f->file), f->line);
	if (s->unresolved && (!name.len || !strcmp(hd_buf_str(&name), HD_UNKNOWN)))
		hd_buf_adds(&b, HD_UNKNOWN);
	else
		hd_enc_folded(&encoded, hd_buf_str(&name), name.len);
	if (fo->opts->tidy)
		add_plain_backslashes(&b, &encoded);
	else
		hd_buf_add(&b, hd_buf_str(&encoded), encoded.len);
	hd_buf_release(&encoded);
	add_mark(&b, fo, f, object);
	*known = label(fo, &b);
	hd_buf_release(&name);
	hd_buf_release(&b);
	return *known - 1;
}

/* Return the label of the first frame of a row: comm, comm-PID or comm-PID/TID. */
static uint32_t process_label(struct folder *fo, const struct hd_sample_row *row)
{
	int how = fo->opts->process;
	uint32_t *known = how == HD_FOLDED_COMM ? &fo->of_comm[row->comm] : NULL;
	struct hd_buf name = { 0 }, b = { 0 };
	uint32_t l;

	if (known && *known)
		return *known - 1;
	hd_buf_add(&name, hd_profile_str(fo->p, row->comm), hd_strtab_len(fo->p->names, row->comm));
	for (size_t i = 0; fo->opts->tidy && i < name.len; i++)
		if (name.data[i] == ' ')
			name.data[i] = '_';
	if (how != HD_FOLDED_COMM && row->pid < 0)
		hd_buf_adds(&name, "-?");
	else if (how != HD_FOLDED_COMM)
		hd_buf_addf(&name, "-%d", row->pid);
	if (how == HD_FOLDED_TID)
		hd_buf_addf(&name, "/%d", row->tid);
	hd_enc_folded(&b, hd_buf_str(&name), name.len);
	l = label(fo, &b);
	if (known)
		*known = l;
	hd_buf_release(&name);
	hd_buf_release(&b);
	return l - 1;
}

/* Return the label stack of a row.  The label stacks of its callers are cached. */
static uint32_t label_stack(struct folder *fo, const struct hd_sample_row *row, uint32_t **path, size_t *cap)
{
	const struct hd_stack_node *nodes = hd_stacks_nodes(fo->p->stacks);
	bool by_comm = fo->p->keys & HD_KEY_COMM;
	uint32_t root = by_comm ? process_label(fo, row) : 0, at = 0, stack = row->stack.v;
	bool java = by_comm && fo->opts->tidy && !strcmp(hd_strtab_get(fo->texts, root), "java");
	size_t n = 0;

	*path = hd_grow(*path, nodes[stack].depth, cap, sizeof(**path));
	for (; stack && fo->of_stack[stack].root != root + 1; stack = nodes[stack].caller)
		(*path)[n++] = stack;
	if (stack)
		at = fo->of_stack[stack].labels;
	else if (by_comm)
		at = hd_trie_add(&fo->stacks, 0, root);
	while (n-- > 0) {
		uint32_t id = (*path)[n], frame = frame_label(fo, (hd_frame_id){ nodes[id].frame }, java);

		if (!fo->opts->merge_recursion || !at || fo->stacks.nodes[at].label != frame)
			at = hd_trie_add(&fo->stacks, at, frame);
		fo->of_stack[id] = (struct memo){ root + 1, at };
	}
	return at;
}

static void sum_lines(struct folder *fo, uint32_t event)
{
	uint32_t *path = NULL;
	size_t cap = 0;

	for (size_t i = 0; i < fo->p->rows.n; i++) {
		const struct hd_sample_row *row = &fo->p->rows.items[i];
		uint32_t at;

		if (row->event != event)
			continue;
		at = label_stack(fo, row, &path, &cap);
		if (at >= fo->nsums) {
			size_t want = fo->stacks.n ? fo->stacks.n : 1;

			fo->sums = hd_grow(fo->sums, want, &fo->sums_cap, sizeof(*fo->sums));
			memset(fo->sums + fo->nsums, 0, (want - fo->nsums) * sizeof(*fo->sums));
			fo->nsums = want;
		}
		fo->sums[at].weight += row->weight;
		fo->sums[at].samples += row->count;
	}
	free(path);
}

/* ---- the walk ---- */

static int by_text(const void *va, const void *vb, void *vtexts)
{
	const struct hd_strtab *texts = vtexts;

	return strcmp(hd_strtab_get(texts, *(const uint32_t *)va), hd_strtab_get(texts, *(const uint32_t *)vb));
}

/* Return an array, indexed by label: the position of the label in byte order of the texts.  The caller frees it. */
static uint32_t *rank_labels(const struct folder *fo)
{
	uint32_t n = hd_strtab_count(fo->texts);
	uint32_t *order = hd_new_array(uint32_t, n), *rank = hd_new_array(uint32_t, n);

	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), by_text, fo->texts);
	for (uint32_t i = 0; i < n; i++)
		rank[order[i]] = i;
	free(order);
	return rank;
}

struct child {
	uint32_t rank;
	uint32_t stack;
};

static int by_rank(const void *va, const void *vb)
{
	const struct child *a = va, *b = vb;

	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/*
 * Sort the label stacks by their callers: the children of label stack s become kids[first[s]] .. kids[first[s + 1] -
 * 1], in byte order of their texts.  The caller frees both arrays.
 */
static struct child *sort_children(const struct folder *fo, uint32_t **first_out)
{
	const struct hd_trie_node *nodes = fo->stacks.nodes;
	uint32_t n = (uint32_t)fo->stacks.n, place = 0;
	uint32_t *first = hd_new_array(uint32_t, (size_t)n + 2), *rank = rank_labels(fo);
	struct child *kids = hd_new_array(struct child, n);

	for (uint32_t s = 0; s < n; s++) {
		first[s] = place;
		for (uint32_t c = nodes[s].child; c; c = nodes[c].next)
			kids[place++] = (struct child){ rank[nodes[c].label], c };
		if (place - first[s] > 1)
			qsort(kids + first[s], place - first[s], sizeof(*kids), by_rank);
	}
	first[n] = place;
	free(rank);
	*first_out = first;
	return kids;
}

struct level {
	uint32_t next, end;	/* children still to visit */
	size_t len;		/* length of the line up to this level */
};

static void write_line(struct folder *fo, struct hd_outfile *out, struct hd_buf *line, uint32_t stack)
{
	size_t len = line->len;

	if (stack >= fo->nsums || !fo->sums[stack].weight || fo->left < len + WEIGHT_BYTES)
		return;
	fo->left -= len + WEIGHT_BYTES;
	fo->written++;
	if (fo->opts->counts) {
		hd_buf_addc(line, ' ');
		hd_buf_addu(line, fo->sums[stack].samples);
	}
	hd_buf_addc(line, ' ');
	hd_buf_addu(line, fo->sums[stack].weight);
	hd_buf_addc(line, '\n');
	hd_outfile_add(out, line->data, line->len);
	line->len = len;
}

static void walk(struct folder *fo, struct hd_outfile *out)
{
	uint32_t *first;
	struct child *kids = sort_children(fo, &first);
	struct level *levels = NULL;
	struct hd_buf line = { 0 };
	size_t depth = 0, cap = 0;

	HD_GROW(levels, 1, cap);
	levels[0] = (struct level){ first[0], first[1], 0 };
	for (;;) {
		struct level *at = &levels[depth];
		uint32_t stack, text;

		line.len = at->len;
		if (at->next == at->end) {
			if (!depth--)
				break;
			continue;
		}
		stack = kids[at->next++].stack;
		text = fo->stacks.nodes[stack].label;
		if (depth)
			hd_buf_addc(&line, ';');
		/* The line is too long, or too much was written: omit this stack and all stacks that extend it. */
		if (line.len + hd_strtab_len(fo->texts, text) > (fo->left < HD_FOLDED_LINE ? fo->left : HD_FOLDED_LINE))
			continue;
		hd_buf_add(&line, hd_strtab_get(fo->texts, text), hd_strtab_len(fo->texts, text));
		write_line(fo, out, &line, stack);
		depth++;
		HD_GROW(levels, depth + 1, cap);
		levels[depth] = (struct level){ first[stack], first[stack + 1], line.len };
	}
	hd_buf_release(&line);
	free(levels);
	free(kids);
	free(first);
}

uint64_t hd_folded_most(const struct hd_profile *p)
{
	uint64_t bytes = p->recording.bytes;

	return bytes < (UINT64_MAX - LEAST_BYTES) / BYTES_PER_BYTE ? LEAST_BYTES + BYTES_PER_BYTE * bytes : UINT64_MAX;
}

uint64_t hd_folded_write(struct hd_outfile *out, const struct hd_profile *p, uint32_t event,
	const struct hd_folded_opts *opts)
{
	struct folder fo = { .p = p, .opts = opts, .left = opts->most_bytes ? opts->most_bytes : hd_folded_most(p) };
	uint64_t lines = 0;

	fo.texts = hd_strtab_new();
	fo.of_frame = hd_new_array(uint32_t, 2 * p->nframes);
	fo.of_comm = hd_new_array(uint32_t, hd_strtab_count(p->names));
	fo.of_stack = hd_new_array(struct memo, hd_stacks_count(p->stacks));
	sum_lines(&fo, event);
	walk(&fo, out);
	for (size_t i = 1; i < fo.nsums; i++)	/* 0 is the empty stack, which has no line */
		lines += fo.sums[i].weight != 0;
	hd_strtab_free(fo.texts);
	hd_trie_release(&fo.stacks);
	free(fo.of_frame);
	free(fo.of_comm);
	free(fo.of_stack);
	free(fo.sums);
	return lines - fo.written;
}

void hd_folded_warn_omitted(struct hd_log *log, const struct hd_profile *p, uint64_t stacks)
{
	if (stacks)
		hd_warn_n(log, "lost.folded-text", stacks, "select a part: --comm, --dso or --time",
			"%s: stacks are missing in the folded text, which reached its limit for an input of %llu bytes",
			p->recording.path, (unsigned long long)p->recording.bytes);
}
