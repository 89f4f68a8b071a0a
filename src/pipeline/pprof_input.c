/*
 * pprof_input.c - see pprof_input.h
 *
 * Messages can be in any order: samples usually come first and the strings last.  So the file is walked twice: tables
 * first, then samples.
 */
#include "pipeline/pprof_input.h"

#include "base/encode.h"
#include "base/gunzip.h"
#include "base/hex.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/protobuf_reader.h"
#include "elf/demangle.h"
#include "pipeline/named_samples.h"
#include "profile/tidy_name.h"

#include <stdlib.h>
#include <string.h>

/* Field numbers of profile.proto. */
enum {
	TYPE = 1, SAMPLE = 2, MAPPING = 3, LOCATION = 4, FUNCTION = 5, STRING = 6, PERIOD_TYPE = 11, PERIOD = 12,
	DEFAULT_TYPE = 14, LAST_FIELD = 15,
};
/*
 * Limit for the size after decompression: UNPACKED_LEAST plus UNPACKED_PER_BYTE for each byte of the file.  Real
 * profiles are compressed by a factor of up to 30.
 */
#define UNPACKED_LEAST		(UINT64_C(64) << 20)
#define UNPACKED_PER_BYTE	32u

struct pprof_string { uint32_t off, n; };
struct pprof_type {
	uint64_t type, unit;
	uint32_t event;
	/* index + 1 of the value type that counts the samples of this value type; 0: there is none */
	size_t counter;
};
struct pprof_mapping { uint64_t start, limit, offset, file, build_id; uint32_t object; };
struct pprof_function {
	uint64_t name, system_name, file;
	uint32_t shown;			/* displayed name; 0: not known yet */
};
struct pprof_line { uint64_t function; uint32_t line; };
struct pprof_location {
	uint64_t mapping, address;
	uint32_t first, n;		/* lines, innermost first */
	/* index + 1 of the location's outermost frame in pprof.frames; 0: no frames yet */
	uint32_t frames;
};

struct pprof {
	struct hd_named_samples ns;
	const char *bytes;
	struct pprof_string *strings;
	size_t nstrings, strings_cap;
	struct pprof_type *types;
	size_t ntypes, types_cap;
	struct pprof_mapping *mappings;
	size_t nmappings, mappings_cap;
	struct pprof_function *functions;
	size_t nfunctions, functions_cap;
	struct pprof_location *locations;
	size_t nlocations, locations_cap;
	struct pprof_line *lines;
	size_t nlines, lines_cap;
	hd_frame_id *frames;
	size_t nframes, frames_cap;
	struct hd_map mapping_ix, function_ix, location_ix;	/* ids of the file -> index */
	uint64_t default_type, period_type, period;
	uint32_t comm;			/* thread name of samples that have no label for it */
	uint64_t *values, *ids;		/* values and location ids of the current sample */
	size_t nvalues, values_cap, nids, ids_cap;
};

struct pprof_text { const char *s; size_t n; };

static struct pprof_text string_of(const struct pprof *pp, uint64_t i)
{
	if (i >= pp->nstrings)
		return (struct pprof_text){ "", 0 };
	return (struct pprof_text){ pp->bytes + pp->strings[i].off, pp->strings[i].n };
}

static bool string_is(const struct pprof *pp, uint64_t i, const char *s)
{
	return string_of(pp, i).n == strlen(s) && !memcmp(string_of(pp, i).s, s, strlen(s));
}

/* Intern a string of the file. */
static uint32_t name_of(struct pprof *pp, uint64_t i)
{
	return hd_strtab_addn(pp->ns.p->names, string_of(pp, i).s, string_of(pp, i).n);
}

/* ---- tables ---- */

/*
 * Read numbers of a message by their field numbers: to[i] receives field i.  Other fields are ignored.  Returns false
 * if the message is invalid.
 */
static bool read_numbers(const struct hd_protobuf_field *message, uint64_t *to, size_t n)
{
	struct hd_protobuf_reader r = hd_protobuf_over(message->bytes, message->v);
	struct hd_protobuf_field f;

	memset(to, 0, n * sizeof(*to));
	while (hd_protobuf_next(&r, &f))
		if (f.number < n && f.wire == HD_PROTOBUF_VARINT)
			to[f.number] = f.v;
	return !r.bad;
}

