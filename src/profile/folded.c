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

#include <stdlib.h>
#include <string.h>

#define LEAST_BYTES	(UINT64_C(32) << 20)
enum { BYTES_PER_BYTE = 96, WEIGHT_BYTES = 22 };	/* WEIGHT_BYTES: blank, 20 digits and newline after the stack */

/* Cached label stack of a profile stack, valid for one comm only. */
struct memo {
	uint32_t comm;			/* + 1 */
	uint32_t labels;
};

struct folder {
	const struct hd_profile *p;
	const struct hd_folded_opts *opts;
	struct hd_strtab *texts;	/* encoded names; ids are labels */
	uint32_t *of_frame, *of_comm;	/* label + 1; 0: not computed yet */
	struct memo *of_stack;
	struct hd_trie stacks;		/* over labels */
	uint64_t *sums;			/* by label stack */
	size_t nsums, sums_cap;
	uint64_t left;			/* bytes that may still be written */
	uint64_t written;		/* lines */
};

static uint32_t label(struct folder *fo, const struct hd_buf *text)
{
	return hd_strtab_addn(fo->texts, hd_buf_str(text), text->len) + 1;
}

static uint32_t frame_label(struct folder *fo, hd_frame_id id)
{
	const struct hd_profile *p = fo->p;
	const struct hd_frame *f = &p->frames[id.v];
	const struct hd_profile_symbol *s = &p->symbols[f->symbol];
	uint32_t name = fo->opts->full_names ? s->full : s->name;
	struct hd_buf b = { 0 };

	if (fo->of_frame[id.v])
		return fo->of_frame[id.v] - 1;
	if (s->unresolved)
		hd_buf_adds(&b, HD_UNKNOWN);
	else
		hd_enc_folded(&b, hd_profile_str(p, name), hd_strtab_len(p->names, name));
	if (fo->opts->annotate && s->kernel)
		hd_buf_adds(&b, "_[k]");
	else if (fo->opts->annotate && f->inlined)
		hd_buf_adds(&b, "_[i]");
	fo->of_frame[id.v] = label(fo, &b);
	hd_buf_release(&b);
	return fo->of_frame[id.v] - 1;
}

static uint32_t comm_label(struct folder *fo, uint32_t comm)
{
	struct hd_buf b = { 0 };

	if (!fo->of_comm[comm]) {
		hd_enc_folded(&b, hd_profile_str(fo->p, comm), hd_strtab_len(fo->p->names, comm));
		fo->of_comm[comm] = label(fo, &b);
		hd_buf_release(&b);
	}
	return fo->of_comm[comm] - 1;
}

/* Return the label stack of a profile stack under a comm.  The label stacks of its callers are cached. */
static uint32_t label_stack(struct folder *fo, hd_stack_id stack, uint32_t comm, uint32_t **path, size_t *cap)
{
	const struct hd_stack_node *nodes = hd_stacks_nodes(fo->p->stacks);
	uint32_t at = 0;
	size_t n = 0;

	*path = hd_grow(*path, nodes[stack.v].depth, cap, sizeof(**path));
	for (; stack.v && fo->of_stack[stack.v].comm != comm + 1; stack.v = nodes[stack.v].caller)
		(*path)[n++] = stack.v;
	if (stack.v)
		at = fo->of_stack[stack.v].labels;
	else if (fo->p->keys & HD_KEY_COMM)
		at = hd_trie_add(&fo->stacks, 0, comm_label(fo, comm));
	while (n-- > 0) {
		uint32_t id = (*path)[n];

		at = hd_trie_add(&fo->stacks, at, frame_label(fo, (hd_frame_id){ nodes[id].frame }));
		fo->of_stack[id] = (struct memo){ comm + 1, at };
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
		at = label_stack(fo, row->stack, row->comm, &path, &cap);
		if (at >= fo->nsums) {
			size_t want = fo->stacks.n ? fo->stacks.n : 1;

			fo->sums = hd_grow(fo->sums, want, &fo->sums_cap, sizeof(*fo->sums));
			memset(fo->sums + fo->nsums, 0, (want - fo->nsums) * sizeof(*fo->sums));
			fo->nsums = want;
		}
		fo->sums[at] += row->weight;
	}
	free(path);
}

/* ---- the walk ---- */

static int by_text(const void *va, const void *vb, void *vtexts)
{
	const struct hd_strtab *texts = vtexts;

	return strcmp(hd_strtab_get(texts, *(const uint32_t *)va), hd_strtab_get(texts, *(const uint32_t *)vb));
}

/* Return the index of each label in byte order of the texts.  The caller frees the array. */
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
 * Return the children of all label stacks.  Those of stack s are kids[first[s]] .. kids[first[s + 1] - 1], in byte
 * order of their texts.  The caller frees both arrays.
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

	if (stack >= fo->nsums || !fo->sums[stack] || fo->left < len + WEIGHT_BYTES)
		return;
	fo->left -= len + WEIGHT_BYTES;
	fo->written++;
	hd_buf_addc(line, ' ');
	hd_buf_addu(line, fo->sums[stack]);
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
		/* Neither this stack nor its extensions can be written. */
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
	fo.of_frame = hd_new_array(uint32_t, p->nframes);
	fo.of_comm = hd_new_array(uint32_t, hd_strtab_count(p->names));
	fo.of_stack = hd_new_array(struct memo, hd_stacks_count(p->stacks));
	sum_lines(&fo, event);
	walk(&fo, out);
	for (size_t i = 0; i < fo.nsums; i++)
		lines += fo.sums[i] != 0;
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
