/*
 * options.h - where symbols may come from: files of this machine, and tables inside the recording
 */
#ifndef HD_SYMBOLS_OPTIONS_H
#define HD_SYMBOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_jitdump_set;

/* The address space to which the addresses of an embedded table refer. */
enum hd_embedded_base {
	HD_EMBEDDED_BASE_LINKED,	/* addresses as linked; file offset `foff` is linked at `vaddr` */
	HD_EMBEDDED_BASE_OFFSET,	/* file offsets */
	HD_EMBEDDED_BASE_KERNEL,	/* kernel addresses */
	/*
	 * addresses as linked in a kernel module; linked address `vaddr` is loaded `foff` bytes after the module's
	 * start
	 */
	HD_EMBEDDED_BASE_MODULE,
	HD_EMBEDDED_BASE_ADDRESS,	/* addresses in the process */
};

/* A symbol table in the recording, for one object: the rows first .. first + n - 1 of all rows of the recording. */
struct hd_embedded_table {
	enum hd_embedded_base place;
	const char *path;		/* as recorded */
	const uint8_t *build_id;
	uint8_t build_id_len;		/* 0: unknown */
	uint64_t vaddr, foff;
	bool has_foff;			/* `foff` was recorded; if false, LINKED uses key.code_pgoff, MODULE uses 0 */
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

#define HD_EMBEDDED_SOURCE "inside the recording"	/* result of hd_object_source() for these symbols */

/* hd_symbols_new() copies the strings and borrows all other pointers.  A NULL pointer means none. */
struct hd_symbols_opts {
	const char *symfs;		/* root folder of the recorded machine's files; NULL: this machine's */
	const char *kallsyms;
	/*
	 * kernel symbols of guests, for which `kallsyms` is not used; `symfs` and this machine's kernel are used for a
	 * guest's kernel only if they have the recorded build-id
	 */
	const char *guest_kallsyms;
	bool debuginfod;		/* debuginfod servers may be queried */
	unsigned debuginfod_budget_ms;	/* time for all queries together; 0: the default, 10000 */
	bool machine_unknown;		/* the recording does not identify its machine */
	bool same_machine;		/* recorded on this machine: files may be used even without a build-id */
	const struct hd_embedded_files *embedded;
	int64_t written_s;		/* only with same_machine: end of the recording, in s since 1970 */
	/* only with same_machine: start of the recording, in ns since 1970; 0: unknown */
	int64_t began_ns;
	const struct hd_jitdump_set *jitdumps;
	const char *machine;		/* the recorded architecture as `uname -m` prints it; NULL: unknown */
	bool no_call_files;		/* the caller does not use hd_inline_hit.call_file, so it is not looked up */
};

#endif
