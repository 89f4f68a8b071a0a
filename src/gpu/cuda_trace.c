/*
 * cuda_trace.c - see cuda_trace.h
 */
#include "gpu/cuda_trace.h"

#include "base/file.h"
#include "base/mem.h"
#include "gpu/activity_sorter.h"
#include "inject/cupti.h"
#include "inject/format.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	ROOM = 256 * 1024,		/* bytes of the file in memory; a record has at most 64 KiB */
	CBIDS = 1024,
	GAP = 65536,			/* ids that may be missing with lost blocks, in all */
};

/* The position of a walk through the blocks. */
struct walk {
	int fd;
	const char *path;
	uint64_t bytes;			/* of the file */
	uint64_t off;			/* of the next record or block */
	uint64_t block_end;		/* records go up to here */
	uint32_t sequence;		/* of the next block */
	char *buffer;
	uint64_t buffer_off;
	size_t filled;
};

/* A stack as the file has it; its addresses are in reading.addresses. */
struct raw_stack { size_t at; uint32_t depth, modules; };

struct ids { uint32_t *v; size_t n, cap; };

struct reading {
	struct walk w;
	const struct hd_gpu_sink *sink;
	const struct hd_cuda_trace_lookup *lookup;
	struct hd_cuda_trace_info info;
	int64_t cupti_ahead_ns;		/* CUPTI's clock minus CLOCK_MONOTONIC */
	struct ids name, full, stack;	/* by the trace's ids: dict ids */
	struct raw_stack *raw;
	size_t nraw, raw_cap;
	uint64_t *addresses;
	size_t naddresses, addresses_cap;
	uint32_t modules, gap;
	struct hd_cuda_lost lost;
	bool ended;
	uint32_t call[3][CBIDS];	/* dict names of API functions */
	uint64_t bad, bad_at;		/* records that are not as long as their type says, or refer to nothing */
	uint64_t untimed;
};

/* ---- the header ---- */

bool hd_cuda_trace_is(const char *head, size_t n)
{
	return n >= 8 && !memcmp(head, HD_CUDA_MAGIC, 8);
}

static int read_header(struct hd_cuda_header *h, int fd, const char *path, struct hd_err *err)
{
	ssize_t n = hd_file_pread(fd, h, sizeof(*h), 0, path, err);

	if (n < 0)
		return (int)n;
	if ((size_t)n < sizeof(*h))
		return hd_fail(err, HD_EFORMAT, "%s: the header of a GPU trace has %d bytes, and the file has %zd",
			path, HD_CUDA_HEADER, n);
	if (!hd_cuda_trace_is(h->magic, sizeof(h->magic)))
		return hd_fail(err, HD_EFORMAT, "%s: is no GPU trace of libhotdrift-cuda.so", path);
	if (h->version != HD_CUDA_VERSION || h->header_bytes != HD_CUDA_HEADER)
		return hd_fail(err, HD_EFORMAT,
			"%s: version %u of a GPU trace with a header of %u bytes; version %d with %d is read", path,
			h->version, h->header_bytes, HD_CUDA_VERSION, HD_CUDA_HEADER);
	return 0;
}

static void copy_text(char *to, const char *from, size_t n)
{
	size_t len = strnlen(from, n);

	memcpy(to, from, len);
	to[len] = 0;
}

static void fill_info(struct hd_cuda_trace_info *info, const struct hd_cuda_header *h)
{
	*info = (struct hd_cuda_trace_info){
		.begin_monotonic_ns = h->begin_monotonic_ns, .begin_real_ns = h->begin_real_ns, .pid = h->pid,
		.status = h->status, .result = h->result, .monotonic = h->flags & HD_CUDA_MONOTONIC,
		.stacks = h->flags & HD_CUDA_STACKS,
	};
	memcpy(info->run_id, h->run_id, sizeof(info->run_id));
	copy_text(info->hostname, h->hostname, sizeof(h->hostname));
	copy_text(info->reason, h->reason, sizeof(h->reason));
}

