/*
 * report_json.c - a table by keys as JSON: see report.h
 *
 * A recording of code without symbols has a row for each address: a hundred
 * thousand of them, and most of what they say their neighbours said, too.
 */
#include "render/report_json.h"

#include "profile/sampling_error.h"
#include "base/jsonw.h"
#include "base/mem.h"

#include <stdio.h>

enum { FULL = 32 * 1024 };	/* bytes */

static void json_value(struct hd_jsonw *w, const struct hd_profile *p, const char *key, struct hd_value v)
{
	char address[24];

	switch (v.kind) {
	case HD_VALUE_NONE:	hd_jsonw_null(w, key); break;
	case HD_VALUE_SIGNED:	hd_jsonw_i64(w, key, (int64_t)v.v); break;
	case HD_VALUE_UNSIGNED:
	case HD_VALUE_NAMELESS:	hd_jsonw_u64(w, key, v.v); break;
	case HD_VALUE_ADDRESS:
		snprintf(address, sizeof(address), "0x%llx", (unsigned long long)v.v);
		hd_jsonw_str(w, key, address);
		break;
	case HD_VALUE_TEXT:
		hd_jsonw_strn(w, key, hd_profile_str(p, (uint32_t)v.v), hd_strtab_len(p->names, (uint32_t)v.v));
		break;
	}
}

/* Is there a value whose name is not known? */
static bool json_fields(struct hd_jsonw *w, const struct hd_profile *p, const struct hd_group_row *r)
{
	const struct hd_value *values = hd_tuples_get(&p->tuples, r->tuple);
	bool nameless = false;

	for (size_t i = 0; i < p->nfields; i++) {
		json_value(w, p, p->fields[i], values[i]);
		nameless |= values[i].kind == HD_VALUE_NAMELESS;
	}
	return nameless;
}

/* The keys of a row that its neighbours often share, as they were written last. */
struct json_shared {
	uint32_t event, comm, dso;
	struct hd_buf text;
};

/* The keys from the event to the object. */
static bool json_owner(struct hd_jsonw *w, const struct hd_profile *p, const struct hd_group_row *r, unsigned by)
{
	bool nameless = false;

	hd_jsonw_str(w, "event", hd_profile_str(p, p->events[r->event].name));
	if (by & HD_BY_COMM)
		hd_jsonw_str(w, "comm", hd_profile_str(p, r->comm));
	if (by & HD_BY_PID)
		hd_jsonw_i64(w, "pid", r->pid);
	if (by & HD_BY_TID)
		hd_jsonw_i64(w, "tid", r->tid);
	if (by & HD_BY_CPU) {
		if (r->cpu == UINT32_MAX)
			hd_jsonw_null(w, "cpu");
		else
			hd_jsonw_u64(w, "cpu", r->cpu);
	}
	if (by & HD_BY_FIELDS)
		nameless = json_fields(w, p, r);
	if (by & HD_BY_DSO)
		hd_jsonw_str(w, "dso", hd_profile_str(p, r->dso));
	return nameless;
}

/* The same where these are only names: what the row before had is not encoded again. */
static void json_owner_shared(struct hd_jsonw *w, const struct hd_profile *p, const struct hd_group_row *r, unsigned by,
	struct json_shared *last)
{
	size_t from = w->out->len;

	if (last->text.len && last->event == r->event && last->comm == r->comm && last->dso == r->dso) {
		hd_buf_add(w->out, last->text.data, last->text.len);
		return;
	}
	json_owner(w, p, r, by);
	last->event = r->event;
	last->comm = r->comm;
	last->dso = r->dso;
	hd_buf_reset(&last->text);
	hd_buf_add(&last->text, w->out->data + from, w->out->len - from);
}

