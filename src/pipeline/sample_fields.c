/*
 * sample_fields.c - look up and compute the fields for keys, the filter and the weight; see perf_input_state.h
 *
 * Names are looked up before the second pass.  The reading thread evaluates the filter.  The aggregating thread
 * computes tuples and weights, because their texts are interned in the profile's strings.
 */
#include "pipeline/perf_input_state.h"

#include "base/mem.h"
#include "pipeline/filter.h"
#include "pipeline/span_polls.h"
#include "pipeline/wait_reason.h"
#include "offcpu/syscall_names.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

bool hd_perf_input_wants_cgroups(const struct hd_perf_input *in)
{
	const char *field;
	bool any = false;

	for (size_t i = 0; i < in->request.opts->fields.n; i++)
		any |= hd_sample_field_is_cgroup(in->request.opts->fields.items[i]);
	for (size_t i = 0; in->request.select.filter && (field = hd_filter_field(in->request.select.filter, i)); i++)
		any |= hd_sample_field_is_cgroup(field);
	return any;
}

/* Fail if the field is a text in all selected events: a weight is a number. */
static int check_weight(const struct hd_perf_input *in, const char *name, struct hd_err *err)
{
	for (size_t i = 0; i < in->request.nattrs; i++)
		if (in->request.event_wanted[i] && in->fields.weight_field->at[i].source != HD_FIELD_ABSENT &&
			!hd_sample_field_is_text(&in->fields.weight_field->at[i]))
			return 0;
	return hd_fail(err, HD_EUSAGE, "--weight-field: %s is a text; a sample counts for a number", name);
}

/* With --spans, fail unless the samples have times of CLOCK_MONOTONIC, the clock of the file of --spans. */
static int check_clock(const struct hd_perf_input *in, struct hd_err *err)
{
	size_t n;
	const struct hd_perf_attr *attrs = hd_perf_attrs(in->pf, &n);

	for (size_t i = 0; in->request.opts->span_polls && i < n; i++)
		if (!attrs[i].use_clockid || attrs[i].clockid != CLOCK_MONOTONIC)
			return hd_fail(err, HD_EFORMAT,
				"%s: --spans: its times are not those of CLOCK_MONOTONIC; record with perf record -k "
				"CLOCK_MONOTONIC, or hotdrift profile async",
				hd_perf_file(in->pf)->path);
	return 0;
}

/* Return true if the value of the field is the name of another thread than that of the sample. */
static bool names_other_thread(const struct hd_perf_input *in, const struct hd_sample_field *f)
{
	for (size_t i = 0; i < in->request.nattrs; i++)
		if (f->at[i].source == HD_FIELD_WAKER || f->at[i].source == HD_FIELD_WOKEN)
			return true;
	return false;
}

int hd_perf_input_begin_fields(struct hd_perf_input *in, struct hd_err *err)
{
	const struct hd_pipeline_opts *opts = in->request.opts;
	const struct hd_string_list *keys = &opts->fields;
	const char *weight = opts->select.weight_field;
	const bool *wanted = in->request.event_wanted;
	struct hd_field_request *f = &in->fields;
	int rc = check_clock(in, err);

	if (rc < 0)
		return rc;
	if (keys->n > HD_FIELDS_MAX)
		return hd_fail(err, HD_EUSAGE, "--by: %zu fields are too many, %d are allowed", keys->n, HD_FIELDS_MAX);
	f->keys = hd_new_array(const struct hd_sample_field *, keys->n);
	for (; f->nkeys < keys->n && rc >= 0; f->nkeys++) {
		const char *option = opts->launches && f->nkeys + 1 == keys->n ? "--gpu-trace" : "--by";

		rc = hd_field_table_find(&f->keys[f->nkeys], &f->table, keys->items[f->nkeys], true, option, wanted,
			err);
		f->other_threads = f->other_threads || (rc >= 0 && names_other_thread(in, f->keys[f->nkeys]));
	}
	if (rc >= 0 && in->request.select.filter)
		rc = hd_filter_bind(in->request.select.filter, &f->table, wanted, err);
	if (rc >= 0 && weight) {
		rc = hd_field_table_find(&f->weight_field, &f->table, weight, false, "--weight-field", wanted,
			err);
		if (rc >= 0)
			rc = check_weight(in, weight, err);
	}
	if (keys->n)
		hd_profile_keep_fields(in->p, keys->items, keys->n);
	f->per_sample = keys->n || weight;
	f->weight = weight ? HD_WEIGHT_FIELD : (enum hd_weight)opts->select.weight;
	return rc;
}

int hd_perf_input_list_fields(struct hd_perf_input *in, struct hd_err *err)
{
	struct hd_recording *rec = &in->p->recording;
	int rc = 0;

	if (!in->request.opts->list_fields)
		return 0;
	rec->fields = hd_new_array(struct hd_event_fields, in->request.nattrs);
	for (size_t i = 0; i < in->request.nattrs && rc >= 0; i++) {
		struct hd_event_fields *f = &rec->fields[rec->nfields];
		bool known = !in->request.event_wanted[i];

		/* List the fields of the first attr of each event only. */
		for (size_t k = 0; k < rec->nfields; k++)
			known |= rec->fields[k].event == in->request.event_of[i];
		if (known)
			continue;
		rc = hd_field_table_list(&in->fields.table, i, &f->names, &f->n, err);
		f->event = in->request.event_of[i];
		rec->nfields++;
	}
	return rc;
}

void hd_perf_input_end_fields(struct hd_perf_input *in)
{
	hd_field_table_release(&in->fields.table);
	hd_buf_release(&in->fields.text);
	free(in->fields.keys);
}