static bool add_type(struct pprof *pp, const struct hd_protobuf_field *f)
{
	uint64_t v[3];
	bool good = read_numbers(f, v, HD_COUNT(v));

	HD_GROW(pp->types, pp->ntypes + 1, pp->types_cap);
	pp->types[pp->ntypes++] = (struct pprof_type){ .type = v[1], .unit = v[2] };
	return good;
}

static bool add_mapping(struct pprof *pp, const struct hd_protobuf_field *f)
{
	uint64_t v[7];
	bool good = read_numbers(f, v, HD_COUNT(v));

	HD_GROW(pp->mappings, pp->nmappings + 1, pp->mappings_cap);
	pp->mappings[pp->nmappings] = (struct pprof_mapping){ .start = v[2], .limit = v[3], .offset = v[4],
		.file = v[5],
		.build_id = v[6] };
	hd_map_put(&pp->mapping_ix, v[1], (uint32_t)pp->nmappings++);
	return good;
}

static bool add_function(struct pprof *pp, const struct hd_protobuf_field *f)
{
	uint64_t v[5];
	bool good = read_numbers(f, v, HD_COUNT(v));

	HD_GROW(pp->functions, pp->nfunctions + 1, pp->functions_cap);
	pp->functions[pp->nfunctions] = (struct pprof_function){ .name = v[2], .system_name = v[3], .file = v[4] };
	hd_map_put(&pp->function_ix, v[1], (uint32_t)pp->nfunctions++);
	return good;
}

static bool add_location(struct pprof *pp, const struct hd_protobuf_field *message)
{
	struct hd_protobuf_reader r = hd_protobuf_over(message->bytes, message->v);
	struct pprof_location l = { .first = (uint32_t)pp->nlines };
	struct hd_protobuf_field f;
	uint64_t id = 0, v[3];
	bool good = true;

	while (hd_protobuf_next(&r, &f)) {
		if (f.wire == HD_PROTOBUF_VARINT && f.number <= 3)
			*(f.number == 1 ? &id : f.number == 2 ? &l.mapping : &l.address) = f.v;
		if (f.number != 4 || !f.bytes)
			continue;
		good &= read_numbers(&f, v, HD_COUNT(v));
		HD_GROW(pp->lines, pp->nlines + 1, pp->lines_cap);
		pp->lines[pp->nlines++] = (struct pprof_line){ v[1], v[2] <= UINT32_MAX ? (uint32_t)v[2] : 0 };
		l.n++;
	}
	HD_GROW(pp->locations, pp->nlocations + 1, pp->locations_cap);
	pp->locations[pp->nlocations] = l;
	hd_map_put(&pp->location_ix, id, (uint32_t)pp->nlocations++);
	return good && !r.bad;
}

static void add_string(struct pprof *pp, const struct hd_protobuf_field *f)
{
	HD_GROW(pp->strings, pp->nstrings + 1, pp->strings_cap);
	pp->strings[pp->nstrings++] = (struct pprof_string){ (uint32_t)((const char *)f->bytes - pp->bytes),
		(uint32_t)f->v };
}

static bool add_table_field(struct pprof *pp, const struct hd_protobuf_field *f)
{
	uint64_t v[3];

	switch (f->bytes ? f->number : 0) {
	case TYPE:	return add_type(pp, f);
	case MAPPING:	return add_mapping(pp, f);
	case LOCATION:	return add_location(pp, f);
	case FUNCTION:	return add_function(pp, f);
	case STRING:	add_string(pp, f); return true;
	case PERIOD_TYPE:
		if (!read_numbers(f, v, HD_COUNT(v)))
			return false;
		pp->period_type = v[1];
		return true;
	}
	if (f->number == PERIOD)
		pp->period = f->v;
	if (f->number == DEFAULT_TYPE)
		pp->default_type = f->v;
	return true;
}