static void json_keys(struct hd_jsonw *w, const struct hd_profile *p, const struct hd_group_row *r,
	const struct hd_report_opts *o, unsigned by, struct json_shared *last)
{
	const struct hd_profile_symbol *s = &p->symbols[r->symbol];
	char address[24];
	bool nameless = false;

	if (by & (HD_BY_PID | HD_BY_TID | HD_BY_CPU | HD_BY_FIELDS))
		nameless = json_owner(w, p, r, by);
	else
		json_owner_shared(w, p, r, by, last);
	if (by & HD_BY_SYMBOL)
		hd_jsonw_str(w, "symbol", hd_symbol_text(p, r->symbol, o->full_names, address, sizeof(address)));
	if (by & HD_BY_LINE) {
		struct hd_buf line = { 0 };

		hd_report_source_line(&line, p, r);
		hd_jsonw_str(w, "line", hd_buf_str(&line));
		hd_buf_release(&line);
	}
	if (nameless || r->dso_unknown || (by & HD_BY_SYMBOL && s->unresolved) || (by & HD_BY_LINE && !r->file))
		hd_jsonw_bool(w, "unknown", true);
}

void hd_report_json(struct hd_buf *out, struct hd_outfile *file, const struct hd_profile *p, unsigned by,
	const struct hd_report_opts *o)
{
	static const char *const words[] = { "event", "comm", "pid", "tid", "cpu", "dso", "symbol", "line" };
	struct hd_jsonw w = hd_jsonw_to(out);
	struct json_shared shared = { 0 };
	struct hd_groups g;

	hd_groups_build(&g, p, by, o->inlined);
	hd_jsonw_open(&w, NULL, '{');
	hd_jsonw_str(&w, "format", "hotdrift.report");
	hd_jsonw_u64(&w, "version", 1);
	hd_jsonw_row(&w, "by", '[');
	for (size_t i = 0; i < HD_COUNT(words); i++)
		if (by & 1u << i)
			hd_jsonw_str(&w, NULL, words[i]);
	for (size_t i = 0; by & HD_BY_FIELDS && i < p->nfields; i++)
		hd_jsonw_str(&w, NULL, p->fields[i]);
	hd_jsonw_close(&w, ']');
	hd_jsonw_bool(&w, "inline", o->inlined);
	hd_jsonw_open(&w, "events", '[');
	for (size_t i = 0; i < p->nevents; i++) {
		hd_jsonw_row(&w, NULL, '{');
		hd_jsonw_str(&w, "event", hd_profile_str(p, p->events[i].name));
		hd_jsonw_str(&w, "unit", hd_profile_str(p, p->events[i].unit));
		hd_jsonw_u64(&w, "samples", p->events[i].samples);
		hd_jsonw_u64(&w, "weight", p->events[i].weight);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_open(&w, "rows", '[');
	for (size_t i = 0; i < g.n; i++) {
		const struct hd_group_row *r = &g.rows[i];

		if (i + 8 < g.n)	/* in order of cost they lie anywhere */
			__builtin_prefetch(&p->symbols[g.rows[i + 8].symbol]);
		if (!hd_report_keeps_row(o, p, r))
			continue;
		if (file && out->len > FULL) {
			hd_outfile_add(file, out->data, out->len);
			hd_buf_reset(out);
		}
		hd_jsonw_row(&w, NULL, '{');
		hd_jsonw_u64(&w, "rank", r->rank);
		json_keys(&w, p, r, o, by, &shared);
		hd_jsonw_u64(&w, "self", r->self);
		hd_jsonw_num(&w, "self_pct", hd_share_pct(r->self, p->events[r->event].weight), 6);
		if (hd_sampling_error_applies(p, r->event))
			hd_jsonw_num(&w, "self_sd_pct",
				hd_sampling_error_sd_pct(p, r->event, r->self, r->samples, r->var), 6);
		p->recording.stored ? hd_jsonw_null(&w, "samples") : hd_jsonw_u64(&w, "samples", r->samples);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
	hd_buf_release(&shared.text);
	hd_groups_release(&g);
}
