/*
 * symtab.c - see symtab.h
 */
#include "elf/symtab.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void hd_elf_sym_next(struct hd_bytes *b, bool is64, struct hd_elf_sym *s)
{
	Elf64_Sym sym;

	if (is64 && !b->swap && hd_bytes_left(b) >= sizeof(sym)) {
		memcpy(&sym, hd_bytes_skip(b, sizeof(sym)), sizeof(sym));
		*s = (struct hd_elf_sym){ sym.st_name, sym.st_value, sym.st_size, sym.st_shndx, sym.st_info,
			sym.st_other };
		return;
	}
	s->name = hd_bytes_u32(b);
	if (is64) {
		s->info = hd_bytes_u8(b);
		s->other = hd_bytes_u8(b);
		s->shndx = hd_bytes_u16(b);
		s->value = hd_bytes_u64(b);
		s->size = hd_bytes_u64(b);
	} else {
		s->value = hd_bytes_u32(b);
		s->size = hd_bytes_u32(b);
		s->info = hd_bytes_u8(b);
		s->other = hd_bytes_u8(b);
		s->shndx = hd_bytes_u16(b);
	}
}

void hd_elf_symbols_open(struct hd_elf_symbols *all, const struct hd_elf *e, const char *section)
{
	const struct hd_elf_section *table = hd_elf_section(e, section);
	size_t each = hd_elf_sym_size(e->is64), n = 0;

	*all = (struct hd_elf_symbols){ .is64 = e->is64 };
	if (!table || table->entsize != each || table->link >= e->nsections)
		return;
	all->entries = hd_elf_bytes(e, table, HD_SYMTAB_MAX, &n, NULL);
	all->names = hd_elf_bytes(e, &e->sections[table->link], HD_SYMTAB_MAX, &all->names_bytes, NULL);
	all->rest = hd_elf_cursor(e, all->entries, all->entries ? n - n % each : 0);
}

bool hd_elf_symbols_next(struct hd_elf_symbols *all, struct hd_elf_sym *s, const char **name)
{
	if (!hd_bytes_left(&all->rest))
		return false;
	hd_elf_sym_next(&all->rest, all->is64, s);
	*name = all->names && s->name < all->names_bytes ? all->names + s->name : "";
	return true;
}

void hd_elf_symbols_close(struct hd_elf_symbols *all)
{
	free(all->entries);
	free(all->names);
}

/*
 * ---- kernel modules ----
 *
 * A .ko file is relocatable: its sections have no addresses.  The kernel loads the executable sections one after
 * another in the order of the file, each one aligned, and the .init sections separately (they are freed later).  An
 * address in a module is therefore given relative to the module base.
 */

struct module_layout {
	const struct hd_elf *e;
	/* for each section its offset from the module base; UINT64_MAX: not code, or freed after initialisation */
	uint64_t *base;
};

enum { SECTION_MAX = 1 << 30 };		/* no module has a larger section */

static void layout_init(struct module_layout *l, const struct hd_elf *e)
{
	uint64_t at = 0;

	l->e = e;
	l->base = hd_alloc(e->nsections * sizeof(*l->base));
	for (size_t i = 0; i < e->nsections; i++) {
		const struct hd_elf_section *s = &e->sections[i];
		uint64_t align = s->align && !(s->align & (s->align - 1)) && s->align <= 4096 ? s->align : 1;

		l->base[i] = UINT64_MAX;
		if ((s->flags & (SHF_ALLOC | SHF_EXECINSTR)) != (SHF_ALLOC | SHF_EXECINSTR) || s->size > SECTION_MAX ||
		    !strncmp(s->name, ".init", 5))
			continue;
		at = (at + align - 1) & ~(align - 1);
		l->base[i] = at;
		at += s->size;
	}
}

static void layout_release(struct module_layout *l)
{
	free(l->base);
	*l = (struct module_layout){ 0 };
}

