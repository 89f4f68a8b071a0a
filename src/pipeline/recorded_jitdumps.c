/*
 * recorded_jitdumps.c - see recorded_jitdumps.h
 */
#include "pipeline/recorded_jitdumps.h"

#include "base/mem.h"
#include "elf/symbol_table.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MONOTONIC = 1,			/* CLOCK_MONOTONIC of Linux */
	VERSIONS = 1 << 18,	/* limit for the functions of one dump that replace other code during the recording */
};

/* A jitdump that the process mapped, or (guessed) a jitdump that it may have in /tmp. */
struct hd_recorded_jitdump {
	char *path;
	int32_t pid, own_pid;		/* own_pid: the pid in the file name */
	struct hd_record_time when;
	bool guessed;
};

struct hd_jit_namespaces { int32_t pid; uint64_t mnt, pid_ino; };

void hd_recorded_jitdumps_release(struct hd_recorded_jitdumps *j)
{
	for (size_t i = 0; i < j->n; i++)
		free(j->items[i].path);
	free(j->items);
	free(j->spaces);
	hd_map_release(&j->dumps);
	hd_map_release(&j->guesses);
	hd_map_release(&j->space_of);
	*j = (struct hd_recorded_jitdumps){ 0 };
}

/* ---- records of the recording ---- */

/* Return the PID in .../jit-PID.dump, or 0. */
static int32_t pid_in_name(const char *name, size_t len)
{
	static const char before[] = "jit-", after[] = ".dump";
	const size_t nbefore = sizeof(before) - 1, nafter = sizeof(after) - 1;
	const char *end = name + len, *p = memrchr(name, '/', len);
	uint64_t pid = 0;

	p = p ? p + 1 : name;
	if ((size_t)(end - p) <= nbefore + nafter || memcmp(p, before, nbefore) || memcmp(end - nafter, after, nafter))
		return 0;
	for (p += nbefore; p < end - nafter; p++) {
		if (*p < '0' || *p > '9' || pid > INT32_MAX)
			return 0;
		pid = 10 * pid + (uint64_t)(*p - '0');
	}
	return pid <= INT32_MAX ? (int32_t)pid : 0;
}

static bool starts(const char *s, size_t len, const char *with)
{
	size_t n = strlen(with);

	return len >= n && !memcmp(s, with, n);
}

/* Return true for the names of mappings in which JIT compilers put code. */
static bool is_jit_memory(const char *s, size_t len)
{
	return starts(s, len, "//anon") || starts(s, len, "[anon:") || starts(s, len, "/memfd:") ||
		starts(s, len, "/anon_hugepage") || starts(s, len, "/dev/zero");
}

static void add(struct hd_recorded_jitdumps *j, struct hd_map *by_pid, const struct hd_recorded_jitdump *seen)
{
	HD_GROW(j->items, j->n + 1, j->cap);
	j->items[j->n] = *seen;
	hd_map_put(by_pid, (uint32_t)seen->pid, (uint32_t)j->n++);
}

void hd_recorded_jitdumps_add_mmap(struct hd_recorded_jitdumps *j, const struct hd_mmap_event *e)
{
	struct hd_recorded_jitdump seen = { .pid = e->pid, .when = { e->when.time_ns, e->when.seq } };
	char guess[40];

	if (e->pid <= 0)
		return;
	seen.own_pid = pid_in_name(e->name, e->name_len);
	if (seen.own_pid && e->name_len < PATH_MAX) {
		uint32_t last = hd_map_get(&j->dumps, (uint32_t)e->pid);

		/*
		 * Do not store a path again if it is the last one stored for this process.  A recording can contain the
		 * same mapping twice, because perf also records the existing mappings of processes that are running
		 * when the recording begins.
		 */
		seen.path = hd_strndup(e->name, e->name_len);
		if (last != HD_MAP_NONE && !strcmp(j->items[last].path, seen.path))
			free(seen.path);
		else
			add(j, &j->dumps, &seen);
	} else if (is_jit_memory(e->name, e->name_len) && !hd_map_has(&j->guesses, (uint32_t)e->pid)) {
		snprintf(guess, sizeof(guess), "/tmp/jit-%d.dump", (int)e->pid);
		seen.path = hd_strdup(guess);
		seen.own_pid = e->pid;
		seen.guessed = true;
		add(j, &j->guesses, &seen);
	}
}

void hd_recorded_jitdumps_add_namespaces(struct hd_recorded_jitdumps *j, const struct hd_namespaces_event *e)
{
	HD_GROW(j->spaces, j->nspaces + 1, j->spaces_cap);
	j->spaces[j->nspaces] = (struct hd_jit_namespaces){ e->pid, e->mnt_ino, e->pid_ino };
	hd_map_put(&j->space_of, (uint32_t)e->pid, (uint32_t)j->nspaces++);
}

void hd_recorded_jitdumps_set_time_conv(struct hd_recorded_jitdumps *j, struct hd_perf *pf, const struct hd_record *rec)
{
	struct hd_err bad;

	j->has_conv |= hd_perf_parse_time_conv(pf, rec, &j->conv, &bad) >= 0;
}

