/* embedded_files.c - store the symbol tables of a recording, and read those of simpleperf: see embedded_files.h */
#include "perfdata/embedded_files.h"

#include "base/mem.h"
#include "perfdata/perf_state.h"

#include <stdlib.h>

enum { DSO_KERNEL, DSO_MODULE, DSO_ELF, DSO_DEX, DSO_MAP };	/* simpleperf's numbers for types of files */

static int by_file(const void *va, const void *vb)
{
	const struct hd_embedded_symbol *a = va, *b = vb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;	/* keep the order of the recording */
}

/* Sort the symbols by file.  SYMBOL records come in any order; sections are sorted already. */
static void group(struct hd_embedded_symbols *c)
{
	bool sorted = true;

	for (size_t i = 1; i < c->nsymbols; i++)
		sorted &= c->symbols[i - 1].file <= c->symbols[i].file;
	if (!sorted)
		qsort(c->symbols, c->nsymbols, sizeof(*c->symbols), by_file);
	for (size_t i = 0; i < c->nfiles; i++)
		c->files[i].n = 0;
	for (size_t i = 0; i < c->nsymbols; i++) {
		struct hd_embedded_file *f = &c->files[c->symbols[i].file];

		if (!f->n++)
			f->first = i;
	}
}

const struct hd_embedded_symbols *hd_perf_embedded_symbols(struct hd_perf *pf)
{
	group(&pf->carried);
	return &pf->carried;
}

static bool add_name(struct hd_embedded_symbols *c, const char *name, size_t n, uint32_t *at)
{
	if (c->names.len + n + 1 > UINT32_MAX)
		return false;
	*at = (uint32_t)c->names.len;
	hd_buf_add(&c->names, name, n);
	hd_buf_addc(&c->names, '\0');
	return true;
}

struct hd_embedded_file *hd_embedded_file_begin(struct hd_perf *pf, const char *path, size_t n)
{
	struct hd_embedded_symbols *c = &pf->carried;
	struct hd_embedded_file *f;

	if (!c->names.len)
		hd_buf_addc(&c->names, '\0');
	HD_GROW(c->files, c->nfiles + 1, c->files_cap);
	f = &c->files[c->nfiles++];
	*f = (struct hd_embedded_file){ .first = c->nsymbols };
	add_name(c, path, strnlen(path, n), &f->path);
	return f;
}

void hd_embedded_file_end(struct hd_perf *pf)
{
	struct hd_embedded_symbols *c = &pf->carried;

	if (c->files[c->nfiles - 1].first < c->nsymbols)
		return;
	c->nfiles--;
	if (c->files[c->nfiles].path)
		c->names.len = c->files[c->nfiles].path;
}

/*
 * Return true if the architecture is of the ARM family.  There, bit 0 of a function's address marks Thumb code; it is
 * not part of the address.
 */
static bool has_thumb(const struct hd_perf *pf)
{
	const char *arch = pf->head.arch;

	return arch && (!strncmp(arch, "arm", 3) || !strncmp(arch, "aarch64", 7));
}

void hd_embedded_file_add_symbol(struct hd_perf *pf, size_t file, uint64_t start, uint64_t size, const char *name,
	size_t n)
{
	struct hd_embedded_symbols *c = &pf->carried;
	struct hd_embedded_symbol s = { .start = start, .size = size, .file = (uint32_t)file };

	n = strnlen(name, n);
	/* simpleperf writes a symbol that covers all addresses to mark "no symbol"; ignore it. */
	if (!n || size > INT64_MAX || start + size < start || !add_name(c, name, n, &s.name))
		return;
	if (start & 1 && has_thumb(pf))
		s.start--;
	HD_GROW(c->symbols, c->nsymbols + 1, c->symbols_cap);
	c->symbols[c->nsymbols++] = s;
}

/*
 * Return true if the file is JIT code of ART, the Android runtime.  The symbols of such a file have addresses in the
 * process, although its type is DSO_ELF.
 */
static bool is_jit(const char *path)
{
	return strstr(path, "jit_app_cache:") || strstr(path, "jit_zygote_cache:");
}

void hd_embedded_file_set_kind(const struct hd_embedded_symbols *c, struct hd_embedded_file *f, uint64_t type)
{
	f->kind = type == DSO_KERNEL ? HD_EMBEDDED_KIND_KERNEL
		: type == DSO_MODULE ? HD_EMBEDDED_KIND_MODULE
		: type == DSO_DEX    ? HD_EMBEDDED_KIND_OFFSET
		: type == DSO_ELF    ? HD_EMBEDDED_KIND_FILE
				     : HD_EMBEDDED_KIND_ADDRESS;
	if (f->kind == HD_EMBEDDED_KIND_FILE && is_jit(hd_embedded_str(c, f->path)))
		f->kind = HD_EMBEDDED_KIND_ADDRESS;
}

/* ---- FILE ---- */

/* Take a NUL-terminated text; *n is its length.  If no NUL is left, set b->bad and return an empty text. */
static const char *take_text(struct hd_bytes *b, size_t *n)
{
	const char *p = (const char *)b->p, *nul = memchr(b->p, '\0', hd_bytes_left(b));

	*n = nul ? (size_t)(nul - p) : 0;
	hd_bytes_skip(b, nul ? *n + 1 : hd_bytes_left(b) + 1);
	return nul ? p : "";
}

