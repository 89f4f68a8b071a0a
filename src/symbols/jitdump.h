/*
 * jitdump.h - read jit-PID.dump, in which a JIT compiler logs its code and where it is
 *
 *     OFFSET  SIZE  MEANING of the header            OFFSET  SIZE  MEANING of a record
 *          0     4  0x4a695444, shows byte order          0     4  kind, enum hd_jit_kind
 *          4     4  version, 1                            4     4  size of the record, with these 16 bytes
 *          8     4  size of the header, 40 or more        8     8  time
 *         12     4  machine, as in ELF                   16        by kind:
 *         20     4  process
 *         24     8  start time (of an unknown clock)
 *         32     8  flags: 1, times are a CPU counter
 *
 *     LOAD    pid, tid: 4 each; vma, address, size, index: 8 each; a name and its NUL; the code
 *     MOVE    pid, tid: 4 each; vma, old address, new address, size, index: 8 each
 *     LINES   address, number of entries: 8 each; entries: address 8, line 4, discriminator 4, file name and its NUL
 *             (the name ff 00: same as the entry before); belongs to the next LOAD at that address
 *     UNWIND  size, size of .eh_frame_hdr, mapped size: 8 each; .eh_frame, then .eh_frame_hdr; of the next LOAD
 *
 * JIT code moves and is freed, and addresses are reused, but a position in the dump always refers to the same code.  So
 * hotdrift maps the dump itself: a load at ADDRESS is the bytes [off, off + size) of the dump, mapped there at that
 * time. An offset then has a name, lines, CFI and code, as in any other file.
 *
 *     hd_jitdump_read(&d, fd, path, NULL, &err)    one pass over the records; code and lines are skipped
 *     hd_jitdump_find(d, off)                      the load whose code has that offset
 *     hd_jitdump_reopen(d, &err)                   the file, for code, lines and unwinding information
 *
 * Dumps are untrusted.  A record with invalid contents is skipped and counted.  If a record reaches beyond the end of
 * the file, those before it are used.
 *
 * Format: linux tools/perf/Documentation/jitdump-specification.txt.
 *
 * Ownership: hd_jitdump owns its lists and names.  Thread-safe after hd_jitdump_read().
 */
#ifndef HD_SYMBOLS_JITDUMP_H
#define HD_SYMBOLS_JITDUMP_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Larger files are not read. */
#define HD_JITDUMP_MAX (2ull << 30)

enum {
	HD_JIT_LOADS = 1 << 22,			/* LOAD records; further ones are skipped and count as damaged */
	HD_JIT_NAME = 64 << 10,			/* bytes of a name; longer names are cut */
};

enum hd_jit_kind { HD_JIT_LOAD, HD_JIT_MOVE, HD_JIT_LINES, HD_JIT_CLOSE, HD_JIT_UNWIND };

/* Parts of a dump, ascending and disjoint. */
struct hd_jit_ranges {
	struct hd_jit_range { uint64_t off, n; } *v;
	size_t n, cap;
	uint64_t bytes;				/* size of the dump */
};

/* The code of one LOAD record. */
struct hd_jit_load {
	uint64_t off, size;			/* position in the dump */
	uint64_t addr;				/* address of the code's first byte, to which lines and CFI refer */
	uint64_t lines;				/* offset of the LINES record's data, after its header; 0: none */
	uint64_t unwind;			/* offset of .eh_frame in the UNWIND record; 0: none */
	uint32_t lines_bytes, unwind_bytes;	/* bytes at `lines` and at `unwind` */
	uint32_t name;				/* offset in names */
};

/* Code appeared at an address, by a LOAD or MOVE record. */
struct hd_jit_event {
	uint64_t time;				/* as recorded */
	uint64_t addr, size;
	uint32_t load;				/* index in hd_jitdump.loads */
};

enum hd_jit_fate { HD_JIT_FOUND, HD_JIT_REFUSED, HD_JIT_ABSENT };

/*
 * Access to the jitdumps in a bundle, a file with a recording and all data about its addresses.  `open` returns a new
 * descriptor; it is called by one thread at a time.
 */
struct hd_jit_files {
	int (*open)(void *ctx, const char *path, struct hd_err *err);
	void *ctx;
};

struct hd_jitdump {
	char *root, *path;			/* kept to reopen the file */
	const struct hd_jit_files *files; /* opens the dump in its bundle; NULL: the dump is a file of this machine */
	dev_t dev;
	ino_t ino;
	bool swap;				/* the byte order is not this machine's */
	bool counter;				/* times are a CPU counter */
	uint32_t machine, pid;
	/*
	 * subtract this from the addresses in LINES records: V8 adds it to compensate for an error in old versions of
	 * perf
	 */
	uint32_t line_shift;
	bool has_lines;
	struct hd_jit_load *loads;		/* sorted by off, disjoint */
	size_t nloads, loads_cap;
	struct hd_jit_event *events;		/* in file order */
	size_t nevents, events_cap;
	struct hd_buf names;
	size_t damaged;				/* number of invalid records, including one cut off at the end */
	uint64_t damaged_at;			/* offset of the first one */
	const char *damage;			/* description of the first fault, a static text; NULL: none */
};

/*
 * Read a dump.  `path` is for messages; the caller keeps `fd`.  `read`, unless NULL, receives the parts that lookups
 * need (records, lines and unwinding information, but no code), and the caller frees read->v, also after an error.  A
 * copy of the file in which all other bytes are zero gives the same lookup results.  Returns 0, or HD_EFORMAT if the
 * header is invalid, or HD_EIO.
 */
int hd_jitdump_read(struct hd_jitdump **out, int fd, const char *path, struct hd_jit_ranges *read, struct hd_err *err);
void hd_jitdump_free(struct hd_jitdump *d);		/* accepts NULL */

/* Store where `fd` was opened, for hd_jitdump_reopen(). */
int hd_jitdump_locate(struct hd_jitdump *d, int fd, const char *root, const char *path, struct hd_err *err);
/* Locate a dump in a bundle; `files` is borrowed. */
void hd_jitdump_locate_in_bundle(struct hd_jitdump *d, const struct hd_jit_files *files, const char *path);
/* Open the located file again.  Returns a descriptor that the caller closes, or < 0. */
int hd_jitdump_reopen(const struct hd_jitdump *d, struct hd_err *err);

/* Return the load that contains `off`; NULL if there is none. */
const struct hd_jit_load *hd_jitdump_find(const struct hd_jitdump *d, uint64_t off);

static inline const char *hd_jitdump_name(const struct hd_jitdump *d, const struct hd_jit_load *l)
{
	return d->names.data + l->name;
}

#endif
