/*
 * gate_junit.c - print a comparison as JUnit XML; see gate.h
 *
 * The elements are those that CI systems read: testsuites, testsuite, testcase, failure, error, skipped.
 */
#include "base/encode.h"
#include "render/gate.h"
#include "render/gate_cells.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	hd_gate_sentence(&text, l);
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
	size_t n = hd_gate_cases(&lines, c), failures = 0, skipped = 0;
	bool bad = c->verdict == HD_NOT_COMPARABLE;

	for (size_t i = 0; i < n; i++) {
		failures += hd_gate_verdict(&lines[i]) == HD_FAIL && !hd_gate_ack(&lines[i]);
		skipped += hd_gate_verdict(&lines[i]) == HD_INCONCLUSIVE && !hd_gate_ack(&lines[i]);
	}
	hd_buf_addf(&name, "hotdrift %s %s%s", command, hd_gate_field(c, HD_RUN_FIELD_TARGET), more);
	hd_buf_adds(out, "  <testsuite");
	attribute(out, "name", name.data);
	hd_buf_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%d\" skipped=\"%zu\" time=\"0\">\n", n + 1, failures,
		bad, skipped);
	begin_case(out, hd_gate_field(c, HD_RUN_FIELD_TARGET), "comparable");
	if (bad)
		problem(out, "error", "not-comparable", c->reason);
	else
		hd_buf_adds(out, "/>\n");
	for (size_t i = 0; i < n; i++)
		junit_case(out, &lines[i], hd_gate_field(c, HD_RUN_FIELD_TARGET));
	hd_buf_adds(out, "  </testsuite>\n");
	hd_buf_release(&name);
	free(lines);
}

void hd_gate_junit(struct hd_buf *out, const struct hd_comparison *c, const char *command,
	const struct hd_gate_places *places)
{
	(void)places;
	hd_buf_adds(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	suite(out, c, command, "");
	if (c->pin)
		suite(out, c->pin, command, " against the pinned release");
	hd_buf_adds(out, "</testsuites>\n");
}
