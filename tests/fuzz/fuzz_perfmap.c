/* fuzz_perfmap.c - read any bytes as a perf map */
#include "symbols/perfmap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_perfmap_found found;
	struct hd_symtable t = { 0 };
	size_t at = 0;

	hd_perfmap_parse(&t, (const char *)data, size, &found);
	if (found.lines + found.damaged > size || t.npieces > 2 * found.lines)
		abort();
	for (size_t i = 0; i < t.npieces; i++) {
		const struct hd_sympiece *p = &t.pieces[i];
		struct hd_symspan span;

		if (p->start >= p->end || (i && p[-1].end > p->start) || !*hd_symtable_str(&t, p->name))
			abort();
		if (!hd_symtable_find(&t, p->start, &at, &span) || span.start > p->start || span.end < p->end ||
			span.name != p->name)
			abort();
	}
	hd_symtable_release(&t);
	return 0;
}