static struct hd_value text_value(struct hd_perf_input *in, const char *text)
{
	return text ? (struct hd_value){ HD_VALUE_TEXT, hd_strtab_add(in->p->names, text) }
		    : (struct hd_value){ HD_VALUE_NONE, 0 };
}

/*
 * Return the name of the other thread of a span: the thread that woke the thread of the sample, or the thread that it
 * woke.  The name is the one that this other thread had at the time of the wake-up, which ends an interval off the CPU:
 * when the interval began, its waker may not have existed yet.
 */
static struct hd_value other_thread(struct hd_perf_input *in, const struct hd_queued_sample *q,
	const struct hd_thread_interval *span)
{
	struct hd_process_context at;
	struct hd_record_time when = { q->s.time_ns, q->rec.seq };
	int32_t pid, tid;

	if (span->other < 0)
		return (struct hd_value){ HD_VALUE_NONE, 0 };
	if (span->kind == HD_INTERVAL_BLOCKED)
		when = (struct hd_record_time){ q->s.time_ns + span->ns, UINT64_MAX };
	hd_thread_intervals_thread(in->spans->intervals, (uint32_t)span->other, &pid, &tid);
	hd_process_at(in->spaces.proc, pid, tid, when, &at);
	return (struct hd_value){ HD_VALUE_TEXT, hd_process_comm(in->spaces.proc, &at, tid) };
}

/* Return the value of a field of the sample's span. */
static struct hd_value span_value(struct hd_perf_input *in, enum hd_sample_field_source source,
	const struct hd_queued_sample *q)
{
	const struct hd_span_weights *ms = in->spans;
	const struct hd_thread_interval *span = ms->current;
	bool off = span->kind == HD_INTERVAL_BLOCKED || span->kind == HD_INTERVAL_PREEMPTED,
	     call = span->kind == HD_INTERVAL_SYSCALL;
	const struct hd_span_poll *poll;

	switch (source) {
	case HD_FIELD_REASON:
		return span->kind == HD_INTERVAL_BLOCKED ? text_value(in, hd_wait_reasons_of(ms->reasons, ms->leaf)) :
		       text_value(in, span->kind == HD_INTERVAL_PREEMPTED ? "preempted" : NULL);
	case HD_FIELD_FUTURE:
		return text_value(in, hd_wait_reasons_future(ms->reasons, ms->leaf));
	case HD_FIELD_WAKER:
		return off ? other_thread(in, q, span) : text_value(in, NULL);
	case HD_FIELD_WOKEN:
		return span->kind == HD_INTERVAL_WAKEUP ? other_thread(in, q, span) : text_value(in, NULL);
	case HD_FIELD_SYSCALL:
		hd_buf_reset(&in->fields.text);
		return text_value(in, call ? hd_syscall_name(ms->machine, span->other, &in->fields.text) : NULL);
	case HD_FIELD_ERROR:
		return text_value(in, call ? span->open ? "unfinished" : hd_syscall_error(span->error) : NULL);
	case HD_FIELD_SPAN:
		poll = hd_span_polls_at(in->request.opts->span_polls, q->s.tid, q->s.time_ns);
		return text_value(in, poll ? hd_strtab_get(in->request.opts->span_polls->names, poll->name) : NULL);
	default:
		return (struct hd_value){ HD_VALUE_NONE, 0 };
	}
}

static struct hd_value value_of(struct hd_perf_input *in, const struct hd_sample_field *f,
	const struct hd_queued_sample *q)
{
	struct hd_sample_field_value v;

	if (f->at[q->s.attr].source >= HD_FIELD_OF_SPANS)
		return span_value(in, f->at[q->s.attr].source, q);
	if (!hd_sample_field_get(f, &in->fields.table, &q->s, &in->fields.text, &v))
		return (struct hd_value){ HD_VALUE_NONE, 0 };
	if (v.kind == HD_VALUE_TEXT)
		v.number = hd_strtab_addn(in->p->names, v.text, v.len);
	return (struct hd_value){ v.kind, v.number };
}

const char *hd_perf_input_sample_fields(struct hd_perf_input *in, const struct hd_queued_sample *q, uint32_t *tuple,
	uint64_t *weight)
{
	struct hd_value values[HD_FIELDS_MAX];
	struct hd_sample_field_value v;

	if (in->fields.weight_field) {
		if (!hd_sample_field_get(in->fields.weight_field, &in->fields.table, &q->s, &in->fields.text, &v) ||
			v.kind == HD_VALUE_TEXT || v.kind == HD_VALUE_NAMELESS) {
			hd_warn(&in->p->log, "lost.weight-field", "--event NAME selects events that have it",
				"%s: a sample without the field '%s', which is the weight, was dropped",
				hd_perf_file(in->pf)->path, in->fields.weight_field->name);
			return "no weight field";
		}
		if (v.kind == HD_VALUE_SIGNED && (int64_t)v.number < 0) {
			hd_warn(&in->p->log, "lost.weight-negative", "",
				"%s: a sample with the weight '%s' = %lld, which is below 0, was dropped",
				hd_perf_file(in->pf)->path, in->fields.weight_field->name, (long long)v.number);
			return "negative weight";
		}
		*weight = v.number;
	}
	for (size_t i = 0; i < in->fields.nkeys; i++)
		values[i] = value_of(in, in->fields.keys[i], q);
	if (in->fields.nkeys)
		*tuple = hd_tuples_add(&in->p->tuples, values);
	return NULL;
}
