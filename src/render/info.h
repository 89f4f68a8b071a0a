/*
 * info.h - what a recording holds, how good it is, and what to do about each problem
 *
 * JSON as DESIGN.md has it: {"format":"hotdrift.info","version":1,"file":{},
 * "header":{},"events":[],"records":{},"samples":{},"stacks":{},"quality":{},"objects":[],
 * "warnings":[]}; of GPU captures also "gpu" (gpu.h).  quality: grade (profile/stack_quality.h), null for folded text, and shares in percent.
 */
#ifndef HD_RENDER_INFO_H
#define HD_RENDER_INFO_H

#include "base/buf.h"
#include "profile/profile.h"

void hd_info_text(struct hd_buf *out, const struct hd_profile *p);
void hd_info_json(struct hd_buf *out, const struct hd_profile *p);

#endif
