/*
 * gate_ci.c - print a comparison as JUnit XML and as SARIF; see gate.h
 *
 * JUnit has the elements that CI systems read (testsuites, testsuite, testcase, failure, error, skipped).  In SARIF
 * 2.1.0 (OASIS), a symbol is a logical location, because a stored run has no source lines.
 */
#include "base/encode.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "render/gate.h"
#include "render/gate_cells.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return all gated rows, changed or not. */
static size_t cases(struct hd_gate_line **lines, const struct hd_comparison *c)
{
	struct hd_gate_line *all = hd_new_array(struct hd_gate_line, c->nrows + c->nseries + 1);
	size_t n = 0;

	for (size_t i = 0; i < c->nrows; i++)
		if (c->rows[i].gated || c->rows[i].verdict == HD_SHIFT)
			all[n++] = (struct hd_gate_line){ ' ', &c->rows[i], NULL };
	for (size_t i = 0; i < c->nseries; i++)
		all[n++] = (struct hd_gate_line){ ' ', NULL, &c->series[i] };
	*lines = all;
	return n;
}

static void sentence(struct hd_buf *out, const struct hd_gate_line *l)
{
	hd_gate_level(out, l, false);
	hd_buf_adds(out, " -> ");
	hd_gate_level(out, l, true);
	hd_buf_adds(out, ", ");
	hd_gate_change(out, l);
	if (!l->row || (!l->row->is_new && !l->row->is_gone)) {
		hd_buf_adds(out, " (95 %: ");
		hd_gate_interval(out, l);
		hd_buf_addc(out, ')');
	}
	if (hd_gate_verdict(l) == HD_FAIL && !hd_gate_ack(l))
		hd_buf_adds(out, ", q ");
	else if (hd_gate_verdict(l) == HD_INCONCLUSIVE || hd_gate_ack(l))
		hd_buf_adds(out, ", ");
	if (hd_gate_verdict(l) != HD_PASS)
		hd_gate_note(out, l);
}

static const char *target_of(const struct hd_comparison *c)
{
	const char *target = c->head.n ? c->head.runs[c->head.n - 1].like[HD_RUN_FIELD_TARGET] : NULL;

	return target && *target ? target : "hotdrift";
}

/* ---- JUnit ---- */

static void attribute(struct hd_buf *out, const char *key, const char *value)
{
	hd_buf_addf(out, " %s=\"", key);
	hd_enc_xml(out, value, strlen(value));
	hd_buf_addc(out, '"');
}

static void begin_case(struct hd_buf *out, const char *class, const char *name)
{
	hd_buf_adds(out, "    <testcase");
	attribute(out, "classname", class);
	attribute(out, "name", name);
	hd_buf_adds(out, " time=\"0\"");
}

static void problem(struct hd_buf *out, const char *element, const char *type, const char *message)
{
	hd_buf_addf(out, ">\n      <%s", element);
	attribute(out, "message", message);
	if (type)
		attribute(out, "type", type);
	hd_buf_adds(out, "/>\n    </testcase>\n");
}

static void junit_case(struct hd_buf *out, const struct hd_gate_line *l, const char *class)
{
	struct hd_buf name = { 0 }, text = { 0 };

	hd_gate_label(&name, l);
	sentence(&text, l);
	begin_case(out, class, name.data);
	if (hd_gate_verdict(l) == HD_FAIL && !hd_gate_ack(l))
		problem(out, "failure", "regression", text.data);
	else if (hd_gate_verdict(l) == HD_INCONCLUSIVE && !hd_gate_ack(l))
		problem(out, "skipped", NULL, text.data);
	else
		hd_buf_adds(out, "/>\n");
	hd_buf_release(&name);
	hd_buf_release(&text);
}

static void suite(struct hd_buf *out, const struct hd_comparison *c, const char *command, const char *more)
{
	struct hd_buf name = { 0 };
	struct hd_gate_line *lines;
	size_t n = cases(&lines, c), failures = 0, skipped = 0;
	bool bad = c->verdict == HD_NOT_COMPARABLE;

	for (size_t i = 0; i < n; i++) {
		failures += hd_gate_verdict(&lines[i]) == HD_FAIL && !hd_gate_ack(&lines[i]);
		skipped += hd_gate_verdict(&lines[i]) == HD_INCONCLUSIVE && !hd_gate_ack(&lines[i]);
	}
	hd_buf_addf(&name, "hotdrift %s %s%s", command, target_of(c), more);
	hd_buf_adds(out, "  <testsuite");
	attribute(out, "name", name.data);
	hd_buf_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%d\" skipped=\"%zu\" time=\"0\">\n", n + 1, failures,
		bad, skipped);
	begin_case(out, target_of(c), "comparable");
	if (bad)
		problem(out, "error", "not-comparable", c->reason);
	else
		hd_buf_adds(out, "/>\n");
	for (size_t i = 0; i < n; i++)
		junit_case(out, &lines[i], target_of(c));
	hd_buf_adds(out, "  </testsuite>\n");
	hd_buf_release(&name);
	free(lines);
}

