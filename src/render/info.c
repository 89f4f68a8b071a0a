/*
 * info.c - see info.h
 */
#include "render/info.h"

#include "profile/top.h"
#include "base/encode.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "render/fields.h"
#include "render/gpu.h"
#include "render/quality.h"
#include "render/table.h"
#include "render/top.h"
#include "render/unit_text.h"

#include <stdio.h>
#include <string.h>

#define INSIDE "inside the recording"	/* value of hd_object_quality.source if the recording has the symbols */

enum { TEXT_OBJECTS = 12 };	/* maximum number of objects in text; JSON has all */

/* ---- text ---- */

static void field(struct hd_buf *out, const char *label, const char *value)
{
	if (!value)
		return;
	hd_buf_addf(out, "%-11s ", label);
	hd_enc_term(out, value, strlen(value));
	hd_buf_addc(out, '\n');
}

static void text_file(struct hd_buf *out, const struct hd_recording *r)
{
	struct hd_buf b = { 0 };

	field(out, "file", r->path);
	hd_buf_adds(&b, r->format ? r->format : "?");
	if (r->stored) {
		hd_buf_adds(&b, "; 'hotdrift show' names its recording, which has more");
	} else {
		hd_buf_adds(&b, ", ");
		hd_unit_text_count(&b, r->bytes);
		hd_buf_adds(&b, " bytes");
	}
	if (r->endian)
		hd_buf_addf(&b, ", %s mode, %s-endian", r->mode, r->endian);
	hd_buf_adds(&b, r->compressed ? ", zstd" : "");
	hd_buf_adds(&b, r->truncated ? ", CUT OFF" : "");
	field(out, "format", hd_buf_str(&b));
	hd_buf_release(&b);
}

static void text_header(struct hd_buf *out, const struct hd_recording *r)
{
	struct hd_buf b = { 0 };

	field(out, "host", r->hostname);
	/* Encode os_release and arch separately: hd_enc_term() writes an empty text as `\e`, so that it is visible. */
	if (r->os_release || r->arch) {
		hd_buf_addf(out, "%-11s ", "kernel");
		hd_enc_term(out, r->os_release ? r->os_release : "?", r->os_release ? strlen(r->os_release) : 1);
		if (r->arch) {
			hd_buf_addc(out, ' ');
			hd_enc_term(out, r->arch, strlen(r->arch));
		}
		hd_buf_addc(out, '\n');
	}
	if (r->machine)
		hd_buf_addf(out, "%-11s %s, from its %s; the recording does not contain it\n", "machine",
			r->machine, r->machine_by);
	if (r->cpudesc) {
		hd_buf_addf(out, "%-11s ", "cpu");
		hd_enc_term(out, r->cpudesc, strlen(r->cpudesc));
		hd_buf_addf(out, ", %u online\n", r->nrcpus);
	}
	field(out, "perf", r->perf_version);
	if (r->ncmdline) {
		hd_buf_addf(out, "%-11s", "command");
		for (size_t i = 0; i < r->ncmdline; i++) {
			hd_buf_addc(out, ' ');
			hd_enc_term(out, r->cmdline[i], strlen(r->cmdline[i]));
		}
		hd_buf_addc(out, '\n');
	}
	if (r->command_exit && !strcmp(r->command_exit, "missing") && !r->tail_lost)
		field(out, "end",
			"the command's end is not in it: a signal or a limit ended the recording, or its last records "
			"are missing");
	if (r->last_ns) {
		hd_buf_reset(&b);
		hd_unit_text_add(&b, r->last_ns - r->first_ns, "ns");
		hd_buf_adds(&b, " from the first to the last sample");
		field(out, "time", hd_buf_str(&b));
	}
	hd_buf_release(&b);
}

