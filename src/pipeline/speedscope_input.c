/*
 * speedscope_input.c - see speedscope_input.h
 */
#include "pipeline/speedscope_input.h"

#include "base/encode.h"
#include "base/gunzip.h"
#include "base/json_scan.h"
#include "base/mem.h"
#include "pipeline/event_units.h"
#include "pipeline/named_samples.h"
#include "profile/tidy_name.h"

#include <stdlib.h>
#include <string.h>

/* Limit for the size after decompression: UNPACKED_LEAST plus UNPACKED_PER_BYTE for each byte of the file. */
#define UNPACKED_LEAST		(UINT64_C(256) << 20)
#define UNPACKED_PER_BYTE	32u
enum { MAX_DEPTH = 1 << 17 };

/*
 * The units of speedscope files.  Each has the name and the unit of the event for its values.  A value of the file
 * times 10^scale is in the unit of the event.
 */
static const struct speedscope_unit {
	const char *name, *event, *unit;
	int scale;
} units[] = {
	{ "nanoseconds", "time", "ns", 0 }, { "microseconds", "time", "ns", 3 }, { "milliseconds", "time", "ns", 6 },
	{ "seconds", "time", "ns", 9 }, { "bytes", "bytes", "bytes", 0 }, { "none", "samples", "samples", 0 },
};

/* An open frame of an evented profile.  outer: the sample as it was before this frame was opened. */
struct open_frame {
	uint32_t frame;
	struct hd_named_sample outer;
};

struct speedscope {
	struct hd_named_samples ns;
	const char *text;
	hd_frame_id *frames;
	size_t nframes, frames_cap;
	struct hd_buf name;
	const struct speedscope_unit *unit;	/* unit of the current profile */
	/* indexed by unit: string id of the event that the name of a profile of this unit contains; 0: none so far */
	uint32_t named[HD_COUNT(units)];
	struct open_frame *open;
	size_t nopen, open_cap;
};

static void warn_invalid(struct speedscope *ss, struct hd_json_text at, const char *what)
{
	hd_warn(&ss->ns.p->log, "lost.speedscope", "", "%s: offset %zu: %s", ss->ns.path, (size_t)(at.s - ss->text),
		what);
}

/* Return the value of the member `name` of a JSON object.  If there is none, the field `s` of the result is NULL. */
static struct hd_json_text member(struct hd_json_text object, const char *name)
{
	struct hd_json_text key, value, none = { NULL, 0 };
	const char *at = object.s;

	if (!object.s || *object.s != '{')
		return none;
	while (hd_json_scan_member(&at, object.s + object.len, &key, &value))
		if (hd_json_text_is(key, name))
			return value;
	return none;
}

/* Decode a string into ss->name, which becomes empty if the value is not a string. */
static void decode(struct speedscope *ss, struct hd_json_text value)
{
	hd_buf_reset(&ss->name);
	if (value.s)
		hd_json_scan_string(value, &ss->name);
}

static void add_frame(struct speedscope *ss, struct hd_json_text value, uint32_t object)
{
	struct hd_profile_symbol symbol = { .object = object };
	struct hd_frame frame = { 0 };
	struct hd_json_text line = member(value, "line");
	int64_t n;

	decode(ss, member(value, "name"));
	if (!ss->name.len || !strcmp(hd_buf_str(&ss->name), HD_UNKNOWN)) {
		symbol.unresolved = symbol.no_address = true;
	} else {
		const char *s = hd_buf_str(&ss->name);

		symbol.linkage = symbol.full = hd_strtab_addn(ss->ns.p->names, s, ss->name.len);
		symbol.name = hd_named_name(&ss->ns, s, hd_name_without_parameters(s, ss->name.len));
	}
	if (ss->ns.opts->lines && line.s && hd_json_scan_int(line, 0, &n) && n > 0 && n <= UINT32_MAX) {
		frame.line = (uint32_t)n;
		decode(ss, member(value, "file"));
		frame.file = hd_strtab_addn(ss->ns.p->names, hd_buf_str(&ss->name), ss->name.len);
	}
	HD_GROW(ss->frames, ss->nframes + 1, ss->frames_cap);
	ss->frames[ss->nframes++] = hd_named_frame(&ss->ns, &symbol, frame);
}

