/*
 * rss.c - see rss.h
 */
#include "pipeline/rss.h"

#include "base/map.h"
#include "base/mem.h"
#include "perfdata/tracepoint.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FILE_PAGES, ANON_PAGES, SWAPPED, SHARED_PAGES, MEMBERS };

/* ---- records -> a sum ---- */

/* An address space. */
struct space {
	int64_t member[MEMBERS];
	int32_t owner;			/* pid of the process; 0: not yet known */
	int32_t maker;			/* pid of the process that last changed it before it had an owner; 0: none */
	uint64_t inherited;		/* bytes that were filled in by the fork, before the child's first own record */
	uint64_t counted;		/* bytes included in `sum` */
	uint32_t parent;		/* index + 1; 0: none */
};

struct spaces {
	struct space *v;
	size_t n, cap;
	struct hd_map by_id;
	struct hd_map by_owner;		/* pid -> the last address space of the process */
	uint64_t sum;
};

static uint64_t resident(const struct space *s)
{
	uint64_t sum = 0;

	for (int m = 0; m < MEMBERS; m++)
		if (m != SWAPPED && s->member[m] > 0)
			sum += (uint64_t)s->member[m];
	return sum;
}

/*
 * Update the contribution of an address space to the sum.  Memory that a child inherits from its parent (copy on write)
 * counts for the child only when the parent has none any more.
 */
static void settle(struct spaces *all, struct space *s)
{
	uint64_t now = s->owner ? resident(s) : 0, inherited = s->inherited;

	if (s->parent && !resident(&all->v[s->parent - 1]))
		inherited = s->inherited = 0;
	now = now > inherited ? now - inherited : 0;
	all->sum += now - s->counted;
	s->counted = now;
}

static struct space *space_of(struct spaces *all, uint32_t mm)
{
	uint32_t at = hd_map_get(&all->by_id, mm);

	if (at == HD_MAP_NONE) {
		at = (uint32_t)all->n;
		HD_GROW(all->v, all->n + 1, all->cap);
		all->v[all->n++] = (struct space){ 0 };
		hd_map_put(&all->by_id, mm, at);
	}
	return &all->v[at];
}

/*
 * Apply a record.  The owner of an address space is set by its first record with `curr`.  Before that, its records are
 * made by the task that creates it (a fork), whose own address space becomes the parent.
 */
static void on_record(struct spaces *all, const struct hd_rss_record *r)
{
	struct space *s = space_of(all, r->mm);
	uint32_t parent;

	/*
	 * The kernel reuses the numbers of address spaces.  If another task fills an address space that was emptied,
	 * its number stands for a new address space.
	 */
	if (s->owner && !resident(s) && !r->own)
		*s = (struct space){ .counted = s->counted };
	if (r->own && s->owner != r->pid) {
		if (!s->owner && s->maker && s->maker != r->pid) {
			parent = hd_map_get(&all->by_owner, (uint32_t)s->maker);
			s->parent = parent == HD_MAP_NONE ? 0 : parent + 1;
			s->inherited = s->parent ? resident(s) : 0;
		}
		if (!s->owner)
			/*
			 * if the space has an owner, r->pid is a vfork child: it uses the space of its parent until
			 * its exec
			 */
			s->owner = r->pid;
		if (r->pid == s->owner)
			hd_map_put(&all->by_owner, (uint32_t)r->pid, (uint32_t)(s - all->v));
	} else if (!s->owner) {
		s->maker = r->pid;
	}
	if (r->member < MEMBERS)
		s->member[r->member] = r->bytes;
	settle(all, s);
}

/* Handle the end of a process: its address space has no memory any more. */
static void on_end(struct spaces *all, int32_t pid)
{
	uint32_t at = hd_map_get(&all->by_owner, (uint32_t)pid);
	struct space *s;

	if (at == HD_MAP_NONE)
		return;
	s = &all->v[at];
	if (s->owner == pid) {
		memset(s->member, 0, sizeof(s->member));
		settle(all, s);
	}
}

