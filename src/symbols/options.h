/*
 * options.h - where symbols may come from: files of this machine, and tables inside the recording
 */
#ifndef HD_SYMBOLS_OPTIONS_H
#define HD_SYMBOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_jitdump_set;

/* To what the addresses of an embedded table refer. */
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
	unsigned debuginfod_budget_ms;	/* time for all queries of a run together; 0: 10000 */
	bool machine_unknown;		/* the recording does not identify its machine */
	bool same_machine;		/* recorded on this machine: a file may be used without a build-id to check */
	const struct hd_embedded_files *embedded;
	int64_t written_s;		/* same_machine: end of the recording, seconds since 1970 */
	int64_t began_ns;		/* same_machine: start of the recording, since 1970; 0: unknown */
	const struct hd_jitdump_set *jitdumps;
	const char *machine;		/* the recorded machine as `uname -m` names it; NULL: unknown */
	bool no_call_files;		/* the caller does not use hd_inline_hit.call_file, so it is not looked up */
};

#endif
