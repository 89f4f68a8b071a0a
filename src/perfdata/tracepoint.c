/*
 * tracepoint.c - see tracepoint.h
 *
 * The tracing data of a recording (TRACING_DATA):
 *
 *     "\x17\x08\x44tracing"  version\0  u8 big endian?  u8 size of long  u32 page size
 *     "header_page\0"   u64 size, text
 *     "header_event\0"  u64 size, text
 *     u32 n             n times: u64 size, text          formats of ftrace itself
 *     u32 systems       each: name\0, u32 n, n times: u64 size, text
 *     ...               kallsyms, printk formats, comms: not used
 *
 * A text starts "name: sched_switch\nID: 316\nformat:\n" and is the file "format" of the event in tracefs.
 */
#include "perfdata/tracepoint.h"

#include "perfdata/tracepoint_format.h"
#include "perfdata/perf_state.h"

#include "base/mem.h"

#include <stdlib.h>
#include <traceevent/event-parse.h>

/* Limits in bytes.  Real tracing data has some hundred KiB for all events of a kernel. */
enum { TRACING_DATA_MAX = 64 << 20, FORMAT_MAX = 1 << 20 };

struct tracepoint {
	char *name;		/* system:event */
	char *format;		/* without its print format */
	struct hd_tracefield *fields;
	size_t nfields;
	bool tried;		/* the fields were looked up */
};

struct hd_tracepoints {
	struct tracepoint *items;
	size_t n, cap;
	struct hd_map by_id;
	bool big;
	uint8_t long_bytes;
	struct tep_handle *tep;		/* created when the first field is looked up */
};

void hd_tracepoints_free(struct hd_tracepoints *tp)
{
	if (!tp)
		return;
	for (size_t i = 0; i < tp->n; i++) {
		free(tp->items[i].name);
		free(tp->items[i].format);
		for (size_t k = 0; k < tp->items[i].nfields; k++)
			free(tp->items[i].fields[k].name);
		free(tp->items[i].fields);
	}
	free(tp->items);
	hd_map_release(&tp->by_id);
	if (tp->tep)
		tep_free(tp->tep);
	free(tp);
}

/* Take a NUL-terminated string.  If no NUL is left, set b->bad and return NULL. */
static const char *take_cstr(struct hd_bytes *b)
{
	const uint8_t *nul = memchr(b->p, 0, hd_bytes_left(b));
	const char *s = (const char *)b->p;

	if (!nul) {
		b->bad = true;
		return NULL;
	}
	b->p = nul + 1;
	return s;
}

static const char *take_text(struct hd_bytes *b, size_t *n)
{
	uint64_t size = hd_bytes_u64(b);

	*n = 0;
	if (size > hd_bytes_left(b)) {
		b->bad = true;
		return NULL;
	}
	*n = size;
	return hd_bytes_skip(b, size);
}

/* Return the text after `key` in the first line that begins with it, or NULL.  Stop at the line `format:`. */
static const char *line_value(const char *text, size_t n, const char *key, size_t *len)
{
	size_t klen = strlen(key);
	const char *end = text + n;

	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		const char *stop = eol ? eol : end;

		if ((size_t)(stop - text) >= klen && !memcmp(text, key, klen)) {
			*len = (size_t)(stop - text) - klen;
			return text + klen;
		}
		if (!eol || !strncmp(text, "format:", 7 < stop - text ? 7 : (size_t)(stop - text)))
			return NULL;
		text = eol + 1;
	}
	return NULL;
}

static void add_event(struct hd_tracepoints *tp, const char *system, const char *text, size_t n)
{
	size_t name_len, id_len, format_len = n;
	const char *name = line_value(text, n, "name: ", &name_len);
	const char *id = line_value(text, n, "ID: ", &id_len);
	const char *print;
	struct tracepoint *t;
	char number[24];
	char *end;
	uint64_t value;
	struct hd_buf full = { 0 };

	if (!name || !id || !id_len || id_len >= sizeof(number))
		return;
	memcpy(number, id, id_len);
	number[id_len] = 0;
	value = strtoull(number, &end, 10);
	if (end == number || hd_map_has(&tp->by_id, value))
		return;
	hd_buf_adds(&full, system);
	hd_buf_addc(&full, ':');
	hd_buf_add(&full, name, name_len);
	print = memmem(text, n, "\nprint fmt:", 11);
	if (print)
		format_len = (size_t)(print - text) + 1;
	if (format_len > FORMAT_MAX)
		format_len = 0;
	HD_GROW(tp->items, tp->n + 1, tp->cap);
	t = &tp->items[tp->n];
	*t = (struct tracepoint){ .name = hd_buf_take(&full), .format = hd_strndup(text, format_len) };
	hd_map_put(&tp->by_id, value, (uint32_t)tp->n++);
}

