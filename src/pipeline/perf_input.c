/*
 * perf_input.c - see perf_input.h
 *
 * The file is read in two passes.  The first pass builds time-versioned tables from the side-band records, which are
 * few: processes, threads and mappings.  It ends early if no more of them are expected (sideband.c).  The second pass
 * reads the samples in file order and looks them up in these tables, so samples need not be sorted or stored.
 *
 * Samples are summed by interned chain.  When the chains exceed their memory limit, they are resolved and the sums are
 * moved to the profile.  Memory therefore grows with the number of distinct stacks, not with the file.
 */
#include "pipeline/perf_input.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "bundle/bundled_recording.h"
#include "bundle/record.h"
#include "bundle/stack_bytes_used.h"
#include "gpu/launch_stacks.h"
#include "pipeline/divided_walk.h"
#include "pipeline/perf_input_state.h"
#include "symbols/nsroot.h"
#include "symbols/symbol_access.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/*
 * Add the selected events of the recording to the profile.  If the weight is a span of time, add no event:
 * hd_perf_input_map_span_events() adds its parts.  Also allocate the arrays that are indexed by attr or event.  Call
 * this after the first pass: in pipe mode the attrs are records, too.
 */
static void map_events(struct hd_perf_input *in)
{
	const struct hd_perf_attr *attrs = hd_perf_attrs(in->pf, &in->request.nattrs);
	const char *field = in->request.opts->select.weight_field;
	const char *unit = field                               ? hd_sample_field_unit(field)
		: in->request.opts->select.weight == HD_WEIGHT_SAMPLES ? "samples"
							       : NULL;
	size_t n;

	in->request.event_of = hd_new_array(uint32_t, in->request.nattrs);
	in->request.event_wanted = hd_new_array(bool, in->request.nattrs);
	n = in->request.nattrs > HD_SPAN_PARTS ? in->request.nattrs
				       /* if the weight is a span of time, each part of the span is an event */
				       : HD_SPAN_PARTS;
	in->request.has_chain = hd_new_array(bool, n);
	in->agg.weights = hd_new_array(uint64_t, n);
	in->agg.squares = in->request.opts->squares ? hd_new_array(double, n) : NULL;
	for (size_t i = 0; i < in->request.nattrs; i++) {
		if (attrs[i].deferred && !in->agg.deferred)
			in->agg.deferred = hd_deferred_chains_new(0);
		in->request.event_wanted[i] = hd_selector_event(&in->request.select, attrs[i].name) ||
			(in->request.opts->launches && hd_launch_stacks_is_marker(attrs[i].name));
		if (!in->request.event_wanted[i] || hd_pipeline_weighs_spans(in->request.opts))
			continue;
		in->request.event_of[i] = hd_profile_add_event(in->p, attrs[i].name, unit ? unit : attrs[i].unit);
		in->request.has_chain[in->request.event_of[i]] |= (attrs[i].sample_type & PERF_SAMPLE_CALLCHAIN) ||
			hd_perf_attr_has_call_stack(&attrs[i]);
	}
}

/* Fail if --event selects no event of the recording.  An error is better than an empty result. */
static int check_events(const struct hd_perf_input *in, const char *path, struct hd_err *err)
{
	const struct hd_perf_attr *attrs = hd_perf_attrs(in->pf, &(size_t){ 0 });
	const struct hd_string_list *asked = &in->request.opts->select.event;
	struct hd_buf have = { 0 };

	if (in->p->nevents || !asked->n)
		return 0;
	for (size_t i = 0; i < in->request.nattrs && have.len < 500; i++)
		hd_buf_addf(&have, "%s%s", i ? ", " : "", attrs[i].name);
	hd_fail(err, HD_EFORMAT, "%s: has no event '%s'; it has %s", path, asked->items[0],
		have.len ? have.data : "none");
	hd_buf_release(&have);
	return HD_EFORMAT;
}

