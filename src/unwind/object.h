/*
 * object.h - the code of one object: where it is linked, its call frame information
 *
 *     text = hd_texts_get(ts, object)               opened on the first question
 *     hd_text_code(ts, text, foff, &cfi, &vaddr)    an offset in the file -> as linked, and its CFI; false: no code is there
 *     hd_cfi_function(cfi, vaddr)
 *
 * The sections are read into memory whole, so that a file that shrinks
 * meanwhile is an error and not a signal.  .debug_frame is taken from the file
 * itself only, not from a separate debug file.
 *
 * JIT code has CFI for each body of code, in its jitdump (jit.c).
 *
 * Owns:  the sections' bytes, compiled rows, segments.
 * Threads: any; a lock is held only while an object is opened, or memory taken.
 *
 * Private to unwind/.
 */
#ifndef HD_UNWIND_OBJECT_H
#define HD_UNWIND_OBJECT_H

#include "base/arena.h"
#include "cfi/cfi.h"
#include "unwind/unwind.h"

#include <pthread.h>

/* One executable PT_LOAD. */
struct hd_text_load { uint64_t off, filesz, vaddr; };

struct hd_jit_text;

struct hd_text {
	struct hd_cfi *cfi;		/* NULL: none, or jit */
	struct hd_jit_text *jit;	/* of JIT code with a jitdump */
	enum hd_cfi_machine machine;	/* of cfi */
	enum hd_unwind_lack lack;
	enum hd_object_kind kind;
	bool opened;			/* its segments are known */
	bool has_entry;
	uint64_t entry;			/* vaddr: where a process begins in it */
	struct hd_text_load *loads;
	size_t nloads;
	void *bytes[3];			/* of the sections */
	char *trouble;			/* of HD_LACK_TROUBLE: in a sentence */
};

struct hd_texts {
	const struct hd_proc *proc;
	struct hd_unwind_source source;
	uint32_t n;			/* objects of proc/ */
	struct hd_text *_Atomic *items;
	pthread_mutex_t opening, memory;
	struct hd_arena arena;		/* of compiled rows; under `memory` */
};

void hd_texts_init(struct hd_texts *ts, const struct hd_proc *proc, const struct hd_unwind_source *source);
void hd_texts_release(struct hd_texts *ts);
void hd_texts_grow(struct hd_texts *ts);		/* see hd_unwind_grow */

/* Never NULL. */
const struct hd_text *hd_texts_get(struct hd_texts *ts, uint32_t object);
/* The same if it was asked for before, else NULL. */
const struct hd_text *hd_texts_peek(const struct hd_texts *ts, uint32_t object);

/*
 * Where the code at foff is linked, and the CFI that may know it (NULL: there is none).
 * False: it is the file's data.
 */
bool hd_text_code(struct hd_texts *ts, const struct hd_text *c, uint64_t foff, struct hd_cfi **cfi, uint64_t *vaddr);

/* By the executable segments alone, as hd_elf_vaddr has them first. */
bool hd_text_vaddr(const struct hd_text *c, uint64_t foff, uint64_t *vaddr);

/* jit.c: c->jit, from a dump that outlives it; NULL when the machine is not unwound. */
struct hd_jit_text *hd_jit_open(struct hd_text *c, const struct hd_jitdump *d);
void hd_jit_close(struct hd_jit_text *j);		/* NULL is fine */
/* CFI of the code at foff, or NULL. */
struct hd_cfi *hd_jit_cfi(struct hd_texts *ts, const struct hd_text *c, uint64_t foff, uint64_t *vaddr);
/* Memory for compiled rows and what they point to: lives as long as ts. */
void *hd_texts_take(void *ts, size_t bytes);

#endif