static void parse_systems(struct hd_tracepoints *tp, struct hd_bytes *b)
{
	uint32_t systems = hd_bytes_u32(b);

	/* A system takes at least 5 bytes: its NUL and a count. */
	if (systems > hd_bytes_left(b) / 5)
		b->bad = true;
	for (uint32_t i = 0; i < systems && !b->bad; i++) {
		const char *system = take_cstr(b);
		uint32_t n = hd_bytes_u32(b);

		if (n > hd_bytes_left(b) / 8)
			b->bad = true;
		for (uint32_t k = 0; k < n && !b->bad; k++) {
			size_t len;
			const char *text = take_text(b, &len);

			if (text)
				add_event(tp, system, text, len);
		}
	}
}

int hd_tracepoints_parse(struct hd_tracepoints **out, const uint8_t *p, size_t n, struct hd_err *err)
{
	static const char magic[10] = "\x17\x08\x44tracing";
	struct hd_tracepoints *tp = hd_new(struct hd_tracepoints);
	struct hd_bytes b = hd_bytes_over(p, n, false);
	const char *got = hd_bytes_skip(&b, sizeof(magic)), *part;
	uint32_t count;
	size_t len;

	*out = tp;
	if (!got || memcmp(got, magic, sizeof(magic)))
		return hd_fail(err, HD_EFORMAT, "it has no magic of tracing data");
	take_cstr(&b);
	tp->big = hd_bytes_u8(&b) == 1;
	b.swap = tp->big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	tp->long_bytes = hd_bytes_u8(&b);
	hd_bytes_u32(&b);
	for (int i = 0; i < 2; i++) {
		part = take_cstr(&b);
		take_text(&b, &len);
		if (!part || strcmp(part, i ? "header_event" : "header_page"))
			return hd_fail(err, HD_EFORMAT, "it has no %s", i ? "header_event" : "header_page");
	}
	count = hd_bytes_u32(&b);
	if (count > hd_bytes_left(&b) / 8)
		b.bad = true;
	for (uint32_t i = 0; i < count && !b.bad; i++) {
		const char *text = take_text(&b, &len);

		if (text)
			add_event(tp, "ftrace", text, len);
	}
	parse_systems(tp, &b);
	if (b.bad)
		return hd_fail(err, HD_EFORMAT, "it is cut off after %zu events", tp->n);
	return 0;
}

void hd_perf_keep_tracing(struct hd_perf *pf, const void *p, size_t n)
{
	if (!pf->tracing.len && n <= TRACING_DATA_MAX)
		hd_buf_add(&pf->tracing, p, n);
}

/* Parse the tracing data in pf->tracing, which was copied from a TRACING_DATA record. */
static void parse_kept(struct hd_tracepoints **out, struct hd_perf *pf)
{
	struct hd_err why;

	if (hd_tracepoints_parse(out, (const uint8_t *)pf->tracing.data, pf->tracing.len, &why) < 0)
		hd_warn(pf->log, "lost.feature", "", "%s: the TRACING_DATA record (%zu bytes of data): %s",
			pf->file.path, pf->tracing.len, why.msg);
}

int hd_tracepoints_open(struct hd_tracepoints **out, struct hd_perf *pf, struct hd_err *err)
{
	struct hd_err why;
	uint8_t *p;
	int rc;

	*out = NULL;
	if (!pf->tracing_bytes) {
		if (pf->tracing.len)
			parse_kept(out, pf);
		return 0;
	}
	if (pf->tracing_bytes > TRACING_DATA_MAX) {
		hd_warn(pf->log, "lost.feature", "",
			"%s: TRACING_DATA at 0x%llx: %llu bytes are too many, tracepoints keep their numbers",
			pf->file.path, (unsigned long long)pf->tracing_off, (unsigned long long)pf->tracing_bytes);
		return 0;
	}
	rc = hd_perf_read(&pf->sources[0], pf->tracing_off, pf->tracing_bytes, &p, err);
	if (rc < 0)
		return rc;
	if (hd_tracepoints_parse(out, p, pf->tracing_bytes, &why) < 0)
		hd_warn(pf->log, "lost.feature", "", "%s: TRACING_DATA at 0x%llx (%llu bytes): %s", pf->file.path,
			(unsigned long long)pf->tracing_off, (unsigned long long)pf->tracing_bytes, why.msg);
	free(p);
	return 0;
}

