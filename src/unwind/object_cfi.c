/*
 * object_cfi.c - see object_cfi.h
 */
#include "unwind/object_cfi.h"

#include "base/mem.h"
#include "unwind/elf_cfi.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

void hd_object_cfis_init(struct hd_object_cfis *ts, const struct hd_process_table *proc,
	const struct hd_unwind_source *source)
{
	*ts = (struct hd_object_cfis){ .proc = proc, .source = *source };
	hd_object_cfis_grow(ts);
	pthread_mutex_init(&ts->opening, NULL);
	pthread_mutex_init(&ts->memory, NULL);
}

void hd_object_cfis_grow(struct hd_object_cfis *ts)
{
	uint32_t n = hd_process_object_count(ts->proc);

	ts->items = hd_realloc(ts->items, n, sizeof(*ts->items));
	for (; ts->n < n; ts->n++)
		atomic_init(&ts->items[ts->n], NULL);
}

void hd_object_cfis_release(struct hd_object_cfis *ts)
{
	for (uint32_t i = 0; i < ts->n; i++) {
		struct hd_object_cfi *c = atomic_load_explicit(&ts->items[i], memory_order_relaxed);

		if (!c)
			continue;
		for (size_t k = 0; k < HD_COUNT(c->bytes); k++)
			free(c->bytes[k]);
		hd_jit_cfi_close(c->jit);
		free(c->loads);
		free(c->trouble);
		free(c);
	}
	free(ts->items);
	hd_arena_release(&ts->arena);
	pthread_mutex_destroy(&ts->opening);
	pthread_mutex_destroy(&ts->memory);
}

void *hd_object_cfis_take(void *ctx, size_t bytes)
{
	struct hd_object_cfis *ts = ctx;
	void *p;

	pthread_mutex_lock(&ts->memory);
	p = hd_arena_alloc(&ts->arena, bytes);
	pthread_mutex_unlock(&ts->memory);
	return memset(p, 0, bytes);
}

/* ---- opening */

static void copy_segments(struct hd_object_cfi *c, const struct hd_elf *e)
{
	c->loads = hd_new_array(struct hd_object_cfi_segment, e->loads.n);
	for (size_t i = 0; i < e->loads.n; i++) {
		const struct hd_elf_load *l = &e->loads.v[i];

		if (l->exec && l->filesz)
			c->loads[c->nloads++] = (struct hd_object_cfi_segment){ l->off, l->filesz, l->vaddr };
	}
	c->opened = true;
}

static enum hd_unwind_failure open_cfi(struct hd_object_cfis *ts, struct hd_object_cfi *c, struct hd_elf *e)
{
	const struct hd_cfi_allocator mem = { hd_object_cfis_take, ts };
	struct hd_cfi_stats stats = { 0 };
	struct hd_cfi_sections in = { .swap = e->swap };
	bool damaged;

	if (!hd_elf_cfi_machine(e, &in.machine))
		return HD_UNWIND_FAILURE_MACHINE;
	c->machine = in.machine;
	damaged = !hd_elf_cfi_read(e, &in, c->bytes);
	if (hd_cfi_open(&c->cfi, &in, &mem, &stats) > 0)
		return HD_UNWIND_FAILURE_NONE;
	c->cfi = NULL;
	return damaged || stats.damage ? HD_UNWIND_FAILURE_DAMAGED : HD_UNWIND_FAILURE_CFI;
}

static enum hd_unwind_failure open_file(struct hd_object_cfis *ts, struct hd_object_cfi *c, uint32_t object)
{
	struct hd_err err = { 0 };
	int fd = ts->source.open ? ts->source.open(ts->source.ctx, object, &err) : -1;
	enum hd_unwind_failure lack = HD_UNWIND_FAILURE_DAMAGED;
	const struct hd_warning *trouble;
	struct hd_log log = { 0 };
	struct hd_elf *e = NULL;

