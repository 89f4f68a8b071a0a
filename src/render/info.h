/*
 * info.h - print the contents and the quality of a recording, and the fix for each problem
 *
 * JSON: {"format":"hotdrift.info","version":1,"file":{},"header":{},"events":[],"records":{},"lost":{},"switches":{},
 * "branches":{},"bpf_programs":{},"hardware_trace":{},"samples":{},"stacks":{},"quality":{},"objects":[],
 * "warnings":[]}; GPU captures also have "gpu" (gpu.h).  "quality" has the grade (profile/stack_quality.h), which is
 * null if the input has no stack quality, such as folded text, and shares in per cent.
 */
#ifndef HD_RENDER_INFO_H
#define HD_RENDER_INFO_H

#include "base/buf.h"
#include "profile/profile.h"

void hd_info_text(struct hd_buf *out, const struct hd_profile *p);
void hd_info_json(struct hd_buf *out, const struct hd_profile *p);

#endif
