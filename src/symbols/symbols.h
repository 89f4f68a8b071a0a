/*
 * symbols.h - objects and their symbols: (object, foff) -> (symbol, vaddr, line)
 *
 *     hd_symbols_new(&opts, log)
 *     obj = hd_symbols_object(sy, &key)            found, opened and indexed on first use
 *     hd_object_lookup(obj, foff, &hit)            the symbol that covers the address, or none
 *     hd_object_line(obj, vaddr, &line)            source file and line
 *
 * Where an object's symbols come from, first that fits (a build-id, when the
 * recording has one, must match; a file whose build-id differs is refused
 * with a warning and the object stays without symbols):
 *   1. --symfs DIR/<path>, or <path> itself, of a container beneath the root of one of its processes;
 *   2. its separate debug file: .gnu_debuglink (CRC checked), build-id files
 *      under /usr/lib/debug/.build-id, ~/.debug/.build-id, the --symfs root's;
 *   3. .gnu_debugdata (xz "mini debuginfo");
 *   4. debuginfod, when DEBUGINFOD_URLS is set, within a time budget;
 *   guest kernels and modules: --guest-kallsyms FILE, else by build-id;
 *   kernel: --kallsyms FILE, or a recording's kcore_dir/kallsyms, ~/.debug, vmlinux files by build-id,
 *      /proc/kallsyms when the running kernel's build-id (/sys/kernel/notes) is the recording's; modules: kallsyms
 *      [module] lines or .ko by build-id;  vdso: our own when the build-id or kernel fits;
 *   JIT: the process's jit-PID.dump, as the caller found it (jitdump_set.h); where that has nothing
 *      /tmp/perf-PID.map (below --symfs too), owned by the process's user or us;
 *   any of them: what the recording itself holds (hd_embedded_files), when all that has no symbols or .dynsym alone.
 * Symbols: .symtab, and .dynsym where that has nothing; STT_FUNC,
 * STT_GNU_IFUNC and unsized labels as perf takes them; PLT stubs as
 * `name@plt`, read from their instructions.  Aliases at one address: one is
 * chosen by perf's rules (sized, not weak, global, fewest leading underscores,
 * longest name; of unsized ones the last).  An unsized symbol ends at the next
 * one, or at the end of its section.  Never the nearest symbol beyond its size.
 *
 * Warnings: symbols.none, .damaged, .replaced, .build-id-mismatch, .other-machine, .debuglink-crc,
 * .lines-damaged, .kallsyms, .kallsyms-damaged, .kallsyms-restricted,
 * .perfmap-refused, .perfmap-damaged, .debuginfod-absent, .debuginfod-budget,
 * .inlines-damaged, .dwo-absent, .alt-absent; lost.bundle-object; of jitdumps: jitdump_set.h.
 *
 * Or all of them come from a bundle: what was answered on the machine where it
 * was made (bundle_replay.h), after bundle_record.h had kept it there.
 *
 * Owns:  one entry per distinct key.  Every input is hostile: bounded.
 * Threads: objects are made by one thread.  Then different objects may be
 *        asked by different threads; hd_object_line and hd_object_inlines may
 *        warn, so where several threads ask those the log is the callers' to guard.
 * Doors: libelf (elf/elf_file.c), dwarf.h for its constants, liblzma (elf/minidebug.c,
 *        elf/debuglink.c), libdeflate (elf/unpack.c), libiberty (elf/demangle.c), libdebuginfod, loaded when it
 *        is first asked (elf/debuginfod.c).
 */
#ifndef HD_SYMBOLS_SYMBOLS_H
#define HD_SYMBOLS_SYMBOLS_H

#include "base/err.h"
#include "base/log.h"
#include "dwarf/source_line.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_symbols_kind {		/* the order of enum hd_object_kind in process/ */
	HD_SYM_UNKNOWN, HD_SYM_FILE, HD_SYM_VDSO, HD_SYM_KERNEL, HD_SYM_MODULE, HD_SYM_KSYM, HD_SYM_PERFMAP,
	HD_SYM_ANON,
	HD_SYM_JIT,
};

