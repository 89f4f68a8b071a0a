/*
 * libdw_frames.c - see libdw_frames.h
 */
#include "unwind/libdw_frames.h"

#include "base/library.h"
#include "base/mem.h"
#include "unwind/arch.h"

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBDW_FUNCTIONS(X)									\
	X(begin) X(end) X(report_begin) X(report_end) X(report_elf) X(addrmodule) X(attach_state)	\
	X(getthread_frames) X(frame_pc) X(thread_state_registers) X(thread_state_register_pc)

struct libdw {
#define X(name) __typeof__(dwfl_##name) *name;
	LIBDW_FUNCTIONS(X)
#undef X
	int (*frame_reg)(Dwfl_Frame *frame, unsigned reg, Dwarf_Word *value);	/* since 0.188; NULL: absent */
};

enum { SPACES = 8, TID = 1 };

/* Register numbers of an architecture: see libdw_frames.h. */
struct foreign_machine {
	/* perf's numbers of these registers; link is HD_NO_REG if it is one of the registers in from_dwarf */
	uint8_t pc, sp, link;
	uint8_t dwarf_sp, dwarf_link;
	uint8_t nregs;			/* DWARF registers 0 .. nregs - 1 are in from_dwarf */
	uint8_t from_dwarf[32];		/* DWARF's number -> perf's, or HD_NO_REG */
};

static const struct foreign_machine riscv64 = {
	.pc = 0, .sp = 2, .link = HD_NO_REG, .dwarf_sp = 2, .nregs = 32,
	.from_dwarf = { HD_NO_REG, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
		24, 25, 26, 27, 28, 29, 30, 31 },
};
static const struct foreign_machine s390x = {
	.pc = 33, .sp = 15, .link = HD_NO_REG, .dwarf_sp = 15, .nregs = 32,
	.from_dwarf = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
		16, 18, 20, 22, 17, 19, 21, 23, 24, 26, 28, 30, 25, 27, 29, 31 },
};
static const struct foreign_machine ppc64 = {
	.pc = 32, .sp = 1, .link = 36, .dwarf_sp = 1, .dwarf_link = 65, .nregs = 32,
	.from_dwarf = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
		26, 27, 28, 29, 30, 31 },
};

/* The modules of one address space. */
struct space {
	uint32_t id;
	Dwfl *dwfl;
	bool attached;
};

struct hd_libdw_frames {
	struct libdw dw;
	bool loaded, tried;
	struct hd_object_cfis *objects;
	struct space spaces[SPACES];
	unsigned oldest;
	/* the current stack */
	struct space *space;
	const struct foreign_machine *m;
	const struct hd_unwind_input *in;
	struct hd_unwind_result *out;
	uint64_t pc, sp;
	bool beyond;			/* memory above the copy was needed */
};

static const struct foreign_machine *machine_of(enum hd_unwind_machine machine, uint64_t abi)
{
	if (abi != 2)			/* 32-bit processes: their frame layout is not supported */
		return NULL;
	switch (machine) {
	case HD_UNWIND_RISCV: return &riscv64;
	case HD_UNWIND_S390: return &s390x;
	case HD_UNWIND_PPC: return &ppc64;
	case HD_UNWIND_NONE:
	case HD_UNWIND_X86:
	case HD_UNWIND_ARM: break;
	}
	return NULL;
}

bool hd_libdw_frames_knows(enum hd_unwind_machine machine, uint64_t abi)
{
	return machine_of(machine, abi) != NULL;
}

static bool load(struct hd_libdw_frames *f)
{
	const char *lacks;
	void *library;

	if (f->tried)
		return f->loaded;
	f->tried = true;
#define X(name) "dwfl_" #name "\0"
	library = hd_library_load("libdw.so.1", RTLD_NOW | RTLD_LOCAL, LIBDW_FUNCTIONS(X), &f->dw, &lacks);
#undef X
	f->loaded = library != NULL;
	f->dw.frame_reg = library
		? (int (*)(Dwfl_Frame *, unsigned, Dwarf_Word *))dlsym(library, "dwfl_frame_reg") : NULL;
	return f->loaded;
}

