/*
 * heap_input.c - see heap_input.h
 *
 * Each load of a module is mapped at a separate, synthetic time.  An address is looked up at the time of its module, so
 * modules that were loaded one after the other at the same address are not confused.
 */
#include "pipeline/heap_input.h"

#include "base/encode.h"
#include "base/file.h"
#include "base/mem.h"
#include "heap/events.h"
#include "heap/heap.h"
#include "pipeline/locator.h"
#include "pipeline/recording_info.h"
#include "pipeline/selector.h"
#include "profile/skip_rules.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

enum { MAX_BYTES_SHIFT = 34 };

/* The processes of a recording, in file order. */
struct processes { struct hd_heap **v; size_t n, cap; };

/* The state while a heap recording is read. */
struct reading {
	struct hd_profile *p;
	const struct hd_pipeline_opts *opts;
	const char *path;
	struct hd_selector select;
	struct hd_skip_rules skip;
	uint32_t event[HD_HEAP_EVENTS];
	bool wanted[HD_HEAP_EVENTS];
	struct processes all;
	struct hd_process_table *proc;
	struct hd_log proc_log;
	struct hd_locator *locator;
};

/* The stack of the profile for one allocation stack of the recording (one node of its tree of stacks). */
struct place {
	hd_stack_id stack;
	hd_frame_id function;
	uint32_t depth, unknown;
	bool root;			/* the outermost function is a root: main, _start, clone, ... */
	bool guessed;			/* some frames are guesses */
};

static int read_processes(struct reading *r, const struct hd_buf *bytes, struct hd_err *err)
{
	struct hd_heap *h;
	size_t at = 0;
	int rc;

	while ((rc = hd_heap_next(&h, (const uint8_t *)bytes->data, bytes->len, &at, r->path, &r->p->log, err)) > 0) {
		HD_GROW(r->all.v, r->all.n + 1, r->all.cap);
		r->all.v[r->all.n++] = h;
	}
	if (rc >= 0 && at < bytes->len)
		hd_warn(&r->p->log, "lost.heap-rest", "",
			"%s: the data at 0x%zx is not a heap recording and was skipped", r->path, at);
	return rc;
}

/*
 * Return the pid that r->proc uses for a process of the recording.  It is not the recorded pid, which is not unique: a
 * process that calls exec has two entries in the file.
 */
static int32_t pid_in_proc(size_t process)
{
	return (int32_t)process + 1;
}

/* Map the modules of a process in r->proc, one at each of the times first, first + 2, first + 4, ... */
static void map_modules(struct reading *r, size_t process, uint64_t first)
{
	const struct hd_heap *h = r->all.v[process];

	for (size_t i = 0; i < h->nmodules; i++) {
		const struct hd_heap_object *o = &h->modules[i];

		for (size_t k = 0; k < o->nloads; k++) {
			struct hd_process_mmap m = {
				.when = { first + 2 * i, first + 2 * i }, .pid = pid_in_proc(process),
				.tid = pid_in_proc(process),
				.addr = o->loads[k].start, .len = o->loads[k].len, .pgoff = o->loads[k].pgoff,
				.name = o->path, .name_len = o->path_len, .build_id = o->build_id,
				.build_id_len = o->build_id_len,
				.cpumode = HD_MODE_USER, .executable = true,
			};

			hd_process_add_mmap(r->proc, &m);
		}
	}
}

/* Return true if the recording names this host and its kernel release. */
static bool recorded_here(const struct hd_heap *h)
{
	struct utsname u;

	return uname(&u) == 0 && h->hostname[0] && !strncmp(h->hostname, u.nodename, 63) &&
		!strncmp(h->release, u.release, 63);
}

/* ---- nodes -> stacks ---- */

