/*
 * reader.c - walk over the records of a recording
 *
 *     OFFSET SIZE
 *          0    4  type
 *          4    2  misc
 *          6    2  size, including these 8 bytes; not always a multiple of 8
 *
 * A window slides over the file.  It contains at least one whole record, and records are returned as views into it.
 * Some records are followed by a payload with a size of its own (AUXTRACE, TRACING_DATA), which is skipped.  The walk
 * of a file ends at the end of the data or at an invalid record: records after it cannot be located, so all bytes of
 * the file from there on are counted as lost.
 */
#include "perfdata/perf_state.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

const char *hd_perf_path(const struct hd_perf *pf)
{
	return pf->sources[pf->source < pf->nsources ? pf->source : 0].path;
}

static void to_source(struct hd_perf *pf, size_t source)
{
	pf->source = source;
	pf->pos = source < pf->nsources ? pf->sources[source].start : 0;
	/* discard the window: in another source, the same offset has other data */
	if (pf->nsources > 1)
		pf->win_len = 0;
	pf->inside = false;
	pf->unzip_broken = false;
	if (pf->unzip)
		hd_decompressor_reset(pf->unzip);
}

int hd_perf_rewind_bodiless(struct hd_perf *pf, struct hd_err *err)
{
	int rc = hd_perf_rewind(pf, err);

	pf->bodiless = true;
	return rc;
}

struct hd_window *hd_perf_hold(struct hd_perf *pf)
{
	hd_window_hold(pf->given);
	return pf->given;
}

void hd_perf_drop(struct hd_window *w)
{
	hd_window_drop(w);
}

const struct hd_window *hd_perf_window(const struct hd_perf *pf)
{
	return pf->given;
}

int hd_perf_rewind(struct hd_perf *pf, struct hd_err *err)
{
	(void)err;
	pf->bodiless = false;
	if (pf->seq > pf->seen)
		pf->seen = pf->seq;
	pf->seq = 0;
	pf->ended = false;
	hd_map_clear(&pf->group_index);
	pf->ngroup = 0;
	if (pf->unzip)
		hd_decompressor_restart(pf->unzip);
	to_source(pf, 0);
	return 0;
}

void hd_perf_seek(struct hd_perf *pf, struct hd_record_mark mark)
{
	pf->ended = pf->inside = pf->bodiless = false;
	pf->source = 0;
	pf->pos = mark.off;
	pf->seq = mark.seq;
}

bool hd_perf_reads_beside(const struct hd_perf *pf)
{
	return pf->nsources == 1 && pf->walked && !pf->file.compressed && !pf->stack_nodes &&
		(!pf->data_src || pf->checked);
}

struct hd_perf *hd_perf_view_new(const struct hd_perf *pf, struct hd_log *log)
{
	struct hd_perf *view = hd_new(struct hd_perf);

	assert(hd_perf_reads_beside(pf));
	*view = *pf;
	view->log = log;
	view->windows = view->sights = (struct hd_window_pool){ 0 };
	view->win = view->given = NULL;
	view->bytes = NULL;
	view->win_off = view->win_len = 0;
	view->look = false;
	view->unzip = NULL;
	view->seen = UINT64_MAX;
	return view;
}

void hd_perf_view_free(struct hd_perf *view)
{
	if (!view)
		return;
	hd_window_drop(view->win);
	hd_window_pool_release(&view->windows);
	/* not NULL only if the file was changed after the first walk: a view reads uncompressed recordings */
	hd_decompressor_free(view->unzip);
	free(view);
}

void hd_perf_freeze_metadata(struct hd_perf *pf)
{
	pf->settled = true;
}

/* End the walk of this source because of damage.  The first walk adds `lost` to the number of lost bytes. */
static void end_damaged(struct hd_perf *pf, uint64_t lost)
{
	if (!pf->walked) {
		pf->file.truncated = true;
		pf->stats.lost_bytes += lost;
	}
	pf->pos = pf->sources[pf->source].end;
}

/* Warn on the first walk only. */
#define WARN_ONCE(pf, ...) do { \
	if (hd_perf_is_first_walk((pf), (pf)->seq) && !(pf)->walked) \
		hd_warn((pf)->log, __VA_ARGS__); \
} while (0)

