/*
 * pprof.h - write a profile as a pprof protocol buffer, for `go tool pprof`
 *
 * Each event is one value of every sample, with its unit.  A heap recording has the values of Go's heap profiles,
 * alloc_objects, alloc_space, inuse_objects and inuse_space (live at the end), and also peak_objects and peak_space.
 * Other profiles have their events by name.  A function and the functions inlined at the same place are one location
 * with several lines.
 *
 * Format: perftools.profiles.Profile of github.com/google/pprof, proto/profile.proto.
 */
#ifndef HD_RENDER_PPROF_H
#define HD_RENDER_PPROF_H

#include "base/buf.h"
#include "profile/profile.h"

/* Append the uncompressed message; use hd_gzip() to compress it. */
void hd_pprof_write(struct hd_buf *out, const struct hd_profile *p);

#endif
