/*
 * session_page.c - see session_page.h
 */
#include "web/session_page.h"

#include "base/assets.h"
#include "base/encode.h"
#include "base/mem.h"
#include "render/gpu_timeline.h"
#include "web/page.h"
#include "render/flamegraph.h"

#include <stdlib.h>
#include <string.h>

/* A mode of profile.sh, such as "cpu": its card, and the parts of its panel. */
struct mode {
	struct hd_buf name, status, reason;	/* encoded for HTML */
	bool good, bad;
	struct hd_buf card;			/* the text of the card: the mode's first figure */
	struct hd_buf notes, findings, figures, timeline, tables, buttons, templates, links;
	unsigned npictures;
};

struct hd_session_page {
	char *title;			/* raw text */
	struct hd_buf facts;
	struct mode *modes;
	size_t n, cap;
};

static void add(struct hd_buf *out, const char *text)
{
	hd_enc_xml(out, text, strlen(text));
}

static struct mode *current(struct hd_session_page *s)
{
	return &s->modes[s->n - 1];
}

struct hd_session_page *hd_session_page_new(const char *title)
{
	struct hd_session_page *s = hd_new(struct hd_session_page);

	s->title = hd_strdup(title);
	return s;
}

void hd_session_page_free(struct hd_session_page *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		struct mode *m = &s->modes[i];
		struct hd_buf *of[] = { &m->name,    &m->status,   &m->reason, &m->card,    &m->notes,     &m->findings,
					&m->figures, &m->timeline, &m->tables, &m->buttons, &m->templates, &m->links };

		for (size_t k = 0; k < HD_COUNT(of); k++)
			hd_buf_release(of[k]);
	}
	free(s->modes);
	free(s->title);
	hd_buf_release(&s->facts);
	free(s);
}

void hd_session_page_fact(struct hd_session_page *s, const char *label, const char *value)
{
	hd_buf_adds(&s->facts, "<div><dt>");
	add(&s->facts, label);
	hd_buf_adds(&s->facts, "</dt><dd>");
	add(&s->facts, value);
	hd_buf_adds(&s->facts, "</dd></div>\n");
}

void hd_session_page_mode(struct hd_session_page *s, const char *mode, const char *status, const char *reason)
{
	struct mode *m;

	HD_GROW(s->modes, s->n + 1, s->cap);
	m = &s->modes[s->n++];
	*m = (struct mode){ .good = !strcmp(status, "ok"), .bad = !strcmp(status, "failed") };
	add(&m->name, mode);
	add(&m->status, status);
	if (reason)
		add(&m->reason, reason);
}

void hd_session_page_trouble(struct hd_session_page *s, const char *why)
{
	struct hd_buf *to = &current(s)->reason;

	if (to->len)
		hd_buf_adds(to, "<br>");
	add(to, why);
}

void hd_session_page_figure(struct hd_session_page *s, const char *label, const char *value)
{
	struct mode *m = current(s);

	if (!m->card.len) {
		hd_buf_adds(&m->card, "<span class=\"big\">");
		add(&m->card, value);
		hd_buf_adds(&m->card, "</span><span class=\"mute\">");
		add(&m->card, label);
		hd_buf_adds(&m->card, "</span>");
	}
	hd_buf_adds(&m->figures, "<div><dt>");
	add(&m->figures, label);
	hd_buf_adds(&m->figures, "</dt><dd>");
	add(&m->figures, value);
	hd_buf_adds(&m->figures, "</dd></div>\n");
}

void hd_session_page_finding(struct hd_session_page *s, const char *text)
{
	struct hd_buf *to = &current(s)->findings;

	hd_buf_adds(to, "<li>");
	add(to, text);
	hd_buf_adds(to, "</li>\n");
}

void hd_session_page_note(struct hd_session_page *s, const char *text)
{
	struct mode *m = current(s);

	hd_buf_adds(&m->notes, "<li>");
	add(&m->notes, text);
	hd_buf_adds(&m->notes, "</li>\n");
}

void hd_session_page_table(struct hd_session_page *s, const char *title, const struct hd_table *t)
{
	struct mode *m = current(s);

	hd_buf_adds(&m->tables, "<section class=\"part\">\n<h3>");
	add(&m->tables, title);
	hd_buf_adds(&m->tables, "</h3>\n<div class=\"scroll\" tabindex=\"0\">\n");
	hd_table_html(&m->tables, t);
	hd_buf_adds(&m->tables, "</div>\n</section>\n");
}

int hd_session_page_picture(struct hd_session_page *s, const char *name, const struct hd_profile *p,
	const struct hd_call_tree *t, struct hd_err *err)
{
	struct hd_flamegraph_opts o = HD_FLAMEGRAPH_DEFAULTS;
	struct mode *m = current(s);
	int rc;

	o.title = name;
	o.max_frames = HD_SESSION_PAGE_FRAMES;
	hd_buf_addf(&m->buttons, "<button type=\"button\" data-picture=\"%u\" aria-pressed=\"%s\">", m->npictures,
		    m->npictures ? "false" : "true");
	add(&m->buttons, name);
	hd_buf_adds(&m->buttons, "</button>\n");
	hd_buf_addf(&m->templates, "<div class=\"picture\" data-picture=\"%u\" hidden><template>\n", m->npictures);
	rc = hd_flamegraph_fragment(&m->templates, p, t, &o, err);
	hd_buf_adds(&m->templates, "</template></div>\n");
	m->npictures++;
	return rc;
}

