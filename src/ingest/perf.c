/*
 * perf.c - see perf.h
 *
 * Two passes over the file.  The first takes the small side-band records (who
 * is which process, what is mapped where) into time-versioned tables; the
 * second takes the samples in file order against those tables, so that
 * nothing has to be sorted or kept.  Samples are summed by interned chain;
 * when the chains outgrow their bound they are resolved and the sums move to
 * the profile, so memory follows distinct stacks and not the file.
 */
#include "ingest/perf.h"

#include "base/buf.h"
#include "base/encode.h"
#include "base/map.h"
#include "base/mem.h"
#include "ingest/chains.h"
#include "ingest/progress.h"
#include "ingest/select.h"
#include "ingest/sums.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

enum { FLUSH_NODES = 1 << 20, FLUSH_SUMS = 1 << 19 };

enum { MISC_FORK_EXEC = 1 << 13 };	/* of a FORK: made up by perf for a task that ran before */

struct ingest {
	struct hd_profile *p;
	const struct hd_ingest_opts *opts;
	struct hd_selector select;
	struct hd_perf *pf;
	struct hd_proc *proc;
	struct hd_symbols *symbols;
	struct hd_resolver *resolver;
	struct hd_chains *chains;
	struct hd_sums sums;
	uint32_t *event_of;		/* by attr: event of the profile */
	bool *event_wanted;		/* by attr */
	bool *has_chain;		/* by event: its samples hold call chains */
	uint64_t *weights;		/* by event of the profile: what was kept, so that no sum can wrap */
	size_t nattrs;
	struct hd_map comm_wanted;	/* by string id; asked once each */
	struct hd_progress progress;
};

/* ---- first pass: side-band ---- */

static struct hd_proc_when when_of(struct hd_when w)
{
	return (struct hd_proc_when){ w.time_ns, w.seq };
}

static int on_mmap(struct ingest *in, const struct hd_record *rec, struct hd_err *err)
{
	struct hd_mmap_event e;
	int rc = hd_perf_parse_mmap(in->pf, rec, &e, err);

	if (rc >= 0)
		hd_proc_add_mmap(in->proc, &(struct hd_proc_mmap){
			.when = when_of(e.when), .pid = e.pid, .tid = e.tid, .addr = e.addr, .len = e.len, .pgoff = e.pgoff,
			.name = e.name, .name_len = e.name_len, .build_id = e.build_id.bytes, .build_id_len = e.build_id.len,
			.cpumode = e.cpumode, .executable = e.executable, .maj = e.maj, .min = e.min, .ino = e.ino, .flags = e.flags,
		});
	return rc;
}

static int on_comm(struct ingest *in, const struct hd_record *rec, struct hd_err *err)
{
	struct hd_comm_event e;
	int rc = hd_perf_parse_comm(in->pf, rec, &e, err);

	if (rc >= 0)
		hd_proc_add_comm(in->proc, when_of(e.when), e.pid, e.tid, e.comm, e.comm_len, e.exec);
	return rc;
}

static int on_fork(struct ingest *in, const struct hd_record *rec, struct hd_err *err)
{
	struct hd_fork_event e;
	int rc = hd_perf_parse_fork(in->pf, rec, &e, err);

	if (rc < 0)
		return rc;
	if (e.exit)
		hd_proc_add_exit(in->proc, when_of(e.when), e.pid, e.tid);
	else if (rec->misc & MISC_FORK_EXEC)
		hd_proc_add_fork_running(in->proc, when_of(e.when), e.pid, e.ppid, e.tid, e.ptid);
	else
		hd_proc_add_fork(in->proc, when_of(e.when), e.pid, e.ppid, e.tid, e.ptid);
	return 0;
}

static int on_ksymbol(struct ingest *in, const struct hd_record *rec, struct hd_err *err)
{
	struct hd_ksymbol_event e;
	int rc = hd_perf_parse_ksymbol(in->pf, rec, &e, err);

	if (rc >= 0)
		hd_proc_add_ksymbol(in->proc, when_of(e.when), e.addr, e.len, e.name, e.name_len, e.flags & 1);
	return rc;
}

static int on_namespaces(struct ingest *in, const struct hd_record *rec, struct hd_err *err)
{
	struct hd_namespaces_event e;
	int rc = hd_perf_parse_namespaces(in->pf, rec, &e, err);

	if (rc >= 0)
		hd_proc_add_namespaces(in->proc, when_of(e.when), e.pid, e.tid, e.mnt_ino, e.pid_ino);
	return rc;
}

