/*
 * folded_input.c - see folded_input.h
 */
#include "pipeline/folded_input.h"

#include "base/encode.h"
#include "base/line_reader.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "pipeline/named_samples.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define EVENT	"folded"
#define OBJECT	"[folded]"

enum { MAX_DEPTH = 1 << 17 };	/* maximum frames of a line; profilers limit stacks to some thousands of frames */

/*
 * Find the count at the end of a line.  The first *stack_len bytes are the stack.  *cut is set to whether decimals were
 * dropped.  Return false if there is no count, or if it exceeds 64 bits.
 */
static bool split_count(const char *line, size_t n, size_t *stack_len, uint64_t *count, bool *cut)
{
	size_t i = n, from;
	uint64_t v = 0;

	while (i > 0 && (isdigit((unsigned char)line[i - 1]) || line[i - 1] == '.'))
		i--;
	from = i;
	if (from == n || from < 2 || line[from - 1] != ' ' || !isdigit((unsigned char)line[from]))
		return false;
	*cut = false;
	for (i = from; i < n && line[i] != '.'; i++)
		if (__builtin_mul_overflow(v, 10u, &v) || __builtin_add_overflow(v, (uint64_t)(line[i] - '0'), &v))
			return false;
	for (; i < n; i++) {
		if (line[i] == '.' ? *cut : false)
			return false;
		*cut = true;
	}
	*stack_len = from - 1;
	*count = v;
	return true;
}

/*
 * Set *line and *n to the line at offset `at` and its length without the line end.  Return the offset of the next line.
 */
static size_t next_line(const char *text, size_t size, size_t at, const char **line, size_t *n)
{
	const char *nl = memchr(text + at, '\n', size - at);
	size_t end = nl ? (size_t)(nl - text) : size;

	*line = text + at;
	*n = end - at;
	if (*n && text[end - 1] == '\r')
		--*n;
	return end + 1;
}

bool hd_folded_input_is(const char *text, size_t n, bool whole)
{
	size_t good = 0, bad = 0, with_nul = 0, len, stack_len;
	const char *line;
	uint64_t count;
	bool cut;

	for (size_t at = 0; at < n; ) {
		at = next_line(text, n, at, &line, &len);
		if (!len || line[0] == '#')
			continue;
		if (memchr(line, '\0', len))
			with_nul++;
		/*
		 * The last line is cut off, and its count may follow in the next part of the file.  So the line is
		 * judged only if it is the first one: then it counts as good.
		 */
		else if (at > n && !whole)
			good += !good && !bad;
		else if (split_count(line, len, &stack_len, &count, &cut))
			good++;
		else
			bad++;
	}
	/* A text file contains no NULs.  If a damaged one does, most of its lines are still valid. */
	return with_nul ? good > bad + with_nul : good > 0;
}

/* One frame of the previous line, and the state of the sample after that frame was pushed. */
struct level {
	size_t end;			/* offset of the byte after the frame */
	hd_stack_id stack;
	hd_frame_id self;
	bool left_out;
};

/* The state while folded stacks are read. */
struct folded {
	struct hd_named_samples ns;
	uint32_t object[3];		/* objects of user, kernel and JIT frames */
	uint32_t event;
	/* if lines have two counts: index + 1 of the event for the first count; else 0 */
	uint32_t base;
	/*
	 * Each distinct text of a frame is decoded once.  If the text is the name itself, its frame is in `plain`,
	 * indexed by the id of the name in the profile.  The frames of other texts are in `coded`, indexed by their ids
	 * in `texts`.
	 */
	struct hd_strtab *texts;
	struct text_frames {
		hd_frame_id *items;	/* 0: not decoded yet */
		size_t n, cap;
	} plain, coded;
	bool escapes;			/* the new frames of the line may have escapes */
	/*
	 * The text of the previous line, and one level (frame and resulting stack) for each of its frames.  Lines are
	 * usually sorted, so that a line has its first frames in common with the previous line.
	 */
	struct hd_buf previous;
	struct level *levels;
	size_t nlevels, levels_cap;
	hd_frame_id *frames;		/* indexed by level; not set for a thread name */
	size_t frames_cap;
	uint32_t comm;
	struct hd_buf name;
};

