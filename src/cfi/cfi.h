/*
 * cfi.h - call frame information: sections -> rows, and the row of an address
 *
 *     .eh_frame, .debug_frame:  CIE  FDE(lo, hi)  FDE(lo, hi) ...
 *     the instructions of an FDE:  rows (from pc on, where the caller's registers are)
 *
 *     hd_cfi_open(&c, &in, &mem, &stats)   build an index, or use the table of .eh_frame_hdr
 *     fn = hd_cfi_function(c, vaddr)       compiled on first use, then looked up
 *     row = hd_cfi_row(fn, vaddr)
 *     cfa = (row->cfa == HD_CFI_SP ? sp : fp) + row->cfa_off, ra = *(cfa + row->ra_off) ...
 *
 * Nearly all code fits a compact row: the CFA relative to the stack or frame pointer, and the places of the
 * frame pointer and the return address.  Any other rule (another register, an expression) makes the row
 * HD_CFI_FULL; hd_cfi_rules() then runs the instructions for the address.
 *
 * This code uses libc only, allocates nothing itself and takes no locks: unwind/ uses it for recordings, and
 * the heap library inside other processes.  The sections are untrusted: all reads are bounds-checked, LEB128
 * numbers, the stack of remembered states and the instructions of a function are limited, references from one entry
 * to another are followed only within a section, and the work is linear in the size of the section.
 *
 * Threads: several threads may use one struct hd_cfi if mem.take() is thread-safe.  If two threads compile the
 *          same function, the first result is used.
 *
 * Formats: DWARF 5, 6.4 (and DWARF 2 to 4); Linux Standard Base, "Exception Frames" (.eh_frame,
 *          .eh_frame_hdr); AArch64 DWARF ABI (aadwarf64).
 */
#ifndef HD_CFI_CFI_H
#define HD_CFI_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_cfi_machine { HD_CFI_X86_64, HD_CFI_I386, HD_CFI_AARCH64, HD_CFI_ARM };

/* The largest number of DWARF registers that are tracked on any of the architectures. */
enum { HD_CFI_REGS = 34 };
struct hd_cfi_abi {
	uint8_t sp, fp;			/* DWARF numbers of the stack pointer and the frame pointer */
	uint8_t ra;			/* return address column as current compilers number it: 16 on x86-64 */
	/* number of tracked registers: 17, 9, 34, 16 in the order of the architectures above */
	uint8_t nregs;
	uint8_t word;			/* bytes of a stack slot: 8 or 4 */
};
const struct hd_cfi_abi *hd_cfi_abi(enum hd_cfi_machine m);

/* The bytes of a section, which are borrowed, and the address at which it is linked. */
struct hd_cfi_section { const uint8_t *bytes; size_t size; uint64_t vaddr; };

struct hd_cfi_sections {
	enum hd_cfi_machine machine;
	bool swap;			/* the file has the other byte order */
	/*
	 * the dynamic linker mapped the object into this process: do not verify the table of .eh_frame_hdr as a whole
	 */
	bool loaded;
	struct hd_cfi_section eh_frame, eh_frame_hdr, debug_frame;	/* absent: size 0 */
	uint64_t text_vaddr;		/* base address of DW_EH_PE_textrel pointers; 0: unknown */
	uint64_t got_vaddr;		/* base address of DW_EH_PE_datarel pointers, except in .eh_frame_hdr */
};

/* The allocator for memory that lives as long as the struct hd_cfi.  The allocator's owner frees all of it at once. */
struct hd_cfi_allocator {
	void *(*take)(void *ctx, size_t bytes);	/* returns zeroed memory, aligned to 16, or NULL */
	void *ctx;
};

enum hd_cfi_base { HD_CFI_SP, HD_CFI_FP, HD_CFI_FULL };
enum hd_cfi_location { HD_CFI_SAME, HD_CFI_AT_CFA, HD_CFI_UNDEFINED };
enum hd_cfi_row_flags {
	/*
	 * a signal frame: its caller was interrupted, so the address in the caller is that of an interrupted
	 * instruction, not a return address
	 */
	HD_CFI_SIGNAL = 1 << 0,
	HD_CFI_SIGNED = 1 << 1,		/* aarch64: the saved return address contains a pointer authentication code */
};

/*
 * A compact row of 16 bytes.  If cfa is HD_CFI_FULL, only pc and flags are set, and the rest is 0.  ra is never
 * HD_CFI_SAME on x86.
 */
struct hd_cfi_row {
	uint32_t pc;			/* valid from this offset in the function on */
	int32_t cfa_off;
	int16_t fp_off, ra_off;		/* AT_CFA: offset of the slot from the CFA, in bytes */
	uint8_t cfa;			/* enum hd_cfi_base */
	uint8_t fp;			/* where the caller's frame pointer is: enum hd_cfi_location */
	uint8_t ra;			/* where the return address is; UNDEFINED in the outermost frame */
	uint8_t flags;
};