/* Where the starts of a carried table count from. */
enum hd_embedded_base {
	HD_EMBEDDED_BASE_LINKED,		/* as linked; vaddr is where file offset foff is */
	HD_EMBEDDED_BASE_OFFSET,		/* offsets in the file */
	HD_EMBEDDED_BASE_KERNEL,		/* addresses in the kernel */
	HD_EMBEDDED_BASE_MODULE,		/* as linked; vaddr is foff bytes behind its start in memory */
	HD_EMBEDDED_BASE_ADDRESS,		/* addresses in the process */
};

/* The symbols of one object that the recording itself holds; those are rows first .. first + n - 1. */
struct hd_embedded_table {
	enum hd_embedded_base place;
	const char *path;		/* as recorded */
	const uint8_t *build_id;
	uint8_t build_id_len;		/* 0: not told */
	uint64_t vaddr, foff;
	bool has_foff;			/* else foff is key.code_pgoff */
	size_t first, n;
};

struct hd_embedded_row { uint64_t start, size; const char *name; };	/* size 0: not told */

/* All of them, borrowed. */
struct hd_embedded_files {
	struct hd_embedded_table *v;
	size_t n;
	void (*row)(const void *ctx, size_t i, struct hd_embedded_row *row);
	const void *ctx;
	const char *kallsyms;		/* a copy of the recorded machine's /proc/kallsyms; NULL: none */
	size_t kallsyms_len;
};

#define HD_EMBEDDED_SOURCE "inside the recording"	/* the source of such symbols */

struct hd_symbols_opts {
	const char *symfs;		/* NULL: the machine's own files */
	const char *kallsyms;		/* NULL: by the rules above */
	const char *
		guest_kallsyms; /* of the guests' kernels, about which neither kallsyms nor symfs nor this machine says anything */
	bool debuginfod;		/* ask DEBUGINFOD_URLS when it is set */
	unsigned debuginfod_budget_ms;	/* for the whole run; 0: 10000 */
	bool machine_unknown;		/* the recording does not say which host it is from */
	bool same_machine;		/* the recording's host is this host: paths may be trusted without build-ids */
	const struct hd_embedded_files *embedded;	/* NULL: none */
	int64_t written_s; /* when the recording was last written, in seconds since 1970; with same_machine */
	int64_t began_ns;		/* when it began, since 1970; with same_machine; 0: not known */
	const struct hd_jitdump_set *jitdumps;	/* that are there, borrowed; NULL: none */
	const char *machine;		/* the recorded one, as `uname -m` names it; NULL: not told */
	bool no_call_files;		/* nobody looks at call_file of an inlined function: what says it is not read */
};

struct hd_symbols_key {
	enum hd_symbols_kind kind;
	const char *path;		/* as recorded */
	const uint8_t *build_id;
	uint8_t build_id_len;		/* 0: none */
	int32_t pid;			/* of a perf map, a jitdump */
	/*
	 * KERNEL: start and pgoff of its main map, which tell where this boot
	 * put it.  MODULE, KSYM: where its map starts, and 0.  0: not known.
	 */
	uint64_t kernel_start;
	uint64_t kernel_pgoff;
	uint64_t code_pgoff;		/* of the mapping that was met first; no part of what makes keys equal */
	bool guest;			/* a guest's kernel or module */
	/*
	 * Not 0: the path is one of another mount namespace (a container's), with this inode.  A process of
	 * it that still runs shows its files (nsroot.h); what is here under that name is believed on a
	 * build-id only, and a perf map not at all.
	 */
	uint64_t mnt_ns;
	int32_t ns_pid;			/* who mapped it; part of no identity */
	bool foreign_pid;		/* a perf map whose writer knew itself by another pid */
	/*
	 * FILE: the file that was mapped.  hd_symbols_settle_key() clears both unless the path has another file since,
	 * so that keys are equal when they mean the same file.
	 */
	uint64_t ino, generation;
	bool build_id_listed; /* the build-id was read from the path when the recording ended; part of no identity */
};

