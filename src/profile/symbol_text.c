/*
 * symbol_text.c - see symbol_text.h
 */
#include "profile/symbol_text.h"

#include "base/encode.h"
#include "base/hex.h"

#include <assert.h>
#include <string.h>

const char *hd_symbol_text(const struct hd_profile *p, uint32_t symbol, bool full, char *buf, size_t n)
{
	const struct hd_profile_symbol *s = &p->symbols[symbol];

	if (!s->unresolved)
		return hd_profile_str(p, full ? s->full : s->name);
	if (s->no_address)
		return HD_UNKNOWN;
	assert(n >= HD_HEX64);
	hd_hex64(s->start, buf);
	return buf;
}

static bool is_address(const struct hd_profile_symbol *s)
{
	return s->unresolved && !s->no_address;
}

int hd_symbol_order(const struct hd_profile *p, uint32_t a, uint32_t b)
{
	const struct hd_profile_symbol *sa = &p->symbols[a], *sb = &p->symbols[b];
	char ta[HD_SYMBOL_TEXT], tb[HD_SYMBOL_TEXT];

	if (is_address(sa) && is_address(sb))	/* both texts have sixteen digits, so compare the numbers */
		return sa->start < sb->start ? -1 : sa->start > sb->start;
	if (!sa->unresolved && !sb->unresolved && sa->name == sb->name)
		return 0;
	return strcmp(hd_symbol_text(p, a, false, ta, sizeof(ta)), hd_symbol_text(p, b, false, tb, sizeof(tb)));
}

uint64_t hd_symbol_key(const struct hd_profile *p, uint32_t symbol, uint64_t *rest)
{
	const struct hd_profile_symbol *s = &p->symbols[symbol];
	char address[HD_SYMBOL_TEXT];
	const char *text = hd_symbol_text(p, symbol, false, address, sizeof(address));
	uint64_t key = 0;
	size_t i = 0;

	for (; i < 8 && text[i]; i++)
		key = key << 8 | (uint8_t)text[i];
	*rest = is_address(s) ? s->start : 0;
	return i ? key << 8 * (8 - i) : 0;
}
