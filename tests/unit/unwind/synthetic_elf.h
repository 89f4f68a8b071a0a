/*
 * synthetic_elf.h - make binaries byte by byte, processes that have them mapped, and samples whose stacks are tables
 *
 *     struct made *o = made_new(MADE_X86_64);
 *     made_cie(o, 16, BYTES(0x0c, 7, 8,  0x90, 1));		def_cfa rsp+8; the return address at cfa-8
 *     made_fde(o, 0x100, 0x20, BYTES(0x41,  0x0e, 16));	code at TEXT + 0x100; advance 1; def_cfa_offset 16
 *     made_open();						object 1 is mapped at CODE, 2 at CODE + MADE_STEP, ...
 *     made_run(&sample, &out);
 *     made_close();
 *
 * The code of an object is at offset TEXT_OFF of its file and at vaddr TEXT_OFF + 0x400000.  The three kinds of
 * address differ, so that a test fails if the code confuses them.
 */
#ifndef HD_TESTS_UNIT_UNWIND_SYNTHETIC_ELF_H
#define HD_TESTS_UNIT_UNWIND_SYNTHETIC_ELF_H

#include "test.h"

#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "unwind/unwind.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES(...)	(const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })
#define NOTHING		(const uint8_t *)"", (size_t)0
#define unused_ok	__attribute__((unused))

enum { MADE_X86_64 = EM_X86_64, MADE_I386 = EM_386, MADE_AARCH64 = EM_AARCH64, MADE_ARM = EM_ARM };
enum { TEXT_OFF = 0x1000, TEXT_SIZE = 0x1000, DATA_OFF = 0x2000, DATA_SIZE = 0x1000, MADE_OBJECTS = 4 };
#define TEXT		(0x400000 + TEXT_OFF)
#define CODE		0x10000000ull		/* address of TEXT_OFF of the first object in the process */
#define MADE_STEP	0x01000000ull
#define STACK		0x20000000ull

struct made {
	int machine;
	bool wide;
	uint8_t cfi[8192];
	size_t n, cie;
	/* debug_frame: the section is .debug_frame, not .eh_frame; packed: it is compressed */
	bool debug_frame, packed;
	bool stripped;			/* without section headers */
	bool no_cfi, garbage, absent, jit, vdso;
	uint64_t entry;
	bool needs;			/* a library, which has DT_NEEDED */
};

static struct made *made_objects[MADE_OBJECTS];
static size_t made_n;
static struct hd_strtab *made_names;
static struct hd_log made_log;
static struct hd_process_table *made_proc;
static struct hd_unwind *made_unwind;
static struct hd_unwinder *made_unwinder;
static unsigned made_opened;

unused_ok static struct made *made_new(int machine)
{
	struct made *o = hd_new(struct made);

	o->machine = machine;
	o->wide = machine == MADE_X86_64 || machine == MADE_AARCH64;
	made_objects[made_n++] = o;
	return o;
}

/* ---- call frame information ---- */

static void put_n(uint8_t *b, size_t *n, uint64_t v, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		b[(*n)++] = (uint8_t)(v >> 8 * i);
}

static void end_entry(struct made *o, size_t at)
{
	size_t len_at = at;

	while ((o->n - at - 4) % (o->wide ? 8 : 4))
		o->cfi[o->n++] = 0;	/* DW_CFA_nop */
	put_n(o->cfi, &len_at, o->n - at - 4, 4);
}

unused_ok static void made_cie(struct made *o, uint8_t ra, const uint8_t *insns, size_t n)
{
	size_t at = o->n;

	o->cie = at;
	o->n += 4;
	put_n(o->cfi, &o->n, o->debug_frame ? UINT32_MAX : 0, 4);
	o->cfi[o->n++] = 1;
	if (!o->debug_frame) {
		o->cfi[o->n++] = 'z';
		o->cfi[o->n++] = 'R';
	}
	o->cfi[o->n++] = 0;
	o->cfi[o->n++] = 1;			/* code alignment */
	o->cfi[o->n++] = o->wide ? 0x78 : 0x7c;	/* data alignment: -8, -4 */
	o->cfi[o->n++] = ra;
	if (!o->debug_frame) {
		o->cfi[o->n++] = 1;
		o->cfi[o->n++] = 0;		/* addresses as they are */
	}
	memcpy(o->cfi + o->n, insns, n);
	o->n += n;
	end_entry(o, at);
}

