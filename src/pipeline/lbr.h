/*
 * lbr.h - build call chains from the last branch records of the processor (perf record --call-graph lbr)
 *
 * In call-stack mode the processor keeps the calls that have not returned:
 *
 *     from 0  to 0	the innermost call and the function that it called
 *     from 1  to 1	the call of the function that contains from 0
 *     ...
 *
 * The user stack begins with the address where user code was interrupted: the first user address of the recorded chain,
 * else the sampled address or, for a sample in the kernel, `to 0`.  Then follows each `from`.  The kernel part is that
 * of the recorded chain.  The result has the form of a recorded chain with return addresses: a call is represented by
 * the address after its first byte, which is in the same instruction.
 *
 * The processor keeps 8 to 32 calls, so deep stacks have no root.  Jumps are not recorded.  If the current function was
 * entered by a tail call, this reader shows the function of the sampled address, whereas perf shows the function that
 * was called last.
 *
 * Owns: the words of the returned chain.  Zero-initialise.
 */
#ifndef HD_PIPELINE_LBR_H
#define HD_PIPELINE_LBR_H

#include "perfdata/perfdata.h"

struct hd_lbr {
	uint64_t *words;
	size_t n, cap;
};

/*
 * If the branch records of the sample s are calls (LBR call stack), set *out to a copy of s whose chain is made of
 * these calls, and return `out`.  This chain is valid until the next call.  Otherwise return s.
 */
const struct hd_sample *hd_lbr_chain(struct hd_lbr *l, const struct hd_sample *s, struct hd_sample *out);
void hd_lbr_release(struct hd_lbr *l);

#endif
