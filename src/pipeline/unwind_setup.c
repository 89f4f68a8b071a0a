/*
 * unwind_setup.c - prepare the unwinding of copied stacks: see perf_input_state.h
 */
#include "pipeline/perf_input_state.h"

#include "base/cpus.h"
#include "base/mem.h"
#include "bundle/bundled_recording.h"
#include "bundle/record.h"
#include "pipeline/recording_info.h"

#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/*
 * Open the code of an object for unwinding.  Return a descriptor or < 0.  Thread-safe, because this callback reads only
 * data that is constant during the second pass.
 */
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
		{ "arm", HD_UNWIND_ARM }, { "riscv64", HD_UNWIND_RISCV }, { "s390x", HD_UNWIND_S390 },
		{ "ppc64", HD_UNWIND_PPC },
	};

	for (size_t i = 0; arch && i < HD_COUNT(rows); i++)
		if (!strncmp(arch, rows[i].prefix, strlen(rows[i].prefix)))
			return rows[i].machine;
	return HD_UNWIND_NONE;
}

unsigned hd_perf_input_threads(const struct hd_perf_input *in)
{
	return in->request.opts->threads ? in->request.opts->threads : hd_cpus();
}

/*
 * Return the value of HOTDRIFT_STACK_LIMIT: the number of bytes of each stack copy that are used; 0: all.  It serves to
 * measure the effect of shorter copies.
 */
static uint32_t stack_limit(void)
{
	const char *text = getenv("HOTDRIFT_STACK_LIMIT");

	return text ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

/*
 * Build the keys by which the code of objects is looked up.  The keys point into memory of the process table.  That
 * memory may have moved since the last call, so all keys are built again.
 */
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

/* Warn of stacks that the child process with libdw could not unwind. */
static void warn_libdw(struct hd_perf_input *in, const struct hd_unwind_child_losses *lost)
{
	const char *path = hd_perf_file(in->pf)->path, *machine = in->unwinding.libdw_machine;

	if (!lost->stacks)
		return;
	if (lost->absent)
		hd_warn_n(&in->p->log, "lost.unwind-machine", lost->stacks,
			"install libdw1, or record with --call-graph fp",
			"%s: copied stacks of the machine '%s' are not unwound: libdw.so.1 is not installed or too old",
			path, machine);
	else if (lost->machine)
		hd_warn_n(&in->p->log, "lost.unwind-machine", lost->stacks, "record with --call-graph fp",
			"%s: copied stacks are not unwound: the installed libdw cannot unwind the machine '%s'", path,
			machine);
	else
		hd_warn_n(&in->p->log, "lost.unwind-child", lost->stacks,
			"one of the object files may be damaged: reinstall them, or record with --call-graph fp",
			"%s: copied stacks are not unwound: the process that reads them with libdw %s %u times", path,
			lost->signal == SIGPROF ? "reached its time limit"
			: lost->signal          ? "crashed"
						: "could not be started or ended",
			lost->ended);
}

void hd_perf_input_end_unwinding(struct hd_perf_input *in)
{
	if (in->p->recording.copies_left)
		hd_warn_n(&in->p->log, "lost.unwind-machine", in->p->recording.copies_left,
			"record with --call-graph fp",
			"%s: copied stacks of the machine '%s' are not unwound in this version",
			hd_perf_file(in->pf)->path, in->unwinding.unsupported_machine);
	if (in->unwinding.unwind)
		warn_libdw(in, hd_unwind_child_losses(in->unwinding.unwind));
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
	/* libdw unwinds in a forked child process, and fork() is not safe while other threads run */
	qo.threads = hd_unwind_by_libdw(qo.machine) ? 1 : hd_perf_input_threads(in);
	if (hd_unwind_by_libdw(qo.machine))
		in->unwinding.libdw_machine = arch == guess ? "unknown" : arch;
	in->unwinding.unwind = hd_unwind_new(in->spaces.proc, &source);
	in->unwinding.queue = hd_sample_queue_new(in->pf, in->unwinding.unwind, &qo);
	in->unwinding.stitch = hd_stitch_new(in->agg.chains, in->request.opts->no_stitch);
}
