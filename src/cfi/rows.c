/* rows.c - compile a function's instructions to compact rows */
#include "cfi/index.h"

/*
 * Number of rows that are stored when the instructions of a function are run for the first time.  Nearly all functions
 * have fewer.  Larger ones are run a second time, with room for the number of rows that the first run counted.
 */
enum { ROWS_AT_ONCE = 64 };

/*
 * The result for a function whose CFI cannot be read.  It covers no address, and it is stored so that compiling is not
 * repeated.
 */
static const struct hd_cfi_fn unreadable;

/*
 * Convert a rule to one of the forms that a row can hold: an offset from the CFA, SAME or UNDEFINED.  Returns false if
 * the rule has none of these forms.
 */
static bool fits(hd_cfi_packed_rule rule, uint8_t *where, int16_t *off)
{
	int64_t v = hd_cfi_packed_operand(rule);

	switch (hd_cfi_packed_kind(rule)) {
	case HD_RULE_SAME:
		*where = HD_CFI_SAME;
		return true;
	case HD_RULE_UNDEFINED:
		*where = HD_CFI_UNDEFINED;
		return true;
	case HD_RULE_OFFSET:
		*where = HD_CFI_AT_CFA;
		*off = (int16_t)v;
		return v == *off;
	default:
		return false;
	}
}

static bool has_link_register(enum hd_cfi_machine m)
{
	return m == HD_CFI_AARCH64 || m == HD_CFI_ARM;
}

/*
 * Convert the current rules to a compact row.  Returns false if they do not fit one, so that the row must be
 * HD_CFI_FULL.
 */
static bool lower(const struct hd_cfi_interpreter *run, struct hd_cfi_row *row)
{
	const struct hd_cfi_state *now = &run->now;
	const struct hd_cfi_abi *abi = run->c->abi;
	hd_cfi_packed_rule sp = now->reg[abi->sp];
	uint8_t ra = run->fde->cie.ra;

	if (now->cfa_expr || (now->cfa_reg != abi->sp && now->cfa_reg != abi->fp))
		return false;
	row->cfa = now->cfa_reg == abi->sp ? HD_CFI_SP : HD_CFI_FP;
	row->cfa_off = (int32_t)now->cfa_off;
	if (now->cfa_off != row->cfa_off)
		return false;
	if (hd_cfi_packed_kind(sp) != HD_RULE_VAL_OFFSET || hd_cfi_packed_operand(sp) != 0)
		return false;
	if (!fits(now->reg[abi->fp], &row->fp, &row->fp_off) || !fits(now->reg[ra], &row->ra, &row->ra_off))
		return false;
	/* SAME is valid only for a return address that is still in the link register. */
	return row->ra != HD_CFI_SAME || (ra == abi->ra && has_link_register(run->c->in.machine));
}

static struct hd_cfi_row row_of(const struct hd_cfi_interpreter *run)
{
	struct hd_cfi_row row = { 0 };

	if (!lower(run, &row))
		row = (struct hd_cfi_row){ .cfa = HD_CFI_FULL };
	row.pc = (uint32_t)(run->from - run->fde->lo);
	row.flags = run->now.flags;
	return row;
}

static bool same_but_pc(const struct hd_cfi_row *a, const struct hd_cfi_row *b)
{
	return a->cfa == b->cfa && a->cfa_off == b->cfa_off && a->fp == b->fp && a->fp_off == b->fp_off &&
	       a->ra == b->ra && a->ra_off == b->ra_off && a->flags == b->flags;
}

/* The result of running the instructions of a function. n counts all rows; only the first `room` of them are stored. */
struct counted { size_t n; uint32_t end; bool damaged; };

static struct counted run_through(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part,
	const struct hd_cfi_fde *fde, struct hd_cfi_row *rows, size_t room)
{
	struct counted counted = { 0 };
	struct hd_cfi_row last = { 0 };
	struct hd_cfi_interpreter run;
	int rc;

	hd_cfi_interpreter_start(&run, c, part, fde);
	while ((rc = hd_cfi_interpreter_next(&run)) > 0) {
		struct hd_cfi_row row = row_of(&run);

		if (counted.n && same_but_pc(&row, &last))
			continue;
		if (counted.n < room)
			rows[counted.n] = row;
		last = row;
		counted.n++;
	}
	counted.damaged = rc < 0;
	counted.end = (uint32_t)(run.to - fde->lo);
	return counted;
}

static const struct hd_cfi_fn *compile(struct hd_cfi *c, const struct hd_cfi_indexed_section *part, size_t i)
{
	struct hd_cfi_row rows[ROWS_AT_ONCE];
	struct hd_cfi_fde fde;
	struct hd_cfi_fn *fn;
	struct counted counted;

	if (!hd_cfi_fde_at(c, part, i, &fde))
		return &unreadable;
	counted = run_through(c, part, &fde, rows, ROWS_AT_ONCE);
	/* A function without any row still gets row 0. */
	fn = c->mem.take(c->mem.ctx, sizeof(*fn) + (counted.n ? counted.n : 1) * sizeof(fn->rows[0]));
	if (!fn)
		return NULL;
	fn->lo = fde.lo;
	fn->hi = fde.hi;
	fn->nrows = counted.n ? (uint32_t)counted.n : 1;
	fn->end = counted.end;
	fn->damaged = counted.damaged;
	if (!counted.n)
		fn->rows[0].cfa = HD_CFI_FULL;
	else if (counted.n <= ROWS_AT_ONCE)
		memcpy(fn->rows, rows, counted.n * sizeof(rows[0]));
	else
		run_through(c, part, &fde, fn->rows, counted.n);
	return fn;
}

const struct hd_cfi_fn *hd_cfi_compile(struct hd_cfi *c, struct hd_cfi_indexed_section *part, size_t i)
{
	const struct hd_cfi_fn *fn = atomic_load_explicit(&part->slots[i], memory_order_acquire), *first = NULL;

	if (fn)
		return fn;
	fn = compile(c, part, i);
	/* Two threads may compile the same function; the first result is used by both. */
	if (fn &&
		!atomic_compare_exchange_strong_explicit(&part->slots[i], &first, fn, memory_order_acq_rel,
			memory_order_acquire))
		fn = first;
	return fn;
}

const struct hd_cfi_row *hd_cfi_row(const struct hd_cfi_fn *fn, uint64_t vaddr)
{
	uint64_t pc = vaddr - fn->lo;
	uint32_t lo = 0, hi = fn->nrows;

	if (pc >= fn->end)
		return NULL;
	/* Row 0 starts at 0, so a row at or before pc exists. */
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (fn->rows[mid].pc <= pc)
			lo = mid;
		else
			hi = mid;
	}
	return &fn->rows[lo];
}
