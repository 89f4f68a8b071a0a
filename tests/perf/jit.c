/*
 * jit.c - a JIT compiler of a few lines, which writes a jitdump
 *
 *     jit FOLDER SECONDS
 *
 * The program makes functions of machine code, runs each for a part of SECONDS, and
 * writes their names, lines and unwind information to FOLDER/jit-PID.dump.  Each of
 * them is called by another C function.  The test expects these callees of the C functions:
 *
 *     run_plain       plain                    keeps its frame pointer
 *     run_outer       outer;plain              outer uses the frame pointer's register for something else
 *     run_first       first                    then another function is put at the same address:
 *     run_second      second
 *     run_moved       moved                    loaded at one address, run at another
 *     run_last        last;leave               the call is the last instruction of last, and nothing returns there;
 *                                              the function `behind` follows it directly
 *     run_untold      (nothing)                the dump does not contain this function
 *
 * On machines other than x86-64 it exits with 77.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifndef __x86_64__
int main(void)
{
	return 77;
}
#else

typedef void code(uint64_t turns);

static FILE *dump;
static uint8_t *memory;		/* memory for the generated code */
/* seconds of CPU time for each function, so that each is sampled even on a busy machine */
static double part;

static uint64_t read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/*
 * Return the offset in ns that a time namespace adds to CLOCK_MONOTONIC.  perf -k mono records the
 * clock without it.
 */
static int64_t namespace_offset(void)
{
	FILE *f = fopen("/proc/self/timens_offsets", "r");
	long long s = 0, ns = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f) && sscanf(line, "monotonic %lld %lld", &s, &ns) != 2)
		;
	if (f)
		fclose(f);
	return s * 1000000000 + ns;
}

static uint64_t now(void) { return read_clock(CLOCK_MONOTONIC) - (uint64_t)namespace_offset(); }

static void put(const void *p, size_t n) { fwrite(p, 1, n, dump); }
static void put32(uint32_t v) { put(&v, 4); }
static void put64(uint64_t v) { put(&v, 8); }

static void prefix(uint32_t kind, size_t body)
{
	put32(kind);
	put32((uint32_t)(16 + body));
	put64(now());
}

static void begin_dump(const char *folder)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/jit-%d.dump", folder, (int)getpid());
	dump = fopen(path, "w+");
	if (!dump)
		exit(1);
	put32(0x4a695444);
	put32(1);
	put32(40);
	put32(EM_X86_64);
	put32(0);
	put32((uint32_t)getpid());
	put64(now());
	put64(0);
	fflush(dump);
	/* This mapping makes perf record the file name. */
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED)
		exit(1);
}

/* Write two line entries: for the first 4 bytes, and for the rest. */
static void tell_lines(uint64_t addr, int line)
{
	static const char file[] = "made.jit";

	prefix(2, 16 + 2 * 16 + sizeof(file) + 2);
	put64(addr);
	put64(2);
	put64(addr);
	put32((uint32_t)line);
	put32(0);
	put(file, sizeof(file));
	put64(addr + 4);
	put32((uint32_t)line + 1);
	put32(0);
	put("\xff", 2);		/* the same file */
}

/*
 * The call frame instructions of an FDE.  The CIE has the rules for the first instruction of the function: the
 * CFA is rsp + 8, and the return address is at CFA - 8.
 */
struct cfi { const char *bytes; size_t n; };

/* Write .eh_frame as if it followed the code, and .eh_frame_hdr after it. */
static void tell_unwinding(size_t code, struct cfi cfi)
{
	uint8_t b[256] = { 0 };
	size_t n = 0, fde, at = (code + 7) & ~(size_t)7, hdr;

#define W32(v)	do { int32_t w = (int32_t)(v); memcpy(b + n, &w, 4); n += 4; } while (0)
	W32(20);			/* CIE */
	W32(0);
	memcpy(b + n, "\1zR\0\1\x78\x10\1\x1b\x0c\7\10\x90\1\0", 16);
	n += 16;
	fde = n;
	W32((4 + 4 + 4 + 1 + cfi.n + 7) & ~(size_t)7);
	W32(n);				/* back to the CIE */
	W32(0 - (long)(at + n));	/* from here to the code */
	W32(code);
	b[n++] = 0;
	memcpy(b + n, cfi.bytes, cfi.n);
	n = fde + 4 + ((4 + 4 + 4 + 1 + cfi.n + 7) & ~(size_t)7);
	W32(0);
	hdr = n;
	memcpy(b + n, "\1\x1b\3\x3b", 4);
	n += 4;
	W32(0 - (long)n);
	W32(1);
	W32(0 - (long)(at + hdr));
	W32((long)fde - (long)hdr);
#undef W32
	prefix(4, 24 + n);
	put64(n);
	put64(n - hdr);
	put64(n);		/* perf treats these bytes as mapped after the code, and needs their size */
	put(b, n);
}

static void tell_load(const char *name, uint64_t addr, const uint8_t *bytes, size_t n, uint64_t index)
{
	prefix(0, 40 + strlen(name) + 1 + n);
	put32((uint32_t)getpid());
	put32((uint32_t)getpid());
	put64(addr);
	put64(addr);
	put64(n);
	put64(index);
	put(name, strlen(name) + 1);
	put(bytes, n);
	fflush(dump);
}