/* Intern a name after undoing the escapes of base/encode.h.  The result can contain any byte. */
static uint32_t name_of(struct folded *fo, const char *s, size_t n)
{
	hd_buf_reset(&fo->name);
	hd_decode_folded(&fo->name, s, n);
	return hd_named_name(&fo->ns, hd_buf_str(&fo->name), fo->name.len);
}

/* Remove a trailing mark: _[k] kernel, _[i] inlined, _[j] JIT.  Return its letter, or 0. */
static char take_mark(const char *s, size_t *n)
{
	if (*n <= 4 || s[*n - 4] != '_' || s[*n - 3] != '[' || s[*n - 1] != ']' || !memchr("kij", s[*n - 2], 3))
		return 0;
	*n -= 4;
	return s[*n + 2];
}

static hd_frame_id make_frame(struct folded *fo, const char *s, size_t n)
{
	char mark = take_mark(s, &n);
	struct hd_profile_symbol symbol = { .object = fo->object[mark == 'k' ? 1
							    : mark == 'j'    ? 2
									     : 0],
		.kernel = mark == 'k' };

	if (n == strlen(HD_UNKNOWN) && !memcmp(s, HD_UNKNOWN, n))
		symbol.unresolved = symbol.no_address = true;
	else
		symbol.linkage = symbol.name = symbol.full = name_of(fo, s, n);
	return hd_named_frame(&fo->ns, &symbol, (struct hd_frame){ .inlined = mark == 'i' });
}

/* Return true if the text of a frame is its name: it has no escapes and no mark, and --strip-version is not set. */
static bool is_plain(const struct folded *fo, const char *s, size_t n)
{
	size_t len = n;

	return !fo->escapes && !fo->ns.opts->select.strip_version && !take_mark(s, &len);
}

static hd_frame_id frame_of(struct folded *fo, const char *s, size_t n)
{
	bool plain = is_plain(fo, s, n);
	struct text_frames *known = plain ? &fo->plain : &fo->coded;
	uint32_t text = hd_strtab_addn(plain ? fo->ns.p->names : fo->texts, s, n);

	HD_GROW(known->items, (size_t)text + 1, known->cap);
	while (known->n <= text)
		known->items[known->n++] = (hd_frame_id){ 0 };
	if (!known->items[text].v)
		known->items[text] = make_frame(fo, s, n);
	return known->items[text];
}

