/*
 * bodies.c - read the contents of records for the strict reader: attrs, samples, features, compressed data
 */
#include "reader.h"

#include <linux/perf_event.h>

void add_event(struct reader *r, uint64_t off, uint64_t n)
{
	uint64_t size = n >= 8 ? at(r, off + 4, 4) : 0, flags;
	struct event e = { 0 };

	if (n < 64 || (size && (size < 64 || size > n)))
		r->l->unsure = true;		/* another version of the format may have such an attr */
	if (n < 64)
		return;
	if (size >= 64 && size < n)
		n = size;
	for (uint64_t i = 0; i + 8 <= n; i += 8)
		found(r, off + i, 8, F_ATTR);
	e.sample_type = at(r, off + 24, 8);
	e.read_format = at(r, off + 32, 8);
	flags = r->p[off + 42];
	e.id_all = r->l->swap ? flags >> 5 & 1 : flags >> 2 & 1;
	e.branch_type = n >= 80 ? at(r, off + 72, 8) : 0;
	e.regs_user = n >= 88 ? at(r, off + 80, 8) : 0;
	e.regs_intr = n >= 104 ? at(r, off + 96, 8) : 0;
	if (e.sample_type >> 25 || e.read_format >> 5 || r->nevents == MAX_EVENTS)
		r->l->unsure = true;
	if (r->nevents && (e.sample_type != r->events[0].sample_type || e.id_all != r->events[0].id_all))
		r->l->unsure = true;		/* a record's layout depends on its event */
	if (r->nevents < MAX_EVENTS)
		r->events[r->nevents++] = e;
}

void add_ids(struct reader *r, uint64_t off, uint64_t n)
{
	r->events_with_ids += n >= 8;
	for (uint64_t i = 0; i + 8 <= n; i += 8) {
		found(r, off + i, 8, F_ID);
		if (r->nids == MAX_IDS) {
			r->l->unsure = true;
			return;
		}
		r->ids[r->nids].id = at(r, off + i, 8);
		r->ids[r->nids++].event = r->nevents - 1;
	}
}

/* ---- SAMPLE ---- */

static bool word(struct reader *r, struct body *b, unsigned int width, enum what what, uint64_t *v)
{
	if (b->n - b->pos < width)
		return false;
	*v = load(b->p + b->pos, width, r->l->swap);
	if (b->mapped)
		found(r, b->file_off + b->pos, width, what);
	b->pos += width;
	return true;
}

static bool skip(struct body *b, uint64_t n, uint64_t unit)
{
	if (n > (b->n - b->pos) / unit)
		return false;
	b->pos += n * unit;
	return true;
}

static unsigned int ones(uint64_t v) { return (unsigned int)__builtin_popcountll(v); }

/*
 * Read the fields of a sample after the period.  Sets *still if the counters of a group did not change, so that the
 * sample has no weight.  Returns false if a field exceeds the record.
 */