static void tell_move(uint64_t from, uint64_t to, size_t n, uint64_t index)
{
	prefix(1, 48);
	put32((uint32_t)getpid());
	put32((uint32_t)getpid());
	put64(to);
	put64(from);
	put64(to);
	put64(n);
	put64(index);
	fflush(dump);
}

static uint64_t indices;

static code *make(const char *name, size_t at, const void *bytes, size_t n, struct cfi cfi)
{
	uint64_t addr = (uint64_t)(uintptr_t)(memory + at);

	memcpy(memory + at, bytes, n);
	if (!name)
		return (code *)(uintptr_t)addr;
	tell_lines(addr, 10 * (int)++indices);
	tell_unwinding(n, cfi);
	tell_load(name, addr, memory + at, n, indices);
	return (code *)(uintptr_t)addr;
}

/* push rbp; mov rbp, rsp; again: dec rdi; jne again; pop rbp; ret */
static const char spin[] = "\x55\x48\x89\xe5\x48\xff\xcf\x75\xfb\x5d\xc3";
static const struct cfi spin_cfi = { "\x41\x0e\x10\x86\2\x43\x0d\6\x46\x0c\7\10", 12 };
/*
 * again: dec rdi; jne again; ret; and int3 up to the size of `spin`.  The program puts `spin` and then `bare` at one
 * address.  `bare` must overwrite all of `spin`: on some processors, every sample of `spin` is at its jne.
 */
static const char bare[] = "\x48\xff\xcf\x75\xfb\xc3\xcc\xcc\xcc\xcc\xcc";
_Static_assert(sizeof(bare) == sizeof(spin), "one covers the other");
static const struct cfi bare_cfi = { "", 0 };

/* push rbp; mov rbp, 1; mov rax, ...; call rax; pop rbp; ret */
static code *make_outer(size_t at, code *callee)
{
	uint8_t b[] = "\x55\x48\xc7\xc5\1\0\0\0\x48\xb8........\xff\xd0\x5d\xc3";
	static const struct cfi cfi = { "\x41\x0e\x10\x86\2\x54\x0e\x08", 8 };

	memcpy(b + 10, &callee, 8);
	return make("outer", at, b, sizeof(b) - 1, cfi);
}

/* push rbp; mov rbp, rsp; mov rax, ...; call rax */
static code *make_last(size_t at, code *callee)
{
	uint8_t b[] = "\x55\x48\x89\xe5\x48\xb8........\xff\xd0";
	static const struct cfi cfi = { "\x41\x0e\x10\x86\2\x43\x0d\6", 8 };

	memcpy(b + 6, &callee, 8);
	return make("last", at, b, sizeof(b) - 1, cfi);
}

/* push rbp; mov rbp, rsp; again: dec rdi; jne again; pop rbp; add rsp, 8; pop rbp; ret: back to the caller's caller */
static const char leave[] = "\x55\x48\x89\xe5\x48\xff\xcf\x75\xfb\x5d\x48\x83\xc4\x08\x5d\xc3";

/* It has a frame of its own: a chain of frame pointers lacks the caller of code that keeps no frame pointer. */
__attribute__((noinline)) static void for_a_part(code *f)
{
	uint64_t end = read_clock(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)(part * 1e9);

	while (read_clock(CLOCK_THREAD_CPUTIME_ID) < end)
		f(2000000);
}

/* The functions differ in the text of the asm statement, because the compiler would merge equal functions. */
#define RUN(name) \
	__attribute__((noinline)) static void name(code *f) { for_a_part(f); __asm__ volatile("# " #name); }
RUN(run_plain)
RUN(run_outer)
RUN(run_first)
RUN(run_second)
RUN(run_moved)
RUN(run_last)
RUN(run_untold)

int main(int argc, char **argv)
{
	code *plain, *f, *to;

	if (argc != 3)
		return 2;
	part = atof(argv[2]) / 7;
	begin_dump(argv[1]);
	memory = mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	plain = make("plain", 0, spin, sizeof(spin) - 1, spin_cfi);
	run_plain(plain);
	run_outer(make_outer(0x100, plain));
	run_first(make("first", 0x200, spin, sizeof(spin) - 1, spin_cfi));
	run_second(make("second", 0x200, bare, sizeof(bare) - 1, bare_cfi));
	f = make("moved", 0x300, spin, sizeof(spin) - 1, spin_cfi);
	to = (code *)(uintptr_t)(memory + 0x3400);
	memcpy(memory + 0x3400, spin, sizeof(spin) - 1);
	memset(memory + 0x300, 0xcc, sizeof(spin) - 1);
	tell_move((uint64_t)(uintptr_t)f, (uint64_t)(uintptr_t)to, sizeof(spin) - 1, indices);
	run_moved(to);
	f = make("leave", 0x400, leave, sizeof(leave) - 1, spin_cfi);
	f = make_last(0x500, f);
	make("behind", 0x510, spin, sizeof(spin) - 1, spin_cfi);
	run_last(f);
	run_untold(make(NULL, 0x600, spin, sizeof(spin) - 1, spin_cfi));
	prefix(3, 0);
	fclose(dump);
	return 0;
}
#endif
