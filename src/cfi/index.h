/*
 * index.h - the types that the files of cfi/ share
 *
 *     entry.c     section -> entries: CIE, FDE
 *     table.c     verifies the table of .eh_frame_hdr, then searches it in place
 *     index.c     without such a table, scans the section into a sorted array; address -> entry
 *     program.c   the instructions of an FDE -> ranges of code with constant rules
 *     rows.c      ranges -> compact rows, compiled once      rules.c     -> all rules of one address
 *     expr.c      DWARF expressions
 *
 * The work is linear in the size of a section.  Entries of a scan do not overlap; the sizes of a table's entries
 * together may not exceed that of the section; and the instructions of a CIE, which run for each of its functions, are
 * limited.  The instructions of a function are run once for its rows (twice if it has many), and again for each call of
 * hd_cfi_rules().  HD_CFI_PROGRAM_MAX limits the cost of each run.
 */
#ifndef HD_CFI_INDEX_H
#define HD_CFI_INDEX_H

#include "cfi/reader.h"

#include <stdatomic.h>

enum {
	HD_CFI_PROGRAM_MAX = 1 << 16, /* limit: bytes of instructions of a function; the largest known has 33 KiB */
	/* limit: bytes of instructions of a CIE, which run for each of its functions; the largest known has 23 */
	HD_CFI_CIE_PROGRAM_MAX = 1 << 8,
	HD_CFI_STATE_STACK_MAX = 16, /* depth of remembered states; compilers nest two */
};

/* An entry of the index that a scan built.  Entries with the same start are in file order. */
struct hd_cfi_index_entry {
	uint64_t lo;
	uint32_t size;		/* hi - lo */
	uint32_t off;		/* offset of the FDE in its section */
};

/* The search table of .eh_frame_hdr, used in place: sorted pairs (start of a function, address of its FDE). */
struct hd_cfi_table {
	const uint8_t *bytes;
	uint64_t vaddr;		/* linked address of bytes[0] */
	uint64_t base;
	uint8_t enc, width;	/* encoding and width of each half of a pair */
};

/* .eh_frame or .debug_frame. */
struct hd_cfi_indexed_section {
	struct hd_cfi_section sec;
	bool eh;
	size_t n;			/* entries of `items`, or of `table` if items is NULL */
	struct hd_cfi_index_entry *items;
	struct hd_cfi_table table;
	/* slots[i]: the compiled function of entry i; NULL: not compiled yet */
	_Atomic(const struct hd_cfi_fn *) *slots;
};

struct hd_cfi {
	struct hd_cfi_sections in;
	const struct hd_cfi_abi *abi;
	struct hd_cfi_allocator mem;
	struct hd_cfi_indexed_section part[2];	/* searched in this order */
};

/* ---- entry.c */

struct hd_cfi_entry {
	struct hd_cfi_reader body;	/* the bytes after the CIE's id, or after the FDE's pointer to its CIE */
	size_t next;			/* offset of the next entry */
	size_t cie; /* FDE: offset of its CIE; SIZE_MAX: not in the section */
	bool is_cie;
};

struct hd_cfi_cie {
	const uint8_t *insns, *end;
	uint64_t code_align;
	int64_t data_align;
	uint8_t ra;		/* < abi->nregs */
	uint8_t enc;		/* encoding of addresses in its FDEs */
	uint8_t word;		/* size of an address */
	bool augmented;		/* 'z': its FDEs have augmentation data */
	bool signal;
};

struct hd_cfi_fde {
	struct hd_cfi_cie cie;
	uint64_t lo, hi;
	const uint8_t *insns, *end;
};

/* Why an entry cannot be used. */
enum hd_cfi_fault {
	HD_CFI_FINE,
	HD_CFI_EMPTY,		/* covers no code: dropped, not a fault */
	HD_CFI_NO_CIE,		/* the CIE of the entry is not in the section, or is not a CIE */
	HD_CFI_FOREIGN,		/* the CIE of the entry has an unsupported version, augmentation, register or size */
	HD_CFI_GARBLED,		/* fields that exceed the entry, or have invalid values */
};

/* Read the entry at off.  Returns 1; 0 for a terminator (`next` is set); -1 if no entry fits there. */
int hd_cfi_entry_at(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part, size_t off,
	struct hd_cfi_entry *e);
