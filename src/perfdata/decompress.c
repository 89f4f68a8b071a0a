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
 * A block may repeat what lies up to the frame's window (its history, here) in front of it.  The decoder's stream
 * keeps that in a buffer of its own and copies all it decodes out of it, which is an eighth of the reading of such
 * a file.  So blocks are decoded behind one another to where records are read; when one may not fit any more,
 * what follows goes to another window, and the full one is kept while the next fills.  The calls for that are not
 * of libzstd's stable interface: where they are not known to be there, and for frames with a long history (which
 * is held as often as there are windows) it is asked for a stream.  perf record writes 512 KiB, with -z3 2 MiB.
 */
#if ZSTD_VERSION_NUMBER >= 10400 && ZSTD_VERSION_NUMBER < 10600 && !defined(HD_ZSTD_STABLE)
#define IN_PLACE
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#endif
enum { HISTORY = 512 << 10, WIDE_HISTORY = 2 << 20, RECORD_MAX = 64 << 10, HEADER_BYTES = 8 };
/* In front of the first block there may be a part of a record, behind the last one there is no room for another. */
enum { SEAM = RECORD_MAX + ZSTD_BLOCKSIZE_MAX };
/* Enough to see a frame's magic; what the decoder wants next it says itself. */
enum { STEP_FIRST = 5, BLOCK_HEAD = 3 };

/* A recording compresses up to some hundred times; what goes far beyond is made to fill memory or time. */
#define RATIO_MAX	1024u
#define FREE_BYTES	(UINT64_C(64) << 20)
/*
 * Records that are all alike cost more to keep than to read: a mapping takes some 250
 * bytes.  A real one has a time of its own, which takes the compressor some bytes whatever
 * else it holds; samples of nothing but an address and a time were seen to take 7.5.
 * Of a context switch nothing but the time is new, and 40 bytes are kept: it counts as a
 * quarter.  A program that does nothing but switch was seen to take 3.4 for each.
 */
#define FREE_RECORDS	(UINT64_C(1) << 18)
enum { WHOLE = 4, SWITCHES = 1 };
/*
 * What is told of mappings and tasks is kept, names and all; a sample is counted and forgotten.
 * The mappings of 3,000 processes that run one program pack 20 times.
 */
#define KEPT_RATIO	64u
#define FREE_KEPT	(UINT64_C(32) << 20)

struct hd_decompressor {
	ZSTD_DCtx *ctx;
	bool swap;
	bool in_place;		/* inside a frame that fits */
	bool raw;		/* its block is not compressed */
	struct hd_buf cut;	/* what earlier chunks had of the piece that the decoder wants next */
	bool pending;		/* the decoder may hold output that did not fit */
	size_t step;		/* bytes that the decoder wants next; 0: the start of a frame */
	size_t broken;		/* zstd's error, once what it decoded before is given out */
	bool spent;		/* a bound was reached: nothing more comes of it in this walk */
	const uint8_t *in;
	size_t in_pos, in_len;
	uint64_t in_total, out_total, records;
	uint64_t quarters;	/* of records, as they count */
	uint64_t kept;		/* bytes of records that are no samples */
	size_t pos, len;	/* out[pos, len) is decoded and not given out */
	struct hd_window *out;
	struct hd_window *before;	/* holds what blocks refer to; NULL: nothing */
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

/* Errors do not give back what a stream has used up: a file may hold thousands of broken ones. */
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
/* At the start of a frame: may its blocks be decoded to where they are read? */
static bool fits(struct hd_decompressor *u)
{
	ZSTD_frameHeader head;

	if (ZSTD_getFrameHeader(&head, u->in + u->in_pos, u->in_len - u->in_pos) || head.frameType != ZSTD_frame ||
	    head.windowSize > WIDE_HISTORY || ZSTD_isError(ZSTD_decompressBegin(u->ctx)))
		return false;
	u->pool = head.windowSize > HISTORY ? &u->wide : &u->narrow;
	return true;
}

/* This window is full, and stays as it is until the next one is, too: blocks refer to it. */
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

/* The next n bytes, which chunks may cut; NULL: this one ends before them. */
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

/* Decode a block of a frame that fits, behind what there is. */
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
		/* What is not compressed is had as far as it is there. */
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

/* Have the decoder copy what it decodes, until the window is full, or the chunk or a frame at its end. */
static void decode_stream(struct hd_decompressor *u)
{
	ZSTD_inBuffer in = { u->in, u->in_len, u->in_pos };
	ZSTD_outBuffer out = { 0 };
	size_t rc;

	/* What lies in front of pos was given out, and may be held. */
	if (u->pos)
		hd_window_move(&u->out, u->pos, u->len - u->pos);
	u->len -= u->pos;
	u->pos = 0;
	out = (ZSTD_outBuffer){ u->out->bytes, u->out->pool->size, u->len };
	/* One block a call: of a call that fails, nothing is given out. */
	while (out.pos < out.size) {
		size_t in_was = in.pos, out_was = out.pos, step = u->step ? u->step : STEP_FIRST;

		/* It asks for a block and the head of the next one. */
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

/* Decode some more of the chunk.  1 when bytes came, 0 when none are to be had. */
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
		/* The end of a frame gives nothing; another one may be behind it. */
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
