/*
 * quality.c - see quality.h
 */
#include "render/quality.h"

#include "profile/stack_quality.h"
#include "base/encode.h"
#include "render/fields.h"
#include "render/unit_text.h"

#include <math.h>
#include <string.h>

enum {
	TEXT_GAPS = 8,			/* maximum number of objects in text; JSON has all */
	GAP_INDENT = 22,		/* columns of indentation before an object's name */
	MOST_COPY = 65528,		/* largest stack copy in bytes that perf can request */
};

/* ---- text ---- */

static void share(struct hd_buf *out, const char *before, uint64_t part, uint64_t all, const char *after)
{
	hd_buf_adds(out, before);
	hd_unit_text_share(out, part, all);
	hd_buf_adds(out, after);
}

/* Print one indented line: `part` as a percentage of `all`, and `text`.  If `part` is 0, print nothing. */
static void line(struct hd_buf *out, uint64_t part, uint64_t all, const char *text)
{
	if (part) {
		share(out, "            ", part, all, " ");
		hd_buf_adds(out, text);
		hd_buf_addc(out, '\n');
	}
}

static void what_there_is(struct hd_buf *out, const struct hd_recording *r, uint64_t kept)
{
	hd_buf_adds(out, "stacks      ");
	hd_unit_text_count(out, r->with_stack);
	share(out, r->with_stack == 1 ? " sample (" : " samples (", r->with_stack, kept, ") ");
	hd_buf_adds(out, r->with_stack == 1 ? "has " : "have ");
	if (r->copied_stacks) {
		hd_buf_adds(out, "a stack copy");
		if (r->stack_copy_bytes) {
			hd_buf_adds(out, " of ");
			hd_unit_text_count(out, r->stack_copy_bytes);
			hd_buf_adds(out, " bytes");
		}
	}
	if (r->copied_stacks < r->with_stack)
		hd_buf_adds(out, r->copied_stacks ? " or a user call chain" : "a user call chain");
	hd_buf_addc(out, '\n');
}

static void roots(struct hd_buf *out, const struct hd_recording *r)
{
	share(out, "            ", r->root_reached, r->with_stack, " of them reach their root");
	if (r->stitched_root)
		share(out, ", ", r->stitched_root, r->with_stack, " more stitched");
	if (r->guessed_root)
		share(out, ", ", r->guessed_root, r->with_stack, " more guessed");
	hd_buf_addc(out, '\n');
}

static void cut(struct hd_buf *out, const struct hd_recording *r)
{
	struct hd_buf b = { 0 };

	hd_buf_adds(&b, "cut, the copy ended before the stack");
	if (r->stitched)
		share(&b, " (", r->stitched, r->with_stack, " stitched on from other samples)");
	if (r->stack_copy_bytes >= MOST_COPY)
		hd_buf_adds(&b, "; it is the largest that perf makes");
	else if (r->stack_copy_bytes)
		hd_buf_addf(&b, "; --call-graph dwarf,%u holds more",
			    r->stack_copy_bytes < MOST_COPY / 2 ? 2 * r->stack_copy_bytes : MOST_COPY);
	line(out, r->stacks_cut, r->with_stack, hd_buf_str(&b));
	hd_buf_release(&b);
}

static void indented(struct hd_buf *out, const char *text)
{
	hd_buf_addf(out, "%*s%s\n", GAP_INDENT, "", text);
}

/* Print two or three lines per object: how many stacks it cuts, why, and the fix. */
static void gaps(struct hd_buf *out, const struct hd_recording *r)
{
	for (size_t i = 0; i < r->ngaps && i < TEXT_GAPS; i++) {
		const struct hd_unwind_gap *g = &r->gaps[i];

		hd_buf_addf(out, "%*llu  ", GAP_INDENT - 2, (unsigned long long)g->samples);
		hd_enc_term(out, g->name, strlen(g->name));
		hd_buf_addc(out, '\n');
		indented(out, g->why);
		if (*g->fix)
			indented(out, g->fix);
	}
	if (r->ngaps > TEXT_GAPS)
		hd_buf_addf(out, "%*sand %zu more objects\n", GAP_INDENT, "", r->ngaps - TEXT_GAPS);
}

static void grade(struct hd_buf *out, const struct hd_recording *r)
{
	struct hd_stack_quality q = hd_stack_quality_of(r);

	hd_buf_addf(out, "quality     %s: ", hd_stack_grade_word(q.grade));
	if (!r->with_stack) {
		hd_buf_adds(out, "self costs only, as no sample has a user call chain or a stack copy");
		hd_buf_adds(out, r->copies_left ? " that is unwound here\n" : "\n");
		return;
	}
	share(out, "", r->root_reached + r->stitched_root, r->with_stack, " of ");
	hd_unit_text_count(out, r->with_stack);
	hd_buf_adds(out, r->with_stack == 1 ? " stack reach" : " stacks reach");
	hd_buf_adds(out, r->with_stack == 1 ? "es its root" : " their root");
	if (r->stitched_root)
		share(out, " (", r->stitched_root, r->with_stack, " stitched)");
	if (r->caller_hidden)
		share(out, ", ", r->caller_hidden, r->with_stack, " lack a caller");
	share(out, ", ", r->unknown_frames, r->frames, " of the frames have no symbol\n");
}

