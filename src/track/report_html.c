/*
 * report_html.c - the HTML form of a report: one self-contained page without scripts; see report.h
 *
 * The content security policy of the page allows only its own style.  So even if the escaping of a name were wrong, the
 * name could not load or run anything.  Colours follow the light or dark setting of the reader.
 */
#include "track/report.h"

#include <math.h>
#include <string.h>

static const char style[] =
	":root{color-scheme:light dark;--page:#f4f5f7;--paper:#fff;--text:#1b1f24;--mute:#566069;--line:#d5dae0;"
	"--bar:#cfe0fc;--critical:#b3261e;--high:#b4521a;--medium:#8a6100;--low:#566069}\n"
	"@media(prefers-color-scheme:dark){:root{--page:#0e1013;--paper:#16181c;--text:#eef0f3;--mute:#a3adb8;"
	"--line:#363c44;--bar:#22406e;--critical:#ff8a80;--high:#ffa36b;--medium:#f0be5a;--low:#a3adb8}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0;background:var(--page);color:var(--text);font:14px/1.45 system-ui,-apple-system,\"Segoe UI\","
	"Roboto,\"Noto Sans\",\"DejaVu Sans\",sans-serif}\n"
	"header,main{max-width:1280px;margin:0 auto;padding:16px 20px 0}\n"
	"main{display:grid;gap:16px;padding-bottom:24px}\n"
	"h1{margin:0;font-size:19px;line-height:1.25;overflow-wrap:anywhere}\n"
	"h2{margin:0 0 8px;font-size:16px}\n"
	"p{margin:4px 0 0;color:var(--mute)}\n"
	"section{min-width:0;padding:14px 16px;border:1px solid var(--line);border-radius:10px;"
	"background:var(--paper)}\n"
	".wide{overflow-x:auto;margin:0 -16px;padding:0 16px}\n"
	".wide:focus-visible{outline:2px solid var(--medium)}\n"
	"table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
	"th,td{padding:5px 0 5px 18px;text-align:right;white-space:nowrap;vertical-align:top;"
	"border-top:1px solid var(--line)}\n"
	"th{border-top:0;color:var(--mute);font-size:12.5px;font-weight:600}\n"
	"th.t,td.t{text-align:left}\n"
	"th:first-child,td:first-child{padding-left:0}\n"
	"td.n{font:12.5px/1.5 ui-monospace,\"SF Mono\",Menlo,Consolas,\"DejaVu Sans Mono\",monospace;"
	"white-space:normal;overflow-wrap:anywhere;min-width:11em;max-width:32em}\n"
	"td.b{min-width:9em;background:linear-gradient(90deg,var(--bar) var(--v),transparent var(--v)) "
	"left calc(18px) center/calc(100% - 18px) 70% no-repeat}\n"
	"dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(130px,1fr));gap:10px 20px;margin:0}\n"
	"dt{color:var(--mute);font-size:12.5px}\n"
	"dd{margin:0;font-size:16px;font-variant-numeric:tabular-nums}\n"
	"ul{list-style:none;margin:0;padding:0}\n"
	"li{padding:10px 0;border-top:1px solid var(--line);overflow-wrap:anywhere}\n"
	"li:first-child{border-top:0;padding-top:0}\n"
	"li:last-child{padding-bottom:0}\n"
	"li p:nth-of-type(1){color:var(--text)}\n"
	"li b{display:inline-block;margin-right:10px;font-weight:600}\n"
	"li span{margin-right:10px}\n"
	"li code{font:13px/1.5 ui-monospace,\"SF Mono\",Menlo,Consolas,\"DejaVu Sans Mono\",monospace}\n"
	".critical{color:var(--critical)}.high{color:var(--high)}.medium{color:var(--medium)}.low{color:var(--low)}\n"
	"@media(max-width:600px){header,main{padding-left:10px;padding-right:10px}section{padding:12px}"
	".wide{margin:0 -12px;padding:0 12px}td.n{min-width:9em}}\n"
	"@media print{body{background:#fff}section{border:0;padding:0}}\n";

static bool is_text(const struct hd_report_column *c)
{
	return c->type == HD_REPORT_WORD || c->type == HD_REPORT_NAME;
}

static bool has_below(const struct hd_report_section *s)
{
	for (size_t i = 0; i < s->ncolumns; i++)
		if (s->columns[i].below)
			return true;
	return false;
}

/*
 * Append a row as an item of a list.  Used for sections whose rows have further lines below them.  The first cell is a
 * word; it is printed in bold, and is also the CSS class.
 */
