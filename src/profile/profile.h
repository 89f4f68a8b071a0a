/*
 * profile.h - the model: what every input becomes and every output reads
 *
 * Each reader knows its input format and makes a profile.  All code after the readers knows only the profile.
 *
 *     objects   [0] unknown  [1] /usr/bin/app  [2] [kernel.kallsyms] ...
 *     symbols   one per symbol table entry: (object, start vaddr)
 *     frames    (symbol, vaddr, inlined?): an address in a symbol
 *     stacks    (caller stack, frame): a tree of shared prefixes, stack.h
 *     samples   (stack, self, event, comm, pid, tid, cpu, tuple) -> weight, count (sample_rows.h)
 *
 * Items refer to each other by id, and names are ids of one string table.  In a row's key, ids that are not selected by
 * `keys` are 0.  The tuple has the values of the sample fields in `fields` (tuple.h).
 *
 * Owns:      all of the above.
 * Input:     the readers in pipeline/.
 * Invariant: the sum of the rows' weights = the event's weight.  Frame 0, symbol 0, object 0 and stack 0 mean
 *            "unknown" or "empty".
 */
#ifndef HD_PROFILE_PROFILE_H
#define HD_PROFILE_PROFILE_H

#include "base/hash_index.h"
#include "base/log.h"
#include "base/map.h"
#include "base/strtab.h"
#include "profile/rate.h"
#include "profile/recording.h"
#include "profile/sample_rows.h"
#include "profile/stack.h"
#include "profile/timed_samples.h"
#include "profile/tuple.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_object {
	uint32_t name;		/* path as recorded, e.g. /usr/lib/libc.so.6, [kernel.kallsyms], [vdso] */
	uint32_t build_id;	/* hexadecimal text; 0: unknown */
	bool kernel;
	bool unknown;		/* the object of addresses that no mapping covers */
};

struct hd_profile_symbol {
	uint32_t object;
	uint64_t start;		/* vaddr; the address itself if unresolved */
	uint64_t size;
	uint32_t linkage;	/* name in the symbol table; 0 if unresolved */
	uint32_t name;		/* demangled without parameters */
	uint32_t full;		/* demangled with parameters, if the input was read with full_names; else `name` */
	bool unresolved;	/* shown as 0x%016x in tables, [unknown] in folded text */
	bool no_address;	/* unresolved, and the address is unknown, too */
	bool kernel;
};

struct hd_frame {
	uint32_t symbol;
	uint64_t vaddr;		/* 0 if the input has only names */
	uint32_t file;		/* source line, if read with `lines` */
	uint32_t line;
	bool inlined;		/* an inlined function; the next frame outwards is the function that contains it */
};

struct hd_event {
	uint32_t name;		/* name as recorded: cycles:u, cpu-clock, sched:sched_switch */
	uint32_t unit;		/* unit of the weights: "cycles", "ns", "bytes", "samples", "events", ... */
	uint64_t samples;
	uint64_t weight;
	double squares;		/* sum of the squares of the samples' weights; 0: unknown */
	double var;		/* variance of the weight: the sum of `var` over the event's rows */
	uint64_t lost;		/* number of samples that were lost while recording; 0: none, or unknown */
	struct hd_rate rate;
	/* linked list of the event's rows: first_row is the index + 1 of the first one; see hd_sample_row.next */
	uint32_t nrows;
	uint32_t first_row, last_row;
};

/* The optional ids of a row's key.  Event and stack are always part of it. */
enum hd_profile_keys {
	HD_KEY_COMM = 1 << 0,
	HD_KEY_PID = 1 << 1,
	HD_KEY_TID = 1 << 2,
	HD_KEY_CPU = 1 << 3,
};

/* The number of samples that were read but dropped for one reason.  The reason is a constant word. */
struct hd_dropped {
	const char *reason;
	uint64_t count;
};

/*
 * A change of the live bytes that were allocated with one stack.  The changes of a stack before the end of the process
 * add up to the bytes that it leaked.  If the time of the end is known, a last change at this time brings the sum to 0.
 */
struct hd_move {
	uint64_t time_ns;	/* CLOCK_MONOTONIC */
	hd_stack_id stack;
	int64_t bytes;
};

struct hd_gpu;