int hd_cuda_trace_info(struct hd_cuda_trace_info *info, int fd, const char *path, struct hd_err *err)
{
	struct hd_cuda_header h;
	int rc = read_header(&h, fd, path, err);

	if (rc >= 0)
		fill_info(info, &h);
	return rc;
}

/* ---- records, one after the other ---- */

/* Return up to n bytes at `off`; fewer at the end of the file. */
static int see(struct walk *w, uint64_t off, size_t n, const char **p, size_t *have, struct hd_err *err)
{
	if (off < w->buffer_off || off + n > w->buffer_off + w->filled) {
		ssize_t got = hd_file_pread(w->fd, w->buffer, ROOM, off, w->path, err);

		if (got < 0)
			return (int)got;
		w->buffer_off = off;
		w->filled = (size_t)got;
	}
	*p = w->buffer + (off - w->buffer_off);
	*have = w->filled - (size_t)(off - w->buffer_off);
	return 0;
}

static void rewind_to_blocks(struct walk *w)
{
	w->off = w->block_end = HD_CUDA_HEADER;
	w->sequence = 0;
}

/* Step into the next block.  Return 1, or 0 without a readable one.  Only the first walk (log not NULL) warns. */
static int next_block(struct walk *w, struct hd_log *log, struct hd_err *err)
{
	struct hd_cuda_block b;
	const char *p;
	size_t have;
	int rc = see(w, w->off, sizeof(b), &p, &have, err);

	if (rc < 0 || !have)
		return rc;
	if (have >= 8 && hd_cuda_trace_is(p, have)) {
		if (log)
			hd_warn(log, "lost.gpu-rest", "give each trace by itself",
				"%s: what begins at 0x%llx is another trace; it was left out", w->path,
				(unsigned long long)w->off);
		return 0;
	}
	if (have >= sizeof(b))
		memcpy(&b, p, sizeof(b));
	if (have < sizeof(b) || b.magic != HD_CUDA_BLOCK || b.bytes < sizeof(b) || b.bytes % 8) {
		if (log)
			hd_warn(log, "lost.gpu-block", "",
				"%s: the block at 0x%llx is %s; %llu bytes from there on were left out", w->path,
				(unsigned long long)w->off, have < sizeof(b) ? "cut" : "damaged",
				(unsigned long long)(w->bytes - w->off));
		return 0;
	}
	if (log && b.sequence != w->sequence)
		hd_warn(log, "lost.gpu-block", "", "%s: the block at 0x%llx has number %u instead of %u", w->path,
			(unsigned long long)w->off, b.sequence, w->sequence);
	if (log && b.bytes > w->bytes - w->off)
		hd_warn(log, "lost.gpu-block", "",
			"%s: the block at 0x%llx has %u bytes, of which %llu are in the file", w->path,
			(unsigned long long)w->off, b.bytes, (unsigned long long)(w->bytes - w->off));
	w->sequence = b.sequence + 1;
	w->block_end = w->off + b.bytes;
	w->off += sizeof(b);
	return 1;
}

/* Get the next whole record, which has at least a head; it is valid until the next call.  Return 1, or 0 at the end. */
static int next_record(struct walk *w, struct hd_log *log, const struct hd_cuda_record **record, struct hd_err *err)
{
	struct hd_cuda_record head;
	const char *p;
	size_t have;
	int rc;

	for (;;) {
		if (w->off >= w->block_end) {
			rc = next_block(w, log, err);
			if (rc <= 0)
				return rc;
			continue;
		}
		rc = see(w, w->off, UINT16_MAX + 1, &p, &have, err);
		if (rc < 0)
			return rc;
		if (have < sizeof(head)) {
			w->off = w->bytes;
			return 0;
		}
		memcpy(&head, p, sizeof(head));
		if (head.bytes < sizeof(head) || head.bytes % 8 || head.bytes > w->block_end - w->off) {
			if (log)
				hd_warn(log, "lost.gpu-block", "",
					"%s: the record at 0x%llx has %u bytes; the rest of its block was left out",
					w->path, (unsigned long long)w->off, head.bytes);
			w->off = w->block_end;
			continue;
		}
		if (head.bytes > have) {
			w->off = w->bytes;	/* cut: its block was reported */
			return 0;
		}
		w->off += head.bytes;
		*record = (const struct hd_cuda_record *)p;
		return 1;
	}
}

