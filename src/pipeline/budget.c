/*
 * budget.c - limit the memory of one recording; see perf_input_state.h
 *
 * A compressed recording can unpack to any number of call chains, addresses, names or mappings.  Their memory is
 * computed from the numbers of elements and compared with a limit that depends on the size of the input.  The calling
 * thread checks it in file order, so the result does not depend on the number of threads.
 */
#include "pipeline/perf_input_state.h"

#include "base/mem.h"
#include "bundle/bundled_recording.h"

#include <stdlib.h>

/*
 * The limit is LIMIT_LEAST bytes plus LIMIT_PER_BYTE for each byte of the input.  Real recordings use far less: 60 MB
 * for a 1 GB recording of a compiler.  LIMIT_LEAST is large enough for half a million stacks.  It is needed for
 * compressed recordings: perf record -z compresses them by a factor of up to 73.
 */
#define LIMIT_LEAST	(UINT64_C(96) << 20)
#define LIMIT_PER_BYTE	32u
enum { NODES_LEAST = 1 << 17, NODES_MOST = 1 << 20, BYTES_PER_NODE = 16 };
/*
 * Approximate limit for the number of addresses of recorded chains that are looked up: WORDS_LEAST plus
 * WORDS_PER_BYTE for each byte of the input.  Addresses that equal those of the last chain of the same thread are not
 * looked up and do not count.
 */
#define WORDS_LEAST	(INT64_C(1) << 24)
#define WORDS_PER_BYTE	32u
#define TOO_LARGE	"its stacks and names take more memory"

/*
 * Return the size of the input.  For a bundle this is the compressed size, because the size of its recording cannot
 * be trusted.
 */
static uint64_t input_bytes(const struct hd_perf_input *in)
{
	return in->request.from->bundled ? hd_bundled_recording_bytes(in->request.from->bundled)
					 : hd_perf_file(in->pf)->bytes;
}

/* Set the numbers of chain nodes and of addresses at which the budget will be checked again. */
static void set_steps(struct hd_perf_input *in)
{
	struct hd_budget *b = &in->budget;

	b->nodes = b->most_nodes;
	b->addresses = hd_locator_size(in->lookup.locator) + b->most_nodes / 2;
}

void hd_perf_input_limit_proc(const struct hd_perf_input *in, struct hd_process_table *proc)
{
	hd_process_limit_memory(proc, in->budget.limit / 4 * 3);
}

void hd_perf_input_begin_budget(struct hd_perf_input *in)
{
	uint64_t bytes = input_bytes(in), nodes = bytes / BYTES_PER_NODE;

	if (in->request.opts->budget_bytes)
		in->budget.limit = in->request.opts->budget_bytes;
	else if (bytes > (UINT64_MAX - LIMIT_LEAST) / LIMIT_PER_BYTE)
		in->budget.limit = UINT64_MAX;
	else
		in->budget.limit = LIMIT_LEAST + LIMIT_PER_BYTE * bytes;
	in->budget.words = bytes < INT64_MAX / 2 / WORDS_PER_BYTE ? WORDS_LEAST + (int64_t)bytes * WORDS_PER_BYTE
								  : INT64_MAX;
	nodes = nodes < NODES_MOST ? nodes : NODES_MOST;
	in->budget.most_nodes = (uint32_t)(nodes > NODES_LEAST ? nodes : NODES_LEAST);
	in->budget.most_sums = in->budget.most_nodes / 2;
	hd_perf_input_limit_proc(in, in->spaces.proc);
}

/* Return the memory of the results so far, in bytes. */
static uint64_t used(const struct hd_perf_input *in)
{
	uint64_t met = hd_locator_bytes(in->lookup.locator);

	/* The lookups recorded for a bundle are a second copy. */
	return hd_profile_bytes(in->p) + (in->request.from->remember ? 2 * met : met) +
		hd_process_memory_bytes(in->spaces.proc);
}