const char *hd_tracepoints_name(const struct hd_tracepoints *tp, uint64_t id)
{
	uint32_t at = tp ? hd_map_get(&tp->by_id, id) : HD_MAP_NONE;

	return at == HD_MAP_NONE ? NULL : tp->items[at].name;
}

int hd_perf_name_tracepoints(struct hd_perf *pf, struct hd_err *err)
{
	struct hd_tracepoints *tp = NULL;
	bool nameless = false;
	int rc;

	for (size_t i = 0; i < pf->nattrs; i++)
		nameless |= pf->attrs[i].name_made && pf->attrs[i].type == PERF_TYPE_TRACEPOINT;
	if (!nameless || (!pf->tracing_bytes && !pf->tracing.len))
		return 0;
	rc = hd_tracepoints_open(&tp, pf, err);
	for (size_t i = 0; rc >= 0 && i < pf->nattrs; i++) {
		const struct hd_perf_attr *a = &pf->attrs[i];
		const char *name = a->name_made && a->type == PERF_TYPE_TRACEPOINT ?
				   hd_tracepoints_name(tp, a->config) : NULL;

		if (name)
			hd_perf_name_attr(pf, i, hd_strdup(name));
	}
	hd_tracepoints_free(tp);
	return rc;
}

/* ---- fields ---- */

static struct tep_event *event_of(struct hd_tracepoints *tp, struct tracepoint *t)
{
	struct hd_buf fields = { 0 }, text = { 0 };
	struct tep_event *event = NULL;

	if (!*t->format)
		return NULL;
	if (!tp->tep) {
		tp->tep = tep_alloc();
		if (!tp->tep)
			return NULL;
		tep_set_loglevel(TEP_LOG_NONE);
		tep_set_file_bigendian(tp->tep, tp->big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
		tep_set_long_size(tp->tep, tp->long_bytes == 4 ? 4 : 8);
	}
	hd_tracepoint_format_clean(t->format, &fields);
	if (!fields.len)
		return NULL;
	/*
	 * In a tracepoint's format, a blank line separates the common fields from those of the event.  libtraceevent
	 * puts the two groups into two lists.  The text that libtraceevent gets here has the blank line before the
	 * first field, so that all fields are in the list event->format.fields.
	 */
	hd_buf_addf(&text, "name: event\nID: %u\nformat:\n\n%s\nprint fmt: \"\"\n", (unsigned int)(t - tp->items) + 1,
		fields.data);
	hd_buf_release(&fields);
	if (tep_parse_format(tp->tep, &event, text.data, text.len, "hotdrift") != 0)
		event = NULL;
	hd_buf_release(&text);
	return event;
}

/* Copy the needed properties of the fields from the structs of libtraceevent. */
static void take_fields(struct hd_tracepoints *tp, struct tracepoint *t)
{
	struct tep_event *event = event_of(tp, t);
	size_t cap = 0;

	t->tried = true;
	for (const struct tep_format_field *f = event ? event->format.fields : NULL; f; f = f->next) {
		struct hd_tracefield *field;

		if (f->offset < 0 || f->size < 0)
			continue;
		HD_GROW(t->fields, t->nfields + 1, cap);
		field = &t->fields[t->nfields++];
		*field = (struct hd_tracefield){
			.name = hd_strdup(f->name), .off = (uint32_t)f->offset, .bytes = (uint32_t)f->size,
			.place = !(f->flags & TEP_FIELD_IS_DYNAMIC) ? HD_PLACE_FIXED :
				 f->flags & TEP_FIELD_IS_RELATIVE ? HD_PLACE_REL_LOC : HD_PLACE_DATA_LOC,
			.is_signed = f->flags & TEP_FIELD_IS_SIGNED,
			.swap = tp->big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
		};
		hd_tracefield_type(field, f->type, f->flags & TEP_FIELD_IS_ARRAY, tp->long_bytes == 4 ? 4 : 8);
	}
}

const struct hd_tracefield *hd_tracepoints_fields(struct hd_tracepoints *tp, uint64_t id, size_t *n)
{
	uint32_t at = tp ? hd_map_get(&tp->by_id, id) : HD_MAP_NONE;
	struct tracepoint *t;

	*n = 0;
	if (at == HD_MAP_NONE)
		return NULL;
	t = &tp->items[at];
	if (!t->tried)
		take_fields(tp, t);
	*n = t->nfields;
	return t->fields;
}

const struct hd_tracefield *hd_tracepoints_find(struct hd_tracepoints *tp, uint64_t id, const char *field)
{
	size_t n;
	const struct hd_tracefield *fields = hd_tracepoints_fields(tp, id, &n);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(fields[i].name, field))
			return &fields[i];
	return NULL;
}
