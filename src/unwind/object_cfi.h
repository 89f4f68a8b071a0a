/*
 * object_cfi.h - the code of one object: where it is linked, its call frame information
 *
 *     text = hd_object_cfis_get(ts, object)               opened on the first question
 *     hd_object_cfi_find(ts, text, foff, &cfi, &vaddr)    an offset in the file -> as linked, and its CFI; false: no code is there
 *     hd_cfi_function(cfi, vaddr)
 *
 * The sections are read into memory whole, so that a file that shrinks
 * meanwhile is an error and not a signal.  .debug_frame is taken from the file
 * itself only, not from a separate debug file.
 *
 * JIT code has CFI for each body of code, in its jitdump (jit_cfi.c).
 *
 * Owns:  the sections' bytes, compiled rows, segments.
 * Threads: any; a lock is held only while an object is opened, or memory taken.
 *
 * Private to unwind/.
 */
#ifndef HD_UNWIND_OBJECT_CFI_H
#define HD_UNWIND_OBJECT_CFI_H

#include "base/arena.h"
#include "cfi/cfi.h"
#include "process/process_table.h"
#include "unwind/stack_input.h"

#include <pthread.h>

/* One executable PT_LOAD. */
struct hd_object_cfi_segment { uint64_t off, filesz, vaddr; };

struct hd_jit_cfi_table;

struct hd_object_cfi {
	struct hd_cfi *cfi;		/* NULL: none, or jit */
	struct hd_jit_cfi_table *jit;	/* of JIT code with a jitdump */
	enum hd_cfi_machine machine;	/* of cfi */
	enum hd_unwind_failure lack;
	enum hd_object_kind kind;
	bool opened;			/* its segments are known */
	bool has_entry;
	uint64_t entry;			/* vaddr: where a process begins in it */
	struct hd_object_cfi_segment *loads;
	size_t nloads;
	void *bytes[3];			/* of the sections */
	char *trouble;			/* of HD_UNWIND_FAILURE_TROUBLE: in a sentence */
};

struct hd_object_cfis {
	const struct hd_process_table *proc;
	struct hd_unwind_source source;
	uint32_t n;			/* objects of process/ */
	struct hd_object_cfi *_Atomic *items;
	pthread_mutex_t opening, memory;
	struct hd_arena arena;		/* of compiled rows; under `memory` */
};

void hd_object_cfis_init(struct hd_object_cfis *ts, const struct hd_process_table *proc,
	const struct hd_unwind_source *source);
void hd_object_cfis_release(struct hd_object_cfis *ts);
void hd_object_cfis_grow(struct hd_object_cfis *ts);		/* see hd_unwind_grow */

/* Never NULL. */
const struct hd_object_cfi *hd_object_cfis_get(struct hd_object_cfis *ts, uint32_t object);
/* The same if it was asked for before, else NULL. */
const struct hd_object_cfi *hd_object_cfis_peek(const struct hd_object_cfis *ts, uint32_t object);

/*
 * Where the code at foff is linked, and the CFI that may know it (NULL: there is none).
 * False: it is the file's data.
 */
bool hd_object_cfi_find(struct hd_object_cfis *ts, const struct hd_object_cfi *c, uint64_t foff, struct hd_cfi **cfi,
	uint64_t *vaddr);

/* By the executable segments alone, as hd_elf_vaddr has them first. */
bool hd_object_cfi_vaddr(const struct hd_object_cfi *c, uint64_t foff, uint64_t *vaddr);

/* jit_cfi.c: c->jit, from a dump that outlives it; NULL when the machine is not unwound. */
struct hd_jit_cfi_table *hd_jit_cfi_open(struct hd_object_cfi *c, const struct hd_jitdump *d);
void hd_jit_cfi_close(struct hd_jit_cfi_table *j);		/* NULL is fine */
/* CFI of the code at foff, or NULL. */
struct hd_cfi *hd_jit_cfi_find(struct hd_object_cfis *ts, const struct hd_object_cfi *c, uint64_t foff,
	uint64_t *vaddr);
/* Memory for compiled rows and what they point to: lives as long as ts. */
void *hd_object_cfis_take(void *ts, size_t bytes);

#endif
