/*
 * unwind_setup.c - prepare the unwinding of copied stacks: see perf_input_state.h
 */
#include "pipeline/perf_input_state.h"

#include "base/mem.h"
#include "bundle/bundled_recording.h"
#include "bundle/record.h"
#include "pipeline/recording_info.h"

#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* Thread-safe: it reads only data that is constant during the pass. */
static int open_code(void *ctx, uint32_t object, struct hd_err *err)
{
	const struct hd_perf_input *in = ctx;

	return in->unwinding.code[object].path
		? hd_symbols_open_code(in->lookup.symbols, &in->unwinding.code[object], err) : -1;
}

static const struct hd_jitdump *jitdump(void *ctx, uint32_t object)
{
	const struct hd_perf_input *in = ctx;

	return hd_jitdump_set_get(in->spaces.jitdumps, in->unwinding.code[object].path, in->unwinding.code[object].pid);
}

enum hd_unwind_machine hd_perf_input_unwind_machine(const char *arch)
{
	static const struct { const char *prefix; enum hd_unwind_machine machine; } rows[] = {
		{ "x86_64", HD_UNWIND_X86 }, { "amd64", HD_UNWIND_X86 }, { "i386", HD_UNWIND_X86 },
		{ "i486", HD_UNWIND_X86 },
		{ "i586", HD_UNWIND_X86 }, { "i686", HD_UNWIND_X86 }, { "aarch64", HD_UNWIND_ARM },
		{ "arm", HD_UNWIND_ARM },
	};

	for (size_t i = 0; arch && i < HD_COUNT(rows); i++)
		if (!strncmp(arch, rows[i].prefix, strlen(rows[i].prefix)))
			return rows[i].machine;
	return HD_UNWIND_NONE;
}

static unsigned cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

/* Return how many bytes of each stack copy are used, to measure the effect of shorter copies; 0: all. */
static uint32_t stack_limit(void)
{
	const char *text = getenv("HOTDRIFT_STACK_LIMIT");

	return text ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

/* Keys point into proc, which may have moved: rebuild all of them. */
void hd_perf_input_learn_code(struct hd_perf_input *in)
{
	uint32_t n = hd_process_object_count(in->spaces.proc);

	free(in->unwinding.code);
	in->unwinding.code = hd_new_array(struct hd_symbols_key, n);
	for (uint32_t i = 1; i < n; i++)
		hd_locator_key(in->lookup.locator, i, &in->unwinding.code[i]);
}

struct hd_unwind_source hd_perf_input_code_source(struct hd_perf_input *in)
{
	return (struct hd_unwind_source){ open_code, in, jitdump };
}

void hd_perf_input_grow_unwinding(struct hd_perf_input *in)
{
	if (!in->unwinding.unwind && !in->unwinding.missing_caller.unwind)
		return;
	hd_perf_input_learn_code(in);
	if (in->unwinding.unwind)
		hd_unwind_grow(in->unwinding.unwind);
	if (in->unwinding.missing_caller.unwind)
		hd_unwind_grow(in->unwinding.missing_caller.unwind);
}

void hd_perf_input_end_unwinding(struct hd_perf_input *in)
{
	if (in->p->recording.copies_left)
		hd_warn_n(&in->p->log, "lost.unwind-machine", in->p->recording.copies_left,
			"record with --call-graph fp",
			"%s: copied stacks of the machine '%s' are not unwound in this version",
			hd_perf_file(in->pf)->path, in->unwinding.unsupported_machine);
}

void hd_perf_input_record_unwinding(struct hd_perf_input *in)
{
	struct hd_unwind *unwind = in->unwinding.unwind ? in->unwinding.unwind : in->unwinding.missing_caller.unwind;
	uint32_t n = hd_process_object_count(in->spaces.proc), *asked = NULL;
	size_t cap = 0;

	for (uint32_t i = 1; unwind && in->request.from->remember && i < n; i++) {
		long listed = in->unwinding.code[i].path ? hd_unwind_table_entries(unwind, i) : -1;
		size_t nasked = 0;

		for (long k = 0; k < listed; k++) {
			if (!hd_unwind_entry_was_used(unwind, i, (size_t)k))
				continue;
			HD_GROW(asked, nasked + 1, cap);
			asked[nasked++] = (uint32_t)k;
		}
		if (listed >= 0)
			hd_bundle_record_limit_code(in->request.from->remember, &in->unwinding.code[i], asked, nasked);
	}
	free(asked);
}

void hd_perf_input_begin_unwinding(struct hd_perf_input *in)
{
	const struct hd_perf_attr *attrs = hd_perf_attrs(in->pf, &(size_t){ 0 });
	const char *arch = hd_perf_header(in->pf)->arch, *guess = NULL;
	struct hd_unwind_source source = hd_perf_input_code_source(in);
	struct hd_sample_queue_opts qo = { .swap = hd_perf_file(in->pf)->swap,
		.stack_limit = stack_limit(),
		.marks = in->request.from->marks };
	uint32_t most = 0;
	struct utsname u;

	for (size_t i = 0; i < in->request.nattrs; i++)
		if (attrs[i].sample_type & PERF_SAMPLE_STACK_USER && attrs[i].sample_type & PERF_SAMPLE_REGS_USER &&
		    attrs[i].stack_user > most)
			most = attrs[i].stack_user;
	in->p->recording.stack_copy_bytes = most;
	if (!most || !in->lookup.symbols)
		return;
	if (!arch)
		arch = hd_recording_info_machine_by_regs(attrs, in->request.nattrs);
	if (!arch && in->request.from->bundled)
		arch = guess = hd_bundled_recording_machine(in->request.from->bundled);
	else if (!arch && uname(&u) == 0)
		arch = guess = u.machine;	/* unknown in pipe mode: assume this machine */
	qo.machine = hd_perf_input_unwind_machine(arch);
	if (qo.machine == HD_UNWIND_NONE) {
		in->unwinding.unsupported_machine = arch == guess ? "unknown" : arch;
		return;
	}
	hd_perf_input_learn_code(in);
	qo.threads = in->request.opts->threads ? in->request.opts->threads : cores();
	in->unwinding.unwind = hd_unwind_new(in->spaces.proc, &source);
	in->unwinding.queue = hd_sample_queue_new(in->pf, in->unwinding.unwind, &qo);
	in->unwinding.stitch = hd_stitch_new(in->agg.chains, in->request.opts->no_stitch);
}
