/*
 * cfi.h - call frame information: bytes -> rows, and the row of an address
 *
 *     .eh_frame, .debug_frame:  CIE  FDE(lo, hi)  FDE(lo, hi) ...
 *     a function's FDE, run:    rows (from pc on, where the caller's registers are)
 *
 *     hd_cfi_open(&c, &in, &mem)           index: .eh_frame_hdr's table, or one scan
 *     fn = hd_cfi_function(c, vaddr)       compiled on first use, then a look-up
 *     row = hd_cfi_row(fn, vaddr)
 *     cfa = (row->cfa == HD_CFI_SP ? sp : fp) + row->cfa_off, ra = *(cfa + row->ra_off) ...
 *
 * What nearly all code needs fits a compact row: the CFA from the stack or the
 * frame pointer, and where the frame pointer and the return address are.  Any
 * other rule (another register, an expression) makes the row HD_CFI_FULL; its
 * rules are then run for the address by hd_cfi_rules.
 *
 * libc only, no allocation of its own, no locks: unwind/ uses it over
 * recordings, and the heap library inside other people's processes.  Every
 * byte of the sections is hostile: all reads are bounded, LEB128 is capped, the
 * remember stack and the instructions of a function are limited, links are
 * followed only within the section, and the work is linear in its bytes.
 *
 * Threads: a struct hd_cfi may be asked by several at once when mem.take may be
 * called by several at once; a function compiled twice that way is answered by
 * the first.
 *
 * Formats: DWARF 5, 6.4 (and DWARF 2 to 4); Linux Standard Base, "Exception
 * Frames" (.eh_frame, .eh_frame_hdr); AArch64 DWARF ABI (aadwarf64).
 */
#ifndef HD_CFI_CFI_H
#define HD_CFI_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_cfi_machine { HD_CFI_X86_64, HD_CFI_I386, HD_CFI_AARCH64, HD_CFI_ARM };

/* DWARF register numbers; REGS: how many of a machine are followed. */
enum { HD_CFI_REGS = 34 };
struct hd_cfi_abi {
	uint8_t sp, fp, ra;		/* DWARF numbers; ra: the return address column of new code (x86-64: 16) */
	uint8_t nregs;			/* followed: 17, 9, 34, 16 */
	uint8_t word;			/* bytes of a stack slot: 8 or 4 */
};
const struct hd_cfi_abi *hd_cfi_abi(enum hd_cfi_machine m);

/* A section's bytes, borrowed, and the address it is linked at. */
struct hd_cfi_section { const uint8_t *bytes; size_t size; uint64_t vaddr; };

struct hd_cfi_sections {
	enum hd_cfi_machine machine;
	bool swap;			/* the file's byte order is not ours */
	bool loaded; /* what the dynamic linker mapped into this process: the table of .eh_frame_hdr is not walked through first */
	struct hd_cfi_section eh_frame, eh_frame_hdr, debug_frame;	/* absent: size 0 */
	uint64_t text_vaddr, got_vaddr;	/* bases of DW_EH_PE_textrel and _datarel outside .eh_frame_hdr; 0: not known */
};

/* Memory lives as long as the struct hd_cfi; the owner frees it all at once. */
struct hd_cfi_allocator {
	void *(*take)(void *ctx, size_t bytes);	/* zeroed, aligned to 16; NULL: there is none */
	void *ctx;
};

enum hd_cfi_base { HD_CFI_SP, HD_CFI_FP, HD_CFI_FULL };
enum hd_cfi_location { HD_CFI_SAME, HD_CFI_AT_CFA, HD_CFI_UNDEFINED };
enum hd_cfi_row_flags {
	HD_CFI_SIGNAL = 1 << 0,		/* a signal frame: the caller was interrupted, its address is exact */
	HD_CFI_SIGNED = 1 << 1,		/* aarch64: the return address carries a pointer authentication code here */
};

/* 16 bytes.  For HD_CFI_FULL only pc and flags mean something, and the rest is 0.  ra is never SAME on x86. */
struct hd_cfi_row {
	uint32_t pc;			/* from this distance to the function's start on */
	int32_t cfa_off;
	int16_t fp_off, ra_off;		/* slot, from the CFA, in bytes; of AT_CFA */
	uint8_t cfa;			/* enum hd_cfi_base */
	uint8_t fp, ra;			/* enum hd_cfi_location; ra UNDEFINED: the stack ends here */
	uint8_t flags;
};

