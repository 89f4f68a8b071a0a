/*
 * gate_sarif.c - print a comparison as SARIF and as GitLab's code quality report; see gate.h
 *
 * Sources: SARIF 2.1.0 (OASIS); GitHub's documentation "SARIF support for code scanning", which requires
 * shortDescription, fullDescription and help of a rule, a physical location of a result, and at most 5,000 results;
 * GitLab's documentation "Code Quality", which requires description, check_name, fingerprint, severity and location.
 */
#include "base/encode.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/uri_encode.h"
#include "render/gate.h"
#include "render/gate_cells.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_RESULTS = 5000,		/* GitHub drops the rest */
	NAME_COLUMNS = 200,		/* maximum columns of a name; longer names are shortened in the middle */
	FINGERPRINT_DIGITS = 32
};

static const struct rule {
	const char *id, *level, *severity, *text, *help;
} rules[] = {
	{ "regression", "error", "major",
		"A symbol or a series costs more than its limit allows, and that is significant.",
		"Compare the stacks with 'hotdrift diff BASE HEAD --symbol NAME'.  If the cost is intended, accept it "
		"with 'hotdrift ack NAME --reason TEXT'." },
	{ "inconclusive", "note", "info", "The data does not decide whether the cost grew.",
		"Record more or longer runs of both sides in turns, then run the gate again." },
	{ "shift", "note", "info", "Cost moved between functions; their sum did not grow.",
		"Nothing has to be done: a function was renamed, inlined or divided." },
	{ "not-comparable", "warning", "info",
		"The two sides cannot be compared, or there is no baseline.",
		"The message names what differs.  Record runs of the base under the conditions of the head." },
};
enum { REGRESSION, INCONCLUSIVE, SHIFT, NOT_COMPARABLE };

struct result {
	const struct rule *rule;
	const struct hd_gate_line *line;	/* NULL: the result is about the comparison as a whole */
	const char *text;
	const struct hd_gate_place *place;	/* place->file is not NULL */
	char fingerprint[HD_SHA256_HEX];
};

typedef void write_result(struct hd_jsonw *w, const struct result *r);

/* ---- the choice of results, and their source lines ---- */

static const struct hd_gate_place *place_of(const struct hd_gate_places *places, const struct hd_comparison *top,
	const struct hd_comparison *c, const struct hd_judge_row *row)
{
	static struct hd_gate_place none = { (char *)"hotdrift.ini", 1 };
	size_t i = row ? (size_t)(row - c->rows) + (c == top ? 0 : top->nrows) : SIZE_MAX;

	if (places && i < places->n && places->places[i].file)
		return &places->places[i];
	return places && places->fallback.file ? &places->fallback : &none;
}

static void set_fingerprint(struct result *r, const struct hd_comparison *c, const char *side, const char *name)
{
	const char *parts[] = { side, r->rule->id, hd_gate_field(c, HD_RUN_FIELD_TARGET),
		hd_gate_field(c, HD_RUN_FIELD_MODE), hd_gate_field(c, HD_RUN_FIELD_EVENT),
		r->line && r->line->row && r->line->row->object ? r->line->row->object : "", name };
	struct hd_buf key = { 0 };

	for (size_t i = 0; i < HD_COUNT(parts); i++)
		hd_buf_add(&key, parts[i], strlen(parts[i]) + 1);	/* the NUL separates the parts */
	hd_sha256_hex(key.data, key.len, r->fingerprint);
	r->fingerprint[FINGERPRINT_DIGITS] = '\0';
	hd_buf_release(&key);
}

static void add_name(struct hd_buf *out, const char *name)
{
	struct hd_buf visible = { 0 };

	hd_enc_visible(&visible, name, strlen(name));
	hd_enc_shorten(out, hd_buf_str(&visible), visible.len, NAME_COLUMNS);
	hd_buf_release(&visible);
}

