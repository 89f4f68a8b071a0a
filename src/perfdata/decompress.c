/*
 * decompress.c - see decompress.h
 */
#include "perfdata/decompress.h"

#include "base/buf.h"
#include "base/mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

/*
 * A zstd block may refer to output up to one window size (HISTORY) before it.  ZSTD_decompressStream() keeps that
 * history in a buffer of its own and copies all output, which costs an eighth of the time to read such a file.
 *
 * Therefore blocks are decoded directly into the window that records are read from.  When the next block may not fit,
 * the rest goes to another window, and the full one is kept as history until the next is full.
 *
 * The functions for this are not in libzstd's stable interface; they are guaranteed in the static library only.
 * Without it (HD_ZSTD_STABLE), and for frames with a larger history, the stream interface is used.  The history of perf
 * record -z is 512 KiB, of -z3 2 MiB.
 */
#if ZSTD_VERSION_NUMBER >= 10400 && ZSTD_VERSION_NUMBER < 10600 && !defined(HD_ZSTD_STABLE)
#define IN_PLACE
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#endif
enum { HISTORY = 512 << 10, WIDE_HISTORY = 2 << 20, RECORD_MAX = 64 << 10, HEADER_BYTES = 8 };
/*
 * Size of a window in addition to the history, in bytes.  It is enough for an incomplete record, which is moved to the
 * start of the window, and for one more block.
 */
enum { SEAM = RECORD_MAX + ZSTD_BLOCKSIZE_MAX };
/*
 * STEP_FIRST: bytes for the first call of the decoder for a frame, which contain the magic.  Each call returns the
 * number of bytes for the next call.  BLOCK_HEAD: size of a block's header in bytes.
 */
enum { STEP_FIRST = 5, BLOCK_HEAD = 3 };

/* Limit for the compression factor.  Real recordings reach some hundred; a much larger factor indicates an attack. */
#define RATIO_MAX	1024u
#define FREE_BYTES	(UINT64_C(64) << 20)
/*
 * Limit for the number of records: one per 4 compressed bytes, plus FREE_RECORDS.  Without it, a small malicious file
 * could use much memory, because identical records compress very well and a stored mapping takes about 250 bytes.
 *
 * Real records do not reach the limit, because each has its own time.  Measured: samples with only an address and a
 * time took 7.5 compressed bytes each.  A context switch took 3.4 bytes, but needs only 40 bytes of memory, so it
 * counts as a quarter of a record.  A context switch counts as SWITCHES quarters, any other record as WHOLE quarters.
 */
#define FREE_RECORDS	(UINT64_C(1) << 18)
enum { WHOLE = 4, SWITCHES = 1 };
/*
 * Limits for the bytes of records other than samples, because mappings and tasks are stored with their names, while
 * samples are counted and dropped.  64 times the compressed size is enough: the mappings of 3,000 processes of one
 * program compress by a factor of 20.
 */
#define KEPT_RATIO	64u
#define FREE_KEPT	(UINT64_C(32) << 20)

struct hd_decompressor {
	ZSTD_DCtx *ctx;
	bool swap;
	/* the blocks of this frame are decoded directly into the window, without the stream interface */
	bool in_place;
	bool raw;		/* the current block is not compressed */
	struct hd_buf cut;	/* start of the decoder's next input, copied from the end of earlier chunks */
	bool pending;		/* the decoder may have output that did not fit into the window */
	size_t step;		/* stream interface: number of bytes that the decoder needs next; 0: a frame starts */
	size_t broken;		/* zstd's error code; 0: none.  Reported after the output that precedes the error */
	bool spent;		/* a limit was exceeded: no more records are returned in this walk */
	const uint8_t *in;
	size_t in_pos, in_len;
	uint64_t in_total, out_total, records;
	uint64_t quarters;	/* number of records in quarters (see SWITCHES) */
	uint64_t kept;		/* bytes of records other than samples */
	size_t pos, len;	/* out[pos, len) is decoded and not returned yet */
	struct hd_window *out;
	struct hd_window *before;	/* previous window, with the history of the next block; NULL: none */
	struct hd_window_pool narrow, wide, *pool;
};

struct hd_decompressor *hd_decompressor_new(bool swap)
{
	struct hd_decompressor *u = hd_new(struct hd_decompressor);

	u->swap = swap;
	u->narrow.size = HISTORY + SEAM;
	u->wide.size = WIDE_HISTORY + SEAM;
	u->pool = &u->narrow;
	u->out = hd_window_pool_take(u->pool);
	return u;
}

void hd_decompressor_free(struct hd_decompressor *u)
{
	if (!u)
		return;
	ZSTD_freeDCtx(u->ctx);
	hd_window_drop(u->out);
	hd_window_drop(u->before);
	hd_window_pool_release(&u->narrow);
	hd_window_pool_release(&u->wide);
	hd_buf_release(&u->cut);
	free(u);
}