/* ---- the first walk: names, stacks, modules, what the trace says of itself ---- */

static bool bad(struct reading *r)
{
	if (!r->bad++)
		r->bad_at = r->w.off;
	return false;
}

/* Return true if the id is the next one, or can follow a lost block.  ids->v has room for it then. */
static bool may_add(struct reading *r, struct ids *ids, uint32_t id)
{
	if (!ids->n) {
		HD_GROW(ids->v, 1, ids->cap);
		ids->v[ids->n++] = 0;
	}
	if (id < ids->n || id - ids->n > GAP - r->gap)
		return bad(r);
	r->gap += (uint32_t)(id - ids->n);
	HD_GROW(ids->v, (size_t)id + 1, ids->cap);
	memset(ids->v + ids->n, 0, ((size_t)id + 1 - ids->n) * sizeof(*ids->v));
	ids->n = (size_t)id + 1;
	return true;
}

static uint32_t id_of(const struct ids *ids, uint32_t id)
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

static void add_name(struct reading *r, const struct hd_cuda_record *head)
{
	struct hd_gpu_dict *dict = r->sink->dict;
	size_t len;
	const char *text = text_of(head, &len);
	uint32_t name, full;
	char *linked;

	if (!text)
		return (void)bad(r);
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

/* Keep the addresses of a stack: they are resolved when all modules are known. */
static void add_stack(struct reading *r, const struct hd_cuda_record *head)
{
	struct hd_cuda_stack s;

	if (head->bytes < sizeof(s))
		return (void)bad(r);
	memcpy(&s, head, sizeof(s));
	if (s.depth > HD_CUDA_DEPTH || s.depth * sizeof(uint64_t) > head->bytes - sizeof(s))
		return (void)bad(r);
	if (!may_add(r, &r->stack, head->n) || !s.depth)
		return;
	HD_GROW(r->raw, r->nraw + 1, r->raw_cap);
	r->raw[r->nraw] = (struct raw_stack){ r->naddresses, s.depth, r->modules };
	HD_GROW(r->addresses, r->naddresses + s.depth, r->addresses_cap);
	memcpy(r->addresses + r->naddresses, (const char *)head + sizeof(s), s.depth * sizeof(uint64_t));
	r->naddresses += s.depth;
	r->stack.v[head->n] = (uint32_t)++r->nraw;	/* a dict id after resolve_stacks() */
}

static void add_module(struct reading *r, const struct hd_cuda_record *head)
{
	struct hd_cuda_trace_module m = { .number = r->modules + 1 };
	struct hd_cuda_trace_segment segments[64];
	struct hd_cuda_module in;
	size_t room;

	if (head->bytes < sizeof(in))
		return (void)bad(r);
	memcpy(&in, head, sizeof(in));
	room = head->bytes - sizeof(in);
	if (in.nsegments > HD_COUNT(segments) || in.nsegments * sizeof(segments[0]) > room ||
	    in.build_id_len > sizeof(in.build_id) || in.path_len > room - in.nsegments * sizeof(segments[0]))
		return (void)bad(r);
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

static void add_device(struct reading *r, const struct hd_cuda_record *head)
{
	struct hd_gpu_capture *c = r->sink->capture;
	struct hd_cuda_device d;
	struct hd_gpu_device_info info;
	const char *name;

	if (head->bytes < sizeof(d))
		return (void)bad(r);
	memcpy(&d, head, sizeof(d));
	if (d.name_len > head->bytes - sizeof(d) || c->ndevices >= 256)
		return (void)bad(r);
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

static void add_note(struct reading *r, const struct hd_cuda_record *head)
{
	size_t len;
	const char *text = text_of(head, &len);

	if (!text)
		return (void)bad(r);
	hd_warn(r->sink->log, "gpu.part", "", "%s: the recorder says: %.*s (CUPTI's result was %u)", r->w.path,
		(int)strnlen(text, len), text, head->n);
}

/* Use the first command of the trace.  Its last argument lacks a NUL if the recorder cut it. */
static void add_command(struct reading *r, const struct hd_cuda_record *head)
{
	struct hd_gpu_capture *c = r->sink->capture;
	size_t len;
	const char *text = text_of(head, &len);

	if (!text)
		return (void)bad(r);
	if (c->command || !len)
		return;
	c->command_len = text[len - 1] ? len + 1 : len;
	c->command = hd_alloc(c->command_len);
	memcpy(c->command, text, len);
	c->command[c->command_len - 1] = 0;
}

static void add_end(struct reading *r, const struct hd_cuda_record *head)
{
	struct hd_cuda_end e;

	if (head->bytes < sizeof(e))
		return (void)bad(r);
	memcpy(&e, head, sizeof(e));
	r->ended = true;
	if (e.monotonic_ns > r->info.begin_monotonic_ns && e.monotonic_ns <= INT64_MAX)
		r->sink->capture->session_end_ns = (int64_t)e.monotonic_ns;
}

static void add_lost(struct reading *r, const struct hd_cuda_record *head)
{
	if (head->bytes < sizeof(r->lost))
		return (void)bad(r);
	memcpy(&r->lost, head, sizeof(r->lost));
}

static int first_walk(struct reading *r, struct hd_err *err)
{
	const struct hd_cuda_record *head;
	int rc;

	rewind_to_blocks(&r->w);
	while ((rc = next_record(&r->w, r->sink->log, &head, err)) > 0) {
		switch (head->type) {
		case HD_CUDA_NAME: add_name(r, head); break;
		case HD_CUDA_STACK: add_stack(r, head); break;
		case HD_CUDA_MODULE: add_module(r, head); break;
		case HD_CUDA_DEVICE: add_device(r, head); break;
		case HD_CUDA_NOTE: add_note(r, head); break;
		case HD_CUDA_COMMAND: add_command(r, head); break;
		case HD_CUDA_LOST: add_lost(r, head); break;
		case HD_CUDA_END: add_end(r, head); break;
		default: break;
		}
	}
	return rc;
}

static uint32_t bare_stack(struct hd_gpu_dict *dict, const uint64_t *address, size_t n)
{
	uint32_t node = 0;

	while (n)
		node = hd_gpu_dict_stack(dict, node, &(struct hd_gpu_frame){ .address = address[--n] });
	return node;
}

static void resolve_stacks(struct reading *r)
{
	struct hd_gpu_dict *dict = r->sink->dict;

	for (size_t i = 1; i < r->stack.n; i++) {
		const struct raw_stack *raw = r->stack.v[i] ? &r->raw[r->stack.v[i] - 1] : NULL;
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

/* ---- the second walk: activities ---- */

/* cudaMemcpyAsync_ptsz_v7000 -> cudaMemcpyAsync: one function has a number for each version of it. */
static size_t plain_length(const char *name)
{
	size_t n = strlen(name), digits = n;

	while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	if (digits < n && digits >= 2 && name[digits - 1] == 'v' && name[digits - 2] == '_')
		n = digits - 2;
	if (n > 5 && (!strncmp(name + n - 5, "_ptsz", 5) || !strncmp(name + n - 5, "_ptds", 5)))
		n -= 5;
	if (n > 3 && !strncmp(name + n - 3, "_v2", 3))
		n -= 3;
	return n;
}

static uint32_t name_of_call(struct reading *r, uint32_t domain, uint32_t cbid)
{
	static const struct { uint32_t id; const char *name; } runtime[] = {
#define ROW(name, id) { id, #name },
		HD_RUNTIME_LAUNCHES(ROW)
	}, driver[] = {
		HD_DRIVER_LAUNCHES(ROW)
#undef ROW
	};
	const char *name = domain == HD_CUPTI_RUNTIME ? "a function of the CUDA runtime"
						      : "a function of the CUDA driver";
	size_t n = domain == HD_CUPTI_RUNTIME ? HD_COUNT(runtime) : HD_COUNT(driver), len;

	if ((domain != HD_CUPTI_RUNTIME && domain != HD_CUPTI_DRIVER) || cbid >= CBIDS)
		return hd_strtab_add(r->sink->dict->names, name);
	if (r->call[domain][cbid])
		return r->call[domain][cbid];
	len = strlen(name);
	for (size_t i = 0; i < n; i++) {
		if ((domain == HD_CUPTI_RUNTIME ? runtime : driver)[i].id == cbid) {
			name = (domain == HD_CUPTI_RUNTIME ? runtime : driver)[i].name;
			len = plain_length(name);
		}
	}
	return r->call[domain][cbid] = hd_strtab_addn(r->sink->dict->names, name, len);
}

/* Return false if CUPTI had no times for the activity, or invalid ones. */
static bool set_times(struct reading *r, struct hd_gpu_activity *a, uint64_t start, uint64_t end, int64_t ahead_ns)
{
	if (!start || start > INT64_MAX || end > INT64_MAX ||
		__builtin_sub_overflow((int64_t)start, ahead_ns, &a->start_ns) ||
		__builtin_sub_overflow((int64_t)end, ahead_ns, &a->end_ns)) {
		r->untimed++;
		return false;
	}
	return true;
}

static uint8_t copy_kind(uint8_t kind)
{
	static const uint8_t kinds[] = {
		[1] = HD_GPU_HTOD, [2] = HD_GPU_DTOH, [3] = HD_GPU_HTOD, [4] = HD_GPU_DTOH, [5] = HD_GPU_DTOD,
		[6] = HD_GPU_DTOD,
		[7] = HD_GPU_DTOD, [8] = HD_GPU_DTOD, [9] = HD_GPU_HTOH, [10] = HD_GPU_PTOP,
	};

	return kind < HD_COUNT(kinds) ? kinds[kind] : HD_GPU_COPY_UNKNOWN;
}

static uint8_t memory_kind(unsigned int kind)
{
	return kind < HD_GPU_MEMORY_KINDS ? (uint8_t)kind : HD_GPU_MEM_UNKNOWN;
}

/* Return 1 if the record is an activity, else 0. */
static int activity_of(struct reading *r, const struct hd_cuda_record *head, struct hd_gpu_activity *a)
{
	union {
		struct hd_cuda_kernel kernel;
		struct hd_cuda_copy copy;
		struct hd_cuda_set set;
		struct hd_cuda_sync sync;
		struct hd_cuda_launch launch;
	} u;
	static const struct { size_t bytes; uint8_t kind; } types[] = {
		[HD_CUDA_KERNEL] = { sizeof(u.kernel), HD_GPU_KERNEL },
		[HD_CUDA_COPY] = { sizeof(u.copy), HD_GPU_COPY },
		[HD_CUDA_SET] = { sizeof(u.set), HD_GPU_SET }, [HD_CUDA_SYNC] = { sizeof(u.sync), HD_GPU_SYNC },
		[HD_CUDA_LAUNCH] = { sizeof(u.launch), HD_GPU_LAUNCH },
	};

	if (head->type >= HD_COUNT(types) || !types[head->type].bytes)
		return 0;
	if (head->bytes < types[head->type].bytes)
		return bad(r);
	memcpy(&u, head, types[head->type].bytes);
	*a = (struct hd_gpu_activity){ .kind = types[head->type].kind, .correlation = head->n, .pid = r->info.pid };
	switch (head->type) {
	case HD_CUDA_KERNEL:
		a->name = id_of(&r->name, u.kernel.name);
		a->full = id_of(&r->full, u.kernel.name);
		a->device = u.kernel.device;
		a->context = u.kernel.context;
		a->stream = u.kernel.stream;
		return set_times(r, a, u.kernel.start_ns, u.kernel.end_ns, r->cupti_ahead_ns);
	case HD_CUDA_COPY:
		a->copy = copy_kind(u.copy.kind);
		a->from = memory_kind(u.copy.from);
		a->to = memory_kind(u.copy.to);
		a->bytes = u.copy.bytes;
		a->sized = true;
		a->device = u.copy.device;
		a->context = u.copy.context;
		a->stream = u.copy.stream;
		return set_times(r, a, u.copy.start_ns, u.copy.end_ns, r->cupti_ahead_ns);
	case HD_CUDA_SET:
		a->to = memory_kind(u.set.memory);
		a->bytes = u.set.bytes;
		a->sized = true;
		a->device = u.set.device;
		a->context = u.set.context;
		a->stream = u.set.stream;
		return set_times(r, a, u.set.start_ns, u.set.end_ns, r->cupti_ahead_ns);
	case HD_CUDA_SYNC:
		a->sync = u.sync.kind < HD_GPU_SYNCS ? (uint8_t)u.sync.kind : HD_GPU_SYNC_UNKNOWN;
		a->context = u.sync.context;
		a->stream = u.sync.stream;
		return set_times(r, a, u.sync.start_ns, u.sync.end_ns, r->cupti_ahead_ns);
	default:
		a->name = name_of_call(r, u.launch.domain, u.launch.cbid);
		a->tid = u.launch.tid;
		a->stack = id_of(&r->stack, u.launch.stack);
		return set_times(r, a, u.launch.start_ns, u.launch.end_ns ? u.launch.end_ns : u.launch.start_ns, 0);
	}
}

static int second_walk(struct reading *r, struct hd_err *err)
{
	struct hd_gpu_activity_sorter *o = hd_gpu_activity_sorter_new(r->sink, r->w.path);
	const struct hd_cuda_record *head;
	struct hd_gpu_activity a;
	int rc;

	rewind_to_blocks(&r->w);
	while ((rc = next_record(&r->w, NULL, &head, err)) > 0) {
		if (activity_of(r, head, &a))
			rc = hd_gpu_activity_sorter_add(o, &a, err);
		if (rc < 0)
			break;
	}
	if (rc >= 0)
		rc = hd_gpu_activity_sorter_end(o, err);
	hd_gpu_activity_sorter_free(o);
	return rc;
}

/* ---- the whole ---- */

static void describe(struct reading *r, const struct hd_cuda_header *h)
{
	struct hd_gpu_capture *c = r->sink->capture;
	char comm[sizeof(h->comm) + 1];
	uint64_t ahead = h->begin_real_ns - h->begin_monotonic_ns;

	c->source = "hotdrift";
	c->version = hd_strdup("1");
	c->clock = "CLOCK_MONOTONIC";
	c->epoch_ns = h->begin_real_ns > h->begin_monotonic_ns && ahead <= INT64_MAX ? (int64_t)ahead : 0;
	r->cupti_ahead_ns = h->flags & HD_CUDA_MONOTONIC ? 0 : c->epoch_ns;
	c->session_start_ns = c->session_end_ns = h->begin_monotonic_ns <= INT64_MAX ? (int64_t)h->begin_monotonic_ns
										     : 0;
	c->has_device_tables = h->status == HD_CUDA_RECORDING;
	c->has_api = c->has_sync = true;
	c->has_stacks = r->info.stacks;
	c->hostname = hd_strdup(r->info.hostname);
	copy_text(comm, h->comm, sizeof(h->comm));
	HD_GROW(c->processes, 1, c->processes_cap);
	c->processes[c->nprocesses++] = (struct hd_gpu_process){ h->pid, hd_strtab_add(r->sink->dict->names, comm) };
}

static void warn_of_status(struct reading *r, const struct hd_cuda_header *h)
{
	static const char *const fixes[] = {
		[HD_CUDA_RECORDING] = "",
		[HD_CUDA_NO_CUPTI] = "install CUDA's CUPTI, or set HOTDRIFT_CUPTI to the path of libcupti.so",
		[HD_CUDA_NO_FUNCTION] = "use the libcupti of CUDA 10 or newer",
		[HD_CUDA_BUSY] =
			"record without torch.profiler, Nsight, compute-sanitizer or cuda-gdb in the same process",
		[HD_CUDA_REFUSED] = "check with nvidia-smi that there is a GPU with a driver",
	};
	struct hd_log *log = r->sink->log;

	if (h->status)
		hd_warn(log, "gpu.not-recorded", h->status < HD_COUNT(fixes) ? fixes[h->status] : "",
			"%s: no GPU activity was recorded: %s (CUPTI's result was %u)", r->w.path, r->info.reason,
			h->result);
	if (h->write_error)
		hd_warn(log, "lost.gpu-write", "record where there is room",
			"%s: the trace ends early, because it could not be written: %s", r->w.path,
			strerror((int)(h->write_error & 0xfff)));
	else if (!h->status && !r->ended)
		hd_warn(log, "gpu.cut", "",
			"%s: the process was killed or called _exit or exec: what came after the last write is missing",
			r->w.path);
}

static void warn_of_losses(struct reading *r)
{
	struct hd_log *log = r->sink->log;

	if (__builtin_add_overflow(r->lost.cupti, r->lost.no_memory, &r->sink->capture->dropped))
		r->sink->capture->dropped = UINT64_MAX;
	if (r->bad)
		hd_warn_n(log, "lost.gpu-record", r->bad, "",
			  "%s: a record before 0x%llx is too short or refers to nothing; it was left out", r->w.path,
			  (unsigned long long)r->bad_at);
	if (r->untimed)
		hd_warn_n(log, "lost.gpu-time", r->untimed, "", "%s: activities without times were left out",
			r->w.path);
	if (r->lost.unknown)
		hd_warn_n(log, "lost.gpu-record", r->lost.unknown, "",
			  "%s: the recorder left out records of a kind that it does not know", r->w.path);
}

int hd_cuda_trace_read(int fd, const char *path, const struct hd_gpu_sink *sink,
		      const struct hd_cuda_trace_lookup *lookup, struct hd_err *err)
{
	struct reading *r = hd_new(struct reading);
	struct hd_cuda_header h;
	struct stat st;
	int rc = read_header(&h, fd, path, err);

	r->sink = sink;
	r->lookup = lookup;
	r->w = (struct walk){ .fd = fd, .path = path, .buffer = hd_alloc(ROOM) };
	if (rc >= 0 && fstat(fd, &st) == 0)
		r->w.bytes = (uint64_t)st.st_size;
	if (rc >= 0) {
		fill_info(&r->info, &h);
		describe(r, &h);
		if (lookup && lookup->begin) {
			char release[sizeof(h.release) + 1], machine[sizeof(h.machine) + 1];

			copy_text(release, h.release, sizeof(h.release));
			copy_text(machine, h.machine, sizeof(h.machine));
			lookup->begin(lookup->context, r->info.hostname, release, machine);
		}
		rc = first_walk(r, err);
	}
	if (rc >= 0) {
		resolve_stacks(r);
		warn_of_status(r, &h);
		rc = second_walk(r, err);
		warn_of_losses(r);
	}
	free(r->name.v);
	free(r->full.v);
	free(r->stack.v);
	free(r->raw);
	free(r->addresses);
	free(r->w.buffer);
	free(r);
	return rc;
}