static int read_sideband(struct ingest *in, struct hd_err *err)
{
	struct hd_record rec;
	const struct hd_perf_build_id *ids;
	size_t nids;
	int rc;

	while ((rc = hd_perf_next(in->pf, &rec, err)) > 0) {
		struct hd_err bad;

		hd_progress_at(&in->progress, rec.off);
		rc = 0;
		switch (rec.kind) {
		case HD_REC_MMAP:	rc = on_mmap(in, &rec, &bad); break;
		case HD_REC_COMM:	rc = on_comm(in, &rec, &bad); break;
		case HD_REC_FORK:
		case HD_REC_EXIT:	rc = on_fork(in, &rec, &bad); break;
		case HD_REC_KSYMBOL:	rc = on_ksymbol(in, &rec, &bad); break;
		case HD_REC_NAMESPACES:	rc = on_namespaces(in, &rec, &bad); break;
		case HD_REC_SAMPLE:
		case HD_REC_LOST:
		case HD_REC_LOST_SAMPLES:
		case HD_REC_THROTTLE:
		case HD_REC_FINISHED_ROUND:
		case HD_REC_OTHER:
			break;
		}
		if (rc < 0)
			hd_warn(&in->p->log, "lost.side-band", "", "%s", bad.msg);
	}
	if (rc < 0)
		return rc;
	ids = hd_perf_build_ids(in->pf, &nids);
	for (size_t i = 0; i < nids; i++)
		hd_proc_add_build_id(in->proc, ids[i].name, ids[i].id.bytes, ids[i].id.len, ids[i].misc & 7);
	hd_proc_build(in->proc);
	return 0;
}

/* ---- between the passes: what the attrs are, now that pipe mode told them all ---- */

static void map_events(struct ingest *in)
{
	const struct hd_perf_attr *attrs = hd_perf_attrs(in->pf, &in->nattrs);
	bool by_samples = in->opts->select.weight == HD_WEIGHT_SAMPLES;

	in->event_of = hd_new_array(uint32_t, in->nattrs);
	in->event_wanted = hd_new_array(bool, in->nattrs);
	in->has_chain = hd_new_array(bool, in->nattrs);
	in->weights = hd_new_array(uint64_t, in->nattrs);
	for (size_t i = 0; i < in->nattrs; i++) {
		in->event_wanted[i] = hd_selector_event(&in->select, attrs[i].name);
		if (!in->event_wanted[i])
			continue;
		in->event_of[i] = hd_profile_add_event(in->p, attrs[i].name, by_samples ? "samples" : attrs[i].unit);
		in->has_chain[in->event_of[i]] |= (attrs[i].sample_type & PERF_SAMPLE_CALLCHAIN) != 0;
	}
}

/* A selected event that the recording does not have is a mistake to be told, not an empty answer. */
static int check_events(const struct ingest *in, const char *path, struct hd_err *err)
{
	const struct hd_perf_attr *attrs = hd_perf_attrs(in->pf, &(size_t){ 0 });
	const struct hd_words *asked = &in->opts->select.event;
	struct hd_buf have = { 0 };

	if (in->p->nevents || !asked->n)
		return 0;
	for (size_t i = 0; i < in->nattrs && have.len < 500; i++)
		hd_buf_addf(&have, "%s%s", i ? ", " : "", attrs[i].name);
	hd_fail(err, HD_EFORMAT, "%s: has no event '%s'; it has %s", path, asked->items[0], have.len ? have.data : "none");
	hd_buf_release(&have);
	return HD_EFORMAT;
}

/* ---- second pass: samples ---- */

/* Move the sums to the profile: chains become stacks, nodes are forgotten. */
static void flush(struct ingest *in)
{
	struct hd_profile *p = in->p;
	const struct hd_resolver *r = in->resolver;
	struct hd_recording *rec = &p->recording;

	hd_resolver_run(in->resolver, in->chains);
	for (size_t i = 0; i < in->sums.n; i++) {
		const struct hd_sum *sum = &in->sums.items[i];
		uint32_t leaf = sum->leaf, self = sum->self;
		struct hd_sample_row row = {
			.stack = hd_resolver_stack(r, leaf), .event = sum->event, .comm = sum->comm, .pid = sum->pid,
			.tid = sum->tid, .cpu = sum->cpu, .weight = sum->weight, .count = sum->count,
		};
		const struct hd_symbol *s;
		bool wanted;

		row.self = in->opts->select.no_kernel ? hd_stacks_frame(p->stacks, row.stack) : hd_resolver_frame(r, self);
		s = &p->symbols[p->frames[row.self.v].symbol];
		wanted = hd_resolver_depth(r, leaf) &&
			 hd_selector_dso(&in->select, hd_profile_str(p, p->objects[s->object].name)) &&
			 hd_selector_symbol(&in->select, s->unresolved ? HD_UNKNOWN : hd_profile_str(p, s->name),
					    hd_profile_str(p, s->linkage));
		if (!wanted) {
			p->kept -= row.count;
			hd_profile_drop(p, "not selected", row.count);
			continue;
		}
		if (in->has_chain[sum->event] && hd_resolver_has_user(r, leaf)) {
			rec->with_stack += row.count;
			rec->root_reached += hd_resolver_at_root(r, leaf) ? row.count : 0;
		}
		rec->frames += row.count * hd_resolver_depth(r, leaf);
		rec->unknown_frames += row.count * hd_resolver_unknown(r, leaf);
		hd_profile_add_sample(p, &row);
	}
	hd_sums_clear(&in->sums);
	hd_chains_clear(in->chains);
}

