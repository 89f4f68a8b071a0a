/*
 * kallsyms.c - see kallsyms.h
 */
#include "symbols/kallsyms.h"

#include <ctype.h>
#include <string.h>

enum { PAGE = 4096 };

bool hd_scan_hex(const char **p, const char *end, uint64_t *v)
{
	const char *s = *p;
	uint64_t n = 0;

	for (; s < end && isxdigit((unsigned char)*s); s++) {
		if (n >> 60)
			return false;
		n = n << 4 | (uint64_t)(*s <= '9' ? *s - '0' : (*s | 32) - 'a' + 10);
	}
	if (s == *p)
		return false;
	*p = s;
	*v = n;
	return true;
}

/* Text and data; not read-only data, absolute and per-CPU values, which are no places code can be at. */
static bool is_wanted(char type, const char *name, size_t n)
{
	return strchr("TWDB", toupper((unsigned char)type)) && n && name[0] != '$';
}

static uint8_t flags_of(char type)
{
	return type == 'W' ? HD_SYM_WEAK : isupper((unsigned char)type) ? HD_SYM_GLOBAL : 0;
}

static void add(struct hd_kallsyms *k, uint64_t addr, char type, const char *name, const char *end)
{
	const char *tab = memchr(name, '\t', (size_t)(end - name));
	struct hd_symraw raw = { .start = addr, .flags = flags_of(type) };
	size_t n = (size_t)((tab ? tab : end) - name), nmod = 0;
	const char *mod = "";
	char joined[600];

	if (!is_wanted(type, name, n))
		return;
	if (tab && end - tab > 3 && tab[1] == '[' && end[-1] == ']') {
		mod = tab + 2;
		nmod = (size_t)(end - 1 - mod);
	}
	if (n + nmod + 1 > sizeof(joined)) {
		k->damaged++;		/* the kernel's longest is 511 */
		return;
	}
	memcpy(joined, name, n);
	joined[n] = '\0';
	memcpy(joined + n + 1, mod, nmod);
	raw.name = hd_symtable_name(&k->table, joined, n + 1 + nmod);
	if (n == 5 && !memcmp(name, "_text", 5))
		k->text = addr;
	if (n == 6 && !memcmp(name, "_stext", 6))
		k->stext = addr;
	if (raw.name)
		hd_symtable_add(&k->table, &raw);
}

static bool parse_line(struct hd_kallsyms *k, const char *p, const char *end, uint64_t *highest)
{
	uint64_t addr;
	char type;

	if (!hd_scan_hex(&p, end, &addr) || end - p < 4 || p[0] != ' ' || p[2] != ' ' || memchr(p, '\0', (size_t)(end - p)))
		return false;
	type = p[1];
	if (addr > *highest)
		*highest = addr;
	add(k, addr, type, p + 3, end);
	return true;
}

static const char *module_of(const struct hd_symtable *t, uint32_t name)
{
	const char *s = hd_symtable_str(t, name);

	return s + strlen(s) + 1;
}

/* Where a symbol may reach if the next one is far: see kallsyms.h. */
static void set_limits(struct hd_symtable *t)
{
	for (size_t i = 0; i < t->nraw; i++) {
		struct hd_symraw *r = &t->raw[i];
		bool last = i + 1 == t->nraw;

		r->limit = UINT64_MAX;
		if (last || !*module_of(t, r->name) != !*module_of(t, t->raw[i + 1].name))
			r->limit = r->start > UINT64_MAX - 2 * PAGE ? UINT64_MAX : (r->start + 2 * PAGE - 1) & ~(uint64_t)(PAGE - 1);
	}
}

void hd_kallsyms_parse(struct hd_kallsyms *k, const char *text, size_t n)
{
	const char *end = text + n, *p = text;
	uint64_t highest = 0;

	while (p < end) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));

		if (!eol)
			eol = end;
		if (parse_line(k, p, eol, &highest))
			k->lines++;
		else if (eol != p)
			k->damaged++;
		p = eol + 1;
	}
	k->restricted = k->lines && !highest;
	if (k->restricted)
		k->table.nraw = 0;
	hd_symtable_sort(&k->table);
	set_limits(&k->table);
	hd_symtable_build(&k->table, HD_SYM_INNERMOST);
}

void hd_kallsyms_release(struct hd_kallsyms *k)
{
	hd_symtable_release(&k->table);
	*k = (struct hd_kallsyms){ 0 };
}

bool hd_kallsyms_find(const struct hd_kallsyms *k, uint64_t addr, const char *module, size_t *cursor, struct hd_symspan *span)
{
	return hd_symtable_find(&k->table, addr, cursor, span) && (!module || !strcmp(module, module_of(&k->table, span->name)));
}

uint64_t hd_kallsyms_module_base(const struct hd_kallsyms *k, const char *module)
{
	for (size_t i = 0; i < k->table.npieces; i++)
		if (!strcmp(module, module_of(&k->table, k->table.pieces[i].name)))
			return k->table.pieces[i].start & ~(uint64_t)(PAGE - 1);
	return 0;
}

static bool ends_with(const char *s, const char *tail)
{
	size_t n = strlen(s), m = strlen(tail);

	return n >= m && !strcmp(s + n - m, tail);
}

uint64_t hd_kallsyms_shift(uint64_t text, uint64_t stext, const char *object_name, uint64_t recorded)
{
	uint64_t reference = text ? text : stext;

	if (ends_with(object_name, "]_stext") && stext)
		reference = stext;
	/* A kernel moves by whole pages: the reference that fits is the one that was meant. */
	if (reference == text && stext && ((recorded - text) & (PAGE - 1)) && !((recorded - stext) & (PAGE - 1)))
		reference = stext;
	return recorded && reference ? recorded - reference : 0;
}