/* Parse the CIE at off. */
enum hd_cfi_fault hd_cfi_cie_at(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part, size_t off,
	struct hd_cfi_cie *cie);
/* Parse the FDE `e`; fde->cie must be its CIE. */
enum hd_cfi_fault hd_cfi_fde_of(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part,
	const struct hd_cfi_entry *e, struct hd_cfi_fde *fde);
/*
 * Parse the FDE of index entry i, and its CIE.  Returns false if either is invalid, or if the FDE does not start at the
 * address that the index has for it.
 */
bool hd_cfi_fde_at(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part, size_t i, struct hd_cfi_fde *fde);

/* ---- table.c, index.c */

/*
 * Open the table of .eh_frame_hdr.  Returns false if it is absent, empty or unusable.  If it is unusable and *damage is
 * NULL, *damage becomes the reason.
 */
bool hd_cfi_table_open(struct hd_cfi *c, struct hd_cfi_indexed_section *part, const char **damage);
void hd_cfi_table_get(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part, size_t i, uint64_t *lo,
	uint64_t *fde);
/* Return the number of pairs of the table whose start is at or below vaddr. */
size_t hd_cfi_table_upper_bound(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part, uint64_t vaddr);
/* Build the index of a section.  Returns false if there is no memory. */
bool hd_cfi_scan(struct hd_cfi *c, struct hd_cfi_indexed_section *part, struct hd_cfi_stats *stats);
/*
 * Return the compiled function that covers vaddr, or NULL.  If part and i are not NULL, they are
 * set to the section and to the number of the function's entry in it.
 */
const struct hd_cfi_fn *hd_cfi_find(struct hd_cfi *c, uint64_t vaddr, const struct hd_cfi_indexed_section **part,
	size_t *i);

/* ---- program.c */

/*
 * A rule packed into 8 bytes.  The low bits are its enum hd_cfi_rule_kind.  The upper bits are an offset, a register
 * or, for an expression, the section offset at which the expression's length is stored.
 */
typedef uint64_t hd_cfi_packed_rule;
enum { HD_CFI_KIND_BITS = 3, HD_CFI_NO_REG = 0xff };

static inline enum hd_cfi_rule_kind hd_cfi_packed_kind(hd_cfi_packed_rule rule)
{
	return (enum hd_cfi_rule_kind)(rule & ((1 << HD_CFI_KIND_BITS) - 1));
}

static inline int64_t hd_cfi_packed_operand(hd_cfi_packed_rule rule)
{
	return (int64_t)rule >> HD_CFI_KIND_BITS;
}

struct hd_cfi_state {
	hd_cfi_packed_rule reg[HD_CFI_REGS];
	int64_t cfa_off;
	uint32_t cfa_expr;	/* section offset of the expression's length; 0: the CFA is cfa_reg + cfa_off */
	uint8_t cfa_reg;	/* HD_CFI_NO_REG: no rule */
	uint8_t flags;		/* enum hd_cfi_row_flags */
};

struct hd_cfi_interpreter {
	const struct hd_cfi *c;
	const struct hd_cfi_indexed_section *part;
	const struct hd_cfi_fde *fde;
	struct hd_cfi_reader r;
	uint64_t from, to;		/* `now` is valid in [from, to) */
	unsigned int depth;
	/* the instructions exceed HD_CFI_PROGRAM_MAX, so the remaining ones are not executed */
	bool cut;
	struct hd_cfi_state now, initial, saved[HD_CFI_STATE_STACK_MAX];
};

void hd_cfi_interpreter_start(struct hd_cfi_interpreter *run, const struct hd_cfi *c,
	const struct hd_cfi_indexed_section *part, const struct hd_cfi_fde *fde);
/*
 * Advance to the next range [from, to), which is not empty.  Returns 1; 0 at the end; -1 if the rules are unknown from
 * `to` on: an instruction is unknown or invalid, the CFA has no rule, or the instructions exceed HD_CFI_PROGRAM_MAX.
 */
int hd_cfi_interpreter_next(struct hd_cfi_interpreter *run);

/* ---- rows.c */

/*
 * Compile the rows of entry i.  Returns NULL if there is no memory.  An unreadable function covers nothing: lo = hi =
 * 0.
 */
const struct hd_cfi_fn *hd_cfi_compile(struct hd_cfi *c, struct hd_cfi_indexed_section *part, size_t i);

#endif
