/*
 * chain.c - a program that writes a recording of itself, so that it can also run in an emulator, without perf
 *
 *     main -> outer -> middle -> inner -> leaf	       leaf writes to an invalid address
 *
 * Its SIGSEGV handler writes perf.data to stdout as perf record --call-graph dwarf would have: one sample with the
 * registers and a copy of the stack at the fault.  The register numbers are those of asm/perf_regs.h, and the file has
 * the machine's byte order.  Link it statically at a fixed address: the recording has one mapping.
 *
 * Usage: chain PATH ARCH > perf.data	       PATH: the name of the program in the recording; ARCH: as in `uname -m`
 */
#define _GNU_SOURCE
#include <asm/perf_regs.h>
#include <elf.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include <unistd.h>

enum { MAX_STACK = 32768, PID = 4242 };

static const char *path, *arch;
static char *stack_end;
static int *volatile nowhere = (int *)8;
static volatile int spill;

/* ---- the registers, indexed by perf's numbers */

static uint64_t regs[64], mask;

static void set(unsigned perf, uint64_t v)
{
	regs[perf] = v;
	mask |= 1ull << perf;
}

#if defined(__riscv)
enum { SP = PERF_REG_RISCV_SP, PC = PERF_REG_RISCV_PC };
static void read_registers(const ucontext_t *uc)
{
	for (unsigned i = 0; i < 32; i++)		/* pc, x1 .. x31 */
		set(PERF_REG_RISCV_PC + i, uc->uc_mcontext.__gregs[i]);
}
#elif defined(__s390x__)
enum { SP = PERF_REG_S390_R15, PC = PERF_REG_S390_PC };
static void read_registers(const ucontext_t *uc)
{
	for (unsigned i = 0; i < 16; i++) {
		uint64_t f;

		memcpy(&f, &uc->uc_mcontext.fpregs.fprs[i], 8);
		set(PERF_REG_S390_R0 + i, uc->uc_mcontext.gregs[i]);
		set(PERF_REG_S390_FP0 + i, f);
	}
	set(PERF_REG_S390_MASK, uc->uc_mcontext.psw.mask);
	set(PERF_REG_S390_PC, uc->uc_mcontext.psw.addr);
}
#elif defined(__powerpc64__)
enum { SP = PERF_REG_POWERPC_R1, PC = PERF_REG_POWERPC_NIP };
static void read_registers(const ucontext_t *uc)
{
	for (unsigned i = 0; i < 32; i++)
		set(PERF_REG_POWERPC_R0 + i, uc->uc_mcontext.gp_regs[i]);
	set(PERF_REG_POWERPC_NIP, uc->uc_mcontext.gp_regs[32]);		/* PT_NIP, PT_CTR, PT_LNK of asm/ptrace.h */
	set(PERF_REG_POWERPC_CTR, uc->uc_mcontext.gp_regs[35]);
	set(PERF_REG_POWERPC_LINK, uc->uc_mcontext.gp_regs[36]);
}
#elif defined(__aarch64__)
enum { SP = PERF_REG_ARM64_SP, PC = PERF_REG_ARM64_PC };
static void read_registers(const ucontext_t *uc)
{
	for (unsigned i = 0; i < 31; i++)
		set(PERF_REG_ARM64_X0 + i, uc->uc_mcontext.regs[i]);
	set(PERF_REG_ARM64_SP, uc->uc_mcontext.sp);
	set(PERF_REG_ARM64_PC, uc->uc_mcontext.pc);
}
#elif defined(__x86_64__)
enum { SP = PERF_REG_X86_SP, PC = PERF_REG_X86_IP };
static void read_registers(const ucontext_t *uc)
{
	static const struct { int uc, perf; } rows[] = {
		{ REG_RBX, PERF_REG_X86_BX }, { REG_RBP, PERF_REG_X86_BP }, { REG_RSP, PERF_REG_X86_SP },
		{ REG_RIP, PERF_REG_X86_IP }, { REG_R12, PERF_REG_X86_R12 }, { REG_R13, PERF_REG_X86_R13 },
		{ REG_R14, PERF_REG_X86_R14 }, { REG_R15, PERF_REG_X86_R15 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		set(rows[i].perf, uc->uc_mcontext.gregs[rows[i].uc]);
}
#endif

/* ---- the recording */

static char *out;
static size_t len;

static void put(const void *p, size_t n)
{
	memcpy(out + len, p, n);
	len += n;
}

static void put64(uint64_t v)
{
	put(&v, 8);
}

static size_t begin_record(uint32_t type, uint16_t misc)
{
	struct perf_event_header h = { .type = type, .misc = misc };

	put(&h, sizeof(h));
	return len - sizeof(h);
}

static void end_record(size_t at)
{
	uint16_t size = (uint16_t)(len - at);

	memcpy(out + at + offsetof(struct perf_event_header, size), &size, 2);
}

static void put_name(const char *name)
{
	char padded[256] = { 0 };
	size_t n = strlen(name) + 1;

	memcpy(padded, name, n);
	put(padded, (n + 7) & ~(size_t)7);
}

static void put_mapping(const Elf64_Phdr *text)
{
	uint64_t skip = text->p_vaddr & 4095;
	size_t at = begin_record(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	const uint32_t ids[2] = { PID, PID }, prot_flags[2] = { 5, 2 };

	put(ids, 8);
	put64(text->p_vaddr - skip);
	put64((text->p_memsz + skip + 4095) & ~4095ull);
	put64(text->p_offset - skip);
	put64(0);			/* major, minor */
	put64(0);			/* inode */
	put64(0);			/* its generation */
	put(prot_flags, 8);
	put_name(path);
	end_record(at);
}

static void put_sample(void)
{
	size_t at = begin_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER), n = (size_t)(stack_end - (char *)regs[SP]);
	const uint32_t ids[2] = { PID, PID };

	n = (n < MAX_STACK ? n : MAX_STACK) & ~(size_t)7;
	put64(regs[PC]);
	put(ids, 8);
	put64(1000);			/* time */
	put64(1);			/* period */
	put64(PERF_SAMPLE_REGS_ABI_64);
	for (unsigned i = 0; i < 64; i++)
		if (mask >> i & 1)
			put64(regs[i]);
	put64(MAX_STACK);
	put((char *)regs[SP], n);
	memset(out + len, 0, MAX_STACK - n);
	len += MAX_STACK - n;
	put64(n);
	end_record(at);
}

static void put_string(const char *text)
{
	uint32_t n = 64;
	char padded[64] = { 0 };

	strncpy(padded, text, sizeof(padded) - 1);
	put(&n, 4);
	put(padded, n);
}

static void write_recording(void)
{
	const Elf64_Phdr *ph = (const Elf64_Phdr *)getauxval(AT_PHDR);
	struct { char magic[8]; uint64_t size, attr_size, attrs[2], data[2], types[2], features[4]; } head = { 0 };
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .size = sizeof(attr), .sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
			PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = mask, .sample_stack_user = MAX_STACK, .mmap = 1, .mmap2 = 1, .exclude_kernel = 1,
	};
	const uint64_t magic = 0x32454c4946524550ull;		/* "PERFILE2" in the machine's byte order */
	size_t data, table;

	out = malloc(1 << 20);
	memcpy(head.magic, &magic, 8);
	head.size = sizeof(head);
	head.attr_size = sizeof(attr) + 16;
	head.attrs[0] = sizeof(head);
	head.attrs[1] = head.attr_size;
	head.features[0] = 1 << 3 | 1 << 6;			/* host name, machine */
	len = sizeof(head);
	put(&attr, sizeof(attr));
	put64(0);
	put64(0);
	data = len;
	for (unsigned long i = 0; i < getauxval(AT_PHNUM); i++)
		if (ph[i].p_type == PT_LOAD && ph[i].p_flags & PF_X)
			put_mapping(&ph[i]);
	put_sample();
	head.data[0] = data;
	head.data[1] = len - data;
	table = len;
	len += 32;
	for (unsigned i = 0; i < 2; i++) {
		uint64_t at = len, row[2];

		put_string(i ? arch : "elsewhere");
		row[0] = at;
		row[1] = len - at;
		memcpy(out + table + 16 * i, row, 16);
	}
	memcpy(out, &head, sizeof(head));
	fwrite(out, 1, len, stdout);
	fflush(stdout);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info;
	read_registers(context);
	write_recording();
	_exit(0);
}

/* ---- the stack; each function has work after its call, so that no call is a jump */

__attribute__((noinline)) void leaf(int v)
{
	*nowhere = v;
}

__attribute__((noinline)) int inner(int v)
{
	char room[200];

	memset(room, v, sizeof(room));
	spill = room[v & 63];
	leaf(v + spill);
	return room[spill & 63] + v;
}

__attribute__((noinline)) int middle(int v)
{
	return inner(v + 1) * 3 + v;
}

__attribute__((noinline)) int outer(int v)
{
	volatile char room[1000];

	room[v] = (char)v;
	return middle(room[v]) + v;
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };

	path = argv[1];
	arch = argv[2];
	stack_end = (char *)(argv + argc);
	sigaction(SIGSEGV, &sa, NULL);
	return outer(argc) + spill;
}