void hd_decompressor_reset(struct hd_decompressor *u)
{
	if (u->ctx)
		ZSTD_DCtx_reset(u->ctx, ZSTD_reset_session_only);
	u->in = NULL;
	u->in_pos = u->in_len = 0;
	hd_window_move(&u->out, 0, 0);
	hd_window_drop(u->before);
	u->before = NULL;
	u->pos = u->len = 0;
	u->in_place = false;
	u->cut.len = 0;
	u->pending = false;
	u->broken = 0;
	u->step = 0;
}

void hd_decompressor_restart(struct hd_decompressor *u)
{
	hd_decompressor_reset(u);
	u->in_total = u->out_total = u->records = u->quarters = u->kept = 0;
	u->spent = false;
}

void hd_decompressor_feed(struct hd_decompressor *u, const uint8_t *chunk, size_t n)
{
	u->in = chunk;
	u->in_pos = 0;
	u->in_len = n;
	u->in_total += n;
}

struct hd_window *hd_decompressor_window(const struct hd_decompressor *u)
{
	return u->out;
}

size_t hd_decompressor_left(const struct hd_decompressor *u)
{
	return u->len - u->pos;
}

bool hd_decompressor_is_cut(const struct hd_decompressor *u)
{
	if (!u->ctx || u->broken)
		return false;
#ifdef IN_PLACE
	if (u->in_place) {
		ZSTD_nextInputType_e next = ZSTD_nextInputType(u->ctx);

		return u->cut.len || next == ZSTDnit_block || next == ZSTDnit_lastBlock || next == ZSTDnit_checksum;
	}
#endif
	return u->step && u->step != BLOCK_HEAD;
}

bool hd_decompressor_starts_frame(const uint8_t *chunk, size_t n)
{
	static const uint8_t magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };

	return n >= sizeof(magic) && !memcmp(chunk, magic, sizeof(magic));
}

/*
 * Fail if a limit was exceeded.  The counters are not reset when a stream has an error, because a file may contain
 * thousands of broken streams.
 */
static int check_bounds(struct hd_decompressor *u, struct hd_err *err)
{
	bool bytes = u->out_total > FREE_BYTES && (u->out_total - FREE_BYTES) / RATIO_MAX > u->in_total;

	bool kept = u->kept > FREE_KEPT && (u->kept - FREE_KEPT) / KEPT_RATIO > u->in_total;

	u->spent |= bytes || kept ||
		(u->quarters > WHOLE * FREE_RECORDS && u->quarters - WHOLE * FREE_RECORDS > u->in_total);
	if (!u->spent)
		return 0;
	return hd_fail(err, HD_EFORMAT, "%llu compressed bytes expand to more than %llu %s",
		(unsigned long long)u->in_total,
		(unsigned long long)(bytes ? u->out_total
				: kept     ? u->kept
					   : u->records),
		bytes          ? "bytes"
			: kept ? "bytes that are no samples"
			       : "records");
}

#ifdef IN_PLACE
/* Return true if the blocks of the frame that starts at u->in_pos can be decoded in place. */
static bool fits(struct hd_decompressor *u)
{
	ZSTD_frameHeader head;

	if (ZSTD_getFrameHeader(&head, u->in + u->in_pos, u->in_len - u->in_pos) || head.frameType != ZSTD_frame ||
	    head.windowSize > WIDE_HISTORY || ZSTD_isError(ZSTD_decompressBegin(u->ctx)))
		return false;
	u->pool = head.windowSize > HISTORY ? &u->wide : &u->narrow;
	return true;
}

/*
 * The window is full: continue in a new one.  The full window is kept, because its end is the history of the next
 * block.
 */
static void turn(struct hd_decompressor *u)
{
	struct hd_window *next;

	hd_window_drop(u->before);
	u->before = u->out;
	next = hd_window_pool_take(u->pool);
	u->len -= u->pos;
	memcpy(next->bytes, u->out->bytes + u->pos, u->len);
	u->pos = 0;
	u->out = next;
}

/* Return the next n bytes of input, which may begin in earlier chunks; NULL if the chunk has fewer bytes left. */
static const uint8_t *piece(struct hd_decompressor *u, size_t n)
{
	size_t more = n - u->cut.len, left = u->in_len - u->in_pos;
	const uint8_t *p = u->in + u->in_pos;

	more = more < left ? more : left;
	u->in_pos += more;
	if (more == n)
		return p;
	hd_buf_add(&u->cut, p, more);
	if (u->cut.len < n)
		return NULL;
	u->cut.len = 0;
	return (const uint8_t *)u->cut.data;
}

