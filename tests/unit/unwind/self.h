/*
 * self.h - record the test's own stacks as perf would record them
 *
 *     own_open()                        make the process table, symbols and unwinder of this process
 *     own_record(&shot)                 record registers, stack, and the frames that _Unwind_Backtrace() finds
 *     own_run(&shot, &out)              unwind the shot
 *     own_close()                       free what own_open() made
 *
 * _Unwind_Backtrace() of the compiler's library reads the same call frame information, but shares no code with ours.
 */
#ifndef HD_TESTS_UNIT_UNWIND_SELF_H
#define HD_TESTS_UNIT_UNWIND_SELF_H

#include "test.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "symbols/symbols.h"
#include "unwind/unwind.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#define NOINLINE __attribute__((noinline))
/* A statement that follows a call, so that the compiler does not make it a tail call. */
#define NOT_A_TAIL_CALL __asm__ volatile("" ::: "memory")

#if defined(__x86_64__)
#define OWN_MACHINE HD_UNWIND_X86
enum { OWN_FP = 6, OWN_SP = 7, OWN_PC = 8, OWN_REGS = 24 };
#define OWN_MASK 0xff01ffull
#elif defined(__aarch64__)
#define OWN_MACHINE HD_UNWIND_ARM
enum { OWN_FP = 29, OWN_SP = 31, OWN_PC = 32, OWN_REGS = 33 };
#define OWN_MASK 0x1ffffffffull
#else
#define OWN_MACHINE HD_UNWIND_NONE
enum { OWN_FP = 0, OWN_SP = 0, OWN_PC = 0, OWN_REGS = 33 };
#define OWN_MASK 0ull
#endif

#define NEEDS_A_MACHINE do { if (OWN_MACHINE == HD_UNWIND_NONE) SKIP("this machine is not unwound"); } while (0)

enum { OWN_STACK = 256 * 1024, OWN_TRACE = 600 };

struct shot {
	uint64_t regs[OWN_REGS];	/* indexed by perf's register number */
	uint8_t *stack;			/* OWN_STACK bytes of room */
	size_t stack_bytes;
	void *trace[OWN_TRACE];		/* addresses in own_record(), in its caller, and so on outwards */
	int ntrace;
};

static struct hd_strtab *own_names;
static struct hd_log own_log;
static struct hd_process_table *own_proc;
static struct hd_symbols *own_symbols;
static struct hd_unwind *own_unwind;
static struct hd_unwinder *own_unwinder;

static inline void own_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long long start, end, off;
	char perm[5], *line = NULL;
	size_t room = 0;
	ssize_t n;

	EXPECT(f != NULL);
	while ((n = getline(&line, &room, f)) > 0) {
		int at = 0;
		const char *name;

		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		if (sscanf(line, "%llx-%llx %4s %llx %*s %*s %n", &start, &end, perm, &off, &at) < 4 || perm[2] != 'x')
			continue;
		name = at && line[at] ? line + at : "//anon";
		hd_process_add_mmap(own_proc, &(struct hd_process_mmap){
			.pid = getpid(), .tid = getpid(), .addr = start, .len = end - start, .pgoff = off, .name = name,
			.name_len = strlen(name), .cpumode = 2, .executable = true,
		});
	}
	free(line);
	fclose(f);
}

static inline int own_source(void *ctx, uint32_t object, struct hd_err *err)
{
	const struct hd_process_object *o = hd_process_object(own_proc, object);
	struct hd_symbols_key key = { .kind = o->kind,
		.path = hd_strtab_get(own_names, o->name) };

	return hd_symbols_open_code(own_symbols, &key, err);
}

/* Make what own_run() needs.  All objects that will be unwound must be mapped before this call. */
static inline void own_open(void)
{
	struct hd_symbols_opts opts = { .same_machine = true };
	struct hd_unwind_source source = { .open = own_source };
	own_names = hd_strtab_new();
	own_proc = hd_process_table_new(own_names, &own_log);
	own_maps();
	hd_process_build(own_proc);
	own_symbols = hd_symbols_new(&opts, &own_log);
	own_unwind = hd_unwind_new(own_proc, &source);
	own_unwinder = hd_unwinder_new(own_unwind);
}

static inline void own_close(void)
{
	hd_unwinder_free(own_unwinder);
	hd_unwind_free(own_unwind);
	hd_symbols_free(own_symbols);
	hd_process_table_free(own_proc);
	hd_strtab_free(own_names);
	hd_log_release(&own_log);
	own_unwinder = NULL;
	own_unwind = NULL;
}

static inline struct hd_process_context own_at(void)
{
	struct hd_process_context at;

	hd_process_at(own_proc, getpid(), getpid(), (struct hd_record_time){ 0, UINT64_MAX }, &at);
	return at;
}

/* ---- taking a shot ---- */