static void warn_damage(struct pprof *pp, uint64_t offset, const char *what)
{
	hd_warn(&pp->ns.p->log, "lost.pprof", "copy the file again", "%s: offset %llu of the unpacked data: %s",
		pp->ns.path, (unsigned long long)offset, what);
	pp->ns.p->recording.truncated = true;
}

static void read_tables(struct pprof *pp, size_t n)
{
	struct hd_protobuf_reader r = hd_protobuf_over(pp->bytes, n);
	struct hd_protobuf_field f;

	while (hd_protobuf_next(&r, &f))
		if (!add_table_field(pp, &f))
			warn_damage(pp, (uint64_t)((const char *)f.bytes - pp->bytes), "an invalid message");
	if (r.bad)
		warn_damage(pp, (uint64_t)((const char *)r.at - pp->bytes), "the data are damaged or end too early");
}

/* ---- events ---- */

static void add_event(struct pprof *pp, struct pprof_type *t)
{
	struct hd_profile *p = pp->ns.p;
	struct hd_buf name = { 0 };
	const char *unit = hd_profile_str(p, name_of(pp, t->unit));

	hd_buf_add(&name, string_of(pp, t->type).s, string_of(pp, t->type).n);
	for (size_t i = 0; i < p->nevents; i++)		/* if the name exists already, append the unit */
		if (!strcmp(hd_profile_str(p, p->events[i].name), hd_buf_str(&name)))
			hd_buf_addf(&name, "/%s", unit);
	t->event = hd_named_event(&pp->ns, hd_buf_str(&name),
		!strcmp(unit, "nanoseconds") ? "ns"
			: string_is(pp, t->type, "samples") && !strcmp(unit, "count") ? "samples" : unit);
	if (pp->period_type == t->type && pp->period && pp->period < INT64_MAX)
		p->events[t->event].rate.period = pp->period;
	hd_buf_release(&name);
}

/* Return true if the values of this value type are numbers of events. */
static bool is_count(const struct pprof *pp, const struct pprof_type *t)
{
	return string_is(pp, t->unit, "count") || string_is(pp, t->unit, "events");
}

/*
 * Return true if the value type `counter` is named EVENT_samples, where EVENT is the name of the value type t.
 * hd_pprof_write() writes such pairs.
 */
static bool counts_samples_of(const struct pprof *pp, const struct pprof_type *counter, const struct pprof_type *t)
{
	struct pprof_text name = string_of(pp, t->type), with = string_of(pp, counter->type);
	static const char end[] = "_samples";

	return is_count(pp, counter) && with.n == name.n + strlen(end) &&
		!memcmp(with.s, name.s, name.n) && !memcmp(with.s + name.n, end, strlen(end));
}

/*
 * For each value type, find the value type that counts its samples.  hd_pprof_write() omits the counting type if
 * samples and weight of the event are equal.  The type then counts its own samples.
 */
static void find_counters(struct pprof *pp)
{
	size_t all = 0, counts = 0;
	bool own = false;

	for (size_t i = 0; i < pp->ntypes; i++) {
		counts += is_count(pp, &pp->types[i]);
		if (string_is(pp, pp->types[i].type, "samples") && string_is(pp, pp->types[i].unit, "count"))
			all = i + 1;
		if (i && counts_samples_of(pp, &pp->types[i - 1], &pp->types[i])) {
			pp->types[i].counter = i;
			own = true;
		}
	}
	own = own || (!all && counts == pp->ntypes);
	for (size_t i = 0; i < pp->ntypes; i++)
		if (!pp->types[i].counter)
			pp->types[i].counter = own ? i + 1 : all;
}

static void add_events(struct pprof *pp)
{
	size_t first = pp->ntypes - 1;

	for (size_t i = 0; i < pp->ntypes; i++)
		if (pp->default_type && pp->types[i].type == pp->default_type)
			first = i;
	find_counters(pp);
	add_event(pp, &pp->types[first]);
	for (size_t i = 0; i < pp->ntypes; i++)
		if (i != first)
			add_event(pp, &pp->types[i]);
}

/* ---- frames ---- */

