/*
 * flame_data.c - see flame_data.h
 */
#include "render/flame_data.h"

#include "base/base64.h"
#include "base/encode.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "render/gzip.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 120000 };

struct writer {
	const struct hd_profile *p;
	const struct hd_call_tree *t;
	const struct hd_flame_data_opts *o;
	uint64_t least;			/* limit of weight: lighter subtrees are dropped */
	/* texts `CLASS NAME` of the labels; the label with id i is number i - 1 in the file */
	struct hd_strtab *labels;
	struct hd_strtab *texts;
	struct hd_buf nodes, name;
	size_t n;
	/* indexed by depth: weight and samples of the dropped children of the current node of that depth */
	uint64_t *rest, *rest_samples;
	uint32_t depth;			/* depth of the last node that was written */
};

static uint32_t label(struct writer *w, const char *class, const char *name, bool pseudo)
{
	hd_buf_reset(&w->name);
	hd_buf_adds(&w->name, class);
	hd_buf_addc(&w->name, ' ');
	if (pseudo)
		hd_buf_adds(&w->name, name);
	else
		hd_enc_folded(&w->name, name, strlen(name));
	return hd_strtab_addn(w->labels, w->name.data, w->name.len) - 1;
}

static uint32_t text(struct writer *w, uint32_t name)
{
	const char *s = hd_profile_str(w->p, name);

	if (!*s)
		return 0;
	hd_buf_reset(&w->name);
	hd_enc_visible(&w->name, s, strlen(s));
	return hd_strtab_addn(w->texts, hd_buf_str(&w->name), w->name.len);
}

static void add_number(struct writer *w, uint64_t v)
{
	hd_buf_addc(&w->nodes, ' ');
	hd_buf_addu(&w->nodes, v);
}

static void begin_node(struct writer *w, uint32_t depth, uint32_t name, uint64_t self, uint64_t samples)
{
	hd_buf_addu(&w->nodes, w->n ? w->depth + 1 - depth : 0);
	add_number(w, name);
	add_number(w, self);
	if (samples != self)
		add_number(w, samples);
	w->depth = depth;
	w->n++;
}

static void add_place(struct writer *w, uint32_t node, bool with_samples)
{
	const struct hd_call_tree_place *at = w->t->places ? &w->t->places[node] : NULL;
	uint32_t object = at ? text(w, w->p->objects[at->object].name) : 0, file = at ? text(w, at->file) : 0;

	if (!object && !file)
		return;
	if (!with_samples)
		add_number(w, w->t->nodes[node].self);
	add_number(w, object);
	if (file) {
		add_number(w, file);
		add_number(w, at->first_line);
		add_number(w, at->last_line);
	}
}

/*
 * End the open nodes whose depth is between `depth` and `from`, the deepest one first.  If subtrees of a node were
 * dropped, write one more child of it, HD_FLAME_DATA_REST, with their sum.
 */
static void close_to(struct writer *w, uint32_t from, uint32_t depth)
{
	for (uint32_t d = from + 1; d-- > depth;) {
		if (!w->rest[d])
			continue;
		begin_node(w, d + 1, label(w, "n0", HD_FLAME_DATA_REST, true), w->rest[d], w->rest_samples[d]);
		hd_buf_addc(&w->nodes, '\n');
		w->rest[d] = w->rest_samples[d] = 0;
	}
}

static void write_nodes(struct writer *w)
{
	const struct hd_call_tree *t = w->t;
	uint32_t open = 0;		/* depth of the innermost node that can still get children */

	for (uint32_t i = 0; i < t->n;) {
		const struct hd_call_tree_node *n = &t->nodes[i];
		char class[12];

		if (i && n->total < w->least) {
			close_to(w, open, n->depth);
			open = n->depth - 1;
			w->rest[n->depth - 1] += n->total;
			w->rest_samples[n->depth - 1] += n->total_samples;
			i = n->end;
			continue;
		}
		close_to(w, open, n->depth);
		w->o->class_of(w->o->context, class, i);
		begin_node(w, n->depth, label(w, class, n->name, n->flags & HD_CALL_NODE_UNKNOWN), n->self,
			n->self_samples);
		add_place(w, i, n->self_samples != n->self);
		hd_buf_addc(&w->nodes, '\n');
		open = n->depth;
		i++;
	}
	close_to(w, open, 0);
}