/* Decode blocks in place until there is output, the chunk or the frame ends, or a block is invalid. */
static void decode_block(struct hd_decompressor *u)
{
	while (!u->broken) {
		size_t want = ZSTD_nextSrcSizeToDecompress(u->ctx), left = u->in_len - u->in_pos, rc;
		ZSTD_nextInputType_e what = ZSTD_nextInputType(u->ctx);
		const uint8_t *p;

		if (!want) {
			u->in_place = false;
			return;
		}
		/* An uncompressed block can be copied in parts. */
		if (u->raw && left && left < want && (what == ZSTDnit_block || what == ZSTDnit_lastBlock))
			want = left;
		p = piece(u, want);
		if (!p)
			return;
		if (what == ZSTDnit_blockHeader)
			u->raw = (*p >> 1 & 3) == 0;
		if (u->out->pool->size - u->len < ZSTD_BLOCKSIZE_MAX)
			turn(u);
		rc = ZSTD_decompressContinue(u->ctx, u->out->bytes + u->len, u->out->pool->size - u->len, p, want);
		if (ZSTD_isError(rc)) {
			u->broken = rc;
		} else if (rc) {
			u->len += rc;
			return;
		}
	}
}
#else
#define fits(u)		false
#define decode_block(u)	((void)(u))
#endif

/* Decode with the stream interface until the window is full, or the chunk or the frame ends. */
static void decode_stream(struct hd_decompressor *u)
{
	ZSTD_inBuffer in = { u->in, u->in_len, u->in_pos };
	ZSTD_outBuffer out = { 0 };
	size_t rc;

	/*
	 * Records before `pos` were returned, and their window may be held, so continue in a window that is not held.
	 */
	if (u->pos)
		hd_window_move(&u->out, u->pos, u->len - u->pos);
	u->len -= u->pos;
	u->pos = 0;
	out = (ZSTD_outBuffer){ u->out->bytes, u->out->pool->size, u->len };
	/* Decode one block per call, because a call that fails returns no output, not even that of good blocks. */
	while (out.pos < out.size) {
		size_t in_was = in.pos, out_was = out.pos, step = u->step ? u->step : STEP_FIRST;

		/* `step` is the input size that the decoder requested: a block and the header of the next block. */
		step -= step > BLOCK_HEAD ? BLOCK_HEAD : 0;
		in.size = step < u->in_len - in.pos ? in.pos + step : u->in_len;
		rc = ZSTD_decompressStream(u->ctx, &out, &in);
		if (ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation)
			hd_out_of_memory("the zstd decoder");
		if (ZSTD_isError(rc)) {
			u->broken = rc;
			break;
		}
		u->step = rc;
		if (!rc || (in.pos == in_was && out.pos == out_was))
			break;
	}
	u->pending = out.pos == out.size;
	u->in_pos = in.pos;
	u->len = out.pos;
}

/* Decode more of the chunk.  Returns 1 if there is output, 0 if the chunk is used up, < 0 on error or over a limit. */
static int fill(struct hd_decompressor *u, struct hd_err *err)
{
	size_t had = u->len - u->pos, got;

	if (u->broken)
		return hd_fail(err, HD_EFORMAT, "zstd: %s", ZSTD_getErrorName(u->broken));
	if (u->in_pos == u->in_len && !u->pending)
		return 0;
	if (check_bounds(u, err) < 0)
		return HD_EFORMAT;
	if (!u->ctx) {
		u->ctx = ZSTD_createDCtx();
		if (!u->ctx)
			hd_out_of_memory("the zstd decoder");
		ZSTD_DCtx_setParameter(u->ctx, ZSTD_d_windowLogMax, 27);
	}
	do {
		if (!u->in_place && !u->step && !u->pending)
			u->in_place = fits(u);
		if (u->in_place)
			decode_block(u);
		else
			decode_stream(u);
		got = u->len - u->pos - had;
		/* The end of a frame has no output; another frame may follow. */
	} while (!got && !u->broken && !u->in_place && !u->step && u->in_pos < u->in_len);
	u->out_total += got;
	if (check_bounds(u, err) < 0)
		return HD_EFORMAT;
	if (u->broken && !got)
		return hd_fail(err, HD_EFORMAT, "zstd: %s", ZSTD_getErrorName(u->broken));
	return got > 0;
}

static uint32_t type_of(const uint8_t *rec, bool swap)
{
	uint32_t type;

	memcpy(&type, rec, sizeof(type));
	return swap ? __builtin_bswap32(type) : type;
}

int hd_decompressor_next(struct hd_decompressor *u, const uint8_t **rec, uint32_t *size, struct hd_err *err)
{
	uint32_t type;

	for (;;) {
		size_t left = u->len - u->pos;
		uint16_t n;
		int rc;

		if (left >= HEADER_BYTES) {
			memcpy(&n, u->out->bytes + u->pos + 6, 2);
			if (u->swap)
				n = __builtin_bswap16(n);
			if (n < HEADER_BYTES)
				return hd_fail(err, HD_EFORMAT, "a record of size %u is impossible", n);
			if (left >= n) {
				*rec = u->out->bytes + u->pos;
				*size = n;
				type = type_of(*rec, u->swap);
				u->kept += type == PERF_RECORD_SAMPLE ? 0 : n;
				u->pos += n;
				u->records++;
				u->quarters += type == PERF_RECORD_SWITCH || type == PERF_RECORD_SWITCH_CPU_WIDE
					? SWITCHES
					: WHOLE;
				return 1;
			}
		}
		rc = fill(u, err);
		if (rc <= 0)
			return rc;
	}
}