static struct pprof_mapping *mapping_of(struct pprof *pp, uint64_t id)
{
	uint32_t i = id ? hd_map_get(&pp->mapping_ix, id) : HD_MAP_NONE;
	struct pprof_mapping *m = i == HD_MAP_NONE ? NULL : &pp->mappings[i];
	const char *file;

	if (m && !m->object && string_of(pp, m->file).n) {
		file = hd_profile_str(pp->ns.p, name_of(pp, m->file));
		m->object = hd_profile_add_object(pp->ns.p, file, hd_profile_str(pp->ns.p, name_of(pp, m->build_id)),
			hd_named_is_kernel(file));
	}
	return m;
}

/* Parse the name of an address without a symbol, as hotdrift writes it: 0x and 16 digits. */
static bool is_address(struct pprof_text t, uint64_t *address)
{
	*address = 0;
	if (t.n != 18 || memcmp(t.s, "0x", 2))
		return false;
	for (size_t i = 2; i < t.n; i++) {
		if (hd_hex_digit(t.s[i]) < 0)
			return false;
		*address = *address << 4 | (uint64_t)hd_hex_digit(t.s[i]);
	}
	return true;
}

/*
 * Return the displayed name of a function, which is its name without parameters.  A name that equals system_name, or
 * system_name demangled without parameters, has no parameters; its parentheses, if any, are part of the name.
 */
static uint32_t shown_name(struct pprof *pp, struct pprof_function *fn)
{
	struct pprof_text name = string_of(pp, fn->name), system_name = string_of(pp, fn->system_name);
	size_t n;

	if (fn->shown)
		return fn->shown;
	n = hd_name_without_parameters(name.s, name.n);
	if (n < name.n && system_name.n) {
		char *linkage = hd_strndup(system_name.s, system_name.n);
		char *plain = hd_demangle(linkage, false);
		const char *whole = plain ? plain : linkage;

		if (strlen(whole) == name.n && !memcmp(whole, name.s, name.n))
			n = name.n;
		free(plain);
		free(linkage);
	}
	fn->shown = hd_named_name(&pp->ns, name.s, n);
	return fn->shown;
}

/* Add the frame of a line; fn is NULL if the location has no function. */
static void add_frame(struct pprof *pp, uint64_t address, uint32_t object, struct pprof_function *fn, uint32_t line,
	bool inlined)
{
	struct hd_profile *p = pp->ns.p;
	struct hd_profile_symbol symbol = { .object = object, .kernel = p->objects[object].kernel };
	struct hd_frame frame = { .vaddr = address, .line = line, .inlined = inlined };
	struct pprof_text name = string_of(pp, fn ? fn->name : 0);

	if (!fn || !name.n || is_address(name, &symbol.start)) {
		symbol.unresolved = true;
		symbol.start = fn && name.n ? symbol.start : address;
		symbol.no_address = !symbol.start;
	} else if (string_is(pp, fn->name, HD_UNKNOWN)) {
		symbol.unresolved = symbol.no_address = true;
	} else {
		symbol.full = name_of(pp, fn->name);
		symbol.linkage = string_of(pp, fn->system_name).n ? name_of(pp, fn->system_name) : symbol.full;
		symbol.name = shown_name(pp, fn);
	}
	if (fn && line && pp->ns.opts->lines)
		frame.file = name_of(pp, fn->file);
	HD_GROW(pp->frames, pp->nframes + 1, pp->frames_cap);
	pp->frames[pp->nframes++] = hd_named_frame(&pp->ns, &symbol, frame);
}

static void make_frames(struct pprof *pp, struct pprof_location *l)
{
	struct pprof_mapping *m = mapping_of(pp, l->mapping);
	uint64_t address = l->address;
	uint32_t object = m ? m->object : 0;

	if (m && m->limit > m->start && address >= m->start && address < m->limit)
		address = address - m->start + m->offset;
	l->frames = (uint32_t)pp->nframes + 1;
	for (uint32_t i = l->n; i-- > 0;) {
		const struct pprof_line *line = &pp->lines[l->first + i];
		uint32_t fn = hd_map_get(&pp->function_ix, line->function);

		add_frame(pp, address, object, fn == HD_MAP_NONE ? NULL : &pp->functions[fn], line->line,
			i + 1 < l->n);
	}
	if (!l->n)
		add_frame(pp, address, object, NULL, 0, false);
}

