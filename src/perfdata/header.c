/*
 * header.c - read the header of a recording: magic, byte order, places of the sections
 *
 *     OFFSET SIZE
 *          0    8  magic: PERFILE2; the first format: PERFFILE
 *          8    8  size of this header: 104; before features existed 72; in pipe mode 16, and records follow
 *         16    8  size of an attr entry (the attr, then offset and size of its ids)
 *         24   16  attr entries       offset and size
 *         40   16  data               offset and size; the feature table follows it
 *         56   16  event types        offset and size (older perf)
 *         72   32  bitmap of 256 features: an array of longs, of 8 or of 4 bytes each
 */
#include "perfdata/perf_state.h"

#include "base/file.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

enum { PIPE_HEADER = 16, OLD_HEADER = 72, FILE_HEADER = 104, ENTRY_MIN = 64 + 16, EVENT_TYPE_BYTES = 72 };

struct header {
	uint64_t entry_bytes;
	uint64_t attrs_off, attrs_bytes;
	uint64_t data_off, data_bytes;
	uint64_t types_off, types_bytes;
	uint64_t features[4];
};

int hd_perf_read(const struct hd_record_source *src, uint64_t off, size_t n, uint8_t **out, struct hd_err *err)
{
	uint8_t *p = hd_alloc(n ? n : 1);
	ssize_t got = hd_file_pread(src->fd, p, n, off, src->path, err);

	*out = NULL;
	if (got < 0 || (size_t)got < n) {
		free(p);
		if (got < 0)
			return (int)got;
		return hd_fail(err, HD_EFORMAT, "%s: it got shorter while it was read", src->path);
	}
	*out = p;
	return 0;
}

static int not_ours(const char *path, const uint8_t *p, size_t n, struct hd_err *err)
{
	char text[40];
	size_t len = 0;
	bool printable = true;

	if (!n)
		return hd_fail(err, HD_EFORMAT, "%s: not a perf.data file (it is empty)", path);
	n = n < 8 ? n : 8;
	for (size_t i = 0; i < n; i++)
		printable &= p[i] >= 0x20 && p[i] < 0x7f;
	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, printable ? "%c" : i ? " %02x" : "%02x", p[i]);
	return hd_fail(err, HD_EFORMAT, printable ? "%s: not a perf.data file (starts with \"%s\")" :
		       "%s: not a perf.data file (starts with the bytes %s)", path, text);
}

static const char file2[8] = "PERFILE2", file2_swapped[8] = "2ELIFREP";
static const char file1[8] = "PERFFILE", file1_swapped[8] = "ELIFFREP";

int hd_perf_accept(const char *head, size_t n, const char *path, struct hd_err *err)
{
	static const char *const magic[] = { file2, file2_swapped, file1, file1_swapped };
	size_t known = n < 8 ? n : 8;

	for (size_t i = 0; n && i < HD_COUNT(magic); i++)
		if (!memcmp(head, magic[i], known))
			return 0;
	return not_ours(path, (const uint8_t *)head, n, err);
}

/* Read the magic, the byte order and the header's own size. */
static int identify(struct hd_perf *pf, const uint8_t *p, size_t n, uint64_t *size, struct hd_err *err)
{
	const bool big_host = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	bool first_format = false;
	size_t known = n < 8 ? n : 8;

	if (!n)
		return not_ours(pf->file.path, p, n, err);
	if (!memcmp(p, file2, known))
		pf->file.swap = big_host;
	else if (!memcmp(p, file2_swapped, known))
		pf->file.swap = !big_host;
	else if (!memcmp(p, file1, known) || !memcmp(p, file1_swapped, known))
		first_format = true;
	else
		return not_ours(pf->file.path, p, n, err);
	if (n < PIPE_HEADER)
		return hd_fail(err, HD_EFORMAT, "%s: cut off inside its header, after %zu bytes", pf->file.path, n);
	*size = hd_get64(p + 8, pf->file.swap);
	/*
	 * The magic of the first format is the same in both byte orders.  The header's size is a small number, so a
	 * huge value means the other byte order.
	 */
	if (first_format && *size > UINT32_MAX) {
		pf->file.swap = true;
		*size = hd_get64(p + 8, true);
	}
	pf->file.big = pf->file.swap != big_host;
	return 0;
}

/*
 * The bitmap of header features is an array of longs, which a 32-bit big-endian machine stores in another order than a
 * 64-bit one.  perf always writes HOSTNAME, so the position of its bit shows the order.
 */
