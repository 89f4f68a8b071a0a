/*
 * embedded_symbols.h - symbol tables and call chains stored in a recording
 *
 * Two recorders for phones store the symbols of the device in the recording, because its binaries are
 * rarely available where the recording is read:
 *
 *     simpleperf (Android)        header features FILE (128), FILE2 (132);
 *                                 in older versions records DSO and SYMBOL;
 *                                 KERNEL_SYMBOL, a copy of /proc/kallsyms
 *     hiperf (OpenHarmony)        header feature FILES_SYMBOL (192);
 *                                 FILES_UNISTACK_TABLE (197): each distinct call chain once
 *
 * In the formats below, `u64 vaddr` is a field of 64 bits, and `name NUL` is a text that ends with a NUL:
 *
 *     FILE       rows of: u32 bytes of the row after this number, path NUL, u32 type, u64 vaddr,
 *                u32 symbols, each: u64 start, u32 size, name NUL; then by type:
 *                dex: u32 n, u64[n]; ELF, module: u64 foff, may be absent
 *     FILE2      rows of: u32 bytes of the message, a protobuf message: 1 path, 2 type, 3 vaddr,
 *                4 symbol {1 start, 2 size, 3 name}..., 6 or 7 {1 foff}
 *     DSO        u64 type, u64 id, u64 vaddr (not in the oldest), name NUL
 *     SYMBOL     u64 start, u64 size, u64 id of the DSO, name NUL
 *     TRACING_DATA   u32 bytes, tracing data as perf writes it; the type is 32777 or perf's 66
 *     META_INFO  header feature (129): keys and values with their NULs; event_type_info has lines NAME,TYPE,CONFIG
 *     SPLIT, SPLIT_END    parts of a record that is too long for its u16 size, in order
 *     EVENT_ID   u64 n, then n times u64 attr, u64 id: ids of a merged recording
 *     FILES_SYMBOL   u32 files, each: path, u32 type, u64 vaddr, u64 foff, build-id in hexadecimal,
 *                u32 symbols, each: u64 start, u32 size, name; a text is u32 bytes with its NUL
 *     FILES_UNISTACK_TABLE  u32 processes, each: u32 pid, u32 capacity of a table (not used), u32 nodes, each:
 *                u32 index, u64 node: bits 0-39 ip, 40-62 index of the caller's node (0: none), 63 kernel (the upper
 *                bits of ip are ones); a sample with an empty chain then ends in a u64: bits 0-22 index of the
 *                innermost node, 23-63 number of entries of the chain
 *
 * (AOSP simpleperf/record_file_format.h, record.cpp, dso.cpp; OpenHarmony developtools_hiperf
 * include/perf_file_format.h, src/perf_file_format.cpp, include/unique_stack_table.h.)  The tables
 * contain only functions that a sample hit.  simpleperf's CALLCHAIN and UNWINDING_RESULT records are
 * ignored: they repeat or explain chains that the samples contain.
 *
 * Ownership: the hd_perf owns the tables.  They are complete after the first whole walk.
 */
#ifndef HD_PERFDATA_EMBEDDED_SYMBOLS_H
#define HD_PERFDATA_EMBEDDED_SYMBOLS_H

#include "base/buf.h"
#include "perfdata/perfdata.h"

/* The address spaces that `start` and `vaddr` in a symbol table can be in.  Same order as enum hd_embedded_base. */
enum hd_embedded_kind {
	HD_EMBEDDED_KIND_FILE,		/* linked addresses; vaddr is the address of file offset foff */
	HD_EMBEDDED_KIND_OFFSET,		/* file offsets: dex code */
	HD_EMBEDDED_KIND_KERNEL,		/* kernel addresses */
	HD_EMBEDDED_KIND_MODULE, /* linked addresses; vaddr is foff bytes after the load address of the module */
	HD_EMBEDDED_KIND_ADDRESS,		/* process addresses: JIT code */
};

struct hd_embedded_symbol {
	uint64_t start, size;		/* size 0: unknown */
	uint32_t name;			/* offset into names */
	uint32_t file;			/* index into files */
};

struct hd_embedded_file {
	enum hd_embedded_kind kind;
	uint32_t path;			/* offset into names */
	struct hd_build_id id;
	/* foff was recorded; if false, the file offset of the first executable mapping is used instead */
	bool has_foff;
	uint64_t vaddr, foff;
	uint64_t dso;			/* id of a DSO record */
	size_t first, n;		/* range of its symbols */
};

struct hd_embedded_symbols {
	struct hd_embedded_file *files;
	size_t nfiles, files_cap;
	struct hd_embedded_symbol *symbols;	/* hd_perf_embedded_symbols() sorts them by file */
	size_t nsymbols, symbols_cap;
	struct hd_buf names;		/* NUL-terminated names */
	struct hd_buf kallsyms;		/* empty if there is none */
	uint64_t chains_refused; /* number of chains that were dropped because of the limit for their memory */
};

/* Sort the symbols by file, and return the tables, which are borrowed.  Not thread-safe. */
const struct hd_embedded_symbols *hd_perf_embedded_symbols(struct hd_perf *pf);
static inline const char *hd_embedded_str(const struct hd_embedded_symbols *c, uint32_t name)
{
	return c->names.data + name;
}

#endif
