/*
 * step_cache.c - see step_cache.h
 */
#include "unwind/step_cache.h"

#include "base/mem.h"

#include <stdlib.h>

enum {
	MODE_USER = 2,
	MAP_SHIFT = 16,
	ENTRY_MAX = 128,	/* bytes of code from an entry point on that is_entry() accepts */
};

void hd_step_cache_init(struct hd_step_cache *ss, struct hd_object_cfis *texts)
{
	*ss = (struct hd_step_cache){ .texts = texts };
	ss->items = hd_new_array(struct hd_unwind_step, (size_t)1 << HD_STEP_CACHE_ADDRESS_BITS);
	ss->files = hd_new_array(struct hd_unwind_step, (size_t)1 << HD_STEP_CACHE_FILE_BITS);
}

void hd_step_cache_release(struct hd_step_cache *ss)
{
	free(ss->items);
	free(ss->files);
}

struct hd_step_cache_mapping hd_step_cache_mapping_at(struct hd_step_cache *ss, uint32_t space, uint64_t at)
{
	struct hd_step_cache_mapping
		*map = &ss->maps[hd_step_cache_slot(at >> MAP_SHIFT, space, HD_STEP_CACHE_MAPPING_BITS)];
	const struct hd_process_context where = { .space = space };
	struct hd_process_location found;

	if (map->space == space && at >= map->start && at < map->end)
		return *map;
	hd_process_find(ss->texts->proc, &where, at, MODE_USER, &found);
	if (!found.object)
		return (struct hd_step_cache_mapping){ .space = space };
	*map = (struct hd_step_cache_mapping){ found.map_start, found.map_end, found.foff - at, space, found.object };
	return *map;
}

/* ---- rows as steps */

static void set_root(struct hd_unwind_step *r, const struct hd_cfi_row *row)
{
	r->op = HD_UNWIND_OP_ROOT;
	r->flags = row->cfa == HD_CFI_FULL
		? 0
		: HD_UNWIND_STEP_ROOT_CFA | (row->cfa == HD_CFI_FP ? HD_UNWIND_STEP_ROOT_FP : 0);
	r->cfa_off = row->cfa_off;
}

static void set_row(struct hd_unwind_step *r, const struct hd_unwind_arch *m, const struct hd_cfi_row *row)
{
	/* Signal frames restore more registers than a CFI row can express.  They are rare, so apply all CFI rules. */
	if (row->cfa == HD_CFI_FULL || (row->flags & HD_CFI_SIGNAL)) {
		r->op = HD_UNWIND_OP_FULL;
		return;
	}
	if (row->ra == HD_CFI_UNDEFINED) {
		set_root(r, row);
		return;
	}
	if (row->ra == HD_CFI_SAME && (row->cfa != HD_CFI_SP || m->lr == HD_NO_REG)) {
		r->op = HD_UNWIND_OP_FULL;
		return;
	}
	r->op = row->ra == HD_CFI_SAME ? HD_UNWIND_OP_LINK : row->cfa == HD_CFI_SP ? HD_UNWIND_OP_SP : HD_UNWIND_OP_FP;
	r->cfa_off = row->cfa_off;
	r->ra_off = row->ra_off;
	r->fp_off = row->fp == HD_CFI_AT_CFA ? row->fp_off : row->ra_off;
	r->flags = (row->fp == HD_CFI_AT_CFA ? HD_UNWIND_STEP_SAVES_FP : 0) |
		(row->fp == HD_CFI_UNDEFINED ? HD_UNWIND_STEP_LOSES_FP : 0) |
		(row->flags & HD_CFI_SIGNED ? HD_UNWIND_STEP_SIGNED : 0);
}

/*
 * On aarch64 the kernel's signal trampoline has no CFI (or, on old kernels, CFI without the interrupted pc).  Nothing
 * else in the vdso calls, so a return address in it without CFI is that of the trampoline.  Instructions are 4 bytes
 * long, so (at & 3) == 3 identifies a return address minus one.
 */