unused_ok static void made_fde(struct made *o, uint64_t start, uint64_t len, const uint8_t *insns, size_t n)
{
	size_t at = o->n, word = o->wide ? 8 : 4;

	o->n += 4;
	put_n(o->cfi, &o->n, o->debug_frame ? o->cie : o->n - o->cie, 4);
	put_n(o->cfi, &o->n, TEXT + start, word);
	put_n(o->cfi, &o->n, len, word);
	if (!o->debug_frame)
		o->cfi[o->n++] = 0;
	memcpy(o->cfi + o->n, insns, n);
	o->n += n;
	end_entry(o, at);
}

/* ---- the file ---- */

static void put_ehdr(uint8_t *b, const struct made *o, uint64_t shoff, unsigned nph, unsigned nsh)
{
	size_t n = 0, w = o->wide ? 8 : 4;

	memcpy(b, "\177ELF", 4);
	b[EI_CLASS] = o->wide ? ELFCLASS64 : ELFCLASS32;
	b[EI_DATA] = ELFDATA2LSB;
	b[EI_VERSION] = EV_CURRENT;
	n = EI_NIDENT;
	put_n(b, &n, ET_DYN, 2);
	put_n(b, &n, (uint64_t)o->machine, 2);
	put_n(b, &n, EV_CURRENT, 4);
	put_n(b, &n, o->entry, w);
	put_n(b, &n, o->wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr), w);
	put_n(b, &n, nsh ? shoff : 0, w);
	put_n(b, &n, 0, 4);
	put_n(b, &n, o->wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr), 2);
	put_n(b, &n, o->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), 2);
	put_n(b, &n, nph, 2);
	put_n(b, &n, nsh ? (o->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)) : 0, 2);
	put_n(b, &n, nsh, 2);
	put_n(b, &n, nsh ? nsh - 1 : 0, 2);
}

static void put_phdr(uint8_t *b, size_t *n, const struct made *o, uint32_t type, uint32_t flags, uint64_t off,
	uint64_t size)
{
	size_t w = o->wide ? 8 : 4;

	put_n(b, n, type, 4);
	if (o->wide)
		put_n(b, n, flags, 4);
	put_n(b, n, off, w);
	put_n(b, n, 0x400000 + off, w);
	put_n(b, n, 0x400000 + off, w);
	put_n(b, n, size, w);
	put_n(b, n, size, w);
	if (!o->wide)
		put_n(b, n, flags, 4);
	put_n(b, n, 0x1000, w);
}

static void put_shdr(uint8_t *b, size_t *n, const struct made *o, uint32_t name, uint32_t type, uint64_t flags,
	uint64_t addr, uint64_t off, uint64_t size)
{
	size_t w = o->wide ? 8 : 4;

	put_n(b, n, name, 4);
	put_n(b, n, type, 4);
	put_n(b, n, flags, w);
	put_n(b, n, addr, w);
	put_n(b, n, off, w);
	put_n(b, n, size, w);
	put_n(b, n, 0, 8);
	put_n(b, n, 1, w);
	put_n(b, n, 0, w);
}

