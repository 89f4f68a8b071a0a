/*
 * annotate_options.c - see annotate_options.h
 */
#include "cli/annotate_options.h"

#include "base/mem.h"

#include <string.h>

#define ROW(kind, letter, name, arg, help, member)								\
	{ HD_OPT_##kind, letter, name, arg, help, offsetof(struct hd_annotate_options, member) }
const struct hd_opt hd_annotate_options[] = {
	ROW(STR, 'M', "disassembler-style", "STYLE", "syntax of x86 instructions: att (default) or intel",
		disassembler_style),
	ROW(LIST, 0, "source-prefix", "DIR", "look for source files below DIR; may be repeated",
		annotate.source_prefix),
	ROW(STR, 0, "prefix", "DIR", "the same, in perf's spelling", prefix),
	ROW(UINT, 0, "prefix-strip", "N",
		"remove N leading folders of a recorded path before DIR is put in front of it",
		annotate.prefix_strip),
	ROW(LIST, 0, "substitute-path", "FROM=TO", "a recorded source path that starts with FROM is read from TO",
		annotate.substitute),
	{ 0 },
};
#undef ROW

int hd_annotate_options_check(struct hd_annotate_options *o, const char *command, struct hd_err *err)
{
	struct hd_string_list *prefixes = &o->annotate.source_prefix;

	if (o->disassembler_style && strcmp(o->disassembler_style, "att") && strcmp(o->disassembler_style, "intel"))
		return hd_fail(err, HD_EUSAGE, "%s: --disassembler-style takes att or intel, not '%s'", command,
			o->disassembler_style);
	for (size_t i = 0; i < o->annotate.substitute.n; i++)
		if (!strchr(o->annotate.substitute.items[i], '=') || *o->annotate.substitute.items[i] == '=')
			return hd_fail(err, HD_EUSAGE, "%s: --substitute-path takes FROM=TO, not '%s'", command,
				o->annotate.substitute.items[i]);
	if (o->prefix) {
		HD_GROW(prefixes->items, prefixes->n + 1, prefixes->cap);
		prefixes->items[prefixes->n++] = o->prefix;
	}
	o->annotate.intel = o->disassembler_style && !strcmp(o->disassembler_style, "intel");
	return 0;
}
