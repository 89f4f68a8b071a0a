/*
 * kallsyms.h - read /proc/kallsyms, the kernel's list of its symbols, or a copy of it
 *
 *     ffffffff81000000 T _text
 *     ffffffffc0a31000 t nvme_probe	[nvme]
 *
 * Symbols have no size.  Each ends at the next one; the last one of the kernel, and the last one before a module, ends
 * with the page after its own.  Of several symbols at one address the last line is used, as in perf.
 */
#ifndef HD_SYMBOLS_KALLSYMS_H
#define HD_SYMBOLS_KALLSYMS_H

#include "elf/symbol_table.h"

struct hd_kallsyms {
	struct hd_symtable table;	/* a name is followed by that of its module; "" for the kernel */
	uint64_t text, stext;		/* addresses of `_text` and `_stext`; 0: not listed */
	size_t lines, damaged;
	bool restricted;		/* all addresses are zero (kptr_restrict) */
};

/* Parse a list.  Zero-initialise `k`.  The contents of `text` are taken and become the names. */
void hd_kallsyms_parse(struct hd_kallsyms *k, struct hd_buf *text);
void hd_kallsyms_release(struct hd_kallsyms *k);

/* Find the symbol at `addr` if it belongs to `module` ("": the kernel, NULL: any).  See hd_symtable_find(). */
bool hd_kallsyms_find(const struct hd_kallsyms *k, uint64_t addr, const char *module, size_t *cursor,
	struct hd_symspan *span);
/* The page of a module's first symbol, or 0. */
uint64_t hd_kallsyms_module_base(const struct hd_kallsyms *k, const char *module);

/*
 * The difference between recorded addresses and those of the list.  The load address changes with every boot; the
 * recording contains the address of a reference symbol, which object_name may name (`[kernel.kallsyms]_stext`).
 */
uint64_t hd_kallsyms_shift(uint64_t text, uint64_t stext, const char *object_name, uint64_t recorded);

/* Read a hexadecimal number at *p, before `end`, and advance *p.  False if there is none or it is too long. */
bool hd_scan_hex(const char **p, const char *end, uint64_t *v);

#endif
