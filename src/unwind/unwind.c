/* unwind.c - see unwind.h: shared state, per-thread state, and the setup of one sample */
#include "unwind/unwind.h"

#include "base/mem.h"
#include "unwind/libdw_child.h"
#include "unwind/walk.h"

#include <stdlib.h>

struct hd_unwind {
	struct hd_object_cfis texts;
	struct hd_libdw_child *child;	/* child for architectures that only libdw unwinds; NULL: not needed so far */
};

struct hd_unwinder {
	struct hd_unwind *shared;
	struct hd_step_cache steps;
	/* The register layout of the last sample, cached because the next one nearly always has the same. */
	const struct hd_unwind_arch *m;
	uint64_t mask;
	uint8_t pc, sp, fp, lr;		/* indices into the recorded registers, or HD_NO_REG */
};

struct hd_unwind *hd_unwind_new(const struct hd_process_table *proc, const struct hd_unwind_source *source)
{
	struct hd_unwind *uw = hd_new(struct hd_unwind);

	hd_object_cfis_init(&uw->texts, proc, source);
	return uw;
}

void hd_unwind_free(struct hd_unwind *uw)
{
	if (!uw)
		return;
	hd_libdw_child_free(uw->child);
	hd_object_cfis_release(&uw->texts);
	free(uw);
}

void hd_unwind_grow(struct hd_unwind *uw)
{
	hd_object_cfis_grow(&uw->texts);
	if (uw->child)
		hd_libdw_child_stop(uw->child);
}

struct hd_unwinder *hd_unwinder_new(struct hd_unwind *uw)
{
	struct hd_unwinder *wk = hd_new(struct hd_unwinder);

	wk->shared = uw;
	hd_step_cache_init(&wk->steps, &uw->texts);
	return wk;
}

void hd_unwinder_free(struct hd_unwinder *wk)
{
	if (!wk)
		return;
	hd_step_cache_release(&wk->steps);
	free(wk);
}

enum hd_unwind_failure hd_unwind_failure(const struct hd_unwind *uw, uint32_t object)
{
	const struct hd_object_cfi *c = hd_object_cfis_peek(&uw->texts, object);

	/* no failure is known: libdw unwinds this architecture, and does not report why it cannot unwind a frame */
	if (c && uw->child && c->lack == HD_UNWIND_FAILURE_MACHINE)
		return HD_UNWIND_FAILURE_NONE;
	return c ? c->lack : HD_UNWIND_FAILURE_NONE;
}

const struct hd_unwind_child_losses *hd_unwind_child_losses(const struct hd_unwind *uw)
{
	static const struct hd_unwind_child_losses none;

	return uw->child ? hd_libdw_child_losses(uw->child) : &none;
}

const char *hd_unwind_error_text(const struct hd_unwind *uw, uint32_t object)
{
	const struct hd_object_cfi *c = hd_object_cfis_peek(&uw->texts, object);

	return c ? c->trouble : NULL;
}

long hd_unwind_table_entries(const struct hd_unwind *uw, uint32_t object)
{
	const struct hd_object_cfi *c = hd_object_cfis_peek(&uw->texts, object);

	return c ? c->cfi ? (long)hd_cfi_table_entries(c->cfi) : 0 : -1;
}

bool hd_unwind_entry_was_used(const struct hd_unwind *uw, uint32_t object, size_t i)
{
	return hd_cfi_entry_was_used(hd_object_cfis_peek(&uw->texts, object)->cfi, i);
}

/* ---- one sample */

static void find_slots(struct hd_unwinder *wk, const struct hd_unwind_arch *m, uint64_t mask)
{
	wk->m = m;
	wk->mask = mask;
	wk->pc = hd_unwind_arch_register_slot(mask, m->pc);
	wk->sp = hd_unwind_arch_register_slot(mask, m->sp);
	wk->fp = hd_unwind_arch_register_slot(mask, m->fp);
	wk->lr = hd_unwind_arch_register_slot(mask, m->lr);
}

static uint64_t reg(const struct hd_unwind_input *in, const struct hd_unwind_arch *m, uint8_t slot)
{
	uint64_t v;

	if (slot == HD_NO_REG)
		return 0;
	memcpy(&v, in->regs + 8 * (size_t)slot, 8);
	return (in->swap ? __builtin_bswap64(v) : v) & m->mask;
}

void hd_unwinder_run(struct hd_unwinder *wk, const struct hd_unwind_input *in, struct hd_unwind_result *out)
{
	const struct hd_unwind_arch *m = hd_unwind_arch_of(in->machine, in->abi);
	struct hd_walk w = { .steps = &wk->steps, .m = m, .in = in, .out = out, .space = in->at->space, .exact = true };

	out->n = 0;
	out->end = HD_UNWIND_END_NO_STACK;
	out->object = 0;
	out->guessed = false;
	if (!m && in->regs && hd_libdw_frames_knows(in->machine, in->abi)) {
		if (!wk->shared->child)
			wk->shared->child = hd_libdw_child_new(&wk->shared->texts);
		hd_libdw_child_run(wk->shared->child, in, out);
		return;
	}
	if (!m || !in->regs)
		return;
	if (wk->m != m || wk->mask != in->regs_mask)
		find_slots(wk, m, in->regs_mask);
	if (wk->pc == HD_NO_REG)
		return;
	w.pc = reg(in, m, wk->pc) & m->code_mask;
	w.sp = reg(in, m, wk->sp);
	w.fp = reg(in, m, wk->fp);
	w.lr = reg(in, m, wk->lr);
	w.has_lr = wk->lr != HD_NO_REG;
	if (!in->stack || in->stack_bytes < m->word || wk->sp == HD_NO_REG) {
		out->n = 1;
		out->ip[0] = w.pc;
		out->cfa[0] = 0;
		out->flags[0] = HD_UNWIND_EXACT;
		return;
	}
	w.start = w.sp;
	w.limit = in->stack_bytes - m->word;
	hd_walk_rows(&w);
}

bool hd_unwinder_hides_caller(struct hd_unwinder *wk, enum hd_unwind_machine machine, uint64_t abi, uint32_t space,
	uint64_t ip)
{
	const struct hd_unwind_arch *m = hd_unwind_arch_of(machine, abi);
	const struct hd_unwind_step *s = m ? hd_step_cache_find(&wk->steps, m, space, ip) : NULL;

	/*
	 * Return true if the function has not set up its frame.  On an architecture with a link register, the return
	 * address is then still in that register.  On one whose calls push the return address, the CFA is then relative
	 * to the stack pointer.
	 */
	return s && s->op == (m->lr == HD_NO_REG ? HD_UNWIND_OP_SP : HD_UNWIND_OP_LINK);
}
