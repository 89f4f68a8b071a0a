/*
 * local_source.h - the symbol source that reads the files of this machine
 *
 * The first source that fits is used.  If a build-id was recorded, it must match; a file with another build-id is
 * rejected with a warning.
 *
 *     binary   1. --symfs DIR/<path>, or <path>; for a container, <path> below the root of one of its processes
 *              2. its debug file: build-id folders of --symfs, /usr/lib/debug and ~/.debug; .gnu_debuglink
 *              3. .gnu_debugdata (an xz-compressed ELF file inside the binary)
 *              4. debuginfod, if DEBUGINFOD_URLS is set, within a time budget
 *     kernel   --kallsyms FILE; the recording's kcore_dir/kallsyms; ~/.debug; a vmlinux file with the build-id;
 *              /proc/kallsyms if the running kernel is the recorded one
 *     module   its [module] lines in the kernel's kallsyms; its .ko file
 *     guest    kernel and modules: --guest-kallsyms FILE, else a file with the build-id
 *     vdso     the vdso of this process if it is the recorded one; ~/.debug
 *     JIT      the process's jit-PID.dump (jitdump_set.h), else /tmp/perf-PID.map (also below --symfs)
 *
 * If all of these have no symbols, or only .dynsym, tables that the recording itself contains are used.
 *
 * Symbols of an ELF file: .symtab, or else .dynsym; functions, ifuncs and unsized labels as perf takes them; PLT stubs
 * as `name@plt`, found by decoding their instructions.  Aliases at one address are resolved by perf's rules (elf/
 * symbol_alias.h).  An unsized symbol ends at the next symbol or at the end of its section.  An address beyond the end
 * of a symbol is never attributed to it.
 *
 * Warnings: symbols.none, .damaged, .unreadable, .replaced, .build-id-mismatch, .other-machine, .debuglink-crc,
 * .lines-damaged, .inlines-damaged, .dwo-absent, .alt-absent, .kallsyms, .kallsyms-damaged, .kallsyms-restricted,
 * .perfmap-refused, .perfmap-damaged, .debuginfod-absent, .debuginfod-budget.
 *
 * All files are untrusted input: sizes are checked, and work and memory are bounded.
 */
#ifndef HD_SYMBOLS_LOCAL_SOURCE_H
#define HD_SYMBOLS_LOCAL_SOURCE_H

#include "base/log.h"
#include "symbols/source.h"

/* What the addresses of an embedded table are relative to. */
enum hd_embedded_base {
	HD_EMBEDDED_BASE_LINKED,	/* as linked; file offset `foff` is linked at `vaddr` */
	HD_EMBEDDED_BASE_OFFSET,	/* file offsets */
	HD_EMBEDDED_BASE_KERNEL,	/* kernel addresses */
	HD_EMBEDDED_BASE_MODULE,	/* as linked; `vaddr` is `foff` bytes after the start of the module in memory */
	HD_EMBEDDED_BASE_ADDRESS,	/* addresses in the process */
};

/* The symbols of one object that the recording contains: rows first .. first + n - 1. */
struct hd_embedded_table {
	enum hd_embedded_base place;
	const char *path;		/* as recorded */
	const uint8_t *build_id;
	uint8_t build_id_len;		/* 0: unknown */
	uint64_t vaddr, foff;
	bool has_foff;			/* otherwise key.code_pgoff is used */
	size_t first, n;
};

struct hd_embedded_row { uint64_t start, size; const char *name; };	/* size 0: unknown */

/* All tables of a recording; everything is borrowed. */
struct hd_embedded_files {
	struct hd_embedded_table *v;
	size_t n;
	void (*row)(const void *ctx, size_t i, struct hd_embedded_row *row);
	const void *ctx;
	const char *kallsyms;		/* a copy of the recorded machine's /proc/kallsyms; NULL: none */
	size_t kallsyms_len;
};

#define HD_EMBEDDED_SOURCE "inside the recording"	/* hd_object_source() of such symbols */

/* Strings are copied; all other pointers are borrowed.  NULL means none. */
struct hd_symbols_opts {
	const char *symfs;		/* root folder of the recorded machine's files; NULL: this machine's */
	const char *kallsyms;
	const char *guest_kallsyms;	/* for guests; kallsyms, symfs and this machine's kernel do not apply to them */
	bool debuginfod;		/* allow queries */
	unsigned debuginfod_budget_ms;	/* for the whole run; 0: 10000 */
	bool machine_unknown;		/* the recording does not identify its machine */
	bool same_machine;		/* it was made on this machine: paths are trusted without a build-id */
	const struct hd_embedded_files *embedded;
	int64_t written_s;		/* same_machine: end of the recording, seconds since 1970 */
	int64_t began_ns;		/* same_machine: start of the recording, since 1970; 0: unknown */
	const struct hd_jitdump_set *jitdumps;
	const char *machine;		/* the recorded machine as `uname -m` names it; NULL: unknown */
	bool no_call_files;		/* the caller does not use hd_inline_hit.call_file, so it is not looked up */
};

/* `log` is borrowed. */
struct hd_symbol_source hd_local_source_new(const struct hd_symbols_opts *opts, struct hd_log *log);

#endif