/* Free everything that only reading needs.  Lookups of addresses need the rest: see end_lookup(). */
static void end_reading(struct hd_perf_input *in)
{
	hd_selector_release(&in->request.select);
	hd_skip_rules_release(&in->agg.skip);
	hd_perf_input_end_fields(in);
	hd_sample_queue_free(in->unwinding.queue);
	hd_perf_input_end_missing_caller(in);
	hd_unwind_free(in->unwinding.unwind);
	hd_stitch_free(in->unwinding.stitch);
	hd_deferred_chains_free(in->agg.deferred);
	free(in->unwinding.code);
	free(in->unwinding.gaps.samples);
	hd_stack_resolver_release(&in->agg.resolver);
	hd_perf_input_end_span_weights(in);
	hd_chains_free(in->agg.chains);
	hd_lbr_release(&in->agg.lbr);
	hd_chain_sums_release(&in->agg.sums);
	free(in->request.event_of);
	free(in->request.event_wanted);
	free(in->request.has_chain);
	free(in->agg.weights);
	free(in->agg.squares);
}

/* Implements hd_symbol_lease.end: free what end_reading() has left of a struct hd_perf_input, and the struct. */
static void end_lookup(void *reader)
{
	struct hd_perf_input *in = reader;

	hd_symbols_free(in->lookup.access.local);
	hd_locator_free(in->lookup.locator);
	hd_symbols_free(in->lookup.symbols);
	free(in->lookup.embedded.v);
	hd_jitdump_set_free(in->spaces.jitdumps);
	hd_process_table_free(in->spaces.proc);
	free(in->spaces.marks);
	hd_perf_close(in->pf);
	hd_log_release(&in->spaces.log);
	hd_log_release(&in->lookup.unused);
	free(in);
}

/*
 * Return true if the header names this host and its kernel release.  Then files without a build-id and /proc/kallsyms
 * may be used for symbols.  A recording without a host name can be from any machine; the user can pass --symfs / to
 * assert that it is from this one.
 */
bool hd_perf_input_recorded_here(struct hd_perf *pf)
{
	const struct hd_perf_header *h = hd_perf_header(pf);
	struct utsname u;

	return uname(&u) == 0 && h->hostname && h->os_release && !strcmp(h->hostname, u.nodename) &&
	       !strcmp(h->os_release, u.release);
}

struct hd_host_context hd_perf_input_host_context(const struct hd_perf_input *in, struct hd_perf *pf)
{
	struct hd_host_context c = { .guest_kernel = in->request.opts->guest_kallsyms };

	if (in->request.from->bundled)
		return hd_bundled_recording_host_context(in->request.from->bundled);
	c.here = hd_perf_input_recorded_here(pf);
	if (c.here)
		hd_nsroot_ours(&c.mnt_ns, &c.pid_ns);
	if (in->request.from->circumstances)
		*in->request.from->circumstances = c;
	return c;
}

/*
 * Estimate when the recording began, in ns since 1970; 0 if unknown.  For a recording read from a pipe, it is the time
 * of opening.
 *
 * The recording began before `latest`, the time of the last write minus the time from the first to the last sample.  It
 * began after `latest` - after_ns, because perf finishes the file within after_ns after the last sample.  perf creates
 * the file just before it starts to record.  So the result depends on the creation time of the file:
 *
 *     between these two times                    the creation time
 *     later than `latest` (a copy), or unknown   `latest`
 *     earlier than `latest` - after_ns           `latest` - after_ns
 *
 * If the times of the samples are unknown, `latest` is the time of the last write, and any earlier creation time is
 * returned.
 */
static int64_t began_ns(const struct hd_perf *pf)
{
	static const int64_t after_ns = INT64_C(60000000000);
	const struct hd_perf_header *h = hd_perf_header(pf);
	const struct hd_perf_file *f = hd_perf_file(pf);
	uint64_t span = h->sample_time_last_ns - h->sample_time_first_ns;
	int64_t latest = f->written_ns;

	if (f->spooled)
		return f->created_ns;
	if (h->sample_time_last_ns > h->sample_time_first_ns && span < (uint64_t)latest)
		latest -= (int64_t)span;
	else if (!h->sample_time_last_ns)
		return f->created_ns && f->created_ns < latest ? f->created_ns : latest;
	if (!f->created_ns || f->created_ns > latest)
		return latest;
	return f->created_ns > latest - after_ns ? f->created_ns : latest - after_ns;
}

