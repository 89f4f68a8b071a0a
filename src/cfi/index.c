/*
 * index.c - look up the entry of the function that covers an address
 *
 * Functions may overlap, because of hand-written assembly or damage.  So a lookup tries the last entry that starts at
 * or below the address, then the STEPS_BACK entries before it.
 */
#include "cfi/index.h"

#include <errno.h>

/*
 * Return the registers of an architecture, by DWARF number.  Sources: the psABI supplements of x86-64 and i386,
 * aadwarf64, aadwarf32.  The frame pointer of 32-bit ARM is r11; Thumb code that uses r7 gets HD_CFI_FULL rows.
 */
const struct hd_cfi_abi *hd_cfi_abi(enum hd_cfi_machine m)
{
	static const struct hd_cfi_abi abi[] = {
		[HD_CFI_X86_64]  = { .sp =  7, .fp =  6, .ra = 16, .nregs = 17, .word = 8 },
		[HD_CFI_I386]    = { .sp =  4, .fp =  5, .ra =  8, .nregs =  9, .word = 4 },
		[HD_CFI_AARCH64] = { .sp = 31, .fp = 29, .ra = 30, .nregs = 34, .word = 8 },
		[HD_CFI_ARM]     = { .sp = 13, .fp = 11, .ra = 14, .nregs = 16, .word = 4 },
	};

	return &abi[m];
}

/* ---- sorting: heap sort, which needs no memory (qsort() may allocate), no recursion, and has no slow input */

static bool before(const struct hd_cfi_index_entry *a, const struct hd_cfi_index_entry *b)
{
	return a->lo != b->lo ? a->lo < b->lo : a->off < b->off;
}

static void sink(struct hd_cfi_index_entry *items, size_t at, size_t n)
{
	const struct hd_cfi_index_entry it = items[at];
	size_t child;

	for (; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && before(&items[child], &items[child + 1]))
			child++;
		if (!before(&it, &items[child]))
			break;
		items[at] = items[child];
	}
	items[at] = it;
}

static void sort_items(struct hd_cfi_index_entry *items, size_t n)
{
	for (size_t i = n / 2; i > 0; i--)
		sink(items, i - 1, n);
	for (size_t i = n; i > 1; i--) {
		const struct hd_cfi_index_entry last = items[i - 1];

		items[i - 1] = items[0];
		items[0] = last;
		sink(items, 0, i - 1);
	}
}

enum { STEPS_BACK = 3 };

static const char *const fault_text[] = {
	[HD_CFI_NO_CIE] = "an entry whose CIE is not in its section",
	[HD_CFI_FOREIGN] = "a CIE whose version, augmentation or registers are not known",
	[HD_CFI_GARBLED] = "an entry whose fields are impossible",
};

static void skipped(struct hd_cfi_stats *stats, const char *why)
{
	stats->skipped++;
	if (!stats->damage)
		stats->damage = why;
}

/* Count the entries without parsing them: an upper bound of the size of the index. */
static size_t count_entries(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part)
{
	struct hd_cfi_entry e;
	size_t n = 0;
	int rc;

	for (size_t off = 0; (rc = hd_cfi_entry_at(c, part, off, &e)) >= 0; off = e.next)
		n += rc > 0 && !e.is_cie;
	return n;
}

