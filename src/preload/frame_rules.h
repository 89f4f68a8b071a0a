/*
 * frame_rules.h - how to find the caller of a frame
 *
 *     frame_rules.c    the rule of an address, from CFI; frames that have no simple rule
 *     modules.c        loaded objects and their CFI
 *     regions.c        mappings of the process
 */
#ifndef HD_PRELOAD_FRAME_RULES_H
#define HD_PRELOAD_FRAME_RULES_H

#include "preload/recorder.h"

#pragma GCC visibility push(hidden)

enum hd_frame_rule_op {
	HD_FRAME_RULE_SP,		/* the CFA is at an offset from sp: most code */
	HD_FRAME_RULE_FP,		/* the CFA is at an offset from fp */
	HD_FRAME_RULE_FULL,		/* any other rule of the CFI */
	HD_FRAME_RULE_GUESS,		/* no CFI: the caller is found by the frame pointer */
	HD_FRAME_RULE_END		/* the stack ends here */
};

/* A cached result: the node (format.h) of a frame at this address whose caller has the node `caller`. */
struct hd_node_memo { uint32_t caller, node; };
enum { HD_MEMOS = 4 };

/* How to find the caller of a frame at one address.  The struct has the size of a cache line. */
struct hd_frame_rule {
	_Alignas(64) uint64_t key;	/* pc << 1 | hd_regs.exact (recorder.h); 0: this slot is unused */
	uint32_t module;		/* as hd_heap_node.module in format.h: id and two flags */
	int32_t cfa_off;
	int16_t fp_off, ra_off;
	uint8_t op;			/* enum hd_frame_rule_op */
	uint8_t fp;			/* enum hd_cfi_location: where the caller's fp is */
	uint8_t flags;			/* enum hd_cfi_row_flags */
	uint8_t next_memo;
	struct hd_node_memo memo[HD_MEMOS];
	/*
	 * slots of two rules in the thread's table of rules, as they were when this rule was last used: the rule of the
	 * caller, and the rule of the caller's caller
	 */
	uint32_t hint[2];
};

/* A value that the unwinder read from the stack, and its address. */
struct hd_check { const uint64_t *slot; uint64_t value; };

/*
 * The values that were read from the stack to find the caller of one frame.  n > HD_READS: the list is incomplete,
 * because there were more reads or one of fewer than 8 bytes.
 */
enum { HD_READS = 6 };
struct hd_reads { uint32_t n; struct hd_check check[HD_READS]; };

/* ---- modules.c ---- */

void hd_modules_begin(void);
/*
 * Return the id of the object that is loaded at pc.  Returns 0 if no object is loaded there, or if it cannot be
 * recorded.  *cfi becomes the CFI of the object, or NULL if there is none; it is never freed.  A new object is added to
 * the recording.  The caller holds the lock.
 */
uint32_t hd_module_at(uint64_t pc, struct hd_cfi **cfi);

/* ---- frame_rules.c ---- */

/* Set *s to the frame rule of address `pc`.  The thread holds the lock and runs on the recorder's stack. */
void hd_frame_rule_find(struct hd_frame_rule *s, uint64_t pc, bool exact);
struct hd_thread;
/*
 * Replace the registers *r of a frame by those of its caller.  This function handles all kinds of rules except SP and
 * FP, which hd_unwind_stack() applies itself.  Only [r->sp, top) is read.  *reads becomes the list of values that were
 * read; reads->n exceeds HD_READS if it cannot list all of them.  Returns false if the frame is the outermost one or if
 * its caller cannot be found; *r and *reads are then undefined.  The thread must not hold the lock, and runs on the
 * program's stack.
 */
bool hd_slow_unwind_frame(const struct hd_thread *t, struct hd_reads *reads, const struct hd_frame_rule *s,
	struct hd_regs *r, uint64_t top);

/* ---- unwind.c ---- */

/* Return true if the thread already has a frame rule for a return address. */
bool hd_frame_rule_was_met(const struct hd_thread *t, uint64_t pc);

/* ---- regions.c ---- */

struct hd_region { uintptr_t lo, hi; bool readable, executable; };

void hd_regions_begin(void);
/* Return the readable mapping that contains an address; lo and hi are 0 if there is none.  Takes the lock. */
struct hd_region hd_region_of(uintptr_t at);
/*
 * Return true if the address is in an executable mapping.  The mappings are cached; regions.c describes when
 * /proc/self/maps is read again.  The caller holds the lock and runs on the recorder's stack.
 */
bool hd_region_is_code(uintptr_t at);

#pragma GCC visibility pop

#endif
