/*
 * source_functions.c - see source_functions.h
 */
#include "render/source_functions.h"

#include "base/encode.h"
#include "base/mem.h"

#include <stdlib.h>

void hd_source_functions_init(struct hd_source_functions *fns, const struct hd_profile *p)
{
	struct hd_map ids = { 0 };
	size_t cap = 0;

	*fns = (struct hd_source_functions){ .of_frame = hd_new_array(uint32_t, p->nframes) };
	for (size_t i = 0; i < p->nframes; i++) {
		const struct hd_frame *f = &p->frames[i];
		uint64_t key = (uint64_t)f->symbol << 32 | f->file;
		uint32_t id = hd_map_get(&ids, key);

		if (id == HD_MAP_NONE) {
			id = fns->n;
			hd_map_put(&ids, key, id);
			HD_GROW(fns->items, (size_t)fns->n + 1, cap);
			fns->items[fns->n++] = (struct hd_source_function){ f->symbol, f->file, f->line };
		}
		if (f->line && (!fns->items[id].line || f->line < fns->items[id].line))
			fns->items[id].line = f->line;
		fns->of_frame[i] = id;
	}
	hd_map_release(&ids);
}

void hd_source_functions_release(struct hd_source_functions *fns)
{
	free(fns->items);
	free(fns->of_frame);
	*fns = (struct hd_source_functions){ 0 };
}

void hd_source_functions_name(struct hd_buf *out, const struct hd_profile *p, uint32_t symbol)
{
	const struct hd_profile_symbol *s = &p->symbols[symbol];

	if (!s->unresolved)
		hd_buf_adds(out, hd_profile_str(p, s->name));
	else if (s->no_address || !symbol)
		hd_buf_adds(out, HD_UNKNOWN);
	else
		hd_buf_addf(out, "0x%016llx", (unsigned long long)s->start);
}
