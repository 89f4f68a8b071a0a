/*
 * kallsyms.c - see kallsyms.h
 */
#include "symbols/kallsyms.h"

#include "base/mem.h"

#include <ctype.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

enum {
	PAGE = 4096,
	SHORT_LINE = 32,		/* in bytes; most lines are longer */
	/* limit for a name with its module; the longest name in the kernel has 511 bytes */
	NAMES_LONGEST = 600,
};

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

/*
 * Return true for the types of symbols that are kept: text and weak symbols (t, w) and writable data (d, b).  All
 * other types are dropped, among them read-only data (r) and absolute values (a).
 */
static bool is_wanted(char type)
{
	switch (type | 32) {
	case 't': case 'w': case 'd': case 'b':
		return true;
	}
	return false;
}

/* Parse 8 hexadecimal digits in lower case.  Returns false if one of the 8 bytes is no such digit. */
static bool eight_digits(const char *p, uint32_t *v)
{
	static const uint64_t ones = 0x0101010101010101;
	uint64_t text, x, letters;

	memcpy(&text, p, 8);
	x = (text & 0x0f * ones) + (text >> 6 & ones) * 9;
	letters = (x + 0x76 * ones) >> 7 & ones;	/* 1 in each byte whose digit is 10 or more */
	if (x + 0x30 * ones + letters * ('a' - '0' - 10) != text)
		return false;
	x = be64toh(x);
	x = (x | x >> 4) & 0x00ff00ff00ff00ff;
	x = (x | x >> 8) & 0x0000ffff0000ffff;
	*v = (uint32_t)(x | x >> 16);
	return true;
}

/*
 * The parser's state.  Names are moved to the front of the text as they are parsed, each followed by that of its
 * module. This is possible because a line is longer than the part that is kept.
 */
struct reader {
	struct hd_kallsyms *k;
	char *text, *end, *out;
	const char *tab;		/* the next tab, or `end` */
	bool nuls;			/* the text contains NULs */
	bool sorted;
	char high_text[8];		/* the first 8 digits of the last parsed address, and their value */
	uint32_t high;
	uint64_t highest;
};

/*
 * Parse an address.  Most addresses have 16 digits.  The first 8 of them usually equal those of the
 * previous line and are then not parsed again.
 */
static bool scan_address(struct reader *r, const char **p, const char *end, uint64_t *v)
{
	uint32_t high, low;

	if (end - *p <= 16 || (*p)[16] != ' ' || !eight_digits(*p + 8, &low))
		return hd_scan_hex(p, end, v);
	if (memcmp(r->high_text, *p, 8)) {
		if (!eight_digits(*p, &high))
			return hd_scan_hex(p, end, v);
		memcpy(r->high_text, *p, 8);
		r->high = high;
	}
	*v = (uint64_t)r->high << 32 | low;
	*p += 16;
	return true;
}

static void add(struct reader *r, uint64_t addr, char *name, char *end)
{
	struct hd_symtable *t = &r->k->table;
	char *mod = end, *stop = end;
	size_t n, nmod = 0;

	if (r->tab < name) {
		r->tab = memchr(name, '\t', (size_t)(r->end - name));
		if (!r->tab)
			r->tab = r->end;
	}
	if (r->tab < end) {
		stop = name + (r->tab - name);
		if (end - stop > 3 && stop[1] == '[' && end[-1] == ']') {
			mod = stop + 2;
			nmod = (size_t)(end - 1 - mod);
		}
	}
	n = (size_t)(stop - name);
	if (!n || *name == '$')
		return;
	if (n + nmod >= NAMES_LONGEST) {
		r->k->damaged++;
		return;
	}
	if (n == 5 && !memcmp(name, "_text", 5))
		r->k->text = addr;
	if (n == 6 && !memcmp(name, "_stext", 6))
		r->k->stext = addr;
	r->sorted &= !t->npieces || t->pieces[t->npieces - 1].start <= addr;
	if (t->npieces == t->pieces_cap)
		HD_GROW(t->pieces, t->npieces + 1, t->pieces_cap);
	/* Until set_ends() is called, the field `end` holds the length of the module's name. */
	t->pieces[t->npieces++] = (struct hd_sympiece){ addr, nmod, (uint32_t)(r->out - r->text), HD_SYM_UNCUT };
	memmove(r->out, name, n);
	r->out += n;
	*r->out++ = '\0';
	if (nmod)
		memmove(r->out, mod, nmod);
	r->out += nmod;
	*r->out++ = '\0';
}

