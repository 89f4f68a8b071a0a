/*
 * folded.h - collapsed stacks on paper: `comm;main;f;g 123`
 *
 * One line per distinct stack text, outermost frame first, the weight behind
 * the last blank (the form of Brendan Gregg's stackcollapse scripts).  Lines are
 * sorted frame by frame by bytes, a stack before its extensions.  An address
 * without a symbol is `[unknown]`.
 */
#ifndef HD_OUTPUT_FOLDED_H
#define HD_OUTPUT_FOLDED_H

#include "base/file.h"
#include "profile/profile.h"

struct hd_folded_opts {
	bool annotate;		/* _[k] behind kernel frames, _[i] behind inlined ones */
	bool full_names;	/* demangled with parameters */
};

/* All lines of one event; the profile's comm comes first when it keeps commands apart. */
void hd_folded_write(struct hd_outfile *out, const struct hd_profile *p, uint32_t event, const struct hd_folded_opts *opts);

#endif