/* Print how events were sampled: one line for all events if their rates are equal, else one line per event. */
static void text_rates(struct hd_buf *out, const struct hd_profile *p)
{
	struct hd_buf first = { 0 }, b = { 0 };
	bool alike = true;

	for (size_t i = 0; i < p->nevents; i++) {
		hd_buf_reset(&b);
		hd_rate_text(i ? &b : &first, &p->events[i].rate);
		alike = alike && (!i || !strcmp(hd_buf_str(&b), hd_buf_str(&first)));
	}
	for (size_t i = 0; i < p->nevents && (i == 0 || !alike); i++) {
		const struct hd_event *e = &p->events[i];

		hd_buf_reset(&b);
		hd_rate_text(&b, &e->rate);
		if (!b.len)
			continue;
		hd_buf_addf(out, "%-11s ", "sampling");
		if (!alike) {
			hd_enc_term(out, hd_profile_str(p, e->name), hd_strtab_len(p->names, e->name));
			hd_buf_adds(out, ": ");
		}
		hd_buf_addf(out, "%s\n", b.data);
	}
	hd_buf_release(&first);
	hd_buf_release(&b);
}

static void text_samples(struct hd_buf *out, const struct hd_profile *p)
{
	struct hd_buf b = { 0 };

	for (size_t i = 0; i < p->nevents; i++) {
		hd_buf_adds(out, i ? "            " : "events      ");
		hd_event_line(out, p, (uint32_t)i, false);
		hd_buf_addc(out, '\n');
	}
	text_rates(out, p);
	hd_unit_text_count(&b, p->read);
	hd_buf_adds(&b, " read, ");
	hd_unit_text_count(&b, p->kept);
	hd_buf_adds(&b, " kept");
	for (size_t i = 0; i < p->ndropped; i++) {
		hd_buf_adds(&b, i ? ", " : "; dropped: ");
		hd_unit_text_count(&b, p->dropped[i].count);
		hd_buf_addf(&b, " (%s)", p->dropped[i].reason);
	}
	field(out, "samples", hd_buf_str(&b));
	hd_buf_release(&b);
}

enum { TEXT_WIDTH = 120 };

/* Print the sample fields that can be selected by name, one paragraph per event. */
static void text_fields(struct hd_buf *out, const struct hd_profile *p)
{
	const struct hd_recording *r = &p->recording;
	const char *label = "fields";

	for (size_t i = 0; i < r->nfields; i++) {
		const struct hd_event_fields *f = &r->fields[i];
		const char *event = hd_profile_str(p, p->events[f->event].name);
		size_t from = out->len;

		if (!f->n)
			continue;
		hd_buf_addf(out, "%-11s ", label);
		label = "";
		hd_enc_term(out, event, strlen(event));
		hd_buf_addc(out, ':');
		for (size_t k = 0; k < f->n; k++) {
			if (out->len - from + 1 + strlen(f->names[k]) > TEXT_WIDTH) {
				hd_buf_addf(out, "\n%-13s", "");
				from = out->len - 13;
			}
			hd_buf_addc(out, ' ');
			hd_enc_term(out, f->names[k], strlen(f->names[k]));
		}
		hd_buf_addc(out, '\n');
	}
}

static void text_records(struct hd_buf *out, const struct hd_recording *r)
{
	if (!r->nrecords)
		return;
	hd_buf_adds(out, "records    ");
	for (size_t i = 0; i < r->nrecords; i++) {
		if (r->records[i].name)
			hd_buf_addf(out, " %s ", r->records[i].name);
		else
			hd_buf_addf(out, " type-%u ", r->records[i].type);
		hd_unit_text_count(out, r->records[i].count);
	}
	hd_buf_addc(out, '\n');
}