struct hd_symbol_hit {
	uint64_t vaddr;			/* of the address asked about */
	uint64_t start, size;		/* vaddr of the symbol */
	const char *linkage;		/* borrowed from the object; NULL: no symbol covers it */
};

/* How good the symbols of an object are. */
enum hd_symbols_quality { HD_SYMQ_NONE, HD_SYMQ_DYNSYM, HD_SYMQ_SYMTAB, HD_SYMQ_DEBUGINFO };

struct hd_symbols;
struct hd_symobj;
struct hd_symbol_source;

struct hd_symbols *hd_symbols_new(const struct hd_symbols_opts *opts, struct hd_log *log);
/* The same over another source (source.h), which is freed with it. */
struct hd_symbols *hd_symbols_over(struct hd_symbol_source source);
void hd_symbols_free(struct hd_symbols *sy);

/*
 * Decide whether the file that was mapped was replaced while it was recorded, which the path's file, its build-id and its
 * time of change show (replaced_file.c).  If it was, the key keeps ino and loses its build-id, which is of the new file: such an
 * object gets no symbols.  Otherwise ino and generation become 0.  Call this once for each key before any other function
 * gets it.  Thread-safe.
 */
void hd_symbols_settle_key(const struct hd_symbols *sy, struct hd_symbols_key *key);

/* Never NULL: an object without symbols is an object too.  Same key, same pointer. */
struct hd_symobj *hd_symbols_object(struct hd_symbols *sy, const struct hd_symbols_key *key);

/*
 * The address as process/ gives it: an offset in the file; of a module or KSYMBOL
 * the distance from key.kernel_start (or the ip itself); of a jitdump the offset
 * of the code in it; else the ip itself.
 * hit->vaddr is always set: as linked in a file, else the ip; hit->linkage only
 * when a symbol covers it.  The size of a KSYMBOL is 0: as long as its map.
 * Ascending questions are cheapest.
 */
void hd_object_lookup(struct hd_symobj *o, uint64_t foff, struct hd_symbol_hit *hit);
void hd_object_line(struct hd_symobj *o, uint64_t vaddr, struct hd_line_hit *hit);

enum hd_symbols_quality hd_object_quality(const struct hd_symobj *o);
const char *hd_object_source(const struct hd_symobj *o);	/* the file the symbols came from, "" when none */
const char *hd_object_problem(const struct hd_symobj *o);	/* one clause why it has none, or NULL */
/* Build-id read from the file itself as hexadecimal text, "" when there is none. */
const char *hd_object_build_id(const struct hd_symobj *o);
/* The machine of the file, as `uname -m` names it; NULL when none was found. */
const char *hd_object_machine(const struct hd_symobj *o);
/*
 * A fresh descriptor of the file with the code (the vdso: of a copy), which is
 * the recorded build; < 0 when it is not here.  A jitdump has the code at the
 * offset that hd_object_lookup was asked for.
 */
int hd_object_open(const struct hd_symobj *o, struct hd_err *err);

/*
 * The same for a key whose object nobody asked for: nothing is read of the
 * symbols, nothing is logged, and several threads may call it.
 */
int hd_symbols_open_code(const struct hd_symbols *sy, const struct hd_symbols_key *key, struct hd_err *err);

/*
 * The functions inlined at vaddr (as hit->vaddr of hd_object_lookup), innermost first, at most max
 * of them (the innermost; HD_INLINE_MAX is more than any compiler makes).  0
 * when there are none or no debug information says so.  The function that
 * contains them all is not among them.
 */
size_t hd_object_inlines(struct hd_symobj *o, uint64_t vaddr, struct hd_inline_hit *hits, size_t max);
/*
 * A number of the object for the innermost of them, 0 when there is none: where it
 * is equal, so are all hits.  Much cheaper than they are.
 */
uint32_t hd_object_inline_instance(struct hd_symobj *o, uint64_t vaddr);

/*
 * The name under which builds are compared: linkage demangled without
 * parameters, Rust hashes and compiler suffixes (.constprop.0, .isra.0,
 * .part.0, .cold, .llvm.123, .lto_priv.0) stripped.  A fresh string.
 */
char *hd_symbol_normalise(const char *linkage);

#endif