/*
 * Return the value of recording.began_ns: when the recording began, in ns since 1970; 0 if unknown.  For a bundle it is
 * not estimated, because the file times of a bundle are not those of the recording in it.
 */
static int64_t unix_time(const struct hd_perf_input *in)
{
	const struct hd_perf_header *h = hd_perf_header(in->pf);
	int64_t since = (int64_t)(in->p->recording.first_ns - h->clock_ns), at;

	if (h->wall_ns && in->p->recording.first_ns)
		return __builtin_add_overflow((int64_t)h->wall_ns, since, &at) || at < 0 ? 0 : at;
	return in->request.from->bundled ? 0 : began_ns(in->pf);
}

/*
 * Implements the callback `row` of struct hd_embedded_files: set *row to row i of the symbol tables that the recording
 * contains.
 */
static void carried_row(const void *ctx, size_t i, struct hd_embedded_row *row)
{
	const struct hd_embedded_symbols *c = ctx;

	*row = (struct hd_embedded_row){ c->symbols[i].start, c->symbols[i].size,
		hd_embedded_str(c, c->symbols[i].name) };
}

static void take_carried(struct hd_perf_input *in)
{
	const struct hd_embedded_symbols *c = hd_perf_embedded_symbols(in->pf);
	struct hd_embedded_files *t = &in->lookup.embedded;

	*t = (struct hd_embedded_files){
		.v = hd_new_array(struct hd_embedded_table, c->nfiles), .row = carried_row, .ctx = c,
		.kallsyms = c->kallsyms.data, .kallsyms_len = c->kallsyms.len,
	};
	for (; t->n < c->nfiles; t->n++) {
		const struct hd_embedded_file *f = &c->files[t->n];

		t->v[t->n] = (struct hd_embedded_table){
			.place = (enum hd_embedded_base)f->kind, .path = hd_embedded_str(c, f->path),
			.build_id = f->id.bytes, .build_id_len = f->id.len,
			.vaddr = f->vaddr, .foff = f->foff, .has_foff = f->has_foff, .first = f->first, .n = f->n,
		};
	}
}

/*
 * Return the path of the copy of kallsyms that `perf record --kcore` writes into the folder of the recording, or NULL.
 * The caller frees the string.
 */
static char *kallsyms_beside(const char *dir)
{
	struct hd_buf path = { 0 };
	int fd = hd_file_open_untrusted(dir, "kcore_dir/kallsyms", UINT32_MAX, NULL);

	if (fd < 0)
		return NULL;
	close(fd);
	hd_buf_addf(&path, "%s/kcore_dir/kallsyms", dir);
	return hd_buf_take(&path);
}

static uint32_t locate(void *ctx, const struct hd_process_context *at, unsigned tag, uint64_t ip)
{
	struct hd_perf_input *in = ctx;
	uint32_t location = hd_locator_find(in->lookup.locator, at, tag, ip);

	hd_perf_input_count_address(in);
	return location;
}

static void exhausted(void *in)
{
	hd_perf_input_exhaust_budget(in, "its call chains take longer to look up");
}

static int open_from(struct hd_perf **pf, const struct hd_perf_source *from, struct hd_log *log, struct hd_err *err)
{
	if (from->bundled)
		return hd_bundled_recording_perf(pf, from->bundled, from->path, log, err);
	if (from->fd >= 0)
		return hd_perf_open_fd(pf, from->fd, from->path, log, err);
	return hd_perf_open(pf, from->path, log, err);
}

static struct hd_symbols *open_symbols(const struct hd_perf_source *from, const struct hd_symbols_opts *opts,
	struct hd_log *log)
{
	if (from->bundled)
		return hd_symbols_over(hd_bundled_recording_symbols(from->bundled, opts->no_call_files, log));
	if (from->remember)
		return hd_symbols_over(hd_bundle_record_source(from->remember, opts, log));
	return hd_symbols_new(opts, log);
}

/* Implements hd_symbol_access.key. */
static bool key_of(const void *ctx, uint32_t profile_object, struct hd_symbols_key *key)
{
	const struct hd_perf_input *in = ctx;
	size_t n = hd_process_object_count(in->spaces.proc);

	for (uint32_t i = 1; i < n; i++) {
		const struct hd_symobj *symbols;
		uint32_t id;

		if (!hd_locator_object(in->lookup.locator, i, &id, &symbols) || id != profile_object)
			continue;
		hd_locator_key(in->lookup.locator, i, key);
		return true;
	}
	return false;
}