static void put_item(struct hd_text *out, const struct hd_report_section *s, const void *row)
{
	bool first = true;

	hd_text_add(out, "<li>");
	for (size_t i = 0; i < s->ncolumns; i++) {
		const struct hd_report_column *c = &s->columns[i];
		const char *tag = c->below ? "p" : c->type == HD_REPORT_NAME ? "code" : first ? "b" : "span";

		if (!c->title)
			continue;
		if (first) {
			hd_text_add(out, "<b class=\"");
			hd_report_cell_put(out, HD_TEXT_XML, c, row);
			hd_text_add(out, "\">");
		} else {
			hd_text_addf(out, "<%s>", tag);
		}
		hd_report_cell_put(out, HD_TEXT_XML, c, row);
		hd_text_addf(out, "</%s>", tag);
		first = false;
	}
	hd_text_add(out, "</li>\n");
}

static void put_single(struct hd_text *out, const struct hd_report_section *s)
{
	hd_text_add(out, "<dl>\n");
	for (size_t i = 0; i < s->ncolumns; i++) {
		if (!s->columns[i].title)
			continue;
		hd_text_addf(out, "<div><dt>%s</dt><dd>", s->columns[i].title);
		hd_report_cell_put(out, HD_TEXT_XML, &s->columns[i], s->rows);
		hd_text_add(out, "</dd></div>\n");
	}
	hd_text_add(out, "</dl>\n");
}

static void put_cell(struct hd_text *out, const struct hd_report_column *c, const void *row)
{
	double v = hd_report_cell_number(c, row);

	if (c->bar && v >= 0 && v <= 100)
		hd_text_addf(out, "<td class=\"b\" style=\"--v:%d%%\">", (int)(v + 0.5));
	else
		hd_text_add(out, c->type == HD_REPORT_NAME ? "<td class=\"t n\">" : is_text(c) ? "<td class=\"t\">" :
			    "<td>");
	hd_report_cell_put(out, HD_TEXT_XML, c, row);
	hd_text_add(out, "</td>");
}

static void put_table(struct hd_text *out, const struct hd_report_section *s)
{
	/* The element can scroll, so it must be reachable with the keyboard. */
	hd_text_addf(out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table>\n<tr>",
		     s->title);
	for (size_t i = 0; i < s->ncolumns; i++)
		if (hd_report_has_column(s, &s->columns[i]))
			hd_text_addf(out, "<th scope=\"col\"%s>%s</th>", is_text(&s->columns[i]) ? " class=\"t\"" : "",
				     s->columns[i].title);
	hd_text_add(out, "</tr>\n");
	for (size_t k = 0; k < s->n; k++) {
		hd_text_add(out, "<tr>");
		for (size_t i = 0; i < s->ncolumns; i++)
			if (hd_report_has_column(s, &s->columns[i]))
				put_cell(out, &s->columns[i], hd_report_row(s, k));
		hd_text_add(out, "</tr>\n");
	}
	hd_text_add(out, "</table></div>\n");
}

static void put_section(struct hd_text *out, const struct hd_report_section *s)
{
	hd_text_addf(out, "<section><h2>%s</h2>\n", s->title);
	if (s->single) {
		put_single(out, s);
	} else if (has_below(s)) {
		hd_text_add(out, "<ul>\n");
		for (size_t i = 0; i < s->n; i++)
			put_item(out, s, hd_report_row(s, i));
		hd_text_add(out, "</ul>\n");
	} else {
		put_table(out, s);
	}
	hd_text_add(out, "</section>\n");
}

void hd_report_html(struct hd_text *out, const struct hd_report_head *head, const struct hd_report_section *sections,
		    size_t n)
{
	bool any = false;

	hd_text_add(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "style-src 'unsafe-inline'\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
	hd_text_name(out, HD_TEXT_XML, head->program);
	hd_text_add(out, " - libhotdrift report</title>\n<style>\n");
	hd_text_add(out, style);
	hd_text_add(out, "</style></head><body>\n<header><h1>");
	hd_text_name(out, HD_TEXT_XML, head->program);
	hd_text_addf(out, "</h1><p>libhotdrift report of process %llu</p>", (unsigned long long)head->pid);
	if (head->unbalanced)
		hd_text_addf(out, "<p>%llu operation%s not stopped, and ended with an outer operation or a "
			     "thread.</p>", (unsigned long long)head->unbalanced,
			     head->unbalanced == 1 ? " was" : "s were");
	hd_text_add(out, "</header>\n<main>\n");
	for (size_t i = 0; i < n; i++)
		if (sections[i].n) {
			any = true;
			put_section(out, &sections[i]);
		}
	if (!any)
		hd_text_add(out, "<section><h2>Nothing was recorded</h2></section>\n");
	hd_text_add(out, "</main>\n</body></html>\n");
}
