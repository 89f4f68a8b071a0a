/*
 * heap_reader.c - see heap.h
 */
#include "heap/heap.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "heap/heap_counters.h"

#include <stdlib.h>
#include <string.h>

enum { SEGMENTS_MAX = 64, PATH_MAX_BYTES = 1 << 16 };

bool hd_heap_is(const void *head, size_t n)
{
	return n >= 8 && !memcmp(head, HD_HEAP_MAGIC, 8);
}

void hd_heap_free(struct hd_heap *h)
{
	if (!h)
		return;
	free(h->nodes);
	free(h->counters);
	free(h->modules);
	free(h->loads);
	free(h->moves);
	free(h);
}

/* ---- blocks ---- */

/* Get the block at *at and advance *at.  Returns false at the end, and at a block whose size is invalid. */
static bool next_block(struct hd_heap_reader *r, size_t *at, struct hd_heap_block_view *b)
{
	if (r->n - *at < sizeof(b->b))
		return false;
	memcpy(&b->b, r->bytes + *at, sizeof(b->b));
	if (b->b.bytes < sizeof(b->b) || b->b.bytes % HD_HEAP_ALIGN || b->b.bytes > r->n - *at) {
		hd_warn(r->log, "lost.heap-block", "",
			"%s: the block at 0x%zx of the heap recording has the invalid size %u; it and all that "
			"follows was skipped",
			r->path, r->base + *at, b->b.bytes);
		return false;
	}
	b->off = *at;
	b->payload = r->bytes + *at + sizeof(b->b);
	b->n = b->b.bytes - sizeof(b->b);
	*at += b->b.bytes;
	return true;
}

/*
 * Count how many nodes and counters the blocks of the recording have room for, and set r->nids to the number of
 * modules.  The tables get this size, because the ids in a damaged file can be arbitrarily large.
 */
static void measure(struct hd_heap_reader *r, size_t *nodes, size_t *counters)
{
	size_t at = HD_HEAP_HEADER;
	struct hd_heap_block_view b;

	*nodes = 1;
	*counters = 0;
	while (next_block(r, &at, &b)) {
		if (b.b.type == HD_HEAP_NODES_BLOCK)
			*nodes += b.n / sizeof(struct hd_heap_node);
		else if (b.b.type == HD_HEAP_COUNTERS_BLOCK)
			*counters += b.n / r->head.counter_bytes;
		else if (b.b.type == HD_HEAP_MODULE_BLOCK)
			r->nids++;
	}
}

static void bad_module(struct hd_heap_reader *r, const struct hd_heap_block_view *b)
{
	hd_warn(r->log, "lost.heap-block", "",
		"%s: the module at 0x%zx of the heap recording is damaged; its frames have no names", r->path,
		r->base + b->off);
}

static void read_module(struct hd_heap_reader *r, const struct hd_heap_block_view *b)
{
	struct hd_bytes in = hd_bytes_over(b->payload, b->n, false);
	struct hd_heap *h = r->h;
	struct hd_heap_object *o;
	struct hd_heap_module m;
	const void *head = hd_bytes_skip(&in, sizeof(m)), *segments, *path;

	if (!head) {
		bad_module(r, b);
		return;
	}
	memcpy(&m, head, sizeof(m));
	if (!m.id)
		return;		/* the process was killed while it wrote the block */
	segments = m.nsegments <= SEGMENTS_MAX ? hd_bytes_skip(&in, m.nsegments * sizeof(struct hd_heap_segment))
					       : NULL;
	path = m.path_len <= PATH_MAX_BYTES ? hd_bytes_skip(&in, m.path_len) : NULL;
	if (m.id > r->nids || r->module_of[m.id] || (m.nsegments && !segments) || !path ||
		m.build_id_len > sizeof(m.build_id)) {
		bad_module(r, b);
		return;
	}
	HD_GROW(h->loads, h->nloads + m.nsegments + 1, h->loads_cap);
	for (uint32_t i = 0; i < m.nsegments; i++) {
		struct hd_heap_segment s;

		memcpy(&s, (const uint8_t *)segments + i * sizeof(s), sizeof(s));
		h->loads[h->nloads + i] = (struct hd_heap_load){ s.start, s.len, s.pgoff };
	}
	HD_GROW(h->modules, h->nmodules + 1, h->modules_cap);
	o = &h->modules[h->nmodules++];
	*o = (struct hd_heap_object){
		.path = path, .path_len = m.path_len, .nloads = m.nsegments,
		.build_id = (const uint8_t *)head + offsetof(struct hd_heap_module, build_id),
		.build_id_len = (uint8_t)m.build_id_len,
	};
	h->nloads += m.nsegments;
	r->module_of[m.id] = (uint32_t)h->nmodules;
}