static bool take_file(struct hd_perf *pf, struct hd_bytes *b)
{
	struct hd_embedded_file *f;
	size_t n, file = pf->carried.nfiles;
	const char *path = take_text(b, &n);
	uint32_t type, symbols;

	if (b->bad)
		return false;
	f = hd_embedded_file_begin(pf, path, n);
	type = hd_bytes_u32(b);
	f->vaddr = hd_bytes_u64(b);
	symbols = hd_bytes_u32(b);
	hd_embedded_file_set_kind(&pf->carried, f, type);
	for (uint32_t i = 0; i < symbols && !b->bad; i++) {
		uint64_t start = hd_bytes_u64(b);
		uint32_t size = hd_bytes_u32(b);
		const char *name = take_text(b, &n);

		if (!b->bad)
			hd_embedded_file_add_symbol(pf, file, start, size, name, n);
	}
	if (!b->bad && (type == DSO_ELF || type == DSO_MODULE) && hd_bytes_left(b) >= 8) {
		f->foff = hd_bytes_u64(b);
		f->has_foff = f->foff != UINT64_MAX;
	}
	hd_embedded_file_end(pf);
	return !b->bad;
}

/* ---- FILE2 ---- */

static uint64_t take_varint(struct hd_bytes *b)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t c = hd_bytes_u8(b);

		v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return v;
	}
	b->bad = true;
	return 0;
}

/* One field of a protobuf message: a number or bytes.  take_field() returns false at the end or if it is malformed. */
struct field {
	uint64_t key;			/* field number; 0: a wire type that is not used here */
	uint64_t value;
	struct hd_bytes bytes;
};

static bool take_field(struct hd_bytes *b, struct field *f)
{
	uint64_t tag;
	const void *p;

	*f = (struct field){ 0 };
	if (!hd_bytes_left(b) || b->bad)
		return false;
	tag = take_varint(b);
	switch (tag & 7) {
	case 0:
		f->value = take_varint(b);
		f->key = tag >> 3;
		break;
	case 1:
		hd_bytes_skip(b, 8);
		break;
	case 2:
		f->value = take_varint(b);
		p = f->value > hd_bytes_left(b) ? hd_bytes_skip(b, hd_bytes_left(b) + 1) : hd_bytes_skip(b, f->value);
		if (p)
			f->bytes = hd_bytes_over(p, f->value, false);
		f->key = tag >> 3;
		break;
	case 5:
		hd_bytes_skip(b, 4);
		break;
	default:
		b->bad = true;
	}
	return !b->bad;
}

static bool take_symbol_message(struct hd_perf *pf, size_t file, struct hd_bytes b)
{
	uint64_t start = 0, size = 0;
	const char *name = "";
	size_t n = 0;
	struct field f;

	while (take_field(&b, &f)) {
		if (f.key == 1)
			start = f.value;
		else if (f.key == 2)
			size = f.value;
		else if (f.key == 3 && f.bytes.p) {
			name = (const char *)f.bytes.p;
			n = hd_bytes_left(&f.bytes);
		}
	}
	if (!b.bad)
		hd_embedded_file_add_symbol(pf, file, start, size, name, n);
	return !b.bad;
}

static bool take_place_message(struct hd_embedded_file *file, struct hd_bytes b)
{
	struct field f;

	file->foff = 0;
	file->has_foff = true;		/* protobuf omits a field whose value is 0 */
	while (take_field(&b, &f))
		if (f.key == 1 && !f.bytes.p) {
			file->foff = f.value;
			file->has_foff = f.value != UINT64_MAX;
		}
	return !b.bad;
}

/*
 * Read the protobuf message that describes a file.  The fields may be in any order, so a first loop finds the path and
 * a second one reads the symbols.
 */
static bool take_file_message(struct hd_perf *pf, struct hd_bytes *b)
{
	struct hd_bytes again = *b;
	size_t index = pf->carried.nfiles, n = 0;
	struct hd_embedded_file *file;
	const char *path = "";
	uint64_t type = 0;
	struct field f;

	while (take_field(&again, &f))
		if (f.key == 1 && f.bytes.p) {
			path = (const char *)f.bytes.p;
			n = hd_bytes_left(&f.bytes);
		}
	file = hd_embedded_file_begin(pf, path, n);
	while (take_field(b, &f)) {
		if (f.key == 2)
			type = f.value;
		else if (f.key == 3)
			file->vaddr = f.value;
		else if (f.key == 4)
			b->bad |= !take_symbol_message(pf, index, f.bytes);
		else if (f.key == 6 || f.key == 7)
			b->bad |= !take_place_message(file, f.bytes);
	}
	hd_embedded_file_set_kind(&pf->carried, file, type);
	hd_embedded_file_end(pf);
	return !b->bad;
}

int hd_simpleperf_read_files(struct hd_perf *pf, struct hd_bytes *b, bool protobuf, struct hd_err *err)
{
	for (size_t row = 0; hd_bytes_left(b); row++) {
		uint32_t n = hd_bytes_u32(b);
		struct hd_bytes body;
		const void *p;

		if (b->bad || n > hd_bytes_left(b))
			return hd_fail(err, HD_EFORMAT, "the symbols of file %zu are cut off", row);
		p = hd_bytes_skip(b, n);
		body = hd_bytes_over(p, n, b->swap);
		if (!(protobuf ? take_file_message(pf, &body) : take_file(pf, &body)))
			return hd_fail(err, HD_EFORMAT, "the symbols of file %zu do not fit in their %u bytes", row, n);
	}
	return 0;
}

void hd_embedded_symbols_free(struct hd_perf *pf)
{
	struct hd_embedded_symbols *c = &pf->carried;

	free(c->files);
	free(c->symbols);
	hd_buf_release(&c->names);
	hd_buf_release(&c->kallsyms);
	hd_buf_release(&pf->split);
	hd_map_release(&pf->dsos);
	hd_hiperf_free_stacks(pf);
}
