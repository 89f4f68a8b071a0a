/*
 * sideband.c - read the records about processes and mappings into the process table; see perf_input_state.h
 *
 * Lookups of samples need these records, but they can follow the samples in the file.  Reading a file twice is
 * expensive, and many recordings are of one process that maps everything soon after its start.  Therefore the first
 * pass ends early if no process was started and no such record was read for a while.  If one follows later,
 * hd_perf_input_read_ahead() reads the rest.  If it is older than samples that were aggregated already, the recording
 * is read again with a complete first pass.
 */
#include "pipeline/perf_input_state.h"

#include "base/mem.h"
#include "bundle/bundled_recording.h"
#include "bundle/jitdumps.h"

enum {
	MISC_FORK_EXEC = 1 << 13,	/* a FORK that perf synthesized for a running task */
	/*
	 * The first pass ends when the last QUIET_BYTES bytes, and also the last 1 / QUIET_PART of all bytes read so
	 * far, contained no side-band record except EXIT records and mappings of data.
	 */
	QUIET_BYTES = 1 << 20, QUIET_PART = 16,
};

/* The destination of the records, and facts about them. */
struct feed {
	struct hd_perf *pf;
	struct hd_process_table *proc;
	struct hd_cgroups *cgroups;	/* NULL: not wanted */
	struct hd_recorded_jitdumps jits;
	/* About the last record. */
	uint64_t time_ns;
	int32_t pid, tid;		/* pid < 0: can concern any process */
	bool code;			/* the last mapping was executable */
	bool guests;			/* mappings of a guest were added */
	bool forks;			/* a process was started during the recording */
};

/* Set the time and the thread of the last record. */
static void is_about(struct feed *f, uint64_t time_ns, int32_t pid, int32_t tid)
{
	f->time_ns = time_ns;
	f->pid = pid;
	f->tid = tid;
}

/* Return the mapping that the record describes.  Its strings are those of *e. */
static struct hd_process_mmap mapping(const struct hd_mmap_event *e)
{
	return (struct hd_process_mmap){
		.when = e->when, .pid = e->pid, .tid = e->tid, .addr = e->addr, .len = e->len,
		.pgoff = e->pgoff,
		.name = e->name, .name_len = e->name_len, .build_id = e->build_id.bytes,
		.build_id_len = e->build_id.len,
		.cpumode = e->cpumode, .executable = e->executable, .maj = e->maj, .min = e->min, .ino = e->ino,
		.generation = e->ino_generation, .flags = e->flags,
	};
}

static int on_mmap(struct feed *f, const struct hd_record *rec, struct hd_err *err)
{
	struct hd_mmap_event e;
	struct hd_process_mmap m;
	int rc = hd_perf_parse_mmap(f->pf, rec, &e, err);

	if (rc < 0)
		return rc;
	m = mapping(&e);
	hd_process_add_mmap(f->proc, &m);
	is_about(f, e.when.time_ns, e.cpumode == HD_MODE_USER ? e.pid : -1, e.tid);
	f->code = e.executable;
	if (e.executable && e.cpumode == HD_MODE_USER)
		hd_recorded_jitdumps_add_mmap(&f->jits, &e);
	f->guests |= e.cpumode == HD_MODE_GUEST_KERNEL || e.cpumode == HD_MODE_GUEST_USER;
	return 0;
}

/*
 * Map the kernel of a guest, because --guest-kallsyms was given, here or when the bundle was made.  The recording can
 * lack this mapping: perf record writes it only if its own options name the guest's symbols (--guestkallsyms,
 * --guestmount).
 */
static void map_guest(struct feed *f)
{
	static const char name[] = "[guest.kernel.kallsyms]";

	hd_process_add_mmap(f->proc,
		&(struct hd_process_mmap){ .name = name,
			.name_len = sizeof(name) - 1,
			.cpumode = HD_MODE_GUEST_KERNEL,
			.executable = true });
	f->guests = true;
}

static int on_comm(struct feed *f, const struct hd_record *rec, struct hd_err *err)
{
	struct hd_comm_event e;
	int rc = hd_perf_parse_comm(f->pf, rec, &e, err);

	if (rc < 0)
		return rc;
	hd_process_add_comm(f->proc, e.when, e.pid, e.tid, e.comm, e.comm_len, e.exec);
	is_about(f, e.when.time_ns, e.pid, e.tid);
	return 0;
}

