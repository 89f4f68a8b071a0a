/*
 * object_cfi.h - read and look up the executable segments and the call frame information of objects
 *
 *     c = hd_object_cfis_get(ts, object)                  opened on the first call
 *     hd_object_cfi_find(ts, c, foff, &cfi, &vaddr)       file offset -> linked address and CFI; false: not code
 *     hd_cfi_function(cfi, vaddr)
 *
 * Whole sections are read into memory, so a file that is truncated causes an error and not a signal.
 * .debug_frame is read from the file itself, not from a separate debug file.
 *
 * JIT code has CFI for each function in its jitdump (jit_cfi.c).
 *
 * Ownership: hd_object_cfis owns the bytes of the sections, compiled rows and segments; it borrows the process table.
 * Threads:   all functions are thread-safe, except _init, _release and _grow.  A lock is held only while an
 *            object is opened or memory is allocated.
 *
 * Private to unwind/.
 */
#ifndef HD_UNWIND_OBJECT_CFI_H
#define HD_UNWIND_OBJECT_CFI_H

#include "base/arena.h"
#include "cfi/cfi.h"
#include "process/process_table.h"
#include "unwind/go_stacks.h"
#include "unwind/stack_input.h"

#include <pthread.h>

/* One executable PT_LOAD. */
struct hd_object_cfi_segment { uint64_t off, filesz, vaddr; };

struct hd_jit_cfi_table;

struct hd_object_cfi {
	struct hd_cfi *cfi;		/* NULL: the object has no CFI, or `jit` has it */
	struct hd_jit_cfi_table *jit;	/* for JIT code with a jitdump */
	enum hd_cfi_machine machine;	/* architecture of the code that cfi or jit describes */
	enum hd_unwind_failure lack;
	enum hd_object_kind kind;
	bool opened;			/* the segments are read */
	bool has_entry;
	uint64_t entry;			/* vaddr at which processes start */
	struct hd_go_stacks go;
	struct hd_object_cfi_segment *loads;
	size_t nloads;
	void *bytes[3];			/* contents of the sections */
	char *trouble;			/* for HD_UNWIND_FAILURE_TROUBLE: a message */
};

struct hd_object_cfis {
	const struct hd_process_table *proc;
	struct hd_unwind_source source;
	uint32_t n;			/* number of objects in the process table */
	struct hd_object_cfi *_Atomic *items;
	pthread_mutex_t opening, memory;
	struct hd_arena arena;		/* memory of hd_object_cfis_take(); protected by `memory` */
};

void hd_object_cfis_init(struct hd_object_cfis *ts, const struct hd_process_table *proc,
	const struct hd_unwind_source *source);
void hd_object_cfis_release(struct hd_object_cfis *ts);
void hd_object_cfis_grow(struct hd_object_cfis *ts);		/* adapt to a process table with more objects */

/* Return the CFI of an object, which is opened on first use.  Never NULL. */
const struct hd_object_cfi *hd_object_cfis_get(struct hd_object_cfis *ts, uint32_t object);
/* Return the CFI of an object that was opened before, else NULL. */
const struct hd_object_cfi *hd_object_cfis_peek(const struct hd_object_cfis *ts, uint32_t object);

/*
 * Get the linked address of the code at foff, and the CFI that may cover it (NULL: none).  Returns false if foff is
 * data.  If the file is not available, the segments are unknown: the function returns true, and *vaddr becomes 0.
 * For JIT code it returns true, and *vaddr becomes the address that the jitdump has, or 0.
 */
bool hd_object_cfi_find(struct hd_object_cfis *ts, const struct hd_object_cfi *c, uint64_t foff, struct hd_cfi **cfi,
	uint64_t *vaddr);

/*
 * Convert a file offset to a linked address.  Returns false if the offset is in no executable segment; other segments
 * are not considered, as in the first step of hd_elf_vaddr().
 */
bool hd_object_cfi_vaddr(const struct hd_object_cfi *c, uint64_t foff, uint64_t *vaddr);

/*
 * jit_cfi.c: return a new table for c->jit and set c->machine.  The table borrows dump d.  Returns NULL if stacks of
 * the code's architecture cannot be unwound.
 */
struct hd_jit_cfi_table *hd_jit_cfi_open(struct hd_object_cfi *c, const struct hd_jitdump *d);
void hd_jit_cfi_close(struct hd_jit_cfi_table *j);		/* accepts NULL */
/* Return the CFI of the code at foff, or NULL.  If the dump has a function there, *vaddr becomes its linked address. */
struct hd_cfi *hd_jit_cfi_find(struct hd_object_cfis *ts, const struct hd_object_cfi *c, uint64_t foff,
	uint64_t *vaddr);
/* Allocate zeroed memory that lives as long as ts: CFI indexes, compiled rows, and the .eh_frame of JIT functions. */
void *hd_object_cfis_take(void *ts, size_t bytes);

#endif