/* Read a value in the unit of the event.  Returns false, with a warning, if it is not a number. */
static bool read_value(struct speedscope *ss, struct hd_json_text value, int64_t *v)
{
	if (!hd_json_scan_int(value, ss->unit->scale, v)) {
		warn_invalid(ss, value, "is not a number of 64 bits");
		return false;
	}
	if (!ss->unit->scale && memchr(value.s, '.', value.len))
		hd_warn(&ss->ns.p->log, "speedscope.fraction", "",
			"%s: offset %zu: the decimals of values were rounded",
			ss->ns.path, (size_t)(value.s - ss->text));
	return true;
}

/* Read an index into `shared.frames`.  Returns false if it is not valid. */
static bool read_frame(struct speedscope *ss, struct hd_json_text value, uint32_t *frame)
{
	int64_t i;

	if (!value.s || !hd_json_scan_int(value, 0, &i) || i < 0 || (uint64_t)i >= ss->nframes)
		return false;
	*frame = (uint32_t)i;
	return true;
}

/* ---- sampled ---- */

/*
 * Push the frames of a sample.  Returns false, with a warning, if `stack` is not an array, if a frame does not exist,
 * or if there are more than MAX_DEPTH frames.  The caller then drops `s`, which can have some of the frames.
 */
static bool push_stack(struct speedscope *ss, struct hd_named_sample *s, struct hd_json_text stack)
{
	struct hd_json_text item;
	const char *at = stack.s;
	uint32_t frame;

	if (*stack.s != '[') {
		warn_invalid(ss, stack, "a sample is not an array");
		return false;
	}
	for (size_t depth = 0; hd_json_scan_item(&at, stack.s + stack.len, &item); depth++) {
		if (depth >= MAX_DEPTH || !read_frame(ss, item, &frame)) {
			warn_invalid(ss, item, depth >= MAX_DEPTH ? "a sample with more than 131072 frames was dropped"
				: "a sample with a frame that does not exist was dropped");
			return false;
		}
		hd_named_push(&ss->ns, s, ss->frames[frame]);
	}
	return true;
}

/* Read the next weight.  Returns false, with a warning, if there is none left or if it is invalid. */
static bool read_weight(struct speedscope *ss, struct hd_json_text weights, const char **at, int64_t *v)
{
	struct hd_json_text weight;

	if (!hd_json_scan_item(at, weights.s + weights.len, &weight)) {
		warn_invalid(ss, weights, "a sample without a weight was dropped");
		return false;
	}
	if (!read_value(ss, weight, v))
		return false;
	if (*v < 0)
		warn_invalid(ss, weight, "a sample with a negative weight was dropped");
	return *v >= 0;
}

static void read_sampled(struct speedscope *ss, struct hd_json_text profile, const struct hd_named_sample *empty)
{
	struct hd_json_text samples = member(profile, "samples"), weights = member(profile, "weights"), stack;
	const char *at = samples.s, *w = weights.s;

	if (!at || *at != '[') {
		warn_invalid(ss, profile, "a sampled profile without samples was skipped");
		return;
	}
	while (hd_json_scan_item(&at, samples.s + samples.len, &stack)) {
		struct hd_named_sample s = *empty;
		bool weighted = w && *weights.s == '[', valid = push_stack(ss, &s, stack);
		int64_t v = 1;

		/* Read the weight of an invalid sample, too: the next weight belongs to the next sample. */
		if (weighted)
			valid = read_weight(ss, weights, &w, &v) && valid;
		if (!valid) {
			ss->ns.p->read++;
			hd_profile_drop(ss->ns.p, "lost.speedscope", 1);
			continue;
		}
		s.weight = (uint64_t)v;
		if (v)
			hd_named_add(&ss->ns, &s);
	}
}

/* ---- evented ---- */

static void open_frame(struct speedscope *ss, struct hd_named_sample *s, struct hd_json_text event, uint32_t frame)
{
	if (ss->nopen >= MAX_DEPTH) {
		warn_invalid(ss, event, "a frame inside of 131072 others was skipped");
		return;
	}
	HD_GROW(ss->open, ss->nopen + 1, ss->open_cap);
	ss->open[ss->nopen++] = (struct open_frame){ frame, *s };
	hd_named_push(&ss->ns, s, ss->frames[frame]);
}