	if (fd < 0) {
		if (err.code == HD_EIO)
			c->trouble = hd_strdup(err.msg);
		return err.code == HD_EIO ? HD_UNWIND_FAILURE_TROUBLE : HD_UNWIND_FAILURE_FILE;
	}
	if (hd_elf_open(&e, fd, "its code", &log, NULL) >= 0) {
		copy_segments(c, e);
		c->has_entry = c->kind == HD_OBJ_FILE && hd_elf_entry(e, &c->entry);
		hd_go_stacks_read(&c->go, e);
		lack = open_cfi(ts, c, e);
		hd_elf_close(e);
	}
	trouble = hd_log_find(&log, "symbols.unreadable");
	if (trouble) {
		c->trouble = hd_strdup(trouble->text);
		lack = HD_UNWIND_FAILURE_TROUBLE;
	}
	hd_log_release(&log);
	return lack;
}

static enum hd_unwind_failure open_jit(struct hd_object_cfis *ts, struct hd_object_cfi *c, uint32_t object)
{
	const struct hd_jitdump *d = ts->source.jitdump ? ts->source.jitdump(ts->source.ctx, object) : NULL;

	c->jit = d ? hd_jit_cfi_open(c, d) : NULL;
	return d && !c->jit ? HD_UNWIND_FAILURE_MACHINE : HD_UNWIND_FAILURE_JIT;
}

static struct hd_object_cfi *open_object(struct hd_object_cfis *ts, uint32_t object)
{
	struct hd_object_cfi *c = hd_new(struct hd_object_cfi);

	c->kind = hd_process_object(ts->proc, object)->kind;
	switch (c->kind) {
	case HD_OBJ_FILE:
	case HD_OBJ_VDSO:
		c->lack = open_file(ts, c, object);
		break;
	case HD_OBJ_PERFMAP:
	case HD_OBJ_ANON:
		c->lack = HD_UNWIND_FAILURE_JIT;
		break;
	case HD_OBJ_JIT:
		c->lack = open_jit(ts, c, object);
		break;
	case HD_OBJ_UNKNOWN:
	case HD_OBJ_KERNEL:
	case HD_OBJ_MODULE:
	case HD_OBJ_KSYM:
		c->lack = HD_UNWIND_FAILURE_FILE;		/* not reached: user code is in no such object */
		break;
	}
	return c;
}

const struct hd_object_cfi *hd_object_cfis_peek(const struct hd_object_cfis *ts, uint32_t object)
{
	return object < ts->n ? atomic_load_explicit(&ts->items[object], memory_order_acquire) : NULL;
}

const struct hd_object_cfi *hd_object_cfis_get(struct hd_object_cfis *ts, uint32_t object)
{
	struct hd_object_cfi *c;

	assert(object < ts->n);
	c = atomic_load_explicit(&ts->items[object], memory_order_acquire);
	if (c)
		return c;
	pthread_mutex_lock(&ts->opening);
	c = atomic_load_explicit(&ts->items[object], memory_order_acquire);
	if (!c) {
		c = open_object(ts, object);
		atomic_store_explicit(&ts->items[object], c, memory_order_release);
	}
	pthread_mutex_unlock(&ts->opening);
	return c;
}

bool hd_object_cfi_vaddr(const struct hd_object_cfi *c, uint64_t foff, uint64_t *vaddr)
{
	/* A mapping may extend beyond its segment to page boundaries.  The second pass accepts these bytes, too. */
	static const uint64_t slack[] = { 0, 4095 };

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < c->nloads; i++) {
			const struct hd_object_cfi_segment *l = &c->loads[i];
			uint64_t off = l->off & ~slack[pass];

			if (foff >= off && foff - off < ((l->off - off + l->filesz + slack[pass]) & ~slack[pass])) {
				*vaddr = l->vaddr - l->off + foff;
				return true;
			}
		}
	}
	return false;
}

bool hd_object_cfi_find(struct hd_object_cfis *ts, const struct hd_object_cfi *c, uint64_t foff, struct hd_cfi **cfi,
	uint64_t *vaddr)
{
	*vaddr = 0;
	*cfi = c->jit ? hd_jit_cfi_find(ts, c, foff, vaddr) : c->cfi;
	return !c->opened || hd_object_cfi_vaddr(c, foff, vaddr);
}