/* Write the section in compressed form: its header, and the bytes as stored blocks of deflate.  Returns its size. */
static size_t pack(uint8_t *to, const struct made *o)
{
	uint32_t s1 = 1, s2 = 0;
	size_t n = 0;

	put_n(to, &n, ELFCOMPRESS_ZLIB, 4);
	if (o->wide)
		put_n(to, &n, 0, 4);
	put_n(to, &n, o->n, o->wide ? 8 : 4);
	put_n(to, &n, 1, o->wide ? 8 : 4);
	put_n(to, &n, 0x0178, 2);
	put_n(to, &n, 1, 1);
	put_n(to, &n, o->n, 2);
	put_n(to, &n, ~o->n, 2);
	memcpy(to + n, o->cfi, o->n);
	n += o->n;
	for (size_t i = 0; i < o->n; i++) {
		s1 = (s1 + o->cfi[i]) % 65521;
		s2 = (s2 + s1) % 65521;
	}
	put_n(to, &n, __builtin_bswap32(s2 << 16 | s1), 4);
	return n;
}

enum { FILE_SIZE = 0x10000, HDR_OFF = 0x3000, CFI_OFF = 0x3010, DYN_OFF = 0x6000, STR_OFF = 0x6100, SH_OFF = 0x6200 };

static void make_file(uint8_t *b, const struct made *o)
{
	static const char names[] = "\0.eh_frame\0.debug_frame\0.dynamic\0.shstrtab";
	size_t n = o->wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr), size = o->n;

	if (o->garbage) {
		memset(b, 0x5a, FILE_SIZE);
		memcpy(b, "\177ELF", 4);
		return;
	}
	put_ehdr(b, o, SH_OFF, 4, o->stripped ? 0 : 4);
	put_phdr(b, &n, o, PT_LOAD, PF_R | PF_X, TEXT_OFF, TEXT_SIZE);
	put_phdr(b, &n, o, PT_LOAD, PF_R | PF_W, DATA_OFF, DATA_SIZE);
	put_phdr(b, &n, o, PT_LOAD, PF_R, HDR_OFF, 0x2000);
	put_phdr(b, &n, o, o->no_cfi ? PT_NULL : PT_GNU_EH_FRAME, PF_R, HDR_OFF, 16);
	/* .eh_frame_hdr without a table */
	n = HDR_OFF;
	put_n(b, &n, 0xffff1b01, 4);
	put_n(b, &n, CFI_OFF - HDR_OFF - 4, 4);
	if (o->packed)
		size = pack(b + CFI_OFF, o);
	else
		memcpy(b + CFI_OFF, o->cfi, o->n);
	n = DYN_OFF;
	put_n(b, &n, o->needs ? DT_NEEDED : DT_SONAME, o->wide ? 8 : 4);
	put_n(b, &n, 1, o->wide ? 8 : 4);
	memcpy(b + STR_OFF, names, sizeof(names));
	n = SH_OFF + (o->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	put_shdr(b, &n, o, o->no_cfi ? 0 : o->debug_frame ? 11 : 1, SHT_PROGBITS, o->packed ? SHF_COMPRESSED : 0,
		 o->debug_frame ? 0 : 0x400000 + CFI_OFF, CFI_OFF, size);
	put_shdr(b, &n, o, 24, SHT_DYNAMIC, 0, 0, DYN_OFF, 64);
	put_shdr(b, &n, o, 33, SHT_STRTAB, 0, 0, STR_OFF, sizeof(names));
}

static int made_source(void *ctx, uint32_t object, struct hd_err *err)
{
	const char *name = hd_strtab_get(made_names, hd_process_object(made_proc, object)->name);
	const struct made *o = made_objects[strchr(name, '[') ? 0 : name[4] - '1'];
	uint8_t *b = hd_zalloc(1, FILE_SIZE);
	int fd = memfd_create("made", MFD_CLOEXEC);

	(void)ctx;
	(void)err;
	made_opened++;
	EXPECT(fd >= 0);
	make_file(b, o);
	EXPECT(write(fd, b, FILE_SIZE) == FILE_SIZE);
	free(b);
	if (!o->absent)
		return fd;
	close(fd);
	return -1;
}

/* ---- the process ---- */

