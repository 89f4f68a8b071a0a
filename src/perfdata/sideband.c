/*
 * sideband.c - parse the records about processes and mappings
 *
 * With sample_id_all, each record ends in a trailer with its time and event id.  A name before the trailer is padded
 * with NULs.
 */
#include "perfdata/perf_state.h"

#include "base/mem.h"

/* The body of a record without the sample_id_all trailer, and the time from the trailer. */
struct body {
	struct hd_bytes b;
	struct hd_record_time when;
};

static struct body open_body(const struct hd_perf *pf, const struct hd_record *rec)
{
	size_t n = rec->size - 8;
	uint32_t attr;
	const struct hd_sample_layout *l = hd_perf_trailer_layout(pf, rec, &attr);
	struct body body = { hd_bytes_over(rec->data, n, pf->file.swap), { 0, rec->seq } };

	if (!l || l->trailer > n)
		return body;
	body.b.end -= l->trailer;
	if (l->time_back)
		body.when.time_ns = hd_get64(rec->data + n - l->time_back, pf->file.swap);
	return body;
}

/* Get pid and tid from the trailer; -1 if there is none. */
static void trailer_thread(const struct hd_perf *pf, const struct hd_record *rec, int32_t *pid, int32_t *tid)
{
	size_t n = rec->size - 8;
	uint32_t attr;
	const struct hd_sample_layout *l = hd_perf_trailer_layout(pf, rec, &attr);

	*pid = *tid = -1;
	if (!l || !l->tid_back || l->trailer > n)
		return;
	*pid = (int32_t)hd_get32(rec->data + n - l->tid_back, pf->file.swap);
	*tid = (int32_t)hd_get32(rec->data + n - l->tid_back + 4, pf->file.swap);
}

static int too_short(const struct hd_perf *pf, const struct hd_record *rec, struct hd_err *err)
{
	return hd_fail(err, HD_EFORMAT, "%s: %s: %u bytes are too few for its fields", hd_perf_path(pf),
		       hd_record_label(rec).s, rec->size);
}

/* Return the name at the end of the body.  If no NUL ends it, return a NUL-terminated copy. */
static const char *rest_name(struct hd_perf *pf, const struct body *body, size_t *len)
{
	size_t room = hd_bytes_left(&body->b);
	const uint8_t *nul = memchr(body->b.p, 0, room);

	if (nul) {
		*len = (size_t)(nul - body->b.p);
		return (const char *)body->b.p;
	}
	HD_GROW(pf->name, room + 1, pf->cap_name);
	memcpy(pf->name, body->b.p, room);
	pf->name[room] = 0;
	*len = room;
	return pf->name;
}

/* An MMAP2 record has these bytes for a build-id (length, three zeros, 20 bytes), or for device and inode. */
enum { BUILD_ID_BYTES = 24 };

/*
 * Return true if an MMAP2 record whose header announces a build-id has one in the next BUILD_ID_BYTES bytes.
 *
 * The kernel can be wrong: it makes one header for all recorders.  If one of them asked for build-ids, the recorders
 * after it get a header that announces a build-id, before device and inode.  The low byte of the device's major number
 * is then where the length would be, so the length and the zeros after a build-id tell the difference.  perf inject
 * adds build-ids, too.  So if no event of the recording asked for build-ids, one is accepted that has the usual length,
 * or that begins with a number which is too large for the minor number of a device.
 */
static bool has_build_id(const struct hd_perf *pf, const struct hd_bytes *b)
{
	enum { MINOR_BITS = 20 };
	const uint8_t *p = b->p;
	struct hd_bytes minor = *b;

	if (hd_bytes_left(b) < BUILD_ID_BYTES || p[0] == 0 || p[0] > HD_BUILD_ID_MAX || p[1] || p[2] || p[3])
		return false;
	for (size_t at = 4 + p[0]; at < BUILD_ID_BYTES; at++)
		if (p[at])
			return false;
	if (p[0] == 16 || p[0] == 20)
		return true;
	for (size_t i = 0; i < pf->nattrs; i++)
		if (pf->attrs[i].build_id)
			return true;
	hd_bytes_skip(&minor, 4);
	return hd_bytes_u32(&minor) >> MINOR_BITS;
}

