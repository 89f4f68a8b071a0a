/*
 * input.c - see input.h
 */
#include "cli/input.h"

#include "profile/stack_quality.h"
#include "base/mem.h"
#include "pipeline/perf_gpu_join.h"
#include "pipeline/selector.h"
#include "profile/gpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct hd_opt hd_select_opts[] = {
	{ HD_OPT_LIST, 0, "event", "NAME", "only this event (a name, or its part before the colon)",
		offsetof(struct hd_selection, event) },
	{ HD_OPT_LIST, 0, "comm", "NAME", "only threads of this name", offsetof(struct hd_selection, comm) },
	{ HD_OPT_LIST, 0, "pid", "N", "only this process", offsetof(struct hd_selection, pid) },
	{ HD_OPT_LIST, 0, "tid", "N", "only this thread", offsetof(struct hd_selection, tid) },
	{ HD_OPT_LIST, 0, "cpu", "N", "only this CPU", offsetof(struct hd_selection, cpu) },
	{ HD_OPT_LIST, 0, "dso", "NAME", "only samples taken in this object (path, or its last part)",
		offsetof(struct hd_selection, dso) },
	{ HD_OPT_LIST, 0, "symbol", "NAME", "only samples taken in this function",
		offsetof(struct hd_selection, symbol) },
	{ HD_OPT_STR, 0, "time", "A,B", "only from A to B seconds of the recording's clock, as perf script prints them",
		offsetof(struct hd_selection, time) },
	{ HD_OPT_STR, 0, "filter", "EXPR",
		"only samples that match the expression: 'prev_comm ~ \"sh*\" && prev_pid > 9'; docs/fields.md",
		offsetof(struct hd_selection, filter) },
	{ HD_OPT_ENUM, 0, "weight", HD_WEIGHT_CHOICES,
		"weight of a sample (default period); the last three are durations of waits and system calls",
		offsetof(struct hd_selection, weight) },
	{ HD_OPT_STR, 0, "weight-field", "FIELD",
		"weight of a sample is the value of this field: bytes_req of kmem:kmalloc",
		offsetof(struct hd_selection, weight_field) },
	{ HD_OPT_STR, 0, "skip", "RULES",
		"frames without self cost, which counts for their caller: default, none, or additional "
			"patterns; default for heap recordings and weights of time",
		offsetof(struct hd_selection, skip) },
	{ HD_OPT_CLEAR, 0, "kernel", NULL, "include kernel frames "
		"(default)", offsetof(struct hd_selection, no_kernel) },
	{ HD_OPT_FLAG, 0, "no-kernel", NULL, "omit kernel frames: a sample counts for its innermost user frame",
		offsetof(struct hd_selection, no_kernel) },
	{ HD_OPT_FLAG, 0, "strip-version", NULL,
		"names without @VERSION, Rust hashes and compiler suffixes (.constprop.0, ...)",
		offsetof(struct hd_selection, strip_version) },
	{ 0 },
};

const struct hd_opt hd_symbols_opts[] = {
	{ HD_OPT_STR, 0, "symfs", "DIR", "look for the recorded files below DIR",
		offsetof(struct hd_pipeline_opts, symfs) },
	{ HD_OPT_STR, 0, "kallsyms", "FILE", "read kernel symbols from FILE",
		offsetof(struct hd_pipeline_opts, kallsyms) },
	{ HD_OPT_STR, 0, "guest-kallsyms", "FILE", "read symbols of guest kernels from FILE",
		offsetof(struct hd_pipeline_opts, guest_kallsyms) },
	{ HD_OPT_FLAG, 0, "strict", NULL, "exit 5 if the input is damaged, instead of warning",
		offsetof(struct hd_pipeline_opts, strict) },
	{ HD_OPT_FLAG, 0, "command-ended", NULL,
		"the recorded command ended by itself: warn (lost.tail) when its end is not in the recording",
		offsetof(struct hd_pipeline_opts, command_ended) },
	{ 0 },
};

const struct hd_opt hd_stacks_opts[] = {
	{ HD_OPT_YES, 0, "inline", NULL,
		"inlined functions are frames with separate costs (default of fold, flame, info)",
		offsetof(struct hd_input, inlined) },
	{ HD_OPT_NO, 0, "no-inline", NULL,
		"inlined code counts for the function it was inlined into (default of top, report, add)",
		offsetof(struct hd_input, inlined) },
	{ HD_OPT_STR, 0, "gpu-trace", "FILE",
		"trace of libhotdrift-cuda.so made during the recording: adds events of GPU time by the CPU "
			"stacks that launched it",
		offsetof(struct hd_input, ingest.gpu_trace) },
	{ HD_OPT_FLAG, 0, "no-stitch", NULL,
		"do not complete truncated stacks from other samples",
		offsetof(struct hd_input, ingest.no_stitch) },
	{ HD_OPT_STR, 0, "min-quality", "PCT",
		"exit 1 if fewer than PCT per cent of the stacks reach their root (stitched ones count, guessed "
			"ones do not)",
		offsetof(struct hd_input, min_quality) },
	{ HD_OPT_UINT, 'j', "threads", "N",
		"read, unwind and symbolize with N threads (default 0: up to one per core, one for stack copies if "
			"more do not gain); the output does not depend on it",
		offsetof(struct hd_input, ingest.threads) },
	{ 0 },
};