unused_ok static void made_map(uint64_t addr, uint64_t len, uint64_t off, const char *name, uint64_t seq)
{
	hd_process_add_mmap(made_proc, &(struct hd_process_mmap){
		.when = { 0, seq }, .pid = 1, .tid = 1, .addr = addr, .len = len, .pgoff = off, .name = name,
		.name_len = strlen(name), .cpumode = 2, .executable = true,
	});
}

/* Begin a process without mappings, for tests that map objects themselves and call made_built(). */
unused_ok static void made_begin(void)
{
	made_opened = 0;
	made_names = hd_strtab_new();
	made_proc = hd_process_table_new(made_names, &made_log);
}

unused_ok static void made_built(void)
{
	const struct hd_unwind_source source = { .open = made_source };

	hd_process_build(made_proc);
	made_unwind = hd_unwind_new(made_proc, &source);
	made_unwinder = hd_unwinder_new(made_unwind);
}

/*
 * Make a process in which the code and data of all objects are mapped: "/bin1" at CODE, "/bin2" MADE_STEP above it,
 * and so on.
 */
unused_ok static void made_open(void)
{
	made_begin();
	for (size_t i = 0; i < made_n; i++) {
		char name[] = "/bin0";

		name[4] = (char)('1' + i);
		/* The vdso is mapped from its start, whatever its ELF header contains. */
		if (made_objects[i]->vdso)
			made_map(CODE + i * MADE_STEP - TEXT_OFF, TEXT_OFF + TEXT_SIZE, 0, "[vdso]", i + 1);
		else
			made_map(CODE + i * MADE_STEP, TEXT_SIZE + DATA_SIZE, TEXT_OFF,
				made_objects[i]->jit ? "//anon" : name, i + 1);
	}
	made_built();
}

unused_ok static void made_close(void)
{
	hd_unwinder_free(made_unwinder);
	hd_unwind_free(made_unwind);
	hd_process_table_free(made_proc);
	hd_strtab_free(made_names);
	hd_log_release(&made_log);
	for (size_t i = 0; i < made_n; i++)
		free(made_objects[i]);
	made_n = 0;
}

/* ---- a sample ---- */

struct made_sample {
	enum hd_unwind_machine machine;
	uint64_t abi, mask, regs[33];	/* indexed by perf's register number */
	uint64_t seq;			/* time of the sample; 0: after all mappings */
	const void *stack;
	size_t stack_bytes;
};

unused_ok static void made_run(const struct made_sample *s, struct hd_unwind_result *out)
{
	uint64_t regs[33];
	/* a copy of exactly this size, so that a sanitizer detects reads past its end */
	uint8_t *exact = hd_alloc(s->stack_bytes);
	struct hd_process_context at;
	struct hd_unwind_input in = {
		.at = &at, .machine = s->machine, .abi = s->abi, .regs_mask = s->mask, .regs = (const uint8_t *)regs,
		.stack = s->stack_bytes ? exact : NULL, .stack_bytes = s->stack_bytes,
	};
	size_t n = 0;

	for (int i = 0; i < 33; i++)
		if (s->mask >> i & 1)
			regs[n++] = s->regs[i];
	if (s->stack_bytes)
		memcpy(exact, s->stack, s->stack_bytes);
	hd_process_at(made_proc, 1, 1, (struct hd_record_time){ 0, s->seq ? s->seq : UINT64_MAX }, &at);
	memset(out, 0xa5, sizeof(*out));
	hd_unwinder_run(made_unwinder, &in, out);
	free(exact);
}

/* Return a sample of x86-64 with this rip and rbp, and with rsp = STACK. */
unused_ok static struct made_sample made_x86(uint64_t rip, uint64_t rbp, const uint64_t *stack, size_t words)
{
	struct made_sample s = {
		.machine = HD_UNWIND_X86, .abi = 2, .mask = 0xff01ff, .stack = stack, .stack_bytes = 8 * words,
	};

	s.regs[6] = rbp;
	s.regs[7] = STACK;
	s.regs[8] = rip;
	return s;
}

#endif
