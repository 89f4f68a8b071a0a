/* history_page_trees.c - the call trees in the data of the page; see history_page.h */
#include "web/history_page.h"
#include "web/history_page_builder.h"

#include "base/mem.h"
#include "render/palette.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Nodes with less than 1/SMALLEST of the root's weight are dropped.  See least_weight() for trees with too many nodes.
 */
enum { SMALLEST = 20000 };

static uint32_t frame_of(struct hd_history_page *h, const struct hd_call_tree_node *n)
{
	enum hd_palette_kind kind = hd_palette_kind_of(n->flags);
	uint32_t text = hd_history_page_text(h, n->name), at;
	uint64_t key = (uint64_t)text << 8 | (uint64_t)kind;

	at = hd_map_get(&h->frame_of, key);
	if (at != HD_MAP_NONE)
		return at;
	at = (uint32_t)h->nframes;
	HD_GROW(h->frames, h->nframes + 1, h->frames_cap);
	h->frames[h->nframes].text = text;
	hd_palette_class(h->frames[h->nframes].class, kind, n->name);
	h->nframes++;
	hd_map_put(&h->frame_of, key, at);
	return at;
}

/*
 * Return a limit of weight: at most HD_HISTORY_PAGE_NODES nodes have at least this weight.  Nodes below the limit are
 * dropped.  A parent never weighs less than its child, so the parents of the remaining nodes remain, too.
 */
static uint64_t least_weight(const struct hd_call_tree *t)
{
	uint64_t least = t->nodes[0].total / SMALLEST;

	for (;; least = least ? least * 2 : 1) {
		size_t kept = 0;

		for (size_t i = 0; i < t->n; i++)
			kept += t->nodes[i].total >= least;
		if (kept <= HD_HISTORY_PAGE_NODES || least > t->nodes[0].total)
			return least;
	}
}

bool hd_history_page_add_tree(struct hd_history_page *h, uint32_t lane, uint32_t slot, const struct hd_call_tree *t)
{
	uint64_t least = least_weight(t), cut = 0;
	bool first = true;

	if (h->trees.len > HD_HISTORY_PAGE_TREE_BYTES) {
		h->trees_left_out++;
		return false;
	}
	hd_buf_addf(&h->trees, "%s\n{\"lane\":%u,\"slot\":%u,\"f\":[", h->trees.len ? "," : "", lane, slot);
	for (size_t i = 0; i < t->n; i++) {
		const struct hd_call_tree_node *n = &t->nodes[i];

		if (n->total < least && i > 0) {
			cut++;
			continue;
		}
		if (!first)
			hd_buf_addc(&h->trees, ',');
		first = false;
		hd_buf_addu(&h->trees, frame_of(h, n));
		hd_buf_addc(&h->trees, ',');
		hd_buf_addu(&h->trees, n->depth);
		hd_buf_addc(&h->trees, ',');
		hd_buf_addu(&h->trees, n->total);
		hd_buf_addc(&h->trees, ',');
		hd_buf_addu(&h->trees, n->self);
	}
	hd_buf_addf(&h->trees, "],\"cut\":%" PRIu64 "}", cut);
	return true;
}

void hd_history_page_frames(struct hd_history_page *h, struct hd_buf *out)
{
	hd_buf_adds(out, ",\"frames\":[");
	for (size_t i = 0; i < h->nframes; i++)
		hd_buf_addf(out, "%s[%u,\"%s\"]", i ? "," : "", h->frames[i].text, h->frames[i].class);
	hd_buf_addc(out, ']');
}