static void offer_symbols(struct hd_perf_input *in, const struct hd_symbols_opts *opts)
{
	const struct hd_symbol_user *user = in->request.opts->symbol_user;
	struct hd_symbols_opts local = *opts;
	struct hd_symbol_access *access = &in->lookup.access;

	*access = (struct hd_symbol_access){
		.symbols = in->lookup.symbols, .symfs = opts->symfs, .key = key_of, .ctx = in,
	};
	local.same_machine = false;		/* require build-ids */
	if (!in->request.from->bundled)
		access->jitdumps = in->spaces.jitdumps;
	else
		access->local = hd_symbols_new(&local, &in->lookup.unused);
	user->use(user->arg, in->p, access);
}

/*
 * Read the recording into p, which is empty.  Return HD_PERF_INPUT_AGAIN if the caller must call this function again,
 * with another empty profile and again = true.  from->fd is closed.
 */
static int read_once(struct hd_profile *p, const struct hd_perf_source *from, const struct hd_pipeline_opts *opts,
	bool again, struct hd_err *err)
{
	struct hd_perf_input *in = hd_new(struct hd_perf_input);
	struct hd_symbol_lease lease = { end_lookup, in };
	struct hd_symbols_opts so = {
		.symfs = opts->symfs, .kallsyms = opts->kallsyms, .guest_kallsyms = opts->guest_kallsyms,
		.debuginfod = true, .no_call_files = !opts->lines && !opts->symbol_user,
	};
	const char *path = from->path;
	char *beside = NULL;
	int rc;

	*in = (struct hd_perf_input){
		.p = p, .request = { .from = from, .own_opts = *opts }, .spaces = { .read_whole = again },
	};
	/* With a lease, the caller looks up the lines of the few functions that the user chooses. */
	in->request.own_opts.lines &= !opts->symbol_user || !opts->symbol_user->lease;
	in->request.opts = opts = &in->request.own_opts;
	rc = open_from(&in->pf, from, &p->log, err);
	if (rc < 0) {
		free(in);
		return rc;
	}
	rc = hd_selector_init(&in->request.select, &opts->select, err);
	if (rc < 0)
		goto out;
	hd_progress_start(&in->progress, path, 2 * hd_perf_file(in->pf)->bytes);
	in->fields.table.pf = in->pf;
	hd_skip_rules_init(&in->agg.skip, p, opts->select.skip, hd_pipeline_weighs_spans(opts));
	in->fields.wants_cgroups = hd_perf_input_wants_cgroups(in);
	in->fields.table.spans = hd_pipeline_weighs_spans(opts);
	in->fields.table.polls = opts->span_polls != NULL;
	in->spaces.read_whole |= in->fields.wants_cgroups || in->fields.table.spans;
	if (opts->timed)
		p->timed = hd_timed_samples_new();
	in->spaces.proc = hd_process_table_new(p->names, &in->spaces.log);
	hd_perf_input_begin_budget(in);
	hd_perf_try_mapping(in->pf);
	hd_perf_input_begin_dividing(in);
	rc = hd_perf_input_read_sideband(in, err);
	if (rc < 0)
		goto out;
	hd_progress_pass(&in->progress, hd_perf_file(in->pf)->bytes);
	map_events(in);
	if (in->fields.table.spans)
		hd_perf_input_map_span_events(in);
	rc = check_events(in, path, err);
	if (rc >= 0)
		rc = hd_perf_input_begin_fields(in, err);
	if (rc >= 0)
		rc = hd_perf_input_list_fields(in, err);
	if (rc < 0)
		goto out;
	so.machine_unknown = !hd_perf_header(in->pf)->hostname;
	if (hd_perf_file(in->pf)->dir && !so.kallsyms && !from->bundled)
		so.kallsyms = beside = kallsyms_beside(path);
	take_carried(in);
	so.machine = hd_perf_header(in->pf)->arch;
	so.embedded = &in->lookup.embedded;
	so.written_s = hd_perf_file(in->pf)->written_s;
	so.began_ns = began_ns(in->pf);
	so.same_machine = hd_perf_input_recorded_here(in->pf);
	so.jitdumps = in->spaces.jitdumps;
	if (!opts->no_symbols)
		in->lookup.symbols = open_symbols(from, &so, &p->log);
	in->lookup.locator = hd_locator_new(p, in->spaces.proc, in->lookup.symbols, opts);
	in->agg.resolver = (struct hd_stack_resolver){
		.p = p, .locator = in->lookup.locator, .no_kernel = opts->select.no_kernel,
	};
	in->agg.chains = hd_chains_new(&(struct hd_chains_source){ locate, exhausted, in });
	hd_chains_limit(in->agg.chains, in->budget.words);
	hd_perf_input_check_budget(in);
	in->agg.tail = (struct hd_deferred_lookup){ .chains = in->agg.chains, .sums = &in->agg.sums };
	rc = hd_perf_input_begin_span_weights(in, err);
	if (rc >= 0)
		rc = hd_perf_input_measure_spans(in, err);
	if (rc < 0)
		goto out;
	hd_perf_input_begin_unwinding(in);
	hd_perf_input_begin_missing_caller(in);
	rc = hd_perf_input_read_samples(in, err);
	if (rc)
		goto out;
	hd_perf_input_record_unwinding(in);
	if (hd_chains_invalid(in->agg.chains))
		hd_warn_n(&p->log, "lost.chain", hd_chains_invalid(in->agg.chains),
			"code without frame pointers is in it: build with -fno-omit-frame-pointer, or record with "
			"--call-graph dwarf",
			"%s: a call chain contains a value that is not an address; the chain ends there", path);
	hd_perf_input_limit_stacks(in);
	hd_perf_input_warn_budget(in);
	hd_perf_input_end_unwinding(in);
	if (hd_perf_embedded_symbols(in->pf)->chains_refused)
		hd_warn_n(&p->log, "lost.chain-table", hd_perf_embedded_symbols(in->pf)->chains_refused, "",
			"%s: samples have no call chain: the recording's table of chains exceeds the memory limit",
			path);
	p->recording.began_ns = unix_time(in);
	hd_perf_input_describe_sampling(in);
	hd_recording_info_fill(p, in->pf, in->lookup.locator, hd_process_object_count(in->spaces.proc),
		in->unwinding.unwind, &in->unwinding.gaps, opts->command_ended);
	if (opts->symbol_user)
		offer_symbols(in, &so);
out:
	hd_progress_end(&in->progress);
	free(beside);
	end_reading(in);
	if (!rc && opts->symbol_user && opts->symbol_user->lease)
		*opts->symbol_user->lease = lease;
	else
		hd_symbol_lease_end(&lease);
	return rc;
}

