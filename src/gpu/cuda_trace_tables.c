/*
 * cuda_trace_tables.c - see cuda_trace_tables.h
 */
#include "gpu/cuda_trace_tables.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/*
 * Each table numbers its entries in order.  If blocks of the file were lost, at most GAP numbers may be missing in all
 * tables together.
 */
enum { GAP = 65536 };

bool hd_cuda_trace_bad(struct hd_cuda_trace_reader *r)
{
	if (!r->bad++)
		r->bad_at = r->w.off;
	return false;
}

/*
 * Extend ids->v so that it contains `id`.  Ids must ascend.  If a block was lost, its ids are missing; up to GAP
 * missing ids are accepted in a trace.  Returns false if `id` breaks these rules, which means that the record is
 * damaged.
 */
static bool may_add(struct hd_cuda_trace_reader *r, struct hd_cuda_trace_ids *ids, uint32_t id)
{
	if (!ids->n) {
		HD_GROW(ids->v, 1, ids->cap);
		ids->v[ids->n++] = 0;
	}
	if (id < ids->n || id - ids->n > GAP - r->gap)
		return hd_cuda_trace_bad(r);
	r->gap += (uint32_t)(id - ids->n);
	HD_GROW(ids->v, (size_t)id + 1, ids->cap);
	memset(ids->v + ids->n, 0, ((size_t)id + 1 - ids->n) * sizeof(*ids->v));
	ids->n = (size_t)id + 1;
	return true;
}

uint32_t hd_cuda_trace_id(const struct hd_cuda_trace_ids *ids, uint32_t id)
{
	return id < ids->n ? ids->v[id] : 0;
}

/* Return the text of a record, or NULL if it does not fit into the record. */
static const char *text_of(const struct hd_cuda_record *head, size_t *len)
{
	struct hd_cuda_text t;

	if (head->bytes < sizeof(t))
		return NULL;
	memcpy(&t, head, sizeof(t));
	*len = t.len;
	return t.len <= head->bytes - sizeof(t) ? (const char *)head + sizeof(t) : NULL;
}

static void add_name(struct hd_cuda_trace_reader *r, const struct hd_cuda_record *head)
{
	struct hd_gpu_dict *dict = r->sink->dict;
	size_t len;
	const char *text = text_of(head, &len);
	uint32_t name, full;
	char *linked;

	if (!text)
		return (void)hd_cuda_trace_bad(r);
	if (!may_add(r, &r->name, head->n))
		return;
	linked = hd_strndup(text, len);
	name = full = hd_strtab_add(dict->names, linked);
	if (r->lookup && r->lookup->kernel)
		r->lookup->kernel(r->lookup->context, dict, linked, &name, &full);
	free(linked);
	HD_GROW(r->full.v, r->name.n, r->full.cap);
	memset(r->full.v + r->full.n, 0, (r->name.n - r->full.n) * sizeof(*r->full.v));
	r->full.n = r->name.n;
	r->name.v[head->n] = name;
	r->full.v[head->n] = full == name ? 0 : full;
}

/* Store the addresses of a stack.  They are looked up later, when all modules are known. */
static void add_stack(struct hd_cuda_trace_reader *r, const struct hd_cuda_record *head)
{
	struct hd_cuda_stack s;

	if (head->bytes < sizeof(s))
		return (void)hd_cuda_trace_bad(r);
	memcpy(&s, head, sizeof(s));
	if (s.depth > HD_CUDA_DEPTH || s.depth * sizeof(uint64_t) > head->bytes - sizeof(s))
		return (void)hd_cuda_trace_bad(r);
	if (!may_add(r, &r->stack, head->n) || !s.depth)
		return;
	HD_GROW(r->raw, r->nraw + 1, r->raw_cap);
	r->raw[r->nraw] = (struct hd_cuda_trace_stack){ r->naddresses, s.depth, r->modules };
	HD_GROW(r->addresses, r->naddresses + s.depth, r->addresses_cap);
	memcpy(r->addresses + r->naddresses, (const char *)head + sizeof(s), s.depth * sizeof(uint64_t));
	r->naddresses += s.depth;
	/* number of the stack for now; resolve_stacks() replaces it by the dict id */
	r->stack.v[head->n] = (uint32_t)++r->nraw;
}

static void add_module(struct hd_cuda_trace_reader *r, const struct hd_cuda_record *head)
{
	struct hd_cuda_trace_module m = { .number = r->modules + 1 };
	struct hd_cuda_trace_segment segments[64];
	struct hd_cuda_module in;
	size_t room;

	if (head->bytes < sizeof(in))
		return (void)hd_cuda_trace_bad(r);
	memcpy(&in, head, sizeof(in));
	room = head->bytes - sizeof(in);
	if (in.nsegments > HD_COUNT(segments) || in.nsegments * sizeof(segments[0]) > room ||
	    in.build_id_len > sizeof(in.build_id) || in.path_len > room - in.nsegments * sizeof(segments[0]))
		return (void)hd_cuda_trace_bad(r);
	_Static_assert(sizeof(segments[0]) == sizeof(struct hd_cuda_segment), "the same three numbers");
	memcpy(segments, (const char *)head + sizeof(in), in.nsegments * sizeof(segments[0]));
	m.segments = segments;
	m.nsegments = in.nsegments;
	m.path = (const char *)head + sizeof(in) + in.nsegments * sizeof(segments[0]);
	m.path_len = in.path_len;
	m.build_id = in.build_id;
	m.build_id_len = in.build_id_len;
	r->modules++;
	if (r->lookup && r->lookup->module)
		r->lookup->module(r->lookup->context, &m);
}