/* ---- samples ---- */

static bool add_number(uint64_t **to, size_t *n, size_t *cap, const struct hd_protobuf_field *f)
{
	struct hd_protobuf_reader r = hd_protobuf_over(f->bytes, f->bytes ? f->v : 0);
	uint64_t v = f->v;

	while (!f->bytes || r.at < r.end) {
		if (f->bytes && !hd_protobuf_read_varint(&r, &v))
			return false;
		*to = hd_grow_if_full(*to, *n + 1, cap, sizeof(**to));
		(*to)[(*n)++] = v;
		if (!f->bytes)
			break;
	}
	return true;
}

static void add_label(struct pprof *pp, struct hd_named_sample *s, const struct hd_protobuf_field *f)
{
	uint64_t v[4];

	if (!read_numbers(f, v, HD_COUNT(v)))
		return;
	if (string_is(pp, v[1], "comm") || (string_is(pp, v[1], "thread") && s->comm == pp->comm))
		s->comm = string_of(pp, v[2]).n ? name_of(pp, v[2]) : s->comm;
	else if (string_is(pp, v[1], "pid"))
		s->pid = (int32_t)v[3];
	else if (string_is(pp, v[1], "tid") || string_is(pp, v[1], "thread_id"))
		s->tid = (int32_t)v[3];
}

/* Count the values of the current sample.  Values of 0 are skipped; negative ones are dropped with a warning. */
static void add_values(struct pprof *pp, struct hd_named_sample *s)
{
	for (size_t i = 0; i < pp->ntypes && i < pp->nvalues; i++) {
		size_t counter = pp->types[i].counter;
		uint64_t v = pp->values[i], count = counter ? pp->values[counter - 1] : 1;

		if (!v)
			continue;
		if (v > INT64_MAX) {
			hd_warn(&pp->ns.p->log, "lost.negative", "compare the two profiles with 'hotdrift diff A B'",
				"%s: negative values were dropped; it is the difference of two profiles", pp->ns.path);
			continue;
		}
		s->event = pp->types[i].event;
		s->weight = v;
		s->count = count && count <= v ? count : 1;
		hd_named_add(&pp->ns, s);
	}
}

static bool read_sample(struct pprof *pp, const struct hd_protobuf_field *message)
{
	struct hd_protobuf_reader r = hd_protobuf_over(message->bytes, message->v);
	struct hd_named_sample s = { .comm = pp->comm };
	struct hd_protobuf_field f;

	pp->nvalues = pp->nids = 0;
	while (hd_protobuf_next(&r, &f)) {
		if (f.number == 1 && !add_number(&pp->ids, &pp->nids, &pp->ids_cap, &f))
			return false;
		if (f.number == 2 && !add_number(&pp->values, &pp->nvalues, &pp->values_cap, &f))
			return false;
		if (f.number == 3 && f.bytes)
			add_label(pp, &s, &f);
	}
	if (r.bad || pp->nvalues != pp->ntypes)
		return false;
	for (size_t i = pp->nids; i-- > 0;) {
		uint32_t at = hd_map_get(&pp->location_ix, pp->ids[i]);
		struct pprof_location *l;

		if (at == HD_MAP_NONE)
			return false;
		l = &pp->locations[at];
		if (!l->frames)
			make_frames(pp, l);
		for (uint32_t k = 0; k < (l->n ? l->n : 1) && !pp->ns.spent; k++)
			hd_named_push(&pp->ns, &s, pp->frames[l->frames - 1 + k]);
	}
	add_values(pp, &s);
	return true;
}

static void read_samples(struct pprof *pp, size_t n)
{
	struct hd_protobuf_reader r = hd_protobuf_over(pp->bytes, n);
	struct hd_protobuf_field f;

	while (hd_protobuf_next(&r, &f)) {
		if (f.number != SAMPLE || !f.bytes || read_sample(pp, &f))
			continue;
		pp->ns.p->read++;
		hd_profile_drop(pp->ns.p, "lost.pprof-sample", 1);
		hd_warn(&pp->ns.p->log, "lost.pprof-sample", "",
			"%s: the sample at offset %zu of the unpacked data is invalid and was dropped", pp->ns.path,
			(size_t)((const char *)f.bytes - pp->bytes));
	}
}

