/*
 * sample.c - parse the body of a SAMPLE record
 *
 * Fields with a fixed offset come first; attr.c computed the offsets.  The offsets of later fields depend on counts in
 * the record; each count is checked against the bytes left.  Bytes after the last known field are ignored, because
 * newer kernels add fields at the end.  One exception: hiperf adds a word that refers to its table of call chains.  It
 * is read if the recording has this table and the sample has no chain.
 */
#include "perfdata/embedded_files.h"
#include "perfdata/perf_state.h"

#include "base/hash.h"
#include "base/mem.h"

#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* The part of the body that is not parsed yet. */
struct rest {
	const uint8_t *p, *end;
	bool swap;
};

static size_t left(const struct rest *r)
{
	return (size_t)(r->end - r->p);
}

static bool take64(struct rest *r, uint64_t *v)
{
	if (left(r) < 8)
		return false;
	*v = hd_get64(r->p, r->swap);
	r->p += 8;
	return true;
}

/* Take n units of `unit` bytes each from the rest of the body.  Returns false if fewer are left. */
static bool take(struct rest *r, uint64_t n, size_t unit, const uint8_t **at)
{
	if (n > left(r) / unit)
		return false;
	*at = r->p;
	r->p += n * unit;
	return true;
}

static bool take_read(struct rest *r, const struct hd_sample_layout *l, struct hd_sample *s)
{
	uint64_t f = l->read_format, n = 1, skip;
	uint8_t words = 1;

	if (f & PERF_FORMAT_GROUP) {
		if (!take64(r, &n))
			return false;
		s->read_times = (f & TIMES) == TIMES ? r->p : NULL;
		if ((f & PERF_FORMAT_TOTAL_TIME_ENABLED) && !take64(r, &skip))
			return false;
		if ((f & PERF_FORMAT_TOTAL_TIME_RUNNING) && !take64(r, &skip))
			return false;
	} else {
		words += !!(f & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(f & PERF_FORMAT_TOTAL_TIME_RUNNING);
	}
	if (f & PERF_FORMAT_ID)
		s->read_id = words++;
	if (f & HD_FORMAT_LOST)
		words++;
	if (!take(r, n, 8 * (size_t)words, &s->read))
		return false;
	if (!(f & PERF_FORMAT_GROUP) && (f & TIMES) == TIMES)
		s->read_times = s->read + 8;
	s->nread = (uint32_t)n;
	s->read_words = words;
	return true;
}

static bool take_branches(struct rest *r, const struct hd_sample_layout *l, struct hd_sample *s)
{
	const uint8_t *skip;
	uint64_t n, index;

	if (!take64(r, &n) || (l->hw_index && !take64(r, &index)) || !take(r, n, 24, &s->branches))
		return false;
	s->nbranches = (uint32_t)n;
	s->branches_are_calls = l->branches_are_calls;
	return !l->counters || take(r, n, 8, &skip);
}

static bool take_regs(struct rest *r, unsigned int nregs, uint64_t *abi, const uint8_t **regs)
{
	if (!take64(r, abi))
		return false;
	return *abi == PERF_SAMPLE_REGS_ABI_NONE || take(r, nregs, 8, regs);
}

static bool take_stack(struct rest *r, struct hd_sample *s)
{
	uint64_t n;

	if (!take64(r, &n))
		return false;
	if (!n)
		/* if the size is 0, the sample has neither a stack copy nor a word with the copied size */
		return true;
	if (!take(r, n, 1, &s->stack_user) || !take64(r, &s->stack_user_bytes))
		return false;
	return s->stack_user_bytes <= n;
}

static bool take_raw(struct rest *r, struct hd_sample *s)
{
	if (left(r) < 4)
		return false;
	s->raw_bytes = hd_get32(r->p, r->swap);
	r->p += 4;
	return take(r, s->raw_bytes, 1, &s->raw);
}

/* Read the fields with a fixed offset. */
static inline __attribute__((always_inline)) void take_fixed(const uint8_t *p, const struct hd_sample_layout *l,
	bool swap, struct hd_sample *s)
{
	if (l->ip != HD_NO_FIELD)
		s->ip = hd_get64(p + l->ip, swap);
	if (l->tid != HD_NO_FIELD) {
		s->pid = (int32_t)hd_get32(p + l->tid, swap);
		s->tid = (int32_t)hd_get32(p + l->tid + 4, swap);
	}
	if (l->time != HD_NO_FIELD) {
		s->time_ns = hd_get64(p + l->time, swap);
		s->has_time = true;
	}
	if (l->cpu != HD_NO_FIELD)
		s->cpu = hd_get32(p + l->cpu, swap);
	s->period = l->period != HD_NO_FIELD ? hd_get64(p + l->period, swap) : l->default_period;
	if (l->id != HD_NO_FIELD)
		s->id = hd_get64(p + l->id, swap);
	if (l->addr != HD_NO_FIELD)
		s->addr = hd_get64(p + l->addr, swap);
	if (l->stream != HD_NO_FIELD)
		s->stream_id = hd_get64(p + l->stream, swap);
}

/*
 * Parse the fields without a fixed offset, in the kernel's order.  Returns NULL, or the name of the field that is
 * incomplete.
 */
static const char *take_rest(struct rest *r, const struct hd_sample_layout *l, struct hd_sample *s)
{
	uint64_t t = l->rest, n;
	const uint8_t *skip;

	if ((t & PERF_SAMPLE_READ) && !take_read(r, l, s))
		return "counter values";
	if (t & PERF_SAMPLE_CALLCHAIN) {
		if (!take64(r, &n) || !take(r, n, 8, &s->chain))
			return "call chain";
		s->nchain = (uint32_t)n;
	}
	if (!(t & ~(uint64_t)(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN)))
		return NULL;
	if ((t & PERF_SAMPLE_RAW) && !take_raw(r, s))
		return "raw data";
	if ((t & PERF_SAMPLE_BRANCH_STACK) && !take_branches(r, l, s))
		return "branch stack";
	if ((t & PERF_SAMPLE_REGS_USER) && !take_regs(r, l->nregs_user, &s->regs_user_abi, &s->regs_user))
		return "user registers";
	if ((t & PERF_SAMPLE_STACK_USER) && !take_stack(r, s))
		return "user stack";
	if (t & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)) {
		if (!take64(r, &s->weight))
			return "weight";
		if (t & PERF_SAMPLE_WEIGHT_STRUCT) {	/* three weights in one word; the first one is the latency */
			s->weight2 = (uint16_t)(s->weight >> 32);
			s->weight3 = (uint16_t)(s->weight >> 48);
			s->weight &= UINT32_MAX;
		}
	}
	if ((t & PERF_SAMPLE_DATA_SRC) && !take64(r, &s->data_src))
		return "data source";
	if ((t & PERF_SAMPLE_TRANSACTION) && !take64(r, &s->transaction))
		return "transaction";
	if ((t & PERF_SAMPLE_REGS_INTR) && !take_regs(r, l->nregs_intr, &s->regs_intr_abi, &s->regs_intr))
		return "interrupt registers";
	if ((t & PERF_SAMPLE_PHYS_ADDR) && !take64(r, &s->phys_addr))
		return "physical address";
	if ((t & PERF_SAMPLE_CGROUP) && !take64(r, &s->cgroup))
		return "cgroup";
	if ((t & PERF_SAMPLE_DATA_PAGE_SIZE) && !take64(r, &s->data_page_size))
		return "data page size";
	if ((t & PERF_SAMPLE_CODE_PAGE_SIZE) && !take64(r, &s->code_page_size))
		return "code page size";
	if (t & PERF_SAMPLE_AUX) {
		if (!take64(r, &n) || !take(r, n, 1, &skip))
			return "AUX data";
		s->aux_bytes = n;
	}
	return NULL;
}

