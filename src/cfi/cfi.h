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
 * This room uses libc only, allocates nothing itself and takes no locks: unwind/ uses it for recordings, and
 * the heap library inside other processes.  The sections are untrusted: all reads are bounds-checked, LEB128
 * numbers, the stack of remembered states and the instructions of a function are limited, links are followed
 * only within the section, and the work is linear in its size.
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

/* The number of DWARF registers that are tracked, of any machine. */
enum { HD_CFI_REGS = 34 };
struct hd_cfi_abi {
	uint8_t sp, fp, ra; /* DWARF numbers; ra: the return address column of current compilers (x86-64: 16) */
	uint8_t nregs;			/* number of tracked registers: 17, 9, 34, 16 */
	uint8_t word;			/* bytes of a stack slot: 8 or 4 */
};
const struct hd_cfi_abi *hd_cfi_abi(enum hd_cfi_machine m);

/* A section's bytes, borrowed, and the address it is linked at. */
struct hd_cfi_section { const uint8_t *bytes; size_t size; uint64_t vaddr; };

struct hd_cfi_sections {
	enum hd_cfi_machine machine;
	bool swap;			/* the file has the other byte order */
	/* mapped into this process by the dynamic linker: the table of .eh_frame_hdr is not verified as a whole */
	bool loaded;
	struct hd_cfi_section eh_frame, eh_frame_hdr, debug_frame;	/* absent: size 0 */
	/* base addresses for DW_EH_PE_textrel and _datarel outside .eh_frame_hdr; 0: unknown */
	uint64_t text_vaddr, got_vaddr;
};

/* Memory that lives as long as the struct hd_cfi.  The owner frees it all at once. */
struct hd_cfi_allocator {
	void *(*take)(void *ctx, size_t bytes);	/* returns zeroed memory, aligned to 16, or NULL */
	void *ctx;
};

enum hd_cfi_base { HD_CFI_SP, HD_CFI_FP, HD_CFI_FULL };
enum hd_cfi_location { HD_CFI_SAME, HD_CFI_AT_CFA, HD_CFI_UNDEFINED };
enum hd_cfi_row_flags {
	HD_CFI_SIGNAL = 1 << 0,		/* a signal frame: the caller was interrupted, its address is exact */
	HD_CFI_SIGNED = 1 << 1,		/* aarch64: the saved return address contains a pointer authentication code */
};

/* 16 bytes.  If cfa is HD_CFI_FULL, only pc and flags are set and the rest is 0.  ra is never SAME on x86. */
struct hd_cfi_row {
	uint32_t pc;			/* valid from this offset in the function on */
	int32_t cfa_off;
	int16_t fp_off, ra_off;		/* AT_CFA: offset of the slot from the CFA, in bytes */
	uint8_t cfa;			/* enum hd_cfi_base */
	uint8_t fp, ra;			/* enum hd_cfi_location; ra UNDEFINED: this is the outermost frame */
	uint8_t flags;
};

struct hd_cfi_fn {
	uint64_t lo, hi;		/* vaddr, [lo, hi) */
	uint32_t nrows;			/* >= 1; row 0 has pc 0 */
	uint32_t end;			/* rows are valid up to this offset: hi - lo, unless damaged */
	bool damaged; /* an instruction is not understood: the rows end before it */
	struct hd_cfi_row rows[];
};

struct hd_cfi;

/* Statistics of hd_cfi_open(); strings are static. */
struct hd_cfi_stats {
	/* number of functions in the index; with .eh_frame_hdr, hd_cfi_open() checked only their lengths */
	size_t functions;
	bool by_hdr;			/* the table of .eh_frame_hdr is used */
	const char *damage;		/* the first fault, or NULL */
	size_t skipped;			/* number of unreadable entries in a scan */
};

/*
 * Open the sections.  Returns 1, 0 if no section describes any code, or < 0 if there is no memory.
 *
 * If .eh_frame_hdr is sorted and has the usual form, its table is used; else .eh_frame is scanned.  .debug_frame is
 * scanned if it exists, and used for addresses that .eh_frame does not cover.
 */
int hd_cfi_open(struct hd_cfi **out, const struct hd_cfi_sections *in, const struct hd_cfi_allocator *mem,
	struct hd_cfi_stats *stats);

/*
 * The number of functions in the table of .eh_frame_hdr (0: it is not used), and whether function i was ever looked up.
 * A table of only those functions gives the same results for the same lookups.
 */
size_t hd_cfi_table_entries(const struct hd_cfi *c);
bool hd_cfi_entry_was_used(const struct hd_cfi *c, size_t i);

/* Return the function that covers vaddr, or NULL.  The pointer stays valid. */
const struct hd_cfi_fn *hd_cfi_function(struct hd_cfi *c, uint64_t vaddr);
/* Return the row for vaddr in [lo, hi), or NULL if it is in the unreadable part of a damaged function. */
const struct hd_cfi_row *hd_cfi_row(const struct hd_cfi_fn *fn, uint64_t vaddr);

/* ---- all rules of one address, for HD_CFI_FULL */

enum hd_cfi_rule_kind {
	HD_RULE_SAME, /* unchanged from the callee; the default of ABIs for registers without a rule */
	HD_RULE_UNDEFINED,
	HD_RULE_OFFSET,			/* saved at CFA + off */
	HD_RULE_VAL_OFFSET,		/* the value is CFA + off */
	HD_RULE_REGISTER,		/* the value is in register reg */
	HD_RULE_EXPR,			/* saved at the address that the expression computes; the CFA is pushed first */
	HD_RULE_VAL_EXPR,		/* the value is the result of the expression; the CFA is pushed first */
};
struct hd_cfi_rule { uint8_t kind; uint8_t reg; uint32_t expr_len; int64_t off; const uint8_t *expr; };
struct hd_cfi_rules {
	struct hd_cfi_rule cfa; /* HD_RULE_REGISTER: reg + off; or HD_RULE_VAL_EXPR, without the CFA pushed first */
	struct hd_cfi_rule reg[HD_CFI_REGS];	/* if sp has no rule, its rule is VAL_OFFSET 0: the CFA */
	/*
	 * The return address column of the CIE.  The rule of that column gives the caller's address.  SAME: the address
	 * is in the register with that number (glibc's aarch64 rawmemchr keeps it in x15).
	 */
	uint8_t ra;
	uint8_t flags;			/* enum hd_cfi_row_flags */
};
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
 * Evaluate an expression; *initial is pushed first unless it is NULL.  Returns false if it reads unavailable memory or
 * an unknown register, uses an operation that DWARF 5 does not allow in CFI, or takes more than 1000 steps or 64 stack
 * slots.
 */
bool hd_cfi_eval(const struct hd_cfi *c, const uint8_t *expr, size_t len, const struct hd_cfi_regs *regs,
		 const struct hd_cfi_memory_reader *memory, const uint64_t *initial, uint64_t *value);

#endif