static bool read_line(struct reader *r, char *line, char *end)
{
	const char *p = line;
	uint64_t addr;
	char *rest;

	if (!scan_address(r, &p, end, &addr) || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	if (r->nuls && memchr(p, '\0', (size_t)(end - p)))
		return false;
	if (addr > r->highest)
		r->highest = addr;
	rest = line + (p - line);
	if (is_wanted(rest[1]))
		add(r, addr, rest + 3, end);
	return true;
}

static void read_lines(struct reader *r)
{
	for (char *p = r->text; p < r->end; ) {
		char *eol = memchr(p, '\n', (size_t)(r->end - p));

		if (!eol)
			eol = r->end;
		if (read_line(r, p, eol))
			r->k->lines++;
		else if (eol != p)
			r->k->damaged++;
		p = eol + 1;
	}
}

static int by_start(const void *va, const void *vb)
{
	const struct hd_sympiece *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;	/* file order */
}

/* Return the end of a symbol without a next one: 4096 bytes after its start, rounded up to a multiple of 4096. */
static uint64_t page_end(uint64_t start)
{
	return start > UINT64_MAX - 2 * PAGE ? UINT64_MAX : (start + 2 * PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

/*
 * Keep the last symbol of each address.  End each symbol at the start of the next one, or at page_end() where the
 * symbols of the kernel or of its modules end.
 */
static void set_ends(struct hd_symtable *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->npieces; i++) {
		struct hd_sympiece p = t->pieces[i];
		const struct hd_sympiece *next = i + 1 < t->npieces ? &t->pieces[i + 1] : NULL;
		uint64_t end = next && !next->end == !p.end ? UINT64_MAX : page_end(p.start);

		p.end = next && next->start < end ? next->start : end;
		if (p.end > p.start)
			t->pieces[n++] = p;
	}
	t->npieces = n;
}

void hd_kallsyms_parse(struct hd_kallsyms *k, struct hd_buf *text)
{
	struct hd_symtable *t = &k->table;
	struct reader r = { .k = k, .sorted = true };

	hd_buf_reserve(text, 1);
	r.text = text->data;
	r.end = text->data + text->len;
	r.out = r.text + 1;		/* offset 0 is the empty name */
	r.tab = r.text;
	r.nuls = memchr(r.text, '\0', text->len);
	t->pieces_cap = text->len / SHORT_LINE;
	t->pieces = hd_alloc(t->pieces_cap * sizeof(*t->pieces));
	read_lines(&r);
	k->restricted = k->lines && !r.highest;
	if (k->restricted)
		t->npieces = 0;
	*r.text = '\0';
	*r.out = '\0';
	text->len = (size_t)(r.out - r.text);
	text->cap = text->len + 1;
	text->data = hd_realloc(text->data, text->cap, 1);
	t->names = *text;
	*text = (struct hd_buf){ 0 };
	if (!r.sorted)
		qsort(t->pieces, t->npieces, sizeof(*t->pieces), by_start);
	set_ends(t);
	t->pieces_cap = t->npieces;
	t->pieces = hd_realloc(t->pieces, t->npieces, sizeof(*t->pieces));
	hd_symtable_index(t);
}

static const char *module_of(const struct hd_symtable *t, uint32_t name)
{
	const char *s = hd_symtable_str(t, name);

	return s + strlen(s) + 1;
}

void hd_kallsyms_release(struct hd_kallsyms *k)
{
	hd_symtable_release(&k->table);
	*k = (struct hd_kallsyms){ 0 };
}

bool hd_kallsyms_find(const struct hd_kallsyms *k, uint64_t addr, const char *module, size_t *cursor,
	struct hd_symspan *span)
{
	return hd_symtable_find(&k->table, addr, cursor, span) &&
		(!module || !strcmp(module, module_of(&k->table, span->name)));
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
	/*
	 * A boot moves the kernel by whole pages.  So if the recorded address is a whole number of pages away from
	 * _stext but not from _text, the recording refers to _stext.
	 */
	if (reference == text && stext && ((recorded - text) & (PAGE - 1)) && !((recorded - stext) & (PAGE - 1)))
		reference = stext;
	return recorded && reference ? recorded - reference : 0;
}