/*
 * Set the loads (executable segments) of each module.  This is done after all blocks were read, because the array
 * h->loads may move while it grows.
 */
static void set_loads(struct hd_heap *h)
{
	const struct hd_heap_load *at = h->loads;

	for (size_t i = 0; i < h->nmodules; at += h->modules[i++].nloads)
		h->modules[i].loads = at;
}

static void read_node(struct hd_heap_reader *r, size_t id, const struct hd_heap_node *n)
{
	struct hd_heap *h = r->h;
	uint32_t module = n->module & ~(HD_HEAP_PC | HD_HEAP_GUESS);

	if (n->address && n->caller < id && (!n->caller || r->depth[n->caller]) && r->depth[n->caller] < HD_HEAP_DEPTH)
		r->depth[id] = r->depth[n->caller] + 1;
	if (module > r->nids || (module && !r->module_of[module]))
		module = 0;
	h->nodes[id] = (struct hd_heap_stack_node){
		.caller = n->caller, .module = module ? r->module_of[module] : 0, .address = n->address,
		.exact = n->module & HD_HEAP_PC,
		.guess = n->module & HD_HEAP_GUESS,
	};
}

static void read_nodes(struct hd_heap_reader *r, const struct hd_heap_block_view *b)
{
	struct hd_heap *h = r->h;
	size_t n = b->n / sizeof(struct hd_heap_node);

	/*
	 * Accept a block whose node ids continue those of the block before.  The ids of the first block may begin with
	 * 0 (an unused entry) or with 1.
	 */
	if (b->b.n != h->nnodes && (b->b.n || h->nnodes != 1)) {
		hd_warn(r->log, "lost.heap-block", "",
			"%s: the stacks at 0x%zx of the heap recording begin with number %u, not %zu; they were "
			"skipped",
			r->path, r->base + b->off, b->b.n, h->nnodes);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct hd_heap_node node;

		memcpy(&node, b->payload + i * sizeof(node), sizeof(node));
		if (b->b.n + i)
			read_node(r, b->b.n + i, &node);
	}
	h->nnodes = b->b.n + n;
	if (!h->nnodes)
		h->nnodes = 1;
}

/* ---- a recording ---- */

