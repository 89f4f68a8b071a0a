/*
 * bottleneck_report.c - see bottleneck_report.h
 */
#include "render/bottleneck_report.h"

#include "base/mem.h"
#include "heap/events.h"
#include "profile/group.h"
#include "profile/symbol_text.h"
#include "render/fields.h"
#include "track/bottleneck_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct line {
	const char *severity, *kind;
	const char *event, *name;	/* name of the event and of the symbol; borrowed, or in report.texts */
	double value, limit;
	char evidence[sizeof(((struct hd_bottleneck *)0)->evidence)];
	const char *suggestion;
};

struct omission {
	const char *what, *why;
	const char *event;		/* name of the event that was not judged; NULL: all events */
};

struct report {
	const struct hd_profile *p;
	bool full_names;
	struct hd_bottleneck_limits limits;
	struct line *lines;
	size_t nlines, lines_cap;
	struct omission *omissions;
	size_t nomissions, omissions_cap;
	char **texts;			/* texts that the report owns */
	size_t ntexts, texts_cap;
};

static const char *keep(struct report *r, char *text)
{
	HD_GROW(r->texts, r->ntexts + 1, r->texts_cap);
	return r->texts[r->ntexts++] = text;
}

static void omit(struct report *r, const char *what, const char *why, const char *event)
{
	HD_GROW(r->omissions, r->nomissions + 1, r->omissions_cap);
	r->omissions[r->nomissions++] = (struct omission){ what, why, event };
}

static const char *name_of(struct report *r, uint32_t symbol)
{
	char address[HD_SYMBOL_TEXT];

	return keep(r, hd_strdup(hd_symbol_text(r->p, symbol, r->full_names, address, sizeof(address))));
}

static void judge(struct report *r, const struct hd_bottleneck_input *in, const char *event)
{
	struct hd_bottleneck_found *found;
	int64_t n = hd_bottleneck_rules_judge(&found, in, &r->limits);

	for (int64_t i = 0; i < n; i++) {
		struct hd_bottleneck b;
		struct line *l;

		hd_bottleneck_rules_describe(&b, in, &r->limits, &found[i]);
		HD_GROW(r->lines, r->nlines + 1, r->lines_cap);
		l = &r->lines[r->nlines++];
		*l = (struct line){ .severity = hd_severity_word(b.severity), .kind = hd_bottleneck_kind_word(b.kind),
			.event = event, .name = b.name, .value = b.value, .limit = b.limit };
		memcpy(l->evidence, b.evidence, sizeof(l->evidence));
		l->suggestion = keep(r, hd_strdup(b.suggestion));
	}
	free(n < 0 ? NULL : found);
}

/* ---- costs ---- */

/* The cost of one symbol in one event.  threads: number of threads with samples; busiest: largest cost of a thread. */
struct symbol_cost {
	uint32_t symbol;
	int32_t pid;
	bool one_process;
	uint64_t self, samples, threads, busiest;
};

/*
 * Sum the costs of one event by symbol.  The n rows have the keys symbol, pid and tid, or only the key symbol if the
 * input does not have the thread of each sample.  Returns the number of symbols.  The caller frees *out.
 */
static size_t sum_symbols(struct symbol_cost **out, const struct hd_group_row *rows, size_t n)
{
	struct symbol_cost *costs = hd_new_array(struct symbol_cost, n);
	struct hd_map by_symbol = { 0 };
	uint32_t ncosts = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t at = hd_map_get(&by_symbol, rows[i].symbol);
		struct symbol_cost *c;

		if (at == HD_MAP_NONE) {
			at = ncosts++;
			hd_map_put(&by_symbol, rows[i].symbol, at);
			costs[at] = (struct symbol_cost){ .symbol = rows[i].symbol, .pid = rows[i].pid,
				.one_process = true };
		}
		c = &costs[at];
		c->one_process &= rows[i].pid == c->pid;
		c->self += rows[i].self;
		c->samples += rows[i].samples;
		c->threads++;
		if (rows[i].self > c->busiest)
			c->busiest = rows[i].self;
	}
	hd_map_release(&by_symbol);
	*out = costs;
	return ncosts;
}

static bool is_time(const char *unit)
{
	return !strcmp(unit, "ns") || !strcmp(unit, "cycles");
}