bool hd_cfi_scan(struct hd_cfi *c, struct hd_cfi_indexed_section *part, struct hd_cfi_stats *stats)
{
	size_t most = count_entries(c, part), read = SIZE_MAX, off = 0, cie;
	enum hd_cfi_fault fault, cie_fault = HD_CFI_FINE;
	struct hd_cfi_entry e;
	struct hd_cfi_fde fde;
	bool sorted = true;
	int rc;

	if (!most)
		return true;
	part->items = c->mem.take(c->mem.ctx, most * sizeof(*part->items));
	if (!part->items)
		return false;
	/*
	 * Do not stop at a terminator: some linkers keep the terminators of their inputs in the middle of the section.
	 */
	for (; (rc = hd_cfi_entry_at(c, part, off, &e)) >= 0; off = e.next) {
		if (!rc)
			continue;
		cie = e.is_cie ? off : e.cie;
		if (cie == SIZE_MAX)
			cie_fault = HD_CFI_NO_CIE;
		else if (cie != read)	/* most FDEs follow their CIE */
			cie_fault = hd_cfi_cie_at(c, part, cie, &fde.cie);
		read = cie;
		fault = e.is_cie || cie_fault ? cie_fault : hd_cfi_fde_of(c, part, &e, &fde);
		if (fault && fault != HD_CFI_EMPTY)
			skipped(stats, fault_text[fault]);
		if (e.is_cie || fault)
			continue;
		sorted = sorted && (!part->n || part->items[part->n - 1].lo <= fde.lo);
		part->items[part->n++] = (struct hd_cfi_index_entry){ fde.lo, (uint32_t)(fde.hi - fde.lo),
			(uint32_t)off };
	}
	if (off < part->sec.size)
		skipped(stats, "an entry that is longer than its section");
	if (!sorted)
		sort_items(part->items, part->n);
	return true;
}

/* Return the number of entries whose start is at or below vaddr. */
static size_t starting_by(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part, uint64_t vaddr)
{
	size_t lo = 0, hi = part->n;

	if (!part->items)
		return hd_cfi_table_upper_bound(c, part, vaddr);
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (part->items[mid].lo <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct hd_cfi_fn *hd_cfi_find(struct hd_cfi *c, uint64_t vaddr, const struct hd_cfi_indexed_section **part,
	size_t *i)
{
	for (struct hd_cfi_indexed_section *p = c->part; p < c->part + 2; p++) {
		size_t after = starting_by(c, p, vaddr);

		for (size_t at = after; at > 0 && after - at <= STEPS_BACK; at--) {
			const struct hd_cfi_fn *fn;

			if (p->items && vaddr - p->items[at - 1].lo >= p->items[at - 1].size)
				continue;
			fn = hd_cfi_compile(c, p, at - 1);
			if (!fn || vaddr < fn->lo || vaddr >= fn->hi)
				continue;
			if (part)
				*part = p;
			if (i)
				*i = at - 1;
			return fn;
		}
	}
	return NULL;
}

const struct hd_cfi_fn *hd_cfi_function(struct hd_cfi *c, uint64_t vaddr)
{
	return hd_cfi_find(c, vaddr, NULL, NULL);
}

size_t hd_cfi_table_entries(const struct hd_cfi *c)
{
	return c->part[0].items ? 0 : c->part[0].n;
}

bool hd_cfi_entry_was_used(const struct hd_cfi *c, size_t i)
{
	return c->part[0].slots[i] != NULL;
}

static bool open_part(struct hd_cfi *c, struct hd_cfi_indexed_section *part, struct hd_cfi_stats *stats)
{
	/* Offsets in a section are stored in 32 bits. */
	if (part->sec.size > UINT32_MAX) {
		part->sec.size = 0;
		skipped(stats, "a section of more than 4 GiB");
	}
	if (part->eh && hd_cfi_table_open(c, part, &stats->damage))
		stats->by_hdr = true;
	else if (!hd_cfi_scan(c, part, stats))
		return false;
	stats->functions += part->n;
	if (part->n)
		part->slots = c->mem.take(c->mem.ctx, part->n * sizeof(*part->slots));
	return !part->n || part->slots;
}

int hd_cfi_open(struct hd_cfi **out, const struct hd_cfi_sections *in, const struct hd_cfi_allocator *mem,
	struct hd_cfi_stats *stats)
{
	struct hd_cfi_stats unasked;
	struct hd_cfi *c;

	*out = NULL;
	if (!stats)
		stats = &unasked;
	*stats = (struct hd_cfi_stats){ 0 };
	if (!in->eh_frame.size && !in->debug_frame.size)
		return 0;
	c = mem->take(mem->ctx, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->in = *in;
	c->abi = hd_cfi_abi(in->machine);
	c->mem = *mem;
	c->part[0].sec = in->eh_frame;
	c->part[0].eh = true;
	c->part[1].sec = in->debug_frame;
	if (!open_part(c, &c->part[0], stats) || !open_part(c, &c->part[1], stats))
		return -ENOMEM;
	if (!stats->functions)
		return 0;
	*out = c;
	return 1;
}