static bool sample_rest(struct reader *r, struct event *e, struct body *b, bool *still)
{
	uint64_t t = e->sample_type, f = e->read_format, n = 1, v;

	if (t & PERF_SAMPLE_READ) {
		uint64_t words = 1 + !!(f & PERF_FORMAT_ID) + !!(f & 16), times = ones(f & 3);

		if (f & PERF_FORMAT_GROUP) {
			if (!word(r, b, 8, F_COUNT, &n) || !skip(b, times, 8))
				return false;
		} else {
			words += times;
		}
		if (f & PERF_FORMAT_GROUP && n && b->n - b->pos >= 8) {
			v = load(b->p + b->pos, 8, r->l->swap);
			*still = v == e->last;
			e->last = v;
		}
		if (!skip(b, n, 8 * words))
			return false;
	}
	if (t & PERF_SAMPLE_CALLCHAIN && (!word(r, b, 8, F_COUNT, &n) || !skip(b, n, 8)))
		return false;
	if (t & PERF_SAMPLE_RAW && (!word(r, b, 4, F_COUNT, &n) || !skip(b, n, 1)))
		return false;
	if (t & PERF_SAMPLE_BRANCH_STACK) {
		if (!word(r, b, 8, F_COUNT, &n) || (e->branch_type >> 17 & 1 && !skip(b, 1, 8)) || !skip(b, n, 24))
			return false;
		if (e->branch_type >> 19 & 1 && !skip(b, n, 8))
			return false;
	}
	if (t & PERF_SAMPLE_REGS_USER && (!word(r, b, 8, F_NUMBER, &v) || (v && !skip(b, ones(e->regs_user), 8))))
		return false;
	if (t & PERF_SAMPLE_STACK_USER) {
		if (!word(r, b, 8, F_COUNT, &n))
			return false;
		if (n && (!skip(b, n, 1) || !word(r, b, 8, F_COUNT, &v) || v > n))
			return false;
	}
	if (!skip(b,
		    !!(t & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)) +
			    ones(t & (PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION)),
		    8))
		return false;
	if (t & PERF_SAMPLE_REGS_INTR && (!word(r, b, 8, F_NUMBER, &v) || (v && !skip(b, ones(e->regs_intr), 8))))
		return false;
	if (!skip(b,
		    ones(t &
			    (PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |
				    PERF_SAMPLE_CODE_PAGE_SIZE)),
		    8))
		return false;
	return !(t & PERF_SAMPLE_AUX) || (word(r, b, 8, F_COUNT, &n) && skip(b, n, 1));
}

/*
 * Return the index of the event that has the ID of the sample; -1 if no event has it.  The ID is at the same offset in
 * all samples.  Returns 0 if there is only one event, or if the samples have no ID.
 */
static int event_of(const struct reader *r, const struct body *b)
{
	uint64_t t = r->events[0].sample_type, place, id;

	if (r->nevents == 1 || !r->nids)
		return 0;
	if (t & PERF_SAMPLE_IDENTIFIER)
		place = 0;
	else if (t & PERF_SAMPLE_ID)
		place = 8 * ones(t & (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR));
	else
		return 0;
	if (b->n < place + 8)
		return -1;
	id = load(b->p + place, 8, r->l->swap);
	if (!id || !r->events[0].id_all)
		return 0;
	for (size_t i = 0; i < r->nids; i++)
		if (r->ids[i].id == id)
			return (int)r->ids[i].event;
	return -1;
}

static void on_sample(struct reader *r, struct body *b, uint64_t off)
{
	static const struct { uint64_t bit; enum what what; } fixed[] = {
		{ PERF_SAMPLE_IDENTIFIER, F_ID }, { PERF_SAMPLE_IP, F_NUMBER }, { PERF_SAMPLE_TID, F_NUMBER },
		{ PERF_SAMPLE_TIME, F_TIME }, { PERF_SAMPLE_ADDR, F_NUMBER }, { PERF_SAMPLE_ID, F_ID },
		{ PERF_SAMPLE_STREAM_ID, F_NUMBER }, { PERF_SAMPLE_CPU, F_NUMBER }, { PERF_SAMPLE_PERIOD, F_NUMBER },
	};
	struct event *e;
	bool whole = true, still = false;
	uint64_t v;
	int event;

	r->l->samples++;
	if (!r->nevents) {
		broken(r, "a sample of no event", off);
		return;
	}
	event = event_of(r, b);
	if (event < 0 && r->events_with_ids < r->nevents)
		r->l->unsure = true;		/* ids may be in another place, such as EVENT_DESC */
	if (event < 0) {
		broken(r, "a sample's id", off);
		return;
	}
	e = &r->events[event];
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (e->sample_type & fixed[i].bit)
			whole = whole && word(r, b, 8, fixed[i].what, &v);
	if (!whole || !sample_rest(r, e, b, &still))
		broken(r, "a count in a sample", off);
	else if (!still && (!r->l->broken || r->l->broken_off > off))
		r->l->sound++;
}

/* ---- records ---- */

