/*
 * local_source.h - the symbol source that reads the files of this machine
 *
 * The first source that fits is used.  If a build-id was recorded, it must match; a file with another build-id is
 * rejected with a warning.
 *
 *     binary   1. for a container, <path> below the root of one of its processes; --symfs DIR/<path>, or <path>; a file
 *                 with the build-id in --symfs, /.build-id or ~/.debug
 *              2. its debug file: build-id folders of --symfs, /usr/lib/debug and ~/.debug; .gnu_debuglink
 *              3. .gnu_debugdata (an xz-compressed ELF file inside the binary)
 *              4. debuginfod, if DEBUGINFOD_URLS is set, within a time budget
 *     kernel   --kallsyms FILE; the recording's kcore_dir/kallsyms; ~/.debug; a vmlinux file below --symfs or with the
 *              build-id; /proc/kallsyms if the running kernel is the recorded one
 *     module   its [module] lines in the kernel's kallsyms; its .ko file
 *     guest    kernel and modules: --guest-kallsyms FILE, else a file with the build-id
 *     vdso     the vdso of this process if it is the recorded one; ~/.debug
 *     JIT      the process's jit-PID.dump (jitdump_set.h), else /tmp/perf-PID.map (also below --symfs)
 *
 * If all of these have no symbols, or only .dynsym, tables that the recording itself contains are used.  For a perf
 * map, such a table is used first.
 *
 * The symbols of an ELF file are those of .symtab and, at addresses without one, those of .dynsym.  Functions, ifuncs
 * and unsized labels are selected as perf does.  PLT stubs are named `name@plt`; they are found by decoding their
 * instructions.  Aliases at one address are resolved by perf's rules (elf/symbol_alias.h).  An unsized symbol ends at
 * the next symbol or at the end of its section.  An address beyond the end of a symbol is never attributed to it.
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
#include "symbols/options.h"
#include "symbols/source.h"

/* Return a source that copies the strings of `opts` and borrows its other pointers and `log`. */
struct hd_symbol_source hd_local_source_new(const struct hd_symbols_opts *opts, struct hd_log *log);

#endif