static void one_result(struct hd_jsonw *w, const struct hd_comparison *c, const struct hd_comparison *top,
	const struct hd_gate_line *l, const struct hd_gate_places *places, write_result *write)
{
	enum hd_verdict v = hd_gate_verdict(l);
	struct hd_buf name = { 0 }, text = { 0 };
	struct result r = { .rule = &rules[v == HD_FAIL ? REGRESSION : v == HD_SHIFT ? SHIFT : INCONCLUSIVE],
		.line = l, .place = place_of(places, top, c, l->row) };

	hd_gate_label(&name, l);
	add_name(&text, hd_buf_str(&name));
	hd_buf_adds(&text, c == top ? "" : " against the pinned release");
	hd_buf_adds(&text, v == HD_SHIFT ? ", cost moved here: " : ": ");
	hd_gate_sentence(&text, l);
	r.text = text.data;
	set_fingerprint(&r, c, c == top ? "" : "pin", hd_buf_str(&name));
	write(w, &r);
	hd_buf_release(&name);
	hd_buf_release(&text);
}

/*
 * Write the results of one comparison that are neither passed nor acknowledged, first those with FAIL.  written: number
 * of results of rows in all comparisons so far; no more than MOST_RESULTS are written.
 */
static void results(struct hd_jsonw *w, const struct hd_comparison *c, const struct hd_comparison *top,
	const struct hd_gate_places *places, write_result *write, size_t *written)
{
	struct result whole = { .rule = &rules[NOT_COMPARABLE], .text = c->reason,
		.place = place_of(places, top, c, NULL) };
	struct hd_gate_line *lines;
	size_t n = hd_gate_cases(&lines, c);

	for (int failed = 1; failed >= 0; failed--)
		for (size_t i = 0; i < n && *written < MOST_RESULTS; i++) {
			enum hd_verdict v = hd_gate_verdict(&lines[i]);

			if (v == HD_PASS || hd_gate_ack(&lines[i]) || (v == HD_FAIL) != failed)
				continue;
			one_result(w, c, top, &lines[i], places, write);
			++*written;
		}
	if (c->verdict == HD_NOT_COMPARABLE) {
		set_fingerprint(&whole, c, c == top ? "" : "pin", "");
		write(w, &whole);
	}
	free(lines);
}

static void all_results(struct hd_jsonw *w, const struct hd_comparison *c, const struct hd_gate_places *places,
	write_result *write)
{
	size_t written = 0;

	results(w, c, c, places, write, &written);
	if (c->pin)
		results(w, c->pin, c, places, write, &written);
}

/* ---- SARIF ---- */

/* Write a path as the path of a URI reference. */
static void uri(struct hd_jsonw *w, const char *key, const char *path)
{
	struct hd_buf b = { 0 };

	hd_enc_uri(&b, path, strlen(path));
	hd_jsonw_str(w, key, hd_buf_str(&b));
	hd_buf_release(&b);
}

static void message(struct hd_jsonw *w, const char *key, const char *text)
{
	hd_jsonw_row(w, key, '{');
	hd_jsonw_str(w, "text", text);
	hd_jsonw_close(w, '}');
}

static void logical_location(struct hd_jsonw *w, const struct hd_gate_line *l)
{
	struct hd_buf name = { 0 }, text = { 0 };

	hd_gate_label(&name, l);
	hd_jsonw_open(w, "logicalLocations", '[');
	hd_jsonw_row(w, NULL, '{');
	hd_jsonw_str(w, "name", name.data);
	if (l->row && l->row->object) {
		hd_buf_addf(&text, "%s!%s", l->row->object, l->row->symbol);
		hd_jsonw_str(w, "fullyQualifiedName", text.data);
	}
	hd_jsonw_str(w, "kind", l->row ? "function" : "resource");
	hd_jsonw_close(w, '}');
	hd_jsonw_close(w, ']');
	hd_buf_release(&name);
	hd_buf_release(&text);
}

static void sarif_result(struct hd_jsonw *w, const struct result *r)
{
	struct hd_buf fingerprint = { 0 };

	hd_jsonw_open(w, NULL, '{');
	hd_jsonw_str(w, "ruleId", r->rule->id);
	hd_jsonw_u64(w, "ruleIndex", (uint64_t)(r->rule - rules));
	hd_jsonw_str(w, "level", r->rule->level);
	message(w, "message", r->text);
	hd_jsonw_open(w, "locations", '[');
	hd_jsonw_open(w, NULL, '{');
	hd_jsonw_open(w, "physicalLocation", '{');
	hd_jsonw_row(w, "artifactLocation", '{');
	uri(w, "uri", r->place->file);
	hd_jsonw_str(w, "uriBaseId", "%SRCROOT%");
	hd_jsonw_close(w, '}');
	hd_jsonw_row(w, "region", '{');
	hd_jsonw_u64(w, "startLine", r->place->line);
	hd_jsonw_close(w, '}');
	hd_jsonw_close(w, '}');
	if (r->line)
		logical_location(w, r->line);
	hd_jsonw_close(w, '}');
	hd_jsonw_close(w, ']');
	hd_buf_addf(&fingerprint, "%s:1", r->fingerprint);
	hd_jsonw_row(w, "partialFingerprints", '{');
	/* GitHub identifies a result by this fingerprint */
	hd_jsonw_str(w, "primaryLocationLineHash", fingerprint.data);
	hd_jsonw_str(w, "hotdriftRow/v1", r->fingerprint);
	hd_jsonw_close(w, '}');
	hd_jsonw_close(w, '}');
	hd_buf_release(&fingerprint);
}

