/*
 * gpu_timeline.h - draw what each GPU did over time
 *
 * The picture has one band per device.  All bands share one time axis, from the first operation of any device to the
 * last.  A band consists of:
 *
 *     GPU 0 NVIDIA H100   compute 90.3 %, copy 1.0 %, overlap 0.0 %, idle 8.7 %
 *     compute   an area: the share of each moment in which a kernel ran
 *     copy      an area: the share of each moment in which a copy or memset ran
 *     longest   boxes: the longest operations, with their names as tooltips
 *     gaps      boxes: the longest times in which the device ran nothing, with tooltips
 *
 * At most 16 devices are drawn.
 * An area has at most as many points as the summary has buckets (profile/gpu.h), so the size of the picture does not
 * depend on the length of the capture.  The same capture gives the same bytes.
 *
 * The functions that draw write nothing if the profile has no hd_profile.gpu or no device operations.
 */
#ifndef HD_RENDER_GPU_TIMELINE_H
#define HD_RENDER_GPU_TIMELINE_H

#include "base/buf.h"
#include "base/file.h"
#include "profile/profile.h"

#include <stdbool.h>

/* Return true if there is something to draw. */
bool hd_gpu_timeline_has(const struct hd_profile *p);
/* Write a complete SVG file. It is light or dark as the reader's system prefers. */
void hd_gpu_timeline_svg(struct hd_outfile *out, const struct hd_profile *p);
/* Append the svg element alone, for a page that contains hd_gpu_timeline_css(). */
void hd_gpu_timeline_fragment(struct hd_buf *out, const struct hd_profile *p);
void hd_gpu_timeline_css(struct hd_buf *out);

#endif
