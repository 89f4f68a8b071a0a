/*
 * jit_cfi.c - call frame information of JIT code: see object_cfi.h
 *
 * A jitdump has an .eh_frame section for each function.  The addresses in this section are relative to a place where
 * the section is not stored: after the code of the function, whose size is rounded up to a multiple of 8.  The struct
 * hd_cfi of a function is created when its code is first looked up, because most functions are never looked up.
 */
#include "unwind/object_cfi.h"

#include "base/file.h"
#include "base/mem.h"
#include "symbols/jitdump.h"

#include <elf.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { EH_FRAME_MAX = 64 << 20 };

struct hd_jit_cfi_table {
	const struct hd_jitdump *d;
	/* loads[i]: CFI of function i of the dump; NULL: not looked up yet; NONE: it has no readable CFI */
	struct hd_cfi *_Atomic *loads;
};

/* Only the address of this variable is used. */
static char none_place[1];
#define NONE ((struct hd_cfi *)(void *)none_place)

static bool machine_of(uint32_t elf, enum hd_cfi_machine *m)
{
	switch (elf) {
	case EM_X86_64:		*m = HD_CFI_X86_64; return true;
	case EM_386:		*m = HD_CFI_I386; return true;
	case EM_AARCH64:	*m = HD_CFI_AARCH64; return true;
	case EM_ARM:		*m = HD_CFI_ARM; return true;
	}
	return false;
}

struct hd_jit_cfi_table *hd_jit_cfi_open(struct hd_object_cfi *c, const struct hd_jitdump *d)
{
	struct hd_jit_cfi_table *j;

	if (!machine_of(d->machine, &c->machine))
		return NULL;
	j = hd_new(struct hd_jit_cfi_table);
	j->d = d;
	j->loads = hd_realloc(NULL, d->nloads, sizeof(*j->loads));
	for (size_t i = 0; i < d->nloads; i++)
		atomic_init(&j->loads[i], NULL);
	return j;
}

void hd_jit_cfi_close(struct hd_jit_cfi_table *j)
{
	if (!j)
		return;
	free(j->loads);
	free(j);
}

static struct hd_cfi *make(struct hd_object_cfis *ts, const struct hd_object_cfi *c, const struct hd_jit_load *l)
{
	const struct hd_cfi_allocator mem = { hd_object_cfis_take, ts };
	struct hd_cfi_sections in = { .machine = c->machine, .swap = c->jit->d->swap };
	struct hd_cfi_stats stats = { 0 };
	struct hd_cfi *cfi = NULL;
	ssize_t got;
	void *bytes;
	int fd;

	if (!l->unwind || l->unwind_bytes > EH_FRAME_MAX)
		return NONE;
	fd = hd_jitdump_reopen(c->jit->d, NULL);
	if (fd < 0)
		return NONE;
	bytes = hd_object_cfis_take(ts, l->unwind_bytes);
	got = hd_file_pread(fd, bytes, l->unwind_bytes, l->unwind, "", NULL);
	close(fd);
	if (got <= 0)
		return NONE;
	in.eh_frame = (struct hd_cfi_section){ bytes, (size_t)got, l->addr + ((l->size + 7) & ~(uint64_t)7) };
	in.text_vaddr = l->addr;
	return hd_cfi_open(&cfi, &in, &mem, &stats) > 0 ? cfi : NONE;
}

struct hd_cfi *hd_jit_cfi_find(struct hd_object_cfis *ts, const struct hd_object_cfi *c, uint64_t foff, uint64_t *vaddr)
{
	const struct hd_jit_load *l = hd_jitdump_find(c->jit->d, foff);
	struct hd_cfi *_Atomic *at;
	struct hd_cfi *cfi;

	if (!l)
		return NULL;
	*vaddr = l->addr + (foff - l->off);
	at = &c->jit->loads[l - c->jit->d->loads];
	cfi = atomic_load_explicit(at, memory_order_acquire);
	if (!cfi) {
		pthread_mutex_lock(&ts->opening);
		cfi = atomic_load_explicit(at, memory_order_acquire);
		if (!cfi) {
			cfi = make(ts, c, l);
			atomic_store_explicit(at, cfi, memory_order_release);
		}
		pthread_mutex_unlock(&ts->opening);
	}
	return cfi == NONE ? NULL : cfi;
}