bool hd_perf_input_is(const char *head, size_t n)
{
	return n >= 8 && (!memcmp(head, "PERFILE2", 8) || !memcmp(head, "2ELIFREP", 8) || !memcmp(head, "PERFFILE", 8));
}

/* Call read_once() with a duplicate of from->fd, so that the caller's descriptor stays open. */
static int once(struct hd_profile *p, const struct hd_perf_source *from, const struct hd_pipeline_opts *opts,
	bool again, struct hd_err *err)
{
	struct hd_perf_source own = *from;
	int rc;

	if (from->fd >= 0)
		own.fd = fcntl(from->fd, F_DUPFD_CLOEXEC, 3);
	if (from->bundled)
		hd_log_add(&p->log, hd_bundled_recording_log(from->bundled));
	rc = read_once(p, &own, opts, again, err);
	if (from->bundled)
		hd_bundled_recording_warn_lookups(from->bundled, &p->log);
	return rc;
}

int hd_perf_input_read(struct hd_profile **p, const struct hd_perf_source *from, const struct hd_pipeline_opts *opts,
	struct hd_err *err)
{
	unsigned keys = (*p)->keys;
	int rc = once(*p, from, opts, false, err);

	if (rc <= 0)
		return rc;
	hd_profile_free(*p);
	*p = hd_profile_new();
	(*p)->keys = keys;
	if (from->marks)
		hd_stack_bytes_used_release(from->marks);
	return once(*p, from, opts, true, err);
}