const struct hd_opt hd_operand_opts[] = {
	{ HD_OPT_OPERAND, 'i', "input", "FILE", "the same as the operand FILE, in perf's spelling", 0 },
	{ HD_OPT_STR, 0, "target", "NAME", "select among the runs of a commit by target",
		offsetof(struct hd_input, target) },
	{ 0 },
};

int hd_input_read(struct hd_profile **out, const char *path, const struct hd_input *in, struct hd_log *log,
	struct hd_err *err)
{
	struct hd_profile *p = NULL;
	int rc = in->ingest.gpu_trace ? hd_perf_gpu_join_read(&p, path, &in->ingest, err)
				      : hd_pipeline_read(&p, path, &in->ingest, err);

	hd_log_add(log, &p->log);
	if (rc < 0) {
		hd_profile_free(p);
		p = NULL;
	}
	*out = p;
	return rc;
}

static int parse_percent(const char *text, double *pct)
{
	char *end;

	errno = 0;
	*pct = strtod(text, &end);
	return errno || end == text || *end || !(*pct >= 0 && *pct <= 100) ? HD_EUSAGE : 0;
}

int hd_input_percent_limit(double *pct, const char *text, const char *command, struct hd_err *err)
{
	*pct = 0;
	if (text && parse_percent(text, pct) < 0)
		return hd_fail(err, HD_EUSAGE, "%s: --percent-limit takes a percentage from 0 to 100, not "
			"'%s'", command,
			text);
	return 0;
}

int hd_input_check(const struct hd_input *in, const char *command, struct hd_err *err)
{
	struct hd_selector s;
	double pct;
	int rc;

	rc = hd_selector_init(&s, &in->ingest.select, err);
	if (rc < 0)
		return rc;
	hd_selector_release(&s);
	if (in->min_quality && parse_percent(in->min_quality, &pct) < 0)
		return hd_fail(err, HD_EUSAGE, "%s: --min-quality takes a percentage from 0 to 100, not '%s'", command,
			in->min_quality);
	return 0;
}

int hd_input_need_quality(const struct hd_profile *p, const char *path, const struct hd_input *in, struct hd_err *err)
{
	struct hd_stack_quality q = hd_stack_quality_of(&p->recording);
	double pct = 0;

	if (!in->min_quality || parse_percent(in->min_quality, &pct) < 0 || q.root_pct >= pct)
		return 0;
	if (q.grade == HD_STACK_GRADE_NONE)
		return hd_fail(err, HD_ENO,
			"%s: folded stacks do not show whether they reach their root, which counts as 0 %%; "
				"--min-quality requires %s %%",
			path, in->min_quality);
	if (!p->recording.with_stack)
		return hd_fail(err, HD_ENO,
			"%s: no sample has a user call chain or a stack copy, which counts as 0 %%; "
				"--min-quality requires %s %%",
			path, in->min_quality);
	return hd_fail(err, HD_ENO,
		"%s: %.2f %% of %llu stacks reach their root, but --min-quality requires %s %%; 'hotdrift info "
			"%s' explains why",
		path, q.root_pct, (unsigned long long)p->recording.with_stack, in->min_quality, path);
}

void hd_input_try_symbols(struct hd_nearest *n, const struct hd_profile *p)
{
	for (size_t i = 0; i < p->nsymbols; i++)
		hd_nearest_try(n, hd_profile_str(p, p->symbols[i].name));
}

/* Return a hint if a candidate is close to the word, but not the word itself; else "". */
static const char *hint_at_another(struct hd_nearest *n)
{
	return strcmp(n->best, n->word) ? hd_nearest_hint(n) : "";
}

/*
 * Return a hint if a name of --symbol or --dso resembles one of the profile, whose symbols include those of samples
 * that are not selected.  The string belongs to `n`.
 */
static const char *selection_hint(struct hd_nearest *n, const struct hd_profile *p, const struct hd_selection *select)
{
	const char *hint = "";

	for (size_t i = 0; i < select->symbol.n && !*hint; i++) {
		*n = hd_nearest_to(select->symbol.items[i]);
		hd_input_try_symbols(n, p);
		hint = hint_at_another(n);
	}
	for (size_t i = 0; i < select->dso.n && !*hint; i++) {
		*n = hd_nearest_to(select->dso.items[i]);
		for (size_t k = 0; k < p->nobjects; k++) {
			const char *name = hd_profile_str(p, p->objects[k].name), *slash = strrchr(name, '/');

			hd_nearest_try(n, slash && !strchr(n->word, '/') ? slash + 1 : name);
		}
		hint = hint_at_another(n);
	}
	return hint;
}

