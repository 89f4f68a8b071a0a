/*
 * flamegraph_diff.c - see flamegraph_diff.h
 */
#include "render/flamegraph_diff.h"

#include "base/encode.h"
#include "base/mem.h"
#include "render/flamegraph_options.h"
#include "render/palette.h"
#include "render/svg_text.h"
#include "render/unit_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Return a share in per cent. */
static double share_of(const struct hd_difference *d, uint32_t at, unsigned side)
{
	return d->weight[side] ? 100 * (double)d->nodes[at].total[side] / (double)d->weight[side] : 0;
}

/* ---- the tree ---- */

struct child {
	const struct hd_difference_name *name;
	uint32_t at;
};

static int by_name(const void *a, const void *b)
{
	const struct hd_difference_name *x = ((const struct child *)a)->name, *y = ((const struct child *)b)->name;
	int c = strcmp(x->name[HD_HEAD] ? x->name[HD_HEAD] : x->name[HD_BASE],
		y->name[HD_HEAD] ? y->name[HD_HEAD] : y->name[HD_BASE]);

	return c ? c : (x->flags > y->flags) - (x->flags < y->flags);
}

/* Convert a weight of the base to a weight of the head: the same share of the total, divided by d->scale. */
static uint64_t as_head(const struct hd_difference *d, uint64_t w)
{
	double part = d->weight[HD_BASE] ? (double)w / (double)d->weight[HD_BASE] : 0;

	return (uint64_t)(part / (d->scale > 0 ? d->scale : 1) * (double)d->weight[HD_HEAD] + 0.5);
}

/* Set drawn[i] of the nodes to draw: 1 for those of the head, 2 for those that only the base has, unless no_gone. */
static void choose_nodes(const struct hd_difference *d, const struct hd_call_tree *head, bool no_gone,
	unsigned char *drawn)
{
	for (size_t i = 0; i < head->n; i++)
		drawn[d->place[HD_HEAD][i]] = 1;
	for (size_t i = 1; i < d->nnodes; i++)
		if (!drawn[i] && d->nodes[i].total[HD_BASE] && !no_gone)
			drawn[i] = 2;
}

static void make_tree(struct hd_flamegraph_diff *b, const struct hd_call_tree *head, bool no_gone)
{
	const struct hd_difference *d = b->d;
	unsigned char *drawn = hd_zalloc(d->nnodes, 1);
	uint32_t *first = hd_new_array(uint32_t, d->nnodes + 2), *size = hd_new_array(uint32_t, d->nnodes);
	uint32_t *place = hd_new_array(uint32_t, d->nnodes);
	struct child *children = hd_new_array(struct child, d->nnodes + 1);
	struct hd_call_tree *t = hd_new(struct hd_call_tree);

	choose_nodes(d, head, no_gone, drawn);
	for (size_t i = d->nnodes; i-- > 0;) {		/* parents precede their children */
		if (!drawn[i])
			continue;
		size[i]++;
		if (i) {
			size[d->nodes[i].parent] += size[i];
			first[d->nodes[i].parent + 2]++;
		}
	}
	for (size_t i = 2; i < d->nnodes + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 1; i < d->nnodes; i++)
		if (drawn[i])
			children[first[d->nodes[i].parent + 1]++] =
				(struct child){ &d->names[d->nodes[i].name], (uint32_t)i };
	t->n = size[0];
	t->event = head->event;
	t->nodes = hd_new_array(struct hd_call_tree_node, t->n);
	b->at = hd_new_array(uint32_t, t->n);
	t->nodes[0] = head->nodes[0];
	t->nodes[0].end = (uint32_t)t->n;
	t->nodes[0].self = t->nodes[0].total_samples = t->nodes[0].self_samples = 0;
	for (size_t i = 0; i < d->nnodes; i++) {
		const struct hd_difference_node *n = &d->nodes[i];
		struct hd_call_tree_node *to = &t->nodes[place[i]];
		uint32_t next = place[i] + 1;

		if (!drawn[i])
			continue;
		b->at[place[i]] = (uint32_t)i;
		to->self = drawn[i] == 2 ? as_head(d, n->self[HD_BASE]) : n->self[HD_HEAD];
		if (i) {
			const struct hd_difference_name *name = &d->names[n->name];

			to->name = drawn[i] == 1 && name->name[HD_HEAD] ? name->name[HD_HEAD]
				: name->name[HD_BASE]                       ? name->name[HD_BASE]
									    : name->name[HD_HEAD];
			to->parent = place[n->parent];
			to->depth = n->depth;
			to->flags = name->flags & (HD_CALL_NODE_COMM | HD_CALL_NODE_UNKNOWN | HD_CALL_NODE_KERNEL);
			to->end = place[i] + size[i];
			if (n->depth > t->max_depth)
				t->max_depth = n->depth;
		}
		if (first[i + 1] > first[i] + 1)
			qsort(children + first[i], first[i + 1] - first[i], sizeof(*children), by_name);
		for (uint32_t k = first[i]; k < first[i + 1]; k++) {
			place[children[k].at] = next;
			next += size[children[k].at];
		}
	}
	for (size_t i = 0; i < head->n; i++) {
		struct hd_call_tree_node *to = &t->nodes[place[d->place[HD_HEAD][i]]];

		to->self_samples += head->nodes[i].self_samples;
		to->flags |= head->nodes[i].flags;
		if (i)
			to->name = head->nodes[i].name;
	}
	for (size_t i = 0; i < t->n; i++) {
		t->nodes[i].total = t->nodes[i].self;
		t->nodes[i].total_samples = t->nodes[i].self_samples;
	}
	for (size_t i = t->n - 1; i > 0; i--) {
		struct hd_call_tree_node *up = &t->nodes[t->nodes[i].parent];

		if (__builtin_add_overflow(up->total, t->nodes[i].total, &up->total))
			up->total = UINT64_MAX;
		up->total_samples += t->nodes[i].total_samples;
	}
	b->tree = t;
	free(drawn);
	free(first);
	free(size);
	free(place);
	free(children);
}

