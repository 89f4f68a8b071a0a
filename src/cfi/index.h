/*
 * index.h - what the files of cfi/ share
 *
 *     entry.c     bytes of a section -> entries, CIE, FDE
 *     table.c     .eh_frame_hdr's table: checked, then searched in place
 *     index.c     or a scan of the section into a sorted array; which entry covers an address
 *     program.c   the instructions of an FDE, as the stretches of code over which nothing changes
 *     rows.c      stretches -> compact rows, compiled once      rules.c  -> all rules of one address
 *     expr.c      DWARF expressions
 *
 * Work is linear in the bytes of a section: entries of a scan do not overlap,
 * those of a table may not be larger together than the section, and what a CIE
 * adds to each of its functions is limited.  A function is run once for its
 * rows; hd_cfi_rules runs it again, which HD_CFI_PROGRAM_MAX keeps short.
 */
#ifndef HD_CFI_INDEX_H
#define HD_CFI_INDEX_H

#include "cfi/reader.h"

#include <stdatomic.h>

enum {
	HD_CFI_PROGRAM_MAX = 1 << 16, /* bytes of instructions of a function; the largest met (rustc) has 33 KiB */
	HD_CFI_CIE_PROGRAM_MAX = 1 << 8, /* and of a CIE, which each of its functions runs first; met: 23 */
	HD_CFI_STATE_STACK_MAX = 16, /* states remembered at a time; compilers nest two */
};

/* An entry of the scan; of the same start, the later one in the file is behind. */
struct hd_cfi_index_entry {
	uint64_t lo;
	uint32_t size;		/* hi - lo */
	uint32_t off;		/* of the FDE in its section */
};

/* The search table of .eh_frame_hdr, in place: pairs (start of a function, its FDE), sorted. */
struct hd_cfi_table {
	const uint8_t *bytes;
	uint64_t vaddr;		/* of bytes */
	uint64_t base;
	uint8_t enc, width;	/* of each half of a pair */
};

/* .eh_frame or .debug_frame. */
struct hd_cfi_indexed_section {
	struct hd_cfi_section sec;
	bool eh;
	size_t n;			/* entries of `items`, or when that is NULL of `table` */
	struct hd_cfi_index_entry *items;
	struct hd_cfi_table table;
	_Atomic(const struct hd_cfi_fn *) *slots;	/* one per entry; NULL: not compiled yet */
};

struct hd_cfi {
	struct hd_cfi_sections in;
	const struct hd_cfi_abi *abi;
	struct hd_cfi_allocator mem;
	struct hd_cfi_indexed_section part[2];	/* asked in this order */
};

/* ---- entry.c ---- */

struct hd_cfi_entry {
	struct hd_cfi_reader body;	/* what follows the CIE's id, or the FDE's pointer to its CIE */
	size_t next;			/* offset of the entry behind */
	size_t cie; /* an FDE's: offset of its CIE, which lies in the section; SIZE_MAX: it does not */
	bool is_cie;
};

struct hd_cfi_cie {
	const uint8_t *insns, *end;
	uint64_t code_align;
	int64_t data_align;
	uint8_t ra;		/* < abi->nregs */
	uint8_t enc;		/* of the FDE's addresses */
	uint8_t word;		/* bytes of an address */
	bool augmented;		/* 'z': its FDEs have augmentation data */
	bool signal;
};

struct hd_cfi_fde {
	struct hd_cfi_cie cie;
	uint64_t lo, hi;
	const uint8_t *insns, *end;
};

/* What keeps an entry from being read. */
enum hd_cfi_fault {
	HD_CFI_FINE,
	HD_CFI_EMPTY,		/* covers no code: dropped, no fault */
	HD_CFI_NO_CIE,		/* its CIE is not in the section, or is none */
	HD_CFI_FOREIGN,		/* an augmentation or version that is not known */
	HD_CFI_GARBLED,		/* fields that run past its end, or say the impossible */
};

/* 1: an entry; 0: a terminator, `next` is set; -1: none fits here. */
int hd_cfi_entry_at(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part, size_t off,
	struct hd_cfi_entry *e);
/* The CIE at off. */
enum hd_cfi_fault hd_cfi_cie_at(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part, size_t off,
	struct hd_cfi_cie *cie);
/* The FDE `e`, fde->cie being its CIE. */
enum hd_cfi_fault hd_cfi_fde_of(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part,
	const struct hd_cfi_entry *e, struct hd_cfi_fde *fde);
/* The FDE of the index's entry i, with its CIE; for a table, only when the table is right about its start. */
bool hd_cfi_fde_at(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part, size_t i, struct hd_cfi_fde *fde);

/* ---- table.c, index.c, sort.c ---- */

/* False: .eh_frame_hdr is absent or unusable; *damage says why when it is there. */
bool hd_cfi_table_open(struct hd_cfi *c, struct hd_cfi_indexed_section *part, const char **damage);
void hd_cfi_table_get(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part, size_t i, uint64_t *lo,
	uint64_t *fde);
/* How many pairs start at or below vaddr. */
size_t hd_cfi_table_upper_bound(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part, uint64_t vaddr);
/* False: no memory. */
bool hd_cfi_scan(struct hd_cfi *c, struct hd_cfi_indexed_section *part, struct hd_cfi_stats *stats);
void hd_cfi_sort(struct hd_cfi_index_entry *items, size_t n);
/* The compiled function that covers vaddr; NULL: none does.  *part and *i say which entry it is, unless NULL. */
const struct hd_cfi_fn *hd_cfi_find(struct hd_cfi *c, uint64_t vaddr, const struct hd_cfi_indexed_section **part,
	size_t *i);

/* ---- program.c ---- */

/* A rule in 8 bytes: its enum hd_cfi_rule_kind below, an offset, register or (EXPR) place in the section above. */
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
	uint32_t cfa_expr;	/* place of its length in the section; 0: the CFA is cfa_reg + cfa_off */
	uint8_t cfa_reg;	/* HD_CFI_NO_REG: no one said */
	uint8_t flags;		/* enum hd_cfi_row_flags */
};

struct hd_cfi_interpreter {
	const struct hd_cfi *c;
	const struct hd_cfi_indexed_section *part;
	const struct hd_cfi_fde *fde;
	struct hd_cfi_reader r;
	uint64_t from, to;		/* `now` holds in [from, to) */
	unsigned int depth;
	bool cut;			/* the instructions go on behind HD_CFI_PROGRAM_MAX: they are not run */
	struct hd_cfi_state now, initial, saved[HD_CFI_STATE_STACK_MAX];
};

void hd_cfi_interpreter_start(struct hd_cfi_interpreter *run, const struct hd_cfi *c,
	const struct hd_cfi_indexed_section *part, const struct hd_cfi_fde *fde);
/* 1: a stretch [from, to), never empty; 0: no more; -1: an instruction was not understood, and nothing is known from `to` on. */
int hd_cfi_interpreter_next(struct hd_cfi_interpreter *run);

/* ---- rows.c ---- */

/* NULL: no memory.  One that cannot be read covers nothing: lo = hi = 0. */
const struct hd_cfi_fn *hd_cfi_compile(struct hd_cfi *c, struct hd_cfi_indexed_section *part, size_t i);

#endif
