/*
 * folded.h - collapsed stacks on paper: `comm;main;f;g 123`
 *
 * One line per distinct stack text, outermost frame first, the weight behind
 * the last blank (the form of Brendan Gregg's stackcollapse scripts).  Lines are
 * sorted frame by frame by bytes, a stack before its extensions.  An address
 * without a symbol is `[unknown]`.
 */
#ifndef HD_PROFILE_FOLDED_H
#define HD_PROFILE_FOLDED_H

#include "base/file.h"
#include "profile/profile.h"

/*
 * A small recording can hold deep stacks of functions with long names, and their text has no end.  Lines are left out
 * when the text has used up `most_bytes`, or when one alone is longer than HD_FOLDED_LINE.
 */
enum { HD_FOLDED_LINE = 16 << 20 };

struct hd_folded_opts {
	uint64_t most_bytes;	/* 0: 32 MiB and 96 bytes for each byte of the input */
	bool annotate;		/* _[k] behind kernel frames, _[i] behind inlined ones */
	bool full_names;	/* demangled with parameters */
};

/*
 * Write the lines of one event; the profile's comm comes first when it keeps commands apart.  Returns how many stacks
 * were left out.
 */
uint64_t hd_folded_most(const struct hd_profile *p);	/* the default of most_bytes */
uint64_t hd_folded_write(struct hd_outfile *out, const struct hd_profile *p, uint32_t event,
	const struct hd_folded_opts *opts);

/* Warn that hd_folded_write() omitted `stacks` stacks; 0 is no warning. */
void hd_folded_warn_omitted(struct hd_log *log, const struct hd_profile *p, uint64_t stacks);

#endif
