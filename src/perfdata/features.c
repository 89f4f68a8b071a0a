/*
 * features.c - read the header's sections about the machine, the command and the events
 *
 * After the data, the file has a table of (offset, size) with one row for each set bit of the header's bitmap of
 * features, in ascending order, followed by the sections.  In pipe mode each section is a FEATURE record.  Sections
 * that are not needed are skipped.  A section that is outside the file or malformed is logged.
 *
 * A string is a u32 size and that many bytes, padded with NULs.
 */
#include "perfdata/embedded_files.h"
#include "perfdata/perf_state.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdlib.h>
#include <time.h>

static const char *const names[] = {
	[HD_FEAT_TRACING_DATA] = "TRACING_DATA",
	[HD_FEAT_BUILD_ID] = "BUILD_ID",
	[HD_FEAT_HOSTNAME] = "HOSTNAME",
	[HD_FEAT_OSRELEASE] = "OSRELEASE",
	[HD_FEAT_VERSION] = "VERSION",
	[HD_FEAT_ARCH] = "ARCH",
	[HD_FEAT_NRCPUS] = "NRCPUS",
	[HD_FEAT_CPUDESC] = "CPUDESC",
	[HD_FEAT_CPUID] = "CPUID",
	[HD_FEAT_TOTAL_MEM] = "TOTAL_MEM",
	[HD_FEAT_CMDLINE] = "CMDLINE",
	[HD_FEAT_EVENT_DESC] = "EVENT_DESC",
	[13] = "CPU_TOPOLOGY",
	[14] = "NUMA_TOPOLOGY",
	[15] = "BRANCH_STACK",
	[HD_FEAT_PMU_MAPPINGS] = "PMU_MAPPINGS",
	[17] = "GROUP_DESC",
	[18] = "AUXTRACE",
	[19] = "STAT",
	[20] = "CACHE",
	[HD_FEAT_SAMPLE_TIME] = "SAMPLE_TIME",
	[22] = "MEM_TOPOLOGY",
	[23] = "CLOCKID",
	[24] = "DIR_FORMAT",
	[HD_FEAT_BPF_PROG_INFO] = "BPF_PROG_INFO",
	[HD_FEAT_BPF_BTF] = "BPF_BTF",
	[HD_FEAT_COMPRESSED] = "COMPRESSED",
	[28] = "CPU_PMU_CAPS",
	[HD_FEAT_CLOCK_DATA] = "CLOCK_DATA",
	[30] = "HYBRID_TOPOLOGY",
	[31] = "PMU_CAPS",
	[32] = "CPU_DOMAIN_INFO",
	[HD_FEAT_SP_FILE] = "FILE (simpleperf)",
	[129] = "META_INFO (simpleperf)",
	[130] = "DEBUG_UNWIND (simpleperf)",
	[131] = "DEBUG_UNWIND_FILE (simpleperf)",
	[HD_FEAT_SP_FILE2] = "FILE2 (simpleperf)",
	[HD_FEAT_HP_FILES_SYMBOL] = "FILES_SYMBOL (hiperf)",
	[HD_FEAT_HP_UNISTACK_TABLE] = "FILES_UNISTACK_TABLE (hiperf)",
};

const char *hd_feature_name(unsigned int bit)
{
	return bit < HD_COUNT(names) ? names[bit] : NULL;
}

enum { META_ROWS_BYTES = 64 << 10 };	/* limit for the bytes of simpleperf's list of event types that are read */
enum { ATTRS_NAMED = 1024 };	/* a row of event names is assigned to an attr by searching at most this many attrs */

/* Read a string of the section.  Returns NULL if it is cut off. */
static char *take_string(struct hd_bytes *b)
{
	uint32_t n = hd_bytes_u32(b);
	const char *p = hd_bytes_skip(b, n);

	return p && !b->bad ? hd_strndup(p, strnlen(p, n)) : NULL;
}

static int bad(struct hd_err *err, const char *what)
{
	return hd_fail(err, HD_EFORMAT, "%s", what);
}

static int put_string(char **to, struct hd_bytes *b, struct hd_err *err)
{
	char *s;

	if (!hd_bytes_left(b))
		return 0;	/* in old recordings, an empty section means "unknown" */
	s = take_string(b);
	if (!s)
		return bad(err, "its text is cut off");
	free(*to);
	*to = s;
	return 0;
}