static int on_fork(struct feed *f, const struct hd_record *rec, struct hd_err *err)
{
	struct hd_fork_event e;
	int rc = hd_perf_parse_fork(f->pf, rec, &e, err);

	if (rc < 0)
		return rc;
	if (e.exit)
		hd_process_add_exit(f->proc, e.when, e.pid, e.tid);
	else if (rec->misc & MISC_FORK_EXEC)
		hd_process_add_fork_running(f->proc, e.when, e.pid, e.ppid, e.tid, e.ptid);
	else
		hd_process_add_fork(f->proc, e.when, e.pid, e.ppid, e.tid, e.ptid);
	f->forks |= !e.exit && !(rec->misc & MISC_FORK_EXEC) && e.pid != e.ppid;
	is_about(f, e.when.time_ns, e.pid, e.tid);
	return 0;
}

static int on_ksymbol(struct feed *f, const struct hd_record *rec, struct hd_err *err)
{
	struct hd_ksymbol_event e;
	int rc = hd_perf_parse_ksymbol(f->pf, rec, &e, err);

	if (rc < 0)
		return rc;
	hd_process_add_ksymbol(f->proc, e.when, e.addr, e.len, e.name, e.name_len, e.flags & 1);
	is_about(f, e.when.time_ns, -1, -1);
	return 0;
}

static int on_namespaces(struct feed *f, const struct hd_record *rec, struct hd_err *err)
{
	struct hd_namespaces_event e;
	int rc = hd_perf_parse_namespaces(f->pf, rec, &e, err);

	if (rc < 0)
		return rc;
	hd_recorded_jitdumps_add_namespaces(&f->jits, &e);
	hd_process_add_namespaces(f->proc, e.when, e.pid, e.tid, e.mnt_ino, e.pid_ino);
	is_about(f, e.when.time_ns, e.pid, e.tid);
	return 0;
}

static void on_cgroup(struct feed *f, const struct hd_record *rec)
{
	struct hd_cgroup_event e;
	struct hd_err bad;

	/* The reader has already warned of an invalid record. */
	if (f->cgroups && hd_perf_parse_cgroup(f->pf, rec, &e, &bad) >= 0)
		hd_cgroups_add(f->cgroups, e.id, e.path, e.path_len);
}

/*
 * Add a side-band record to the process table.  Return 1 if it was added, 0 if it is another kind of record, < 0 if it
 * is invalid.  The return value is 0 also for a CGROUP record, which is added to f->cgroups, and for a TIME_CONV
 * record, which is added to f->jits.
 */
static int feed(struct feed *f, const struct hd_record *rec, struct hd_err *err)
{
	int rc;

	switch (rec->kind) {
	case HD_REC_MMAP:	rc = on_mmap(f, rec, err); break;
	case HD_REC_COMM:	rc = on_comm(f, rec, err); break;
	case HD_REC_FORK:
	case HD_REC_EXIT:	rc = on_fork(f, rec, err); break;
	case HD_REC_KSYMBOL:	rc = on_ksymbol(f, rec, err); break;
	case HD_REC_NAMESPACES:	rc = on_namespaces(f, rec, err); break;
	case HD_REC_CGROUP:
		on_cgroup(f, rec);
		return 0;
	case HD_REC_SAMPLE:
	case HD_REC_LOST:
	case HD_REC_LOST_SAMPLES:
	case HD_REC_THROTTLE:
	case HD_REC_FINISHED_ROUND:
	case HD_REC_CALLCHAIN_DEFERRED:
	default:
		return 0;
	case HD_REC_OTHER:
		if (hd_perf_is_time_conv(rec))
			hd_recorded_jitdumps_set_time_conv(&f->jits, f->pf, rec);
		return 0;
	}
	return rc < 0 ? rc : 1;
}

static struct hd_jitdump_source jitdump_source(const struct hd_perf_source *from)
{
	if (from->bundled)
		return hd_bundled_recording_jitdumps(from->bundled);
	return from->jitdumps ? hd_jitdump_record_source(from->jitdumps) : (struct hd_jitdump_source){ 0 };
}

/* Open the jitdumps that the records so far refer to, in in->spaces.jitdumps.  Return true if any can be used. */
static bool has_jits(struct hd_perf_input *in, struct feed *f)
{
	if (!in->spaces.jitdumps && !in->request.opts->no_symbols && f->jits.n)
		in->spaces.jitdumps = hd_jitdump_set_new(&(struct hd_jitdump_set_opts){
			.symfs = in->request.opts->symfs, .same_machine = hd_perf_input_recorded_here(f->pf),
			.source = jitdump_source(in->request.from),
		}, &in->p->log);
	return hd_recorded_jitdumps_open(&f->jits, in->spaces.jitdumps);
}