static int by_time(const void *va, const void *vb)
{
	const struct hd_rss_record *a = va, *b = vb;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

void hd_rss_sum(struct hd_rss *out, struct hd_rss_record *records, size_t n)
{
	struct spaces all = { 0 };
	uint64_t last = 0;

	*out = (struct hd_rss){ 0 };
	if (n)
		qsort(records, n, sizeof(*records), by_time);
	for (size_t i = 0; i < n; i++) {
		if (records[i].end)
			on_end(&all, records[i].pid);
		else
			on_record(&all, &records[i]);
		out->end_ns = records[i].time_ns;
		if (all.sum == last)
			continue;
		last = all.sum;
		if (out->n && out->steps[out->n - 1].time_ns == records[i].time_ns) {
			out->steps[out->n - 1].bytes = last;
			continue;
		}
		HD_GROW(out->steps, out->n + 1, out->cap);
		out->steps[out->n++] = (struct hd_rss_step){ records[i].time_ns, last };
	}
	free(all.v);
	hd_map_release(&all.by_id);
	hd_map_release(&all.by_owner);
}

void hd_rss_release(struct hd_rss *r)
{
	free(r->steps);
	*r = (struct hd_rss){ 0 };
}

/* ---- a recording -> records ---- */

static const char *const names[] = { "mm_id", "curr", "member", "size" };
enum { MM_ID, CURR, MEMBER, SIZE, FIELDS = HD_COUNT(names) };

/* The state while a recording is read. */
struct reading {
	struct hd_perf *pf;
	struct hd_tracepoints *tracepoints;
	uint64_t event;			/* id of the tracepoint; UINT64_MAX: not in the recording */
	const struct hd_tracefield *field[FIELDS];
	struct hd_rss_record *records;
	size_t n, cap;
};

/* Read a numeric field of a sample.  Return false if it is missing or not a number. */
static bool value(const struct reading *r, const struct hd_sample *s, int field, uint64_t *v)
{
	struct hd_tracevalue raw;

	if (!r->field[field] || !hd_tracefield_get(r->field[field], s->raw, s->raw_bytes, &raw) ||
		r->field[field]->kind == HD_TRACE_TEXT || r->field[field]->kind == HD_TRACE_NUMBERS)
		return false;
	*v = raw.number;
	return true;
}

static void add(struct reading *r, const struct hd_rss_record *rec)
{
	HD_GROW(r->records, r->n + 1, r->cap);
	r->records[r->n++] = *rec;
}

static void on_sample(struct reading *r, const struct hd_record *rec, struct hd_log *log)
{
	uint64_t v[FIELDS];
	struct hd_sample s;
	struct hd_err bad;
	size_t n;

	if (hd_perf_parse_sample(r->pf, rec, &s, &bad) < 0) {
		hd_warn(log, s.drop ? s.drop : "lost.sample-cut", "", "%s", bad.msg);
		return;
	}
	if (hd_perf_attrs(r->pf, &n)[s.attr].config != r->event || !s.has_time || s.pid <= 0)
		return;
	for (int i = 0; i < FIELDS; i++)
		if (!value(r, &s, i, &v[i]))
			return;
	if (v[MEMBER] < MEMBERS)
		add(r,
			&(struct hd_rss_record){ .time_ns = s.time_ns,
				.seq = rec->seq,
				.pid = s.pid,
				.mm = (uint32_t)v[MM_ID],
				.member = (uint8_t)v[MEMBER],
				.bytes = (int64_t)v[SIZE],
				.own = v[CURR] });
}

static void on_exit_record(struct reading *r, const struct hd_record *rec)
{
	struct hd_fork_event e;
	struct hd_err bad;

	if (hd_perf_parse_fork(r->pf, rec, &e, &bad) >= 0 && e.when.time_ns && e.pid > 0 && e.pid == e.tid)
		add(r,
			&(struct hd_rss_record){ .time_ns = e.when.time_ns,
				.seq = rec->seq,
				.pid = e.pid,
				.end = true });
}

/*
 * Read all records.  If `count` is false, collect only the descriptions of the events.  A recording from a pipe
 * contains them as records, so they are complete only after a first pass.
 */
static int walk(struct reading *r, struct hd_log *log, bool count, struct hd_err *err)
{
	struct hd_record rec;
	struct hd_lost_total seen = { 0 };
	struct hd_lost lost;
	uint64_t news;
	struct hd_err bad;
	int rc = hd_perf_rewind(r->pf, err);

	while (rc >= 0 && (rc = hd_perf_next(r->pf, &rec, err)) > 0) {
		if (!count)
			continue;
		if (rec.kind == HD_REC_SAMPLE)
			on_sample(r, &rec, log);
		else if (rec.kind == HD_REC_EXIT)
			on_exit_record(r, &rec);
		else if ((rec.kind == HD_REC_LOST || rec.kind == HD_REC_LOST_SAMPLES) &&
			hd_perf_parse_lost(r->pf, &rec, &lost, &bad) >= 0 &&
			(news = hd_lost_unreported(&seen, &lost)) > 0)
			hd_warn_n(log, "lost.rss", news, "",
				"%s: records of resident memory that perf lost; it is wrong until the next one",
				hd_perf_file(r->pf)->path);
	}
	return rc;
}

static int find_event(struct reading *r, struct hd_err *err)
{
	const struct hd_perf_attr *attrs;
	const char *path = hd_perf_file(r->pf)->path, *name;
	size_t n;
	int rc = hd_tracepoints_open(&r->tracepoints, r->pf, err);

	if (rc < 0)
		return rc;
	attrs = hd_perf_attrs(r->pf, &n);
	r->event = UINT64_MAX;
	for (size_t i = 0; r->tracepoints && i < n; i++) {
		if (attrs[i].type != PERF_TYPE_TRACEPOINT || !(attrs[i].sample_type & PERF_SAMPLE_RAW))
			continue;
		name = hd_tracepoints_name(r->tracepoints, attrs[i].config);
		if (!name || strcmp(name, "kmem:rss_stat") != 0)
			continue;
		if (!attrs[i].use_clockid || attrs[i].clockid != CLOCK_MONOTONIC)
			return hd_fail(err, HD_EFORMAT,
				"%s: its times are not of the monotonic clock, as those of other sources are: record "
				"with -k CLOCK_MONOTONIC",
				path);
		r->event = attrs[i].config;
	}
	if (r->event == UINT64_MAX)
		return hd_fail(err, HD_EFORMAT,
			"%s: has no event kmem:rss_stat; record with perf record -k CLOCK_MONOTONIC -e kmem:rss_stat "
			"-c 1",
			path);
	for (int i = 0; i < FIELDS; i++)
		r->field[i] = hd_tracepoints_find(r->tracepoints, r->event, names[i]);
	for (int i = 0; i < FIELDS; i++)
		if (!r->field[i])
			return hd_fail(err, HD_EFORMAT,
				"%s: its kmem:rss_stat has no field %s; Linux 5.11 and later write it", path, names[i]);
	return 0;
}

int hd_rss_read(struct hd_rss *out, const char *path, struct hd_log *log, struct hd_err *err)
{
	struct reading r = { 0 };
	int rc = hd_perf_open(&r.pf, path, log, err);

	*out = (struct hd_rss){ 0 };
	if (rc >= 0 && hd_perf_file(r.pf)->pipe)
		rc = walk(&r, log, false, err);
	if (rc >= 0)
		rc = find_event(&r, err);
	if (rc >= 0)
		rc = walk(&r, log, true, err);
	if (rc >= 0)
		hd_rss_sum(out, r.records, r.n);
	free(r.records);
	hd_tracepoints_free(r.tracepoints);
	hd_perf_close(r.pf);
	return rc;
}