static int put_cmdline(struct hd_perf_header *h, struct hd_bytes *b, struct hd_err *err)
{
	struct hd_bytes whole = *b;
	uint32_t n = hd_bytes_u32(b);

	/* hiperf writes the command line as one string, not as an array */
	if (!b->bad && n == hd_bytes_left(b)) {
		*b = whole;
		n = 1;
	}
	if (b->bad || n > hd_bytes_left(b) / 4)
		return hd_fail(err, HD_EFORMAT, "%u arguments do not fit in it", n);
	for (size_t i = 0; i < h->ncmdline; i++)
		free(h->cmdline[i]);
	free(h->cmdline);
	h->ncmdline = 0;
	h->cmdline = hd_new_array(char *, (size_t)n + 1);
	for (uint32_t i = 0; i < n; i++) {
		char *s = take_string(b);

		if (!s)
			return hd_fail(err, HD_EFORMAT, "argument %u of %u is cut off", i, n);
		h->cmdline[h->ncmdline++] = s;
	}
	return 0;
}

/*
 * Return the index of the attr that row i of the EVENT_DESC feature describes: i if attr i has the type and config of
 * the row; else the first attr that has them and has no recorded name yet; else i.
 */
static size_t described_attr(const struct hd_perf *pf, size_t i, uint32_t type, uint64_t config)
{
	if (i < pf->nattrs && pf->attrs[i].type == type && pf->attrs[i].config == config)
		return i;
	for (size_t k = 0; k < pf->nattrs && k < ATTRS_NAMED; k++)
		if (pf->attrs[k].name_made && pf->attrs[k].type == type && pf->attrs[k].config == config)
			return k;
	return i;
}

/*
 * Read EVENT_DESC: u32 number of rows, u32 size of an attr, then the rows.  A row has the attr, u32 number of ids, the
 * name of the event as a string, and the u64 ids.
 */
static int put_event_desc(struct hd_perf *pf, struct hd_bytes *b, struct hd_err *err)
{
	uint32_t n = hd_bytes_u32(b), attr_bytes = hd_bytes_u32(b);

	if (b->bad || attr_bytes < 16 || n > hd_bytes_left(b) / attr_bytes)
		return hd_fail(err, HD_EFORMAT, "%u events of %u bytes do not fit in it", n, attr_bytes);
	for (uint32_t i = 0; i < n; i++) {
		struct hd_bytes a;
		const uint8_t *attr = hd_bytes_skip(b, attr_bytes), *ids;
		uint32_t nids = hd_bytes_u32(b), type;
		char *name = take_string(b);
		uint64_t config;
		size_t at;

		ids = nids > hd_bytes_left(b) / 8 ? NULL : hd_bytes_skip(b, 8 * (size_t)nids);
		if (!attr || !name || !ids) {
			free(name);
			return hd_fail(err, HD_EFORMAT, "event %u of %u is cut off", i, n);
		}
		a = hd_bytes_over(attr, attr_bytes, b->swap);
		type = hd_bytes_u32(&a);
		hd_bytes_u32(&a);
		config = hd_bytes_u64(&a);
		at = described_attr(pf, i, type, config);
		if (at >= pf->nattrs) {
			free(name);
			continue;
		}
		if (!pf->attrs[at].nids && hd_perf_add_ids(pf, at, ids, nids, err) < 0) {
			free(name);
			return HD_EFORMAT;
		}
		if (*name)
			hd_perf_name_attr(pf, at, name);
		else
			free(name);
	}
	return 0;
}

/*
 * Read PMU_MAPPINGS: u32 number of rows, then the rows: u32 type and name of a PMU.  The names are used for events of
 * the PMU's type.
 */
static int put_pmus(struct hd_perf *pf, struct hd_bytes *b, struct hd_err *err)
{
	uint32_t n = hd_bytes_u32(b);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t type = hd_bytes_u32(b);
		char *name = take_string(b);

		if (!name)
			return hd_fail(err, HD_EFORMAT, "PMU %u of %u is cut off", i, n);
		for (size_t at = 0; at < pf->nattrs && at < ATTRS_NAMED; at++)
			if (pf->attrs[at].name_made)
				hd_perf_name_by_pmu(&pf->attrs[at], type, name);
		free(name);
	}
	return 0;
}

