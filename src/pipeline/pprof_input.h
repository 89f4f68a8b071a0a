/*
 * pprof_input.h - read profile.proto files, the format of pprof, plain or gzipped
 *
 * Source of the format: proto/profile.proto of github.com/google/pprof.  Files of any producer can be read: Go (CPU,
 * heap, mutex, block), perf_to_profile, gperftools, hotdrift.
 *
 * Each type of value is an event: `cpu` in ns, `alloc_space` in bytes.  As in `go tool pprof`, the default type is the
 * one that default_sample_type names, else the last; it is the first event.  The sample counts of an event come from
 *
 *     1. the values of the type `EVENT_samples`, which pprof.h writes before EVENT
 *     2. its own values, if the file has such a type for another event, or if all types have the unit count or
 *        events and none is `samples`
 *     3. the values of the type `samples` with the unit count
 *     4. otherwise a sample counts once
 *
 * A count that is 0 or exceeds the value of the event is replaced by 1.
 *
 * A location with several lines is a function and the functions inlined into it.  Mappings are objects; a location
 * without a function keeps its offset in the mapping's file.  The labels comm (or thread), pid and tid (or thread_id)
 * are used; without a comm, the first mapping names the process.
 *
 * Warnings: lost.pprof (damage, with its offset), lost.pprof-sample (a damaged sample, one without a value for each
 * type, or one that refers to an unknown location), lost.negative (the negative values of a difference of two
 * profiles).
 */
#ifndef HD_PIPELINE_PPROF_INPUT_H
#define HD_PIPELINE_PPROF_INPUT_H

#include "base/err.h"
#include "pipeline/options.h"
#include "profile/profile.h"

/* Return true if a file that begins with these n bytes is an uncompressed profile.proto. */
bool hd_pprof_input_is(const char *head, size_t n);
/* Read fd to its end and fill p, which is empty.  fd is borrowed; path is for messages. */
int hd_pprof_input_read(struct hd_profile *p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err);

#endif