uint32_t hd_perf_input_stacks_left(const struct hd_perf_input *in)
{
	uint64_t now = used(in), left = now < in->budget.limit ? (in->budget.limit - now) / HD_STACK_BYTES : 0;
	uint64_t most = hd_stacks_count(in->p->stacks) + left;

	return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

void hd_perf_input_exhaust_budget(struct hd_perf_input *in, const char *what)
{
	if (!in->budget.spent)
		in->budget.spent = what;
	in->agg.fast = false;		/* drop each further sample in the slow path */
}

void hd_perf_input_check_budget(struct hd_perf_input *in)
{
	set_steps(in);
	if (in->budget.spent || used(in) < in->budget.limit)
		return;
	hd_perf_input_exhaust_budget(in, TOO_LARGE);
}

void hd_perf_input_count_address(struct hd_perf_input *in)
{
	if (hd_locator_size(in->lookup.locator) > in->budget.addresses)
		in->budget.nodes = 0;	/* flush the sums and check the budget after this sample */
}

void hd_perf_input_warn_budget(struct hd_perf_input *in)
{
	uint64_t dropped = hd_profile_dropped(in->p, HD_LOST_BUDGET);

	if (dropped)
		hd_warn_n(&in->p->log, HD_LOST_BUDGET, dropped, "split the recording: --time A,B, --comm or --pid",
			  "%s: samples were dropped: %s than the limit for a recording of %llu bytes",
			  in->request.from->path, in->budget.spent ? in->budget.spent : TOO_LARGE,
			  (unsigned long long)input_bytes(in));
}

static int by_comm(const void *va, const void *vb, void *ctx)
{
	const struct hd_sample_row *rows = ctx;
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;

	if (rows[a].comm != rows[b].comm)
		return rows[a].comm < rows[b].comm ? -1 : 1;
	return a < b ? -1 : a > b;
}

/*
 * Limit the call tree of a profile with thread names to `most` nodes.  Such a tree contains a stack once for each
 * thread name that has it.  If the stack of a row would exceed the limit, the new stack of the row has one frame, that
 * of its self cost.  Return the number of samples of these rows.
 */
static uint64_t cut_stacks(struct hd_profile *p, uint64_t most)
{
	const struct hd_stack_node *nodes = hd_stacks_nodes(p->stacks);
	uint32_t *order = hd_new_array(uint32_t, p->rows.n), *met = hd_new_array(uint32_t, hd_stacks_count(p->stacks));
	uint64_t left = most, cut = 0;

	for (size_t i = 0; i < p->rows.n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, p->rows.n, sizeof(*order), by_comm, p->rows.items);
	for (size_t i = 0; i < p->rows.n; i++) {
		struct hd_sample_row *row = &p->rows.items[order[i]];
		uint32_t comm = row->comm + 1, s = row->stack.v;
		uint64_t n = 0;

		for (; s && met[s] != comm && n <= left; s = nodes[s].caller)
			n++;
		if (n > left) {
			row->stack = hd_stacks_add(p->stacks, (hd_stack_id){ 0 }, row->self);
			nodes = hd_stacks_nodes(p->stacks);
			cut += row->count;
			continue;
		}
		left -= n;
		for (s = row->stack.v; s && met[s] != comm; s = nodes[s].caller)
			met[s] = comm;
	}
	free(order);
	free(met);
	return cut;
}

static uint64_t thread_names(const struct hd_profile *p)
{
	bool *met = hd_new_array(bool, hd_strtab_count(p->names));
	uint64_t n = 0;

	for (size_t i = 0; i < p->rows.n; i++) {
		n += !met[p->rows.items[i].comm];
		met[p->rows.items[i].comm] = true;
	}
	free(met);
	return n;
}

void hd_perf_input_limit_stacks(struct hd_perf_input *in)
{
	struct hd_profile *p = in->p;
	uint64_t most = in->budget.limit / HD_STACK_BYTES, cut;

	if (!(p->keys & HD_KEY_COMM) || hd_stacks_count(p->stacks) * thread_names(p) <= most)
		return;
	cut = cut_stacks(p, most);
	if (cut)
		hd_warn_n(&p->log, "lost.callers", cut, "split the recording: --comm or --pid",
			"%s: samples lost their callers: so many thread names with deep stacks exceed the memory limit "
			"for a recording of %llu bytes",
			in->request.from->path, (unsigned long long)input_bytes(in));
}