/* ---- opening ---- */

/*
 * Return the mount and pid namespaces of a process.  A namespace that is also the recorder's, or is not recorded, is
 * returned as 0.  The recorder is assumed to have the namespaces of pid 1, or else the first ones in the recording.
 */
static struct hd_jit_namespaces foreign(const struct hd_recorded_jitdumps *j, int32_t pid)
{
	uint32_t i = hd_map_get(&j->space_of, (uint32_t)pid), ours = hd_map_get(&j->space_of, 1);
	struct hd_jit_namespaces ns = { .pid = pid };

	if (i == HD_MAP_NONE)
		return ns;
	if (ours == HD_MAP_NONE)
		ours = 0;
	if (j->spaces[i].mnt != j->spaces[ours].mnt)
		ns.mnt = j->spaces[i].mnt;
	if (j->spaces[i].pid_ino != j->spaces[ours].pid_ino)
		ns.pid_ino = j->spaces[i].pid_ino;
	return ns;
}

/* Open the dump `seen`.  Return NULL if it does not belong to the process, is not needed or cannot be read. */
static const struct hd_jitdump *open_one(const struct hd_recorded_jitdumps *j, const struct hd_recorded_jitdump *seen,
	struct hd_jitdump_set *dumps)
{
	const struct hd_jit_namespaces ns = foreign(j, seen->pid);
	struct hd_jitdump_query ask = { .path = seen->path,
		.pid = seen->pid,
		.own_pid = seen->pid,
		.guessed = seen->guessed };

	if (seen->guessed && hd_map_has(&j->dumps, (uint32_t)seen->pid))
		return NULL;
	/* A forked child has the dump of its parent mapped, too.  That dump is not used for the child. */
	if (seen->own_pid != seen->pid && !ns.pid_ino)
		return NULL;
	ask.own_pid = seen->own_pid;
	ask.other_root = ns.mnt != 0;
	return hd_jitdump_set_open(dumps, &ask);
}

bool hd_recorded_jitdumps_open(struct hd_recorded_jitdumps *j, struct hd_jitdump_set *dumps)
{
	bool any = false;

	for (size_t i = 0; dumps && i < j->n; i++)
		any |= open_one(j, &j->items[i], dumps) != NULL;
	return any;
}

/* ---- times ---- */

/* Return 1 if all events use CLOCK_MONOTONIC, 0 if none sets a clock, otherwise -1. */
static int clock_of(struct hd_perf *pf)
{
	const struct hd_perf_attr *attrs;
	size_t n, mono = 0, none = 0;

	attrs = hd_perf_attrs(pf, &n);
	for (size_t i = 0; i < n; i++) {
		mono += attrs[i].use_clockid && attrs[i].clockid == MONOTONIC;
		none += !attrs[i].use_clockid;
	}
	return mono == n ? 1 : none == n ? 0 : -1;
}

static uint64_t time_of(const struct hd_recorded_jitdumps *j, const struct hd_jitdump *d, const struct hd_jit_event *e)
{
	return d->counter ? hd_time_of_counter(&j->conv, e->time) : e->time;
}

/* Return the reason why the times of the dump cannot be compared with those of the recording, or NULL. */
static const char *other_clock(const struct hd_recorded_jitdumps *j, const struct hd_recorded_jitdump *seen,
	const struct hd_jitdump *d, struct hd_perf *pf)
{
	uint64_t first = UINT64_MAX, last = 0, end = hd_perf_header(pf)->sample_time_last_ns;
	int clock = clock_of(pf);

	if (!hd_perf_file(pf)->has_time)
		return "the recording has no times";
	if (d->counter && (!j->has_conv || clock != 0))
		return "its times are the processor's counter, which the recording does not convert";
	if (!d->counter && clock != 1)
		return "its times are of the monotonic clock, and the recording's are of another";
	for (size_t i = 0; i < d->nevents; i++) {
		uint64_t t = time_of(j, d, &d->events[i]);

		first = t < first ? t : first;
		last = t > last ? t : last;
	}
	if (d->nevents && ((end && first > end) || last < seen->when.time_ns))
		return "its times do not overlap the recording's";
	return NULL;
}

/* ---- feeding ---- */

/* The addresses of the code of an event. */
struct place { uint64_t addr, end; size_t event; };