static void add_device(struct hd_cuda_trace_reader *r, const struct hd_cuda_record *head)
{
	struct hd_gpu_capture *c = r->sink->capture;
	struct hd_cuda_device d;
	struct hd_gpu_device_info info;
	const char *name;

	if (head->bytes < sizeof(d))
		return (void)hd_cuda_trace_bad(r);
	memcpy(&d, head, sizeof(d));
	if (d.name_len > head->bytes - sizeof(d) || c->ndevices >= 256)
		return (void)hd_cuda_trace_bad(r);
	name = (const char *)head + sizeof(d);
	info = (struct hd_gpu_device_info){
		.id = head->n, .total_bytes = d.memory_bytes,
		.name = hd_strtab_addn(r->sink->dict->names, name, strnlen(name, d.name_len)),
	};
	if (__builtin_mul_overflow(d.bandwidth, 1000, &info.bandwidth_bytes))
		info.bandwidth_bytes = 0;
	HD_GROW(c->devices, c->ndevices + 1, c->devices_cap);
	c->devices[c->ndevices++] = info;
}

static void add_note(struct hd_cuda_trace_reader *r, const struct hd_cuda_record *head)
{
	size_t len;
	const char *text = text_of(head, &len);

	if (!text)
		return (void)hd_cuda_trace_bad(r);
	hd_warn(r->sink->log, "gpu.part", "", "%s: the recorder reported: %.*s (CUPTI's result was %u)", r->w.path,
		(int)strnlen(text, len), text, head->n);
}

/* Use the first command of the trace.  Its last argument lacks a NUL if the recorder cut it. */
static void add_command(struct hd_cuda_trace_reader *r, const struct hd_cuda_record *head)
{
	struct hd_gpu_capture *c = r->sink->capture;
	size_t len;
	const char *text = text_of(head, &len);

	if (!text)
		return (void)hd_cuda_trace_bad(r);
	if (c->command || !len)
		return;
	c->command_len = text[len - 1] ? len + 1 : len;
	c->command = hd_alloc(c->command_len);
	memcpy(c->command, text, len);
	c->command[c->command_len - 1] = 0;
}

static void add_end(struct hd_cuda_trace_reader *r, const struct hd_cuda_record *head)
{
	struct hd_cuda_end e;

	if (head->bytes < sizeof(e))
		return (void)hd_cuda_trace_bad(r);
	memcpy(&e, head, sizeof(e));
	r->ended = true;
	if (e.monotonic_ns > r->info.begin_monotonic_ns && e.monotonic_ns <= INT64_MAX)
		r->sink->capture->session_end_ns = (int64_t)e.monotonic_ns;
}

static void add_lost(struct hd_cuda_trace_reader *r, const struct hd_cuda_record *head)
{
	if (head->bytes < sizeof(r->lost))
		return (void)hd_cuda_trace_bad(r);
	memcpy(&r->lost, head, sizeof(r->lost));
}

static uint32_t bare_stack(struct hd_gpu_dict *dict, const uint64_t *address, size_t n)
{
	uint32_t node = 0;

	while (n)
		node = hd_gpu_dict_stack(dict, node, &(struct hd_gpu_frame){ .address = address[--n] });
	return node;
}

static void resolve_stacks(struct hd_cuda_trace_reader *r)
{
	struct hd_gpu_dict *dict = r->sink->dict;

	for (size_t i = 1; i < r->stack.n; i++) {
		const struct hd_cuda_trace_stack *raw = r->stack.v[i] ? &r->raw[r->stack.v[i] - 1] : NULL;
		const uint64_t *address;

		if (!raw)
			continue;
		address = r->addresses + raw->at;
		r->stack.v[i] = r->lookup && r->lookup->stack ?
				r->lookup->stack(r->lookup->context, dict, address, raw->depth, raw->modules) :
				bare_stack(dict, address, raw->depth);
	}
	free(r->raw);
	free(r->addresses);
	r->raw = NULL;
	r->addresses = NULL;
}

int hd_cuda_trace_read_tables(struct hd_cuda_trace_reader *r, struct hd_err *err)
{
	static void (*const by_type[])(struct hd_cuda_trace_reader *, const struct hd_cuda_record *) = {
		[HD_CUDA_NAME] = add_name, [HD_CUDA_STACK] = add_stack, [HD_CUDA_MODULE] = add_module,
		[HD_CUDA_DEVICE] = add_device, [HD_CUDA_NOTE] = add_note, [HD_CUDA_COMMAND] = add_command,
		[HD_CUDA_LOST] = add_lost, [HD_CUDA_END] = add_end,
	};
	const struct hd_cuda_record *head;
	int rc;

	while ((rc = hd_cuda_trace_next(&r->w, r->sink->log, &head, err)) > 0)
		if (head->type < HD_COUNT(by_type) && by_type[head->type])
			by_type[head->type](r, head);
	if (rc >= 0)
		resolve_stacks(r);
	return rc;
}
