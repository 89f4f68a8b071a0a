/*
 * annotate_options.h - the options of `annotate` and `tui`: where source files are, and the syntax of instructions
 */
#ifndef HD_CLI_ANNOTATE_OPTIONS_H
#define HD_CLI_ANNOTATE_OPTIONS_H

#include "annotate/annotation.h"
#include "cli/cmd.h"

struct hd_annotate_options {
	/*
	 * options for the annotation, completed by hd_annotate_options_check().  The command sets the members for which
	 * this group has no option
	 */
	struct hd_annotate_opts annotate;
	const char *disassembler_style, *prefix;
};

extern const struct hd_opt hd_annotate_options[];
#define HD_ANNOTATE_GROUP(type, member)	{ "source and instructions", hd_annotate_options, offsetof(type, member) }

/* Check the values and complete o->annotate.  Returns HD_EUSAGE if one is invalid. */
int hd_annotate_options_check(struct hd_annotate_options *o, const char *command, struct hd_err *err);

#endif
