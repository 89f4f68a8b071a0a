/*
 * symbol_pattern.c - see symbol_pattern.h
 */
#include "annotate/symbol_pattern.h"

#include "base/glob.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int hd_symbol_pattern_init(struct hd_symbol_pattern *s, const char *text, struct hd_err *err)
{
	size_t n = text ? strlen(text) : 0;
	char *end, *expression, why[256];
	int rc;

	*s = (struct hd_symbol_pattern){ .text = text };
	if (n > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		errno = 0;
		s->address = strtoull(text, &end, 16);
		if (!*end && !errno)
			s->kind = HD_SYMBOL_ADDRESS;
		return 0;
	}
	if (n < 3 || text[0] != '/' || text[n - 1] != '/')
		return 0;
	expression = hd_strndup(text + 1, n - 2);
	rc = regcomp(&s->regex, expression, REG_EXTENDED | REG_NOSUB);
	free(expression);
	if (rc) {
		regerror(rc, &s->regex, why, sizeof(why));
		return hd_fail(err, HD_EUSAGE, "annotate: %s is not a regular expression: %s", text, why);
	}
	s->kind = HD_SYMBOL_REGEX;
	return 0;
}

static bool is_name(const struct hd_symbol_pattern *s, const struct hd_profile *p, uint32_t symbol)
{
	const struct hd_profile_symbol *of = &p->symbols[symbol];

	return !of->unresolved &&
		(!strcmp(s->text, hd_profile_str(p, of->name)) || !strcmp(s->text, hd_profile_str(p, of->linkage)));
}

void hd_symbol_pattern_look(struct hd_symbol_pattern *s, const struct hd_profile *p, const bool *wanted)
{
	for (uint32_t i = 0; s->text && s->kind == HD_SYMBOL_NAME && !s->exact && i < p->nsymbols; i++)
		s->exact = wanted[i] && is_name(s, p, i);
}

static bool matches_text(const struct hd_symbol_pattern *s, const char *name)
{
	if (s->kind == HD_SYMBOL_REGEX)
		return regexec(&s->regex, name, 0, NULL, 0) == 0;
	return hd_glob(s->text, strlen(s->text), name, strlen(name));
}

bool hd_symbol_pattern_matches(const struct hd_symbol_pattern *s, const struct hd_profile *p, uint32_t symbol)
{
	const struct hd_profile_symbol *of = &p->symbols[symbol];

	if (!s->text)
		return true;
	if (s->kind == HD_SYMBOL_ADDRESS)
		return of->start == s->address || s->address - of->start < of->size;
	if (s->exact)
		return is_name(s, p, symbol);
	return !of->unresolved &&
		(matches_text(s, hd_profile_str(p, of->name)) || matches_text(s, hd_profile_str(p, of->linkage)));
}

void hd_symbol_pattern_release(struct hd_symbol_pattern *s)
{
	if (s->kind == HD_SYMBOL_REGEX)
		regfree(&s->regex);
}