void hd_gate_junit(struct hd_buf *out, const struct hd_comparison *c, const char *command)
{
	hd_buf_adds(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	suite(out, c, command, "");
	if (c->pin)
		suite(out, c->pin, command, " against the pinned release");
	hd_buf_adds(out, "</testsuites>\n");
}

/* ---- SARIF ---- */

static const struct rule {
	const char *id, *text, *level;
} rules[] = {
	{ "regression", "A symbol or a series costs more than its limit allows, and that is significant.", "error" },
	{ "inconclusive", "Too little is known of a row; more runs would decide.", "warning" },
	{ "shift", "Cost moved between functions; their sum did not grow.", "note" },
	{ "not-comparable", "The two sides cannot be compared, or there is no baseline.", "error" },
};
enum { REGRESSION, INCONCLUSIVE, SHIFT, NOT_COMPARABLE };

static void message(struct hd_jsonw *w, const char *key, const char *text)
{
	hd_jsonw_row(w, key, '{');
	hd_jsonw_str(w, "text", text);
	hd_jsonw_close(w, '}');
}

static void begin_result(struct hd_jsonw *w, size_t rule, const char *text)
{
	hd_jsonw_open(w, NULL, '{');
	hd_jsonw_str(w, "ruleId", rules[rule].id);
	hd_jsonw_u64(w, "ruleIndex", rule);
	hd_jsonw_str(w, "level", rules[rule].level);
	message(w, "message", text);
}

static void sarif_result(struct hd_jsonw *w, const struct hd_gate_line *l)
{
	enum hd_verdict v = hd_gate_verdict(l);
	struct hd_buf name = { 0 }, text = { 0 };

	if (hd_gate_ack(l) || v == HD_PASS)
		return;
	hd_gate_label(&name, l);
	hd_enc_visible(&text, name.data, name.len);
	hd_buf_adds(&text, v == HD_SHIFT ? ", cost moved here: " : ": ");
	sentence(&text, l);
	begin_result(w, v == HD_FAIL ? REGRESSION : v == HD_SHIFT ? SHIFT : INCONCLUSIVE, text.data);
	hd_jsonw_open(w, "locations", '[');
	hd_jsonw_open(w, NULL, '{');
	hd_jsonw_open(w, "logicalLocations", '[');
	hd_jsonw_row(w, NULL, '{');
	hd_jsonw_str(w, "name", name.data);
	if (l->row && l->row->object) {
		hd_buf_reset(&text);
		hd_buf_addf(&text, "%s!%s", l->row->object, l->row->symbol);
		hd_jsonw_str(w, "fullyQualifiedName", text.data);
	}
	hd_jsonw_str(w, "kind", l->row ? "function" : "resource");
	hd_jsonw_close(w, '}');
	hd_jsonw_close(w, ']');
	hd_jsonw_close(w, '}');
	hd_jsonw_close(w, ']');
	hd_jsonw_close(w, '}');
	hd_buf_release(&name);
	hd_buf_release(&text);
}

static void results(struct hd_jsonw *w, const struct hd_comparison *c)
{
	struct hd_gate_line *lines;
	size_t n = cases(&lines, c);

	for (size_t i = 0; i < n; i++)
		sarif_result(w, &lines[i]);
	if (c->verdict == HD_NOT_COMPARABLE) {
		begin_result(w, NOT_COMPARABLE, c->reason);
		hd_jsonw_close(w, '}');
	}
	free(lines);
}

void hd_gate_sarif(struct hd_buf *out, const struct hd_comparison *c, const char *command)
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
	hd_jsonw_open(&w, "rules", '[');
	for (size_t i = 0; i < HD_COUNT(rules); i++) {
		hd_jsonw_open(&w, NULL, '{');
		hd_jsonw_str(&w, "id", rules[i].id);
		message(&w, "shortDescription", rules[i].text);
		hd_jsonw_row(&w, "defaultConfiguration", '{');
		hd_jsonw_str(&w, "level", rules[i].level);
		hd_jsonw_close(&w, '}');
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
	hd_jsonw_close(&w, '}');
	hd_buf_addf(&id, "%s/%s/", command, target_of(c));
	hd_jsonw_row(&w, "automationDetails", '{');
	hd_jsonw_str(&w, "id", id.data);
	hd_jsonw_close(&w, '}');
	hd_jsonw_open(&w, "results", '[');
	results(&w, c);
	if (c->pin)
		results(&w, c->pin);
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
	hd_buf_release(&id);
}
