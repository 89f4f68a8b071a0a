/*
 * activity_records.c - buffers of activity records: CUPTI requests an empty buffer and returns a full one
 *
 * A full buffer is read with cuptiActivityGetNextRecord(), one record after the other, and kept for the next request.
 * The record of a kernel has a pointer to its name; the trace has the id of a NAME record instead.
 */
#include "inject/injection.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { BYTES = 512 * 1024, KEPT = 16 };

static struct hd_hash_ids names;
static uint8_t *kept[KEPT];		/* buffers that CUPTI returned, for its next requests */
static unsigned int nkept;
static atomic_flag kept_lock = ATOMIC_FLAG_INIT;
static bool graph_nodes;		/* records of the loaded CUPTI have the id of their graph node */
static _Atomic uint64_t no_memory;
static struct hd_cuda_lost lost, written;

static uint32_t u32(const uint8_t *r, size_t off) { uint32_t v; memcpy(&v, r + off, sizeof(v)); return v; }
static uint64_t u64(const uint8_t *r, size_t off) { uint64_t v; memcpy(&v, r + off, sizeof(v)); return v; }
static uint16_t u16(const uint8_t *r, size_t off) { uint16_t v; memcpy(&v, r + off, sizeof(v)); return v; }
static const char *text(const uint8_t *r, size_t off) { const char *v; memcpy(&v, r + off, sizeof(v)); return v; }

void hd_activity_records_begin(uint32_t cupti_version)
{
	graph_nodes = cupti_version >= HD_CUPTI_GRAPH_NODES;
}

/* ---- buffers ---- */

static void lock_kept(void)
{
	while (atomic_flag_test_and_set_explicit(&kept_lock, memory_order_acquire))
		;
}

void hd_activity_records_request(uint8_t **buffer, size_t *bytes, size_t *max_records)
{
	int error = errno;
	void *p = NULL;

	lock_kept();
	if (nkept)
		p = kept[--nkept];
	atomic_flag_clear_explicit(&kept_lock, memory_order_release);
	if (!p) {
		p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED) {
			p = NULL;
			atomic_fetch_add(&no_memory, 1);
		}
	}
	*buffer = p;
	*bytes = p ? BYTES : 0;
	*max_records = 0;		/* as many as fit */
	errno = error;
}

static void take_back(uint8_t *buffer)
{
	bool room;

	lock_kept();
	room = nkept < KEPT;
	if (room)
		kept[nkept++] = buffer;
	atomic_flag_clear_explicit(&kept_lock, memory_order_release);
	if (!room)
		munmap(buffer, BYTES);
}

/* ---- records ---- */

/* Return the id of a name, and record the name if it is new.  0: there is no name, or the trace has no room for it. */
static uint32_t name_of(const char *name)
{
	size_t n = name ? strlen(name) : 0;
	bool is_new;
	uint32_t id;

	if (!n)
		return 0;
	id = hd_hash_ids_get(&names, hd_hash_ids_hash(name, n), &is_new);
	if (is_new && !hd_trace_file_text(HD_CUDA_NAME, id, name, n)) {
		hd_hash_ids_take_back(&names);
		return 0;
	}
	return id;
}

static void add_kernel(const uint8_t *r)
{
	uint32_t name = name_of(text(r, HD_KERNEL_NAME));
	struct hd_cuda_kernel *k = hd_trace_file_record(HD_CUDA_KERNEL, sizeof(*k), u32(r, HD_KERNEL_CORRELATION));

	if (!k)
		return;
	k->start_ns = u64(r, HD_KERNEL_START);
	k->end_ns = u64(r, HD_KERNEL_END);
	k->device = u32(r, HD_KERNEL_DEVICE);
	k->context = u32(r, HD_KERNEL_CONTEXT);
	k->stream = u32(r, HD_KERNEL_STREAM);
	k->name = name;
	memcpy(k->grid, r + HD_KERNEL_GRID, sizeof(k->grid));
	memcpy(k->block, r + HD_KERNEL_BLOCK, sizeof(k->block));
	k->registers = u16(r, HD_KERNEL_REGISTERS);
	k->static_shared = u32(r, HD_KERNEL_STATIC);
	k->dynamic_shared = u32(r, HD_KERNEL_DYNAMIC);
	k->graph_node = graph_nodes ? u64(r, HD_KERNEL_GRAPH_NODE) : 0;
}