/*
 * Return the index of the sample's attr, for a recording with several.  UINT32_MAX: no attr has its id, although all
 * records have ids.
 */
static uint32_t attr_of_sample(const struct hd_perf *pf, const struct hd_record *rec, uint64_t *id)
{
	size_t n = rec->size - 8;
	uint32_t at;

	*id = 0;
	if (!pf->ids.n)
		return 0;
	/*
	 * The attr is found by the id, but the position of the id depends on the attr.  So read an id at each possible
	 * position.  Accept it if it belongs to an attr whose samples have the id at this position.
	 */
	for (uint32_t places = pf->id_places; places; places &= places - 1) {
		size_t place = 8 * (size_t)__builtin_ctz(places);

		if (place + 8 > n)
			break;
		*id = hd_get64(rec->data + place, pf->file.swap);
		at = hd_map_get(&pf->ids, *id);
		if (at != HD_MAP_NONE && pf->layouts[at].id == place)
			return at;
	}
	/* If not all records have ids, or the id is 0, use the first attr, as perf does. */
	if (!*id || pf->id_lacking || !pf->id_all)
		return 0;
	return UINT32_MAX;
}

static __attribute__((cold, noinline)) int too_short(const struct hd_perf *pf, const struct hd_record *rec,
	struct hd_sample *s, const char *what, struct hd_err *err)
{
	s->drop = "lost.sample-cut";
	return hd_fail(err, HD_EFORMAT, "%s: %s: its %u bytes end inside its %s", hd_perf_path(pf),
		       hd_record_label(rec).s, rec->size, what);
}