void hd_flamegraph_diff_init(struct hd_flamegraph_diff *b, const struct hd_flamegraph_base *base,
	const struct hd_call_tree *head)
{
	const struct hd_difference *d = base ? base->d : NULL;

	*b = (struct hd_flamegraph_diff){ .d = d };
	if (!d)
		return;
	b->negate = base->negate;
	for (uint32_t i = 1; i < d->nnodes; i++) {
		const struct hd_difference_node *n = &d->nodes[i];

		if (n->total[HD_HEAD]) {
			double points = fabs(share_of(d, i, HD_HEAD) * d->scale - share_of(d, i, HD_BASE));

			/*
			 * The significance test is expensive, so it is done only if this change would become the
			 * largest one.
			 */
			if (points > b->most) {
				struct hd_difference_row r = hd_difference_at(d, i);

				b->most = r.significant || isnan(r.p) ? points : b->most;
			}
		} else {
			b->gone_frames++;
			b->gone += d->weight[HD_BASE] ? (double)n->self[HD_BASE] / (double)d->weight[HD_BASE] * 100 : 0;
		}
	}
	make_tree(b, head, base->no_gone);
	b->drawn_gone = b->gone_frames && !base->no_gone;
}

void hd_flamegraph_diff_release(struct hd_flamegraph_diff *b)
{
	hd_call_tree_free(b->tree);
	free(b->at);
	*b = (struct hd_flamegraph_diff){ 0 };
}

/* ---- frames ---- */

uint64_t hd_flamegraph_diff_weight(const struct hd_flamegraph_diff *b, const struct hd_call_tree *t)
{
	return b->d ? b->d->weight[HD_HEAD] : t->nodes[0].total;
}

uint64_t hd_flamegraph_diff_total(const struct hd_flamegraph_diff *b, uint32_t node, uint64_t total)
{
	return b->d ? b->d->nodes[b->at[node]].total[HD_HEAD] : total;
}

bool hd_flamegraph_diff_class(const struct hd_flamegraph_diff *b, char class[4], uint32_t node)
{
	struct hd_difference_row r;
	bool known;

	if (!b->d)
		return false;
	if (node && !b->d->nodes[b->at[node]].total[HD_HEAD] && b->d->nodes[b->at[node]].total[HD_BASE]) {
		hd_palette_legend_class(class, HD_PALETTE_KIND_GONE);
		return true;
	}
	r = hd_difference_at(b->d, b->at[node]);
	known = b->d->samples[HD_BASE] > 0 && b->d->samples[HD_HEAD] > 0;
	hd_palette_change(class, b->negate ? -r.cost_points : r.cost_points, b->most, known && !r.significant);
	return true;
}

void hd_flamegraph_diff_text(struct hd_buf *out, const struct hd_flamegraph_diff *b, uint32_t node)
{
	const struct hd_difference *d = b->d;
	const struct hd_difference_name *name;
	double was, now;

	if (!d)
		return;
	was = share_of(d, b->at[node], HD_BASE);
	now = share_of(d, b->at[node], HD_HEAD);
	hd_buf_addf(out, ", base %.2f%%, %+.2f points", was, now - was);
	name = &d->names[d->nodes[b->at[node]].name];
	if (node && name->name[HD_BASE] && name->name[HD_HEAD] && strcmp(name->name[HD_BASE], name->name[HD_HEAD])) {
		hd_buf_adds(out, ", in the base ");
		hd_svg_name(out, name->name[HD_BASE]);
	} else if (node && !d->nodes[b->at[node]].total[HD_HEAD]) {
		hd_buf_adds(out, ", only in the base");
	} else if (node && !d->nodes[b->at[node]].total[HD_BASE]) {
		hd_buf_adds(out, ", new");
	}
}

void hd_flamegraph_diff_data(struct hd_buf *out, const struct hd_flamegraph_diff *b, uint32_t node)
{
	const struct hd_difference_node *n = &b->d->nodes[b->at[node]];

	hd_buf_addu(out, n->total[HD_HEAD]);
	hd_buf_addc(out, ',');
	hd_buf_addu(out, n->self[HD_HEAD]);
	hd_buf_addc(out, ',');
	hd_buf_addu(out, n->total[HD_BASE]);
	hd_buf_addc(out, ',');
	hd_buf_addu(out, n->self[HD_BASE]);
}

void hd_flamegraph_diff_note(struct hd_buf *out, const struct hd_flamegraph_diff *b)
{
	if (!b->d || !b->gone_frames)
		return;
	hd_buf_adds(out, "; of the base only: ");
	hd_unit_text_count(out, b->gone_frames);
	hd_buf_addf(out, " frame%s (%.2f%%)", b->gone_frames == 1 ? "" : "s", b->gone);
}