static bool comm_wanted(struct ingest *in, uint32_t comm)
{
	uint32_t known;

	if (!in->opts->select.comm.n)
		return true;
	known = hd_map_get(&in->comm_wanted, comm);
	if (known == HD_MAP_NONE) {
		known = hd_selector_comm(&in->select, hd_profile_str(in->p, comm));
		hd_map_put(&in->comm_wanted, comm, known);
	}
	return known;
}

/* One sample of one event: s->attr and s->period say which and how much. */
static void count(struct ingest *in, const struct hd_sample *s, const struct hd_proc_at *at, uint32_t leaf, uint32_t self)
{
	unsigned keys = in->p->keys;
	struct hd_sum sum = {
		.leaf = leaf, .self = self, .event = in->event_of[s->attr],
		.comm = keys & HD_KEY_COMM ? at->comm : 0,
		.pid = keys & HD_KEY_PID ? s->pid : 0,
		.tid = keys & HD_KEY_TID ? s->tid : 0,
		.cpu = keys & HD_KEY_CPU ? s->cpu : 0,
		.weight = in->opts->select.weight == HD_WEIGHT_SAMPLES ? 1 : s->period,
		.count = 1,
	};
	uint64_t weight;

	if (__builtin_add_overflow(in->weights[sum.event], sum.weight, &weight)) {
		hd_profile_drop(in->p, "lost.weight", 1);
		hd_warn(&in->p->log, "lost.weight", "", "%s: the weights add up to more than 64 bits hold; a sample of %llu was left out",
			hd_perf_file(in->pf)->path, (unsigned long long)sum.weight);
		return;
	}
	in->weights[sum.event] = weight;
	in->p->kept++;
	hd_sums_add(&in->sums, &sum);
}

/* A sample that is read and not counted. */
static void drop(struct ingest *in, const char *reason)
{
	in->p->read++;
	hd_profile_drop(in->p, reason, 1);
}

static void count_or_drop(struct ingest *in, const struct hd_sample *s, const struct hd_proc_at *at, uint32_t leaf, uint32_t self)
{
	if (!in->event_wanted[s->attr]) {
		drop(in, "not selected");
		return;
	}
	in->p->read++;
	count(in, s, at, leaf, self);
}

static void note_time(struct ingest *in, const struct hd_sample *s)
{
	struct hd_recording *rec = &in->p->recording;

	if (!s->has_time)
		return;
	if (!rec->first_ns || s->time_ns < rec->first_ns)
		rec->first_ns = s->time_ns;
	if (s->time_ns > rec->last_ns)
		rec->last_ns = s->time_ns;
}

static void on_sample(struct ingest *in, const struct hd_record *rec)
{
	struct hd_profile *p = in->p;
	const struct hd_read_value *values = NULL;
	struct hd_proc_at at;
	struct hd_sample s;
	struct hd_err bad;
	uint32_t root, leaf, self;
	size_t nvalues;
	bool moved = false;

	if (hd_perf_parse_sample(in->pf, rec, &s, &bad) < 0) {
		drop(in, s.drop);
		hd_warn(&p->log, s.drop, "", "%s", bad.msg);
		return;
	}
	nvalues = s.nread ? hd_perf_group_values(in->pf, rec, &s, &values) : 0;
	if (in->select.any && (!hd_selector_ids(&in->select, s.pid, s.tid, s.cpu) || !hd_selector_time(&in->select, s.time_ns))) {
		drop(in, "not selected");
		return;
	}
	hd_proc_at(in->proc, s.pid, s.tid, (struct hd_proc_when){ s.has_time ? s.time_ns : 0, rec->seq }, &at);
	if (!comm_wanted(in, at.comm)) {
		drop(in, "not selected");
		return;
	}
	note_time(in, &s);
	p->recording.copied_stacks += s.stack_user_bytes > 0;
	root = hd_chains_root(in->chains, &at);
	leaf = hd_chains_add(in->chains, root, &s, &self);
	if (!nvalues)
		count_or_drop(in, &s, &at, leaf, self);
	for (size_t i = 0; i < nvalues; i++) {
		if (!values[i].value)
			continue;
		moved = true;
		s.attr = values[i].attr;
		s.period = values[i].value;
		count_or_drop(in, &s, &at, leaf, self);
	}
	if (nvalues && !moved)
		drop(in, "counter did not move");	/* perf delivers nothing for it either */
	if (hd_chains_count(in->chains) > FLUSH_NODES || in->sums.n > FLUSH_SUMS)
		flush(in);
}

