/*
 * datasrc.c - see datasrc.h
 */
#include "perfdata/datasrc.h"

#include "base/mem.h"
#include "perfdata/perf_abi.h"

#include <stdbool.h>

/*
 * Extract a bit field of a data source; `shift` counts from the lowest bit.  The word must have the byte order of this
 * machine.
 */
#define PART(source, shift, bits)	((unsigned)((source) >> (shift) & ((1u << (bits)) - 1)))

/* Append the words of the bits that are set, with " or " between them; return their number. */
static unsigned add_words(struct hd_buf *out, unsigned set, const char *const *words, size_t n)
{
	unsigned added = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(set >> i & 1) || !words[i])
			continue;
		hd_buf_addf(out, "%s%s", added ? " or " : "", words[i]);
		added++;
	}
	return added;
}

static void hit_or_miss(struct hd_buf *out, unsigned set)
{
	hd_buf_adds(out, set & PERF_MEM_LVL_HIT ? " hit" : "");
	hd_buf_adds(out, set & PERF_MEM_LVL_MISS ? " miss" : "");
}

/* Append `word`, after a blank if the text since `from` is not empty. */
static void add_after_blank(struct hd_buf *out, size_t from, const char *word)
{
	hd_buf_adds(out, out->len > from ? " " : "");
	hd_buf_adds(out, word);
}

/*
 * Append the memory level.  If the data source has a level number, the number replaces the older level bits, which the
 * kernel sets only for old programs (linux/perf_event.h).  The hit and miss bits apply to the number as well as to the
 * level bits.
 */
static void mem_text(uint64_t source, struct hd_buf *out)
{
	/* Names of the level bits.  Bits 0 to 2 mean not-available, hit and miss, so they name no level. */
	static const char *const levels[] = {
		NULL, NULL, NULL, "L1", "LFB/MAB", "L2", "L3", "Local RAM", "Remote RAM (1 hop)", "Remote RAM (2 hops)",
		"Remote Cache (1 hop)", "Remote Cache (2 hops)", "I/O", "Uncached",
	};
	static const char *const numbers[16] = {
		NULL, "L1", "L2", "L3", "L4", "L2 MHB", "Memory-side Cache", "Unknown level 7", "Uncached", "CXL",
		"I/O", "Any cache",
		"LFB/MAB", "RAM", "PMEM", NULL,
	};
	static const char *const hops[8] = {
		NULL, "core, same node", "node, same socket", "socket, same board", "board", "hops 5", "hops 6",
		"hops 7",
	};
	unsigned set = PART(source, PERF_MEM_LVL_SHIFT, 14), number = PART(source, PERF_MEM_LVLNUM_SHIFT, 4),
		 hop = PART(source, 43, 3);
	size_t from = out->len;

	if (PART(source, PERF_MEM_REMOTE_SHIFT, 1))
		add_after_blank(out, from, "Remote");
	if (hop)
		add_after_blank(out, from, hops[hop]);
	if (numbers[number]) {
		add_after_blank(out, from, numbers[number]);
	} else if (!hop && set & ~7u) {
		add_after_blank(out, from, "");
		add_words(out, set, levels, HD_COUNT(levels));
	}
	if (out->len == from)
		hd_buf_adds(out, "N/A");
	hit_or_miss(out, set);
}

static void tlb_text(uint64_t source, struct hd_buf *out)
{
	static const char *const words[] = { NULL, NULL, NULL, "L1", "L2", "Walker", "Fault" };
	unsigned set = PART(source, PERF_MEM_TLB_SHIFT, 7);

	if (!add_words(out, set, words, HD_COUNT(words)))
		hd_buf_adds(out, "N/A");
	/* the hit and miss bits of the TLB have the same values as those of the memory level */
	hit_or_miss(out, set);
}

static void snoop_text(uint64_t source, struct hd_buf *out)
{
	static const char *const words[] = { "N/A", "None", "Hit", "Miss", "HitM", "Fwd", "Peer" };
	unsigned set = PART(source, PERF_MEM_SNOOP_SHIFT, 5) | PART(source, 38, 2) << 5;

	if (!add_words(out, set, words, HD_COUNT(words)))
		hd_buf_adds(out, "N/A");
}

static const char *op_word(unsigned op)
{
	return op & PERF_MEM_OP_NA ? "N/A" : op & PERF_MEM_OP_LOAD ? "LOAD" : op & PERF_MEM_OP_STORE ? "STORE" :
	       op & PERF_MEM_OP_PFETCH ? "PFETCH" : op & PERF_MEM_OP_EXEC ? "EXEC" : "No";
}

static const char *blocked_word(unsigned set)
{
	static const char *const words[] = { "N/A", "Data", "Addr", "Data Addr" };

	return set & 1 ? "N/A" : words[set >> 1];
}

void hd_datasrc_text(enum hd_datasrc part, uint64_t source, struct hd_buf *out)
{
	unsigned lock = PART(source, PERF_MEM_LOCK_SHIFT, 2);

	switch (part) {
	case HD_DATASRC_MEM:
		mem_text(source, out);
		break;
	case HD_DATASRC_OP:
		hd_buf_adds(out, op_word(PART(source, PERF_MEM_OP_SHIFT, 5)));
		break;
	case HD_DATASRC_SNOOP:
		snoop_text(source, out);
		break;
	case HD_DATASRC_TLB:
		tlb_text(source, out);
		break;
	case HD_DATASRC_LOCKED:
		hd_buf_adds(out, lock & PERF_MEM_LOCK_NA ? "N/A" : lock & PERF_MEM_LOCK_LOCKED ? "Yes" : "No");
		break;
	case HD_DATASRC_BLOCKED:
		hd_buf_adds(out, blocked_word(PART(source, 40, 3)));
		break;
	}
}

void hd_transaction_text(uint64_t t, struct hd_buf *out)
{
	static const char *const words[] = { "EL", "TX", "SYNC", "ASYNC", "RETRY", "CON", "CAP-WRITE", "CAP-READ" };
	size_t from = out->len;

	for (size_t i = 0; i < HD_COUNT(words); i++)
		if (t >> i & 1)
			hd_buf_addf(out, "%s%s", out->len > from ? " " : "", words[i]);
	if (t && !(t & (PERF_TXN_SYNC | PERF_TXN_ASYNC)))
		hd_buf_addf(out, "%sNEITHER", out->len > from ? " " : "");
	if (t & PERF_TXN_ABORT_MASK)
		hd_buf_addf(out, " :%llx", (unsigned long long)(t >> PERF_TXN_ABORT_SHIFT));
}