static void judge_costs(struct report *r, const struct hd_group_row *rows, size_t n)
{
	const struct hd_event *e = &r->p->events[rows->event];
	const char *event = hd_profile_str(r->p, e->name);
	struct symbol_cost *costs;
	size_t ncosts = sum_symbols(&costs, rows, n);
	struct hd_cost_row *in = hd_new_array(struct hd_cost_row, ncosts);

	for (size_t i = 0; i < ncosts; i++) {
		const struct symbol_cost *c = &costs[i];
		bool compared = c->one_process && c->samples >= HD_BOTTLENECK_SAMPLES;

		in[i] = (struct hd_cost_row){ .name = name_of(r, c->symbol), .self = (double)c->self, .total = NAN,
			.calls = NAN, .samples = (double)c->samples, .threads = compared ? (double)c->threads : 0,
			.all_threads = (double)c->self, .busiest = (double)c->busiest };
	}
	judge(r, &(struct hd_bottleneck_input){ .costs = in, .ncosts = ncosts, .flops_per_byte = NAN,
		.unit = hd_profile_str(r->p, e->unit) }, event);
	free(in);
	free(costs);
}

static void add_costs(struct report *r)
{
	const unsigned keys = HD_KEY_PID | HD_KEY_TID;
	const char *format = r->p->recording.format;
	bool threads = (r->p->keys & keys) == keys && format && !strcmp(format, "perf.data");
	struct hd_groups g;

	hd_groups_build(&g, r->p, HD_BY_SYMBOL | (threads ? HD_BY_PID | HD_BY_TID : 0), false);
	for (size_t i = 0, n; i < g.n; i += n) {
		const struct hd_event *e = &r->p->events[g.rows[i].event];

		for (n = 1; i + n < g.n && g.rows[i + n].event == g.rows[i].event;)
			n++;
		if (is_time(hd_profile_str(r->p, e->unit))) {
			judge_costs(r, &g.rows[i], n);
		} else {
			omit(r, "slow-operation", "the unit of the event is not a time", hd_profile_str(r->p, e->name));
		}
	}
	hd_groups_release(&g);
	omit(r, "high-call-count", "samples do not count calls; libhotdrift does", NULL);
	omit(r, "low-throughput, memory-bound", "samples do not count FLOPs and bytes; libhotdrift does", NULL);
	if (threads)
		omit(r, "load-imbalance", "symbols with fewer than 100 samples, or with samples of several processes",
			NULL);
	else
		omit(r, "load-imbalance", "the input does not have the thread of each sample", NULL);
	omit(r, "memory-hotspot, leak", "only heap recordings have allocations", NULL);
}

/* ---- heap recordings ---- */

/* Return the weight of a heap event; 0 if the profile does not have it. */
static uint64_t event_weight(const struct hd_profile *p, enum hd_heap_event_id id)
{
	for (size_t i = 0; i < p->nevents; i++)
		if (!strcmp(hd_profile_str(p, p->events[i].name), hd_heap_events[id].name))
			return p->events[i].weight;
	return 0;
}

static bool is_event(const struct report *r, const struct hd_group_row *row, enum hd_heap_event_id id)
{
	return !strcmp(hd_profile_str(r->p, r->p->events[row->event].name), hd_heap_events[id].name);
}

static void judge_memory(struct report *r, const struct hd_groups *g, enum hd_heap_event_id id)
{
	struct hd_memory_row *rows = hd_new_array(struct hd_memory_row, g->n);
	struct hd_bottleneck_input in = { .memory = rows, .flops_per_byte = NAN };

	for (size_t i = 0; i < g->n; i++) {
		double self = (double)g->rows[i].self;

		if (!is_event(r, &g->rows[i], id))
			continue;
		rows[in.nmemory++] = (struct hd_memory_row){ .name = name_of(r, g->rows[i].symbol),
			.at_peak = id == HD_HEAP_PEAK ? self : NAN, .live = id == HD_HEAP_LEAKED ? self : NAN,
			.live_blocks = NAN, .oldest_ns = NAN };
	}
	in.peak = (double)event_weight(r->p, HD_HEAP_PEAK);
	in.allocated = (double)event_weight(r->p, HD_HEAP_ALLOCATED);
	judge(r, &in, hd_heap_events[id].name);
	free(rows);
}

static void add_memory(struct report *r)
{
	struct hd_groups g;

	hd_groups_build(&g, r->p, HD_BY_SYMBOL, false);
	judge_memory(r, &g, HD_HEAP_PEAK);
	judge_memory(r, &g, HD_HEAP_LEAKED);
	hd_groups_release(&g);
	if (!event_weight(r->p, HD_HEAP_ALLOCATED))
		omit(r, "leak", "the event allocated is not selected, so that the share of all bytes is unknown", NULL);
	omit(r, "slow-operation, high-call-count, low-throughput, memory-bound, load-imbalance",
	     "a heap recording has allocations only", NULL);
}