/* ---- modules ---- */

/* Callback for libdw that finds no debug file.  So libdw uses only the file that report() passed to it. */
static int find_no_debuginfo(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base, const char *file,
	const char *link, GElf_Word crc, char **found)
{
	(void)mod, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc;
	*found = NULL;
	return -1;
}

static const Dwfl_Callbacks callbacks = { .find_debuginfo = find_no_debuginfo };

/* Report to libdw the file that is mapped at an address.  Returns the object of this file; 0 if there is none. */
static uint32_t report(struct hd_libdw_frames *f, uint64_t address)
{
	struct hd_process_location where;
	const struct hd_object_cfi *c;
	struct hd_err err;
	uint64_t vaddr;
	int fd;

	hd_process_find(f->objects->proc, f->in->at, address, 2, &where);
	if (!where.object || f->dw.addrmodule(f->space->dwfl, address))
		return where.object;
	c = hd_object_cfis_get(f->objects, where.object);
	if (!c->opened || !hd_object_cfi_vaddr(c, where.foff, &vaddr) || !f->objects->source.open)
		return where.object;
	fd = f->objects->source.open(f->objects->source.ctx, where.object, &err);
	/* libdw takes the descriptor if it succeeds */
	if (fd >= 0 && !f->dw.report_elf(f->space->dwfl, "object", "object", fd, address - vaddr, true))
		close(fd);
	return where.object;
}

static struct space *space_of(struct hd_libdw_frames *f, uint32_t id)
{
	struct space *s;

	for (unsigned i = 0; i < SPACES; i++)
		if (f->spaces[i].dwfl && f->spaces[i].id == id)
			return &f->spaces[i];
	s = &f->spaces[f->oldest++ % SPACES];
	if (s->dwfl)
		f->dw.end(s->dwfl);
	*s = (struct space){ .id = id, .dwfl = f->dw.begin(&callbacks) };
	return s->dwfl ? s : NULL;
}

/* ---- callbacks of libdw ---- */

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = arg;
	return TID;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
	(void)dwfl;
	*thread_arg = arg;
	return tid == TID;
}

static uint64_t recorded(const struct hd_libdw_frames *f, uint8_t perf)
{
	uint8_t slot = hd_unwind_arch_register_slot(f->in->regs_mask, perf);
	uint64_t v = 0;

	if (slot == HD_NO_REG)
		return 0;
	memcpy(&v, f->in->regs + 8 * (size_t)slot, 8);
	return f->in->swap ? __builtin_bswap64(v) : v;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	struct hd_libdw_frames *f = arg;

	for (uint8_t i = 0; i < f->m->nregs; i++) {
		Dwarf_Word v = recorded(f, f->m->from_dwarf[i]);

		if (hd_unwind_arch_register_slot(f->in->regs_mask, f->m->from_dwarf[i]) != HD_NO_REG &&
		    !f->dw.thread_state_registers(thread, i, 1, &v))
			return false;
	}
	if (f->m->link != HD_NO_REG) {
		Dwarf_Word v = recorded(f, f->m->link);

		if (!f->dw.thread_state_registers(thread, f->m->dwarf_link, 1, &v))
			return false;
	}
	f->dw.thread_state_register_pc(thread, f->pc);
	return true;
}

/* Read a word of the stack copy.  Code is in files, which libdw reads itself. */
static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *value, void *arg)
{
	struct hd_libdw_frames *f = arg;
	uint64_t off = address - f->sp, v;

	(void)dwfl;
	if (f->in->stack_bytes < 8 || off > f->in->stack_bytes - 8) {
		f->beyond |= address >= f->sp;
		return false;
	}
	memcpy(&v, f->in->stack + off, 8);
	*value = f->in->swap ? __builtin_bswap64(v) : v;
	if (f->in->marks)
		memset(f->in->marks + off, 1, 8);
	return true;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread, .get_thread = get_thread, .memory_read = read_memory,
	.set_initial_registers = set_registers,
};

