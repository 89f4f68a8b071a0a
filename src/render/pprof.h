/*
 * pprof.h - write a profile as a pprof protocol buffer, for `go tool pprof`
 *
 * A heap recording has the values of Go's heap profiles, alloc_objects, alloc_space, inuse_objects and inuse_space
 * (live at the end), and also peak_objects and peak_space.  Other profiles have two values per event: the number of
 * samples, if it is known and differs from the weight, then the weight in the event's unit.  The name of the first one
 * is `samples`, or `EVENT_samples` if there are several events; that of the second one is the event's name.  The
 * default value is the weight of the first event with samples.
 *
 * A function and the functions inlined at the same place are one location with several lines.  Addresses are as linked.
 * The first mapping is the main program, as pprof expects: the object in the stacks of most samples that is neither
 * kernel code nor a shared library by its name.
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
