/* history_page.c - see history_page.h */
#include "web/history_page.h"
#include "web/history_page_builder.h"

#include "base/assets.h"
#include "base/encode.h"
#include "base/mem.h"
#include "web/page.h"
#include "render/flamegraph.h"

#include <stdlib.h>
#include <string.h>

/* The page's scripts, in the order of their dependencies. */
static const char *const scripts[] = {
	"page_data.js", "page_text.js", "page_theme.js", "page_listen.js", "page_state.js", "page_bins.js",
	"page_chart.js", "page_panels.js", "page_pointer.js",
	"page_symbols.js", "page_changes.js", "page_top.js", "page_tree.js", "flame_canvas.js", "page_flame.js",
	"page_flame_keys.js",
	"page_help.js", "history_help.js",
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

void hd_history_page_write(struct hd_history_page *h, struct hd_outfile *out, const char *title,
	struct hd_history_page_sizes *sizes)
{
	uint64_t before = out->written + out->pending.len, data;
	struct hd_buf library = { 0 }, script = { 0 }, licence = { 0 };
	struct hd_page page;

	hd_page_init(&page, title);
	hd_flamegraph_css(&page.css);
	hd_asset_add(&page.css, "dygraph.min.css");
	hd_asset_add(&page.css, "page.css");
	add_entities(&licence, "dygraph.copyright");
	hd_page_body(&page, "history.html", &(struct hd_page_piece){ "licence", "", &licence, "" }, 1);
	hd_history_page_json(h, &page.data, title);
	data = page.data.len;
	hd_asset_add(&library, "dygraph.min.js");
	hd_page_script(&page, &library);
	hd_buf_adds(&script, "(() => {\n'use strict';\n");
	for (size_t i = 0; i < HD_COUNT(scripts); i++)
		hd_asset_add(&script, scripts[i]);
	hd_buf_adds(&script, "})();\n");
	hd_page_script(&page, &script);
	hd_page_write(&page, out);
	*sizes = (struct hd_history_page_sizes){ out->written + out->pending.len - before, data, h->trees.len };
	hd_buf_release(&library);
	hd_buf_release(&script);
	hd_buf_release(&licence);
}