static void add_copy(const uint8_t *r, bool two_devices)
{
	uint32_t correlation = u32(r, two_devices ? HD_COPY2_CORRELATION : HD_COPY_CORRELATION);
	struct hd_cuda_copy *c = hd_trace_file_record(HD_CUDA_COPY, sizeof(*c), correlation);

	if (!c)
		return;
	c->start_ns = u64(r, HD_COPY_START);
	c->end_ns = u64(r, HD_COPY_END);
	c->bytes = u64(r, HD_COPY_BYTES);
	c->device = u32(r, HD_COPY_DEVICE);
	c->context = u32(r, HD_COPY_CONTEXT);
	c->stream = u32(r, HD_COPY_STREAM);
	c->kind = r[HD_COPY_KIND];
	c->from = r[HD_COPY_FROM];
	c->to = r[HD_COPY_TO];
	c->flags = r[HD_COPY_FLAGS];
	c->graph_node = graph_nodes ? u64(r, two_devices ? HD_COPY2_GRAPH_NODE : HD_COPY_GRAPH_NODE) : 0;
}

static void add_set(const uint8_t *r)
{
	struct hd_cuda_set *s = hd_trace_file_record(HD_CUDA_SET, sizeof(*s), u32(r, HD_COPY_CORRELATION));

	if (!s)
		return;
	s->start_ns = u64(r, HD_COPY_START);
	s->end_ns = u64(r, HD_COPY_END);
	s->bytes = u64(r, HD_COPY_BYTES);
	s->device = u32(r, HD_COPY_DEVICE);
	s->context = u32(r, HD_COPY_CONTEXT);
	s->stream = u32(r, HD_COPY_STREAM);
	s->memory = u16(r, HD_SET_MEMORY);
	s->value = u32(r, HD_SET_VALUE);
	s->graph_node = graph_nodes ? u64(r, HD_SET_GRAPH_NODE) : 0;
}

static void add_sync(const uint8_t *r)
{
	struct hd_cuda_sync *s = hd_trace_file_record(HD_CUDA_SYNC, sizeof(*s), u32(r, HD_SYNC_CORRELATION));

	if (!s)
		return;
	s->start_ns = u64(r, HD_SYNC_START);
	s->end_ns = u64(r, HD_SYNC_END);
	s->kind = u32(r, HD_SYNC_KIND);
	s->context = u32(r, HD_SYNC_CONTEXT);
	s->stream = u32(r, HD_SYNC_STREAM);
}

static void add_device(const uint8_t *r)
{
	const char *name = text(r, HD_DEVICE_NAME);
	size_t n = name ? strnlen(name, 1024) : 0;
	struct hd_cuda_device *d = hd_trace_file_record(HD_CUDA_DEVICE, sizeof(*d) + n, u32(r, HD_DEVICE_ID));

	if (!d)
		return;
	d->memory_bytes = u64(r, HD_DEVICE_MEMORY);
	d->bandwidth = u64(r, HD_DEVICE_BANDWIDTH);
	d->multiprocessors = u32(r, HD_DEVICE_MULTIPROCESSORS);
	d->major = u32(r, HD_DEVICE_MAJOR);
	d->minor = u32(r, HD_DEVICE_MINOR);
	d->name_len = (uint32_t)n;
	if (n)
		memcpy(d + 1, name, n);
}

static void add(const uint8_t *r)
{
	switch (u32(r, 0)) {
	case HD_CUPTI_CONCURRENT_KERNEL: add_kernel(r); break;
	case HD_CUPTI_MEMCPY: add_copy(r, false); break;
	case HD_CUPTI_MEMCPY2: add_copy(r, true); break;
	case HD_CUPTI_MEMSET: add_set(r); break;
	case HD_CUPTI_SYNCHRONIZATION: add_sync(r); break;
	case HD_CUPTI_DEVICE: add_device(r); break;
	default: lost.unknown++;
	}
}

void hd_activity_records_lost(void)
{
	struct hd_cuda_lost *l;

	lost.no_memory = atomic_load(&no_memory) + hd_trace_file_dropped;
	if (!memcmp(&lost, &written, sizeof(lost)))
		return;
	l = hd_trace_file_record(HD_CUDA_LOST, sizeof(*l), 0);
	if (!l)
		return;
	l->cupti = lost.cupti;
	l->no_memory = lost.no_memory;
	l->unknown = lost.unknown;
	written = lost;
}

void hd_activity_records_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid)
{
	int error = errno;
	uint8_t *r = NULL;
	size_t dropped = 0;

	(void)bytes;
	if (!buffer)
		return;
	if (hd_cupti.dropped(context, stream, &dropped) != 0)
		dropped = 0;
	if (hd_trace_file_lock()) {
		while (valid && hd_cupti.next_record(buffer, valid, &r) == 0)
			add(r);
		lost.cupti += dropped;
		hd_activity_records_lost();
		hd_trace_file_write();
		hd_trace_file_unlock();
	}
	take_back(buffer);
	errno = error;
}