/* End this source; fewer than 8 bytes are left. */
static void end_source(struct hd_perf *pf)
{
	const struct hd_record_source *src = &pf->sources[pf->source];
	uint64_t left = src->end - pf->pos;

	pf->cut_stream |= pf->unzip && hd_decompressor_is_cut(pf->unzip);
	if (left) {
		WARN_ONCE(pf, "lost.stray-bytes", "", "%s: %llu stray bytes after the last record, at 0x%llx",
			src->path, (unsigned long long)left, (unsigned long long)pf->pos);
		if (!pf->walked)
			pf->stats.lost_bytes += left;
	}
	if (pf->unzip && hd_decompressor_left(pf->unzip)) {
		WARN_ONCE(pf, "lost.cut-record", "", "%s: the compressed data ends inside a record, %zu bytes are lost",
		    src->path, hd_decompressor_left(pf->unzip));
		end_damaged(pf, hd_decompressor_left(pf->unzip));
	}
	to_source(pf, pf->source + 1);
}

static void count(struct hd_perf *pf, const struct hd_record *rec)
{
	uint32_t type = rec->type, at;

	pf->stats.records++;
	if (type < HD_LOW_TYPES) {
		pf->by_type[type]++;
		return;
	}
	if (type - HD_SIMPLEPERF_BASE < HD_SIMPLEPERF_TYPES) {
		pf->by_type[HD_LOW_TYPES + type - HD_SIMPLEPERF_BASE]++;
		return;
	}
	at = hd_map_get(&pf->odd_index, type);
	if (at == HD_MAP_NONE) {
		at = (uint32_t)pf->nodd;
		HD_GROW(pf->odd, pf->nodd + 1, pf->cap_odd);
		pf->odd[pf->nodd++] = (struct hd_record_count){ type, 0 };
		hd_map_put(&pf->odd_index, type, at);
	}
	pf->odd[at].n++;
}

/* Skip the rest of a damaged compressed chunk.  Also drop the incomplete record whose end would be in this rest. */
static void lose_chunk(struct hd_perf *pf, const char *why)
{
	WARN_ONCE(pf, "lost.decompress", "", "%s: COMPRESSED record at 0x%llx: %s; the rest of it is lost",
		hd_perf_path(pf), (unsigned long long)pf->inside_off, why);
	if (!pf->walked)
		pf->file.truncated = true;
	hd_decompressor_reset(pf->unzip);
	pf->unzip_broken = true;
	pf->inside = false;
}

/*
 * Begin to read a chunk of compressed data.  The body of a COMPRESSED record is the chunk.  The body of a COMPRESSED2
 * record is a u64 size of the chunk, the chunk, and padding.
 */
static void open_chunk(struct hd_perf *pf, const struct hd_record *rec)
{
	const uint8_t *chunk = rec->data;
	size_t n = rec->size - 8;

	if (!pf->unzip)
		pf->unzip = hd_decompressor_new(pf->file.swap);
	pf->inside_off = rec->off;
	if (rec->type == HD_RT_COMPRESSED2) {
		uint64_t stated = n < 8 ? UINT64_MAX : hd_get64(chunk, pf->file.swap);

		if (stated > n - 8) {
			lose_chunk(pf, "its data is longer than the record");
			return;
		}
		chunk += 8;
		n = stated;
	}
	if (pf->unzip_broken) {
		/* After an error, only the start of another stream can be decoded. */
		if (!hd_decompressor_starts_frame(chunk, n)) {
			WARN_ONCE(pf, "lost.decompress", "",
				"%s: COMPRESSED record at 0x%llx: it continues a broken stream",
				hd_perf_path(pf), (unsigned long long)rec->off);
			return;
		}
		pf->unzip_broken = false;
	}
	if (!pf->walked) {
		pf->file.compressed = true;
		if (hd_perf_is_first_walk(pf, pf->seq))
			pf->stats.zstd_bytes_in += n;
	}
	hd_decompressor_feed(pf->unzip, chunk, n);
	pf->inside = true;
}

/*
 * Skip the payload after an AUXTRACE or TRACING_DATA record, and store where the tracing data is.  If the tracing data
 * is inside the record, store a copy of it.
 */
