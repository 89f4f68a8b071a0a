/*
 * flame_input.h - read the stacks that are embedded in a flamegraph of hotdrift
 *
 * `flame` embeds the call tree in the SVG or HTML file (render/flame_data.h has the format).  The reader converts the
 * tree to folded text and passes that to folded_input.h, so the profile is that of the folded stacks.  Stacks that were
 * summed up to keep the file small have the frame `[narrower frames]`, and a warning reports their share of the weight.
 *
 * The file is untrusted: a file of more than 64 MiB, data of 256 MiB or more, a text of more than 1 GiB, or stacks of
 * 131072 frames or more are HD_EFORMAT.
 */
#ifndef HD_PIPELINE_FLAME_INPUT_H
#define HD_PIPELINE_FLAME_INPUT_H

#include "base/err.h"
#include "pipeline/options.h"
#include "profile/profile.h"

/* Return true if the file begins as a flamegraph of hotdrift does. */
bool hd_flame_input_is(const char *head, size_t n);
/* Read fd to its end and fill p, which is empty.  fd is borrowed; path is for messages. */
int hd_flame_input_read(struct hd_profile *p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err);

#endif