static int put_clock_data(struct hd_perf_header *h, struct hd_bytes *b, struct hd_err *err)
{
	uint32_t version = hd_bytes_u32(b), clock = hd_bytes_u32(b);
	uint64_t wall_ns = hd_bytes_u64(b), clock_ns = hd_bytes_u64(b);
	static const char *const clocks[] = { "realtime", "monotonic", "process_cputime", "thread_cputime",
					      "monotonic_raw", "realtime_coarse", "monotonic_coarse", "boottime" };
	struct hd_buf text = { 0 };

	if (b->bad)
		return bad(err, "it is cut off");
	if (version != 1)
		return 0;	/* unknown layout */
	hd_buf_addf(&text, "%s %llu.%09llu = realtime %llu.%09llu", clock < HD_COUNT(clocks) ? clocks[clock] : "clock",
		    (unsigned long long)(clock_ns / 1000000000), (unsigned long long)(clock_ns % 1000000000),
		    (unsigned long long)(wall_ns / 1000000000), (unsigned long long)(wall_ns % 1000000000));
	free(h->clock_data);
	h->clock_data = hd_buf_take(&text);
	h->wall_ns = wall_ns;
	h->clock_ns = clock_ns;
	return 0;
}

/*
 * Add the body of a build-id record:
 *
 * OFFSET SIZE
 *      0    4  pid
 *      4   20  build-id
 *     24    1  length of the build-id if misc has HD_MISC_BUILD_ID_SIZE; else trailing zeros of the 20 bytes are not
 *              part of it, in groups of four, but the first 8 bytes always are
 *     28       name
 */
int hd_perf_add_build_id(struct hd_perf *pf, uint16_t misc, const uint8_t *p, size_t n, struct hd_err *err)
{
	struct hd_perf_build_id row = { .misc = misc };
	size_t at = pf->nbuild_ids;

	if (n < 28)
		return hd_fail(err, HD_EFORMAT, "a build-id of %zu bytes is too short", n + 8);
	row.pid = (int32_t)hd_get32(p, pf->file.swap);
	memcpy(row.id.bytes, p + 4, HD_BUILD_ID_MAX);
	row.id.len = HD_BUILD_ID_MAX;
	if (misc & HD_MISC_BUILD_ID_SIZE && p[24] <= HD_BUILD_ID_MAX)
		row.id.len = p[24];
	else	/* Older recordings pad the id; ids have 8, 16 (md5, uuid) or 20 (sha1) bytes. */
		while (row.id.len > 8 && !row.id.bytes[row.id.len - 1] && !row.id.bytes[row.id.len - 2] &&
		       !row.id.bytes[row.id.len - 3] && !row.id.bytes[row.id.len - 4])
			row.id.len -= 4;
	row.name = hd_strndup((const char *)p + 28, strnlen((const char *)p + 28, n - 28));
	HD_GROW(pf->build_ids, at + 1, pf->cap_build_ids);
	pf->build_ids[pf->nbuild_ids++] = row;
	return 0;
}

static int put_build_ids(struct hd_perf *pf, const uint8_t *p, size_t n, struct hd_err *err)
{
	size_t at = 0;

	while (n - at >= 8) {
		uint16_t misc = hd_get16(p + at + 4, pf->file.swap), size = hd_get16(p + at + 6, pf->file.swap);

		if (size < 8 || size > n - at)
			return hd_fail(err, HD_EFORMAT, "row %zu: size %u is impossible", pf->nbuild_ids, size);
		if (hd_perf_add_build_id(pf, misc, p + at + 8, size - 8u, err) < 0)
			return HD_EFORMAT;
		at += size;
	}
	return n == at ? 0 : hd_fail(err, HD_EFORMAT, "%zu bytes are left over", n - at);
}

/*
 * Check the rows of BPF_PROG_INFO (u32 size of info, u32 size of data, u64, info, data) or BPF_BTF (u32 id, u32 size,
 * data). Nothing is stored, because names and addresses of BPF programs come as KSYMBOL records.
 */
static int check_bpf(struct hd_bytes *b, bool programs, struct hd_err *err)
{
	uint32_t n = hd_bytes_u32(b);

	for (uint32_t i = 0; i < n; i++) {
		uint64_t bytes = hd_bytes_u32(b);

		if (programs) {
			bytes += hd_bytes_u32(b);
			hd_bytes_u64(b);
		} else {
			bytes = hd_bytes_u32(b);
		}
		if (b->bad || bytes > hd_bytes_left(b))
			return hd_fail(err, HD_EFORMAT, "%s %u of %u is cut off",
				programs ? "program" : "type information", i, n);
		hd_bytes_skip(b, (size_t)bytes);
	}
	return b->bad ? bad(err, "it is cut off") : 0;
}

