/*
 * lookup.c - what an object answers: see symbols.h
 *
 * By what its file says, or by what a bundle has; and, for a bundle, kept.
 */
#include "symbols/object.h"

#include "base/file.h"
#include "dwarf/inlines.h"
#include "symbols/jitdump_set.h"
#include "symbols/jit_lines.h"
#include "dwarf/lines.h"
#include "elf/machine.h"
#include "symbols/bundle_record.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- what is warned of meanwhile ---- */

void hd_object_capture_begin(struct hd_symobj *o, struct hd_warning_capture *h)
{
	if (!o->remembered)
		return;
	h->said = (struct hd_log){ 0 };
	h->log = o->sy->log;
	o->sy->log = &h->said;
}

void hd_object_capture_end(struct hd_symobj *o, struct hd_warning_capture *h, enum hd_lookup_stage when)
{
	if (!o->remembered)
		return;
	o->sy->log = h->log;
	hd_bundle_record_add_warnings(o->remembered, when, &h->said);
	hd_log_add(h->log, &h->said);
	hd_log_release(&h->said);
}

void hd_object_replay_warnings(struct hd_symobj *o, enum hd_lookup_stage when)
{
	if (!(o->told >> when & 1))
		hd_bundle_replay_warn(o->given, when, o->sy->log);
	o->told |= 1u << when;
}

/* ---- symbols ---- */

/* To the address space of the symbols; false when the file has nothing there, *vaddr is then what was asked. */
static bool to_vaddr(const struct hd_symobj *o, uint64_t addr, uint64_t *vaddr)
{
	*vaddr = addr;
	if (o->by_offset)
		return hd_elf_vaddr(&o->loads, addr, vaddr);
	if ((o->key.kind == HD_SYM_MODULE || o->key.kind == HD_SYM_KSYM) && addr < o->key.kernel_start)
		*vaddr = o->key.kernel_start + addr;
	return true;
}

static void find(struct hd_symobj *o, uint64_t foff, struct hd_symbol_hit *hit)
{
	const struct hd_symtable *t = o->kallsyms ? &o->kallsyms->table : &o->table;
	struct hd_symspan span;
	uint64_t vaddr;
	bool found;

	*hit = (struct hd_symbol_hit){ 0 };
	found = to_vaddr(o, foff, &vaddr);
	hit->vaddr = vaddr;
	if (o->given)
		hd_bundle_replay_lookup(o->given, foff, hit);
	if (!found || o->given)
		return;
	if (o->jitdump) {
		const struct hd_jit_load *l = hd_jitdump_find(o->jitdump, vaddr);

		if (l && *hd_jitdump_name(o->jitdump, l))
			*hit = (struct hd_symbol_hit){ vaddr, l->off, l->size, hd_jitdump_name(o->jitdump, l) };
		return;
	}
	if (o->one_symbol) {
		hit->start = o->key.kernel_start;
		hit->linkage = o->path;
		return;
	}
	if (o->kallsyms)
		found = hd_kallsyms_find(o->kallsyms, vaddr - o->shift, o->module, &o->cursor, &span);
	else
		found = hd_symtable_find(t, vaddr - o->shift, &o->cursor, &span);
	if (found) {
		hit->start = span.start + o->shift;
		hit->size = span.end - span.start;
		hit->linkage = hd_symtable_str(t, span.name);
	}
}

void hd_object_lookup(struct hd_symobj *o, uint64_t foff, struct hd_symbol_hit *hit)
{
	find(o, foff, hit);
	if (o->remembered)
		hd_bundle_record_add_lookup(o->remembered, foff, hit);
}

/* ---- lines and inlined functions ---- */

/* The file with both is open from here on; false when this kind of object has none. */
static bool open_dwarf(struct hd_symobj *o)
{
	struct hd_warning_capture h;

	if (o->key.kind != HD_SYM_FILE && o->key.kind != HD_SYM_KERNEL)
		return false;
	if (o->sy->opts.given) {
		if (o->given)
			hd_object_replay_warnings(o, HD_LOOKUP_DWARF);
		return o->given;
	}
	if (!o->lines) {
		hd_object_capture_begin(o, &h);
		o->lines = hd_lines_open(o);
		hd_object_capture_end(o, &h, HD_LOOKUP_DWARF);
	}
	return true;
}