void on_feature_body(struct reader *r, uint64_t bit, uint64_t off, uint64_t n)
{
	if ((bit >= 3 && bit <= 6) || bit == 8 || bit == 9) {
		if (n >= 4)
			found(r, off, 4, F_COUNT);
		if (n && (n < 4 || at(r, off, 4) > n - 4))	/* an empty section is valid: the text is not known */
			broken(r, "a header text", off);
	} else if (bit == 7 || bit == 10) {
		if (n < 8)
			broken(r, "a header number", off);
	} else if (bit == 11 || bit == 12) {
		if (n >= 8) {
			found(r, off, 4, F_COUNT);
			found(r, off + 4, 4, F_COUNT);
		}
		if (n < 4 || at(r, off, 4) > n)
			broken(r, "a header list", off);
	}
}

/* Walk the complete records in the decompressed bytes.  The rest is kept for the next chunk. */
static void walk_inner(struct reader *r, uint64_t off)
{
	struct bytes *in = &r->inner;
	size_t pos = 0;

	while (in->n - pos >= 8) {
		uint32_t size = (uint32_t)load(in->p + pos + 6, 2, r->l->swap);
		struct body b = { in->p + pos + 8, size - 8, 0, 0, false };

		if (size < 8) {
			broken(r, "a record's size in compressed data", off);
			r->lost_stream = true;
			pos = in->n;
			break;
		}
		if (size > in->n - pos)
			break;
		on_record(r, &b, (uint32_t)load(in->p + pos, 4, r->l->swap), off);
		pos += size;
	}
	splice(in, 0, pos, NULL, 0);
}

static void on_compressed(struct reader *r, struct body *b, uint32_t type, uint64_t off)
{
	ZSTD_inBuffer in = { b->p, b->n, 0 };

	if (type == COMPRESSED2) {
		uint64_t told = b->n < 8 ? UINT64_MAX : load(b->p, 8, r->l->swap);

		if (b->n >= 8)
			found(r, off + 8, 8, F_COUNT);
		if (b->n < 8 || told > b->n - 8) {
			broken(r, "the size of compressed data", off);
			r->lost_stream = true;
			return;
		}
		in = (ZSTD_inBuffer){ b->p + 8, told, 0 };
	}
	if (r->lost_stream)
		return;
	r->inner_off = off;
	while (in.pos < in.size && !r->lost_stream) {
		static uint8_t space[1 << 17];
		ZSTD_outBuffer out = { space, sizeof(space), 0 };
		size_t rc = ZSTD_decompressStream(r->zstd, &out, &in);

		put(&r->inner, space, out.pos);
		if (ZSTD_isError(rc)) {
			broken(r, "a zstd frame", off);
			r->lost_stream = true;
		}
		walk_inner(r, off);
		if (r->inner.n > INNER_MAX)
			r->lost_stream = true;
	}
}

void on_record(struct reader *r, struct body *b, uint32_t type, uint64_t off)
{
	static const struct { uint32_t type, least; } sizes[] = {
		{ PERF_RECORD_MMAP, 32 }, { PERF_RECORD_MMAP2, 64 }, { PERF_RECORD_COMM, 8 }, { PERF_RECORD_FORK, 24 },
		{ PERF_RECORD_EXIT, 24 }, { PERF_RECORD_LOST, 16 },
	};
	uint64_t v;

	if (type == PERF_RECORD_SAMPLE) {
		on_sample(r, b, off);
		return;
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (type != sizes[i].type)
			continue;
		if (b->n < sizes[i].least)
			broken(r, "a record too short for its fields", off);
		while (b->pos + 8 <= sizes[i].least && word(r, b, 8, F_NUMBER, &v))
			;
	}
	if (b->mapped && (type == COMPRESSED || type == COMPRESSED2))
		on_compressed(r, b, type, off);
	if (!b->mapped || !r->l->pipe)
		return;
	if (type == ATTR) {
		uint64_t size = b->n >= 8 ? load(b->p + 4, 4, r->l->swap) : 0;

		if (b->n < 64 || size > b->n) {
			broken(r, "an attr longer than its record", off);
			return;
		}
		size = size ? size : 64;
		add_event(r, b->file_off, size);
		if (r->nevents)
			add_ids(r, b->file_off + size, b->n - size);
	}
	if (type == FEATURE && b->n > 8)
		on_feature_body(r, load(b->p, 8, r->l->swap), b->file_off + 8, b->n - 8);
	else if (type == FEATURE && b->n < 8)
		broken(r, "a feature of no kind", off);
}