struct hd_cfi_fn {
	uint64_t lo, hi;		/* vaddr, [lo, hi) */
	uint32_t nrows;			/* >= 1; row 0 has pc 0 */
	/* offset from lo up to which the rows are valid: hi - lo, or less if damaged */
	uint32_t end;
	/*
	 * the rows end early: an instruction is unknown or invalid, the CFA has no rule, or the instructions are too
	 * many
	 */
	bool damaged;
	struct hd_cfi_row rows[];
};

struct hd_cfi;

/* Statistics of hd_cfi_open(); strings are static. */
struct hd_cfi_stats {
	/*
	 * number of functions in the index.  If the index is the table of .eh_frame_hdr, their FDEs were not parsed, so
	 * some of them may be unreadable.
	 */
	size_t functions;
	bool by_hdr;			/* the table of .eh_frame_hdr is used */
	const char *damage;		/* the first fault, or NULL */
	/* number of unreadable entries in the scans; a section over 4 GiB counts as one */
	size_t skipped;
};

/*
 * Open the sections.  Returns 1, 0 if no section describes any code, or < 0 if there is no memory.  `stats` may be
 * NULL.
 *
 * If .eh_frame_hdr has a table with entries of a fixed width that passes the checks of table.c, this table is used;
 * else .eh_frame is scanned.  .debug_frame is scanned if it exists, and used for addresses that .eh_frame does not
 * cover.
 */
int hd_cfi_open(struct hd_cfi **out, const struct hd_cfi_sections *in, const struct hd_cfi_allocator *mem,
	struct hd_cfi_stats *stats);

/*
 * hd_cfi_table_entries() returns the number of functions in the table of .eh_frame_hdr, or 0 if that table is not used.
 * hd_cfi_entry_was_used() returns true if a lookup found or tested entry i of this table.  A table of only these
 * entries gives the same results for the same lookups.
 */
size_t hd_cfi_table_entries(const struct hd_cfi *c);
bool hd_cfi_entry_was_used(const struct hd_cfi *c, size_t i);

/* Return the function that covers vaddr; NULL: none, or no memory.  The pointer stays valid as long as `c`. */
const struct hd_cfi_fn *hd_cfi_function(struct hd_cfi *c, uint64_t vaddr);
/* Return the row for vaddr in [lo, hi), or NULL if it is in the unreadable part of a damaged function. */
const struct hd_cfi_row *hd_cfi_row(const struct hd_cfi_fn *fn, uint64_t vaddr);

/* ---- all rules of one address, for HD_CFI_FULL */

enum hd_cfi_rule_kind {
	/* the register has the same value as in the callee, which is the ABI's default for registers without a rule */
	HD_RULE_SAME,
	HD_RULE_UNDEFINED,
	HD_RULE_OFFSET,			/* saved at CFA + off */
	HD_RULE_VAL_OFFSET,		/* the value is CFA + off */
	HD_RULE_REGISTER,		/* the value is in register reg */
	HD_RULE_EXPR,			/* saved at the address that the expression computes from the CFA */
	HD_RULE_VAL_EXPR,		/* the value is what the expression computes from the CFA */
};
struct hd_cfi_rule { uint8_t kind; uint8_t reg; uint32_t expr_len; int64_t off; const uint8_t *expr; };
struct hd_cfi_rules {
	/* rule of the CFA: HD_RULE_REGISTER (reg + off), or HD_RULE_VAL_EXPR, which begins with an empty stack */
	struct hd_cfi_rule cfa;
	struct hd_cfi_rule reg[HD_CFI_REGS];	/* if sp has no rule, its rule is VAL_OFFSET 0: the CFA */
	/*
	 * Number of the return address column, as the CIE states it.  The rule of that column gives the address in the
	 * caller.  If the rule is SAME, the address is in the register with that number (glibc's aarch64 rawmemchr
	 * keeps it in x15).
	 */
	uint8_t ra;
	uint8_t flags;			/* enum hd_cfi_row_flags */
};
/* Compute the rules for vaddr.  Returns false if no function covers it, or if the rules there cannot be read. */
bool hd_cfi_rules(struct hd_cfi *c, uint64_t vaddr, struct hd_cfi_rules *out);

/* ---- DWARF expressions */

struct hd_cfi_regs {
	uint64_t v[HD_CFI_REGS];
	uint64_t known;			/* bit n: v[n] is known */
};
struct hd_cfi_memory_reader {
	/* returns false if the memory is not available */
	bool (*read)(void *ctx, uint64_t addr, unsigned bytes, uint64_t *value);
	void *ctx;
};
/*
 * Evaluate an expression.  If `initial` is not NULL, *initial is on the stack first.  Returns false if the expression
 * reads memory that is unavailable or a register that is unknown, uses an operation that DWARF 5 does not allow in CFI,
 * takes more than 1000 steps or 64 stack slots, divides by zero, pops from an empty stack, or is otherwise malformed.
 */
bool hd_cfi_eval(const struct hd_cfi *c, const uint8_t *expr, size_t len, const struct hd_cfi_regs *regs,
		 const struct hd_cfi_memory_reader *memory, const uint64_t *initial, uint64_t *value);

#endif