/* Of JIT code. */
static void find_jit_line(struct hd_symobj *o, uint64_t vaddr, struct hd_line_hit *hit)
{
	if (!o->jit_lines)
		o->jit_lines = hd_jit_lines_new(o->jitdump, o->sy->log);
	hd_jit_lines_find(o->jit_lines, vaddr, hit);
}

void hd_object_line(struct hd_symobj *o, uint64_t vaddr, struct hd_line_hit *hit)
{
	struct hd_warning_capture h;

	*hit = (struct hd_line_hit){ 0 };
	if (!o->jitdump && !(o->given && o->key.kind == HD_SYM_JIT) && !open_dwarf(o))
		return;
	if (o->given) {
		hd_object_replay_warnings(o, HD_LOOKUP_LINES);
		hd_bundle_replay_line(o->given, vaddr, hit);
		return;
	}
	hd_object_capture_begin(o, &h);
	if (o->jitdump)
		find_jit_line(o, vaddr, hit);
	else
		hd_lines_find(o->lines, vaddr - o->shift, hit);
	hd_object_capture_end(o, &h, HD_LOOKUP_LINES);
	if (o->remembered)
		hd_bundle_record_add_line(o->remembered, vaddr, hit);
}

static struct hd_inlines *inlines_of(struct hd_symobj *o)
{
	if (!o->inlines)
		o->inlines = hd_inlines_open(o);
	return o->inlines;
}

uint32_t hd_object_inline_instance(struct hd_symobj *o, uint64_t vaddr)
{
	if (!open_dwarf(o))
		return 0;
	if (o->given) {
		hd_object_replay_warnings(o, HD_LOOKUP_INLINES);
		return hd_bundle_replay_inline_instance(o->given, vaddr);
	}
	return hd_inlines_instance(inlines_of(o), vaddr - o->shift);
}

size_t hd_object_inlines(struct hd_symobj *o, uint64_t vaddr, struct hd_inline_hit *hits, size_t max)
{
	struct hd_warning_capture h;
	size_t n;

	if (!open_dwarf(o))
		return 0;
	if (o->given) {
		hd_object_replay_warnings(o, HD_LOOKUP_INLINES);
		if (!o->sy->opts.no_call_files)
			hd_object_replay_warnings(o, HD_LOOKUP_CALLS);
		return hd_bundle_replay_inlines(o->given, vaddr, hits, max);
	}
	hd_object_capture_begin(o, &h);
	n = hd_inlines_find(inlines_of(o), vaddr - o->shift, hits, max);
	hd_object_capture_end(o, &h, HD_LOOKUP_INLINES);
	for (size_t i = 0; i < n; i++)
		hits[i].low += o->shift;
	if (o->remembered)
		hd_bundle_record_add_inlines(o->remembered, vaddr, hits, n);
	return n;
}

/* ---- what was found ---- */

enum hd_symbols_quality hd_object_quality(const struct hd_symobj *o)
{
	return o->quality;
}

const char *hd_object_source(const struct hd_symobj *o)
{
	return o->source ? o->source : "";
}

const char *hd_object_problem(const struct hd_symobj *o)
{
	return o->problem;
}

const char *hd_object_build_id(const struct hd_symobj *o)
{
	return o->build_id;
}

const char *hd_object_machine(const struct hd_symobj *o)
{
	return hd_machine_name(o->machine);
}

int hd_object_open(const struct hd_symobj *o, struct hd_err *err)
{
	int fd;

	if (o->jitdump)
		return hd_jitdump_reopen(o->jitdump, err);
	if (!o->image)
		return hd_file_ref_reopen(&o->runtime, o->sy->log, err);
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return hd_fail_errno(err, HD_EIO, errno, "%s: no memory file for it", o->path);
	if (hd_file_write_all(fd, o->image, o->image_size) < 0) {
		int rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot copy it to a memory file", o->path);

		close(fd);
		return rc;
	}
	return fd;
}