static void skip_payload(struct hd_perf *pf, const struct hd_record *rec)
{
	const struct hd_record_source *src = &pf->sources[pf->source];
	uint64_t n, left = src->end - pf->pos;
	size_t body = rec->size - 8;

	if (rec->type == HD_RT_AUXTRACE) {
		if (body < 8)
			return;
		n = hd_get64(rec->data, pf->file.swap);
		if (hd_perf_is_first_walk(pf, rec->seq))
			pf->stats.aux_bytes += n < left ? n : left;
	} else {
		if (body < 4)
			return;
		n = hd_get32(rec->data, pf->file.swap);
		/* simpleperf stores the tracing data inside the record, perf after it */
		if (n <= body - 4) {
			hd_perf_keep_tracing(pf, rec->data + 4, n);
			return;
		}
		n = (n + 7) & ~UINT64_C(7);
		if (pf->source == 0 && !pf->tracing_bytes && n <= left) {
			pf->tracing_off = pf->pos;
			pf->tracing_bytes = n;
		}
	}
	if (n > left) {
		WARN_ONCE(pf, "lost.cut-record", "",
			"%s: cut off at 0x%llx inside the data of the %s: %llu of %llu bytes are lost", src->path,
			(unsigned long long)src->end, hd_record_label(rec).s, (unsigned long long)(n - left),
			(unsigned long long)n);
		end_damaged(pf, n - left);
		return;
	}
	pf->pos += n;
}

/*
 * Get the next record of the current source that is not inside a compressed record.  Returns 1 if *rec was set, 0 at
 * the end of the source or if the rest of it is damaged, or < 0.
 */
static inline int next_outside(struct hd_perf *pf, struct hd_record *rec, struct hd_err *err)
{
	const struct hd_record_source *src = &pf->sources[pf->source];
	uint64_t left = src->end - pf->pos;
	const uint8_t *p;
	size_t have;
	uint16_t size;
	bool skip;
	int rc;

	if (left < 8)
		return 0;
	/* Refill the window only if it does not contain the header of the next record: refilling copies data. */
	if (pf->pos < pf->win_off || pf->pos - pf->win_off > pf->win_len ||
		pf->win_len - (size_t)(pf->pos - pf->win_off) < 8) {
		rc = hd_perf_fill_window(pf, err);
		if (rc < 0)
			return rc;
	}
	have = pf->win_len - (size_t)(pf->pos - pf->win_off);
	p = pf->bytes + (pf->pos - pf->win_off);
	size = have < 8 ? 8 : hd_get16(p + 6, pf->file.swap);
	skip = pf->bodiless && have >= 8 && size >= 8 && size <= left &&
		hd_get32(p, pf->file.swap) == PERF_RECORD_SAMPLE;
	if (have < size && have < left && !skip) {
		/* The body is needed and extends beyond the window. */
		rc = hd_perf_fill_window(pf, err);
		if (rc < 0)
			return rc;
		have = pf->win_len;
		p = pf->bytes;
	}
	if (have < size && !skip) {
		if (have < left) {
			/* Warn on later walks, too: the file may have been truncated after the first walk. */
			hd_warn(pf->log, "lost.cut-record", "",
				"%s: it got shorter while it was read: it ends at 0x%llx, %llu bytes are lost",
				src->path, (unsigned long long)(pf->pos + have), (unsigned long long)left);
			end_damaged(pf, left);
			return 0;
		}
		rec->type = hd_get32(p, pf->file.swap);
		rec->off = pf->pos;
		rec->inside = false;
		WARN_ONCE(pf, "lost.cut-record", "",
			"%s: cut off at 0x%llx inside the %s: %llu of its %u bytes are there and lost", src->path,
			(unsigned long long)src->end, hd_record_label(rec).s, (unsigned long long)left, size);
		end_damaged(pf, left);
		return 0;
	}
	rec->type = hd_get32(p, pf->file.swap);
	rec->misc = hd_get16(p + 4, pf->file.swap);
	rec->size = size;
	rec->off = pf->pos;
	rec->inside = false;
	rec->part = (uint32_t)pf->source;
	rec->data = skip ? NULL : p + 8;
	if (skip)
		pf->sample_bytes = size;
	pf->given = pf->win;
	if (size < 8) {
		WARN_ONCE(pf, "lost.record-size", "",
			"%s: %s: size %u is impossible; the walk ends here, %llu bytes are lost", src->path,
			hd_record_label(rec).s, size, (unsigned long long)left);
		end_damaged(pf, left);
		return 0;
	}
	pf->pos += size;
	return 1;
}