static void read_bitmap(const uint8_t *p, bool swap, uint64_t bits[4])
{
	for (int i = 0; i < 4; i++)
		bits[i] = hd_get64(p + 8 * i, swap);
	if (!swap || bits[0] >> HD_FEAT_HOSTNAME & 1 || !(bits[0] >> (32 + HD_FEAT_HOSTNAME) & 1))
		return;
	for (int i = 0; i < 4; i++)
		bits[i] = bits[i] >> 32 | bits[i] << 32;
}

static int read_ids(struct hd_perf *pf, size_t at, const uint8_t *section, struct hd_err *err)
{
	const struct hd_record_source *src = &pf->sources[0];
	uint64_t off = hd_get64(section, pf->file.swap), n = hd_get64(section + 8, pf->file.swap);
	struct hd_err why;
	uint8_t *p;
	int rc;

	if (!n)
		return 0;
	if (off > src->bytes || n > src->bytes - off) {
		hd_warn(pf->log, "lost.attr-ids", "",
			"%s: ids of event %zu at 0x%llx (%llu bytes): they are outside the file", pf->file.path, at,
			(unsigned long long)off, (unsigned long long)n);
		return 0;
	}
	rc = hd_perf_read(src, off, n, &p, err);
	if (rc < 0)
		return rc;
	if (hd_perf_add_ids(pf, at, p, n / 8, &why) < 0)
		hd_warn(pf->log, "lost.attr-ids", "", "%s: ids of event %zu at 0x%llx: %s", pf->file.path, at,
			(unsigned long long)off, why.msg);
	free(p);
	return 0;
}

static int read_attrs(struct hd_perf *pf, const struct header *h, struct hd_err *err)
{
	const struct hd_record_source *src = &pf->sources[0];
	uint64_t n, whole;
	uint8_t *p;
	int rc;

	if (h->entry_bytes < ENTRY_MIN || h->entry_bytes > UINT16_MAX)
		return hd_fail(err, HD_EFORMAT, "%s: header: invalid attr entry of %llu bytes", pf->file.path,
			       (unsigned long long)h->entry_bytes);
	n = h->attrs_bytes / h->entry_bytes;
	whole = h->attrs_off > src->bytes ? 0 : (src->bytes - h->attrs_off) / h->entry_bytes;
	whole = whole < n ? whole : n;
	if (!whole)
		return hd_fail(err, HD_EFORMAT, "%s: header: the attr section at 0x%llx (%llu bytes) holds no event",
			       pf->file.path, (unsigned long long)h->attrs_off, (unsigned long long)h->attrs_bytes);
	if (whole < n || h->attrs_bytes % h->entry_bytes)
		hd_warn(pf->log, "lost.attr", "",
			"%s: header: the attr section at 0x%llx has %llu whole events of %llu in %llu bytes",
			pf->file.path, (unsigned long long)h->attrs_off, (unsigned long long)whole,
			(unsigned long long)n, (unsigned long long)h->attrs_bytes);
	rc = hd_perf_read(src, h->attrs_off, whole * h->entry_bytes, &p, err);
	for (uint64_t i = 0; rc >= 0 && i < whole; i++) {
		const uint8_t *entry = p + i * h->entry_bytes;
		size_t attr_bytes = h->entry_bytes - 16;

		rc = hd_perf_add_attr(pf, entry, attr_bytes, err);
		if (rc >= 0)
			rc = read_ids(pf, (size_t)rc, entry + attr_bytes, err);
	}
	free(p);
	return rc < 0 ? rc : 0;
}

/* Read the event types of older recordings: each row has a u64 config and a name of 64 bytes. */
static int read_event_types(struct hd_perf *pf, const struct header *h, struct hd_err *err)
{
	const struct hd_record_source *src = &pf->sources[0];
	uint64_t n = h->types_bytes;
	uint8_t *p;
	int rc;

	if (!n)
		return 0;
	if (h->types_off > src->bytes || n > src->bytes - h->types_off) {
		hd_warn(pf->log, "lost.feature", "",
			"%s: event types at 0x%llx (%llu bytes): they are outside the file", pf->file.path,
			(unsigned long long)h->types_off, (unsigned long long)n);
		return 0;
	}
	if (n > EVENT_TYPE_BYTES * (uint64_t)HD_EVENT_TYPES_MAX) {
		hd_warn(pf->log, "lost.feature", "", "%s: event types at 0x%llx: only the first %d are read",
			pf->file.path, (unsigned long long)h->types_off, HD_EVENT_TYPES_MAX);
		n = EVENT_TYPE_BYTES * (uint64_t)HD_EVENT_TYPES_MAX;
	}
	rc = hd_perf_read(src, h->types_off, n, &p, err);
	if (rc < 0)
		return rc;
	for (uint64_t at = 0; n - at >= EVENT_TYPE_BYTES; at += EVENT_TYPE_BYTES)
		hd_perf_add_event_type(pf, p + at, EVENT_TYPE_BYTES);
	free(p);
	hd_perf_name_attrs_by_event_types(pf);
	return 0;
}