/*
 * If the tree has more than MAX_NODES nodes, nodes below a limit of weight are dropped.  Limits are tried in a rising
 * sequence until at most MAX_NODES nodes remain.  first_least() returns the first limit, next_least() the one after
 * `least`.
 */
static uint64_t first_least(uint64_t total)
{
	return total / (8 * (uint64_t)MAX_NODES) + 1;
}

static uint64_t next_least(uint64_t least)
{
	return least + least / 4 + 1;
}

static size_t count_from(const uint64_t *totals, size_t n, uint64_t least)
{
	size_t heavy = 0;

	for (size_t i = 0; i < n; i++)
		heavy += totals[i] >= least;
	return heavy;
}

uint64_t hd_flame_data_least(const uint64_t *totals, size_t n)
{
	uint64_t least = first_least(totals[0]), *heavy;
	size_t nheavy = count_from(totals, n, least), k = 0;

	if (n <= MAX_NODES)
		return 0;
	heavy = hd_new_array(uint64_t, nheavy);
	for (size_t i = 0; i < n; i++)
		if (totals[i] >= least)
			heavy[k++] = totals[i];
	while (count_from(heavy, nheavy, least) > MAX_NODES)
		least = next_least(least);
	free(heavy);
	return least;
}

/* Count the nodes that are not in a subtree lighter than `least`. */
static size_t count(const struct hd_call_tree *t, uint64_t least)
{
	size_t n = 0;

	for (uint32_t i = 0; i < t->n;) {
		bool kept = !i || t->nodes[i].total >= least;

		n += kept;
		i = kept ? i + 1 : t->nodes[i].end;
	}
	return n;
}

static void add_strings(struct hd_buf *out, const char *what, const struct hd_strtab *names)
{
	uint32_t n = hd_strtab_count(names);	/* id 0 is "" */

	hd_buf_addf(out, "%s %u\n", what, n - 1);
	for (uint32_t i = 1; i < n; i++) {
		hd_buf_add(out, hd_strtab_get(names, i), hd_strtab_len(names, i));
		hd_buf_addc(out, '\n');
	}
}

/* Append the compressed tree without the subtrees lighter than `least`. */
static void pack(struct hd_buf *out, struct writer *w)
{
	struct hd_buf plain = { 0 };

	w->labels = hd_strtab_new();
	w->texts = hd_strtab_new();
	w->n = w->depth = 0;
	hd_buf_reset(&w->nodes);
	write_nodes(w);
	hd_buf_addf(&plain, HD_FLAME_DATA_MAGIC "reversed %d\ncomm %d\n", w->o->reversed, w->o->comm);
	add_strings(&plain, "labels", w->labels);
	add_strings(&plain, "texts", w->texts);
	hd_buf_addf(&plain, "nodes %zu\n", w->n);
	hd_buf_add(&plain, hd_buf_str(&w->nodes), w->nodes.len);
	hd_gzip(out, plain.data, plain.len);
	hd_buf_release(&plain);
	hd_strtab_free(w->labels);
	hd_strtab_free(w->texts);
}

void hd_flame_data_add(struct hd_buf *out, const struct hd_profile *p, const struct hd_call_tree *t,
	const struct hd_flame_data_opts *o)
{
	struct writer w = { .p = p, .t = t, .o = o, .least = 0 };
	struct hd_buf packed = { 0 };

	w.rest = hd_new_array(uint64_t, (size_t)t->max_depth + 2);
	w.rest_samples = hd_new_array(uint64_t, (size_t)t->max_depth + 2);
	if (t->n + t->nodes[0].omitted > MAX_NODES)
		w.least = first_least(t->nodes[0].total);
	while (w.least && (w.least < t->least || count(t, w.least) > MAX_NODES))
		w.least = next_least(w.least);
	pack(&packed, &w);
	while (packed.len / 3 * 4 > HD_FLAME_DATA_BYTES && w.least < t->nodes[0].total) {
		uint64_t step = packed.len / (HD_FLAME_DATA_BYTES / 4 * 3) + 1;

		w.least = w.least ? w.least * step : t->nodes[0].total / MAX_NODES + 1;
		hd_buf_reset(&packed);
		pack(&packed, &w);
	}
	hd_buf_adds(out, "<metadata class=\"hd-data\">");
	hd_base64_add(out, hd_buf_str(&packed), packed.len);
	hd_buf_adds(out, "</metadata>\n");
	hd_buf_release(&packed);
	hd_buf_release(&w.nodes);
	hd_buf_release(&w.name);
	free(w.rest);
	free(w.rest_samples);
}