/* Get the next record of the current chunk.  Returns 1 if *rec was set, 0 if the chunk has ended or is damaged. */
static int next_inside(struct hd_perf *pf, struct hd_record *rec)
{
	const uint8_t *p;
	struct hd_err why;
	int rc = hd_decompressor_next(pf->unzip, &p, &rec->size, &why);

	if (rc < 0) {
		lose_chunk(pf, why.msg);
		return 0;
	}
	if (!rc) {
		pf->inside = false;
		return 0;
	}
	rec->type = hd_get32(p, pf->file.swap);
	rec->misc = hd_get16(p + 4, pf->file.swap);
	rec->off = pf->inside_off;
	rec->inside = true;
	rec->part = (uint32_t)pf->source;
	rec->data = p + 8;
	pf->given = hd_decompressor_window(pf->unzip);
	if (hd_perf_is_first_walk(pf, pf->seq))
		pf->stats.zstd_bytes_out += rec->size;
	return 1;
}

/*
 * End a walk.  After the first one, name the events by the event types and the tracing data that its records contained,
 * unless the metadata is frozen, and check whether the end of the recording is missing.
 */
static int end_walk(struct hd_perf *pf, struct hd_err *err)
{
	int rc = 0;

	hd_perf_warn_torn(pf);
	if (!pf->walked && !pf->settled) {
		hd_perf_name_attrs_by_event_types(pf);
		rc = hd_perf_name_tracepoints(pf, err);
	}
	if (!pf->walked)
		hd_perf_check_recording_end(pf);
	pf->walked = true;
	pf->checked |= !pf->bodiless;
	pf->ended = true;
	if (pf->seq > pf->seen)
		pf->seen = pf->seq;
	return rc;
}

/*
 * Mapped file data is not in the CPU cache yet.  Samples usually have the same size, so prefetch the first AHEAD_BYTES
 * and the end of the sample AHEAD records from here.
 */
enum { AHEAD = 2, AHEAD_BYTES = 1024, LINE_BYTES = 64 };

static inline void fetch(const uint8_t *p, size_t n, bool bodiless)
{
	__builtin_prefetch(p);
	if (bodiless)
		return;
	for (size_t at = LINE_BYTES; at < AHEAD_BYTES && at < n; at += LINE_BYTES)
		__builtin_prefetch(p + at);
	__builtin_prefetch(p + n - 1);
}

/* Fast path for nearly all records: a sample that is completely in the window.  Same result as next_record(). */
static inline bool next_sample(struct hd_perf *pf, struct hd_record *rec)
{
	/* if pos is before the window, the unsigned difference is huge, so `at >= win_len` covers this case, too */
	uint64_t at = pf->pos - pf->win_off;
	bool swap = pf->file.swap;
	const uint8_t *p;
	uint16_t size;

	if (pf->inside || pf->ended || at >= pf->win_len || pf->win_len - at < 8)
		return false;
	p = pf->bytes + at;
	size = hd_get16(p + 6, swap);
	if (hd_get32(p, swap) != PERF_RECORD_SAMPLE || size < 8 || size > pf->win_len - at)
		return false;
	*rec = (struct hd_record){
		.kind = HD_REC_SAMPLE, .type = PERF_RECORD_SAMPLE, .misc = hd_get16(p + 4, swap), .size = size,
		.off = pf->pos,
		.part = (uint32_t)pf->source, .seq = pf->seq, .data = pf->bodiless ? NULL : p + 8,
	};
	pf->given = pf->win;
	pf->sample_bytes = size;
	if (pf->win->file && (uint64_t)size * (AHEAD + 1) <= pf->win_len - at)
		fetch(p + (size_t)size * AHEAD, size, pf->bodiless);
	pf->pos += size;
	if (hd_perf_is_first_walk(pf, pf->seq)) {
		pf->stats.records++;
		pf->by_type[PERF_RECORD_SAMPLE]++;
	}
	pf->seq++;
	if (pf->data_src && !pf->checked && rec->data)
		hd_perf_check_sample(pf, rec);
	return true;
}

