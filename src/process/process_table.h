/*
 * process_table.h - tasks and mappings through time: (pid, tid, time) -> names and maps
 *
 * Feed it every side-band record in any order, build once, then ask.
 *
 *     hd_process_add_mmap / _comm / _fork / _ksymbol ...     first pass over the file
 *     hd_process_build(proc)                                 stable sort by (time, seq), replay
 *     hd_process_at(proc, pid, tid, when, &at)               per sample, any order: comm and space
 *     hd_process_find(proc, at.space, ip, cpumode, &where)   per distinct address
 *     hd_process_comm(proc, &at, tid)                        the comm, also of threads that no record named
 *
 * A `space` is one version of one process's mappings: equal ids mean equal
 * mappings, so (space, ip) can be interned and resolved later.  A process's
 * new mapping makes a new space; a fork shares its parent's until one of them
 * maps something.  Spaces are kept so that a version costs O(log n) and a fork
 * nothing (address_spaces.h).  The kernel (and each guest) has spaces of its own, told
 * apart by cpumode in hd_process_find; `at.kernel_space` is theirs at that time.
 *
 * Rules (specs: FORK copies maps when the pid differs; a thread shares them;
 * a new map cuts older ones, after an exec too: the caller of execve is in
 * the old image):
 *   - records without a time come first; ties go by seq; a question at
 *     (time, seq) sees the records before it; when no record has a time, seq
 *     alone counts;
 *   - every mapping cuts, executable or not: data mapped over code has
 *     replaced it;
 *   - a heap or a stack that lies over nothing is left out: no code is in it,
 *     and each time that it grows it would be a new space;
 *   - `[kernel.kallsyms]_text`, `[guest.kernel.kallsyms]_stext`, ... are the
 *     kernel's main map and called by the part in brackets, or as the build-id
 *     table calls the kernel; modules and KSYMBOLs lie above it; a module ends where the main map starts, and one at
 *     address 0 that covers everything is left out (kptr_restrict);
 *   - executable `//anon`, `/dev/zero`, `/anon_hugepage`, `[heap]`... code is
 *     JIT code: its object is /tmp/perf-PID.map (objects.h has the table);
 *   - what a jitdump tells of is mapped as KSYMBOLs are, from the dump; memory without a file that is mapped
 *     over it is the JIT's own, made writable or executable, and does not cut it;
 *   - KSYMBOL adds (or with the unregister flag removes) a kernel map;
 *   - the comm of a thread outlives its EXIT; a thread never named has its
 *     parent's comm at fork, pid 0 is `swapper`, else `:TID`;
 *   - a fork of a known tid is a new thread: a pid can be used again;
 *   - a thread that no record told of has its process's mappings.
 */
#ifndef HD_PROCESS_PROCESS_TABLE_H
#define HD_PROCESS_PROCESS_TABLE_H

#include "base/log.h"
#include "base/strtab.h"
#include "process/mapping.h"

#include <stddef.h>

struct hd_process_table;

/* Names are interned into `names`, borrowed like the log. */
struct hd_process_table *hd_process_table_new(struct hd_strtab *names, struct hd_log *log);
void hd_process_table_free(struct hd_process_table *proc);

struct hd_process_mmap {
	struct hd_record_time when;
	int32_t pid, tid;
	uint64_t addr, len, pgoff;
	const char *name;		/* name_len bytes */
	size_t name_len;
	const uint8_t *build_id;
	uint8_t build_id_len;		/* 0: none */
	uint8_t cpumode;		/* PERF_RECORD_MISC_* */
	bool executable;		/* not PERF_RECORD_MISC_MMAP_DATA; MMAP2: and PROT_EXEC */
	uint32_t maj, min;
	uint64_t ino, generation;	/* 0: not recorded */
	uint32_t flags;			/* MAP_* when recorded */
};

void hd_process_add_mmap(struct hd_process_table *proc, const struct hd_process_mmap *m);
void hd_process_add_comm(struct hd_process_table *proc, struct hd_record_time when, int32_t pid, int32_t tid,
		      const char *comm, size_t comm_len, bool exec);
void hd_process_add_fork(struct hd_process_table *proc, struct hd_record_time when, int32_t pid, int32_t ppid,
	int32_t tid, int32_t ptid);
/*
 * The same for a FORK that perf made up for a task that ran already (bit 13 of
 * misc, 0x2000): its mappings follow as records, so the parent's are not copied.
 */