/* Close a frame, and those opened in it that are still open. */
static void close_frame(struct speedscope *ss, struct hd_named_sample *s, struct hd_json_text event, uint32_t frame)
{
	size_t n = ss->nopen;

	while (n > 0 && ss->open[n - 1].frame != frame)
		n--;
	if (!n || n != ss->nopen)
		warn_invalid(ss, event,
			n ? "closes a frame in which others are open" : "closes a frame that is not open");
	if (n) {
		ss->nopen = n - 1;
		*s = ss->open[n - 1].outer;
	}
}

static void read_evented(struct speedscope *ss, struct hd_json_text profile, const struct hd_named_sample *empty)
{
	struct hd_json_text events = member(profile, "events"), event;
	struct hd_named_sample s = *empty;
	const char *at = events.s;
	int64_t now = 0, then = 0;
	bool first = true;

	ss->nopen = 0;
	if (!at || *at != '[') {
		warn_invalid(ss, profile, "an evented profile without events was skipped");
		return;
	}
	while (hd_json_scan_item(&at, events.s + events.len, &event)) {
		struct hd_json_text type = member(event, "type"), when = member(event, "at");
		uint32_t frame;

		if (!type.s || !when.s || !read_frame(ss, member(event, "frame"), &frame) ||
		    !read_value(ss, when, &now)) {
			warn_invalid(ss, event, "an event without a valid type, frame and time was skipped");
			continue;
		}
		if (!first && now < then) {
			warn_invalid(ss, event, "an event is earlier than the one before it");
			now = then;
		}
		if (ss->nopen && now > then) {
			s.weight = (uint64_t)now - (uint64_t)then;
			hd_named_add(&ss->ns, &s);
		}
		first = false;
		then = now;
		if (hd_json_text_is(type, "\"O\""))
			open_frame(ss, &s, event, frame);
		else
			close_frame(ss, &s, event, frame);
	}
	if (ss->nopen)
		warn_invalid(ss, events, "some frames are never closed");
}

/* ---- the file ---- */

static const struct speedscope_unit *unit_of(struct speedscope *ss, struct hd_json_text profile)
{
	size_t i = 0;

	decode(ss, member(profile, "unit"));
	while (i + 1 < HD_COUNT(units) && strcmp(units[i].name, hd_buf_str(&ss->name)))
		i++;
	return &units[i];	/* an unknown unit counts as `none` */
}

/*
 * Return the part of a profile's name that is the name of an event, or NULL: what follows ` -- `, as in the files that
 * speedscope exports (`app.callgrind -- Ir`), or else the last word, if it is a well-known event (`app cpu-clock`).
 */
static const char *event_in_name(const char *name)
{
	const char *dashes = strstr(name, " -- "), *blank = strrchr(name, ' '), *word = blank ? blank + 1 : name;

	if (dashes)
		return dashes + strlen(" -- ");
	return hd_event_units_find(word, strlen(word)) ? word : NULL;
}

/*
 * Warn if the samples of the current profile, whose name is in ss->name, are added to those of another event.  Names
 * of threads do not count: a file usually has one profile for each thread, all of the same event.
 */
static void check_name(struct speedscope *ss)
{
	const char *event = event_in_name(hd_buf_str(&ss->name));
	struct hd_profile *p = ss->ns.p;
	uint32_t id, *named = ss->named;

	if (!event)
		return;
	id = hd_profile_name(p, event);
	for (size_t i = 0; strcmp(units[i].event, ss->unit->event); i++)
		named++;
	if (!*named)
		*named = id;
	else if (*named != id)
		hd_warn(&p->log, "speedscope.summed", "export each event to a file of its own",
			"%s: the format names no events, so the profiles of %s and of %s are added up as one event, %s",
			ss->ns.path, hd_profile_str(p, *named), event, ss->unit->event);
}