static int read_data_place(struct hd_perf *pf, const struct header *h, struct hd_err *err)
{
	struct hd_record_source *src = &pf->sources[0];

	if (h->data_off > src->bytes)
		return hd_fail(err, HD_EFORMAT, "%s: header: the data starts at 0x%llx, the file ends at 0x%llx",
			       pf->file.path, (unsigned long long)h->data_off, (unsigned long long)src->bytes);
	src->start = h->data_off;
	if (!h->data_bytes) {
		src->end = src->bytes;
		pf->file.truncated = true;
		hd_warn(pf->log, "lost.unfinished", "let perf record end by itself (or by Ctrl-C)",
			"%s: the recording was not finished: its header lacks the size of the data; read to the end of "
			"the file, header features are lost",
			pf->file.path);
		return 0;
	}
	if (h->data_bytes > src->bytes - h->data_off) {
		src->end = src->bytes;
		pf->file.truncated = true;
		pf->stats.lost_bytes += h->data_bytes - (src->bytes - h->data_off);
		hd_warn(pf->log, "lost.data-cut", "",
			"%s: cut off at 0x%llx: of %llu bytes of data and the header features after them, %llu bytes "
			"are lost",
			pf->file.path, (unsigned long long)src->bytes, (unsigned long long)h->data_bytes,
			(unsigned long long)(h->data_bytes - (src->bytes - h->data_off)));
		return 0;
	}
	src->end = h->data_off + h->data_bytes;
	return hd_perf_read_features(pf, src->end, h->features, err);
}

int hd_perf_read_header(struct hd_perf *pf, struct hd_err *err)
{
	struct hd_record_source *src = &pf->sources[0];
	uint8_t p[FILE_HEADER] = { 0 };
	struct header h = { 0 };
	uint64_t size = 0;
	struct hd_bytes b;
	ssize_t n;
	int rc;

	n = hd_file_pread(src->fd, p, sizeof(p), 0, src->path, err);
	if (n < 0)
		return (int)n;
	rc = identify(pf, p, (size_t)n, &size, err);
	if (rc < 0)
		return rc;
	if (size == PIPE_HEADER) {
		pf->file.pipe = true;
		src->start = PIPE_HEADER;
		src->end = src->bytes;
		return 0;
	}
	if (size < OLD_HEADER || (size > OLD_HEADER && size < FILE_HEADER) || size > UINT16_MAX)
		return hd_fail(err, HD_EFORMAT, "%s: header: a size of %llu bytes is impossible", src->path,
			       (unsigned long long)size);
	if ((uint64_t)n < size && n < FILE_HEADER)
		return hd_fail(err, HD_EFORMAT, "%s: cut off inside its header, after %zd bytes", src->path, n);
	b = hd_bytes_over(p + 16, OLD_HEADER - 16, pf->file.swap);
	h.entry_bytes = hd_bytes_u64(&b);
	h.attrs_off = hd_bytes_u64(&b);
	h.attrs_bytes = hd_bytes_u64(&b);
	h.data_off = hd_bytes_u64(&b);
	h.data_bytes = hd_bytes_u64(&b);
	h.types_off = hd_bytes_u64(&b);
	h.types_bytes = hd_bytes_u64(&b);
	if (size >= FILE_HEADER)
		read_bitmap(p + OLD_HEADER, pf->file.swap, h.features);
	rc = read_attrs(pf, &h, err);
	if (rc < 0)
		return rc;
	rc = read_event_types(pf, &h, err);
	if (rc < 0)
		return rc;
	rc = read_data_place(pf, &h, err);
	if (rc < 0)
		return rc;
	return hd_perf_name_tracepoints(pf, err);
}
