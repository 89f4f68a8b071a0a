/*
 * fuzz_kallsyms.c - read any bytes as /proc/kallsyms
 */
#include "symbols/kallsyms.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_kallsyms k = { 0 };
	struct hd_symspan span;
	struct hd_buf text = { 0 };
	size_t at = 0;

	hd_buf_add(&text, data, size);
	hd_kallsyms_parse(&k, &text);
	for (size_t i = 0; i < k.table.npieces; i++) {
		const struct hd_sympiece *p = &k.table.pieces[i];
		const char *name = hd_symtable_str(&k.table, p->name);

		/*
		 * Symbols are sorted, disjoint and not empty.  A lookup of the first or last address of a symbol finds
		 * it, and so does a lookup with the name of its module.  A lookup with another module's name does not
		 * find it.
		 */
		if (p->start >= p->end || (i && p[-1].end > p->start) || !*name)
			abort();
		if (!hd_kallsyms_find(&k, p->start, name + strlen(name) + 1, &at, &span) || span.start != p->start)
			abort();
		if (!hd_kallsyms_find(&k, p->end - 1, NULL, &at, &span) || span.end != p->end)
			abort();
		if (hd_kallsyms_find(&k, p->start, "no module has this name", &at, &span) &&
			strcmp(name + strlen(name) + 1, "no module has this name"))
			abort();
	}
	if (k.lines + k.damaged > size || (k.restricted && k.table.npieces))
		abort();
	hd_kallsyms_release(&k);
	return 0;
}
