/*
 * sideband.c - the small records of a recording, into proc/: see pipeline.h
 */
#include "ingest/pipeline.h"

enum { MISC_FORK_EXEC = 1 << 13 };	/* of a FORK: made up by perf for a task that ran before */

static struct hd_proc_when when_of(struct hd_when w)
{
	return (struct hd_proc_when){ w.time_ns, w.seq };
}

static int on_mmap(struct hd_ingest *in, const struct hd_record *rec, struct hd_err *err)
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

static int on_comm(struct hd_ingest *in, const struct hd_record *rec, struct hd_err *err)
{
	struct hd_comm_event e;
	int rc = hd_perf_parse_comm(in->pf, rec, &e, err);

	if (rc >= 0)
		hd_proc_add_comm(in->proc, when_of(e.when), e.pid, e.tid, e.comm, e.comm_len, e.exec);
	return rc;
}

static int on_fork(struct hd_ingest *in, const struct hd_record *rec, struct hd_err *err)
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

static int on_ksymbol(struct hd_ingest *in, const struct hd_record *rec, struct hd_err *err)
{
	struct hd_ksymbol_event e;
	int rc = hd_perf_parse_ksymbol(in->pf, rec, &e, err);

	if (rc >= 0)
		hd_proc_add_ksymbol(in->proc, when_of(e.when), e.addr, e.len, e.name, e.name_len, e.flags & 1);
	return rc;
}

static int on_namespaces(struct hd_ingest *in, const struct hd_record *rec, struct hd_err *err)
{
	struct hd_namespaces_event e;
	int rc = hd_perf_parse_namespaces(in->pf, rec, &e, err);

	if (rc >= 0)
		hd_proc_add_namespaces(in->proc, when_of(e.when), e.pid, e.tid, e.mnt_ino, e.pid_ino);
	return rc;
}

int hd_ingest_sideband(struct hd_ingest *in, struct hd_err *err)
{
	struct hd_record rec;
	const struct hd_perf_build_id *ids;
	size_t nids;
	int rc = hd_perf_rewind_bodiless(in->pf, err);

	if (rc < 0)
		return rc;
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
