/*
 * html.c - the page: see html.h
 *
 * page.html is the skeleton; a line of it that is only @NAME@ is replaced.
 */
#include "output/html_parts.h"

#include "base/assets.h"
#include "base/encode.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "output/svg.h"

#include <stdlib.h>
#include <string.h>

/* Ours, in the order in which they need each other. */
static const char *const scripts[] = {
	"page_data.js", "page_text.js", "page_theme.js", "page_state.js", "page_bins.js", "page_chart.js", "page_panels.js", "page_pointer.js",
	"page_symbols.js", "page_changes.js", "page_top.js", "page_tree.js", "page_flame.js", "page_flame_keys.js", "page_help.js",
	"page_main.js",
};

struct hd_html *hd_html_new(const struct hd_chronicle *c)
{
	struct hd_html *h = hd_new(struct hd_html);

	h->c = c;
	h->texts = hd_strtab_new();
	return h;
}

void hd_html_free(struct hd_html *h)
{
	if (!h)
		return;
	hd_strtab_free(h->texts);
	free(h->frames);
	hd_map_release(&h->frame_of);
	hd_buf_release(&h->trees);
	free(h);
}

bool hd_html_has_charts(void)
{
	return hd_asset_find("dygraph.min.js") != NULL;
}

/* ---- pieces ---- */

static void add_asset(struct hd_buf *out, const char *name)
{
	const struct hd_asset *a = hd_asset_find(name);

	if (a)
		hd_buf_add(out, a->data, a->len);
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

static void add_base64(struct hd_buf *out, const uint8_t *p, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) | (i + 2 < n ? p[i + 2] : 0);

		hd_buf_addc(out, digits[v >> 18]);
		hd_buf_addc(out, digits[v >> 12 & 63]);
		hd_buf_addc(out, i + 1 < n ? digits[v >> 6 & 63] : '=');
		hd_buf_addc(out, i + 2 < n ? digits[v & 63] : '=');
	}
}

static void add_hash(struct hd_buf *out, const struct hd_buf *script)
{
	struct hd_sha256 *h = hd_sha256_new();
	uint8_t sum[HD_SHA256_BYTES];

	hd_sha256_add(h, hd_buf_str(script), script->len);
	hd_sha256_end(h, sum);
	hd_buf_adds(out, " 'sha256-");
	add_base64(out, sum, sizeof(sum));
	hd_buf_addc(out, '\'');
}

/* ---- the page ---- */

struct pieces {
	struct hd_buf css, data, library, script, policy, title;
};

static void make_pieces(struct pieces *p, struct hd_html *h, const char *title)
{
	hd_enc_xml(&p->title, title, strlen(title));
	hd_svg_flame_css(&p->css);
	add_asset(&p->css, "dygraph.min.css");
	add_asset(&p->css, "page.css");
	hd_html_json(h, &p->data, title);
	add_asset(&p->library, "dygraph.min.js");
	hd_buf_adds(&p->script, "(() => {\n'use strict';\n");
	for (size_t i = 0; i < HD_COUNT(scripts); i++)
		add_asset(&p->script, scripts[i]);
	hd_buf_adds(&p->script, "})();\n");
	hd_buf_adds(&p->policy, "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; script-src");
	if (p->library.len)
		add_hash(&p->policy, &p->library);
	add_hash(&p->policy, &p->script);
}

/* A line @NAME@ of the skeleton. */
static void put_piece(struct hd_outfile *out, const char *name, size_t n, const struct pieces *p)
{
	const struct {
		const char *name, *before;
		const struct hd_buf *text;
		const char *after;
	} rows[] = {
		{ "policy", "<meta http-equiv=\"Content-Security-Policy\" content=\"", &p->policy, "\">\n" },
		{ "title", "<title>", &p->title, "</title>\n" },
		{ "css", "<style>\n", &p->css, "</style>\n" },
		{ "data", "<script type=\"application/json\" id=\"data\">\n", &p->data, "</script>\n" },
		{ "library", "<script>", &p->library, "</script>\n" },
		{ "script", "<script>", &p->script, "</script>\n" },
	};
	struct hd_buf licence = { 0 };

	for (size_t i = 0; i < HD_COUNT(rows); i++)
		if (strlen(rows[i].name) == n && !memcmp(rows[i].name, name, n) && rows[i].text->len) {
			hd_outfile_add(out, rows[i].before, strlen(rows[i].before));
			hd_outfile_add(out, rows[i].text->data, rows[i].text->len);
			hd_outfile_add(out, rows[i].after, strlen(rows[i].after));
		}
	if (n == 7 && !memcmp(name, "licence", n)) {
		add_entities(&licence, "dygraph.copyright");
		hd_outfile_add(out, hd_buf_str(&licence), licence.len);
		hd_buf_release(&licence);
	}
}

void hd_html_write(struct hd_html *h, struct hd_outfile *out, const char *title, struct hd_html_sizes *sizes)
{
	const struct hd_asset *page = hd_asset_find("page.html");
	const char *at = page->data, *end = at + page->len;
	struct pieces p = { 0 };
	uint64_t before = out->written + out->pending.len;

	make_pieces(&p, h, title);
	while (at < end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at)), *next = nl ? nl + 1 : end;
		size_t n = (size_t)(next - at);

		if (n > 3 && at[0] == '@' && at[n - 2] == '@')
			put_piece(out, at + 1, n - 3, &p);
		else
			hd_outfile_add(out, at, n);
		at = next;
	}
	*sizes = (struct hd_html_sizes){ out->written + out->pending.len - before, p.data.len, h->trees.len };
	hd_buf_release(&p.css);
	hd_buf_release(&p.data);
	hd_buf_release(&p.library);
	hd_buf_release(&p.script);
	hd_buf_release(&p.policy);
	hd_buf_release(&p.title);
}