/* Set *to to the stack of `caller`, extended by a location and the functions inlined there. */
static void place_node(struct reading *r, struct place *to, const struct place *caller, bool guess, uint32_t location)
{
	const struct hd_location *loc = hd_locator_get(r->locator, location);
	const hd_frame_id *inlined = hd_locator_inlined(r->locator, loc);

	*to = *caller;
	to->guessed |= guess;
	/*
	 * An outermost frame without a name can be the _start of a stripped program, which calls main().  So the frame
	 * that it called counts as outermost, too.
	 */
	if (!caller->depth || (caller->depth == 1 && caller->unknown))
		to->root = loc->root;
	to->function = loc->frame;
	to->stack = hd_stacks_add(r->p->stacks, to->stack, loc->frame);
	for (uint32_t i = 0; i < loc->ninlined; i++)
		to->stack = hd_stacks_add(r->p->stacks, to->stack, inlined[i]);
	to->depth += 1 + loc->ninlined;
	to->unknown += loc->unresolved;
}

static struct place *place_nodes(struct reading *r, size_t process, uint64_t first)
{
	const struct hd_heap *h = r->all.v[process];
	struct place *places = hd_new_array(struct place, h->nnodes);
	struct hd_process_context *at = hd_new_array(struct hd_process_context, h->nmodules + 1);
	int32_t pid = pid_in_proc(process);

	/*
	 * An address without a module must not match any mapping.  So it is looked up at a time before the first
	 * mapping, and keeps no symbol.
	 */
	hd_process_at(r->proc, pid, pid, (struct hd_record_time){ first - 1, first - 1 }, &at[0]);
	for (size_t i = 0; i < h->nmodules; i++)
		hd_process_at(r->proc, pid, pid, (struct hd_record_time){ first + 2 * i + 1, first + 2 * i + 1 },
			&at[i + 1]);
	for (size_t id = 1; id < h->nnodes; id++) {
		const struct hd_heap_stack_node *n = &h->nodes[id];

		if (n->address && n->caller < id)
			place_node(r, &places[id], &places[n->caller], n->guess && n->caller,
				hd_locator_find(r->locator, &at[n->module], HD_MODE_USER | (n->exact ? HD_TAG_PC : 0),
					n->address));
	}
	free(at);
	return places;
}

/* ---- counters -> rows ---- */

static void add_row(struct reading *r, int which, struct hd_sample_row row, uint64_t weight, uint64_t seen, double var)
{
	if (!r->wanted[which] || !seen)
		return;
	row.event = r->event[which];
	row.weight = r->opts->select.weight == HD_WEIGHT_SAMPLES ? seen : weight;
	row.count = seen;
	row.var = var;
	hd_profile_add_bounded(r->p, &row, r->path);
}

/* Set the stack of the row, and the frame of its self cost.  Return true if --symbol and --dso select the row. */
static bool place_row(struct reading *r, struct hd_sample_row *row, const struct place *at)
{
	const struct hd_profile *p = r->p;
	const struct hd_profile_symbol *s;

	row->stack = at->stack;
	row->self = at->function;
	hd_skip_rules_apply(&r->skip, row);
	s = &p->symbols[p->frames[row->self.v].symbol];

	return hd_selector_dso(&r->select, hd_profile_str(p, p->objects[s->object].name)) &&
		hd_selector_symbol(&r->select, s->unresolved ? HD_UNKNOWN : hd_profile_str(p, s->name),
			hd_profile_str(p, s->linkage));
}

