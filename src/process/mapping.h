/* mapping.h - mappings of files and memory: the result types of process_table.h */
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
	HD_OBJ_KSYM,		/* BPF program, ftrace trampoline, kprobe page, ...: named by a KSYMBOL record */
	HD_OBJ_PERFMAP,		/* JIT code with a perf map: /tmp/perf-PID.map */
	HD_OBJ_ANON,		/* [heap], [stack], [vsyscall] and other memory without a file: no symbols */
	HD_OBJ_JIT,		/* JIT code with a jitdump; offsets are offsets in the dump */
};

/*
 * A mapped object; id 0 is unknown.  Equal objects have equal ids; the comparison ignores ns_pid and build_id_listed.
 */
struct hd_process_object {
	enum hd_object_kind kind;
	uint32_t name;			/* string id */
	uint8_t build_id_len;
	uint8_t build_id[20];
	int32_t pid; /* for a perf map or jitdump: the pid of its process, as recorded; else 0 */
	/*
	 * KERNEL: start and pgoff of the kernel's MMAP record.  The name in that record ends in _text or _stext; pgoff
	 * is the address of this symbol when the recording was made.
	 * MODULE, KSYM: kernel_start is the load address, so ip = foff + kernel_start.
	 */
	uint64_t kernel_start, kernel_pgoff;
	bool guest;
	/*
	 * Inode of the mount namespace in which the name is a path; 0 if it was not recorded, is that of the recorder,
	 * or does not matter because the object is no file.
	 *
	 * The recorder's namespaces are those of pid 1 if they were recorded.  Otherwise they are those of the
	 * hotdrift process if the recording was made on this machine, else those of the first NAMESPACES record.
	 */
	uint64_t mnt_ns;
	/* FILE with mnt_ns: the first process that mapped this object; else 0.  Ignored when objects are compared */
	int32_t ns_pid;
	/*
	 * FILE: inode and generation of the mapped file, if the mapping records no build-id.  They are needed because a
	 * path can name two files during one recording.  0: not recorded.  Synthesized mappings have no generation.
	 */
	uint64_t ino, generation;
	bool build_id_listed; /* the build-id is from the header's table, which perf writes when the recording ends */
	bool foreign_pid_ns; /* PERFMAP: the pid namespace of the process is recorded, and is not the recorder's */
};

/* The value of `comm` for a thread that no record has named yet; hd_process_comm() returns a synthetic name for it. */
#define HD_PROCESS_UNNAMED UINT32_MAX

struct hd_process_context {
	uint32_t comm;			/* string id, or HD_PROCESS_UNNAMED */
	uint32_t space;			/* the mappings of the process */
	uint32_t kernel_space;
};

struct hd_process_location {
	uint32_t object;		/* 0: nothing is mapped there */
	uint64_t map_start, map_end;	/* the mapping's range of addresses in the process */
	/*
	 * Offset in the file: ip - start + pgoff.  For [vdso], modules and KSYMBOLs, which have no pgoff, it is the
	 * offset from their start.  For the kernel's main map, perf maps and memory such as [heap] or //anon it is the
	 * ip itself.
	 */
	uint64_t foff;
};

#endif
