/*
 * recording_info.c - see recording_info.h
 */
#include "pipeline/recording_info.h"

#include "base/mem.h"
#include "dwarf/producer.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *copy(const char *s)
{
	return s ? hd_strdup(s) : NULL;
}

/* As copy(), but return NULL for an empty string, too. */
static char *copy_text(const char *s)
{
	return s && *s ? hd_strdup(s) : NULL;
}

static void describe_header(struct hd_recording *rec, const struct hd_perf_header *h)
{
	rec->hostname = copy_text(h->hostname);
	rec->os_release = copy_text(h->os_release);
	rec->arch = copy_text(h->arch);
	rec->cpudesc = copy_text(h->cpudesc);
	rec->cpuid = copy_text(h->cpuid);
	rec->perf_version = copy_text(h->version);
	rec->nrcpus = h->nrcpus_online;
	rec->nrcpus_avail = h->nrcpus_avail;
	rec->total_mem_kib = h->total_mem_kib;
	rec->cmdline = hd_new_array(char *, h->ncmdline);
	for (; rec->ncmdline < h->ncmdline; rec->ncmdline++)
		rec->cmdline[rec->ncmdline] = hd_strdup(h->cmdline[rec->ncmdline]);
}

static void describe_file(struct hd_recording *rec, struct hd_perf *pf)
{
	const struct hd_perf_file *f = hd_perf_file(pf);
	const struct hd_perf_stats *st = hd_perf_stats(pf);
	const struct hd_record_count *counts;
	size_t n;

	rec->format = "perf.data";
	rec->path = copy(f->path);
	rec->bytes = f->bytes;
	rec->mode = f->dir ? "dir" : f->pipe ? "pipe" : "file";
	rec->endian = f->big ? "big" : "little";
	rec->compressed = f->compressed;
	rec->truncated = f->truncated;
	rec->tail_lost = st->tail_lost;
	rec->command_exit = st->command_exit == HD_EXIT_NOT_EXPECTED ? NULL
		: st->command_exit == HD_EXIT_MISSING                ? "missing"
								     : "recorded";
	rec->lost = st->lost_events;
	rec->lost_samples = st->lost_samples;
	rec->throttled = st->throttled;
	rec->filtered_samples = st->filtered_samples;
	rec->switches = st->switches;
	rec->preempted = st->preempted;
	rec->bpf_loaded = st->bpf_loaded;
	rec->bpf_unloaded = st->bpf_unloaded;
	rec->trace_kind = st->aux_kind;
	rec->trace_bytes += st->aux_bytes;
	counts = hd_perf_record_counts(pf, &n);
	for (size_t i = 0; i < n; i++) {
		HD_GROW(rec->records, rec->nrecords + 1, rec->records_cap);
		rec->records[rec->nrecords++] = (struct hd_record_tally){
			.name = hd_record_type_name(counts[i].type), .type = counts[i].type, .count = counts[i].n,
		};
	}
}

/*
 * Warn if the EXIT record of the command is missing.  The caller knows that neither a signal nor a limit ended the
 * recording.
 */
static void expect_end_of_command(struct hd_profile *p, const struct hd_perf_stats *st)
{
	struct hd_recording *rec = &p->recording;

	if (st->tail_lost || st->command_exit != HD_EXIT_MISSING)
		return;
	rec->tail_lost = rec->truncated = true;
	hd_warn(&p->log, HD_LOST_TAIL, HD_LOST_TAIL_FIX(rec->compressed),
		"%s: its last records are missing: the command ended, and its EXIT record is not there",
		rec->path);
}

static void report_trace(struct hd_profile *p)
{
	const struct hd_recording *rec = &p->recording;

	if (rec->trace_bytes)
		hd_warn(&p->log, "lost.hardware-trace",
			"let perf decode it into samples: perf inject --itrace=i100usl -i perf.data -o decoded.data, "
			"then read that",
			"%s: %llu bytes of hardware trace (%s) were not decoded: only samples are counted", rec->path,
			(unsigned long long)rec->trace_bytes,
			rec->trace_kind ? rec->trace_kind : "of an unknown kind");
}