void hd_session_page_timeline(struct hd_session_page *s, const struct hd_profile *p)
{
	hd_gpu_timeline_fragment(&current(s)->timeline, p);
}

/*
 * Append a path as the value of href.  All bytes except letters, digits and ./_-~ become %HH, so a path such as
 * `javascript:x` is not taken for a URL with a scheme.
 */
static void add_href(struct hd_buf *out, const char *path)
{
	if (*path != '/' && *path != '.')
		hd_buf_adds(out, "./");
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("/._-~", c))
			hd_buf_addc(out, (char)c);
		else
			hd_buf_addf(out, "%%%02X", c);
	}
}

void hd_session_page_link(struct hd_session_page *s, const char *name, const char *href)
{
	struct mode *m = current(s);

	hd_buf_adds(&m->links, "<li><a href=\"");
	add_href(&m->links, href);
	hd_buf_adds(&m->links, "\">");
	add(&m->links, name);
	hd_buf_adds(&m->links, "</a></li>\n");
}

/* ---- the page ---- */

static void put(struct hd_buf *out, const struct hd_buf *b)
{
	hd_buf_add(out, hd_buf_str(b), b->len);
}

static void put_badge(struct hd_buf *out, const struct mode *m)
{
	hd_buf_addf(out, "<span class=\"badge %s\">", m->good ? "good" : m->bad ? "bad" : "none");
	put(out, &m->status);
	hd_buf_adds(out, "</span>");
}

static void put_tab(struct hd_buf *out, const struct mode *m, size_t i)
{
	hd_buf_addf(out,
		    "<button type=\"button\" role=\"tab\" class=\"card\" id=\"tab-%zu\" "
		    "aria-controls=\"mode-%zu\"><span class=\"name\">",
		    i, i);
	put(out, &m->name);
	hd_buf_adds(out, "</span>");
	put_badge(out, m);
	put(out, &m->card);
	hd_buf_adds(out, "</button>\n");
}

/* Append the part `b` of a panel between `before` and `after`.  If `b` is empty, append nothing. */
static void put_part(struct hd_buf *out, const char *before, const struct hd_buf *b, const char *after)
{
	if (!b->len)
		return;
	hd_buf_adds(out, before);
	put(out, b);
	hd_buf_adds(out, after);
}

static void put_panel(struct hd_buf *out, const struct mode *m, size_t i)
{
	hd_buf_addf(
		out,
		"<section class=\"mode\" role=\"tabpanel\" id=\"mode-%zu\" aria-labelledby=\"tab-%zu\" data-name=\"", i,
		i);
	put(out, &m->name);
	hd_buf_adds(out, "\">\n<h2>");
	put(out, &m->name);
	hd_buf_addc(out, ' ');
	put_badge(out, m);
	hd_buf_adds(out, "</h2>\n");
	put_part(out, "<p class=\"reason\">", &m->reason, "</p>\n");
	put_part(out, "<ul class=\"findings\">\n", &m->findings, "</ul>\n");
	put_part(out, "<dl class=\"figures\">\n", &m->figures, "</dl>\n");
	put_part(out, "<div class=\"scroll timeline\" tabindex=\"0\">\n", &m->timeline, "</div>\n");
	if (m->npictures > 1)
		put_part(out, "<div class=\"tools\" role=\"group\" aria-label=\"Flamegraphs\">\n", &m->buttons,
			 "</div>\n");
	put_part(out, "<div class=\"pictures\">\n", &m->templates, "</div>\n");
	put_part(out, "<div class=\"parts\">\n", &m->tables, "</div>\n");
	put_part(out, "<h3>Files</h3>\n<ul class=\"links\">\n", &m->links, "</ul>\n");
	put_part(out, "<details><summary>What the recording does not hold</summary>\n<ul>\n", &m->notes,
		 "</ul>\n</details>\n");
	hd_buf_adds(out, "</section>\n");
}

void hd_session_page_write(struct hd_session_page *s, struct hd_outfile *out)
{
	struct hd_buf tabs = { 0 }, panels = { 0 }, script = { 0 }, heading = { 0 };
	const struct hd_page_piece pieces[] = {
		{ "heading", "<h1>", &heading, "</h1>\n" },
		{ "facts", "<dl class=\"facts\">\n", &s->facts, "</dl>\n" },
		{ "tabs", "", &tabs, "" },
		{ "panels", "", &panels, "" },
	};
	struct hd_page page;

	hd_page_init(&page, s->title);
	add(&heading, s->title);
	hd_flamegraph_css(&page.css);
	hd_gpu_timeline_css(&page.css);
	hd_asset_add(&page.css, "session.css");
	for (size_t i = 0; i < s->n; i++) {
		put_tab(&tabs, &s->modes[i], i);
		put_panel(&panels, &s->modes[i], i);
	}
	hd_page_body(&page, "session.html", pieces, HD_COUNT(pieces));
	hd_flamegraph_js(&script);
	hd_asset_add(&script, "session.js");
	hd_page_script(&page, &script);
	hd_page_write(&page, out);
	hd_buf_release(&heading);
	hd_buf_release(&tabs);
	hd_buf_release(&panels);
	hd_buf_release(&script);
}