static bool is_trampoline(const struct hd_object_cfi *c, const struct hd_unwind_arch *m, uint64_t at,
	const struct hd_cfi_row *row)
{
	return m->cfi == HD_CFI_AARCH64 && c->kind == HD_OBJ_VDSO && (at & 3) == 3 &&
		(!row || (row->flags & HD_CFI_SIGNAL));
}

/*
 * Return true for the code at the entry point of a file.  This code has no caller, because the kernel jumps to it.  If
 * it has CFI, its CFI decides instead: make() calls this function only for code without CFI.
 */
static bool is_entry(const struct hd_object_cfi *c, uint64_t vaddr)
{
	return c->has_entry && vaddr >= c->entry && vaddr - c->entry < ENTRY_MAX;
}

static void make(struct hd_step_cache *ss, struct hd_unwind_step *r, const struct hd_unwind_arch *m, uint64_t foff)
{
	const struct hd_object_cfi *c = hd_object_cfis_get(ss->texts, r->object);
	const struct hd_cfi_row *row = NULL;
	const struct hd_cfi_fn *fn;
	enum hd_go_function go;
	struct hd_cfi *cfi;
	uint64_t vaddr;

	if (!hd_object_cfi_find(ss->texts, c, foff, &cfi, &vaddr)) {
		r->op = HD_UNWIND_OP_NOT_CODE;		/* data of the file */
		return;
	}
	if (cfi && c->machine == m->cfi) {
		fn = hd_cfi_function(cfi, vaddr);
		row = fn ? hd_cfi_row(fn, vaddr) : NULL;
	}
	go = hd_go_stacks_find(&c->go, vaddr);
	if (is_trampoline(c, m, foff, row))
		r->op = HD_UNWIND_OP_SIGNAL;
	else if (go == HD_GO_OUTERMOST)
		r->op = HD_UNWIND_OP_ROOT;
	else if (go == HD_GO_CHANGES_STACK)
		r->op = HD_UNWIND_OP_GO_STACK;
	else if (row)
		set_row(r, m, row);
	else if (is_entry(c, vaddr))
		r->op = HD_UNWIND_OP_ROOT;
	else
		r->op = c->kind == HD_OBJ_ANON ? HD_UNWIND_OP_NOT_CODE : HD_UNWIND_OP_NO_CFI;
}

static const struct hd_unwind_step nothing = { .op = HD_UNWIND_OP_NOT_CODE };

const struct hd_unwind_step *hd_step_cache_compute(struct hd_step_cache *ss, const struct hd_unwind_arch *m,
	uint32_t space, uint64_t at)
{
	struct hd_unwind_step *r, *by_file;
	struct hd_step_cache_mapping map;
	uint64_t key, foff;

	if (at > HD_STEP_CACHE_ADDRESS_MAX)
		return &nothing;
	ss->asked_files++;
	key = hd_step_cache_key(m, at);
	r = &ss->items[hd_step_cache_slot(key, space, HD_STEP_CACHE_ADDRESS_BITS)];
	map = hd_step_cache_mapping_at(ss, space, at);
	foff = at + map.delta;
	if (!map.object || foff > HD_STEP_CACHE_ADDRESS_MAX) {
		*r = (struct hd_unwind_step){
			.key = key, .owner = space, .object = map.object, .op = HD_UNWIND_OP_NOT_CODE
		};
		return r;
	}
	by_file = &ss->files[hd_step_cache_slot(hd_step_cache_key(m, foff), map.object, HD_STEP_CACHE_FILE_BITS)];
	if (by_file->key != hd_step_cache_key(m, foff) || by_file->owner != map.object) {
		ss->asked_cfi++;
		*by_file = (struct hd_unwind_step){
			.key = hd_step_cache_key(m, foff), .owner = map.object, .object = map.object
		};
		make(ss, by_file, m, foff);
	}
	*r = *by_file;
	r->key = key;
	r->owner = space;
	return r;
}