/*
 * Use a row `NAME,TYPE,CONFIG` of simpleperf's event types to name the attrs with this type and config.  Attrs that the
 * recording has named already, and the kernel's generic events, keep their names.
 */
static void put_event_type(struct hd_perf *pf, const char *row, size_t n)
{
	const char *name_end = memchr(row, ',', n);
	char *text, *end, *name;
	uint64_t type, config;

	if (!name_end || name_end == row)
		return;
	text = hd_strndup(name_end + 1, n - (size_t)(name_end + 1 - row));
	type = strtoull(text, &end, 10);
	config = *end == ',' ? strtoull(end + 1, &end, 10) : 0;
	for (size_t at = 0; end != text && !*end && at < pf->nattrs && at < ATTRS_NAMED; at++) {
		const struct hd_perf_attr *a = &pf->attrs[at];

		if (!a->name_made || a->type != type || a->config != config ||
			(type < PERF_TYPE_MAX && type != PERF_TYPE_TRACEPOINT))
			continue;
		name = hd_strndup(row, (size_t)(name_end - row));
		hd_perf_name_attr(pf, at, name);
	}
	free(text);
}

/* Read META_INFO of simpleperf: keys and values in turn, each NUL-terminated. */
static int put_meta_info(struct hd_perf *pf, struct hd_bytes *b, struct hd_err *err)
{
	static const char wanted_key[] = "event_type_info";

	while (hd_bytes_left(b)) {
		const char *key = (const char *)b->p;
		size_t nkey = strnlen(key, hd_bytes_left(b));
		const char *value = hd_bytes_skip(b, nkey + 1) ? (const char *)b->p : NULL;
		size_t n = value ? strnlen(value, hd_bytes_left(b)) : 0;

		if (!value || !hd_bytes_skip(b, n + 1))
			return bad(err, "its text is cut off");
		for (size_t at = 0, row; !strcmp(key, wanted_key) && at < n && at < META_ROWS_BYTES; at += row + 1) {
			row = strcspn(value + at, "\n");
			put_event_type(pf, value + at, row);
		}
	}
	return 0;
}

int hd_perf_read_feature(struct hd_perf *pf, unsigned int bit, const uint8_t *p, size_t n, struct hd_err *err)
{
	struct hd_perf_header *h = &pf->head;
	struct hd_bytes b = hd_bytes_over(p, n, pf->file.swap);

	switch (bit) {
	case HD_FEAT_BUILD_ID:
		return put_build_ids(pf, p, n, err);
	case HD_FEAT_HOSTNAME:
		return put_string(&h->hostname, &b, err);
	case HD_FEAT_OSRELEASE:
		return put_string(&h->os_release, &b, err);
	case HD_FEAT_VERSION:
		return put_string(&h->version, &b, err);
	case HD_FEAT_ARCH:
		return put_string(&h->arch, &b, err);
	case HD_FEAT_CPUDESC:
		return put_string(&h->cpudesc, &b, err);
	case HD_FEAT_CPUID:
		return put_string(&h->cpuid, &b, err);
	case HD_FEAT_NRCPUS:
		h->nrcpus_avail = hd_bytes_u32(&b);
		h->nrcpus_online = hd_bytes_u32(&b);
		break;
	case HD_FEAT_TOTAL_MEM:
		h->total_mem_kib = hd_bytes_u64(&b);
		break;
	case HD_FEAT_CMDLINE:
		return put_cmdline(h, &b, err);
	case HD_FEAT_EVENT_DESC:
		return put_event_desc(pf, &b, err);
	case HD_FEAT_SAMPLE_TIME:
		h->sample_time_first_ns = hd_bytes_u64(&b);
		h->sample_time_last_ns = hd_bytes_u64(&b);
		break;
	case HD_FEAT_CLOCK_DATA:
		return put_clock_data(h, &b, err);
	case HD_FEAT_PMU_MAPPINGS:
		return put_pmus(pf, &b, err);
	case HD_FEAT_BPF_PROG_INFO:
	case HD_FEAT_BPF_BTF:
		return check_bpf(&b, bit == HD_FEAT_BPF_PROG_INFO, err);
	case HD_FEAT_COMPRESSED:
		pf->file.compressed = true;
		break;
	case HD_FEAT_SP_META_INFO:
		return put_meta_info(pf, &b, err);
	case HD_FEAT_SP_FILE:
	case HD_FEAT_SP_FILE2:
		return hd_simpleperf_read_files(pf, &b, bit == HD_FEAT_SP_FILE2, err);
	case HD_FEAT_HP_FILES_SYMBOL:
		return hd_hiperf_read_files(pf, &b, err);
	case HD_FEAT_HP_UNISTACK_TABLE:
		return hd_hiperf_read_stacks(pf, &b, err);
	}
	return b.bad ? bad(err, "it is cut off") : 0;
}