/*
 * Clear a sample in pieces, which compile to store instructions.  For a memset() of the whole struct, compilers emit
 * `rep stos`, which is slow for this size.
 */
static inline void clear(struct hd_sample *s)
{
	enum { PIECE = 64 };
	char *p = (char *)s;
	size_t i = 0;

#pragma GCC unroll 8
	for (; i + PIECE <= sizeof(*s); i += PIECE)
		memset(p + i, 0, PIECE);
	memset(p + i, 0, sizeof(*s) % PIECE);
}

/* Set the attr of the sample.  Returns false if it cannot be determined; the sample is then dropped. */
static __attribute__((noinline)) bool find_attr(const struct hd_perf *pf, const struct hd_record *rec,
	struct hd_sample *s, struct hd_err *err)
{
	uint64_t id;

	if (!pf->nattrs) {
		s->drop = "lost.sample-attr";
		hd_fail(err, HD_EFORMAT, "%s: %s: no attr describes its fields", hd_perf_path(pf),
			hd_record_label(rec).s);
		return false;
	}
	s->attr = attr_of_sample(pf, rec, &id);
	if (s->attr != UINT32_MAX)
		return true;
	s->attr = 0;
	s->drop = "lost.sample-id";
	hd_fail(err, HD_EFORMAT, "%s: %s: no event has the id %llu", hd_perf_path(pf), hd_record_label(rec).s,
		(unsigned long long)id);
	return false;
}

int hd_perf_parse_sample(struct hd_perf *pf, const struct hd_record *rec, struct hd_sample *s, struct hd_err *err)
{
	const uint8_t *p = rec->data;
	size_t n = rec->size - 8;
	const struct hd_sample_layout *l;
	const char *what;
	struct rest r;
	bool swap = pf->file.swap;

	clear(s);
	s->misc = rec->misc;
	s->cpumode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	s->pid = s->tid = -1;
	s->cpu = UINT32_MAX;
	s->chain_swap = swap;
	if (pf->nattrs != 1 && !find_attr(pf, rec, s, err))
		return HD_EFORMAT;
	l = &pf->layouts[s->attr];
	if (n < l->fixed)
		return too_short(pf, rec, s, "first fields", err);
	if (swap)
		take_fixed(p, l, true, s);
	else
		take_fixed(p, l, false, s);
	if (!l->rest)
		return 0;
	r = (struct rest){ p + l->fixed, p + n, swap };
	what = take_rest(&r, l, s);
	if (pf->stack_nodes && !what && !s->nchain && left(&r) >= 8)
		hd_hiperf_chain(pf, p + n - 8, s);
	return what ? too_short(pf, rec, s, what, err) : 0;
}

/* Return the increase of a counter since its last value.  If the counter was reset (value < last), return `value`. */
static uint64_t increase(struct hd_perf *pf, uint64_t key, uint64_t value)
{
	uint32_t slot = hd_map_get(&pf->group_index, key);
	uint64_t last = 0;

	if (slot == HD_MAP_NONE) {
		slot = (uint32_t)pf->ngroup;
		HD_GROW(pf->group_last, pf->ngroup + 1, pf->cap_group);
		pf->ngroup++;
		hd_map_put(&pf->group_index, key, slot);
	} else {
		last = pf->group_last[slot];
	}
	pf->group_last[slot] = value;
	return value >= last ? value - last : value;
}

uint64_t hd_perf_counter_key(const struct hd_perf *pf, const struct hd_sample *s, uint64_t id)
{
	return pf->layouts[s->attr].inherit && s->tid != -1 ? hd_mix(id, (uint32_t)s->tid) : id;
}

size_t hd_perf_group_values(struct hd_perf *pf, const struct hd_record *rec, const struct hd_sample *s,
			    const struct hd_read_value **values)
{
	bool swap = pf->file.swap;
	size_t n = 0;

	*values = NULL;
	/* Without ids the values cannot be assigned to events. */
	if (!s->nread || !s->read_id)
		return 0;
	HD_GROW(pf->values, s->nread, pf->cap_values);
	for (uint32_t i = 0; i < s->nread; i++) {
		const uint8_t *p = s->read + 8 * (size_t)s->read_words * i;
		uint64_t value = hd_get64(p, swap), id = hd_get64(p + 8 * s->read_id, swap);
		uint32_t at = hd_perf_attr_of(pf, id);

		if (at == UINT32_MAX)
			continue;
		value = increase(pf, hd_perf_counter_key(pf, s, id), value);
		pf->values[n++] = (struct hd_read_value){ id, value, at };
	}
	*values = pf->values;
	return n;
}
