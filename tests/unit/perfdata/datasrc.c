/* datasrc.c - format data sources and transactions as text; tests/run-perf.sh compares all of them with perf. */
#include "test.h"

#include "perfdata/datasrc.h"
#include "perfdata/perf_abi.h"

static void expect_part(enum hd_datasrc part, uint64_t source, const char *want)
{
	struct hd_buf b = { 0 };

	hd_datasrc_text(part, source, &b);
	EXPECT_STR(hd_buf_str(&b), want);
	hd_buf_release(&b);
}

static void expect_transaction(uint64_t t, const char *want)
{
	struct hd_buf b = { 0 };

	hd_transaction_text(t, &b);
	EXPECT_STR(hd_buf_str(&b), want);
	hd_buf_release(&b);
}

#define REMOTE	(UINT64_C(1) << 37)
#define HOPS(n)	((uint64_t)(n) << 43)
#define LEVEL(n) ((uint64_t)(n) << 33)

TEST(a_level_is_where_the_data_came_from)
{
	expect_part(HD_DATASRC_MEM, 0, "N/A");
	expect_part(HD_DATASRC_MEM, PERF_MEM_S(LVL, NA), "N/A");
	expect_part(HD_DATASRC_MEM, PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, L1), "L1 hit");
	expect_part(HD_DATASRC_MEM, PERF_MEM_S(LVL, MISS) | PERF_MEM_S(LVL, L3) | PERF_MEM_S(LVL, LOC_RAM),
		"L3 or Local RAM miss");
	expect_part(HD_DATASRC_MEM, LEVEL(4), "L4");
	expect_part(HD_DATASRC_MEM, LEVEL(13) | REMOTE, "Remote RAM");
	expect_part(HD_DATASRC_MEM, HOPS(1) | REMOTE, "Remote core, same node");
	expect_part(HD_DATASRC_MEM, HOPS(1) | LEVEL(2) | REMOTE, "Remote core, same node L2");
	expect_part(HD_DATASRC_MEM, HOPS(7), "hops 7");
	expect_part(HD_DATASRC_MEM, REMOTE, "Remote");
}

/*
 * The kernel sets the older bits, too, for programs that do not know the level number.  perf 6.1 prints both ("L1 or
 * L1 hit").
 */
TEST(a_level_number_replaces_the_older_bits_of_the_level)
{
	const uint64_t l1_hit = PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, L1);

	expect_part(HD_DATASRC_MEM, LEVEL(1) | l1_hit, "L1 hit");
	expect_part(HD_DATASRC_MEM, LEVEL(9) | l1_hit, "CXL hit");
	expect_part(HD_DATASRC_MEM, LEVEL(12) | PERF_MEM_S(LVL, L2), "LFB/MAB");
	expect_part(HD_DATASRC_MEM, LEVEL(6) | REMOTE | l1_hit, "Remote Memory-side Cache hit");
	expect_part(HD_DATASRC_MEM, LEVEL(7), "Unknown level 7");
	/* Level number 15 means "not available", so the older bits are used. */
	expect_part(HD_DATASRC_MEM, LEVEL(15) | l1_hit, "L1 hit");
	expect_part(HD_DATASRC_MEM, LEVEL(15), "N/A");
	expect_part(HD_DATASRC_MEM, LEVEL(15) | REMOTE | l1_hit, "Remote L1 hit");
}

TEST(each_part_has_its_words)
{
	expect_part(HD_DATASRC_OP, 0, "No");
	expect_part(HD_DATASRC_OP, PERF_MEM_S(OP, LOAD) | PERF_MEM_S(OP, STORE), "LOAD");
	expect_part(HD_DATASRC_SNOOP, 0, "N/A");
	expect_part(HD_DATASRC_SNOOP, PERF_MEM_S(SNOOP, HIT) | UINT64_C(2) << 38, "Hit or Peer");
	expect_part(HD_DATASRC_TLB, PERF_MEM_S(TLB, L1) | PERF_MEM_S(TLB, L2) | PERF_MEM_S(TLB, HIT), "L1 or L2 hit");
	expect_part(HD_DATASRC_TLB, PERF_MEM_S(TLB, MISS), "N/A miss");
	expect_part(HD_DATASRC_LOCKED, 0, "No");
	expect_part(HD_DATASRC_LOCKED, PERF_MEM_S(LOCK, LOCKED), "Yes");
	expect_part(HD_DATASRC_LOCKED, PERF_MEM_S(LOCK, NA), "N/A");
	expect_part(HD_DATASRC_BLOCKED, 0, "N/A");
	expect_part(HD_DATASRC_BLOCKED, UINT64_C(6) << 40, "Data Addr");
	for (int part = HD_DATASRC_MEM; part <= HD_DATASRC_BLOCKED; part++)
		for (unsigned bit = 0; bit < 64; bit++) {
			struct hd_buf b = { 0 };

			hd_datasrc_text((enum hd_datasrc)part, UINT64_C(1) << bit, &b);
			EXPECT(b.len && b.data[0] != ' ' && b.data[b.len - 1] != ' ');
			hd_buf_release(&b);
		}
}

TEST(a_transaction_is_its_flags_and_the_code_of_its_abort)
{
	expect_transaction(0, "");
	expect_transaction(PERF_TXN_TRANSACTION | PERF_TXN_SYNC | UINT64_C(0xab) << 32, "TX SYNC :ab");
	expect_transaction(PERF_TXN_CONFLICT, "CON NEITHER");
	expect_transaction(PERF_TXN_ELISION | PERF_TXN_ASYNC | PERF_TXN_CAPACITY_READ, "EL ASYNC CAP-READ");
}

TEST_MAIN(RUN(a_level_is_where_the_data_came_from),
	  RUN(a_level_number_replaces_the_older_bits_of_the_level),
	  RUN(each_part_has_its_words),
	  RUN(a_transaction_is_its_flags_and_the_code_of_its_abort))