/* Return true if this section is needed. */
static bool wanted(unsigned int bit)
{
	return (bit >= HD_FEAT_BUILD_ID && bit <= HD_FEAT_EVENT_DESC) || bit == HD_FEAT_PMU_MAPPINGS ||
		bit == HD_FEAT_SAMPLE_TIME || bit == HD_FEAT_BPF_PROG_INFO || bit == HD_FEAT_BPF_BTF ||
		bit == HD_FEAT_COMPRESSED || bit == HD_FEAT_CLOCK_DATA || bit == HD_FEAT_SP_FILE ||
		bit == HD_FEAT_SP_META_INFO || bit == HD_FEAT_SP_FILE2 || bit == HD_FEAT_HP_FILES_SYMBOL ||
		bit == HD_FEAT_HP_UNISTACK_TABLE;
}

static void warn_feature(struct hd_perf *pf, unsigned int bit, uint64_t off, uint64_t n, const char *why)
{
	char number[16];
	const char *name = hd_feature_name(bit);

	snprintf(number, sizeof(number), "%u", bit);
	hd_warn(pf->log, "lost.feature", "", "%s: header feature %s at 0x%llx (%llu bytes): %s", pf->file.path,
		name ? name : number, (unsigned long long)off, (unsigned long long)n, why);
}

static int read_section(struct hd_perf *pf, unsigned int bit, uint64_t off, uint64_t n, struct hd_err *err)
{
	const struct hd_record_source *src = &pf->sources[0];
	struct hd_err why;
	uint8_t *p;
	int rc;

	if (off > src->bytes || n > src->bytes - off) {
		pf->file.truncated = true;
		warn_feature(pf, bit, off, n, "it lies outside the file");
		return 0;
	}
	if (bit == HD_FEAT_TRACING_DATA) {
		pf->tracing_off = off;
		pf->tracing_bytes = n;
		return 0;
	}
	if (!wanted(bit))
		return 0;
	rc = hd_perf_read(src, off, n, &p, err);
	if (rc < 0)
		return rc;
	if (hd_perf_read_feature(pf, bit, p, n, &why) < 0)
		warn_feature(pf, bit, off, n, why.msg);
	free(p);
	return 0;
}

int hd_perf_read_features(struct hd_perf *pf, uint64_t off, const uint64_t bits[4], struct hd_err *err)
{
	const struct hd_record_source *src = &pf->sources[0];
	unsigned int n = 0, whole, row = 0;
	uint8_t *table;
	int rc;

	for (int i = 0; i < 4; i++)
		n += (unsigned int)__builtin_popcountll(bits[i]);
	whole = off > src->bytes ? 0 : (unsigned int)((src->bytes - off) / 16 < n ? (src->bytes - off) / 16 : n);
	if (whole < n) {
		pf->file.truncated = true;
		hd_warn_n(pf->log, "lost.feature", n - whole, "",
			  "%s: the table of header features at 0x%llx has %u of %u rows", pf->file.path,
			  (unsigned long long)off, whole, n);
	}
	if (!whole)
		return 0;
	rc = hd_perf_read(src, off, 16 * (size_t)whole, &table, err);
	for (unsigned int bit = 0; rc >= 0 && bit < HD_FEAT_BITS && row < whole; bit++) {
		if (!(bits[bit / 64] >> bit % 64 & 1))
			continue;
		rc = read_section(pf, bit, hd_get64(table + 16 * row, pf->file.swap),
				  hd_get64(table + 16 * row + 8, pf->file.swap), err);
		row++;
	}
	free(table);
	return rc < 0 ? rc : 0;
}
