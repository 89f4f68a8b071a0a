/*
 * symbol_pattern.h - select functions by name, pattern, regular expression or address
 *
 *     parse            the name, as displayed (without parameters) or as in the symbol table
 *     0x4011a0         the function that contains this address (as linked)
 *     /^parse_.*x$/    a POSIX extended regular expression over both names
 *     parse_*          a pattern of base/glob.h over both names, if no function has exactly this name
 *
 * base/name_pattern.h is a simpler pattern without addresses, which is matched with each name on its own: there,
 * `operator*` matches `operator*` and `operator==`.  Here, it selects only the former if that exists.
 */
#ifndef HD_ANNOTATE_SYMBOL_PATTERN_H
#define HD_ANNOTATE_SYMBOL_PATTERN_H

#include "base/err.h"
#include "profile/profile.h"

#include <regex.h>

struct hd_symbol_pattern {
	const char *text;		/* borrowed; NULL: everything matches */
	enum { HD_SYMBOL_NAME, HD_SYMBOL_ADDRESS, HD_SYMBOL_REGEX } kind;
	bool exact;			/* some function has exactly this name */
	uint64_t address;
	regex_t regex;
};

/* Parse `text`.  Returns HD_EUSAGE for an invalid regular expression; `s` must not be released in this case. */
int hd_symbol_pattern_init(struct hd_symbol_pattern *s, const char *text, struct hd_err *err);
/* Set s->exact if a symbol i with wanted[i] has exactly the name of the pattern.  Call this before _matches(). */
void hd_symbol_pattern_look(struct hd_symbol_pattern *s, const struct hd_profile *p, const bool *wanted);
bool hd_symbol_pattern_matches(const struct hd_symbol_pattern *s, const struct hd_profile *p, uint32_t symbol);
void hd_symbol_pattern_release(struct hd_symbol_pattern *s);

#endif
