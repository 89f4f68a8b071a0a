/*
 * report_page.c - see report_page.h
 */
#include "web/report_page.h"

#include "base/assets.h"
#include "base/base64.h"
#include "base/encode.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "render/flamegraph.h"
#include "render/gpu_timeline.h"
#include "render/gzip.h"
#include "web/page.h"

#include <string.h>

/* The page's scripts, in the order of their dependencies. */
static const char *const scripts[] = {
	"page_text.js", "report_data.js", "page_theme.js", "page_listen.js", "report_sums.js", "report_state.js",
	"flame_canvas.js", "page_table.js", "report_time.js", "report_heat.js", "report_flame.js", "report_sandwich.js",
	"report_code.js", "report_tables.js", "report_quality.js", "page_help.js", "report_main.js",
};

static void add_member(struct hd_buf *out, const char *name, const char *value)
{
	hd_buf_addf(out, ",\n\"%s\":", name);
	hd_enc_json_script(out, value, strlen(value));
}

static void add_data(struct hd_buf *out, const struct hd_profile *p, const struct hd_report_page_opts *o,
	const char *title)
{
	struct hd_buf packed = { 0 }, small = { 0 };

	hd_report_page_pack(&packed, p, o);
	hd_gzip(&small, packed.data, packed.len);
	hd_buf_release(&packed);
	hd_buf_adds(out, "{\"format\":\"hotdrift.report_page\",\"version\":1,\"hotdrift\":\"" HD_VERSION "\"");
	add_member(out, "title", title);
	add_member(out, "input", p->recording.format ? p->recording.format : "");
	hd_buf_addf(out, ",\n\"inlined\":%s,\n\"packed\":\"", o->inlined ? "true" : "false");
	hd_base64_add(out, small.data, small.len);
	hd_buf_adds(out, "\"}\n");
	hd_buf_release(&small);
}

void hd_report_page_write(struct hd_outfile *out, const struct hd_profile *p, const struct hd_report_page_opts *o)
{
	const char *path = p->recording.path ? p->recording.path : "", *name = strrchr(path, '/');
	const char *title = o->title ? o->title : name && name[1] ? name + 1 : path;
	struct hd_buf script = { 0 }, gpu = { 0 };
	struct hd_page page;

	hd_gpu_timeline_fragment(&gpu, p);
	hd_page_init(&page, title);
	hd_flamegraph_css(&page.css);
	if (gpu.len)
		hd_gpu_timeline_css(&page.css);
	hd_asset_add(&page.css, "page.css");
	hd_asset_add(&page.css, "report.css");
	hd_page_body(&page, "report.html",
		&(struct hd_page_piece){ "gpu", "<div class=\"scroll\" id=\"gpu\" tabindex=\"0\">\n", &gpu,
			"</div>\n" }, 1);
	add_data(&page.data, p, o, title);
	hd_buf_adds(&script, "(async () => {\n'use strict';\n");
	for (size_t i = 0; i < HD_COUNT(scripts); i++)
		hd_asset_add(&script, scripts[i]);
	hd_buf_adds(&script, "})();\n");
	hd_page_script(&page, &script);
	hd_page_write(&page, out);
	hd_buf_release(&script);
	hd_buf_release(&gpu);
}
