/*
 * perf_script.c - write samples as the text of `perf script`, innermost frame first
 *
 *     app 10/11 [001] 2.000000200: 200 cycles:
 *     	            1118 work (/usr/bin/app)
 *     	            1010 main (/usr/bin/app)
 *
 * Consumers: FlameScope, stackcollapse-perf.pl, speedscope, and hotdrift itself.  The fields are those of
 * `perf script -F comm,pid,tid,cpu,time,period,event,ip,sym,dso --ns`.  Addresses are as linked.  An inlined function
 * has `(inlined)` in place of its object, as in perf.  Times are those of the recording.  A row of a profile stands for
 * all samples with the same thread, event and stack.  If the profile has no times for them, the row is written as one
 * sample without time, whose period is the sum of their weights.  Samples of weight 0 are written, too.
 *
 * The format has no escapes, so names are written in their visible form (base/encode.h), which has no line breaks.
 * perf cannot write an empty thread name; it is written here as `:TID`, which perf writes for an unknown name.
 */
#include "render/export_format.h"

#include "base/encode.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { NS = 1000000000 };

static void add_name(struct hd_buf *b, const char *name)
{
	hd_enc_visible(b, name, strlen(name));
}

static void add_frame(struct hd_buf *b, const struct hd_profile *p, const struct hd_frame *f)
{
	const struct hd_profile_symbol *s = &p->symbols[f->symbol];

	hd_buf_addf(b, "\t%16llx ", (unsigned long long)(f->vaddr ? f->vaddr : s->start));
	if (s->unresolved)
		hd_buf_adds(b, HD_UNKNOWN);
	else
		hd_enc_term(b, hd_profile_str(p, s->name), strlen(hd_profile_str(p, s->name)));
	hd_buf_adds(b, " (");
	if (f->inlined)
		hd_buf_adds(b, "inlined");
	else
		add_name(b, hd_profile_str(p, p->objects[s->object].name));
	hd_buf_adds(b, ")\n");
}

/* Write the sample `t` of a row of the profile.  If `t` is NULL, write the row as one sample without time. */
static void add_sample(struct hd_buf *b, const struct hd_profile *p, const struct hd_sample_row *row,
	const struct hd_timed_sample *t)
{
	const char *comm = hd_profile_str(p, row->comm);

	if (*comm)
		add_name(b, comm);
	else
		hd_buf_addf(b, ":%d", row->tid);
	hd_buf_addf(b, " %d/%d ", row->pid, row->tid);
	if (t && t->cpu != UINT32_MAX)
		hd_buf_addf(b, "[%03u] ", t->cpu);
	if (t && p->timed->has_times)
		hd_buf_addf(b, "%llu.%09llu: ", (unsigned long long)(t->time_ns / NS),
			(unsigned long long)(t->time_ns % NS));
	hd_buf_addf(b, "%llu ", (unsigned long long)(t ? t->weight : row->weight));
	add_name(b, hd_profile_str(p, p->events[row->event].name));
	hd_buf_adds(b, ":\n");
	for (hd_stack_id s = row->stack; s.v; s = hd_stacks_caller(p->stacks, s))
		add_frame(b, p, &p->frames[hd_stacks_frame(p->stacks, s).v]);
	hd_buf_addc(b, '\n');
}

static void write_text(struct hd_outfile *out, const struct hd_profile *p)
{
	size_t timed = p->timed ? p->timed->n : 0;
	bool *done = hd_new_array(bool, p->rows.n);
	struct hd_buf b = { 0 };

	for (size_t i = 0; i < timed; i++) {
		const struct hd_timed_sample *t = &p->timed->items[i];

		done[t->row] = true;
		add_sample(&b, p, &p->rows.items[t->row], t);
		hd_export_drain(out, &b);
	}
	for (size_t i = 0; i < p->rows.n; i++) {
		if (!done[i])
			add_sample(&b, p, &p->rows.items[i], NULL);
		hd_export_drain(out, &b);
	}
	free(done);
	hd_export_finish(out, &b);
}

const struct hd_export_format hd_export_perf_script = {
	.keys = HD_TIMED_KEYS,
	.timed = true,
	.write = write_text,
};