static void on_lost(struct ingest *in, const struct hd_record *rec)
{
	uint64_t lost;
	uint32_t attr;
	struct hd_err bad;

	if (hd_perf_parse_lost(in->pf, rec, &lost, &attr, &bad) < 0)
		return;		/* the walk warned already */
	if (attr >= in->nattrs)
		attr = 0;
	if (in->nattrs && in->event_wanted[attr])
		in->p->events[in->event_of[attr]].lost += lost;
}

static int read_samples(struct ingest *in, struct hd_err *err)
{
	struct hd_record rec;
	int rc = hd_perf_rewind(in->pf, err);

	if (rc < 0)
		return rc;
	while ((rc = hd_perf_next(in->pf, &rec, err)) > 0) {
		hd_progress_at(&in->progress, rec.off);
		if (rec.kind == HD_REC_SAMPLE)
			on_sample(in, &rec);
		else if (rec.kind == HD_REC_LOST || rec.kind == HD_REC_LOST_SAMPLES)
			on_lost(in, &rec);
	}
	if (rc >= 0)
		flush(in);
	return rc;
}

static void release(struct ingest *in)
{
	hd_selector_release(&in->select);
	hd_resolver_free(in->resolver);
	hd_symbols_free(in->symbols);
	hd_chains_free(in->chains);
	hd_proc_free(in->proc);
	hd_perf_close(in->pf);
	hd_sums_release(&in->sums);
	hd_map_release(&in->comm_wanted);
	free(in->event_of);
	free(in->event_wanted);
	free(in->has_chain);
	free(in->weights);
}

/*
 * Was it recorded here?  Then a path without a build-id may be taken at its
 * word, and so may /proc/kallsyms.  A recording that does not name its host
 * could be from anywhere: its user passes --symfs / to vouch for it.
 */
static bool recorded_here(const struct hd_perf_header *h)
{
	struct utsname u;

	return uname(&u) == 0 && h->hostname && h->os_release && !strcmp(h->hostname, u.nodename) &&
	       !strcmp(h->os_release, u.release);
}

int hd_ingest_perf(struct hd_profile *p, int fd, const char *path, const struct hd_ingest_opts *opts, struct hd_err *err)
{
	struct ingest in = { .p = p, .opts = opts };
	struct hd_symbols_opts so = { .symfs = opts->symfs, .kallsyms = opts->kallsyms, .debuginfod = true };
	int rc;

	if (fd >= 0)
		rc = hd_perf_open_fd(&in.pf, fd, path, &p->log, err);
	else
		rc = hd_perf_open(&in.pf, path, &p->log, err);
	if (rc < 0)
		return rc;
	rc = hd_selector_init(&in.select, &opts->select, err);
	if (rc < 0)
		goto out;
	hd_progress_start(&in.progress, path, 2 * hd_perf_file(in.pf)->bytes);
	in.proc = hd_proc_new(p->names, &p->log);
	rc = read_sideband(&in, err);
	if (rc < 0)
		goto out;
	hd_progress_pass(&in.progress, hd_perf_file(in.pf)->bytes);
	map_events(&in);
	rc = check_events(&in, path, err);
	if (rc < 0)
		goto out;
	so.machine_unknown = !hd_perf_header(in.pf)->hostname;
	so.same_machine = recorded_here(hd_perf_header(in.pf));
	if (!opts->no_symbols)
		in.symbols = hd_symbols_new(&so, &p->log);
	in.resolver = hd_resolver_new(p, in.proc, in.symbols, opts);
	in.chains = hd_chains_new();
	rc = read_samples(&in, err);
	if (rc < 0)
		goto out;
	if (hd_chains_invalid(in.chains))
		hd_warn_n(&p->log, "lost.chain", hd_chains_invalid(in.chains),
			  "code without frame pointers is in it: build with -fno-omit-frame-pointer, or record with --call-graph dwarf",
			  "%s: a call chain ends in a value that is no address; its outer part was left out", path);
	p->recording.with_stack += p->recording.copied_stacks;
	if (p->recording.copied_stacks)
		hd_warn_n(&p->log, "lost.copied-stack", p->recording.copied_stacks, "record with --call-graph fp",
			  "%s: this version does not unwind copied stacks (--call-graph dwarf); their callers are missing", path);
	hd_ingest_describe(p, in.pf, in.resolver, hd_proc_object_count(in.proc));
out:
	hd_progress_end(&in.progress);
	release(&in);
	return rc;
}
