/*
 * perf_script_input.c - see perf_script_input.h
 */
#include "pipeline/perf_script_input.h"

#include "base/line_reader.h"
#include "base/map.h"
#include "base/mem.h"
#include "pipeline/event_units.h"
#include "pipeline/named_samples.h"
#include "pipeline/perf_script_line.h"
#include "profile/tidy_name.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FRAMES = 1 << 16 };	/* limit for the frames of a sample; perf limits chains to some thousands */

/* A frame of the current sample.  Inlined frames get their object from the next outer frame; see settle_inlined(). */
struct script_frame {
	uint32_t linkage;		/* string id; 0: no symbol */
	uint32_t object;
	uint64_t address;
	bool has_address, inlined;
	uint32_t file, line;
};

struct script {
	struct hd_named_samples ns;
	struct hd_map objects;		/* string id -> object */
	struct hd_map names;		/* string id of a linkage name -> that of the displayed name */
	struct script_frame *frames;	/* frames of the current sample, innermost first */
	size_t nframes, frames_cap;
	struct hd_named_sample sample;
	bool in_event, blank;		/* blank: the event has no frame yet, and a blank line followed it */
	bool after_frame, any_event, any_pid;
	/* the line of the event has only a thread name, so it is an event only if frames follow */
	bool comm_only;
	uint64_t number;		/* number of the current line */
};

static uint32_t text_id(struct script *sc, struct hd_script_text t)
{
	return hd_strtab_addn(sc->ns.p->names, t.s, t.n);
}

/* Warn about the current line. */
static void warn_line(struct script *sc, const char *code, const char *fix, const char *what)
{
	hd_warn(&sc->ns.p->log, code, fix, "%s: line %llu %s", sc->ns.path, (unsigned long long)sc->number, what);
}

/* ---- frames ---- */

static uint32_t object_of(struct script *sc, struct hd_script_text t)
{
	uint32_t name = text_id(sc, t), id;
	const char *s = hd_profile_str(sc->ns.p, name);

	if (!t.n)
		return 0;
	id = hd_map_get(&sc->objects, name);
	if (id == HD_MAP_NONE) {
		id = hd_profile_add_object(sc->ns.p, s, "", hd_named_is_kernel(s));
		hd_map_put(&sc->objects, name, id);
	}
	return id;
}

/*
 * Return the string id of the displayed name of a linkage name.  A Rust name is decoded; other names lose their
 * parameters.  Results are cached.
 */
static uint32_t displayed(struct script *sc, uint32_t linkage)
{
	struct hd_profile *p = sc->ns.p;
	uint32_t id = hd_map_get(&sc->names, linkage);
	const char *s = hd_profile_str(p, linkage);

	size_t n = hd_strtab_len(p->names, linkage);
	struct hd_buf rust = { 0 };

	if (id != HD_MAP_NONE)
		return id;
	if (hd_rust_unescape(&rust, s, n))
		id = hd_named_name(&sc->ns, hd_buf_str(&rust), rust.len);
	else
		id = hd_named_name(&sc->ns, s, hd_name_without_parameters(s, n));
	hd_map_put(&sc->names, linkage, id);
	hd_buf_release(&rust);
	return id;
}

static void push(struct script *sc, const struct script_frame *f, uint32_t linkage, bool inlined)
{
	struct hd_profile *p = sc->ns.p;
	struct hd_profile_symbol symbol = { .object = f->object, .kernel = p->objects[f->object].kernel };
	struct hd_frame frame = { .vaddr = f->address, .file = f->file, .line = f->line, .inlined = inlined };

	if (linkage) {
		symbol.linkage = symbol.full = linkage;
		symbol.name = displayed(sc, linkage);
	} else {
		symbol.unresolved = true;
		symbol.start = f->address;
		symbol.no_address = !f->has_address || (!f->object && !f->address);
	}
	hd_named_push(&sc->ns, &sc->sample, hd_named_frame(&sc->ns, &symbol, frame));
}

/* Push a frame of a perf map.  `Outer->Inner` are two functions, as perf-map-agent writes them. */
static void push_jit(struct script *sc, const struct script_frame *f)
{
	struct hd_profile *p = sc->ns.p;
	const char *s = hd_profile_str(p, f->linkage), *arrow;
	bool inlined = f->inlined;

	for (; (arrow = strstr(s, "->")) != NULL; s = arrow + 2, inlined = true)
		push(sc, f, hd_strtab_addn(p->names, s, (size_t)(arrow - s)), inlined);
	push(sc, f, hd_profile_name(p, s), inlined);
}

