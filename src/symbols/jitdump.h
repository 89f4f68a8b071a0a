/*
 * jitdump.h - what a JIT compiler says it put where, with the code itself: jit-PID.dump
 *
 *     OFFSET  SIZE  MEANING of the header            OFFSET  SIZE  MEANING of a record
 *          0     4  0x4a695444, tells the order           0     4  kind, enum hd_jit_kind
 *          4     4  version, 1                            4     4  its size, with these 16 bytes
 *          8     4  its size, 40 or more                  8     8  time
 *         12     4  machine, as in ELF                   16        by kind:
 *         20     4  process
 *         24     8  when it was begun (of no known clock)
 *         32     8  flags: 1, times are the processor's counter
 *
 *     LOAD    pid, tid: 4 each; vma, address, size, index: 8 each; a name and its NUL; the code
 *     MOVE    pid, tid: 4 each; vma, old address, new address, size, index: 8 each
 *     LINES   address, number of entries: 8 each; entries: address 8, line 4, discriminator 4, file name and its NUL
 *             (the name ff 00: as the entry before); of the next LOAD at that address
 *     UNWIND  size, size of .eh_frame_hdr, mapped size: 8 each; .eh_frame, then .eh_frame_hdr; of the next LOAD
 *
 * Code comes, moves and goes, and addresses are used again; a place in the dump
 * stands for one body of code forever.  So hotdrift maps the dump itself: a
 * load at ADDRESS is the dump's bytes [off, off + size) mapped there, at that
 * time.  What is at an offset is then as in a file: its name, lines, CFI, code.
 *
 *     hd_jitdump_read(&d, fd, path, &err)      one pass over the records; code and lines are skipped
 *     hd_jitdump_find(d, off)                  the load whose code has that offset
 *     hd_jitdump_reopen(d, &err)               the file, for code, lines and unwinding information
 *
 * Every size is hostile.  A record that lies inside of its own size is skipped
 * and counted; where one reaches behind the end, what came before it is kept.
 *
 * Format: linux tools/perf/Documentation/jitdump-specification.txt.
 *
 * Owns:  the lists and the names.  Read-only afterwards: any thread may ask.
 */
#ifndef HD_SYMBOLS_JITDUMP_H
#define HD_SYMBOLS_JITDUMP_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A larger file is not read. */
#define HD_JITDUMP_MAX (2ull << 30)

enum {
	HD_JIT_LOADS = 1 << 22,			/* more are ignored */
	HD_JIT_NAME = 64 << 10,			/* of a longer name that much is kept */
};

enum hd_jit_kind { HD_JIT_LOAD, HD_JIT_MOVE, HD_JIT_LINES, HD_JIT_CLOSE, HD_JIT_UNWIND };

/* Parts of a dump, ascending and apart. */
struct hd_jit_ranges {
	struct hd_jit_range { uint64_t off, n; } *v;
	size_t n, cap;
	uint64_t bytes;				/* of the whole dump */
};

/* A body of code. */
struct hd_jit_load {
	uint64_t off, size;			/* where it is in the dump */
	uint64_t addr;				/* where it was first put: lines and CFI speak of that address */
	uint64_t lines, unwind;			/* offsets behind the 16 bytes of those records; 0: none */
	uint32_t lines_bytes, unwind_bytes;	/* how long they are */
	uint32_t name;				/* in names */
};

/* Code came to be at an address. */
struct hd_jit_event {
	uint64_t time;				/* as recorded */
	uint64_t addr, size;
	uint32_t load;
};

enum hd_jit_fate { HD_JIT_FOUND, HD_JIT_REFUSED, HD_JIT_ABSENT };

/* A bundle's: open gives a fresh descriptor, to one thread at a time. */
struct hd_jit_files {
	int (*open)(void *ctx, const char *path, struct hd_err *err);
	void *ctx;
};

struct hd_jitdump {
	char *root, *path;			/* for reopening; set by hd_jitdump_locate, _remember_given */
	const struct hd_jit_files *files; /* of a bundle, and there alone it is opened again; NULL: on this machine */
	dev_t dev;
	ino_t ino;
	bool swap;				/* in the other byte order */
	bool counter;				/* times are the processor's counter */
	uint32_t machine, pid;
	uint32_t line_shift; /* entries of LINES are so much too high: node's, made for an old perf */
	bool has_lines;
	struct hd_jit_load *loads;		/* ascending by off, disjoint */
	size_t nloads, loads_cap;
	struct hd_jit_event *events;		/* in the order of the file */
	size_t nevents, events_cap;
	struct hd_buf names;
	size_t damaged;				/* records that were skipped, or 1 for the end */
	uint64_t damaged_at;			/* offset of the first */
	const char *damage;			/* what was wrong with it, static text; NULL: nothing */
};

/*
 * path is for messages; the descriptor stays the caller's.  read: unless NULL, gets what answers come from (parts
 * is the caller's): all that was looked at, lines and unwinding information, no code.  A file of those parts and zeros reads the same.
 */
int hd_jitdump_read(struct hd_jitdump **out, int fd, const char *path, struct hd_jit_ranges *read, struct hd_err *err);
void hd_jitdump_free(struct hd_jitdump *d);		/* NULL is fine */

/* Where fd was opened, so that it can be opened again. */
int hd_jitdump_locate(struct hd_jitdump *d, int fd, const char *root, const char *path, struct hd_err *err);
/* It is the one of that path among the files of a bundle, which are borrowed. */
void hd_jitdump_locate_in_bundle(struct hd_jitdump *d, const struct hd_jit_files *files, const char *path);
int hd_jitdump_reopen(const struct hd_jitdump *d, struct hd_err *err);

/* NULL: no code is there. */
const struct hd_jit_load *hd_jitdump_find(const struct hd_jitdump *d, uint64_t off);

static inline const char *hd_jitdump_name(const struct hd_jitdump *d, const struct hd_jit_load *l)
{
	return d->names.data + l->name;
}

#endif