static int by_place(const void *va, const void *vb)
{
	const struct place *a = va, *b = vb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

/*
 * Return an array of flags, one per event of the dump: true if its code shares an address with the code of another
 * event.  The caller frees it.  *count is the number of flags that are true.
 */
static bool *find_shared(const struct hd_jitdump *d, size_t *count)
{
	struct place *places = hd_new_array(struct place, d->nevents);
	bool *shared = hd_new_array(bool, d->nevents);
	uint64_t end = 0;

	for (size_t i = 0; i < d->nevents; i++)
		places[i] = (struct place){ d->events[i].addr, d->events[i].addr + d->events[i].size, i };
	if (d->nevents)
		qsort(places, d->nevents, sizeof(*places), by_place);
	*count = 0;
	for (size_t i = 0; i < d->nevents; i++) {
		bool is = places[i].addr < end || (i + 1 < d->nevents && places[i + 1].addr < places[i].end);

		shared[places[i].event] = is;
		*count += is;
		end = places[i].end > end ? places[i].end : end;
	}
	free(places);
	return shared;
}

/* A dump whose code is added to the process table. */
struct feed {
	const struct hd_recorded_jitdumps *j;
	const struct hd_recorded_jitdump *seen;
	const struct hd_jitdump *d;
	struct hd_process_table *proc;
	uint32_t name;
	bool timed;			/* the times of the dump can be used */
	uint64_t begin_ns;		/* time when the dump was mapped or of the first sample, whichever is later */
};

/*
 * Return true if the event's code counts as mapped from the start of the dump on, because it was generated by begin_ns
 * or the times of the dump cannot be used.
 */
static bool is_past(const struct feed *f, size_t i)
{
	return !f->timed || time_of(f->j, f->d, &f->d->events[i]) <= f->begin_ns;
}

/* Map [start, end) of an event's code from `when` on. */
static void put(const struct feed *f, size_t i, uint64_t start, uint64_t end, struct hd_record_time when)
{
	const struct hd_jit_event *e = &f->d->events[i];

	hd_process_add_jit(f->proc, when, f->seen->pid, start, end - start,
		f->d->loads[e->load].off + (start - e->addr), f->name);
}

/* Add the address range of event i to t. */
static void lay(struct hd_symtable *t, const struct hd_jitdump *d, size_t i)
{
	const struct hd_jit_event *e = &d->events[i];

	hd_symtable_add(t,
		&(struct hd_symraw){ .start = e->addr,
			.size = e->size,
			.limit = e->addr + e->size,
			.name = (uint32_t)i });
}

/*
 * Add the code that counts as mapped from the start of the dump (recorded_jitdumps.h) on.  If several functions were at
 * one address, map the last one that was generated by begin_ns, or else the first one after begin_ns.  If the times of
 * the dump cannot be used, map the last one.
 */
static void put_first(const struct feed *f)
{
	struct hd_symtable t = { 0 };

	for (size_t i = f->d->nevents; i-- > 0; )
		if (!is_past(f, i))
			lay(&t, f->d, i);
	for (size_t i = 0; i < f->d->nevents; i++)
		if (is_past(f, i))
			lay(&t, f->d, i);
	hd_symtable_build(&t, HD_SYM_LATEST);
	for (size_t i = 0; i < t.npieces; i++)
		put(f, t.pieces[i].name, t.pieces[i].start, t.pieces[i].end, f->seen->when);
	hd_symtable_release(&t);
}

/* Add the functions of one dump to the process table as mappings.  Warn if the times of the dump cannot be used. */
static void feed(struct feed *f, struct hd_perf *pf, struct hd_log *log)
{
	const char *why = other_clock(f->j, f->seen, f->d, pf), *fix = "record with perf record -k mono";
	size_t nshared, later = 0;
	bool *shared = find_shared(f->d, &nshared);

	f->timed = !why;
	f->begin_ns = hd_perf_header(pf)->sample_time_first_ns;
	if (f->seen->when.time_ns > f->begin_ns)
		f->begin_ns = f->seen->when.time_ns;
	for (size_t i = 0; i < f->d->nevents; i++)
		later += shared[i] && !is_past(f, i);
	if (later > VERSIONS) {
		f->timed = false;
		why = "its code replaced other code more often than can be distinguished";
		fix = "record for a shorter time";
	}
	if (why)
		hd_warn(log, "symbols.jitdump-clock", fix,
			"%s: %s; of code that was put where other code had been (%zu of %zu times), the last is taken "
			"to have been there always",
			f->seen->path, why, nshared, f->d->nevents);
	put_first(f);
	for (size_t i = 0; i < f->d->nevents; i++) {
		const struct hd_jit_event *e = &f->d->events[i];
		struct hd_record_time when = { time_of(f->j, f->d, e), f->seen->when.seq };

		if (shared[i] && !is_past(f, i))
			put(f, i, e->addr, e->addr + e->size, when);
	}
	free(shared);
}

void hd_recorded_jitdumps_feed(struct hd_recorded_jitdumps *j, struct hd_jitdump_set *dumps, struct hd_perf *pf,
	struct hd_strtab *names, struct hd_process_table *proc, struct hd_log *log)
{
	for (size_t i = 0; dumps && i < j->n; i++) {
		const struct hd_jitdump *d = open_one(j, &j->items[i], dumps);

		struct feed f = { .j = j, .seen = &j->items[i], .d = d, .proc = proc };

		if (!d)
			continue;
		f.name = hd_strtab_add(names, j->items[i].path);
		feed(&f, pf, log);
	}
}