static int add_frame(Dwfl_Frame *frame, void *arg)
{
	struct hd_libdw_frames *f = arg;
	struct hd_unwind_result *out = f->out;
	Dwarf_Addr pc = 0;
	Dwarf_Word sp = 0;
	bool exact = false;
	uint32_t object;

	if (!f->dw.frame_pc(frame, &pc, &exact))
		return DWARF_CB_ABORT;
	if (out->n == HD_UNWIND_MAX) {
		out->end = HD_UNWIND_END_LIMIT;
		return DWARF_CB_ABORT;
	}
	if (!pc && out->n) {
		out->end = HD_UNWIND_END_ROOT;
		return DWARF_CB_ABORT;
	}
	object = report(f, exact ? pc : pc - 1);
	if (!object && out->n) {
		out->end = HD_UNWIND_END_BAD;
		return DWARF_CB_ABORT;
	}
	if (out->n && f->dw.frame_reg && f->dw.frame_reg(frame, f->m->dwarf_sp, &sp) == 0)
		out->cfa[out->n - 1] = sp;
	out->object = object;
	out->ip[out->n] = pc;
	out->cfa[out->n] = 0;
	out->flags[out->n++] = exact ? HD_UNWIND_EXACT : 0;
	return DWARF_CB_OK;
}

/* ---- one stack ---- */

struct hd_libdw_frames *hd_libdw_frames_new(struct hd_object_cfis *objects)
{
	struct hd_libdw_frames *f = hd_new(struct hd_libdw_frames);

	f->objects = objects;
	return f;
}

void hd_libdw_frames_free(struct hd_libdw_frames *f)
{
	for (unsigned i = 0; i < SPACES; i++)
		if (f->spaces[i].dwfl)
			f->dw.end(f->spaces[i].dwfl);
	free(f);
}

/* Add the innermost frame.  It is the sampled address, so it needs no unwinding. */
static void add_innermost(struct hd_libdw_frames *f)
{
	f->out->n = 1;
	f->out->ip[0] = f->pc;
	f->out->cfa[0] = 0;
	f->out->flags[0] = HD_UNWIND_EXACT;
}

enum hd_libdw_problem hd_libdw_frames_run(struct hd_libdw_frames *f, const struct hd_unwind_input *in,
	struct hd_unwind_result *out)
{
	int rc;

	f->m = machine_of(in->machine, in->abi);
	out->n = 0;
	out->object = 0;
	out->guessed = false;
	out->end = HD_UNWIND_END_NO_STACK;
	if (!load(f))
		return HD_LIBDW_ABSENT;
	f->in = in;
	f->out = out;
	f->beyond = false;
	if (!f->m || hd_unwind_arch_register_slot(in->regs_mask, f->m->pc) == HD_NO_REG)
		return HD_LIBDW_FINE;
	f->pc = recorded(f, f->m->pc);
	f->sp = recorded(f, f->m->sp);
	f->space = space_of(f, in->at->space);
	if (!f->space || !in->stack_bytes) {
		add_innermost(f);
		return HD_LIBDW_FINE;
	}
	out->object = report(f, f->pc);
	f->dw.report_end(f->space->dwfl, NULL, NULL);
	if (!f->dw.addrmodule(f->space->dwfl, f->pc)) {
		add_innermost(f);
		out->end = HD_UNWIND_END_NO_CFI;
		return HD_LIBDW_FINE;
	}
	if (!f->space->attached && !f->dw.attach_state(f->space->dwfl, NULL, TID, &thread_callbacks, f)) {
		add_innermost(f);
		return HD_LIBDW_MACHINE;
	}
	f->space->attached = true;
	out->end = HD_UNWIND_END_NO_CFI;
	rc = f->dw.getthread_frames(f->space->dwfl, TID, add_frame, f);
	if (!out->n)
		add_innermost(f);
	if (rc == 0)
		out->end = HD_UNWIND_END_ROOT;
	else if (out->end == HD_UNWIND_END_NO_CFI && f->beyond)
		out->end = HD_UNWIND_END_CUT;
	if (out->end != HD_UNWIND_END_NO_CFI && out->end != HD_UNWIND_END_BAD)
		out->object = 0;
	return HD_LIBDW_FINE;
}
