/*
 * fuzz_heap.c - read any bytes as heap recordings
 *
 * Invariants: callers precede their callees; the bytes at the peak, the leaked bytes and the temporary bytes are each
 * at most the allocated bytes; the rows of the profile add up to its events; DHAT and pprof output can be written.
 * Moves are sorted by time and refer to existing nodes.
 */
#include "heap/heap.h"
#include "pipeline/heap_input.h"
#include "render/dhat.h"
#include "render/pprof.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct hd_heap *h)
{
	for (size_t i = 0; i < h->ncounters; i++) {
		const struct hd_heap_stack_counter *c = &h->counters[i];

		assert(c->node && c->node < h->nnodes && (!i || h->counters[i - 1].node < c->node));
		assert(c->peak.bytes <= c->allocated.bytes && c->leaked.bytes <= c->allocated.bytes &&
			c->temporary.bytes <= c->allocated.bytes);
		for (uint32_t node = c->node; node; node = h->nodes[node].caller) {
			assert(h->nodes[node].caller < node && h->nodes[node].module <= h->nmodules);
		}
	}
	for (size_t i = 0; i < h->nmoves; i++) {
		const struct hd_heap_move_at *m = &h->moves[i];

		assert(m->node && m->node < h->nnodes);
		assert(!i || m->ms > m[-1].ms || (m->ms == m[-1].ms && m->node > m[-1].node));
	}
	for (size_t i = 0; i < h->nmodules; i++)
		assert(h->modules[i].loads + h->modules[i].nloads <= h->loads + h->nloads);
}

static void read_all(const uint8_t *data, size_t size)
{
	struct hd_log log = { 0 };
	struct hd_err err;
	struct hd_heap *h;
	size_t at = 0;

	while (hd_heap_next(&h, data, size, &at, "input", &log, &err) > 0) {
		assert(at <= size);
		check(h);
		hd_heap_free(h);
	}
	hd_log_release(&log);
}

static void as_profile(const uint8_t *data, size_t size)
{
	struct hd_pipeline_opts opts = { .keys = HD_KEY_COMM | HD_KEY_PID,
		.no_symbols = true,
		.lifetimes = true,
		.moves = true };
	int fd = memfd_create("heap", MFD_CLOEXEC);
	struct hd_profile *p = hd_profile_new();
	uint64_t weight[16] = { 0 };
	struct hd_buf text = { 0 };
	struct hd_err err;

	p->keys = opts.keys;
	if (fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0 &&
	    hd_heap_input_read(p, fd, "input", &opts, &err) >= 0) {
		for (size_t i = 0; i < p->rows.n; i++)
			weight[p->rows.items[i].event] += p->rows.items[i].weight;
		for (size_t i = 1; i < p->nmoves; i++)
			assert(p->moves[i - 1].time_ns <= p->moves[i].time_ns &&
				p->moves[i].stack.v < hd_stacks_count(p->stacks));
		for (size_t e = 0; e < p->nevents; e++)
			assert(weight[e] == p->events[e].weight);
		hd_dhat_write(&text, p);
		hd_buf_reset(&text);
		hd_pprof_write(&text, p);
	}
	close(fd);
	hd_buf_release(&text);
	hd_profile_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_all(data, size);
	if (hd_heap_is(data, size))
		as_profile(data, size);
	return 0;
}