static void add_counters(struct reading *r, const struct hd_heap *h, const struct place *places)
{
	struct hd_profile *p = r->p;
	struct hd_recording *rec = &p->recording;
	bool process_wanted = hd_selector_comm(&r->select, h->comm) &&
		hd_selector_ids(&r->select, (int32_t)h->pid, (int32_t)h->pid, 0);

	for (size_t i = 0; i < h->ncounters; i++) {
		const struct hd_heap_stack_counter *c = &h->counters[i];
		const struct place *at = &places[c->node];
		struct hd_sample_row row = {
			.comm = p->keys & HD_KEY_COMM ? hd_profile_name(p, h->comm) : 0,
			.pid = p->keys & HD_KEY_PID ? (int32_t)h->pid : 0,
		};
		const uint64_t n = c->allocated.seen;

		p->read += n;
		if (!place_row(r, &row, at) || !process_wanted) {
			hd_profile_drop(p, "not selected", n);
			continue;
		}
		p->kept += n;
		rec->with_stack += n;
		rec->guessed += at->guessed ? n : 0;
		*(at->guessed ? &rec->guessed_root : &rec->root_reached) += at->root ? n : 0;
		rec->frames += n * at->depth;
		rec->unknown_frames += n * at->unknown;
		add_row(r, 0, row, c->allocated.bytes, c->allocated.seen, c->allocated.var_bytes);
		add_row(r, 1, row, c->allocated.blocks, c->allocated.seen, c->allocated.var_blocks);
		add_row(r, 2, row, c->peak.bytes, c->peak.seen, c->peak.var_bytes);
		add_row(r, 3, row, c->peak.blocks, c->peak.seen, c->peak.var_blocks);
		add_row(r, 4, row, c->leaked.bytes, c->leaked.seen, c->leaked.var_bytes);
		add_row(r, 5, row, c->leaked.blocks, c->leaked.seen, c->leaked.var_blocks);
		add_row(r, 6, row, c->temporary.blocks, c->temporary.seen, c->temporary.var_blocks);
		add_row(r, 7, row, c->temporary.bytes, c->temporary.seen, c->temporary.var_bytes);
		if (c->life)
			add_row(r, HD_HEAP_LIFETIME, row, c->life, c->allocated.seen, 0);
	}
}

/* ---- moves ---- */

static void add_move(struct hd_profile *p, uint64_t time_ns, const struct place *at, int64_t bytes)
{
	HD_GROW(p->moves, p->nmoves + 1, p->moves_cap);
	p->moves[p->nmoves++] = (struct hd_move){ time_ns, at->stack, bytes };
}

/*
 * Return the end of a process in CLOCK_MONOTONIC: the time of its exit handlers, or the start of the recording of the
 * same pid after an exec. Return 0 if it is unknown.
 */
static uint64_t end_of(const struct reading *r, size_t process)
{
	const struct hd_heap *h = r->all.v[process];
	uint64_t end = 0;

	if (h->end_ns > h->begin_ns)
		return h->monotonic_ns + (h->end_ns - h->begin_ns);
	for (size_t i = 0; i < r->all.n; i++) {
		const struct hd_heap *other = r->all.v[i];

		if (other->pid == h->pid && other->monotonic_ns > h->monotonic_ns &&
			(!end || other->monotonic_ns < end))
			end = other->monotonic_ns;
	}
	return end;
}

/*
 * Return the time of the change of live bytes moves[i], in ns since the recording began.  A recording has the tick of a
 * change only (a period of 10 ms or more).  If the next tick with changes follows directly, the program allocated
 * during the whole tick, and the result is the middle of the tick.  Otherwise the changes preceded a pause, and the
 * result is the beginning of the tick.  The caller sets *next to 0 before the first call; the function keeps the index
 * of the first change of a later tick there.
 */
static uint64_t time_of_tick(const struct hd_heap *h, size_t i, size_t *next)
{
	uint64_t ms = h->moves[i].ms, gap;

	while (*next < h->nmoves && (*next <= i || h->moves[*next].ms == ms))
		(*next)++;
	gap = *next < h->nmoves ? h->moves[*next].ms - ms : 0;
	return ms * 1000000 + (gap && gap <= h->stride + h->stride / 2 ? gap * 500000 : 0);
}

/*
 * Add the allocations and frees over time of one process to p->moves, if the process and their stacks are selected.
 * Memory that is still live when the process ends counts as freed at that time.
 */
static void add_moves(struct reading *r, size_t process, const struct place *places)
{
	const struct hd_heap *h = r->all.v[process];
	size_t next = 0;
	uint64_t *live = hd_new_array(uint64_t, h->nnodes), end = end_of(r, process);
	bool process_wanted = hd_selector_comm(&r->select, h->comm) &&
		hd_selector_ids(&r->select, (int32_t)h->pid, (int32_t)h->pid, 0);

	for (size_t i = 0; process_wanted && i < h->nmoves; i++) {
		const struct hd_heap_move_at *m = &h->moves[i];
		struct hd_sample_row row = { 0 };

		if (!place_row(r, &row, &places[m->node]))
			continue;
		add_move(r->p, h->monotonic_ns + time_of_tick(h, i, &next), &places[m->node], m->bytes);
		live[m->node] += (uint64_t)m->bytes;
	}
	for (size_t id = 1; end && id < h->nnodes; id++)
		if (live[id])
			add_move(r->p, end, &places[id], (int64_t)-live[id]);
	free(live);
	if (!h->has_moves)
		hd_warn(&r->p->log, "heap.no-moves", "record again",
			"%s: was recorded by an older version, which did not record when memory was live", r->path);
	else if (h->untimed)
		hd_warn(&r->p->log, "lost.heap-moves", "",
			"%s: process %u: the times of its last allocations and frees were not recorded",
			r->path, h->pid);
}

