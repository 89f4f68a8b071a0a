/*
 * pprof.h - a profile as pprof's protocol buffer, for `go tool pprof` and what else reads it
 *
 * Each event is a value of every sample, with its unit: of a heap recording
 * alloc_objects, alloc_space, inuse_objects and inuse_space, as Go's own have
 * them (in use is what is live at the end), and peak_objects and peak_space; of
 * another one its events by their names.  A function and what is inlined into it
 * at one place is one location with several lines.
 *
 * Format: perftools.profiles.Profile of github.com/google/pprof, proto/profile.proto.
 */
#ifndef HD_RENDER_PPROF_H
#define HD_RENDER_PPROF_H

#include "base/buf.h"
#include "profile/profile.h"

/* The message, not compressed: gzip.h does that. */
void hd_pprof_write(struct hd_buf *out, const struct hd_profile *p);

#endif
