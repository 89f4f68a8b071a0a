/*
 * span_table.c - see span_table.h
 */
#include "render/span_table.h"

#include "base/mem.h"
#include "render/fields.h"
#include "render/unit_text.h"

#include <math.h>

struct line {
	struct hd_span_table_row row;
	uint64_t off_ns;
	double off_pct;		/* time off the CPU in per cent of the busy time */
	const char *busy, *blocked, *queued, *preempted;
};

#define FIELD(key, title, kind, member)	HD_FIELD(key, title, kind, struct line, member)
static const struct hd_field fields[] = {
	FIELD("span", "span", NAME, row.name),
	FIELD("spans", "spans", COUNT, row.spans),
	FIELD("polls", "polls", COUNT, row.polls),
	FIELD("threads", "threads", COUNT, row.threads),
	FIELD("busy_ns", NULL, WEIGHT, row.busy_ns),
	FIELD(NULL, "busy", TEXT, busy),
	FIELD("off_cpu_ns", NULL, WEIGHT, off_ns),
	FIELD("off_cpu_pct", "off CPU", PERCENT, off_pct),
	FIELD("blocked_ns", NULL, WEIGHT, row.blocked_ns),
	FIELD(NULL, "blocked", TEXT, blocked),
	FIELD("queued_ns", NULL, WEIGHT, row.queued_ns),
	FIELD(NULL, "queued", TEXT, queued),
	FIELD("preempted_ns", NULL, WEIGHT, row.preempted_ns),
	FIELD(NULL, "preempted", TEXT, preempted),
};
static const struct hd_fields span_fields = { fields, HD_COUNT(fields), 0 };

static struct line line_of(const struct hd_span_table_row *r)
{
	uint64_t off = r->blocked_ns + r->queued_ns + r->preempted_ns;

	return (struct line){ .row = *r, .off_ns = off,
			      .off_pct = r->busy_ns ? 100.0 * (double)off / (double)r->busy_ns : NAN };
}

static void print_table(struct hd_buf *out, const struct hd_span_table *t, bool markdown)
{
	struct hd_table table;

	hd_fields_table(&table, &span_fields);
	for (size_t i = 0; i < t->n; i++) {
		struct line line = line_of(&t->rows[i]);
		uint64_t ns[] = { line.row.busy_ns, line.row.blocked_ns, line.row.queued_ns, line.row.preempted_ns };
		struct hd_buf text[HD_COUNT(ns)] = { 0 };

		for (size_t k = 0; k < HD_COUNT(ns); k++)
			hd_unit_text_add(&text[k], ns[k], "ns");
		line.busy = hd_buf_str(&text[0]);
		line.blocked = hd_buf_str(&text[1]);
		line.queued = hd_buf_str(&text[2]);
		line.preempted = hd_buf_str(&text[3]);
		hd_fields_cells(&table, &span_fields, &line);
		for (size_t k = 0; k < HD_COUNT(ns); k++)
			hd_buf_release(&text[k]);
	}
	hd_table_write(out, &table, markdown);
	hd_buf_adds(out, "\noff the CPU outside of all polls: ");
	hd_unit_text_add(out, t->unmatched_ns, "ns");
	hd_buf_addc(out, '\n');
}

static void print_json(struct hd_buf *out, const struct hd_span_table *t)
{
	struct hd_jsonw w = hd_jsonw_document(out, "hotdrift.spans", 1);

	hd_jsonw_str(&w, "spans_file", t->file);
	hd_jsonw_u64(&w, "unmatched_ns", t->unmatched_ns);
	hd_jsonw_open(&w, "rows", '[');
	for (size_t i = 0; i < t->n; i++) {
		struct line line = line_of(&t->rows[i]);

		hd_fields_object(&w, &span_fields, &line);
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
}

void hd_span_table_print(struct hd_buf *out, const struct hd_span_table *t, enum hd_format format)
{
	if (format == HD_FORMAT_JSON)
		print_json(out, t);
	else
		print_table(out, t, format == HD_FORMAT_MARKDOWN);
}