static inline uint64_t own_stack_end(void)
{
	pthread_attr_t attr;
	size_t size;
	void *low;

	EXPECT_INT(pthread_getattr_np(pthread_self(), &attr), 0);
	EXPECT_INT(pthread_attr_getstack(&attr, &low, &size), 0);
	pthread_attr_destroy(&attr);
	return (uint64_t)(uintptr_t)low + size;
}

static inline void own_regs(struct shot *s, const ucontext_t *uc)
{
#if defined(__x86_64__)
	static const int from[OWN_REGS] = {
		REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP, -1, -1, -1, -1, -1, -1,
		-1,
		REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};

	for (int i = 0; i < OWN_REGS; i++)
		s->regs[i] = from[i] < 0 ? 0 : (uint64_t)uc->uc_mcontext.gregs[from[i]];
#elif defined(__aarch64__)
	for (int i = 0; i < 31; i++)
		s->regs[i] = uc->uc_mcontext.regs[i];
	s->regs[31] = uc->uc_mcontext.sp;
	s->regs[32] = uc->uc_mcontext.pc;
#else
	(void)uc;
#endif
}

/* The end of the current stack if this is not the stack of the thread; otherwise 0. */
static uint64_t own_end_override;

/*
 * Copy the stack to the shot.  It is compiled without sanitizers, because it reads the whole frames of its callers
 * with their guard zones.
 */
__attribute__((no_sanitize("address"), no_sanitize("undefined"), unused)) static NOINLINE void own_copy(struct shot *s)
{
	uint64_t sp = s->regs[OWN_SP], end = own_end_override ? own_end_override : own_stack_end();
	const volatile uint8_t *from = (const volatile uint8_t *)(uintptr_t)sp;

	s->stack_bytes = end > sp ? end - sp : 0;
	if (s->stack_bytes > OWN_STACK)
		s->stack_bytes = OWN_STACK;
	for (size_t i = 0; i < s->stack_bytes; i++)
		s->stack[i] = from[i];
}

static inline _Unwind_Reason_Code own_trace(struct _Unwind_Context *c, void *p)
{
	struct shot *s = p;

	if (s->ntrace == OWN_TRACE)
		return _URC_END_OF_STACK;
	if (_Unwind_GetIP(c))		/* _Unwind_Backtrace() reports one more frame, the caller of the root */
		s->trace[s->ntrace++] = (void *)_Unwind_GetIP(c);
	return _URC_NO_REASON;
}

__attribute__((unused)) static NOINLINE void own_record(struct shot *s)
{
	ucontext_t uc;

	if (!s->stack)
		s->stack = hd_alloc(OWN_STACK);
	s->ntrace = 0;
	_Unwind_Backtrace(own_trace, s);
	getcontext(&uc);
	own_regs(s, &uc);
	own_copy(s);
	NOT_A_TAIL_CALL;
}

static inline void shot_release(struct shot *s)
{
	free(s->stack);
	s->stack = NULL;
}

static inline uint64_t own_packed(const struct shot *s, uint64_t packed[OWN_REGS])
{
	size_t n = 0;

	for (int i = 0; i < OWN_REGS; i++)
		if (OWN_MASK >> i & 1)
			packed[n++] = s->regs[i];
	return OWN_MASK;
}

static inline void own_run_with(struct hd_unwinder *wk, const struct shot *s, struct hd_unwind_result *out)
{
	struct hd_process_context at = own_at();
	uint64_t regs[OWN_REGS];
	struct hd_unwind_input in = {
		.at = &at, .machine = OWN_MACHINE, .abi = 2, .regs_mask = own_packed(s, regs),
		.regs = (const uint8_t *)regs, .stack = s->stack, .stack_bytes = s->stack_bytes,
	};

	/* The previous contents must not matter. */
	memset(out, 0xa5, sizeof(*out));
	hd_unwinder_run(wk, &in, out);
}

static inline void own_run(const struct shot *s, struct hd_unwind_result *out)
{
	own_run_with(own_unwinder, s, out);
}

/* Frame 0 and trace[0] are different places in own_record(); all other frames must be equal. */
static inline void expect_trace(const struct shot *s, const struct hd_unwind_result *out)
{
	EXPECT(s->ntrace > 1 && (uint32_t)s->ntrace <= out->n);
	for (int i = 1; i < s->ntrace; i++)
		if (out->ip[i] != (uint64_t)(uintptr_t)s->trace[i])
			fail_msg("frame %d of %d: %#" PRIx64 ", not %p", i, s->ntrace, out->ip[i], s->trace[i]);
}

static inline void expect_whole(const struct shot *s, const struct hd_unwind_result *out)
{
	expect_trace(s, out);
	EXPECT_INT(out->end, HD_UNWIND_END_ROOT);
	EXPECT_INT(out->n, s->ntrace);
	EXPECT(!out->guessed);
	EXPECT_INT(out->object, 0);
}

#endif
