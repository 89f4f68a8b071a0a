/*
 * kallsyms.h - read /proc/kallsyms, the kernel's list of its symbols, or a copy of it
 *
 *     ffffffff81000000 T _text
 *     ffffffffc0a31000 t nvme_probe	[nvme]
 *
 * Symbols have no size.  Each symbol ends at the next one.  The last symbol of the list, and the last one before the
 * kernel's symbols change to those of modules or back, ends at the latest 4096 bytes after its start, rounded up to a
 * multiple of 4096.  If several symbols have the same address, the last line is used, as in perf.
 */
#ifndef HD_SYMBOLS_KALLSYMS_H
#define HD_SYMBOLS_KALLSYMS_H

#include "elf/symbol_table.h"

struct hd_kallsyms {
	/* the symbols; each name is followed by the name of its module, which is "" for the kernel */
	struct hd_symtable table;
	uint64_t text, stext;		/* addresses of `_text` and `_stext`; 0: not listed */
	size_t lines, damaged;		/* number of valid lines, also of types that are dropped; of invalid lines */
	bool restricted;		/* all addresses are zero (kptr_restrict) */
};

/* Parse the text of kallsyms.  Zero-initialise `k`.  The contents of `text` are taken and become the names. */
void hd_kallsyms_parse(struct hd_kallsyms *k, struct hd_buf *text);
void hd_kallsyms_release(struct hd_kallsyms *k);

/*
 * Find the symbol at `addr` if it belongs to `module` ("": the kernel, NULL: any).  `cursor` and `span` are as for
 * hd_symtable_find().
 */
bool hd_kallsyms_find(const struct hd_kallsyms *k, uint64_t addr, const char *module, size_t *cursor,
	struct hd_symspan *span);
/* Return the address of the page with the module's first symbol; 0 if no symbol is listed for the module. */
uint64_t hd_kallsyms_module_base(const struct hd_kallsyms *k, const char *module);

/*
 * Return the recorded address of a kernel symbol minus its address in kallsyms or vmlinux.  The kernel has another
 * address after each boot.  `text` and `stext` are the addresses of `_text` and `_stext` in the file; 0: not listed.
 * The recording contains the address of one of these symbols: `recorded`.  `object_name` can end in the name of this
 * symbol (`[kernel.kallsyms]_stext`).  Returns 0 if `recorded` is 0 or the file lists neither symbol.
 */
uint64_t hd_kallsyms_shift(uint64_t text, uint64_t stext, const char *object_name, uint64_t recorded);

/*
 * Read a hexadecimal number at *p, before `end`, and advance *p.  Returns false, without advancing, if there is none or
 * it exceeds 64 bits.
 */
bool hd_scan_hex(const char **p, const char *end, uint64_t *v);

#endif
