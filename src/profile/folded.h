/*
 * folded.h - write collapsed stacks: `comm;main;f;g 123`
 *
 * One line per distinct stack text, outermost frame first, then a blank and the weight (the format of Brendan Gregg's
 * stackcollapse scripts).  Lines are sorted frame by frame in byte order, a stack before its extensions.  An address
 * without a symbol is `[unknown]`.
 */
#ifndef HD_PROFILE_FOLDED_H
#define HD_PROFILE_FOLDED_H

#include "base/file.h"
#include "profile/profile.h"

/*
 * A small recording can have deep stacks of functions with long names, so that their text is huge.  Lines are omitted
 * after `most_bytes`, and if they are longer than HD_FOLDED_LINE.
 */
enum { HD_FOLDED_LINE = 16 << 20 };

struct hd_folded_opts {
	uint64_t most_bytes;	/* 0: hd_folded_most() */
	bool annotate;		/* append _[k] to kernel frames, _[i] to inlined frames */
	bool full_names;	/* names with parameters */
};

/* Return the default of most_bytes: 32 MiB, plus 96 bytes for each byte of the input. */
uint64_t hd_folded_most(const struct hd_profile *p);
/*
 * Write the lines of one event, with the thread name first if the profile has HD_KEY_COMM.  Return the number of
 * omitted stacks.
 */
uint64_t hd_folded_write(struct hd_outfile *out, const struct hd_profile *p, uint32_t event,
	const struct hd_folded_opts *opts);

/* Warn that hd_folded_write() omitted `stacks` stacks; 0 is no warning. */
void hd_folded_warn_omitted(struct hd_log *log, const struct hd_profile *p, uint64_t stacks);

#endif
