/*
 * folded_input.c - see folded_input.h
 */
#include "pipeline/folded_input.h"

#include "base/encode.h"
#include "base/file.h"
#include "pipeline/selector.h"
#include "profile/skip_rules.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define EVENT	"folded"
#define OBJECT	"[folded]"

enum { MAX_BYTES_SHIFT = 32 };	/* no real folded file has more than 4 GiB */
enum { MAX_DEPTH = 1 << 17 };	/* maximum frames of a line; profilers limit stacks to some thousands of frames */

/*
 * Find the count at the end of a line.  The first *stack_len bytes are the stack.  *cut is set if decimals were
 * dropped.  Return false if there is no count.
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

/* Set [*line, *n) to the line at offset `at`, without its line end.  Return the offset of the next line. */
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
		else if (at > n && !whole)	/* the line is longer than the buffer, so its count may follow */
			good += !good && !bad;
		else if (split_count(line, len, &stack_len, &count, &cut))
			good++;
		else
			bad++;
	}
	/* Text has no NULs.  If a text file was damaged, most of its lines are still valid. */
	return with_nul ? good > bad + with_nul : good > 0;
}

/* The state while folded stacks are read. */
struct folded {
	struct hd_profile *p;
	const struct hd_pipeline_opts *opts;
	const char *path;
	struct hd_selector select;
	struct hd_skip_rules skip;
	uint32_t object[3];		/* objects of user, kernel and JIT frames */
	uint32_t event;
	struct hd_buf name;
};

/* Intern a name after undoing the escapes of base/encode.h.  The result can contain any byte. */
static uint32_t name_of(struct folded *fo, const char *s, size_t n, bool strip)
{
	hd_buf_reset(&fo->name);
	hd_decode_folded(&fo->name, s, n);
	if (strip && strlen(hd_buf_str(&fo->name)) == fo->name.len) {
		char *stripped = hd_selector_strip_version(hd_buf_str(&fo->name));

		hd_buf_reset(&fo->name);
		hd_buf_adds(&fo->name, stripped);
		free(stripped);
	}
	return hd_strtab_addn(fo->p->names, hd_buf_str(&fo->name), fo->name.len);
}

/* Remove a trailing mark: _[k] kernel, _[i] inlined, _[j] JIT.  Return its letter, or 0. */
static char take_mark(const char *s, size_t *n)
{
	if (*n <= 4 || s[*n - 4] != '_' || s[*n - 3] != '[' || s[*n - 1] != ']' || !memchr("kij", s[*n - 2], 3))
		return 0;
	*n -= 4;
	return s[*n + 2];
}

/* Add one frame to the stack of the row.  Return false if it is a kernel frame and kernel frames are excluded. */
static bool add_frame(struct folded *fo, struct hd_sample_row *row, const char *s, size_t n)
{
	struct hd_profile *p = fo->p;
	char mark = take_mark(s, &n);
	struct hd_profile_symbol symbol = { .object = fo->object[mark == 'k' ? 1
							    : mark == 'j'    ? 2
									     : 0],
		.kernel = mark == 'k' };
	struct hd_frame f = { .inlined = mark == 'i' };

	if (symbol.kernel && fo->opts->select.no_kernel)
		return false;
	if (n == strlen(HD_UNKNOWN) && !memcmp(s, HD_UNKNOWN, n))
		symbol.unresolved = symbol.no_address = true;
	else
		symbol.linkage = symbol.name = symbol.full = name_of(fo, s, n, fo->opts->select.strip_version);
	f.symbol = hd_profile_add_symbol(p, &symbol);
	row->self = hd_profile_add_frame(p, &f);
	row->stack = hd_stacks_add(p->stacks, row->stack, row->self);
	return true;
}

/* Return true if the command and the innermost frame are selected. */
static bool is_wanted(struct folded *fo, const struct hd_sample_row *row, uint32_t command)
{
	const struct hd_profile *p = fo->p;
	const struct hd_profile_symbol *leaf = &p->symbols[p->frames[row->self.v].symbol];

	return (!fo->opts->select.comm.n || hd_selector_comm(&fo->select, hd_profile_str(p, command))) &&
	       hd_selector_symbol(&fo->select, leaf->unresolved ? HD_UNKNOWN : hd_profile_str(p, leaf->name),
				  hd_profile_str(p, leaf->linkage));
}

