/*
 * fuzz_unwind.c - unwind any registers and stack with any call frame information
 *
 *     OFFSET  SIZE  MEANING
 *     0       1     architecture in the low two bits: x86-64, i386, AArch64, ARM; the other bits are flags
 *     1       2     offset of the pc in the code
 *     3       33    registers, one byte each: the register points to this word of the stack
 *     36      2     size of the call frame information
 *     38      ..    the call frame information, then the stack
 *
 * The binary is a generated file with that .eh_frame or .debug_frame.  Its code is at CODE in the process, its stack
 * at STACK.  The stack pointer is STACK, and the link register (on x86, register 5) points into the code.
 *
 * Invariants: the number of frames is limited; a second run, and a run of a new unwinder, give the same result; an
 * address that was not stored exactly by an interrupt is in executable memory; frames after a guessed frame are
 * guessed.
 */
#include "base/strtab.h"
#include "unwind/unwind.h"
#include "fuzz/input.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CODE	0x10000000ull
#define STACK	0x20000000ull

enum {
	HEAD = 38,
	REGS = 33,
	CODE_SIZE = 0x1000,
	CFI_OFF = 0x2000,
	CFI_MAX = 0x8000,
	FILE_SIZE = CFI_OFF + CFI_MAX + 0x400
};
enum { MACHINE = 3, DEBUG_FRAME = 4, SWAP = 8, LIBRARY = 16, ODD_SIZE = 32, HAS_ENTRY = 64, NO_SECTIONS = 128 };

struct file {
	uint8_t bytes[FILE_SIZE];
	size_t size;
};

static void put(uint8_t *b, size_t *n, uint64_t v, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		b[(*n)++] = (uint8_t)(v >> 8 * i);
}

static void put_section(struct file *f, size_t *n, size_t w, uint32_t name, uint32_t type, uint64_t addr, uint64_t off,
			uint64_t size)
{
	put(f->bytes, n, name, 4);
	put(f->bytes, n, type, 4);
	put(f->bytes, n, 0, w);
	put(f->bytes, n, addr, w);
	put(f->bytes, n, off, w);
	put(f->bytes, n, size, w);
	put(f->bytes, n, 0, 8);
	put(f->bytes, n, 1, w);
	put(f->bytes, n, 0, w);
}

/* Make an ELF file whose offsets are its addresses; its code is at 0x1000. */
static void make_file(struct file *f, uint8_t flags, const uint8_t *cfi, size_t cfi_size)
{
	static const uint16_t machines[] = { EM_X86_64, EM_386, EM_AARCH64, EM_ARM };
	static const char names[] = "\0.eh_frame\0.debug_frame\0.shstrtab";
	bool wide = !(flags & 1);
	size_t w = wide ? 8 : 4, n = EI_NIDENT, sh = CFI_OFF + CFI_MAX + 0x100;
	size_t ehsize = wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr),
	       shsize = wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);

	memset(f->bytes, 0, sizeof(f->bytes));
	memcpy(f->bytes, "\177ELF", 4);
	f->bytes[EI_CLASS] = wide ? ELFCLASS64 : ELFCLASS32;
	f->bytes[EI_DATA] = ELFDATA2LSB;
	f->bytes[EI_VERSION] = EV_CURRENT;
	put(f->bytes, &n, flags & LIBRARY ? ET_DYN : ET_EXEC, 2);
	put(f->bytes, &n, machines[flags & MACHINE], 2);
	put(f->bytes, &n, EV_CURRENT, 4);
	put(f->bytes, &n, flags & HAS_ENTRY ? 0x1800 : 0, w);
	put(f->bytes, &n, ehsize, w);
	put(f->bytes, &n, flags & NO_SECTIONS ? 0 : sh, w);
	put(f->bytes, &n, 0, 4);
	put(f->bytes, &n, ehsize, 2);
	put(f->bytes, &n, wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), 2);
	put(f->bytes, &n, 2, 2);
	put(f->bytes, &n, flags & NO_SECTIONS ? 0 : shsize, 2);
	put(f->bytes, &n, flags & NO_SECTIONS ? 0 : 3, 2);
	put(f->bytes, &n, flags & NO_SECTIONS ? 0 : 2, 2);
	for (int i = 0; i < 2; i++) {
		uint64_t off = i ? CFI_OFF : 0x1000, len = i ? cfi_size : CODE_SIZE, pflags = PF_R | PF_X;

		put(f->bytes, &n, i ? PT_GNU_EH_FRAME : PT_LOAD, 4);
		if (wide)
			put(f->bytes, &n, pflags, 4);
		put(f->bytes, &n, off, w);
		put(f->bytes, &n, off, w);
		put(f->bytes, &n, off, w);
		put(f->bytes, &n, len, w);
		put(f->bytes, &n, len, w);
		if (!wide)
			put(f->bytes, &n, pflags, 4);
		put(f->bytes, &n, 1, w);
	}
	memcpy(f->bytes + CFI_OFF, cfi, cfi_size);
	memcpy(f->bytes + CFI_OFF + CFI_MAX, names, sizeof(names));
	n = sh + shsize;
	put_section(f, &n, w, flags & DEBUG_FRAME ? 11 : 1, SHT_PROGBITS, flags & DEBUG_FRAME ? 0 : CFI_OFF, CFI_OFF,
		cfi_size);
	put_section(f, &n, w, 24, SHT_STRTAB, 0, CFI_OFF + CFI_MAX, sizeof(names));
	f->size = n;
}

