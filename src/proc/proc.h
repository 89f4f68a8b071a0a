/*
 * proc.h - tasks and mappings through time: (pid, tid, time) -> names and maps
 *
 * Feed it every side-band record in any order, build once, then ask.
 *
 *     hd_proc_add_mmap / _comm / _fork / _ksymbol ...     first pass over the file
 *     hd_proc_build(proc)                                 stable sort by (time, seq), replay
 *     hd_proc_at(proc, pid, tid, when, &at)               per sample, any order: comm and space
 *     hd_proc_find(proc, at.space, ip, cpumode, &where)   per distinct address
 *
 * A `space` is one version of one process's mappings: equal ids mean equal
 * mappings, so (space, ip) can be interned and resolved later.  A process's
 * new mapping makes a new space; a fork shares its parent's until one of them
 * maps something.  Spaces are roots of a persistent (path-copying) balanced
 * tree over start addresses, so a version costs O(log n) nodes and a fork
 * nothing.  The kernel (and each guest) has spaces of its own, told apart by cpumode in
 * hd_proc_find; `at.kernel_space` is theirs at that time.
 *
 * Rules (specs: FORK copies maps when the pid differs; a thread shares them;
 * a new map cuts older ones; an exec drops the old image's):
 *   - records without a time come first; ties go by seq;
 *   - `[kernel.kallsyms]_text`, `[guest.kernel.kallsyms]_stext`, ... are the
 *     kernel's main map and called by the part in brackets;
 *   - executable `//anon`, `/dev/zero`, `/anon_hugepage`, `[heap]`... code is
 *     JIT code: its object is /tmp/perf-PID.map;
 *   - KSYMBOL adds (or with the unregister flag removes) a kernel map;
 *   - the comm of a thread outlives its EXIT; a thread never named has its
 *     parent's comm at fork, pid 0 is `swapper`, else `:TID`.
 */
#ifndef HD_PROC_PROC_H
#define HD_PROC_PROC_H

#include "base/log.h"
#include "base/strtab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_object_kind {
	HD_OBJ_UNKNOWN,		/* no mapping covers the address */
	HD_OBJ_FILE,		/* a file: binary or shared object */
	HD_OBJ_VDSO,		/* [vdso], [vdso32], [vdsox32] */
	HD_OBJ_KERNEL,		/* the kernel image */
	HD_OBJ_MODULE,		/* a kernel module: a path or [name] */
	HD_OBJ_KSYM,		/* BPF program, ftrace trampoline, kprobe insn page ... named by KSYMBOL */
	HD_OBJ_PERFMAP,		/* JIT code: /tmp/perf-PID.map */
	HD_OBJ_ANON,		/* [heap], [stack], [vsyscall], other pseudo maps: no symbols */
};

/* What is mapped: equal (kind, name, build-id, pid for perf maps) gets an equal id. Id 0 is unknown. */
struct hd_proc_object {
	enum hd_object_kind kind;
	uint32_t name;			/* string id */
	uint8_t build_id_len;
	uint8_t build_id[20];
	int32_t pid;			/* of a perf map, else 0; in the recorded pid namespace's numbers */
	uint64_t kernel_start, kernel_pgoff;	/* of the kernel's main map: where it was loaded */
	bool guest;
};

struct hd_proc_at {
	uint32_t comm;			/* string id */
	uint32_t space;			/* of the process */
	uint32_t kernel_space;
};

struct hd_proc_where {
	uint32_t object;		/* 0: nothing is mapped there */
	uint64_t map_start, map_end;	/* in the process */
	uint64_t foff;			/* ip - map_start + pgoff: offset in the file; the kernel's: the ip itself */
};

struct hd_proc;

/* Names are interned into `names`, borrowed. */
struct hd_proc *hd_proc_new(struct hd_strtab *names, struct hd_log *log);
void hd_proc_free(struct hd_proc *proc);

/* The time key of a record: see struct hd_when in perfdata (same meaning, repeated as the rooms do not meet). */
struct hd_proc_when { uint64_t time_ns, seq; };

struct hd_proc_mmap {
	struct hd_proc_when when;
	int32_t pid, tid;
	uint64_t addr, len, pgoff;
	const char *name;		/* name_len bytes */
	size_t name_len;
	const uint8_t *build_id;
	uint8_t build_id_len;		/* 0: none */
	uint8_t cpumode;		/* PERF_RECORD_MISC_* */
	bool executable;
	uint32_t maj, min;
	uint64_t ino;
	uint32_t flags;			/* MAP_* when recorded */
};

void hd_proc_add_mmap(struct hd_proc *proc, const struct hd_proc_mmap *m);
void hd_proc_add_comm(struct hd_proc *proc, struct hd_proc_when when, int32_t pid, int32_t tid,
		      const char *comm, size_t comm_len, bool exec);
void hd_proc_add_fork(struct hd_proc *proc, struct hd_proc_when when, int32_t pid, int32_t ppid, int32_t tid, int32_t ptid);
void hd_proc_add_exit(struct hd_proc *proc, struct hd_proc_when when, int32_t pid, int32_t tid);
void hd_proc_add_ksymbol(struct hd_proc *proc, struct hd_proc_when when, uint64_t addr, uint32_t len,
			 const char *name, size_t name_len, bool unregister);
/* The build-id table of the header: (name, id) pairs that apply to objects of that name. */
void hd_proc_add_build_id(struct hd_proc *proc, const char *name, const uint8_t *id, uint8_t len, uint8_t cpumode);

/* Sort, replay, freeze.  No _add after it. */
void hd_proc_build(struct hd_proc *proc);

/* Comm and spaces as of `when`.  Fast for neighbouring questions about one thread. */
void hd_proc_at(struct hd_proc *proc, int32_t pid, int32_t tid, struct hd_proc_when when, struct hd_proc_at *at);

/* cpumode: 1 kernel, 2 user, 3 hypervisor, 4 guest kernel, 5 guest user, 0 unknown (finds nothing). */
void hd_proc_find(const struct hd_proc *proc, const struct hd_proc_at *at, uint64_t ip, uint8_t cpumode,
		  struct hd_proc_where *where);

const struct hd_proc_object *hd_proc_object(const struct hd_proc *proc, uint32_t id);
uint32_t hd_proc_object_count(const struct hd_proc *proc);

#endif