/* Add the stack of line `number` to the profile, if it is selected. */
static void add_stack(struct folded *fo, const char *s, size_t n, uint64_t count, uint64_t number)
{
	struct hd_profile *p = fo->p;
	struct hd_sample_row row = { .event = fo->event, .weight = count, .count = 1 };
	uint32_t command = 0;
	size_t frames = 0;
	bool left_out = false;
	uint64_t sum;

	p->read++;
	if (fo->opts->select.weight == HD_WEIGHT_SAMPLES)
		row.weight = 1;
	for (size_t at = 0; at <= n; ) {
		const char *semi = memchr(s + at, ';', n - at);
		size_t len = semi ? (size_t)(semi - s) - at : n - at;

		if (++frames > MAX_DEPTH) {
			hd_profile_drop(p, "lost.folded-depth", 1);
			hd_warn(&p->log, "lost.folded-depth", "",
				"%s: line %llu has more than %d frames and was skipped", fo->path,
				(unsigned long long)number, MAX_DEPTH);
			return;
		}
		/* By convention the first frame is the command. */
		if (at == 0 && (p->keys & HD_KEY_COMM || fo->opts->select.comm.n))
			command = name_of(fo, s, len, false);
		if (at == 0 && p->keys & HD_KEY_COMM)
			row.comm = command;
		else
			left_out |= !add_frame(fo, &row, s + at, len);
		at += len + 1;
	}
	hd_skip_rules_apply(&fo->skip, &row);
	if ((left_out && !row.stack.v) || !is_wanted(fo, &row, command)) {
		hd_profile_drop(p, "not selected", 1);
		return;
	}
	if (__builtin_add_overflow(p->events[fo->event].weight, row.weight, &sum)) {
		hd_profile_drop(p, "lost.weight", 1);
		hd_warn(&p->log, "lost.weight", "",
			"%s: the sum of the counts exceeds 64 bits; a line of %llu was skipped", fo->path,
			(unsigned long long)row.weight);
		return;
	}
	p->kept++;
	hd_profile_add_sample(p, &row);
}

static void add_line(struct folded *fo, const char *line, size_t n, uint64_t number)
{
	struct hd_log *log = &fo->p->log;
	size_t stack_len;
	uint64_t count;
	bool cut;

	if (!n || line[0] == '#')
		return;
	if (!split_count(line, n, &stack_len, &count, &cut)) {
		hd_warn(log, "lost.folded-line", "each line is `frame;frame COUNT`",
			"%s: line %llu does not end in a 64-bit count and was skipped", fo->path,
			(unsigned long long)number);
		return;
	}
	if (cut)
		hd_warn(log, "folded.fraction", "", "%s: line %llu: the decimals of its count were dropped", fo->path,
			(unsigned long long)number);
	add_stack(fo, line, stack_len, count, number);
}

/*
 * Return the name of a selection that needs data which folded text does not have, or NULL.  An error is better than
 * an empty result.
 */
static const char *untold(const struct hd_selector *s)
{
	const struct hd_selection *o = s->opts;

	return o->pid.n ? "pid" : o->tid.n ? "tid" : o->cpu.n ? "cpu" : s->by_time ? "time" :
	       !hd_selector_event(s, EVENT) ? "event" : !hd_selector_dso(s, OBJECT) ? "dso" : NULL;
}

static void add_lines(struct folded *fo, const struct hd_buf *text)
{
	size_t at = text->len >= 3 && !memcmp(text->data, "\xef\xbb\xbf", 3) ? 3 : 0, n;	/* a byte order mark */
	const char *line;

	for (uint64_t number = 1; at < text->len; number++) {
		at = next_line(text->data, text->len, at, &line, &n);
		add_line(fo, line, n, number);
	}
}

int hd_folded_input_read(struct hd_profile *p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err)
{
	struct folded fo = { .p = p, .opts = opts, .path = path };
	struct hd_buf text = { 0 };
	int rc;

	rc = hd_selector_init(&fo.select, &opts->select, err);
	if (rc < 0)
		return rc;
	if (opts->fields.n || opts->select.filter || opts->select.weight_field) {
		rc = hd_fail(err, HD_EFORMAT,
			"%s: folded stacks have no sample fields, so %s '%.100s' cannot be used", path,
			opts->fields.n                ? opts->launches ? "--gpu-trace" : "--by"
				: opts->select.filter ? "--filter"
						      : "--weight-field",
			opts->fields.n                ? opts->fields.items[0]
				: opts->select.filter ? opts->select.filter
						      : opts->select.weight_field);
		goto out;
	}
	if (untold(&fo.select)) {
		rc = hd_fail(err, HD_EFORMAT,
			"%s: folded stacks do not contain the %s of samples, so --%s cannot be used", path,
			untold(&fo.select), untold(&fo.select));
		goto out;
	}
	rc = hd_file_slurp(fd, path, 1ull << MAX_BYTES_SHIFT, &text, err);
	if (rc < 0)
		goto out;
	hd_skip_rules_init(&fo.skip, p, opts->select.skip, false);
	fo.object[0] = hd_profile_add_object(p, OBJECT, "", false);
	fo.object[1] = hd_profile_add_object(p, OBJECT, "", true);
	fo.object[2] = hd_profile_add_object(p, "[jit]", "", false);
	fo.event = hd_profile_add_event(p, EVENT, "samples");
	add_lines(&fo, &text);
	if (!p->read) {
		rc = hd_fail(err, HD_EFORMAT,
			"%s: is neither perf.data nor folded stacks: no line of it ends in a count", path);
		goto out;
	}
	p->recording.format = "folded";
	p->recording.mode = "file";
	p->recording.bytes = text.len;
out:
	hd_buf_release(&fo.name);
	hd_buf_release(&text);
	hd_selector_release(&fo.select);
	hd_skip_rules_release(&fo.skip);
	return rc;
}
