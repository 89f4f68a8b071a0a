/*
 * cuda_trace_blocks.c - see cuda_trace_blocks.h
 */
#include "gpu/cuda_trace_blocks.h"

#include "base/file.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ROOM = 256 * 1024 };		/* buffer size in bytes; must exceed the largest record, 64 KiB */

/* ---- the header ---- */

bool hd_cuda_trace_is(const char *head, size_t n)
{
	return n >= 8 && !memcmp(head, HD_CUDA_MAGIC, 8);
}

int hd_cuda_trace_header(struct hd_cuda_header *h, int fd, const char *path, struct hd_err *err)
{
	ssize_t n = hd_file_pread(fd, h, sizeof(*h), 0, path, err);

	if (n < 0)
		return (int)n;
	if ((size_t)n < sizeof(*h))
		return hd_fail(err, HD_EFORMAT, "%s: the header of a GPU trace has %d bytes, and the file has %zd",
			path, HD_CUDA_HEADER, n);
	if (!hd_cuda_trace_is(h->magic, sizeof(h->magic)))
		return hd_fail(err, HD_EFORMAT, "%s: is not a GPU trace of libhotdrift-cuda.so", path);
	if (h->version != HD_CUDA_VERSION || h->header_bytes != HD_CUDA_HEADER)
		return hd_fail(err, HD_EFORMAT,
			"%s: version %u of a GPU trace with a header of %u bytes; version %d with %d is read", path,
			h->version, h->header_bytes, HD_CUDA_VERSION, HD_CUDA_HEADER);
	return 0;
}

void hd_cuda_trace_text(char *to, const char *from, size_t n)
{
	size_t len = strnlen(from, n);

	memcpy(to, from, len);
	to[len] = 0;
}

void hd_cuda_trace_fill_info(struct hd_cuda_trace_info *info, const struct hd_cuda_header *h)
{
	*info = (struct hd_cuda_trace_info){
		.begin_monotonic_ns = h->begin_monotonic_ns, .begin_real_ns = h->begin_real_ns, .pid = h->pid,
		.status = h->status, .result = h->result, .monotonic = h->flags & HD_CUDA_MONOTONIC,
		.stacks = h->flags & HD_CUDA_STACKS,
	};
	memcpy(info->run_id, h->run_id, sizeof(info->run_id));
	hd_cuda_trace_text(info->hostname, h->hostname, sizeof(h->hostname));
	hd_cuda_trace_text(info->reason, h->reason, sizeof(h->reason));
}

int hd_cuda_trace_info(struct hd_cuda_trace_info *info, int fd, const char *path, struct hd_err *err)
{
	struct hd_cuda_header h;
	int rc = hd_cuda_trace_header(&h, fd, path, err);

	if (rc >= 0)
		hd_cuda_trace_fill_info(info, &h);
	return rc;
}

/* ---- records, one after the other ---- */

/* Get at least n bytes at file offset `off`, or fewer at the end of the file.  *have becomes their number. */
static int see(struct hd_cuda_trace_walk *w, uint64_t off, size_t n, const char **p, size_t *have, struct hd_err *err)
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

void hd_cuda_trace_rewind(struct hd_cuda_trace_walk *w)
{
	w->off = w->block_end = HD_CUDA_HEADER;
	w->sequence = 0;
}

/*
 * Step into the next block.  Returns 1, 0 if there is no further readable block, or HD_EIO.  Only the first walk (log
 * not NULL) warns about damage.
 */
static int next_block(struct hd_cuda_trace_walk *w, struct hd_log *log, struct hd_err *err)
{
	struct hd_cuda_block b;
	const char *p = NULL;
	size_t have = 0;
	int rc = see(w, w->off, sizeof(b), &p, &have, err);

	if (rc < 0 || !have)
		return rc;
	if (have >= 8 && hd_cuda_trace_is(p, have)) {
		if (log)
			hd_warn(log, "lost.gpu-rest", "give each trace by itself",
				"%s: the data at 0x%llx is another trace and was skipped", w->path,
				(unsigned long long)w->off);
		return 0;
	}
	if (have >= sizeof(b))
		memcpy(&b, p, sizeof(b));
	if (have < sizeof(b) || b.magic != HD_CUDA_BLOCK || b.bytes < sizeof(b) || b.bytes % 8) {
		if (log)
			hd_warn(log, "lost.gpu-block", "",
				"%s: the block at 0x%llx is %s; %llu bytes from there on were skipped", w->path,
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

int hd_cuda_trace_next(struct hd_cuda_trace_walk *w, struct hd_log *log, const struct hd_cuda_record **record,
	struct hd_err *err)
{
	struct hd_cuda_record head;
	const char *p = NULL;
	size_t have = 0;
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
					"%s: the record at 0x%llx has %u bytes; the rest of its block was skipped",
					w->path, (unsigned long long)w->off, head.bytes);
			w->off = w->block_end;
			continue;
		}
		if (head.bytes > have) {
			/* the file ends within the record; next_block() has warned about this block already */
			w->off = w->bytes;
			return 0;
		}
		w->off += head.bytes;
		*record = (const struct hd_cuda_record *)p;
		return 1;
	}
}

void hd_cuda_trace_walk_init(struct hd_cuda_trace_walk *w, int fd, const char *path)
{
	struct stat st;

	*w = (struct hd_cuda_trace_walk){ .fd = fd, .path = path, .buffer = hd_alloc(ROOM) };
	if (fstat(fd, &st) == 0)
		w->bytes = (uint64_t)st.st_size;
	hd_cuda_trace_rewind(w);
}

void hd_cuda_trace_walk_release(struct hd_cuda_trace_walk *w)
{
	free(w->buffer);
}
