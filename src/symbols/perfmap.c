/*
 * perfmap.c - see perfmap.h
 */
#include "symbols/perfmap.h"

#include "symbols/kallsyms.h"

#include <string.h>

static void skip_0x(const char **p, const char *end)
{
	if (end - *p > 2 && (*p)[0] == '0' && ((*p)[1] | 32) == 'x')
		*p += 2;
}

/* Parse a line.  On success *name points to the name. */
static bool parse_line(const char *p, const char *end, struct hd_symraw *raw, const char **name)
{
	skip_0x(&p, end);
	if (!hd_scan_hex(&p, end, &raw->start) || p == end || *p++ != ' ')
		return false;
	skip_0x(&p, end);
	if (!hd_scan_hex(&p, end, &raw->size) || end - p < 2 || *p++ != ' ')
		return false;
	*name = p;
	return raw->start + raw->size >= raw->start;
}

void hd_perfmap_parse(struct hd_symtable *t, const char *text, size_t n, struct hd_perfmap_found *found)
{
	uint32_t base;
	char *copy = hd_symtable_names(t, n, &base), *p = copy, *end = copy + n;

	*found = (struct hd_perfmap_found){ 0 };
	if (copy)
		memcpy(copy, text, n);
	while (copy && p < end) {
		struct hd_symraw raw = { .flags = HD_SYM_GLOBAL };
		char *eol = memchr(p, '\n', (size_t)(end - p));
		const char *name;

		if (!eol)
			eol = end;
		if (parse_line(p, eol, &raw, &name) && !memchr(p, '\0', (size_t)(eol - p))) {
			found->lines++;
			raw.name = base + (uint32_t)(name - copy);
			hd_symtable_add(t, &raw);
		} else if (eol != p) {
			found->damaged++;
		}
		*eol = '\0';		/* ends the name; a NUL already follows the text */
		p = eol + 1;
	}
	hd_symtable_build(t, HD_SYM_LATEST);
}
