/*
 * attr.c - the events of a recording: decode attrs, collect ids, compute sample layouts
 *
 *     OFFSET SIZE                      OFFSET SIZE
 *          0    4  type                    56    8  bp_addr / config1
 *          4    4  size                    64    8  bp_len / config2
 *          8    8  config                  72    8  branch_sample_type
 *         16    8  period or freq          80    8  sample_regs_user
 *         24    8  sample_type             88    4  sample_stack_user
 *         32    8  read_format             92    4  clockid
 *         40    8  flags                   96    8  sample_regs_intr
 *         48    4  wakeup                 104    ...
 *         52    4  bp_type
 *
 * The attr of an older recording is shorter; missing fields are 0.  Fields of newer versions are ignored.
 *
 * flags is a C bit field.  A big-endian compiler fills each byte from the top bit, so the order of the bytes is the
 * same in both byte orders and their bits are reversed.
 */
#include "perfdata/perf_state.h"

#include "base/mem.h"

#include <stdlib.h>

enum { ATTR_BYTES_MIN = 48, ATTR_BYTES_KNOWN = 104 };

static uint64_t flag_bits(const uint8_t *p, bool big)
{
	uint64_t v = 0;

	for (int i = 0; i < 8; i++) {
		uint8_t b = p[i];

		if (big) {
			b = (uint8_t)((b & 0xf0) >> 4 | (b & 0x0f) << 4);
			b = (uint8_t)((b & 0xcc) >> 2 | (b & 0x33) << 2);
			b = (uint8_t)((b & 0xaa) >> 1 | (b & 0x55) << 1);
		}
		v |= (uint64_t)b << (8 * i);
	}
	return v;
}

bool hd_perf_attr_has_call_stack(const struct hd_perf_attr *a)
{
	return a->sample_type & PERF_SAMPLE_BRANCH_STACK && a->branch_type & HD_BRANCH_CALL_STACK;
}

static struct hd_sample_layout layout_of(const struct hd_perf_attr *a, bool inherit)
{
	uint64_t t = a->sample_type;
	struct hd_sample_layout l = {
		.type = t,
		.default_period = a->period_or_freq ? a->period_or_freq : 1,
		.read_format = a->read_format,
		.nregs_user = (uint8_t)__builtin_popcountll(a->regs_user),
		.nregs_intr = (uint8_t)__builtin_popcountll(a->regs_intr),
		.hw_index = a->branch_type & HD_BRANCH_HW_INDEX,
		.counters = a->branch_type & HD_BRANCH_COUNTERS,
		.branches_are_calls = hd_perf_attr_has_call_stack(a),
		.inherit = inherit,
	};
	uint8_t at = 0, back = 0;

#define PLACE(field, bit)	do { l.field = HD_NO_FIELD; if (t & (bit)) { l.field = at; at += 8; } } while (0)
	if (t & PERF_SAMPLE_IDENTIFIER)
		at += 8;
	PLACE(ip, PERF_SAMPLE_IP);
	PLACE(tid, PERF_SAMPLE_TID);
	PLACE(time, PERF_SAMPLE_TIME);
	PLACE(addr, PERF_SAMPLE_ADDR);
	PLACE(id, PERF_SAMPLE_ID);
	PLACE(stream, PERF_SAMPLE_STREAM_ID);
	PLACE(cpu, PERF_SAMPLE_CPU);
	PLACE(period, PERF_SAMPLE_PERIOD);
#undef PLACE
	if (t & PERF_SAMPLE_IDENTIFIER)
		l.id = 0;
	l.fixed = at;
	l.rest = t & ~(uint64_t)(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
				 PERF_SAMPLE_PERIOD);
	if (!a->sample_id_all)
		return l;

	/* Fields of the sample_id_all trailer, from its end: IDENTIFIER, CPU, STREAM_ID, ID, TIME, TID. */
	if (t & PERF_SAMPLE_IDENTIFIER)
		l.id_back = back += 8;
	if (t & PERF_SAMPLE_CPU)
		back += 8;
	if (t & PERF_SAMPLE_STREAM_ID)
		back += 8;
	if (t & PERF_SAMPLE_ID) {
		back += 8;
		if (!l.id_back)
			l.id_back = back;
	}
	if (t & PERF_SAMPLE_TIME)
		l.time_back = back += 8;
	if (t & PERF_SAMPLE_TID)
		l.tid_back = back += 8;
	l.trailer = back;
	return l;
}

