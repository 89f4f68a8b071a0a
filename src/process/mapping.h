/*
 * mapping.h - what is mapped where: the types that process_table.h hands out
 */
#ifndef HD_PROCESS_MAPPING_H
#define HD_PROCESS_MAPPING_H

#include "base/record_time.h"

#include <stdbool.h>
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
	HD_OBJ_JIT,		/* JIT code that a jitdump tells of; offsets are the dump's */
};

/* What is mapped: equal (kind, name, build-id, pid for perf maps) gets an equal id. Id 0 is unknown. */
struct hd_process_object {
	enum hd_object_kind kind;
	uint32_t name;			/* string id */
	uint8_t build_id_len;
	uint8_t build_id[20];
	int32_t pid;			/* of a perf map or jitdump, else 0; in the recorded pid namespace's numbers */
	/*
	 * KERNEL: start and pgoff of its main map (pgoff is the address that
	 * the symbol in the map's name, _text or _stext, had).  MODULE, KSYM:
	 * kernel_start is where it was loaded, so foff + kernel_start is the ip.
	 */
	uint64_t kernel_start, kernel_pgoff;
	bool guest;
	/*
	 * NAMESPACES: the inode of the mount namespace that the name is a path
	 * of, when it is not the recorder's (that of pid 1, else ours when it was
	 * recorded here, else of the first record), else 0; and whether a perf map was written by a process that
	 * knew itself by another pid.
	 */
	uint64_t mnt_ns;
	int32_t ns_pid;			/* who mapped it first, of a file with mnt_ns; part of no identity */
	/*
	 * The file that was mapped, when the mapping records no build-id of its own: a path can name two files during
	 * one recording.  0: not recorded.  Synthesized mappings have no generation.
	 */
	uint64_t ino, generation;
	bool build_id_listed;		/* the build-id is the table's, which perf reads when the recording ends */
	bool foreign_pid_ns;
};

/* A thread that no record named: see hd_process_comm. */
#define HD_PROCESS_UNNAMED UINT32_MAX

struct hd_process_context {
	uint32_t comm;			/* string id, or HD_PROCESS_UNNAMED */
	uint32_t space;			/* of the process */
	uint32_t kernel_space;
};

struct hd_process_location {
	uint32_t object;		/* 0: nothing is mapped there */
	uint64_t map_start, map_end;	/* in the process */
	/*
	 * ip - start + pgoff of the mapping as recorded: an offset in the file,
	 * [vdso] and a module or KSYMBOL (which have no pgoff) counted from
	 * their start.  The kernel's main map, a perf map and memory without
	 * a file ([heap], ...): the ip itself.
	 */
	uint64_t foff;
};

#endif