static const char *quality_word(const struct hd_symobj *so)
{
	switch (so ? hd_object_quality(so) : HD_SYMQ_NONE) {
	case HD_SYMQ_DYNSYM:	return "dynsym";
	case HD_SYMQ_SYMTAB:	return "symtab";
	case HD_SYMQ_DEBUGINFO:	return "debuginfo";
	case HD_SYMQ_NONE:	break;
	}
	return "none";
}

static int by_samples(const void *va, const void *vb)
{
	const struct hd_object_quality *a = va, *b = vb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	if (a->unknown_frames != b->unknown_frames)
		return a->unknown_frames > b->unknown_frames ? -1 : 1;
	return strcmp(a->name, b->name);
}

/*
 * Return the number of frames without a symbol of each object, in all stacks of the rows of `event`.  The caller frees
 * the array.
 */
static uint64_t *count_unknown_frames(const struct hd_profile *p, uint32_t event)
{
	uint64_t *of_object = hd_new_array(uint64_t, p->nobjects + 1);
	uint64_t *of_stack = hd_new_array(uint64_t, hd_stacks_count(p->stacks) + 1);

	for (size_t i = 0; i < p->rows.n; i++)
		if (event == HD_ALL_EVENTS || p->rows.items[i].event == event)
			of_stack[p->rows.items[i].stack.v] += p->rows.items[i].count;
	for (uint32_t s = hd_stacks_count(p->stacks); s-- > 1;) {	/* callees before callers */
		hd_stack_id stack = { s };
		const struct hd_profile_symbol *symbol =
			&p->symbols[p->frames[hd_stacks_frame(p->stacks, stack).v].symbol];

		of_stack[hd_stacks_caller(p->stacks, stack).v] += of_stack[s];
		of_object[symbol->object] += symbol->unresolved ? of_stack[s] : 0;
	}
	free(of_stack);
	return of_object;
}

/* Return the reason why names of an object are missing, or NULL. */
static char *problem_of(const struct hd_symobj *so, uint64_t unknown_frames)
{
	const char *problem = so ? hd_object_problem(so) : NULL;

	if (!problem && unknown_frames && so && hd_object_quality(so) == HD_SYMQ_DYNSYM)
		problem = "only its exported functions have names; install its debug symbols";
	return copy(problem);
}

/* List an object of the profile.  The caller passes each object once. */
static void add_object(struct hd_profile *p, uint32_t object, const struct hd_symobj *so, uint64_t samples,
	uint64_t unknown_frames)
{
	struct hd_recording *rec = &p->recording;

	HD_GROW(rec->objects, rec->nobjects + 1, rec->objects_cap);
	rec->objects[rec->nobjects++] = (struct hd_object_quality){
		.name = hd_strdup(hd_profile_str(p, p->objects[object].name)),
		.unknown = p->objects[object].unknown,
		.samples = samples,
		.unknown_frames = unknown_frames,
		.symbols = quality_word(so),
		.source = so ? copy(hd_object_source(so)) : NULL,
		.problem = problem_of(so, unknown_frames),
	};
}

void hd_recording_info_add_objects(struct hd_profile *p, const struct hd_locator *l, uint32_t nobjects, uint32_t event)
{
	struct hd_recording *rec = &p->recording;
	uint64_t *samples = hd_new_array(uint64_t, p->nobjects), *unknown = count_unknown_frames(p, event);

	for (size_t i = 0; i < p->rows.n; i++) {
		const struct hd_sample_row *row = &p->rows.items[i];

		if (event == HD_ALL_EVENTS || row->event == event)
			samples[p->symbols[p->frames[row->self.v].symbol].object] += row->count;
	}
	for (uint32_t i = 0; i < nobjects; i++) {
		const struct hd_symobj *so;
		uint32_t object;

		if (!hd_locator_object(l, i, &object, &so) || !(samples[object] || unknown[object]))
			continue;
		add_object(p, object, so, samples[object], unknown[object]);
		/* two objects of the process table can be one object of the profile; list it once */
		samples[object] = unknown[object] = 0;
	}
	if (unknown[0])		/* callers where nothing was mapped; the locator has no object for them */
		add_object(p, 0, NULL, samples[0], unknown[0]);
	if (rec->nobjects)
		qsort(rec->objects, rec->nobjects, sizeof(*rec->objects), by_samples);
	free(samples);
	free(unknown);
}