/* Print which other data was recorded, such as switches and branches; kinds without data are not mentioned. */
static void text_more(struct hd_buf *out, const struct hd_recording *r)
{
	struct hd_buf b = { 0 };

	if (r->switches) {
		hd_unit_text_count(&b, r->switches);
		hd_buf_adds(&b, " away from a task, ");
		hd_unit_text_count(&b, r->preempted);
		hd_buf_adds(&b, " of them preempted");
		field(out, "switches", hd_buf_str(&b));
	}
	if (r->branches) {
		hd_buf_reset(&b);
		hd_unit_text_count(&b, r->branches);
		hd_buf_adds(&b, " recorded with the samples, ");
		if (r->predicted || r->mispredicted) {
			hd_unit_text_count(&b, r->mispredicted);
			hd_buf_adds(&b, " (");
			hd_unit_text_share(&b, r->mispredicted, r->branches);
			hd_buf_adds(&b, ") mispredicted");
		} else {
			hd_buf_adds(&b, "no prediction data");
		}
		field(out, "branches", hd_buf_str(&b));
	}
	if (r->bpf_loaded || r->bpf_unloaded) {
		hd_buf_reset(&b);
		hd_unit_text_count(&b, r->bpf_loaded);
		hd_buf_adds(&b, r->bpf_loaded == 1 ? " BPF program loaded, " : " BPF programs loaded, ");
		hd_unit_text_count(&b, r->bpf_unloaded);
		hd_buf_adds(&b, " unloaded");
		field(out, "programs", hd_buf_str(&b));
	}
	if (r->trace_bytes) {
		hd_buf_reset(&b);
		hd_unit_text_count(&b, r->trace_bytes);
		hd_buf_adds(&b, " bytes of ");
		hd_buf_adds(&b, r->trace_kind ? r->trace_kind : "hardware trace");
		hd_buf_adds(&b, ", not decoded");
		field(out, "trace", hd_buf_str(&b));
	}
	hd_buf_release(&b);
}

/* Return the reason why the object has no symbol names, or "-". */
static const char *problem_text(const struct hd_object_quality *q)
{
	if (q->problem)
		return q->problem;
	if (q->source && !strcmp(q->source, INSIDE))
		return "- (its names are inside the recording)";
	if (strcmp(q->symbols, "none"))
		return "-";
	if (q->unknown)
		return "the recording has no mapping of these addresses";
	if (!strncmp(q->name, "//", 2) || q->name[0] == '[')
		return "memory without a file; a JIT that ran there has to write /tmp/perf-PID.map or a jitdump";
	return "no symbols were found for it";
}

/* Return true if at least 1 % of the frames have no symbol and are in this object. */
static bool hides_frames(const struct hd_recording *r, const struct hd_object_quality *q)
{
	return q->unknown_frames && q->unknown_frames >= r->frames / 100;
}

/*
 * Print the objects with the most samples, and all in which many frames have no symbol.  The column "unnamed" has their
 * share of all frames.
 */
static void text_objects(struct hd_buf *out, const struct hd_profile *p)
{
	static const struct hd_column columns[] = {
		{ "samples", true, false }, { "symbols", false, false }, { "object", false, true },
		{ "problem", false, true },
	}, with_unnamed[] = {
		{ "samples", true, false }, { "unnamed", true, false }, { "symbols", false, false },
		{ "object", false, true }, { "problem", false, true },
	};
	const struct hd_recording *r = &p->recording;
	bool unnamed = false;
	struct hd_table t;
	size_t more = 0;

	if (!r->nobjects)
		return;
	for (size_t i = 0; i < r->nobjects; i++)
		unnamed = unnamed || r->objects[i].unknown_frames;
	hd_buf_addc(out, '\n');
	hd_table_init(&t, unnamed ? with_unnamed : columns, HD_COUNT(columns) + unnamed);
	for (size_t i = 0; i < r->nobjects; i++) {
		const struct hd_object_quality *q = &r->objects[i];

		if (i >= TEXT_OBJECTS && !hides_frames(r, q)) {
			more++;
			continue;
		}
		hd_table_cellf(&t, "%.2f%%", hd_share_pct(q->samples, p->kept));
		if (unnamed)
			hd_table_cellf(&t, "%.2f%%", hd_share_pct(q->unknown_frames, r->frames));
		hd_table_string(&t, q->symbols);
		if (q->unknown)
			hd_table_pseudo(&t, HD_UNKNOWN);
		else
			hd_table_string(&t, q->name);
		hd_table_string(&t, problem_text(q));
	}
	hd_table_text(out, &t, "");
	hd_table_release(&t);
	if (more)
		hd_buf_addf(out, "and %zu more\n", more);
}

