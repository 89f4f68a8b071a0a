/*
 * selection_text.h - convert a selection to text, which is stored with a run
 *
 *     hotdrift add p.data --event cycles --comm 'a b' --comm x --no-kernel
 *     --comm='a b' --comm=x --event=cycles --no-kernel
 *
 * Equal selections have equal texts: the options have a fixed order, values are sorted as text and unique, numbers have
 * no leading zeros, and values are quoted as for a shell.  Options with their default value are omitted.
 */
#ifndef HD_PIPELINE_SELECTION_TEXT_H
#define HD_PIPELINE_SELECTION_TEXT_H

#include "base/buf.h"
#include "pipeline/options.h"

/* Append the text of `s`, except --skip; nothing if all other options have their default values. */
void hd_selection_text_add(struct hd_buf *out, const struct hd_selection *s);
/* Append --skip=RULES; the rules are known only after the input was read.  NULL: no rules were applied. */
void hd_selection_text_add_skip(struct hd_buf *out, const char *rules);
/* Append --duration=SECONDS: the recording was stopped after this time while the program still ran.  Nothing if 0. */
void hd_selection_text_add_duration(struct hd_buf *out, unsigned seconds);

#endif