char *hd_recording_info_compiler(const struct hd_profile *p)
{
	const struct hd_recording *rec = &p->recording;

	for (size_t i = 0; i < rec->nobjects; i++) {
		const struct hd_object_quality *q = &rec->objects[i];

		for (size_t k = 0; k < p->nobjects && q->samples && q->source && !q->unknown; k++) {
			const struct hd_object *o = &p->objects[k];

			if (!o->kernel && !strcmp(hd_profile_str(p, o->name), q->name))
				return hd_producer_read(q->source, hd_profile_str(p, o->build_id));
		}
	}
	return NULL;
}

/*
 * List the object HD_BARE_KERNEL and warn, if samples are at kernel addresses without a mapping.  The mappings of the
 * kernel and its modules are missing if perf was not allowed to read their addresses.
 */
static void report_bare_kernel(struct hd_profile *p, uint32_t object)
{
	static const char problem[] = "the recording has no mapping of the kernel there";
	struct hd_recording *rec = &p->recording;
	uint64_t samples = 0;

	for (size_t i = 0; object && i < p->rows.n; i++)
		if (p->symbols[p->frames[p->rows.items[i].self.v].symbol].object == object)
			samples += p->rows.items[i].count;
	if (!samples)
		return;
	HD_GROW(rec->objects, rec->nobjects + 1, rec->objects_cap);
	rec->objects[rec->nobjects++] = (struct hd_object_quality){
		.name = hd_strdup(HD_BARE_KERNEL), .samples = samples, .symbols = "none", .problem = hd_strdup(problem),
	};
	qsort(rec->objects, rec->nobjects, sizeof(*rec->objects), by_samples);
	hd_warn_n(&p->log, "symbols.no-kernel-map", samples,
		"let perf see the kernel's symbols: record as root, or with kernel.kptr_restrict=0",
		"%s: samples in the kernel at addresses that no mapping of the recording covers; they count for %s",
		rec->path, HD_BARE_KERNEL);
}

/* Set the reason why stacks could not be unwound through an object, and a remedy. */
static void explain_gap(struct hd_unwind_gap *gap, enum hd_unwind_failure lack)
{
	switch (lack) {
	case HD_UNWIND_FAILURE_NONE:
		gap->why = "its unwind information does not fit what was found on the stack";
		gap->fix =
			"hand-written assembler without .cfi directives, or a stack that is not the thread's own; "
			"nothing more can be recorded";
		return;
	case HD_UNWIND_FAILURE_FILE:
		gap->why = "the file of the recorded build is not here";
		gap->fix = "give the recorded machine's files with --symfs, or install the recorded package version";
		return;
	case HD_UNWIND_FAILURE_CFI:
		gap->why = "it has no .eh_frame and no .debug_frame";
		gap->fix = "build it with -fasynchronous-unwind-tables, and do not strip .eh_frame";
		return;
	case HD_UNWIND_FAILURE_DAMAGED:
		gap->why = "its unwind information is damaged";
		gap->fix = "rebuild or reinstall it";
		return;
	case HD_UNWIND_FAILURE_JIT:
		gap->why = "it is code made at run time";
		gap->fix =
			"let the JIT tell how to unwind it (node --perf-prof --perf-prof-unwinding-info), or keep "
			"frame pointers (java -XX:+PreserveFramePointer)";
		return;
	case HD_UNWIND_FAILURE_TROUBLE:
		gap->why = "it could not be read";
		gap->fix = "a warning says why; let it be read and run again";
		return;
	case HD_UNWIND_FAILURE_MACHINE:
		gap->why = "it is code of another machine";
		gap->fix = "record with --call-graph fp";
		return;
	}
}