/*
 * Decide whether frame i is inlined into the next outer one.  perf marks each name as inlined that differs from that of
 * the symbol, also the alias of a function whose own frame is not printed (__GI__IO_default_xsputn).  The address
 * decides: an inlined frame has the address of the frame that it is part of.
 */
static void settle_inlined(struct script *sc, size_t i)
{
	struct script_frame *f = &sc->frames[i];
	const struct script_frame *outer = i + 1 < sc->nframes ? f + 1 : NULL;

	f->inlined = f->inlined && outer && outer->address == f->address;
	if (f->inlined && !f->object)
		f->object = outer->object;
}

/* Count the current sample, if there is one. */
static void finish_event(struct script *sc)
{
	struct hd_profile *p = sc->ns.p;

	if (!sc->in_event)
		return;
	sc->in_event = sc->blank = false;
	if (sc->comm_only && !sc->nframes) {
		warn_line(sc, "lost.script-line", "",
			"or the one before it is not text of perf script and was skipped");
		return;
	}
	for (size_t i = sc->nframes; i-- > 0;) {
		struct script_frame *f = &sc->frames[i];

		settle_inlined(sc, i);
		if (f->linkage && hd_object_is_jit(hd_profile_str(p, p->objects[f->object].name)) &&
			strstr(hd_profile_str(p, f->linkage), "->"))
			push_jit(sc, f);
		else
			push(sc, f, f->linkage, f->inlined);
	}
	if (!sc->nframes) {	/* an event without a stack */
		const struct script_frame none = { 0 };

		push(sc, &none, 0, false);
	}
	hd_named_add(&sc->ns, &sc->sample);
}

static void add_frame(struct script *sc, const struct hd_script_frame *f)
{
	if (sc->nframes >= MAX_FRAMES) {
		warn_line(sc, "lost.script-depth", "", "and others belong to samples with more than 65536 frames");
		return;
	}
	HD_GROW(sc->frames, sc->nframes + 1, sc->frames_cap);
	sc->frames[sc->nframes++] = (struct script_frame){
		.linkage = f->symbol.n ? text_id(sc, f->symbol) : 0, .object = object_of(sc, f->object),
		.address = f->address, .has_address = f->has_address, .inlined = f->inlined,
	};
}

/* ---- events ---- */

static bool starts_with(struct hd_script_text t, const char *s)
{
	return t.n >= strlen(s) && !memcmp(t.s, s, strlen(s));
}

static void begin_event(struct script *sc, const struct hd_script_event *e)
{
	struct hd_profile *p = sc->ns.p;
	struct hd_script_text name = e->event.n ? e->event : (struct hd_script_text){ "samples", 7 };
	const char *known = hd_event_units_find(name.s, name.n), *unit = known ? known : "events";

	sc->in_event = true;
	sc->blank = sc->after_frame = false;
	sc->nframes = 0;
	sc->any_pid |= e->pid >= 0;
	sc->sample = (struct hd_named_sample){
		.comm = e->comm.n ? text_id(sc, e->comm) : hd_profile_name(p, "unknown"),
		.pid = e->pid, .tid = e->tid, .cpu = e->cpu,
		.time_ns = e->has_time ? e->time_ns : 0, .count = 1, .weight = e->has_period ? e->period : 1,
	};
	sc->sample.event = hd_named_event(&sc->ns, hd_profile_str(p, text_id(sc, name)),
		e->has_period ? unit : "samples");
}

/*
 * Parse a line that is not a frame.  Returns false if it is not a line of an event.  Then the line can be a comm alone,
 * as -F comm,ip,sym prints it, and *e has no more than that.
 */
static bool parse_event(struct hd_script_event *e, const char *line, size_t n)
{
	if (hd_script_event_parse(e, line, n))
		return true;
	*e = (struct hd_script_event){ .comm = { line, n }, .pid = -1, .tid = -1, .cpu = UINT32_MAX };
	while (e->comm.n && (e->comm.s[e->comm.n - 1] == ' ' || e->comm.s[e->comm.n - 1] == '\t'))
		e->comm.n--;
	return false;
}