static int check_header(struct hd_heap_reader *r, struct hd_err *err)
{
	struct hd_heap_header *h = &r->head;

	if (r->n < HD_HEAP_HEADER)
		return hd_fail(err, HD_EFORMAT, "%s: the heap recording at 0x%zx is cut off in its header", r->path,
			r->base);
	memcpy(h, r->bytes, sizeof(*h));
	if (h->version < HD_HEAP_WITHOUT_MOVES || h->version > HD_HEAP_VERSION || h->header_bytes != HD_HEAP_HEADER)
		return hd_fail(err, HD_EFORMAT,
			"%s: the heap recording at 0x%zx has version %u, and this hotdrift reads version %d: use "
			"recorder and reader of the same release",
			r->path, r->base, h->version, HD_HEAP_VERSION);
	r->h->exact = h->flags & HD_HEAP_EXACT;
	r->counter = h->version == HD_HEAP_WITHOUT_MOVES ? offsetof(struct hd_heap_counter, counted)
						 : sizeof(struct hd_heap_counter);
	r->sampled = r->h->exact ? 0
				 : (h->version <= HD_HEAP_WITHOUT_HALVES ? offsetof(struct hd_heap_sampled, var_n)
								 : sizeof(struct hd_heap_sampled)) -
			offsetof(struct hd_heap_sampled, seen);
	if (h->counter_bytes != r->counter + r->sampled || !h->interval)
		return hd_fail(err, HD_EFORMAT,
			"%s: the heap recording at 0x%zx has counters of %u bytes and an interval of %llu, which "
			"is invalid",
			r->path, r->base, h->counter_bytes, (unsigned long long)h->interval);
	if (h->used < HD_HEAP_HEADER || h->used > r->n) {
		hd_warn(r->log, "heap.cut", "",
			"%s: the heap recording at 0x%zx is cut off: its header says %llu bytes, and the file has %zu",
			r->path, r->base, (unsigned long long)h->used, r->n);
		h->used = r->n;
	}
	return 0;
}

static const char *text(char *to, const char *from, size_t n)
{
	memcpy(to, from, n);
	to[n] = 0;
	return to;
}

static void take_header(struct hd_heap *h, const struct hd_heap_header *head)
{
	h->passed = head->passed;
	h->adaptive = head->flags & HD_HEAP_ADAPTIVE;
	h->has_var = h->exact || head->version > HD_HEAP_WITHOUT_HALVES;
	h->pid = head->pid;
	h->ppid = head->ppid;
	h->comm = text(h->text[0], head->comm, sizeof(head->comm));
	h->hostname = text(h->text[1], head->hostname, sizeof(head->hostname));
	h->release = text(h->text[2], head->release, sizeof(head->release));
	h->machine = text(h->text[3], head->machine, sizeof(head->machine));
	h->interval = h->exact ? 1 : head->interval;
	h->ended = head->flags & HD_HEAP_ENDED;
	h->forked = head->flags & HD_HEAP_FORKED;
	h->begin_ns = head->begin_ns;
	h->end_ns = head->end_ns;
	h->peak = head->peak;
	h->peak_clock = head->peak_clock;
	h->clock = head->clock;
	h->no_cfi = head->no_cfi;
	h->has_moves = head->version > HD_HEAP_WITHOUT_MOVES;
	if (!h->has_moves)
		return;
	h->monotonic_ns = head->begin_monotonic_ns;
	h->loaded_ns = head->loaded_monotonic_ns;
	h->stride = head->stride;
	h->untimed = head->flags & HD_HEAP_UNTIMED;
}

static void warn_of_losses(const struct hd_heap_reader *r)
{
	const struct hd_heap_header *h = &r->head;

	if (h->flags & HD_HEAP_TABLE)
		hd_warn(r->log, "heap.table", "for less overhead, record it with another allocator, or with samples",
			"%s: process %u: its allocator lacks malloc_usable_size or memalign, so the recorder kept "
			"each block in a table instead of marking it, which takes more time",
			r->path, h->pid);
	if (h->lost)
		hd_warn_n(r->log, "lost.heap-room", h->lost,
			"check for a full disk, a limit of the file size (ulimit -f), and a program that gave up "
			"its rights to the file",
			"%s: process %u: allocations were not counted, because the recording had no room", r->path,
			h->pid);
	if (h->inside)
		hd_warn_n(r->log, "lost.heap-inside", h->inside, "",
			"%s: process %u: allocations by signal handlers while one was being counted", r->path, h->pid);
	if (h->deep)
		hd_warn_n(r->log, "heap.deep", h->deep, "",
			"%s: process %u: allocations with stacks deeper than 512 frames; the outer ones are missing",
			r->path, h->pid);
	if (h->flags & HD_HEAP_OWN_NEW)
		hd_warn(r->log, "lost.heap-new", "record it without that allocator",
			"%s: process %u: its allocator defines operator new, so allocations of C++ code are not "
			"counted",
			r->path, h->pid);
	else if (h->strange && !r->h->forked && r->h->exact)
		hd_warn_n(r->log, "heap.strange", h->strange,
			"check whether the program writes beyond the end of its blocks",
			"%s: process %u: freed blocks without the mark of the recorder; if it had counted them, they "
			"count as leaked",
			r->path, h->pid);
}