int hd_input_need_samples(const struct hd_profile *p, const char *path, const struct hd_input *in, struct hd_err *err)
{
	struct hd_nearest near;

	/*
	 * A heap recording can have no samples because the program allocated little; a warning has already reported
	 * that.
	 */
	if (p->kept || (p->recording.heap_interval && !p->read))
		return 0;
	if (p->read == 1)
		return hd_fail(err, HD_EFORMAT, "%s: its only sample is not selected%s", path,
			selection_hint(&near, p, &in->ingest.select));
	if (p->read)
		return hd_fail(err, HD_EFORMAT, "%s: none of its %llu samples is selected%s", path,
			(unsigned long long)p->read, selection_hint(&near, p, &in->ingest.select));
	if (p->recording.truncated)
		return hd_fail(err, HD_EFORMAT, "%s: contains no samples: it is damaged or truncated", path);
	if (p->recording.trace_bytes)
		return hd_fail(err, HD_EFORMAT,
			"%s: contains no samples, but %llu bytes of hardware trace (%s); let perf decode it "
				"into samples: "
			"perf inject --itrace=i100usl -i %s -o decoded.data",
			path, (unsigned long long)p->recording.trace_bytes,
			p->recording.trace_kind ? p->recording.trace_kind
						: "of a type that the recording does not name",
			path);
	if (p->recording.trace_kind)
		return hd_fail(err, HD_EFORMAT,
			"%s: contains no samples, and no data of its hardware trace (%s)", path,
			p->recording.trace_kind);
	if (p->gpu)
		return hd_fail(err, HD_EFORMAT,
			"%s: contains no GPU operations and no description of a GPU; record a part of the "
				"program that uses one, with GPU tracing",
			path);
	return hd_fail(err, HD_EFORMAT, "%s: contains no samples; the command was too short, or the event was "
		"not counted",
		path);
}

int hd_input_read_samples(struct hd_profile **p, const char *path, const struct hd_input *in, struct hd_log *log,
	struct hd_err *err)
{
	int rc = hd_input_read(p, path, in, log, err);

	if (rc < 0)
		return rc;
	rc = hd_input_need_samples(*p, path, in, err);
	if (rc >= 0)
		rc = hd_input_need_quality(*p, path, in, err);
	if (rc < 0) {
		hd_profile_free(*p);
		*p = NULL;
	}
	return rc;
}

uint32_t hd_input_main_event(const struct hd_profile *p)
{
	/* If a CPU recording was joined with a GPU trace, prefer the events of the GPU to those of the CPU. */
	for (int gpu = p->gpu != NULL; gpu >= 0; gpu--)
		for (size_t i = 0; i < p->nevents; i++)
			if (p->events[i].samples && (!gpu || hd_gpu_is_event(hd_profile_str(p, p->events[i].name))))
				return (uint32_t)i;
	return 0;
}

enum { FEW_SAMPLES = 100 };	/* as in scripts/lib/record.sh */

void hd_input_warn_few_samples(struct hd_profile *p, struct hd_log *log)
{
	const struct hd_event *e = p->nevents ? &p->events[hd_input_main_event(p)] : NULL;
	struct hd_log few = { 0 };

	if (!e || !e->samples || e->samples >= FEW_SAMPLES || (!e->rate.frequency_hz && e->rate.period <= 1))
		return;
	hd_warn(&few, "samples.few", "record longer or at a higher frequency",
		"%s: only %llu samples of %s, so the shares are rough",
		p->recording.path ? p->recording.path : "the input", (unsigned long long)e->samples,
		hd_profile_str(p, e->name));
	hd_log_add(&p->log, &few);
	if (log)
		hd_log_add(log, &few);
	hd_log_release(&few);
}

enum { NAMED_EVENTS = 8 };	/* maximum number of events that a warning lists */

void hd_input_note_other_events(const struct hd_profile *p, uint32_t shown, struct hd_log *log)
{
	struct hd_buf names = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < p->nevents; i++) {
		if (i == shown || !p->events[i].samples)
			continue;
		if (n++ < NAMED_EVENTS)
			hd_buf_addf(&names, "%s%s", n > 1 ? ", " : "", hd_profile_str(p, p->events[i].name));
	}
	if (n > NAMED_EVENTS)
		hd_buf_addf(&names, " and %zu more", n - NAMED_EVENTS);
	if (n)
		hd_warn(log, "event.others", "select one with --event NAME", "showing %s; the input also has %s",
			hd_profile_str(p, p->events[shown].name), names.data);
	hd_buf_release(&names);
}

int hd_output_write(const char *path, struct hd_buf *text, struct hd_err *err)
{
	int rc = hd_file_write(path, text, err);

	hd_buf_release(text);
	return rc;
}
