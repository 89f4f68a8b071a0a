/*
 * kallsyms.h - the kernel's own list of its symbols
 *
 *     ffffffff81000000 T _text
 *     ffffffffc0a31000 t nvme_probe	[nvme]
 *
 * /proc/kallsyms or a copy of it.  Symbols have no size: each ends at the next
 * one, the last of the kernel and the last before a module at the end of the
 * page behind it.  Of several at one address the last line counts, as in perf.
 */
#ifndef HD_SYMBOLS_KALLSYMS_H
#define HD_SYMBOLS_KALLSYMS_H

#include "elf/symbol_table.h"

struct hd_kallsyms {
	struct hd_symtable table;	/* a name is followed by its module's, "" for the kernel */
	uint64_t text, stext;		/* of `_text` and `_stext`; 0: not in the list */
	size_t lines, damaged;
	bool restricted;		/* all addresses are zero: kptr_restrict */
};

/* Zero-initialise k.  The text is taken over: its bytes become those of the names. */
void hd_kallsyms_parse(struct hd_kallsyms *k, struct hd_buf *text);
void hd_kallsyms_release(struct hd_kallsyms *k);

/* The symbol at addr if it is module's (NULL: whoever's, "": the kernel's). */
bool hd_kallsyms_find(const struct hd_kallsyms *k, uint64_t addr, const char *module, size_t *cursor,
	struct hd_symspan *span);
/* The page in which a module's first symbol is, or 0. */
uint64_t hd_kallsyms_module_base(const struct hd_kallsyms *k, const char *module);

/*
 * What must be added to an address of the list to get the recording's: the
 * kernel is loaded elsewhere at every boot, and the recording says where its
 * reference symbol was.  object_name may name it (`[kernel.kallsyms]_stext`).
 */
uint64_t hd_kallsyms_shift(uint64_t text, uint64_t stext, const char *object_name, uint64_t recorded);

/* A number in hexadecimal at *p, before end; moves *p behind it.  False when there is none or it is too long. */
bool hd_scan_hex(const char **p, const char *end, uint64_t *v);

#endif
