/*
 * missing_caller.c - detect recorded call chains that lack a caller: see perf_input_state.h
 *
 * The kernel follows frame pointers.  If a function has no frame yet, or never sets one up (a leaf function, code of
 * libc), the frame pointer is still that of its caller, so the chain continues with the caller of the caller:
 *
 *     main -> handle_request -> parse_row		recorded: main, parse_row
 *
 * The call frame information of the sampled address shows this.
 */
#include "pipeline/perf_input_state.h"

#include "base/mem.h"
#include "bundle/bundled_recording.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/utsname.h>

void hd_perf_input_begin_missing_caller(struct hd_perf_input *in)
{
	const struct hd_perf_attr *attrs = hd_perf_attrs(in->pf, &(size_t){ 0 });
	const char *arch = hd_perf_header(in->pf)->arch;
	struct hd_unwind_source source = hd_perf_input_code_source(in);
	struct hd_missing_caller *h = &in->unwinding.missing_caller;
	struct utsname u;
	bool chains = false;

	for (size_t i = 0; i < in->request.nattrs; i++)
		chains |= (attrs[i].sample_type & PERF_SAMPLE_CALLCHAIN) &&
			!(attrs[i].sample_type & PERF_SAMPLE_STACK_USER);
	if (!arch && in->request.from->bundled)
		arch = hd_bundled_recording_machine(in->request.from->bundled);
	else if (!arch && uname(&u) == 0)
		arch = u.machine;	/* unknown in pipe mode: assume this machine */
	if (!in->request.opts->details || !chains || !in->lookup.symbols || !arch)
		return;
	h->machine = hd_perf_input_unwind_machine(arch);
	/* ABI of the user registers: 2 for 64-bit architectures (x86_64, amd64, aarch64), else 1 */
	h->abi = strstr(arch, "64") ? 2 : 1;
	if (h->machine == HD_UNWIND_NONE || hd_unwind_by_libdw(h->machine))
		return;
	if (!in->unwinding.unwind) {
		hd_perf_input_learn_code(in);
		h->unwind = hd_unwind_new(in->spaces.proc, &source);
	}
	h->unwinder = hd_unwinder_new(in->unwinding.unwind ? in->unwinding.unwind : h->unwind);
}

/* Return the address where user code was interrupted, or 0 if the chain has no user part. */
static uint64_t user_address(const struct hd_sample *s)
{
	if (s->cpumode == HD_MODE_USER)
		return s->ip;
	for (uint32_t i = 0; i + 1 < s->nchain; i++)
		if (hd_sample_chain_ip(s, i) == HD_CONTEXT_USER)
			return hd_sample_chain_ip(s, i + 1);
	return 0;
}

/* Results are cached by address, because the call frame information is the same for all samples at an address. */
bool hd_perf_input_caller_missing(struct hd_perf_input *in, const struct hd_queued_sample *q)
{
	struct hd_missing_caller *h = &in->unwinding.missing_caller;
	uint64_t ip = q->s.nchain ? user_address(&q->s) : 0;
	struct hd_missing_caller_cache *r = &h->recent[ip % HD_COUNT(h->recent)];

	if (__builtin_expect(r->ip != ip || r->space != q->at.space, 0))
		*r = (struct hd_missing_caller_cache){
			ip, q->at.space,
			ip && hd_unwinder_hides_caller(h->unwinder, h->machine, h->abi, q->at.space, ip),
		};
	return r->hides;
}

void hd_perf_input_end_missing_caller(struct hd_perf_input *in)
{
	struct hd_missing_caller *h = &in->unwinding.missing_caller;

	hd_unwinder_free(h->unwinder);
	hd_unwind_free(h->unwind);
}