static int open_file(void *ctx, uint32_t object, struct hd_err *err)
{
	const struct file *f = ctx;
	(void)object;
	(void)err;
	return fuzz_memory_file(f->bytes, f->size);
}

static bool executable(uint64_t ip)
{
	return ip >= CODE && ip < CODE + CODE_SIZE;
}

static void check(const struct hd_unwind_result *out)
{
	if (!out->n || out->n > HD_UNWIND_MAX || out->end > HD_UNWIND_END_LIMIT || out->object > 1)
		abort();
	if (!(out->flags[0] & HD_UNWIND_EXACT))
		abort();
	for (uint32_t i = 1; i < out->n; i++) {
		if (!(out->flags[i] & HD_UNWIND_EXACT) && !executable(out->ip[i] - 1))
			abort();
		if ((out->flags[i - 1] & HD_UNWIND_GUESSED) && !(out->flags[i] & HD_UNWIND_GUESSED))
			abort();
	}
}

static void expect_same(const struct hd_unwind_result *a, const struct hd_unwind_result *b)
{
	if (a->n != b->n || a->end != b->end || a->object != b->object || a->guessed != b->guessed ||
	    memcmp(a->ip, b->ip, a->n * sizeof(*a->ip)) || memcmp(a->cfa, b->cfa, a->n * sizeof(*a->cfa)) ||
	    memcmp(a->flags, b->flags, a->n))
		abort();
}

static void run(const struct hd_process_table *proc, struct file *f, const struct hd_unwind_input *in)
{
	static struct hd_unwind_result first, again;
	const struct hd_unwind_source source = { .open = open_file, .ctx = f };
	struct hd_unwind *uw = hd_unwind_new(proc, &source);
	struct hd_unwinder *a = hd_unwinder_new(uw), *b = hd_unwinder_new(uw);

	hd_unwinder_run(a, in, &first);
	check(&first);
	hd_unwinder_run(a, in, &again);
	expect_same(&first, &again);
	hd_unwinder_run(b, in, &again);
	expect_same(&first, &again);
	hd_unwinder_free(a);
	hd_unwinder_free(b);
	hd_unwind_free(uw);
}

static struct hd_process_table *make_process(struct hd_strtab *names, struct hd_log *log)
{
	struct hd_process_table *proc = hd_process_table_new(names, log);

	hd_process_add_mmap(proc, &(struct hd_process_mmap){
		.pid = 1, .tid = 1, .addr = CODE, .len = CODE_SIZE, .pgoff = 0x1000, .name = "/f", .name_len = 2,
		.cpumode = 2,
		.executable = true,
	});
	hd_process_build(proc);
	return proc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct file f;
	struct hd_strtab *names;
	struct hd_log log = { 0 };
	struct hd_process_table *proc;
	struct hd_process_context at;
	struct hd_unwind_input in;
	uint64_t regs[REGS];
	size_t cfi_size;
	uint8_t flags;

	if (size < HEAD)
		return 0;
	flags = data[0];
	cfi_size = (size_t)data[36] | (size_t)data[37] << 8;
	if (cfi_size > size - HEAD)
		cfi_size = size - HEAD;
	if (cfi_size > CFI_MAX)
		cfi_size = CFI_MAX;
	make_file(&f, flags, data + HEAD, cfi_size);
	for (int i = 0; i < REGS; i++)
		regs[i] = STACK + 8 * (uint64_t)data[3 + i];
	regs[(const int[]){ 7, 7, 31, 13 }[flags & MACHINE]] = STACK;
	regs[(const int[]){ 8, 8, 32, 15 }[flags & MACHINE]] = CODE + ((unsigned)data[1] | (unsigned)data[2] << 8);
	regs[(const int[]){ 5, 5, 30, 14 }[flags & MACHINE]] += CODE - STACK;
	for (int i = 0; i < REGS && flags & SWAP; i++)
		regs[i] = __builtin_bswap64(regs[i]);
	names = hd_strtab_new();
	proc = make_process(names, &log);
	hd_process_at(proc, 1, 1, (struct hd_record_time){ 0, UINT64_MAX }, &at);
	in = (struct hd_unwind_input){
		.at = &at, .machine = flags & 2 ? HD_UNWIND_ARM : HD_UNWIND_X86, .abi = flags & 1 ? 1 : 2,
		.regs_mask = (1ull << REGS) - 1, .regs = (const uint8_t *)regs, .stack = data + HEAD + cfi_size,
		.stack_bytes = size - HEAD - cfi_size, .swap = flags & SWAP,
	};
	if (flags & ODD_SIZE && in.stack_bytes)
		in.stack_bytes--;
	run(proc, &f, &in);
	hd_process_table_free(proc);
	hd_strtab_free(names);
	hd_log_release(&log);
	return 0;
}