int hd_perf_parse_mmap(struct hd_perf *pf, const struct hd_record *rec, struct hd_mmap_event *e, struct hd_err *err)
{
	struct body body = open_body(pf, rec);
	struct hd_bytes *b = &body.b;

	*e = (struct hd_mmap_event){ .when = body.when, .executable = !(rec->misc & PERF_RECORD_MISC_MMAP_DATA) };
	e->cpumode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	e->pid = (int32_t)hd_bytes_u32(b);
	e->tid = (int32_t)hd_bytes_u32(b);
	e->addr = hd_bytes_u64(b);
	e->len = hd_bytes_u64(b);
	e->pgoff = hd_bytes_u64(b);
	if (rec->type == PERF_RECORD_MMAP2) {
		if (rec->misc & PERF_RECORD_MISC_MMAP_BUILD_ID && has_build_id(pf, b)) {
			const uint8_t *p = hd_bytes_skip(b, BUILD_ID_BYTES);

			e->build_id.len = p[0];
			memcpy(e->build_id.bytes, p + 4, e->build_id.len);
		} else {
			e->maj = hd_bytes_u32(b);
			e->min = hd_bytes_u32(b);
			e->ino = hd_bytes_u64(b);
			e->ino_generation = hd_bytes_u64(b);
		}
		e->prot = hd_bytes_u32(b);
		e->flags = hd_bytes_u32(b);
		/*
		 * perf synthesizes the records of kernel modules with prot 0, so prot 0 does not mean that there is no
		 * code.
		 */
		if (e->prot && !(e->prot & 4))
			e->executable = false;
	}
	if (b->bad)
		return too_short(pf, rec, err);
	e->name = rest_name(pf, &body, &e->name_len);
	return 0;
}

int hd_perf_parse_comm(struct hd_perf *pf, const struct hd_record *rec, struct hd_comm_event *e, struct hd_err *err)
{
	struct body body = open_body(pf, rec);

	*e = (struct hd_comm_event){ .when = body.when, .exec = rec->misc & PERF_RECORD_MISC_COMM_EXEC };
	e->pid = (int32_t)hd_bytes_u32(&body.b);
	e->tid = (int32_t)hd_bytes_u32(&body.b);
	if (body.b.bad)
		return too_short(pf, rec, err);
	e->comm = rest_name(pf, &body, &e->comm_len);
	return 0;
}

int hd_perf_parse_fork(struct hd_perf *pf, const struct hd_record *rec, struct hd_fork_event *e, struct hd_err *err)
{
	struct body body = open_body(pf, rec);
	struct hd_bytes *b = &body.b;

	*e = (struct hd_fork_event){ .when = body.when, .exit = rec->type == PERF_RECORD_EXIT };
	e->pid = (int32_t)hd_bytes_u32(b);
	e->ppid = (int32_t)hd_bytes_u32(b);
	e->tid = (int32_t)hd_bytes_u32(b);
	e->ptid = (int32_t)hd_bytes_u32(b);
	return b->bad ? too_short(pf, rec, err) : 0;
}

int hd_perf_parse_ksymbol(struct hd_perf *pf, const struct hd_record *rec, struct hd_ksymbol_event *e,
	struct hd_err *err)
{
	struct body body = open_body(pf, rec);
	struct hd_bytes *b = &body.b;

	*e = (struct hd_ksymbol_event){ .when = body.when };
	e->addr = hd_bytes_u64(b);
	e->len = hd_bytes_u32(b);
	e->ksym_type = hd_bytes_u16(b);
	e->flags = hd_bytes_u16(b);
	if (b->bad)
		return too_short(pf, rec, err);
	e->name = rest_name(pf, &body, &e->name_len);
	return 0;
}

/* Indices into the array of a NAMESPACES record (enum in include/uapi/linux/perf_event.h). */
enum { PID_NS = 3, USER_NS = 4, MNT_NS = 5 };

int hd_perf_parse_namespaces(struct hd_perf *pf, const struct hd_record *rec, struct hd_namespaces_event *e,
			     struct hd_err *err)
{
	struct body body = open_body(pf, rec);
	struct hd_bytes *b = &body.b;
	uint64_t n;

	*e = (struct hd_namespaces_event){ .when = body.when };
	e->pid = (int32_t)hd_bytes_u32(b);
	e->tid = (int32_t)hd_bytes_u32(b);
	n = hd_bytes_u64(b);
	if (b->bad || n > hd_bytes_left(b) / 16)
		return too_short(pf, rec, err);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t ino;

		hd_bytes_u64(b);
		ino = hd_bytes_u64(b);
		switch (i) {
		case PID_NS:
			e->pid_ino = ino;
			break;
		case USER_NS:
			e->user_ino = ino;
			break;
		case MNT_NS:
			e->mnt_ino = ino;
			break;
		}
	}
	return 0;
}

/*
 * The body of CALLCHAIN_DEFERRED (include/uapi/linux/perf_event.h, PERF_RECORD_CALLCHAIN_DEFERRED):
 *
 * OFFSET SIZE
 *      0    8  cookie
 *      8    8  nr
 *     16       nr addresses, innermost first; then the trailer
 */
int hd_perf_parse_deferred(struct hd_perf *pf, const struct hd_record *rec, struct hd_deferred_event *e,
	struct hd_err *err)
{
	struct body body = open_body(pf, rec);
	uint64_t nr;