struct hd_cfi_fn {
	uint64_t lo, hi;		/* vaddr, [lo, hi) */
	uint32_t nrows;			/* >= 1; row 0 has pc 0 */
	uint32_t end;			/* rows tell up to this distance: hi - lo, unless damaged */
	bool damaged; /* its instructions were not all understood: rows end before the fault, and what follows has none */
	struct hd_cfi_row rows[];
};

struct hd_cfi;

/* How the last hd_cfi_open went; static text. */
struct hd_cfi_stats {
	size_t functions;		/* in the index; of those in an .eh_frame_hdr only the lengths were looked at */
	bool by_hdr;			/* .eh_frame_hdr was there and usable */
	const char *damage;		/* the first thing that was wrong, or NULL */
	size_t skipped;			/* entries that could not be read, by a scan */
};

/*
 * 1, or 0 when no section describes any code.  The table of .eh_frame_hdr is used when it is
 * sorted and of the usual form, else .eh_frame is scanned; .debug_frame is
 * scanned when it is there, and asked where .eh_frame knows nothing.  Negative: no memory.
 */
int hd_cfi_open(struct hd_cfi **out, const struct hd_cfi_sections *in, const struct hd_cfi_allocator *mem,
	struct hd_cfi_stats *stats);

/*
 * Functions in the table of .eh_frame_hdr (0: it is not used), and whether the i-th was ever
 * looked into: a table of those alone gives the same answers to the same questions.
 */
size_t hd_cfi_table_entries(const struct hd_cfi *c);
bool hd_cfi_entry_was_used(const struct hd_cfi *c, size_t i);

/* NULL: nothing covers the address.  Stays valid. */
const struct hd_cfi_fn *hd_cfi_function(struct hd_cfi *c, uint64_t vaddr);
/* vaddr in [lo, hi); NULL when it lies behind what a damaged function could tell. */
const struct hd_cfi_row *hd_cfi_row(const struct hd_cfi_fn *fn, uint64_t vaddr);

/* ---- all rules of one address, for HD_CFI_FULL ---- */

enum hd_cfi_rule_kind {
	HD_RULE_SAME,			/* as in the callee (also what an ABI says of registers that no one mentions) */
	HD_RULE_UNDEFINED,
	HD_RULE_OFFSET,			/* saved at CFA + off */
	HD_RULE_VAL_OFFSET,		/* is CFA + off */
	HD_RULE_REGISTER,		/* is in register reg */
	HD_RULE_EXPR,			/* saved at the address that the expression computes; CFA is pushed first */
	HD_RULE_VAL_EXPR,		/* is what it computes */
};
struct hd_cfi_rule { uint8_t kind; uint8_t reg; uint32_t expr_len; int64_t off; const uint8_t *expr; };
struct hd_cfi_rules {
	struct hd_cfi_rule cfa;		/* HD_RULE_REGISTER: reg + off; or HD_RULE_VAL_EXPR, without CFA pushed first */
	struct hd_cfi_rule reg[HD_CFI_REGS];	/* that of sp, when none is given, is VAL_OFFSET 0: the CFA */
	/*
	 * The return address column of this CIE.  The caller's address is what the rule of that column
	 * makes; SAME: it is in the register of that number (glibc's aarch64 rawmemchr keeps it in x15).
	 */
	uint8_t ra;
	uint8_t flags;			/* enum hd_cfi_row_flags */
};
bool hd_cfi_rules(struct hd_cfi *c, uint64_t vaddr, struct hd_cfi_rules *out);

/* ---- DWARF expressions ---- */

struct hd_cfi_regs {
	uint64_t v[HD_CFI_REGS];
	uint64_t known;			/* bit n: v[n] is known */
};
struct hd_cfi_memory_reader {
	bool (*read)(void *ctx, uint64_t addr, unsigned bytes, uint64_t *value);	/* false: not there */
	void *ctx;
};
/*
 * Run an expression; *initial is pushed first unless NULL.  False: it reads what
 * is not there, an unknown register, an operation outside of DWARF 5's for CFI,
 * or takes more than 1000 steps or 64 slots.
 */
bool hd_cfi_eval(const struct hd_cfi *c, const uint8_t *expr, size_t len, const struct hd_cfi_regs *regs,
		 const struct hd_cfi_memory_reader *memory, const uint64_t *initial, uint64_t *value);

#endif
