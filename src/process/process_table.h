/*
 * process_table.h - look up the comm and the address space of a thread at a time
 *
 * Add every side-band record in any order, build once, then look up.
 *
 *     hd_process_add_mmap / _comm / _fork / _ksymbol ...     first pass over the file
 *     hd_process_build(proc)                                 stable sort by (time, seq), then replay
 *     hd_process_at(proc, pid, tid, when, &at)               per sample, any order: comm and space
 *     hd_process_find(proc, &at, ip, cpumode, &where)        per distinct address
 *     hd_process_comm(proc, &at, tid)                        the comm, also of threads that no record names
 *
 * A `space` is one version of a process's mappings (address_spaces.h).  Equal ids mean equal
 * mappings, so (space, ip) can be interned and resolved later.  A new mapping creates a new space.
 * A fork shares its parent's space until one of them maps something.  The kernel and each guest
 * have spaces of their own: at.kernel_space; cpumode selects between them in hd_process_find().
 *
 * Rules:
 *   - Records without a time come first.  Ties are broken by seq.  A lookup at (time, seq) sees the
 *     records before it.  If no record has a time, seq alone counts.
 *   - FORK copies the mappings if the pid differs; threads share them.
 *   - A new mapping replaces older ones that it overlaps, executable or not.  An exec drops no
 *     mapping: the caller of execve is still in the old image until new mappings replace it.
 *   - A heap or stack that overlaps nothing is ignored.  It holds no code, and each growth would
 *     create a new space.
 *   - `[kernel.kallsyms]_text`, `[guest.kernel.kallsyms]_stext`, ... are the kernel's main map.
 *     Modules and KSYMBOLs hide it.  A module ends at the latest where the main map starts.  A
 *     module at address 0 that covers everything is ignored (kptr_restrict).
 *   - Executable `//anon`, `/dev/zero`, `/anon_hugepage`, `[heap]`, ... are JIT code; their object
 *     is /tmp/perf-PID.map (objects.h has the table).
 *   - Code from a jitdump is mapped in its process.  Memory without a file that is mapped over it
 *     does not replace it: the JIT only changed its protection.
 *   - KSYMBOL adds a kernel mapping, or removes it if the unregister flag is set.
 *   - The comm of a thread outlives its EXIT.  A thread without a COMM has its parent's comm at the
 *     fork.  If that is unknown, too, tid 0 is `swapper` and any other thread is `:TID`.
 *   - A fork of a known tid is a new thread, because tids are reused.
 *   - A thread that no record names has the mappings of its process.
 */
#ifndef HD_PROCESS_PROCESS_TABLE_H
#define HD_PROCESS_PROCESS_TABLE_H

#include "base/log.h"
#include "base/strtab.h"
#include "process/mapping.h"

#include <stddef.h>

struct hd_process_table;

/* `names` and `log` are borrowed and must outlive the table.  Names are interned into `names`. */
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
	/* contains code: it lacks PERF_RECORD_MISC_MMAP_DATA and, if its protection was recorded, has PROT_EXEC */
	bool executable;
	uint32_t maj, min;
	uint64_t ino, generation;	/* 0: not recorded */
	uint32_t flags;			/* MAP_* flags; 0 if not recorded */
};

void hd_process_add_mmap(struct hd_process_table *proc, const struct hd_process_mmap *m);
void hd_process_add_comm(struct hd_process_table *proc, struct hd_record_time when, int32_t pid, int32_t tid,
		      const char *comm, size_t comm_len, bool exec);
void hd_process_add_fork(struct hd_process_table *proc, struct hd_record_time when, int32_t pid, int32_t ppid,
	int32_t tid, int32_t ptid);
/*
 * Like hd_process_add_fork(), for a FORK that perf synthesized for a running task (bit 13 of misc, 0x2000).  The task's
 * mappings follow as records, so the parent's are not copied.
 */
void hd_process_add_fork_running(struct hd_process_table *proc, struct hd_record_time when, int32_t pid, int32_t ppid,
	int32_t tid, int32_t ptid);
void hd_process_add_exit(struct hd_process_table *proc, struct hd_record_time when, int32_t pid, int32_t tid);
/*
 * Map JIT code at [addr, addr + len) from `when` on.  Its bytes are at `foff` in the jitdump `name`.  Consecutive calls
 * with the same pid and time create one new version of the address space.  In it, ranges of later calls hide earlier
 * ones.
 */
void hd_process_add_jit(struct hd_process_table *proc, struct hd_record_time when, int32_t pid, uint64_t addr,
	uint64_t len, uint64_t foff, uint32_t name);
void hd_process_add_ksymbol(struct hd_process_table *proc, struct hd_record_time when, uint64_t addr, uint32_t len,
			 const char *name, size_t name_len, bool unregister);