struct hd_profile {
	struct hd_strtab *names;
	struct hd_object *objects;
	size_t nobjects, objects_cap;
	struct hd_profile_symbol *symbols;
	size_t nsymbols, symbols_cap;
	struct hd_frame *frames;
	size_t nframes, frames_cap;
	struct hd_event *events;
	size_t nevents, events_cap;
	struct hd_sample_rows rows;
	struct hd_tuples tuples;	/* the values of `fields` */
	char **fields;			/* names, as the user wrote them */
	size_t nfields;
	struct hd_stacks *stacks;
	/* the samples in order of time, if read with `timed` or `ordered` (hd_pipeline_opts); else NULL; owned */
	struct hd_timed_samples *timed;
	struct hd_move *moves;	/* changes of live bytes by ascending time, for heap recordings read with `moves` */
	size_t nmoves, moves_cap;
	struct hd_gpu *gpu;	/* for GPU captures (gpu.h), else NULL; owned */
	struct hd_dropped *dropped;
	size_t ndropped, dropped_cap;
	uint64_t read, kept;	/* numbers of samples; read = kept + sum of dropped */
	unsigned keys;		/* enum hd_profile_keys */
	struct hd_recording recording;
	struct hd_log log;

	/* indexes; private to profile.c */
	struct hd_index object_ix, symbol_ix, frame_ix;
	struct hd_map event_ix;
};

struct hd_profile *hd_profile_new(void);
void hd_profile_free(struct hd_profile *p);		/* accepts NULL */

const char *hd_profile_str(const struct hd_profile *p, uint32_t id);	/* borrowed; valid as long as `p` */
uint32_t hd_profile_name(struct hd_profile *p, const char *s);		/* intern `s` and return its id */

/*
 * Return an estimate, in bytes, of the memory of the profile and of one call tree of it.  It depends on the content
 * only, so equal profiles give equal numbers.  The reserved part of growing arrays is assumed to be half of the items.
 */
enum { HD_STACK_BYTES = 144 }; /* memory per stack: its node, its index slot, and its node in a call tree */
uint64_t hd_profile_bytes(const struct hd_profile *p);

/* The following functions add an item, or return the id of an existing item with an equal key. */
/* Add an object.  Key: (name, build_id, kernel).  build_id: hexadecimal text; "" is unknown. */
uint32_t hd_profile_add_object(struct hd_profile *p, const char *name, const char *build_id, bool kernel);
/*
 * Add a symbol.  Key: (object, start, unresolved); the first call for a key sets the names.  If start and size are 0
 * and the symbol is not `unresolved`, only its name is known, and the key is (object, linkage, kernel).
 */
uint32_t hd_profile_add_symbol(struct hd_profile *p, const struct hd_profile_symbol *s);
/* Add a symbol whose address is unknown.  Key: (object, name, kernel). */
uint32_t hd_profile_add_named_symbol(struct hd_profile *p, uint32_t object, const char *name, bool kernel);
/* Add a frame.  Key: (symbol, vaddr, inlined, file, line). */
hd_frame_id hd_profile_add_frame(struct hd_profile *p, const struct hd_frame *f);
/* Add an event.  Key: name.  The first call for a name sets the unit. */
uint32_t hd_profile_add_event(struct hd_profile *p, const char *name, const char *unit);
/* Add weight, count and var to the row with this key, and to its event.  Return the index of the row. */
uint32_t hd_profile_add_sample(struct hd_profile *p, const struct hd_sample_row *row);
/*
 * Like hd_profile_add_sample(), but if the weight of the event would exceed 64 bits, the row is dropped with a warning
 * about the file `path`, and counted as one dropped sample (lost.weight), whatever its count.  Returns true if the row
 * was added.
 */
bool hd_profile_add_bounded(struct hd_profile *p, const struct hd_sample_row *row, const char *path);
/* Make the values of these n sample fields a part of each row's key.  Call this before the first sample is added. */
void hd_profile_keep_fields(struct hd_profile *p, const char *const *names, size_t n);
/* Count samples as dropped; the caller counts them in p->read.  `reason` is a constant word. */
void hd_profile_drop(struct hd_profile *p, const char *reason, uint64_t count);
/* Return the number of samples dropped for `reason`. */
uint64_t hd_profile_dropped(const struct hd_profile *p, const char *reason);

/* Return the name of a frame in folded text and pictures, never NULL.  *unknown is set if it is a pseudo-name. */
const char *hd_profile_frame_name(const struct hd_profile *p, hd_frame_id f, bool *unknown);

#endif