static void sarif_rule(struct hd_jsonw *w, const struct rule *r)
{
	hd_jsonw_open(w, NULL, '{');
	hd_jsonw_str(w, "id", r->id);
	message(w, "shortDescription", r->text);
	message(w, "fullDescription", r->text);
	message(w, "help", r->help);
	hd_jsonw_row(w, "defaultConfiguration", '{');
	hd_jsonw_str(w, "level", r->level);
	hd_jsonw_close(w, '}');
	hd_jsonw_row(w, "properties", '{');
	hd_jsonw_row(w, "tags", '[');
	hd_jsonw_str(w, NULL, "performance");
	hd_jsonw_close(w, ']');
	hd_jsonw_close(w, '}');
	hd_jsonw_close(w, '}');
}

void hd_gate_sarif(struct hd_buf *out, const struct hd_comparison *c, const char *command,
	const struct hd_gate_places *places)
{
	struct hd_jsonw w = hd_jsonw_to(out);
	struct hd_buf id = { 0 };

	hd_jsonw_open(&w, NULL, '{');
	hd_jsonw_str(&w, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	hd_jsonw_str(&w, "version", "2.1.0");
	hd_jsonw_open(&w, "runs", '[');
	hd_jsonw_open(&w, NULL, '{');
	hd_jsonw_open(&w, "tool", '{');
	hd_jsonw_open(&w, "driver", '{');
	hd_jsonw_str(&w, "name", "hotdrift");
	hd_jsonw_str(&w, "version", HD_VERSION);
	hd_jsonw_str(&w, "semanticVersion", HD_VERSION);
	hd_jsonw_open(&w, "rules", '[');
	for (size_t i = 0; i < HD_COUNT(rules); i++)
		sarif_rule(&w, &rules[i]);
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
	hd_jsonw_close(&w, '}');
	/* The part of the id before its last slash is a category: GitHub replaces older results of the category. */
	hd_buf_addf(&id, "%s/%s/%s/", command, hd_gate_field(c, HD_RUN_FIELD_TARGET),
		hd_gate_field(c, HD_RUN_FIELD_MODE));
	hd_jsonw_row(&w, "automationDetails", '{');
	hd_jsonw_str(&w, "id", id.data);
	hd_jsonw_close(&w, '}');
	hd_jsonw_str(&w, "columnKind", "utf16CodeUnits");
	hd_jsonw_open(&w, "results", '[');
	all_results(&w, c, places, sarif_result);
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
	hd_buf_release(&id);
}

/* ---- code quality ---- */

static void quality_issue(struct hd_jsonw *w, const struct result *r)
{
	hd_jsonw_open(w, NULL, '{');
	hd_jsonw_str(w, "description", r->text);
	hd_jsonw_str(w, "check_name", r->rule->id);
	hd_jsonw_str(w, "fingerprint", r->fingerprint);
	hd_jsonw_str(w, "severity", r->rule->severity);
	hd_jsonw_open(w, "location", '{');
	hd_jsonw_str(w, "path", r->place->file);
	hd_jsonw_row(w, "lines", '{');
	hd_jsonw_u64(w, "begin", r->place->line);
	hd_jsonw_close(w, '}');
	hd_jsonw_close(w, '}');
	hd_jsonw_close(w, '}');
}

void hd_gate_codequality(struct hd_buf *out, const struct hd_comparison *c, const char *command,
	const struct hd_gate_places *places)
{
	struct hd_jsonw w = hd_jsonw_to(out);

	(void)command;
	hd_jsonw_open(&w, NULL, '[');
	all_results(&w, c, places, quality_issue);
	hd_jsonw_close(&w, ']');
}