void hd_info_text(struct hd_buf *out, const struct hd_profile *p)
{
	const struct hd_recording *r = &p->recording;

	text_file(out, r);
	text_header(out, r);
	text_samples(out, p);
	text_fields(out, p);
	hd_quality_text(out, r, p->kept);
	text_more(out, r);
	text_records(out, r);
	text_objects(out, p);
	hd_gpu_info_text(out, p);
}

/* ---- JSON ---- */

static void json_file(struct hd_jsonw *w, const struct hd_recording *r)
{
	hd_jsonw_open(w, "file", '{');
	hd_jsonw_str(w, "path", r->path);
	hd_jsonw_str(w, "format", r->format);
	hd_jsonw_u64(w, "bytes", r->bytes);
	hd_jsonw_str(w, "mode", r->mode);
	hd_jsonw_str(w, "endian", r->endian);
	hd_jsonw_bool(w, "compressed", r->compressed);
	hd_jsonw_bool(w, "truncated", r->truncated);
	hd_jsonw_bool(w, "lost_tail", r->tail_lost);
	hd_jsonw_str(w, "command_exit", r->command_exit);
	hd_jsonw_close(w, '}');
}

static void json_header(struct hd_jsonw *w, const struct hd_recording *r)
{
	hd_jsonw_open(w, "header", '{');
	hd_jsonw_str(w, "hostname", r->hostname);
	hd_jsonw_str(w, "os_release", r->os_release);
	hd_jsonw_str(w, "arch", r->arch);
	if (r->machine)
		hd_jsonw_str(w, "machine", r->machine);
	hd_jsonw_str(w, "cpudesc", r->cpudesc);
	hd_jsonw_str(w, "cpuid", r->cpuid);
	hd_jsonw_u64(w, "nrcpus", r->nrcpus);
	hd_jsonw_u64(w, "nrcpus_available", r->nrcpus_avail);
	hd_jsonw_u64(w, "total_mem_kib", r->total_mem_kib);
	hd_jsonw_row(w, "cmdline", '[');
	for (size_t i = 0; i < r->ncmdline; i++)
		hd_jsonw_str(w, NULL, r->cmdline[i]);
	hd_jsonw_close(w, ']');
	hd_jsonw_str(w, "perf_version", r->perf_version);
	hd_jsonw_u64(w, "first_sample_ns", r->first_ns);
	hd_jsonw_u64(w, "last_sample_ns", r->last_ns);
	hd_jsonw_close(w, '}');
}

static void json_event_fields(struct hd_jsonw *w, const struct hd_recording *r, uint32_t event)
{
	hd_jsonw_open(w, "fields", '[');
	for (size_t i = 0; i < r->nfields; i++)
		for (size_t k = 0; r->fields[i].event == event && k < r->fields[i].n; k++)
			hd_jsonw_str(w, NULL, r->fields[i].names[k]);
	hd_jsonw_close(w, ']');
}