static void read_all(struct hd_heap_reader *r)
{
	size_t nodes, counters, n = 0, at = HD_HEAP_HEADER;
	struct hd_heap *h = r->h;
	struct hd_log quiet = { 0 };
	struct hd_log *log = r->log;
	struct hd_heap_counted *all;
	struct hd_heap_block_view b;

	measure(r, &nodes, &counters);
	r->module_of = hd_new_array(uint32_t, r->nids + 1);
	r->depth = hd_new_array(uint16_t, nodes);
	h->nodes = hd_new_array(struct hd_heap_stack_node, nodes);
	h->nnodes = 1;
	all = hd_new_array(struct hd_heap_counted, counters);
	r->log = &quiet;	/* measure() reported invalid blocks already */
	while (next_block(r, &at, &b)) {
		r->log = log;
		if (b.b.type == HD_HEAP_MODULE_BLOCK) {
			read_module(r, &b);
		} else if (b.b.type == HD_HEAP_TEXT_BLOCK && !h->command) {
			h->command = (const char *)b.payload;
			h->command_len = b.b.n < b.n ? b.b.n : b.n;
		}
		r->log = &quiet;
	}
	/* A node may refer to a module whose block follows later, so all modules were read before. */
	for (at = HD_HEAP_HEADER; next_block(r, &at, &b); ) {
		r->log = log;
		if (b.b.type == HD_HEAP_NODES_BLOCK)
			read_nodes(r, &b);
		r->log = &quiet;
	}
	for (at = HD_HEAP_HEADER; next_block(r, &at, &b); ) {
		r->log = log;
		if (b.b.type == HD_HEAP_COUNTERS_BLOCK)
			hd_heap_counters_read(r, all, &n, &b);
		else if (b.b.type == HD_HEAP_MOVES_BLOCK)
			hd_heap_moves_read(r, &b);
		r->log = &quiet;
	}
	r->log = log;
	hd_log_release(&quiet);
	hd_heap_counters_merge(r, all, n);
	hd_heap_moves_sort(h);
	set_loads(h);
	free(all);
	free(r->depth);
	free(r->module_of);
}

int hd_heap_next(struct hd_heap **out, const uint8_t *bytes, size_t n, size_t *at, const char *path, struct hd_log *log,
	struct hd_err *err)
{
	struct hd_heap_reader r = { .path = path, .log = log, .base = *at, .bytes = bytes + *at, .n = n - *at };
	int rc;

	*out = NULL;
	if (!hd_heap_is(r.bytes, r.n))
		return 0;
	r.h = hd_new(struct hd_heap);
	rc = check_header(&r, err);
	if (rc < 0) {
		hd_heap_free(r.h);
		return rc;
	}
	/*
	 * The next recording begins `used` bytes after the start of this one, or `file_bytes` bytes after it if the
	 * file of this recording was not cut to `used`.
	 */
	*at += r.head.used < r.n ? (size_t)r.head.used : r.n;
	if (!hd_heap_is(bytes + *at, n - *at) && r.head.file_bytes >= r.head.used && r.head.file_bytes <= r.n)
		*at = r.base + (size_t)r.head.file_bytes;
	if (r.head.used < r.n)
		r.n = (size_t)r.head.used;
	take_header(r.h, &r.head);
	read_all(&r);
	r.h->unwritten = !r.h->ended && !r.h->ncounters && !r.head.passed && !r.head.lost;
	warn_of_losses(&r);
	*out = r.h;
	return 1;
}
