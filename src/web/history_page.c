/*
 * history_page.c - the page: see history_page.h
 */
#include "web/history_page_builder.h"

#include "base/assets.h"
#include "base/encode.h"
#include "base/mem.h"
#include "web/page.h"
#include "render/flamegraph.h"

#include <stdlib.h>
#include <string.h>

/* Ours, in the order in which they need each other. */
static const char *const scripts[] = {
	"page_data.js", "page_text.js", "page_theme.js", "page_state.js", "page_bins.js", "page_chart.js",
	"page_panels.js", "page_pointer.js",
	"page_symbols.js", "page_changes.js", "page_top.js", "page_tree.js", "page_flame.js", "page_flame_keys.js",
	"page_help.js",
	"page_main.js",
};

struct hd_history_page *hd_history_page_new(const struct hd_overview *c)
{
	struct hd_history_page *h = hd_new(struct hd_history_page);

	h->c = c;
	h->texts = hd_strtab_new();
	return h;
}

void hd_history_page_free(struct hd_history_page *h)
{
	if (!h)
		return;
	hd_strtab_free(h->texts);
	free(h->frames);
	hd_map_release(&h->frame_of);
	hd_buf_release(&h->trees);
	free(h);
}

bool hd_history_page_has_charts(void)
{
	return hd_asset_find("dygraph.min.js") != NULL;
}

/* ---- pieces ---- */

static void add_entities(struct hd_buf *out, const char *name)
{
	const struct hd_asset *a = hd_asset_find(name);

	for (size_t i = 0; a && i < a->len; i++)
		switch (a->data[i]) {
		case '<': hd_buf_adds(out, "&lt;"); break;
		case '>': hd_buf_adds(out, "&gt;"); break;
		case '&': hd_buf_adds(out, "&amp;"); break;
		default: hd_buf_addc(out, a->data[i]);
		}
}

/* ---- the page ---- */

struct pieces {
	struct hd_buf css, data, library, script, policy, title, licence;
};

static void make_pieces(struct pieces *p, struct hd_history_page *h, const char *title)
{
	hd_enc_xml(&p->title, title, strlen(title));
	hd_flamegraph_css(&p->css);
	hd_asset_add(&p->css, "dygraph.min.css");
	hd_asset_add(&p->css, "page.css");
	hd_history_page_json(h, &p->data, title);
	hd_asset_add(&p->library, "dygraph.min.js");
	hd_buf_adds(&p->script, "(() => {\n'use strict';\n");
	for (size_t i = 0; i < HD_COUNT(scripts); i++)
		hd_asset_add(&p->script, scripts[i]);
	hd_buf_adds(&p->script, "})();\n");
	if (p->library.len)
		hd_page_hash(&p->policy, &p->library);
	hd_page_hash(&p->policy, &p->script);
	add_entities(&p->licence, "dygraph.copyright");
}

void hd_history_page_write(struct hd_history_page *h, struct hd_outfile *out, const char *title,
	struct hd_history_page_sizes *sizes)
{
	struct pieces p = { 0 };
	const struct hd_page_piece pieces[] = {
		{ "policy", HD_PAGE_POLICY, &p.policy, "\">\n" },
		{ "title", "<title>", &p.title, "</title>\n" },
		{ "css", "<style>\n", &p.css, "</style>\n" },
		{ "data", "<script type=\"application/json\" id=\"data\">\n", &p.data, "</script>\n" },
		{ "library", "<script>", &p.library, "</script>\n" },
		{ "script", "<script>", &p.script, "</script>\n" },
		{ "licence", "", &p.licence, "" },
	};
	uint64_t before = out->written + out->pending.len;

	make_pieces(&p, h, title);
	hd_page_write(out, "page.html", pieces, HD_COUNT(pieces));
	*sizes = (struct hd_history_page_sizes){ out->written + out->pending.len - before, p.data.len, h->trees.len };
	hd_buf_release(&p.css);
	hd_buf_release(&p.data);
	hd_buf_release(&p.library);
	hd_buf_release(&p.script);
	hd_buf_release(&p.policy);
	hd_buf_release(&p.title);
	hd_buf_release(&p.licence);
}