/*
 * Convert *start from an offset in section `sec` to an offset from the module base.  *limit is set to the end of the
 * section, also from the module base.  Returns false if the section is not code that stays in the module, or if *start
 * is beyond its end.
 */
static bool layout_place(const struct module_layout *l, const struct hd_elf_section *sec, uint64_t *start,
	uint64_t *limit)
{
	size_t i = (size_t)(sec - l->e->sections);

	if (l->base[i] == UINT64_MAX || *start > sec->size)
		return false;
	*start += l->base[i];
	*limit = l->base[i] + sec->size;
	return true;
}

/* ---- symbol tables ---- */

/* A symbol table that is being read. */
struct reader {
	struct hd_symtable *t;
	struct hd_elf *e;
	const char *names;		/* the string table, inside t->names */
	uint32_t base;			/* offset of the string table in t->names */
	uint32_t last_nul;		/* offset of the last NUL; a name that starts after it has no end */
	bool second;
	struct module_layout *layout;	/* for a relocatable file: the addresses of its sections */
	const struct hd_elf_section **code;	/* executable sections, by address */
	size_t ncode;
	uint8_t *opd;			/* function descriptors (.opd); NULL: none */
	size_t opd_bytes;
	uint64_t opd_addr;
	size_t damaged;
};

bool hd_elf_sym_is_mapping(const char *name)
{
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

static bool is_mapping_symbol(const struct hd_elf *e, const char *name)
{
	switch (e->ehdr.e_machine) {
	case EM_ARM:
	case EM_AARCH64:
		return hd_elf_sym_is_mapping(name);
	case EM_RISCV:
		return name[0] == '$' || (name[0] == '.' && name[1] == 'L');
	}
	return false;
}

static int by_addr(const void *va, const void *vb)
{
	const struct hd_elf_section *a = *(const struct hd_elf_section *const *)va;
	const struct hd_elf_section *b = *(const struct hd_elf_section *const *)vb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static void list_code_sections(struct reader *r)
{
	r->code = hd_new_array(const struct hd_elf_section *, r->e->nsections);
	for (size_t i = 0; i < r->e->nsections; i++)
		if ((r->e->sections[i].flags & SHF_EXECINSTR) && r->e->sections[i].size)
			r->code[r->ncode++] = &r->e->sections[i];
	qsort(r->code, r->ncode, sizeof(*r->code), by_addr);
}

static const struct hd_elf_section *code_section_at(const struct reader *r, uint64_t vaddr)
{
	size_t lo = 0, hi = r->ncode;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->code[mid]->addr <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && vaddr - r->code[lo - 1]->addr < r->code[lo - 1]->size ? r->code[lo - 1] : NULL;
}

/*
 * Return the section of a symbol, or NULL.  If the index does not fit its field, or is stale because a post-link
 * optimizer moved the code, the section is looked up by address.  The value of a label in a section that is not loaded
 * is an offset and not an address; in compressed debug sections it can exceed the size of the section in the file.
 * Such a label is not looked up by address.
 */
static const struct hd_elf_section *section_of(struct reader *r, const struct hd_elf_sym *s)
{
	const struct hd_elf_section *sec = s->shndx < r->e->nsections && s->shndx < SHN_LORESERVE
		? &r->e->sections[s->shndx]
		: NULL;

	if (r->layout || (sec && s->value - sec->addr <= sec->size) ||
	    (sec && GELF_ST_TYPE(s->info) == STT_NOTYPE && !(sec->flags & SHF_ALLOC))) {
		r->damaged += !sec;
		return sec;
	}
	if (!sec && s->shndx != SHN_XINDEX && GELF_ST_TYPE(s->info) != STT_OBJECT)
		r->damaged++;
	return code_section_at(r, s->value);
}

/*
 * In version 1 of the 64-bit PowerPC ABI, a function symbol refers to a descriptor in .opd whose first word is the
 * address of the code.  A separate debug file has no bytes of .opd, so those of the file with the code are read.
 */
static void read_descriptors(struct reader *r)
{
	const struct hd_elf *e = r->e->code ? r->e->code : r->e;
	const struct hd_elf_section *sec = r->e->ehdr.e_machine == EM_PPC64 && r->e->is64 ? hd_elf_section(e, ".opd")
											  : NULL;

	if (!sec || r->layout)		/* before linking, the descriptors are not relocated */
		return;
	r->opd = hd_elf_bytes(e, sec, HD_SYMTAB_MAX, &r->opd_bytes, NULL);
	r->opd_addr = sec->addr;
}

/*
 * Change a symbol that refers to a function descriptor into a symbol of the code.  Other symbols are not changed, such
 * as those that refer to the code itself; their names have a leading dot.
 */
static void follow_descriptor(const struct reader *r, struct hd_elf_sym *s)
{
	uint64_t at = s->value - r->opd_addr;
	struct hd_bytes b;

	if (at % 8 || r->opd_bytes < 8 || at > r->opd_bytes - 8)
		return;
	b = hd_elf_cursor(r->e, r->opd + at, 8);
	s->value = hd_bytes_u64(&b);
	s->shndx = SHN_XINDEX;		/* the section of the code, which is found by address */
}

static bool is_wanted(const struct hd_elf_sym *s)
{
	unsigned visibility = GELF_ST_VISIBILITY(s->other);

	if (!s->name || s->shndx == SHN_UNDEF || (s->shndx >= SHN_LORESERVE && s->shndx != SHN_XINDEX))
		return false;
	switch (GELF_ST_TYPE(s->info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT:
		return true;
	case STT_NOTYPE:
		return visibility != STV_HIDDEN && visibility != STV_INTERNAL;
	}
	return false;
}

static uint8_t flags_of(const struct reader *r, const struct hd_elf_sym *s)
{
	unsigned type = GELF_ST_TYPE(s->info), bind = GELF_ST_BIND(s->info);

	return (uint8_t)((bind == STB_WEAK ? HD_SYM_WEAK : 0) | (bind == STB_GLOBAL ? HD_SYM_GLOBAL : 0) |
			 (type == STT_NOTYPE ? HD_SYM_LABEL : 0) | (type == STT_GNU_IFUNC ? HD_SYM_IFUNC : 0) |
			 (r->second ? HD_SYM_SECOND : 0));
}

static bool take(struct reader *r, struct hd_elf_sym *s)
{
	const struct hd_elf_section *sec;
	struct hd_symraw raw;

	if (!is_wanted(s))
		return false;
	if (r->opd)
		follow_descriptor(r, s);
	raw = (struct hd_symraw){ .start = s->value, .size = s->size, .flags = flags_of(r, s) };
	sec = section_of(r, s);
	if (!sec || (sec->flags & (SHF_ALLOC | SHF_EXECINSTR)) != (SHF_ALLOC | SHF_EXECINSTR))
		return false;
	if (s->name > r->last_nul) {
		r->damaged++;
		return false;
	}
	if (!r->names[s->name] || is_mapping_symbol(r->e, r->names + s->name))
		return false;
	if (GELF_ST_TYPE(s->info) == STT_NOTYPE && !strstr(sec->name, ".text"))
		return false;
	if (r->e->ehdr.e_machine == EM_ARM && GELF_ST_TYPE(s->info) == STT_FUNC)
		raw.start &= ~1ull;	/* bit 0 marks Thumb code */
	raw.limit = sec->addr + sec->size;
	if (r->layout && !layout_place(r->layout, sec, &raw.start, &raw.limit))
		return false;
	if (raw.start + raw.size < raw.start || raw.limit < raw.start) {
		r->damaged++;
		return false;
	}
	raw.name = r->base + s->name;
	if (r->opd && r->names[s->name] == '.' && r->names[s->name + 1] && GELF_ST_TYPE(s->info) == STT_FUNC)
		raw.name++;
	hd_symtable_add(r->t, &raw);
	return true;
}

/* Append the whole string table of the symbol table `sec` to the names of r->t. */
static int read_names(struct reader *r, const struct hd_elf_section *sec, struct hd_err *err)
{
	const struct hd_elf_section *str = sec->link < r->e->nsections ? &r->e->sections[sec->link] : NULL;
	const char *last;
	char *at;

	if (!str || str->type != SHT_STRTAB || !str->has_bytes || !str->size || str->size > HD_SYMTAB_MAX)
		return hd_fail(err, HD_EFORMAT, "`%s` has its names in section %u, which is not a string table",
			sec->name,
			sec->link);
	at = hd_symtable_names(r->t, str->size, &r->base);
	if (!at)
		return hd_fail(err, HD_EFORMAT, "`%s`: more than 4 GiB of names", sec->name);
	if (hd_elf_read(r->e, str->off, at, str->size, err) < 0) {
		memset(at, 0, str->size);
		return HD_EFORMAT;
	}
	last = memrchr(at, '\0', str->size);
	if (!last)
		return hd_fail(err, HD_EFORMAT, "`%s`: its names do not end", str->name);
	if (last != at + str->size - 1)
		hd_elf_damaged(r->e, "the last name in `%s` does not end", str->name);
	r->names = at;
	r->last_nul = (uint32_t)(last - at);
	return 0;
}

static int read_table(struct reader *r, const struct hd_elf_section *sec, size_t *count, struct hd_err *err)
{
	size_t entsize = hd_elf_sym_size(r->e->is64), n, taken = 0;
	struct hd_bytes b;
	void *bytes;
	int rc;

	if (sec->entsize != entsize)
		return hd_fail(err, HD_EFORMAT, "`%s` has entries of %llu bytes", sec->name,
			(unsigned long long)sec->entsize);
	rc = read_names(r, sec, err);
	if (rc < 0)
		return rc;
	bytes = hd_elf_bytes(r->e, sec, HD_SYMTAB_MAX, &n, err);
	if (!bytes)
		return HD_EFORMAT;
	if (n % entsize)
		hd_elf_damaged(r->e, "`%s` ends inside a symbol", sec->name);
	b = hd_elf_cursor(r->e, bytes, n - n % entsize);
	while (hd_bytes_left(&b)) {
		struct hd_elf_sym s;

		hd_elf_sym_next(&b, r->e->is64, &s);
		taken += take(r, &s);
	}
	free(bytes);
	*count += taken;
	return 0;
}

static void read_kind(struct reader *r, uint32_t type, size_t *count)
{
	for (size_t i = 0; i < r->e->nsections; i++) {
		const struct hd_elf_section *sec = &r->e->sections[i];
		struct hd_err err;

		if (sec->type != type || !sec->size)
			continue;
		if (read_table(r, sec, count, &err) < 0)
			hd_elf_damaged(r->e, "%s", err.msg);
		return;
	}
}

/* Record symbol tables without bytes in the file as damage, because their symbols are lost. */
static void note_empty_tables(struct hd_elf *e)
{
	for (size_t i = 0; i < e->nsections; i++)
		if (e->sections[i].type == SHT_NOBITS && e->sections[i].size &&
		    (!strcmp(e->sections[i].name, ".symtab") || !strcmp(e->sections[i].name, ".strtab")))
			hd_elf_damaged(e, "`%s` has no bytes in the file", e->sections[i].name);
}

size_t hd_symtab_collect(struct hd_symtable *t, struct hd_elf *e, uint32_t sht, bool second)
{
	struct reader r = { .t = t, .e = e, .second = second };
	struct module_layout layout = { 0 };
	size_t count = 0;

	if (e->ehdr.e_type == ET_REL) {
		layout_init(&layout, e);
		r.layout = &layout;
	}
	list_code_sections(&r);
	read_descriptors(&r);
	if (sht == SHT_SYMTAB)
		note_empty_tables(e);
	read_kind(&r, sht, &count);
	if (r.damaged)
		hd_elf_damaged(e, "%zu symbols lie outside its sections or name table", r.damaged);
	layout_release(&layout);
	free(r.code);
	free(r.opd);
	return count;
}
