/*
 * name_pattern.h - patterns by which a user selects names: exact, glob or regular expression
 *
 *     parse_line        this name
 *     std::*            a glob (base/glob.h), if it contains * ? or [
 *     /^(read|write)/   an extended regular expression (POSIX) that matches a part of the name
 *
 * A name that equals the whole pattern always matches, so `operator[]` and `operator*` select themselves.
 * annotate/symbol_pattern.h selects symbols by both of their names, or by address.
 *
 * Owns: a compiled expression; the text is borrowed.
 */
#ifndef HD_BASE_NAME_PATTERN_H
#define HD_BASE_NAME_PATTERN_H

#include "base/err.h"

#include <regex.h>
#include <stdbool.h>

struct hd_name_pattern {
	const char *text;
	bool glob, compiled;
	regex_t regex;
};

/* Returns HD_EUSAGE if `text` is empty or an invalid expression.  option: name of the option, for the message. */
int hd_name_pattern_init(struct hd_name_pattern *np, const char *text, const char *option, struct hd_err *err);
void hd_name_pattern_release(struct hd_name_pattern *np);
bool hd_name_pattern_matches(const struct hd_name_pattern *np, const char *name);

#endif
