/*
 * rate.h - how an event was sampled, in JSON
 *
 * "sampling":{"frequency_hz":999,"period":null,"throttled":3,"unthrottled":3,"silent_pct":0.2,"enabled_ns":null,"running_ns":null,
 *  "call_graph":"dwarf","stack_bytes":8192}
 * What is not known is null.
 */
#ifndef HD_RENDER_RATE_H
#define HD_RENDER_RATE_H

#include "base/jsonw.h"
#include "profile/rate.h"

void hd_rate_json(struct hd_jsonw *w, const struct hd_rate *r);

#endif