static void json_events(struct hd_jsonw *w, const struct hd_profile *p)
{
	hd_jsonw_open(w, "events", '[');
	for (size_t i = 0; i < p->nevents; i++) {
		const struct hd_event *e = &p->events[i];

		hd_jsonw_row(w, NULL, '{');
		hd_jsonw_str(w, "name", hd_profile_str(p, e->name));
		hd_jsonw_u64(w, "samples", e->samples);
		hd_jsonw_u64(w, "weight", e->weight);
		hd_jsonw_str(w, "unit", hd_profile_str(p, e->unit));
		hd_jsonw_u64(w, "lost", e->lost);
		hd_rate_json(w, &e->rate);
		if (p->recording.nfields)
			json_event_fields(w, &p->recording, (uint32_t)i);
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
}

static void json_records(struct hd_jsonw *w, const struct hd_recording *r)
{
	char other[24];

	hd_jsonw_row(w, "records", '{');
	for (size_t i = 0; i < r->nrecords; i++) {
		snprintf(other, sizeof(other), "TYPE_%u", r->records[i].type);
		hd_jsonw_u64(w, r->records[i].name ? r->records[i].name : other, r->records[i].count);
	}
	hd_jsonw_close(w, '}');
	hd_jsonw_row(w, "lost", '{');
	hd_jsonw_u64(w, "events", r->lost);
	hd_jsonw_u64(w, "samples", r->lost_samples);
	hd_jsonw_u64(w, "throttled", r->throttled);
	hd_jsonw_u64(w, "filtered", r->filtered_samples);
	hd_jsonw_close(w, '}');
	hd_jsonw_row(w, "switches", '{');
	hd_jsonw_u64(w, "away", r->switches);
	hd_jsonw_u64(w, "preempted", r->preempted);
	hd_jsonw_close(w, '}');
	hd_jsonw_row(w, "branches", '{');
	hd_jsonw_u64(w, "recorded", r->branches);
	hd_jsonw_u64(w, "predicted", r->predicted);
	hd_jsonw_u64(w, "mispredicted", r->mispredicted);
	hd_jsonw_close(w, '}');
	hd_jsonw_row(w, "bpf_programs", '{');
	hd_jsonw_u64(w, "loaded", r->bpf_loaded);
	hd_jsonw_u64(w, "unloaded", r->bpf_unloaded);
	hd_jsonw_close(w, '}');
	hd_jsonw_row(w, "hardware_trace", '{');
	hd_jsonw_str(w, "kind", r->trace_kind);
	hd_jsonw_u64(w, "bytes", r->trace_bytes);
	hd_jsonw_close(w, '}');
}

static void json_samples(struct hd_jsonw *w, const struct hd_profile *p)
{
	hd_jsonw_open(w, "samples", '{');
	hd_jsonw_u64(w, "read", p->read);
	hd_jsonw_u64(w, "kept", p->kept);
	hd_jsonw_u64(w, "dropped", p->read - p->kept);
	hd_jsonw_row(w, "reasons", '{');
	for (size_t i = 0; i < p->ndropped; i++)
		hd_jsonw_u64(w, p->dropped[i].reason, p->dropped[i].count);
	hd_jsonw_close(w, '}');
	hd_jsonw_close(w, '}');
}

static const struct hd_fields object_fields = HD_FIELDS(
	HD_FIELD("name", NULL, NAME, struct hd_object_quality, name),
	HD_FIELD("unknown", NULL, FLAG, struct hd_object_quality, unknown),
	HD_FIELD("samples", NULL, WEIGHT, struct hd_object_quality, samples),
	HD_FIELD("unknown_frames", NULL, WEIGHT, struct hd_object_quality, unknown_frames),
	HD_FIELD("symbols", NULL, TEXT, struct hd_object_quality, symbols),
	HD_FIELD("source", NULL, NAME, struct hd_object_quality, source),
	HD_FIELD("problem", NULL, TEXT, struct hd_object_quality, problem));
static const struct hd_fields warning_fields = HD_FIELDS(
	HD_FIELD("code", NULL, TEXT, struct hd_warning, code),
	HD_FIELD("count", NULL, WEIGHT, struct hd_warning, count),
	HD_FIELD("text", NULL, NAME, struct hd_warning, text),
	HD_FIELD("fix", NULL, TEXT, struct hd_warning, fix));

void hd_info_json(struct hd_buf *out, const struct hd_profile *p)
{
	struct hd_jsonw w = hd_jsonw_document(out, "hotdrift.info", 1);

	json_file(&w, &p->recording);
	json_header(&w, &p->recording);
	json_events(&w, p);
	json_records(&w, &p->recording);
	json_samples(&w, p);
	hd_quality_json(&w, &p->recording);
	hd_fields_array(&w, "objects", &object_fields, p->recording.objects, p->recording.nobjects,
		sizeof(*p->recording.objects));
	hd_gpu_json(&w, p);
	hd_fields_array(&w, "warnings", &warning_fields, p->log.items, p->log.n, sizeof(*p->log.items));
	hd_jsonw_close(&w, '}');
}