/*
 * Return true for a record that is not a sample, as --show-mmap-events, --show-task-events and the like print it.  The
 * name of such a record is the event, or the rest of the line if no colon ends it, as in `PERF_RECORD_FORK(7:8):(7:7)`.
 */
static bool is_sideband(const struct hd_script_event *e)
{
	return starts_with(e->event, "PERF_RECORD_") || starts_with(e->rest, "PERF_RECORD_") ||
		(e->tid < 0 && memmem(e->comm.s, e->comm.n, " PERF_RECORD_", strlen(" PERF_RECORD_")));
}

static void read_event(struct script *sc, const char *line, size_t n)
{
	struct hd_script_event e;
	struct hd_script_frame f;

	finish_event(sc);
	sc->comm_only = !parse_event(&e, line, n);
	if (is_sideband(&e))
		return;
	sc->any_event = true;
	begin_event(sc, &e);
	if (e.rest.n && hd_script_frame_parse(&f, e.rest.s, e.rest.n, true))
		add_frame(sc, &f);
}

static void read_frame(struct script *sc, const char *line, size_t n)
{
	const struct hd_script_event nobody = { .pid = -1, .tid = -1, .cpu = UINT32_MAX };
	struct hd_script_frame f;

	if (!hd_script_frame_parse(&f, line, n, false)) {
		warn_line(sc, "lost.script-line", "", "is not text of perf script and was skipped");
		return;
	}
	if (!sc->in_event && sc->any_event) {
		warn_line(sc, "lost.script-line", "", "is a frame that follows no event and was skipped");
		return;
	}
	if (!sc->in_event) {		/* -F ip,sym prints stacks without a line for the event */
		sc->comm_only = false;
		begin_event(sc, &nobody);
	}
	add_frame(sc, &f);
	sc->after_frame = true;
}

static void read_source(struct script *sc, const char *line, size_t n)
{
	struct hd_script_text file;

	if (sc->nframes && sc->ns.opts->lines &&
		hd_script_source_parse(&file, &sc->frames[sc->nframes - 1].line, line, n))
		sc->frames[sc->nframes - 1].file = text_id(sc, file);
}

/* ---- the header of perf script --header ---- */

static void set_text(char **to, const char *s, size_t n)
{
	if (!*to)
		*to = hd_strndup(s, n);
}

static void set_command(struct hd_recording *r, const char *s, size_t n)
{
	for (size_t i = 0; i < n && r->ncmdline < 4096;) {
		const char *end = memchr(s + i, ' ', n - i);
		size_t len = end ? (size_t)(end - s) - i : n - i;

		if (len) {
			r->cmdline = hd_realloc(r->cmdline, r->ncmdline + 1, sizeof(*r->cmdline));
			r->cmdline[r->ncmdline++] = hd_strndup(s + i, len);
		}
		i += len + 1;
	}
}

/* Read a line of the header, such as `# hostname : build7`. */
static void read_comment(struct hd_recording *r, const char *line, size_t n)
{
	const struct {
		const char *key;
		char **text;
	} texts[] = {
		{ "# hostname : ", &r->hostname }, { "# os release : ", &r->os_release }, { "# arch : ", &r->arch },
		{ "# cpudesc : ", &r->cpudesc }, { "# cpuid : ", &r->cpuid },
		{ "# perf version : ", &r->perf_version },
	};
	const char command[] = "# cmdline : ";

	for (size_t i = 0; i < HD_COUNT(texts); i++) {
		size_t len = strlen(texts[i].key);

		if (n > len && !memcmp(line, texts[i].key, len))
			set_text(texts[i].text, line + len, n - len);
	}
	if (!r->ncmdline && n > strlen(command) && !memcmp(line, command, strlen(command)))
		set_command(r, line + strlen(command), n - strlen(command));
}

/* ---- lines ---- */

static bool is_empty(const char *line, size_t n)
{
	while (n && (line[n - 1] == ' ' || line[n - 1] == '\t'))
		n--;
	return !n;
}