/* Add the properties of the new attr `at` to those of the whole recording, such as the positions of ids in records. */
static void settle(struct hd_perf *pf, size_t at)
{
	const struct hd_sample_layout *l = &pf->layouts[at];

	if (!at)
		pf->id_all = pf->attrs[0].sample_id_all;
	pf->file.has_time |= l->time != HD_NO_FIELD;
	pf->file.side_time |= l->time_back != 0;
	pf->data_src |= (l->type & PERF_SAMPLE_DATA_SRC) != 0;
	if (l->id == HD_NO_FIELD)
		pf->id_lacking = true;
	else
		pf->id_places |= 1u << (l->id / 8);
	if (l->id_back)
		pf->id_backs |= 1u << (l->id_back / 8);
}

int hd_perf_add_attr(struct hd_perf *pf, const uint8_t *p, size_t n, struct hd_err *err)
{
	struct hd_bytes b = hd_bytes_over(p, n, pf->file.swap);
	struct hd_perf_attr a = { 0 };
	uint64_t flags, bp_addr;
	uint32_t bp_type, size;
	size_t at = pf->nattrs;

	if (n < ATTR_BYTES_MIN)
		return hd_fail(err, HD_EFORMAT, "an attr of %zu bytes is too short", n);
	if (at >= UINT32_MAX / 2)
		return hd_fail(err, HD_EFORMAT, "too many attrs");
	a.type = hd_bytes_u32(&b);
	size = hd_bytes_u32(&b);
	/* The attr states its own size, which can be smaller than n.  The bytes after that size are not parsed. */
	if (size >= ATTR_BYTES_MIN && size < n)
		b.end = p + size;
	a.config = hd_bytes_u64(&b);
	a.period_or_freq = hd_bytes_u64(&b);
	a.sample_type = hd_bytes_u64(&b);
	a.read_format = hd_bytes_u64(&b);
	flags = flag_bits(hd_bytes_skip(&b, 8), pf->file.big);
	hd_bytes_u32(&b);
	bp_type = hd_bytes_u32(&b);
	bp_addr = hd_bytes_u64(&b);
	hd_bytes_u64(&b);
	a.branch_type = hd_bytes_u64(&b);
	a.regs_user = hd_bytes_u64(&b);
	a.stack_user = hd_bytes_u32(&b);
	a.clockid = (int32_t)hd_bytes_u32(&b);
	a.regs_intr = hd_bytes_u64(&b);

	a.exclude_user = flags >> HD_ATTR_EXCLUDE_USER & 1;
	a.exclude_kernel = flags >> HD_ATTR_EXCLUDE_KERNEL & 1;
	a.exclude_hv = flags >> HD_ATTR_EXCLUDE_HV & 1;
	a.exclude_host = flags >> HD_ATTR_EXCLUDE_HOST & 1;
	a.exclude_guest = flags >> HD_ATTR_EXCLUDE_GUEST & 1;
	a.enable_on_exec = flags >> HD_ATTR_ENABLE_ON_EXEC & 1;
	a.task = flags >> HD_ATTR_TASK & 1;
	a.switches = flags >> HD_ATTR_CONTEXT_SWITCH & 1;
	a.build_id = flags >> HD_ATTR_BUILD_ID & 1;
	a.deferred = flags >> HD_ATTR_DEFER_CALLCHAIN & 1;
	a.use_clockid = flags >> HD_ATTR_USE_CLOCKID & 1;
	a.freq = flags >> HD_ATTR_FREQ & 1;
	a.precise = flags >> HD_ATTR_PRECISE & 3;
	a.sample_id_all = flags >> HD_ATTR_SAMPLE_ID_ALL & 1;
	a.name = hd_event_name(&a, bp_type, bp_addr);
	a.name_made = true;
	a.unit = hd_event_unit(&a);

	HD_GROW(pf->attrs, at + 1, pf->cap_attrs);
	HD_GROW(pf->layouts, at + 1, pf->cap_layouts);
	pf->attrs[at] = a;
	pf->layouts[at] = layout_of(&a, flags >> HD_ATTR_INHERIT & 1);
	pf->nattrs++;
	settle(pf, at);
	return (int)at;
}