void hd_quality_text(struct hd_buf *out, const struct hd_recording *r, uint64_t kept)
{
	if (!r->with_stack && (!r->nrecords || !kept))	/* print nothing for folded text, which has no stack quality */
		return;
	if (r->copies_left) {
		hd_buf_adds(out, "stacks      ");
		hd_unit_text_count(out, r->copies_left);
		share(out, r->copies_left == 1 ? " sample (" : " samples (", r->copies_left, kept, ") ");
		hd_buf_adds(out, r->copies_left == 1 ? "has" : "have");
		hd_buf_adds(out, " a stack copy, which is not unwound for this machine: record with --call-graph fp\n");
	}
	if (!r->with_stack && !r->copies_left) {
		hd_buf_adds(out,
			"stacks      none: recorded without call chains; add --call-graph fp (or dwarf) to perf "
			"record\n");
	} else if (r->with_stack) {
		what_there_is(out, r, kept);
		roots(out, r);
		cut(out, r);
		line(out, r->guessed, r->with_stack, "hold guessed frames, found through frame pointers alone");
		line(out, r->no_unwind, r->with_stack,
			"ended where there is no unwind information, or where it proved wrong");
		gaps(out, r);
		line(out, r->caller_hidden, r->with_stack,
			"lack the caller of their innermost function, which had set up no frame pointer: "
			"record with --call-graph dwarf or lbr");
		if (!r->copied_stacks && hd_stack_quality_of(r).root_pct < 95)
			hd_buf_adds(out,
				"            the others end in code without frame pointers (-fno-omit-frame-pointer, "
				"or --call-graph dwarf) or without symbols\n");
	}
	grade(out, r);
}

/* ---- JSON ---- */

static const struct hd_fields gap_fields = HD_FIELDS(
	HD_FIELD("object", NULL, NAME, struct hd_unwind_gap, name),
	HD_FIELD("samples", NULL, WEIGHT, struct hd_unwind_gap, samples),
	HD_FIELD("why", NULL, TEXT, struct hd_unwind_gap, why),
	HD_FIELD("fix", NULL, TEXT, struct hd_unwind_gap, fix));

void hd_quality_json(struct hd_jsonw *w, const struct hd_recording *r)
{
	struct hd_stack_quality q = hd_stack_quality_of(r);

	hd_jsonw_open(w, "stacks", '{');
	hd_jsonw_u64(w, "with_stack", r->with_stack);
	hd_jsonw_u64(w, "root_reached", r->root_reached);
	hd_jsonw_u64(w, "stitched_root", r->stitched_root);
	hd_jsonw_u64(w, "guessed_root", r->guessed_root);
	hd_jsonw_u64(w, "caller_hidden", r->caller_hidden);
	hd_jsonw_u64(w, "copied", r->copied_stacks);
	if (r->copies_left)
		hd_jsonw_u64(w, "copies_not_unwound", r->copies_left);
	hd_jsonw_u64(w, "stack_copy_bytes", r->stack_copy_bytes);
	hd_jsonw_u64(w, "truncated", r->stacks_cut);
	hd_jsonw_u64(w, "stitched", r->stitched);
	hd_jsonw_u64(w, "guessed", r->guessed);
	hd_jsonw_u64(w, "no_unwind", r->no_unwind);
	hd_jsonw_u64(w, "unknown_frames", r->unknown_frames);
	hd_jsonw_u64(w, "frames", r->frames);
	hd_fields_array(w, "gaps", &gap_fields, r->gaps, r->ngaps, sizeof(*r->gaps));
	hd_jsonw_close(w, '}');
	hd_jsonw_row(w, "quality", '{');
	hd_jsonw_str(w, "grade", hd_stack_grade_word(q.grade));
	hd_jsonw_num(w, "root_pct", q.root_pct, 6);
	hd_jsonw_num(w, "stitched_pct", q.stitched_pct, 6);
	hd_jsonw_num(w, "unknown_pct", q.unknown_pct, 6);
	hd_jsonw_close(w, '}');
}

/* ---- the sampling of an event ---- */

static void number(struct hd_jsonw *w, const char *key, bool known, uint64_t v)
{
	known ? hd_jsonw_u64(w, key, v) : hd_jsonw_null(w, key);
}

void hd_rate_json(struct hd_jsonw *w, const struct hd_rate *r)
{
	hd_jsonw_row(w, "sampling", '{');
	number(w, "frequency_hz", r->frequency_hz, r->frequency_hz);
	number(w, "period", r->period, r->period);
	number(w, "throttled", r->recorded, r->throttled);
	number(w, "unthrottled", r->recorded, r->unthrottled);
	hd_jsonw_num(w, "silent_pct", r->recorded ? 100 * r->silent : NAN, 4);
	number(w, "enabled_ns", r->enabled_ns, r->enabled_ns);
	number(w, "running_ns", r->enabled_ns, r->running_ns);
	hd_jsonw_str(w, "call_graph", r->call_graph);
	number(w, "stack_bytes", r->stack_bytes, r->stack_bytes);
	hd_jsonw_close(w, '}');
}
