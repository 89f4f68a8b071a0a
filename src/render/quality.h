/*
 * quality.h - print how complete the stacks of a recording are, and how its events were sampled
 *
 * Text, for `info`; only for recordings:
 *
 *     stacks      12,998 samples (99.20%) have a stack copy of 8,192 bytes
 *                 98.60% of them reach their root, 0.80% more stitched, 0.10% more guessed
 *                 1.20% cut, the copy ended before the stack ...
 *     quality     good: 99.40% of 12,998 stacks reach their root (0.80% stitched), 0.20% of the frames have no symbol
 *
 * JSON: the members "stacks" and "quality" of hotdrift.info.
 */
#ifndef HD_RENDER_QUALITY_H
#define HD_RENDER_QUALITY_H

#include "base/buf.h"
#include "base/jsonw.h"
#include "profile/rate.h"
#include "profile/recording.h"

void hd_quality_text(struct hd_buf *out, const struct hd_recording *r, uint64_t kept);
void hd_quality_json(struct hd_jsonw *w, const struct hd_recording *r);

/*
 * Append how an event was sampled: "sampling":{"frequency_hz":999,"period":null,"throttled":3,"unthrottled":3,
 * "silent_pct":0.2,"enabled_ns":null,"running_ns":null,"call_graph":"dwarf","stack_bytes":8192}.
 * Unknown values are null.
 */
void hd_rate_json(struct hd_jsonw *w, const struct hd_rate *r);

#endif