/* ---- the report ---- */

struct printed {
	const char *severity, *kind, *event, *name, *evidence, *suggestion;
	double value, limit;
};

static const struct hd_field fields[] = {
	HD_FIELD("severity", "severity", TEXT, struct printed, severity),
	HD_FIELD("kind", "kind", TEXT, struct printed, kind),
	HD_FIELD("event", "event", NAME, struct printed, event),
	HD_FIELD("name", "symbol", NAME, struct printed, name, .place = 1),
	HD_FIELD("value", NULL, REAL, struct printed, value),
	HD_FIELD("limit", NULL, REAL, struct printed, limit),
	HD_FIELD("evidence", "evidence", TEXT, struct printed, evidence),
	HD_FIELD("suggestion", NULL, TEXT, struct printed, suggestion),
};

static struct printed printed_of(const struct line *l)
{
	return (struct printed){ l->severity, l->kind, l->event, l->name,
		l->evidence, l->suggestion, l->value, l->limit };
}

static void write_json(struct hd_buf *out, const struct report *r, size_t n)
{
	struct hd_fields f = { fields, HD_COUNT(fields), 0 };
	struct hd_jsonw w = hd_jsonw_document(out, "hotdrift.bottlenecks", 1);

	hd_jsonw_open(&w, "rows", '[');
	for (size_t i = 0; i < n; i++) {
		struct printed row = printed_of(&r->lines[i]);

		hd_fields_object(&w, &f, &row);
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_open(&w, "not_judged", '[');
	for (size_t i = 0; i < r->nomissions; i++) {
		hd_jsonw_row(&w, NULL, '{');
		hd_jsonw_str(&w, "what", r->omissions[i].what);
		hd_jsonw_str(&w, "why", r->omissions[i].why);
		hd_jsonw_str(&w, "event", r->omissions[i].event);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
}

/* Write a suggestion for each kind of bottleneck that was found, once per kind. */
static void write_suggestions(struct hd_buf *out, const struct report *r, size_t n, bool markdown)
{
	for (size_t i = 0; i < n; i++) {
		bool again = false;

		for (size_t k = 0; k < i; k++)
			again |= !strcmp(r->lines[k].kind, r->lines[i].kind);
		if (again || !*r->lines[i].suggestion)
			continue;
		hd_buf_addf(out, "%s%s: %s\n", markdown ? "- " : "", r->lines[i].kind, r->lines[i].suggestion);
	}
}

static void write_table(struct hd_buf *out, const struct report *r, size_t n, bool markdown)
{
	struct hd_fields f = { fields, HD_COUNT(fields), 0 };
	struct hd_table t;

	if (!n)
		hd_buf_adds(out, "no bottleneck\n");
	if (n) {
		hd_fields_table(&t, &f);
		for (size_t i = 0; i < n; i++) {
			struct printed row = printed_of(&r->lines[i]);

			hd_fields_cells(&t, &f, &row);
		}
		hd_table_write(out, &t, markdown);
		hd_buf_addc(out, '\n');
		write_suggestions(out, r, n, markdown);
	}
	hd_buf_adds(out, "\nnot judged:\n");
	if (markdown)
		hd_buf_addc(out, '\n');
	for (size_t i = 0; i < r->nomissions; i++) {
		const struct omission *o = &r->omissions[i];

		hd_buf_addf(out, "%s %s: %s", markdown ? "-" : " ", o->what, o->why);
		if (o->event) {
			hd_buf_adds(out, ", ");
			hd_table_name(out, o->event, markdown);
		}
		hd_buf_addc(out, '\n');
	}
}

void hd_bottleneck_report(struct hd_buf *out, const struct hd_profile *p, enum hd_format format, size_t limit,
	bool full_names)
{
	struct report r = { .p = p, .full_names = full_names };
	size_t n;

	hd_bottleneck_limits(&r.limits);
	if (p->recording.heap_interval)
		add_memory(&r);
	else
		add_costs(&r);
	if (p->gpu)
		omit(&r, "the use of GPUs", "the report without --bottlenecks has these findings", NULL);
	n = limit && limit < r.nlines ? limit : r.nlines;
	if (format == HD_FORMAT_JSON)
		write_json(out, &r, n);
	else
		write_table(out, &r, n, format == HD_FORMAT_MARKDOWN);
	for (size_t i = 0; i < r.ntexts; i++)
		free(r.texts[i]);
	free(r.texts);
	free(r.lines);
	free(r.omissions);
}