static size_t common_prefix(const char *a, const char *b, size_t n)
{
	size_t i = 0;
	uint64_t x, y;

	for (; i + 8 <= n; i += 8) {
		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		if (x != y)
			break;
	}
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/*
 * Keep the levels (one per frame of the previous line) for the leading frames that this line shares with the previous
 * one, and drop the others.  The line becomes the previous one.  Return the offset of the first frame that is not
 * shared.
 */
static size_t keep_levels(struct folded *fo, const char *s, size_t n)
{
	size_t same = common_prefix(s, hd_buf_str(&fo->previous), n < fo->previous.len ? n : fo->previous.len);

	fo->previous.len = same;
	hd_buf_add(&fo->previous, s + same, n - same);

	/* A frame is shared if its text and the semicolon that follows are equal in both lines. */
	while (fo->nlevels && fo->levels[fo->nlevels - 1].end >= same)
		fo->nlevels--;
	return fo->nlevels ? fo->levels[fo->nlevels - 1].end + 1 : 0;
}

/* Return true if the first frame of each line is a thread name and not a frame of its stack. */
static bool begins_with_comm(const struct folded *fo)
{
	return fo->ns.p->keys & HD_KEY_COMM;
}

/* Append a level (the entry for one frame) for a frame of the line.  push_levels() fills in its stack later. */
static void add_level(struct folded *fo, const char *s, size_t at, size_t end)
{
	/* By convention the first frame is the thread name. */
	if (at == 0 && (begins_with_comm(fo) || fo->ns.opts->select.comm.n)) {
		hd_buf_reset(&fo->name);
		hd_decode_folded(&fo->name, s, end);
		fo->comm = hd_strtab_addn(fo->ns.p->names, hd_buf_str(&fo->name), fo->name.len);
	}
	HD_GROW(fo->levels, fo->nlevels + 1, fo->levels_cap);
	HD_GROW(fo->frames, fo->nlevels + 1, fo->frames_cap);
	if (at != 0 || !begins_with_comm(fo)) {
		hd_frame_id frame = frame_of(fo, s + at, end - at);

		fo->frames[fo->nlevels] = frame;
		__builtin_prefetch(&fo->ns.p->frames[frame.v]);		/* for hd_named_push() */
	}
	fo->levels[fo->nlevels++].end = end;
}

/*
 * Push the frames of the line that were not in the previous line: those of the levels from `from` on.  Store the
 * resulting stack in each level.
 */
static void push_levels(struct folded *fo, struct hd_named_sample *sample, size_t from)
{
	size_t first = from || !begins_with_comm(fo) ? from : 1;

	if (first < fo->nlevels)
		hd_stacks_prefetch(fo->ns.p->stacks, sample->stack, &fo->frames[first], fo->nlevels - first);
	for (size_t i = from; i < fo->nlevels; i++) {
		if (i >= first)
			hd_named_push(&fo->ns, sample, fo->frames[i]);
		fo->levels[i] = (struct level){ fo->levels[i].end, sample->stack, sample->self, sample->left_out };
	}
}

/* Set stack and comm of the sample to those of a line.  Return false if it has too many frames. */
static bool read_stack(struct folded *fo, struct hd_named_sample *sample, const char *s, size_t n)
{
	size_t at, from;

	/* A trailing semicolon is no empty frame: heaptrack_print ends each stack with one, Perl's split drops it. */
	while (n && s[n - 1] == ';')
		n--;
	at = keep_levels(fo, s, n);
	from = fo->nlevels;
	if (fo->nlevels) {
		const struct level *l = &fo->levels[fo->nlevels - 1];

		sample->stack = l->stack;
		sample->self = l->self;
		sample->left_out = l->left_out;
	}
	fo->escapes = at < n && memchr(s + at, '\\', n - at);
	while (at <= n && fo->nlevels <= MAX_DEPTH) {
		const char *semi = memchr(s + at, ';', n - at);
		size_t end = semi ? (size_t)(semi - s) : n;

		add_level(fo, s, at, end);
		at = end + 1;
	}
	push_levels(fo, sample, from);
	sample->comm = fo->comm;
	return fo->nlevels <= MAX_DEPTH;
}

/*
 * Add the first of the two counts of a line of a differential profile.  flamegraph.pl shows the second count and
 * colours by the change.
 */
static void add_base(struct folded *fo, struct hd_named_sample *sample, uint64_t count)
{
	if (!fo->base) {
		fo->base = hd_named_event(&fo->ns, HD_FOLDED_BASE_EVENT, "samples") + 1;
		hd_warn(&fo->ns.p->log, "folded.two-counts", "--event " HD_FOLDED_BASE_EVENT " selects the first ones",
			"%s: lines have two counts: the second ones are the event " EVENT, fo->ns.path);
	}
	sample->event = fo->base - 1;
	sample->weight = count;
	if (count)
		hd_named_add(&fo->ns, sample);
}

static void warn_line(struct folded *fo, uint64_t number, const char *code, const char *fix, const char *what)
{
	hd_warn(&fo->ns.p->log, code, fix, "%s: line %llu%s", fo->ns.path, (unsigned long long)number, what);
}

static void add_line(struct folded *fo, const char *line, size_t n, uint64_t number)
{
	struct hd_named_sample sample = { .event = fo->event, .count = 1 };
	size_t len, stack_len;
	uint64_t count, first = 0;
	bool cut, first_cut = false, two;

	while (n && (line[n - 1] == ' ' || line[n - 1] == '\t'))
		n--;
	if (!n || line[0] == '#')
		return;
	if (!split_count(line, n, &len, &count, &cut)) {
		warn_line(fo, number, "lost.folded-line", "each line is `frame;frame COUNT`",
			" does not end in a 64-bit count and was skipped");
		return;
	}
	two = split_count(line, len, &stack_len, &first, &first_cut);
	if (cut || first_cut)
		warn_line(fo, number, "folded.fraction", "", ": the decimals of its count were dropped");
	if (!read_stack(fo, &sample, line, two ? stack_len : len)) {
		fo->ns.p->read++;
		hd_profile_drop(fo->ns.p, "lost.folded-depth", 1);
		warn_line(fo, number, "lost.folded-depth", "", " has more than 131072 frames and was skipped");
		return;
	}
	sample.weight = count;
	if (two && fo->ns.opts->sample_counts) {
		sample.count = first;
		two = false;
	}
	if (!two || count)
		hd_named_add(&fo->ns, &sample);
	if (two)
		add_base(fo, &sample, first);
}

static int add_lines(struct folded *fo, int fd, struct hd_err *err)
{
	struct hd_line_reader lines;
	const char *damage;
	uint64_t offset;
	int rc;

	hd_line_reader_init(&lines, fd, fo->ns.path);
	while ((rc = hd_line_reader_next(&lines, err)) > 0)
		add_line(fo, lines.line, lines.n, lines.number);
	damage = rc < 0 ? NULL : hd_line_reader_damage(&lines, &offset);
	if (damage)
		hd_warn(&fo->ns.p->log, "lost.folded-end", "copy the file again", "%s: offset %llu: %s", fo->ns.path,
			(unsigned long long)offset, damage);
	if (lines.cut)
		hd_warn_n(&fo->ns.p->log, "lost.folded-line", lines.cut, "",
			"%s: lines of more than 64 MiB were cut", fo->ns.path);
	hd_line_reader_release(&lines);
	return rc;
}

static int check_selection(const struct folded *fo, struct hd_err *err)
{
	const struct hd_selector *s = &fo->ns.select;
	const char *what = !hd_selector_event(s, EVENT) && !hd_selector_event(s, HD_FOLDED_BASE_EVENT) ? "event"
		: !hd_selector_dso(s, OBJECT)                                          ? "dso"
										       : NULL;

	return what ? hd_fail(err, HD_EFORMAT,
			"%s: folded stacks do not contain the %s of samples, so --%s cannot be used", fo->ns.path,
			what, what) : 0;
}

int hd_folded_input_read(struct hd_profile *p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err)
{
	static const struct hd_named_format format = { "folded stacks",
		HD_NAMED_EVENT | HD_NAMED_WEIGHT_IS_COUNT };
	struct folded fo = { .texts = hd_strtab_new() };
	int rc = hd_named_samples_begin(&fo.ns, p, opts, fd, path, &format, err);

	if (rc >= 0)
		rc = check_selection(&fo, err);
	if (rc >= 0) {
		fo.object[0] = hd_profile_add_object(p, OBJECT, "", false);
		fo.object[1] = hd_profile_add_object(p, OBJECT, "", true);
		fo.object[2] = hd_profile_add_object(p, "[jit]", "", false);
		fo.event = hd_named_event(&fo.ns, EVENT, "samples");
		rc = add_lines(&fo, fd, err);
	}
	if (rc >= 0 && !p->read)
		rc = hd_fail(err, HD_EFORMAT,
			"%s: is neither perf.data nor folded stacks: no line of it ends in a count", path);
	p->recording.format = "folded";
	rc = hd_named_samples_end(&fo.ns, rc, err);
	hd_strtab_free(fo.texts);
	free(fo.plain.items);
	free(fo.coded.items);
	free(fo.levels);
	free(fo.frames);
	hd_buf_release(&fo.previous);
	hd_buf_release(&fo.name);
	return rc;
}