static int by_gap(const void *va, const void *vb)
{
	const struct hd_unwind_gap *a = va, *b = vb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Warn about objects whose files could not be read for unwinding, because stacks are cut in them. */
static void report_trouble(struct hd_profile *p, const struct hd_locator *l, uint32_t nobjects,
	const struct hd_unwind *uw)
{
	for (uint32_t i = 1; i < nobjects; i++) {
		const char *trouble = hd_unwind_error_text(uw, i), *name = "code";
		const struct hd_symobj *so;
		uint32_t object;

		if (!trouble)
			continue;
		if (hd_locator_object(l, i, &object, &so))
			name = hd_profile_str(p, p->objects[object].name);
		hd_warn(&p->log, "symbols.not-unwound", "the samples are kept; let it be read and run again",
			"%s: stacks are cut there: %s", name, trouble);
	}
}

static void describe_gaps(struct hd_profile *p, const struct hd_locator *l, uint32_t nobjects,
	const struct hd_unwind *uw, const struct hd_unwind_gap_counts *gaps)
{
	struct hd_recording *rec = &p->recording;

	report_trouble(p, l, nobjects, uw);
	for (uint32_t i = 1; i < gaps->n; i++) {
		struct hd_unwind_gap gap = { .samples = gaps->samples[i] };
		const struct hd_symobj *so;
		uint32_t object;

		if (!gap.samples || !hd_locator_object(l, i, &object, &so))
			continue;
		explain_gap(&gap, hd_unwind_failure(uw, i));
		gap.name = hd_strdup(hd_profile_str(p, p->objects[object].name));
		HD_GROW(rec->gaps, rec->ngaps + 1, rec->gaps_cap);
		rec->gaps[rec->ngaps++] = gap;
	}
	if (rec->ngaps)
		qsort(rec->gaps, rec->ngaps, sizeof(*rec->gaps), by_gap);
}

/* ---- the architecture of a recording whose header does not name it ---- */

/*
 * Return the name of the architecture that has this mask of user registers.  Architectures differ in the highest
 * register and in the registers that perf does not record (arch/.../include/uapi/asm/perf_regs.h).
 */
static const char *of_mask(uint64_t mask)
{
	unsigned top = 63 - (unsigned)__builtin_clzll(mask);

	mask &= ~(UINT64_C(1) << 46);		/* aarch64: vector length */
	if (top == 46)
		top = 32;
	if (top == 32 && (mask >> 31 & 3) == 3)
		return "aarch64";
	if (mask == 0xffff)
		return "arm";
	if (top <= 23 && top >= 16 && !(mask & 0xf000))
		return "x86_64";
	return top <= 11 ? "i386" : "unknown";
}

const char *hd_recording_info_machine_by_regs(const struct hd_perf_attr *attrs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (attrs[i].sample_type & PERF_SAMPLE_REGS_USER && attrs[i].regs_user)
			return of_mask(attrs[i].regs_user);
	return NULL;
}

/* Return the architecture of the first object whose file was opened, or NULL. */
static const char *machine_by_files(const struct hd_locator *l, uint32_t nobjects)
{
	for (uint32_t i = 1; i < nobjects; i++) {
		const struct hd_symobj *so;
		const char *name;
		uint32_t object;

		if (!hd_locator_object(l, i, &object, &so) || !so)
			continue;
		name = hd_object_machine(so);
		if (name)
			return name;
	}
	return NULL;
}

static void describe_machine(struct hd_recording *rec, const struct hd_perf *pf, const struct hd_locator *l,
	uint32_t nobjects)
{
	size_t nattrs;
	const struct hd_perf_attr *attrs = hd_perf_attrs(pf, &nattrs);

	if (rec->arch)
		return;
	rec->machine_by = "registers";
	rec->machine = hd_recording_info_machine_by_regs(attrs, nattrs);
	if (rec->machine)
		return;
	rec->machine_by = "files";
	rec->machine = machine_by_files(l, nobjects);
}

static bool is_monotonic(const struct hd_perf *pf)
{
	size_t n;
	const struct hd_perf_attr *attrs = hd_perf_attrs(pf, &n);

	for (size_t i = 0; i < n; i++)
		if (!attrs[i].use_clockid || attrs[i].clockid != CLOCK_MONOTONIC)
			return false;
	return n > 0;
}

void hd_recording_info_fill(struct hd_profile *p, struct hd_perf *pf, const struct hd_locator *l, uint32_t nobjects,
	const struct hd_unwind *uw, const struct hd_unwind_gap_counts *gaps, bool command_ended)
{
	describe_file(&p->recording, pf);
	p->recording.monotonic = is_monotonic(pf);
	if (command_ended)
		expect_end_of_command(p, hd_perf_stats(pf));
	report_trace(p);
	describe_header(&p->recording, hd_perf_header(pf));
	hd_recording_info_add_objects(p, l, nobjects, HD_ALL_EVENTS);
	report_bare_kernel(p, hd_locator_bare_kernel(l));
	describe_machine(&p->recording, pf, l, nobjects);
	if (uw)
		describe_gaps(p, l, nobjects, uw, gaps);
}
