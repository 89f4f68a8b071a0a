/*
 * elf_file.h - open an untrusted ELF file and read its sections
 *
 *     hd_elf_open(&e, fd, path, log, &err)         takes the descriptor
 *     sec = hd_elf_section(e, ".symtab")
 *     bytes = hd_elf_bytes(e, sec, max, &n, &err)  a checked copy; the caller frees it
 *
 * Headers are parsed by libelf and checked against the file size.  A section that reaches beyond the file has no bytes,
 * and `damage` describes the first such fault.  Contents are read with pread() and never mapped, so a file that shrinks
 * meanwhile causes an error instead of SIGBUS.  A read error is logged immediately (symbols.unreadable), because
 * callers that try the next candidate would drop it.  If libelf runs out of memory, the program ends, as in hd_new().
 *
 * Ownership: hd_elf owns the descriptor or the memory image, the libelf handle and a copy of the section headers.
 */
#ifndef HD_ELF_ELF_FILE_H
#define HD_ELF_ELF_FILE_H

#include "base/bytes.h"
#include "base/err.h"
#include "base/log.h"
#include "elf/notes.h"

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HD_ELF_LOADS = 1024,		/* at most this many PT_LOAD segments are used */
};

struct hd_elf_section {
	const char *name;		/* "" if it has none or an invalid one */
	uint64_t addr, off, size, entsize, flags, align;
	uint32_t type, link, info;
	uint32_t name_off;
	bool has_bytes;			/* all its bytes are inside the file */
	bool unpack_tried;
	uint8_t *unpacked;		/* set by unpack.c */
};

/* A PT_LOAD segment. */
struct hd_elf_load {
	uint64_t off, filesz, vaddr, memsz;
	bool exec;
};

/* The PT_LOAD segments of a file, which map file offsets to addresses as linked. */
struct hd_elf_loads {
	struct hd_elf_load *v;
	size_t n;
	/* the file is a separate debug file, which lacks the offsets of the segments in the original file */
	bool debug_only;
};

struct hd_elf {
	int fd;				/* -1: the file is in memory, or its owner has closed the descriptor for now */
	void *image;			/* the file in memory, on the heap; NULL: use fd */
	char *path;
	struct hd_log *log;		/* the log for read errors; NULL: they are not logged */
	uint64_t size;			/* size of the file when it was opened, in bytes */
	Elf *elf;
	GElf_Ehdr ehdr;
	bool is64, swap;
	const struct hd_elf *code; /* for a separate debug file: the file with the code; borrowed; NULL: unknown */
	struct hd_elf_section *sections;
	size_t nsections;
	char *names;			/* names of the sections */
	struct hd_elf_loads loads;
	bool is_debug_file;		/* separate debug file: its code sections have headers, but no bytes */
	uint8_t build_id[HD_ELF_BUILD_ID];
	uint8_t build_id_len;
	size_t notes_read;		/* number of bytes of notes that were read so far, which is limited */
	char damage[200];		/* the first fault that was found, or "" */
	unsigned ndamage;
};

/*
 * Open a file or a memory image, which must be heap memory.  Both functions take ownership of their input, also if they
 * fail.  `log` is borrowed.  Returns 0, or HD_EFORMAT or HD_EIO; *out is then unchanged.
 */
int hd_elf_open(struct hd_elf **out, int fd, const char *path, struct hd_log *log, struct hd_err *err);
int hd_elf_open_memory(struct hd_elf **out, void *image, size_t size, const char *path, struct hd_err *err);
void hd_elf_close(struct hd_elf *e);

/* Read exactly n bytes at `off`, or fail. */
int hd_elf_read(const struct hd_elf *e, uint64_t off, void *buf, size_t n, struct hd_err *err);
/* Return the first section called `name` that has bytes in the file; NULL if there is none. */
const struct hd_elf_section *hd_elf_section(const struct hd_elf *e, const char *name);
/* Return true if the file has DWARF line information (.debug_line or .zdebug_line). */
bool hd_elf_has_lines(const struct hd_elf *e);
/*
 * Read a section into fresh memory and append a NUL.  Returns NULL if it has no bytes or more than `max`, or if it
 * cannot be read.
 */
void *hd_elf_bytes(const struct hd_elf *e, const struct hd_elf_section *sec, uint64_t max, size_t *n,
	struct hd_err *err);
struct hd_bytes hd_elf_cursor(const struct hd_elf *e, const void *p, size_t n);

/* Record a fault of the file.  The first one is kept in `damage`, all are counted. */
void hd_elf_damaged(struct hd_elf *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Convert a file offset to an address as linked.  Executable segments are searched first, because two segments can
 * share a page of the file and code is only in the executable one.  Returns false if no segment contains it.
 */
bool hd_elf_vaddr(const struct hd_elf_loads *loads, uint64_t foff, uint64_t *vaddr);

/*
 * Compare build-ids.  They are also equal if they differ only in trailing zeros (older recordings pad them to 20
 * bytes).  An empty build-id equals no other one.
 */
bool hd_build_id_equal(const uint8_t *a, size_t na, const uint8_t *b, size_t nb);
/* Format a build-id of n bytes as hexadecimal digits; `hex` has room for 2 * n + 1 bytes. */
void hd_build_id_hex(const uint8_t *id, size_t n, char *hex);

#endif
