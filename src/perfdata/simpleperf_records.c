/*
 * simpleperf_records.c - read the records that only simpleperf writes: see embedded_files.h
 *
 * embedded_symbols.h describes their formats.  A split record can also contain TRACING_DATA of perf.
 */
#include "perfdata/embedded_files.h"

#include "base/mem.h"
#include "perfdata/perf_state.h"

/*
 * Return true if a DSO record has the oldest layout.  This layout has the name at `p`; later layouts have an address at
 * `p`.  The bytes are taken for a name if all are printable ASCII, because an address nearly always has other bytes.
 */
static bool name_comes_early(const uint8_t *p, size_t n)
{
	size_t len = n ? strnlen((const char *)p, n) : 0;

	for (size_t i = 0; i < len; i++)
		if (p[i] < 0x20 || p[i] > 0x7e)
			return false;
	return len && len < n && n == ((len + 8) & ~(size_t)7);
}

static const char *on_dso(struct hd_perf *pf, struct hd_bytes *b)
{
	uint64_t type = hd_bytes_u64(b), dso = hd_bytes_u64(b), vaddr = 0;
	struct hd_embedded_file *f;

	if (b->bad)
		return "too few for its fields";
	if (!name_comes_early(b->p, hd_bytes_left(b)))
		vaddr = hd_bytes_u64(b);
	if (b->bad || !hd_bytes_left(b))
		return "the name of the file is missing";
	f = hd_embedded_file_begin(pf, (const char *)b->p, hd_bytes_left(b));
	f->vaddr = vaddr;
	f->dso = dso;
	hd_embedded_file_set_kind(&pf->carried, f, type);
	hd_map_put(&pf->dsos, dso, (uint32_t)pf->carried.nfiles - 1);
	return NULL;
}

static const char *on_symbol(struct hd_perf *pf, struct hd_bytes *b)
{
	uint64_t start = hd_bytes_u64(b), size = hd_bytes_u64(b);
	uint32_t file = hd_map_get(&pf->dsos, hd_bytes_u64(b));

	if (b->bad)
		return "too few for its fields";
	if (file == HD_MAP_NONE)
		return "the symbol belongs to a file without a DSO record";
	hd_embedded_file_add_symbol(pf, file, start, size, (const char *)b->p, hd_bytes_left(b));
	return NULL;
}

static const char *on_kallsyms(struct hd_perf *pf, struct hd_bytes *b)
{
	uint32_t n = hd_bytes_u32(b);
	const char *text = hd_bytes_skip(b, n);

	if (!text)
		return "its text is cut off";
	if (n && !pf->carried.kallsyms.len)
		hd_buf_add(&pf->carried.kallsyms, text, n);
	return NULL;
}

static const char *on_event_ids(struct hd_perf *pf, struct hd_bytes *b)
{
	uint64_t n = hd_bytes_u64(b);
	struct hd_err err;

	if (b->bad || n > hd_bytes_left(b) / 16)
		return "its ids do not fit in it";
	for (uint64_t i = 0; i < n; i++) {
		uint64_t attr = hd_bytes_u64(b);
		const uint8_t *id = hd_bytes_skip(b, 8);

		if (attr >= pf->nattrs)
			return "it gives an id to an event that is not there";
		if (hd_perf_attr_of(pf, hd_get64(id, b->swap)) == UINT32_MAX &&
			hd_perf_add_ids(pf, attr, id, 1, &err) < 0)
			return "it has more ids than the file could hold";
	}
	return NULL;
}

static const char *on_tracing_data(struct hd_perf *pf, struct hd_bytes *b)
{
	uint32_t n = hd_bytes_u32(b);
	const void *p = hd_bytes_skip(b, n);

	if (!p)
		return "its data is cut off";
	hd_perf_keep_tracing(pf, p, n);
	return NULL;
}

static const char *on_body(struct hd_perf *pf, uint32_t type, struct hd_bytes *b)
{
	switch (type) {
	case HD_RT_SP_KERNEL_SYMBOL:
		return on_kallsyms(pf, b);
	case HD_RT_SP_DSO:
		return on_dso(pf, b);
	case HD_RT_SP_SYMBOL:
		return on_symbol(pf, b);
	case HD_RT_SP_EVENT_ID:
		return on_event_ids(pf, b);
	case HD_RT_SP_TRACING_DATA:
	case HD_RT_TRACING_DATA:
		return on_tracing_data(pf, b);
	}
	return "parts of such a record are not put together";
}

/*
 * Handle a record that was split into several, when all parts are there.  The joined record begins with u32 type, u16
 * upper half of the size, u16 lower half of the size.
 */
static const char *on_whole(struct hd_perf *pf)
{
	struct hd_bytes b = hd_bytes_over(pf->split.data, pf->split.len, pf->file.swap);
	uint32_t type = hd_bytes_u32(&b);

	hd_bytes_skip(&b, 4);
	return b.bad ? "its parts are too short for a record" : on_body(pf, type, &b);
}

void hd_simpleperf_read_record(struct hd_perf *pf, const struct hd_record *rec)
{
	struct hd_bytes b = hd_bytes_over(rec->data, rec->size - 8u, pf->file.swap);
	const char *why = NULL;

	if (rec->type == HD_RT_SP_SPLIT) {
		hd_buf_add(&pf->split, rec->data, rec->size - 8u);
	} else if (rec->type == HD_RT_SP_SPLIT_END) {
		why = on_whole(pf);
		hd_buf_release(&pf->split);
	} else {
		why = on_body(pf, rec->type, &b);
	}
	if (why)
		hd_perf_warn_body(pf, rec, why);
}
