/*
 * resolve.h - interned chains -> frames and stacks of the profile
 *
 * Every distinct (space, address, tag) is looked up once: first which object is
 * mapped there, then, object by object in address order, which symbol covers
 * it.  Equal (object, symbol) become one frame (equal (object, address) when
 * source lines are wanted), and the chain tree becomes the profile's stacks.
 */
#ifndef HD_INGEST_RESOLVE_H
#define HD_INGEST_RESOLVE_H

#include "ingest/chains.h"
#include "ingest/ingest.h"
#include "symbols/symbols.h"

struct hd_resolver;

/* All borrowed; proc must be built. */
struct hd_resolver *hd_resolver_new(struct hd_profile *p, struct hd_proc *proc, struct hd_symbols *symbols,
				    const struct hd_ingest_opts *opts);
void hd_resolver_free(struct hd_resolver *r);

/* Resolve all nodes of c; the answers below are valid until the next _run. */
void hd_resolver_run(struct hd_resolver *r, const struct hd_chains *c);
hd_stack_id hd_resolver_stack(const struct hd_resolver *r, uint32_t node);
hd_frame_id hd_resolver_frame(const struct hd_resolver *r, uint32_t node);
/* Of the path to a node: does it hold user addresses, and does its outermost one end at a root? */
bool hd_resolver_has_user(const struct hd_resolver *r, uint32_t node);
bool hd_resolver_at_root(const struct hd_resolver *r, uint32_t node);
/* Frames on the path, and how many of them have no symbol. */
uint32_t hd_resolver_depth(const struct hd_resolver *r, uint32_t node);
uint32_t hd_resolver_unknown(const struct hd_resolver *r, uint32_t node);

/* Objects met so far, by the numbers of proc/: false when i was not met; *so is NULL without symbols. */
bool hd_resolver_object(const struct hd_resolver *r, uint32_t i, uint32_t *profile_object, const struct hd_symobj **so);

#endif
