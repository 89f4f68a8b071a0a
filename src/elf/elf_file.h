/*
 * elf_file.h - an ELF file opened with suspicion
 *
 *     hd_elf_open(&e, fd, path, log, &err)         takes the descriptor
 *     sec = hd_elf_section(e, ".symtab")
 *     bytes = hd_elf_bytes(e, sec, max, &n, &err)  a checked copy, yours
 *
 * Headers come from libelf and are checked against the file's size before
 * anything follows them: a section that reaches outside the file has no bytes,
 * and `damage` says so.  Contents are read with pread, never mapped, so that a
 * file that shrinks meanwhile is an error and not a signal.  A file that is there
 * and cannot be read is told to the log at once, whoever asks; memory that libelf
 * does not get ends the program, as ours does.
 *
 * Owns: the descriptor or the memory image, libelf's handle, and a copy of the
 *       section headers.
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
	HD_ELF_LOADS = 1024,		/* PT_LOADs that are looked at */
};

struct hd_elf_section {
	const char *name;		/* "" when it has none or a damaged one */
	uint64_t addr, off, size, entsize, flags, align;
	uint32_t type, link, info;
	uint32_t name_off;
	bool has_bytes;			/* its bytes are all inside the file */
	bool unpack_tried;
	uint8_t *unpacked;		/* unpack.h's */
};

/* One PT_LOAD. */
struct hd_elf_load {
	uint64_t off, filesz, vaddr, memsz;
	bool exec;
};

/* Where file offsets are in the address space as linked. */
struct hd_elf_loads {
	struct hd_elf_load *v;
	size_t n;
	bool debug_only;		/* a separate debug file that has forgotten where the code was */
};

struct hd_elf {
	int fd;				/* -1: in memory */
	void *image;
	char *path;
	struct hd_log *log;		/* of reads that fail; NULL: nobody is told */
	uint64_t size;			/* at open time */
	Elf *elf;
	GElf_Ehdr ehdr;
	bool is64, swap;
	const struct hd_elf *code; /* of a separate debug file: the file with the code, borrowed; NULL: not known */
	struct hd_elf_section *sections;
	size_t nsections;
	char *names;			/* of the sections */
	struct hd_elf_loads loads;
	bool is_debug_file;		/* it has the headers of the code but not the code */
	uint8_t build_id[HD_ELF_BUILD_ID];
	uint8_t build_id_len;
	size_t notes_read;		/* bytes of notes looked at, of which there is a limit */
	char damage[200];		/* the first thing that was wrong, or "" */
	unsigned ndamage;
};

/* Both take over their input, also when they fail. */
int hd_elf_open(struct hd_elf **out, int fd, const char *path, struct hd_log *log, struct hd_err *err);
int hd_elf_open_memory(struct hd_elf **out, void *image, size_t size, const char *path, struct hd_err *err);
void hd_elf_close(struct hd_elf *e);

/* n bytes at off, all of them or an error. */
int hd_elf_read(const struct hd_elf *e, uint64_t off, void *buf, size_t n, struct hd_err *err);
/* The first section of that name that holds bytes, or NULL. */
const struct hd_elf_section *hd_elf_section(const struct hd_elf *e, const char *name);
/* True if the file has DWARF line information (.debug_line or .zdebug_line). */
bool hd_elf_has_lines(const struct hd_elf *e);
/* Fresh bytes of a section, followed by a NUL; NULL when it has none or more than max. */
void *hd_elf_bytes(const struct hd_elf *e, const struct hd_elf_section *sec, uint64_t max, size_t *n,
	struct hd_err *err);
struct hd_bytes hd_elf_cursor(const struct hd_elf *e, const void *p, size_t n);

/* Note one more thing that is wrong with the file. */
void hd_elf_damaged(struct hd_elf *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * The vaddr of a file offset, by the executable segments first.  Two segments
 * may share a page of the file; code is only in the executable one.
 */
bool hd_elf_vaddr(const struct hd_elf_loads *loads, uint64_t foff, uint64_t *vaddr);

/* Build-ids are equal when the longer one is the shorter one and zeros (older recordings pad to 20). */
bool hd_build_id_equal(const uint8_t *a, size_t na, const uint8_t *b, size_t nb);
/* In hexadecimal; hex has room for 2 * n + 1. */
void hd_build_id_hex(const uint8_t *id, size_t n, char *hex);

#endif