	*e = (struct hd_deferred_event){ .when = body.when };
	e->cookie = hd_bytes_u64(&body.b);
	nr = hd_bytes_u64(&body.b);
	if (body.b.bad || nr > hd_bytes_left(&body.b) / 8)
		return too_short(pf, rec, err);
	e->ips = hd_bytes_skip(&body.b, 8 * (size_t)nr);
	e->n = (uint32_t)nr;
	trailer_thread(pf, rec, &e->pid, &e->tid);
	return 0;
}

bool hd_perf_is_switch(const struct hd_record *rec)
{
	return rec->type == PERF_RECORD_SWITCH || rec->type == PERF_RECORD_SWITCH_CPU_WIDE;
}

/*
 * The body of a SWITCH_CPU_WIDE record names the other thread of the switch.  The thread that the record is about is in
 * its trailer, as for SWITCH.
 */
void hd_perf_parse_switch(struct hd_perf *pf, const struct hd_record *rec, struct hd_switch_event *e)
{
	*e = (struct hd_switch_event){
		.when = open_body(pf, rec).when,
		.out = rec->misc & PERF_RECORD_MISC_SWITCH_OUT,
		.preempted = rec->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT,
	};
	trailer_thread(pf, rec, &e->pid, &e->tid);
}

int hd_perf_parse_cgroup(struct hd_perf *pf, const struct hd_record *rec, struct hd_cgroup_event *e, struct hd_err *err)
{
	struct body body = open_body(pf, rec);

	*e = (struct hd_cgroup_event){ .when = body.when };
	e->id = hd_bytes_u64(&body.b);
	if (body.b.bad)
		return too_short(pf, rec, err);
	e->path = rest_name(pf, &body, &e->path_len);
	return 0;
}

int hd_perf_parse_lost(struct hd_perf *pf, const struct hd_record *rec, struct hd_lost *lost, struct hd_err *err)
{
	struct body body = open_body(pf, rec);
	const struct hd_sample_layout *l = hd_perf_trailer_layout(pf, rec, &lost->attr);
	uint64_t id;

	lost->counter = false;
	if (rec->type == PERF_RECORD_LOST) {
		id = hd_bytes_u64(&body.b);
		if (id)
			lost->attr = hd_perf_attr_of(pf, id);
	} else if (l) {
		/*
		 * LOST_SAMPLES records that perf itself writes from a loss counter have time 0; those of the kernel
		 * have a time.
		 */
		lost->counter = l->read_format & HD_FORMAT_LOST && !body.when.time_ns;
	}
	lost->count = hd_bytes_u64(&body.b);
	if (rec->type == PERF_RECORD_LOST_SAMPLES && rec->misc & HD_MISC_LOST_SAMPLES_BPF)
		lost->count = 0;
	return body.b.bad ? too_short(pf, rec, err) : 0;
}

uint64_t hd_lost_unreported(struct hd_lost_total *seen, const struct hd_lost *lost)
{
	uint64_t news = lost->count;

	if (lost->counter) {
		seen->counters += lost->count;
		news = seen->counters > seen->reported ? seen->counters - seen->reported : 0;
	}
	seen->reported += news;
	return news;
}

bool hd_perf_is_time_conv(const struct hd_record *rec)
{
	return rec->type == HD_RT_TIME_CONV;
}

/*
 * The body of TIME_CONV; perf writes no trailer:
 *
 *     OFFSET  SIZE  MEANING
 *     0       24    shift, mult, zero: u64 each
 *     24      16    cycles, mask: u64 each, since perf 5.10
 *     40      2     two u8 flags: zero is valid; cycles and mask are valid
 */
int hd_perf_parse_time_conv(struct hd_perf *pf, const struct hd_record *rec, struct hd_time_conv *conv,
	struct hd_err *err)
{
	struct hd_bytes b = hd_bytes_over(rec->data, rec->size - 8, pf->file.swap);
	struct hd_time_conv c = { 0 };

	c.shift = hd_bytes_u64(&b);
	c.mult = hd_bytes_u64(&b);
	c.zero = hd_bytes_u64(&b);
	if (b.bad)
		return too_short(pf, rec, err);
	if (c.shift > 63 || !c.mult)
		return hd_fail(err, HD_EFORMAT,
			"%s: %s: a shift of %llu and a factor of %llu are not a valid conversion",
			hd_perf_path(pf), hd_record_label(rec).s, (unsigned long long)c.shift,
			(unsigned long long)c.mult);
	c.cycles = hd_bytes_u64(&b);
	c.mask = hd_bytes_u64(&b);
	hd_bytes_u8(&b);
	c.narrow = hd_bytes_u8(&b) && !b.bad;
	*conv = c;
	return 0;
}

uint64_t hd_time_of_counter(const struct hd_time_conv *conv, uint64_t counter)
{
	uint64_t rest;

	if (conv->narrow)
		counter = conv->cycles + ((counter - conv->cycles) & conv->mask);
	rest = counter & ((UINT64_C(1) << conv->shift) - 1);
	return conv->zero + (counter >> conv->shift) * conv->mult + (rest * conv->mult >> conv->shift);
}