/* Set the namespaces of a task from `when` on, by inode; 0: not recorded. */
void hd_process_add_namespaces(struct hd_process_table *proc, struct hd_record_time when, int32_t pid, int32_t tid,
			    uint64_t mnt_ino, uint64_t pid_ino);
/*
 * Declare that the recording was made on this machine.  The arguments are the namespaces of the calling process.
 * They count as those of the recorder, unless the recording has the namespaces of pid 1.
 */
void hd_process_set_recorder_namespaces(struct hd_process_table *proc, uint64_t mnt_ino, uint64_t pid_ino);
/* Add a row of the build-id table of the file's header: objects with this name have this build-id. */
void hd_process_add_build_id(struct hd_process_table *proc, const char *name, const uint8_t *id, uint8_t len,
	uint8_t cpumode);

/*
 * Declare that the recording contains symbols for this file by process address instead of file offset.  User mappings
 * of the file become PERFMAP objects.
 */
void hd_process_add_perfmap_name(struct hd_process_table *proc, const char *name);

/* Sort and replay the records.  No _add function may be called after it. */
void hd_process_build(struct hd_process_table *proc);
/*
 * Limit the memory to about `bytes`, including the strings; the default is no limit.  Records beyond it are dropped
 * with the warning lost.side-band.  hd_process_memory_bytes() excludes the strings and depends on the records only.
 */
void hd_process_limit_memory(struct hd_process_table *proc, uint64_t bytes);
uint64_t hd_process_memory_bytes(const struct hd_process_table *proc);

/*
 * Replace the tables of `proc` by those of `more`.
 *
 * `proc` was built from the first part of a file, `more` from all of it, with the same string table.  The replacement
 * is possible only if every id that `proc` has handed out means the same in `more`.  Returns true if so; otherwise
 * `proc` is unchanged.  `more` is freed in both cases.
 *
 * Results that `proc` returned before the call remain valid for all times before the first record that only `more` has.
 *
 * Not thread-safe: no other thread may use `proc` during the call.
 */
bool hd_process_grow(struct hd_process_table *proc, struct hd_process_table *more);

/*
 * Return true if the mapping `m`, which was not added to `proc`, can be ignored: it is a heap or stack of a known
 * thread and overlaps no mapping, so it cannot change any lookup result.  Thread safety: as hd_process_at().
 */
bool hd_process_ignores_mmap(struct hd_process_table *proc, const struct hd_process_mmap *m);

/*
 * Look up the comm and the address spaces of a thread at time `when`.
 *
 * The last result is cached, so consecutive calls for one thread with close times are fast.  One thread may call this
 * at a time.  Other threads may call hd_process_find() and hd_process_comm() meanwhile, unless hd_process_has_guests().
 * No strings are interned.
 */
void hd_process_at(struct hd_process_table *proc, int32_t pid, int32_t tid, struct hd_record_time when,
	struct hd_process_context *at);

/*
 * Return a second table over the data of `proc`, for another thread.  While each thread calls hd_process_at() with a
 * table of its own, they may do so at once.  `proc` must have no guests, and must not change until
 * hd_process_view_free().
 */
struct hd_process_table *hd_process_view_new(const struct hd_process_table *proc);
void hd_process_view_free(struct hd_process_table *view);	/* accepts NULL */

/*
 * Return the comm of thread tid.  If at->comm is HD_PROCESS_UNNAMED, a synthetic name is interned: ":TID", or "swapper"
 * for tid 0.  So only one thread at a time may call this, and not with a table of hd_process_view_new().
 */
uint32_t hd_process_comm(struct hd_process_table *proc, const struct hd_process_context *at, int32_t tid);
/* Return true if the recording contains guests. */
bool hd_process_has_guests(const struct hd_process_table *proc);

/*
 * Look up the mapping at ip.  cpumode: 1 kernel, 2 user, 4 guest kernel.  With any other cpumode (0 unknown, 3
 * hypervisor, 5 guest user) nothing is found.
 */
void hd_process_find(const struct hd_process_table *proc, const struct hd_process_context *at, uint64_t ip,
	uint8_t cpumode, struct hd_process_location *where);

/*
 * The mapping of a user address in a space: all addresses of [start, end) have this object, and foff = ip + delta.
 * object 0: nothing is mapped.
 */
struct hd_process_extent {
	uint64_t start, end, delta;
	uint32_t space, object;
};
void hd_process_extent(const struct hd_process_table *proc, uint32_t space, uint64_t ip,
	struct hd_process_extent *extent);

const struct hd_process_object *hd_process_object(const struct hd_process_table *proc, uint32_t id);
uint32_t hd_process_object_count(const struct hd_process_table *proc);

#endif
