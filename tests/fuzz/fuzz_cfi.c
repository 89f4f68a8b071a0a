/*
 * fuzz_cfi.c - read any bytes as sections with call frame information
 *
 *     OFFSET  SIZE  MEANING
 *     0       1     architecture (bits 0 and 1), other byte order (bit 2)
 *     1       1     address of .eh_frame, divided by 256
 *     2       2     size of .eh_frame_hdr, which is the first section and has the address 0x100
 *     4       2     size of .debug_frame, which is the last section; .eh_frame is between them
 *     6             the sections
 *
 * The target looks up some fixed addresses, and the numbers at each of the first 4096 offsets of the input.
 *
 * Invariants: a function covers the address for which it was found; its rows ascend from 0, differ, and end at its
 * end; a compact row is equivalent to the full rules; a second lookup gives the same result; the memory that is used
 * is at most proportional to the size of the sections.
 */
#include "cfi/cfi.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct pool {
	void *taken[4096];
	size_t n, bytes;
};

static void *take(void *ctx, size_t bytes)
{
	struct pool *p = ctx;

	if (p->n == sizeof(p->taken) / sizeof(p->taken[0]))
		return NULL;
	p->bytes += bytes;
	return p->taken[p->n++] = calloc(1, bytes);
}

static void require(bool holds)
{
	if (!holds)
		abort();
}

static bool read_memory(void *ctx, uint64_t addr, unsigned int bytes, uint64_t *value)
{
	(void)ctx;
	*value = addr * 3 >> (64 - 8 * bytes);
	return addr % 7 != 0;
}

static void eval(struct hd_cfi *c, const struct hd_cfi_rule *rule, const uint64_t *initial)
{
	const struct hd_cfi_memory_reader memory = { read_memory, NULL };
	struct hd_cfi_regs regs = { .known = 0x5555555555 };
	uint64_t value;

	if (rule->kind == HD_RULE_EXPR || rule->kind == HD_RULE_VAL_EXPR)
		hd_cfi_eval(c, rule->expr, rule->expr_len, &regs, &memory, initial, &value);
}

static void check_function(const struct hd_cfi_fn *fn)
{
	require(fn->lo < fn->hi && fn->nrows >= 1 && fn->rows[0].pc == 0);
	require(fn->end <= fn->hi - fn->lo && (fn->damaged || fn->end == fn->hi - fn->lo));
	for (uint32_t i = 1; i < fn->nrows; i++)
		require(fn->rows[i].pc > fn->rows[i - 1].pc && fn->rows[i].pc < fn->end &&
			memcmp((const char *)&fn->rows[i] + 4, (const char *)&fn->rows[i - 1] + 4,
				sizeof(fn->rows[i]) - 4));
}

static void ask(struct hd_cfi *c, const struct hd_cfi_abi *abi, uint64_t vaddr)
{
	const struct hd_cfi_fn *fn = hd_cfi_function(c, vaddr);
	const uint64_t cfa = 0x1234560;
	const struct hd_cfi_row *row;
	struct hd_cfi_rules rules;
	bool ruled;

	require(hd_cfi_function(c, vaddr) == fn);
	ruled = hd_cfi_rules(c, vaddr, &rules);
	if (!fn) {
		require(!ruled);
		return;
	}
	require(vaddr >= fn->lo && vaddr < fn->hi);
	check_function(fn);
	row = hd_cfi_row(fn, vaddr);
	require(ruled == (row != NULL));
	if (!row)
		return;
	require(row->flags == rules.flags && rules.ra < abi->nregs);
	if (row->cfa != HD_CFI_FULL)
		require(rules.cfa.kind == HD_RULE_REGISTER &&
			rules.cfa.reg == (row->cfa == HD_CFI_SP ? abi->sp : abi->fp) && rules.cfa.off == row->cfa_off &&
			rules.reg[rules.ra].off == row->ra_off);
	eval(c, &rules.cfa, NULL);
	for (unsigned int i = 0; i < HD_CFI_REGS; i++)
		eval(c, &rules.reg[i], &cfa);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pool pool;
	static const uint64_t addresses[] = { 0, 0x100, 0x1000, 0x1001, 0x1010, 0x2000, 0x10000, 0xffffffff,
		UINT64_MAX };
	struct hd_cfi_allocator mem = { take, &pool };
	struct hd_cfi_sections in = { .text_vaddr = 0x40000, .got_vaddr = 0x50000 };
	const struct hd_cfi_abi *abi;
	struct hd_cfi_stats stats;
	struct hd_cfi *c;
	size_t hdr, debug;

	if (size < 6 || size > 1 << 16)
		return 0;
	in.machine = data[0] & 3;
	in.swap = data[0] >> 2 & 1;
	abi = hd_cfi_abi(in.machine);
	hdr = data[2] | (size_t)data[3] << 8;
	debug = data[4] | (size_t)data[5] << 8;
	if (hdr > size - 6)
		hdr = size - 6;
	if (debug > size - 6 - hdr)
		debug = size - 6 - hdr;
	in.eh_frame_hdr = (struct hd_cfi_section){ data + 6, hdr, 0x100 };
	in.eh_frame = (struct hd_cfi_section){ data + 6 + hdr, size - 6 - hdr - debug, UINT64_C(256) * data[1] };
	in.debug_frame = (struct hd_cfi_section){ data + size - debug, debug, 0 };
	pool.n = pool.bytes = 0;
	if (hd_cfi_open(&c, &in, &mem, &stats) > 0) {
		require(pool.bytes <= 1024 + 3 * size);
		for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
			ask(c, abi, addresses[i]);
		for (size_t i = 0; i + 8 <= size && i < 4096; i++) {
			uint32_t at;
			uint64_t wide;

			/*
			 * Look up the four bytes at i as an absolute address and as one relative to their own place,
			 * and the eight bytes at i as an absolute address.
			 */
			memcpy(&at, data + i, 4);
			memcpy(&wide, data + i, 8);
			ask(c, abi, at);
			ask(c, abi, at + in.eh_frame.vaddr + i - 6 - hdr);
			ask(c, abi, wide);
		}
		/* The limit is higher after lookups, because one byte of a program can describe a whole row. */
		require(pool.bytes <= 4096 + 128 * size);
	}
	while (pool.n)
		free(pool.taken[--pool.n]);
	return 0;
}
