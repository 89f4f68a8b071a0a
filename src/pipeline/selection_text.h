/*
 * selection_text.h - a selection as a text that is kept with a run
 *
 *     hotdrift add p.data --event cycles --comm 'a b' --comm x --no-kernel
 *     --comm='a b' --comm=x --event=cycles --no-kernel
 *
 * Two runs with equal texts selected the same: options are in a fixed order, each value once and sorted,
 * numbers without leading zeros, values in quotes as a shell takes them.  What selects nothing is not in it.
 */
#ifndef HD_PIPELINE_SELECTION_TEXT_H
#define HD_PIPELINE_SELECTION_TEXT_H

#include "base/buf.h"
#include "pipeline/options.h"

/* Appends nothing when everything is selected. */
void hd_selection_text_add(struct hd_buf *out, const struct hd_selection *s);
/* ... and --skip, which comes last and is known once the recording was read: the rules that were in force; NULL: none. */
void hd_selection_text_add_skip(struct hd_buf *out, const char *rules);
/* The recording ended after so many seconds, though the program had not; 0: it did not. */
void hd_selection_text_add_duration(struct hd_buf *out, unsigned seconds);

#endif