int hd_perf_add_ids(struct hd_perf *pf, size_t at, const uint8_t *p, size_t n, struct hd_err *err)
{
	struct hd_perf_attr *a = &pf->attrs[at];
	bool swap = pf->file.swap;

	/* Id sections of a malicious file can overlap, so that together they have more ids than fit into the file. */
	if (n > pf->file.bytes / 8 || pf->ids_total > pf->file.bytes / 8 - n)
		return hd_fail(err, HD_EFORMAT, "%zu ids are more than the file holds", n);
	pf->ids_total += n;
	a->ids = hd_realloc(a->ids, a->nids + n + 1, sizeof(*a->ids));
	for (size_t i = 0; i < n; i++) {
		uint64_t id = hd_get64(p + 8 * i, swap);

		a->ids[a->nids++] = id;
		if (!hd_map_has(&pf->ids, id))
			hd_map_put(&pf->ids, id, (uint32_t)at);
	}
	return 0;
}

uint32_t hd_perf_attr_of(const struct hd_perf *pf, uint64_t id)
{
	uint32_t at;

	if (!pf->nattrs)
		return UINT32_MAX;
	if (pf->nattrs == 1 || !id)
		return 0;
	at = hd_map_get(&pf->ids, id);
	return at == HD_MAP_NONE ? UINT32_MAX : at;
}

const struct hd_sample_layout *hd_perf_trailer_layout(const struct hd_perf *pf, const struct hd_record *rec,
	uint32_t *attr)
{
	size_t n = rec->size - 8;

	*attr = UINT32_MAX;
	if (!pf->nattrs)
		return NULL;
	if (pf->nattrs == 1 || !pf->ids.n) {
		*attr = pf->nattrs == 1 ? 0 : UINT32_MAX;
		return &pf->layouts[0];
	}
	/*
	 * The attr is found by the id, but the position of the id depends on the attr.  So read an id at each possible
	 * position.  Accept it if it belongs to an attr whose records have the id at this position.
	 */
	for (uint32_t left = pf->id_backs; left; left &= left - 1) {
		uint8_t back = (uint8_t)(8 * __builtin_ctz(left));
		uint64_t id;
		uint32_t at;

		if (back > n)
			break;
		id = hd_get64(rec->data + n - back, pf->file.swap);
		at = id ? hd_map_get(&pf->ids, id) : HD_MAP_NONE;
		if (at != HD_MAP_NONE && pf->layouts[at].id_back == back) {
			*attr = at;
			return &pf->layouts[at];
		}
	}
	/* No attr has the id, for example 0 in a record that perf synthesized: use the layout of the first attr. */
	return &pf->layouts[0];
}

void hd_perf_name_attr(struct hd_perf *pf, size_t at, char *name)
{
	struct hd_perf_attr *a = &pf->attrs[at];

	free(a->name);
	a->name = name;
	a->name_made = false;
}

/*
 * Old files have a table of (config, name) for all events.  A config can occur twice, because cpu-clock and cycles are
 * both 0.  Then prefer the row whose name is equal to the attr's derived name, then the row with the attr's index, then
 * the first row with this config.
 */
void hd_perf_name_attrs_by_event_types(struct hd_perf *pf)
{
	for (size_t at = 0; at < pf->nattrs; at++) {
		struct hd_perf_attr *a = &pf->attrs[at];
		const char *name = NULL;
		size_t same = 0;

		if (!a->name_made)
			continue;
		for (size_t i = 0; i < pf->nevent_types; i++) {
			const struct event_type *t = &pf->event_types[i];

			if (t->config != a->config)
				continue;
			if (!strcmp(t->name, a->name)) {
				name = t->name;
				break;
			}
			if (!same++ || i == at)
				name = t->name;
		}
		if (name)
			hd_perf_name_attr(pf, at, hd_strdup(name));
	}
}