static __attribute__((noinline)) int next_record(struct hd_perf *pf, struct hd_record *rec, struct hd_err *err)
{
	int rc;

	while (!pf->ended) {
		if (pf->source >= pf->nsources)
			return end_walk(pf, err);
		if (pf->inside) {
			if (!next_inside(pf, rec))
				continue;
		} else {
			rc = next_outside(pf, rec, err);
			if (rc < 0)
				return rc;
			if (!rc) {
				end_source(pf);
				continue;
			}
		}
		rec->kind = hd_record_kind(rec->type);
		rec->seq = pf->seq;
		if (hd_perf_is_first_walk(pf, rec->seq)) {
			count(pf, rec);
			if (rec->kind != HD_REC_SAMPLE && !(pf->settled && hd_perf_is_metadata_record(rec)))
				hd_perf_first_walk_record(pf, rec);
		}
		if (pf->data_src && !pf->checked && rec->kind == HD_REC_SAMPLE && rec->data)
			hd_perf_check_sample(pf, rec);
		if (rec->kind == HD_REC_OTHER && !rec->inside) {
			if (rec->type == HD_RT_COMPRESSED || rec->type == HD_RT_COMPRESSED2) {
				open_chunk(pf, rec);
				pf->seq++;
				continue;
			}
			if (rec->type == HD_RT_AUXTRACE || rec->type == HD_RT_TRACING_DATA)
				skip_payload(pf, rec);
		}
		pf->seq++;
		return 1;
	}
	return 0;
}

int hd_perf_next(struct hd_perf *pf, struct hd_record *rec, struct hd_err *err)
{
	return next_sample(pf, rec) ? 1 : next_record(pf, rec, err);
}

void hd_perf_skip_samples(struct hd_perf *pf, uint64_t until)
{
	uint64_t at = pf->pos - pf->win_off, end = pf->win_len, seq = pf->seq, counted;
	const uint8_t *p = pf->bytes + at;
	bool swap = pf->file.swap;

	if (!pf->bodiless || pf->inside || pf->ended || at >= end || end - at < 8 || until <= pf->pos)
		return;
	if (end - 8 >= until - pf->win_off)
		end = until - pf->win_off + 7;
	for (uint16_t size; at + 8 <= end && hd_get32(p, swap) == PERF_RECORD_SAMPLE; p += size, at += size, seq++) {
		size = hd_get16(p + 6, swap);
		if (size < 8 || size > pf->win_len - at)
			break;
	}
	counted = seq > pf->seen ? seq - (pf->seq > pf->seen ? pf->seq : pf->seen) : 0;
	pf->stats.records += counted;
	pf->by_type[PERF_RECORD_SAMPLE] += counted;
	pf->pos = pf->win_off + at;
	pf->seq = seq;
}

static int by_type(const void *a, const void *b)
{
	const struct hd_record_count *x = a, *y = b;

	return (x->type > y->type) - (x->type < y->type);
}

const struct hd_record_count *hd_perf_record_counts(struct hd_perf *pf, size_t *n)
{
	size_t at = 0;

	HD_GROW(pf->counts, HD_LOW_TYPES + HD_SIMPLEPERF_TYPES + pf->nodd, pf->cap_counts);
	for (uint32_t i = 0; i < HD_LOW_TYPES + HD_SIMPLEPERF_TYPES; i++)
		if (pf->by_type[i])
			pf->counts[at++] = (struct hd_record_count){
				i < HD_LOW_TYPES ? i : HD_SIMPLEPERF_BASE + i - HD_LOW_TYPES, pf->by_type[i]
			};
	if (pf->nodd)
		memcpy(pf->counts + at, pf->odd, pf->nodd * sizeof(*pf->odd));
	at += pf->nodd;
	qsort(pf->counts, at, sizeof(*pf->counts), by_type);
	*n = at;
	return pf->counts;
}