/* Return the event of the current profile: the one in the member "hotdrift" of our own files, or that of the unit. */
static uint32_t event_of(struct speedscope *ss, struct hd_json_text profile)
{
	struct hd_json_text own = member(profile, "hotdrift");
	const char *unit = ss->unit->unit;
	struct hd_profile *p = ss->ns.p;

	decode(ss, member(own, "unit"));
	if (ss->name.len && !strcmp(ss->unit->name, "none"))
		unit = hd_profile_str(p, hd_profile_name(p, hd_buf_str(&ss->name)));
	decode(ss, member(own, "event"));
	if (ss->name.len)
		return hd_named_event(&ss->ns, hd_buf_str(&ss->name), unit);
	decode(ss, member(profile, "name"));
	check_name(ss);
	return hd_named_event(&ss->ns, ss->unit->event, ss->unit->unit);
}

static void read_one(struct speedscope *ss, struct hd_json_text profile)
{
	struct hd_named_sample empty = { .count = 1 };
	struct hd_json_text type = member(profile, "type");

	ss->unit = unit_of(ss, profile);
	empty.event = event_of(ss, profile);
	decode(ss, member(profile, "name"));
	empty.comm = hd_strtab_addn(ss->ns.p->names, ss->name.len ? hd_buf_str(&ss->name) : "unknown",
		ss->name.len ? ss->name.len : 7);
	if (type.s && hd_json_text_is(type, "\"evented\""))
		read_evented(ss, profile, &empty);
	else if (type.s && hd_json_text_is(type, "\"sampled\""))
		read_sampled(ss, profile, &empty);
	else
		warn_invalid(ss, profile, "a profile that is neither sampled nor evented was skipped");
}

static int read_text(struct speedscope *ss, size_t n, struct hd_err *err)
{
	struct hd_json_text root = { ss->text, n }, frames, profiles, item;
	size_t blanks = hd_json_scan_blanks(root.s, n), len;
	uint32_t object = hd_profile_add_object(ss->ns.p, "[speedscope]", "", false);
	const char *at;

	root.s += blanks;
	if (hd_json_scan(root.s, n - blanks, &len) != HD_JSON_WHOLE)
		return hd_fail(err, HD_EFORMAT,
			"%s: offset %zu: the JSON is damaged or ends too early; export it again",
			ss->ns.path, blanks + len);
	root.len = len;
	frames = member(member(root, "shared"), "frames");
	profiles = member(root, "profiles");
	if (!frames.s || *frames.s != '[' || !profiles.s || *profiles.s != '[')
		return hd_fail(err, HD_EFORMAT,
			"%s: is JSON of speedscope without the arrays shared.frames and profiles; export it again",
			ss->ns.path);
	at = frames.s;
	while (hd_json_scan_item(&at, frames.s + frames.len, &item))
		add_frame(ss, item, object);
	at = profiles.s;
	while (hd_json_scan_item(&at, profiles.s + profiles.len, &item))
		read_one(ss, item);
	return 0;
}

int hd_speedscope_input_read(struct hd_profile *p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err)
{
	static const struct hd_named_format format = { "profiles of speedscope", HD_NAMED_EVENT };
	struct speedscope ss = { 0 };
	struct hd_buf text = { 0 };
	const char *damage;
	uint64_t offset;
	int rc = hd_named_samples_begin(&ss.ns, p, opts, fd, path, &format, err);

	if (rc >= 0)
		rc = hd_gunzip_all(fd, path, UNPACKED_LEAST + UNPACKED_PER_BYTE * ss.ns.input_bytes, &text, &damage,
			&offset, err);
	ss.text = hd_buf_str(&text);
	if (rc >= 0)
		rc = read_text(&ss, text.len, err);
	p->recording.format = "speedscope";
	rc = hd_named_samples_end(&ss.ns, rc, err);
	hd_buf_release(&text);
	hd_buf_release(&ss.name);
	free(ss.frames);
	free(ss.open);
	return rc;
}

bool hd_speedscope_input_is(const char *head, size_t n)
{
	size_t blanks = hd_json_scan_blanks(head, n);
#define HAS(text)	(memmem(head, n, text, sizeof(text) - 1) != NULL)

	if (blanks == n || head[blanks] != '{')
		return false;
	return HAS("speedscope.app/file-format-schema") ||
		(HAS("\"profiles\"") && (HAS("\"evented\"") || HAS("\"sampled\""))) ||
		(HAS("\"shared\"") && HAS("\"frames\"") && (HAS("\"profiles\"") || HAS("speedscope")));
#undef HAS
}