static void build(struct hd_perf_input *in, struct feed *f)
{
	const struct hd_perf_build_id *ids;
	const struct hd_host_context c = hd_perf_input_host_context(in, f->pf);
	const struct hd_embedded_symbols *carried = hd_perf_embedded_symbols(f->pf);
	size_t nids;

	if (c.here)
		hd_process_set_recorder_namespaces(f->proc, c.mnt_ns, c.pid_ns);
	ids = hd_perf_build_ids(f->pf, &nids);
	for (size_t i = 0; i < nids; i++)
		hd_process_add_build_id(f->proc, ids[i].name, ids[i].id.bytes, ids[i].id.len, ids[i].misc & 7);
	for (size_t i = 0; i < carried->nfiles; i++)
		if (carried->files[i].kind == HD_EMBEDDED_KIND_ADDRESS && carried->files[i].n)
			hd_process_add_perfmap_name(f->proc, hd_embedded_str(carried, carried->files[i].path));
	if (has_jits(in, f))
		hd_recorded_jitdumps_feed(&f->jits, in->spaces.jitdumps, f->pf, in->p->names, f->proc, &in->p->log);
	hd_process_build(f->proc);
}

/* Return true for a mapping that cannot change any lookup result. */
static bool is_noise(struct hd_perf_input *in, const struct hd_record *rec)
{
	struct hd_mmap_event e;
	struct hd_process_mmap m;
	struct hd_err bad;

	if (hd_perf_parse_mmap(in->pf, rec, &e, &bad) < 0)
		return false;
	m = mapping(&e);
	return hd_process_ignores_mmap(in->spaces.proc, &m);
}

bool hd_perf_input_is_sideband(struct hd_perf_input *in, const struct hd_record *rec)
{
	switch (rec->kind) {
	case HD_REC_MMAP:
		return !is_noise(in, rec);
	case HD_REC_COMM:
	case HD_REC_FORK:
	case HD_REC_KSYMBOL:
	case HD_REC_NAMESPACES:
		return true;
	case HD_REC_OTHER:
		return hd_perf_is_metadata_record(rec);
	case HD_REC_EXIT:	/* changes no lookup result */
	case HD_REC_SAMPLE:
	/* if the names of cgroups are needed, the first pass has read all CGROUP records of the file already */
	case HD_REC_CGROUP:
	case HD_REC_LOST:
	case HD_REC_LOST_SAMPLES:
	case HD_REC_THROTTLE:
	case HD_REC_FINISHED_ROUND:
	case HD_REC_CALLCHAIN_DEFERRED:
	default:
		return false;
	}
}

static uint64_t quiet_bytes(const struct hd_perf_input *in)
{
	return in->request.opts->quiet_bytes ? in->request.opts->quiet_bytes : QUIET_BYTES;
}

/* Return true if no side-band record was read for so long that no more are expected. */
static bool is_quiet(const struct hd_perf_input *in, uint64_t news_off, uint64_t off)
{
	return off - news_off >= quiet_bytes(in) && off - news_off >= off / QUIET_PART;
}

/* Add a mark at a record, and return the least offset of the next one. */
static __attribute__((noinline)) uint64_t add_mark(struct hd_input_processes *spaces, const struct hd_record *rec)
{
	HD_GROW(spaces->marks, spaces->nmarks + 1, spaces->marks_cap);
	spaces->marks[spaces->nmarks++] = (struct hd_record_mark){ rec->off, rec->seq };
	return rec->off + spaces->mark_bytes;
}