static int by_time(const void *va, const void *vb)
{
	const struct hd_move *a = va, *b = vb;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->stack.v < b->stack.v ? -1 : a->stack.v > b->stack.v;
}

static void sort_moves(struct hd_profile *p)
{
	if (p->nmoves)
		qsort(p->moves, p->nmoves, sizeof(*p->moves), by_time);
}

static void warn_of_unwritten(struct reading *r)
{
	for (size_t i = 0; i < r->all.n; i++) {
		const struct hd_heap *h = r->all.v[i];

		if (h->unwritten)
			hd_warn(&r->p->log, "heap.unwritten",
				"let the program end by itself; docs/memory.md says what is lost when",
				"%s: process %u (%s) was killed before the recorder had written its allocations",
				r->path, h->pid, h->comm);
	}
}

static void describe(struct reading *r)
{
	struct hd_recording *rec = &r->p->recording;
	const struct hd_heap *h = r->all.v[0];

	rec->format = "heap";
	rec->mode = "file";
	rec->endian = "little";
	rec->hostname = hd_strdup(h->hostname);
	rec->os_release = hd_strdup(h->release);
	rec->arch = hd_strdup(h->machine);
	rec->heap_interval = h->interval;
	rec->heap_pid = h->pid;
	rec->heap_from_ns = h->loaded_ns && h->loaded_ns < h->monotonic_ns ? h->loaded_ns : h->monotonic_ns;
	rec->heap_epoch_ns = h->monotonic_ns ? (int64_t)(h->begin_ns - h->monotonic_ns) : 0;
	rec->heap_peak_clock = h->peak_clock;
	rec->heap_clock = h->clock;
	rec->processes = (uint32_t)r->all.n;
	for (size_t at = 0; at < h->command_len; rec->ncmdline++) {
		size_t n = strnlen(h->command + at, h->command_len - at);

		rec->cmdline = hd_realloc(rec->cmdline, rec->ncmdline + 1, sizeof(*rec->cmdline));
		rec->cmdline[rec->ncmdline] = hd_strndup(h->command + at, n);
		at += n + 1;
	}
	rec->heap_has_moves = h->has_moves;
	rec->heap_var = true;
	for (size_t i = 0; i < r->all.n; i++) {
		rec->heap_var &= r->all.v[i]->has_var;
		rec->heap_adaptive |= r->all.v[i]->adaptive;
		if (r->all.v[i]->interval > rec->heap_interval && rec->heap_adaptive)
			rec->heap_interval = r->all.v[i]->interval;
		else if (r->all.v[i]->interval != h->interval && !rec->heap_adaptive)
			hd_warn(&r->p->log, "heap.intervals", "record all processes alike",
				"%s: processes were sampled at different intervals; errors are computed for %llu bytes",
				r->path, (unsigned long long)h->interval);
		rec->no_unwind += r->all.v[i]->no_cfi;
		rec->heap_passed += r->all.v[i]->passed;
	}
	warn_of_unwritten(r);
	if (!r->p->read && rec->heap_passed)
		/* The number of blocks is unknown, so the byte that the recorder adds for each one is included. */
		hd_warn(&r->p->log, "heap.no-sample", "record with --exact, or with a smaller --interval",
			"%s: no allocation was sampled: %llu bytes were allocated, counting one more for each block, "
			"and one in %llu is sampled",
			r->path, (unsigned long long)rec->heap_passed, (unsigned long long)h->interval);
	hd_recording_info_add_objects(r->p, r->locator, hd_process_object_count(r->proc), 0);
}