/* Return the name of the process: the last component of the path of the first mapping, or "unknown". */
static uint32_t process_name(struct pprof *pp)
{
	struct pprof_text t = string_of(pp, pp->nmappings ? pp->mappings[0].file : 0);
	size_t from = t.n;

	while (from > 0 && t.s[from - 1] != '/')
		from--;
	return from < t.n ? hd_strtab_addn(pp->ns.p->names, t.s + from, t.n - from)
		: hd_profile_name(pp->ns.p, "unknown");
}

static int read_profile(struct pprof *pp, int fd, struct hd_buf *bytes, struct hd_err *err)
{
	uint64_t most = UNPACKED_LEAST + UNPACKED_PER_BYTE * pp->ns.input_bytes, offset;
	const char *damage;
	int rc = hd_gunzip_all(fd, pp->ns.path, most < UINT32_MAX ? most : UINT32_MAX, bytes, &damage, &offset, err);

	if (rc < 0)
		return rc;
	pp->bytes = hd_buf_str(bytes);
	if (damage)
		warn_damage(pp, bytes->len, damage);
	read_tables(pp, bytes->len);
	if (!pp->ntypes)
		return hd_fail(err, HD_EFORMAT,
			"%s: is a pprof profile without sample types: it is damaged or ends too early", pp->ns.path);
	pp->comm = process_name(pp);
	add_events(pp);
	/* find_counters() has found a counter for each type or for none. */
	if (pp->ns.opts->select.weight == HD_WEIGHT_SAMPLES && !pp->types[0].counter)
		return hd_fail(err, HD_EFORMAT,
			"%s: has no sample type that counts samples, so --weight samples cannot be used", pp->ns.path);
	read_samples(pp, bytes->len);
	return 0;
}

int hd_pprof_input_read(struct hd_profile *p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err)
{
	static const struct hd_named_format format =
		{ "samples of pprof", HD_NAMED_IDS | HD_NAMED_EVENT | HD_NAMED_DSO | HD_NAMED_COUNT };
	struct pprof pp = { 0 };
	struct hd_buf bytes = { 0 };
	int rc = hd_named_samples_begin(&pp.ns, p, opts, fd, path, &format, err);

	if (rc >= 0)
		rc = read_profile(&pp, fd, &bytes, err);
	p->recording.format = "pprof";
	rc = hd_named_samples_end(&pp.ns, rc, err);
	hd_buf_release(&bytes);
	hd_map_release(&pp.mapping_ix);
	hd_map_release(&pp.function_ix);
	hd_map_release(&pp.location_ix);
	free(pp.strings);
	free(pp.types);
	free(pp.mappings);
	free(pp.functions);
	free(pp.locations);
	free(pp.lines);
	free(pp.frames);
	free(pp.values);
	free(pp.ids);
	return rc;
}

bool hd_pprof_input_is(const char *head, size_t n)
{
	/*
	 * Bit mask of the fields of message Profile whose wire type is BYTES.  The other fields are numbers; field 13
	 * may also be a packed list.
	 */
	enum { MESSAGES = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 11 };
	struct hd_protobuf_reader r = hd_protobuf_over(head, n);
	struct hd_protobuf_field f;
	uint64_t v[3];
	size_t types = 0, others = 0;

	while (hd_protobuf_next(&r, &f)) {
		if (f.number > LAST_FIELD || (f.wire != HD_PROTOBUF_VARINT && f.wire != HD_PROTOBUF_BYTES) ||
			(f.number != 13 && (f.wire == HD_PROTOBUF_BYTES) != (MESSAGES >> f.number & 1)))
			return false;
		if (f.number == TYPE && (f.v > 64 || !read_numbers(&f, v, HD_COUNT(v))))
			return false;
		types += f.number == TYPE;
		others += f.number != TYPE;
	}
	return types && (others || r.bad);
}
