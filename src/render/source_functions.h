/*
 * source_functions.h - number the functions of a profile, for output formats with a table of functions
 *
 * A function is a pair (symbol, source file), as in the tables of pprof, callgrind and Firefox.  A symbol has
 * several source files, and so is several functions, if code of a header was compiled into it.
 *
 * Owns:      the functions.  Ids are dense, in order of their first frame.
 * Borrows:   nothing after hd_source_functions_init().
 * Invariant: of_frame[f] < n for each frame f.
 */
#ifndef HD_RENDER_SOURCE_FUNCTIONS_H
#define HD_RENDER_SOURCE_FUNCTIONS_H

#include "base/buf.h"
#include "profile/profile.h"

struct hd_source_function {
	uint32_t symbol, file;		/* file: string id, 0: unknown */
	uint32_t line;			/* the lowest known line of its frames; 0: unknown */
};

struct hd_source_functions {
	struct hd_source_function *items;
	uint32_t n;
	uint32_t *of_frame;		/* indexed by frame: id of its function, an index of `items` */
};

void hd_source_functions_init(struct hd_source_functions *fns, const struct hd_profile *p);
void hd_source_functions_release(struct hd_source_functions *fns);

/*
 * Append the name of a symbol as raw bytes: its displayed name; if it is unresolved, its address as 0x%016x; without an
 * address, [unknown].
 */
void hd_source_functions_name(struct hd_buf *out, const struct hd_profile *p, uint32_t symbol);

#endif