static void read_line(struct script *sc, const char *line, size_t n)
{
	enum hd_script_line kind;

	if (n && line[0] == '#') {
		read_comment(&sc->ns.p->recording, line, n);
		return;
	}
	if (is_empty(line, n)) {
		/* Some versions print a blank line between an event and its stack. */
		if (sc->in_event && !sc->nframes && !sc->blank)
			sc->blank = true;
		else
			finish_event(sc);
		sc->after_frame = false;
		return;
	}
	kind = hd_script_line_kind(line, n, sc->in_event, sc->after_frame);
	switch (kind) {
	case HD_SCRIPT_EVENT:	read_event(sc, line, n); break;
	case HD_SCRIPT_FRAME:	read_frame(sc, line, n); break;
	case HD_SCRIPT_SOURCE:	read_source(sc, line, n); break;
	case HD_SCRIPT_OTHER:
		warn_line(sc, "lost.script-line", "", "is not text of perf script and was skipped");
		break;
	}
}

static int read_lines(struct script *sc, int fd, struct hd_err *err)
{
	struct hd_line_reader lines;
	const char *damage;
	uint64_t offset;
	int rc;

	hd_line_reader_init(&lines, fd, sc->ns.path);
	while ((rc = hd_line_reader_next(&lines, err)) > 0) {
		sc->number = lines.number;
		read_line(sc, lines.line, lines.n);
	}
	finish_event(sc);
	damage = rc < 0 ? NULL : hd_line_reader_damage(&lines, &offset);
	if (damage)
		hd_warn(&sc->ns.p->log, "lost.script-end", "copy the file again", "%s: offset %llu: %s", sc->ns.path,
			(unsigned long long)offset, damage);
	hd_line_reader_release(&lines);
	return rc;
}

int hd_perf_script_input_read(struct hd_profile *p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err)
{
	static const struct hd_named_format format = { "lines of perf script",
		HD_NAMED_IDS | HD_NAMED_CPU | HD_NAMED_TIME | HD_NAMED_EVENT | HD_NAMED_DSO |
			HD_NAMED_COUNT };
	struct script sc = { 0 };
	int rc = hd_named_samples_begin(&sc.ns, p, opts, fd, path, &format, err);

	if (rc >= 0)
		rc = read_lines(&sc, fd, err);
	if (rc >= 0 && opts->select.pid.n && !sc.any_pid)
		hd_warn(&p->log, "script.no-pid", "select with --tid, or print the text with perf script -F +pid",
			"%s: names threads but no processes, so --pid selects nothing", path);
	p->recording.format = "perf script";
	rc = hd_named_samples_end(&sc.ns, rc, err);
	hd_map_release(&sc.objects);
	hd_map_release(&sc.names);
	free(sc.frames);
	return rc;
}

static bool is_sideband_line(const char *line, size_t n)
{
	struct hd_script_event e;

	parse_event(&e, line, n);
	return is_sideband(&e);
}

bool hd_perf_script_input_is(const char *text, size_t n)
{
	bool event = false, header = false, comm;
	struct hd_script_event e;
	struct hd_script_frame f;

	for (size_t at = n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0; at < n;) {
		const char *line = text + at, *nl = memchr(line, '\n', n - at);
		size_t len = nl ? (size_t)(nl - line) : n - at;

		at += len + 1;
		if (len && line[len - 1] == '\r')
			len--;
		if (memchr(line, '\0', len))
			return false;
		header |= len > 15 && !memcmp(line, "# captured on: ", 15);
		header |= len > 14 && !memcmp(line, "# perf version", 14);
		if (is_empty(line, len) || line[0] == '#' || is_sideband_line(line, len))
			continue;
		/*
		 * an indented frame with an address and an object, or any such frame after an event, shows that the
		 * text is of perf script
		 */
		if ((line[0] == ' ' || line[0] == '\t' || event) && hd_script_frame_parse(&f, line, len, true))
			return true;
		if (event && line[0] == '\t' && hd_script_frame_parse(&f, line, len, false) && f.object.n)
			return true;		/* -F comm,sym,dso */
		comm = !event && line[0] != ' ' && line[0] != '\t' && !memchr(line, ';', len);
		if (comm && nl && at < n && text[at] == '\t') {
			event = true;
			continue;
		}
		if (event || !hd_script_event_parse(&e, line, len))
			return header;
		if (e.has_time && (e.event.n || hd_script_frame_parse(&f, e.rest.s, e.rest.n, true)))
			return true;
		event = true;
	}
	return header;
}