int hd_perf_input_read_sideband(struct hd_perf_input *in, struct hd_err *err)
{
	const struct hd_perf_file *file = hd_perf_file(in->pf);
	struct feed f = {
		.pf = in->pf, .proc = in->spaces.proc,
		.cgroups = in->fields.wants_cgroups ? &in->fields.table.cgroups : NULL,
	};
	bool whole = in->spaces.read_whole || file->pipe || file->dir, sampled = false, metadata;
	struct hd_record rec;
	uint64_t news_off = 0, mark_off = in->spaces.mark_bytes ? 0 : UINT64_MAX;
	int fed, rc = hd_perf_rewind_bodiless(in->pf, err);

	if (rc < 0)
		return rc;
	in->spaces.known_seq = UINT64_MAX;
	if (hd_perf_input_host_context(in, in->pf).guest_kernel)
		map_guest(&f);
	while ((rc = hd_perf_next(in->pf, &rec, err)) > 0) {
		struct hd_err bad;

		hd_progress_at(&in->progress, rec.off);
		if (__builtin_expect(rec.off >= mark_off, 0))
			mark_off = add_mark(&in->spaces, &rec);
		fed = feed(&f, &rec, &bad);
		if (fed < 0)
			hd_warn(&in->p->log, "lost.side-band", "", "%s", bad.msg);
		sampled |= rec.kind == HD_REC_SAMPLE;
		/*
		 * EVENT_UPDATE records before the first sample do not require that the whole file is read: perf writes
		 * them even if no other metadata follows.
		 */
		metadata = hd_perf_is_metadata_record(&rec) && (sampled || !hd_perf_is_event_update(&rec));
		/* More processes are likely after a first fork. */
		whole |= f.guests || f.forks || metadata;
		/* A data mapping does not prolong the first pass, because it usually belongs to a growing heap. */
		if (fed && rec.kind != HD_REC_EXIT && (rec.kind != HD_REC_MMAP || f.code))
			news_off = rec.off;
		if (!whole && rec.kind == HD_REC_SAMPLE && (!in->spaces.mark_bytes || rec.inside) &&
			is_quiet(in, news_off, rec.off)) {
			/*
			 * With jitdumps the whole file must be read first, because mappings of code can change at any
			 * time.
			 */
			whole = has_jits(in, &f);
			if (whole)
				continue;
			in->spaces.known_seq = rec.seq;
			hd_perf_freeze_metadata(in->pf);
			break;
		}
		/*
		 * Skip samples up to the next offset at which this loop uses them: that of the next mark, or the
		 * first one for which is_quiet() can be true.
		 */
		if (rec.kind == HD_REC_SAMPLE)
			hd_perf_skip_samples(in->pf, whole || in->spaces.mark_bytes ? mark_off
				: news_off + quiet_bytes(in));
	}
	if (rc >= 0)
		build(in, &f);
	hd_recorded_jitdumps_release(&f.jits);
	return rc < 0 ? rc : 0;
}

/*
 * Open the file again, read its side-band records into a new process table, and extend the table of the input by it.
 * Returns HD_PERF_INPUT_AGAIN if samples that were already aggregated may have been attributed wrongly: if an unread
 * record is older than a sample of its process or thread, if an unread record is metadata, if there are guest mappings
 * or jitdumps, or if the table cannot be extended.  Reading stops at the first late record.
 */
int hd_perf_input_read_ahead(struct hd_perf_input *in, struct hd_err *err)
{
	struct hd_log silent = { 0 };
	struct feed f = { .proc = hd_process_table_new(in->p->names, &in->spaces.log) };
	bool late = false;
	struct hd_record rec;
	int rc = hd_perf_reopen(&f.pf, in->pf, &silent, err);

	hd_perf_input_limit_proc(in, f.proc);
	hd_log_release(&in->spaces.log);		/* all warnings will be repeated */
	if (rc >= 0)
		rc = hd_perf_rewind_bodiless(f.pf, err);
	while (rc >= 0 && !late && (rc = hd_perf_next(f.pf, &rec, err)) > 0) {
		struct hd_err bad;
		int fed = feed(&f, &rec, &bad);

		if (rec.kind == HD_REC_SAMPLE)
			hd_perf_skip_samples(f.pf, UINT64_MAX);
		if (rec.seq < in->pass.late_seq)
			continue;
		if (fed < 0)
			hd_warn(&in->pass.log, "lost.side-band", "", "%s", bad.msg);
		late |= f.guests || hd_perf_is_metadata_record(&rec) ||
			(fed > 0 && rec.kind != HD_REC_EXIT &&
				hd_last_seen_is_late(&in->pass.last_seen, f.pid, f.tid, f.time_ns));
	}
	late = late || (rc >= 0 && has_jits(in, &f));
	if (rc < 0 || late) {
		hd_process_table_free(f.proc);
	} else {
		build(in, &f);
		late = !hd_process_grow(in->spaces.proc, f.proc);
		in->spaces.known_seq = UINT64_MAX;
	}
	hd_recorded_jitdumps_release(&f.jits);
	hd_perf_close(f.pf);
	hd_log_release(&silent);
	return rc < 0 ? rc : late ? HD_PERF_INPUT_AGAIN : 0;
}