void hd_process_add_fork_running(struct hd_process_table *proc, struct hd_record_time when, int32_t pid, int32_t ppid,
	int32_t tid, int32_t ptid);
void hd_process_add_exit(struct hd_process_table *proc, struct hd_record_time when, int32_t pid, int32_t tid);
/*
 * JIT code is at [addr, addr + len) from now on, and in the dump of that name at `foff`.  Of
 * neighbours of one pid and time, later ones lie above; many are fine.
 */
void hd_process_add_jit(struct hd_process_table *proc, struct hd_record_time when, int32_t pid, uint64_t addr,
	uint64_t len, uint64_t foff, uint32_t name);
void hd_process_add_ksymbol(struct hd_process_table *proc, struct hd_record_time when, uint64_t addr, uint32_t len,
			 const char *name, size_t name_len, bool unregister);
/* Namespaces of a task from now on, by inode; 0: not told. */
void hd_process_add_namespaces(struct hd_process_table *proc, struct hd_record_time when, int32_t pid, int32_t tid,
			    uint64_t mnt_ino, uint64_t pid_ino);
/* It was recorded here: our own namespaces are the recorder's, unless those of pid 1 were recorded. */
void hd_process_set_recorder_namespaces(struct hd_process_table *proc, uint64_t mnt_ino, uint64_t pid_ino);
/* The build-id table of the header: (name, id) pairs that apply to objects of that name. */
void hd_process_add_build_id(struct hd_process_table *proc, const char *name, const uint8_t *id, uint8_t len,
	uint8_t cpumode);

/*
 * The recording holds symbols of the file of this name at addresses of the process, not at offsets in the file: user
 * mappings of it are a PERFMAP.
 */
void hd_process_add_perfmap_name(struct hd_process_table *proc, const char *name);

/* Sort, replay, freeze.  No _add after it. */
void hd_process_build(struct hd_process_table *proc);
/*
 * Take at most about so many bytes of memory, the strings included; the default is no limit.  Records that do not fit
 * are dropped with the warning lost.side-band.  hd_process_memory_bytes is without the strings, and equal for equal records.
 */
void hd_process_limit_memory(struct hd_process_table *proc, uint64_t bytes);
uint64_t hd_process_memory_bytes(const struct hd_process_table *proc);

/*
 * proc was built from the records of a part of the file, more (of the same names) from all of them.
 * Are the numbers that proc has given out the same in more?  Then proc becomes more, which is gone in
 * either case; what was asked of proc is still true of times that no further record is older
 * than.  Not while others ask.
 */
bool hd_process_grow(struct hd_process_table *proc, struct hd_process_table *more);

/*
 * Would a mapping of a process that is not in proc change no answer?  For the caller of hd_process_at,
 * under the same rules.
 */
bool hd_process_ignores_mmap(struct hd_process_table *proc, const struct hd_process_mmap *m);

/*
 * Comm and spaces as of `when`.  Fast for neighbouring questions about one
 * thread; not for two callers at once, but beside hd_process_find and
 * hd_process_comm of others, unless hd_process_has_guests.  Interns nothing.
 */
void hd_process_at(struct hd_process_table *proc, int32_t pid, int32_t tid, struct hd_record_time when,
	struct hd_process_context *at);

/* The comm of thread tid, made up when nobody named it. */
uint32_t hd_process_comm(struct hd_process_table *proc, const struct hd_process_context *at, int32_t tid);
/* Were guests recorded? */
bool hd_process_has_guests(const struct hd_process_table *proc);

/* cpumode: 1 kernel, 2 user, 3 hypervisor, 4 guest kernel, 5 guest user, 0 unknown (finds nothing). */
void hd_process_find(const struct hd_process_table *proc, const struct hd_process_context *at, uint64_t ip, uint8_t cpumode,
		  struct hd_process_location *where);

/* The same for all user addresses of [start, end) in a space: what is mapped there, and foff = ip + delta; object 0: nothing. */
struct hd_process_extent {
	uint64_t start, end, delta;
	uint32_t space, object;
};
void hd_process_extent(const struct hd_process_table *proc, uint32_t space, uint64_t ip,
	struct hd_process_extent *extent);

const struct hd_process_object *hd_process_object(const struct hd_process_table *proc, uint32_t id);
uint32_t hd_process_object_count(const struct hd_process_table *proc);

#endif
