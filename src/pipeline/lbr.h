/*
 * lbr.h - call chains from the processor's last branches (perf record --call-graph lbr)
 *
 * With call-stack mode the processor keeps the calls that have not returned:
 *
 *     from 0  to 0	the innermost call and the function that it called
 *     from 1  to 1	the call of the function that holds from 0
 *     ...
 *
 * So the stack is the sampled address, then each `from`; the kernel's part is
 * recorded beside it as a chain.  The chain that is made has the form of a
 * recorded one, with return addresses: a call is told by the byte behind its
 * first, which is in the same instruction.
 *
 * The processor keeps 8 to 32 calls, so a deep stack has no root.  Jumps are not
 * among them: the sampled address is shown, where perf shows the function that was
 * called last, and these differ in a function that was entered by a tail call.
 *
 * Owns: the words.  Zero-initialise.
 */
#ifndef HD_PIPELINE_LBR_H
#define HD_PIPELINE_LBR_H

#include "perfdata/perfdata.h"

struct hd_lbr {
	uint64_t *words;
	size_t n, cap;
};

/* s, or when its branches are calls *out: the same with their chain, valid until the next call. */
const struct hd_sample *hd_lbr_chain(struct hd_lbr *l, const struct hd_sample *s, struct hd_sample *out);
void hd_lbr_release(struct hd_lbr *l);

#endif