/* Return an option that needs data which heap recordings do not have, or NULL. */
static const char *unsupported_option(const struct hd_pipeline_opts *o, const struct hd_selector *s)
{
	return o->select.tid.n           ? "--tid"
		: o->select.cpu.n        ? "--cpu"
		: s->by_time             ? "--time"
		: o->fields.n            ? o->launches ? "--gpu-trace" : "--by"
		: o->select.filter       ? "--filter"
		: o->select.weight_field ? "--weight-field"
		: o->select.weight > HD_WEIGHT_SAMPLES ? "--weight off-cpu, wall or syscalls"
					 : NULL;
}

static int begin_events(struct reading *r, struct hd_err *err)
{
	bool any = false;

	for (int i = 0; i < HD_HEAP_EVENTS; i++) {
		if (i == HD_HEAP_LIFETIME && !r->opts->lifetimes)
			continue;
		r->wanted[i] = hd_selector_event(&r->select, hd_heap_events[i].name);
		any |= r->wanted[i];
		if (r->wanted[i])
			r->event[i] = hd_profile_add_event(r->p, hd_heap_events[i].name,
				r->opts->select.weight == HD_WEIGHT_SAMPLES ? "samples"
				: hd_heap_events[i].bytes ? "bytes" : "allocations");
	}
	if (!any)
		return hd_fail(err, HD_EFORMAT,
			"%s: has no event '%s'; a heap recording has allocated, allocations, peak, peak-blocks, "
			"leaked, leaked-blocks, temporary and temporary-bytes",
			r->path, r->opts->select.event.items[0]);
	return 0;
}

static void make_profile(struct reading *r)
{
	struct hd_symbols_opts so = {
		.symfs = r->opts->symfs, .debuginfod = true, .no_call_files = !r->opts->lines,
		.same_machine = recorded_here(r->all.v[0]), .machine = r->all.v[0]->machine,
	};
	struct hd_symbols *symbols = NULL;
	uint64_t time = 2;

	for (size_t i = 0; i < r->all.n; i++) {
		map_modules(r, i, time);
		time += 2 * r->all.v[i]->nmodules + 2;
	}
	hd_process_build(r->proc);
	if (!r->opts->no_symbols)
		symbols = hd_symbols_new(&so, &r->p->log);
	r->locator = hd_locator_new(r->p, r->proc, symbols, r->opts);
	time = 2;
	for (size_t i = 0; i < r->all.n; i++) {
		struct place *places = place_nodes(r, i, time);

		time += 2 * r->all.v[i]->nmodules + 2;
		add_counters(r, r->all.v[i], places);
		if (r->opts->moves)
			add_moves(r, i, places);
		free(places);
	}
	sort_moves(r->p);
	describe(r);
	hd_locator_free(r->locator);
	hd_symbols_free(symbols);
}

int hd_heap_input_read(struct hd_profile *p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err)
{
	struct reading r = { .p = p, .opts = opts, .path = path };
	struct hd_buf bytes = { 0 };
	int rc = hd_selector_init(&r.select, &opts->select, err);

	if (rc < 0)
		return rc;
	if (unsupported_option(opts, &r.select))
		rc = hd_fail(err, HD_EFORMAT,
			"%s: a heap recording has sums, not single allocations, so %s cannot be used", path,
			unsupported_option(opts, &r.select));
	if (rc >= 0)
		rc = begin_events(&r, err);
	if (rc >= 0)
		rc = hd_file_slurp(fd, path, 1ull << MAX_BYTES_SHIFT, &bytes, err);
	if (rc >= 0)
		rc = read_processes(&r, &bytes, err);
	hd_skip_rules_init(&r.skip, p, opts->select.skip, true);
	if (rc >= 0) {
		r.proc = hd_process_table_new(p->names, &r.proc_log);
		make_profile(&r);
		p->recording.bytes = bytes.len;
	}
	for (size_t i = 0; i < r.all.n; i++)
		hd_heap_free(r.all.v[i]);
	free(r.all.v);
	hd_process_table_free(r.proc);
	hd_log_release(&r.proc_log);
	hd_buf_release(&bytes);
	hd_selector_release(&r.select);
	hd_skip_rules_release(&r.skip);
	return rc;
}
