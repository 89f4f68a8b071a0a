/*
 * folded.c - see folded.h
 */
#include "ingest/folded.h"

#include "base/encode.h"
#include "base/file.h"
#include "ingest/select.h"

#include <ctype.h>
#include <string.h>

enum { MAX_BYTES_SHIFT = 32 };	/* 4 GiB of text is nobody's folded file */

/*
 * The count at the end of a line: [*stack, *stack_len] is what stands before
 * it.  false when there is none.  *cut: decimals were dropped.
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

bool hd_folded_looks_like(const char *text, size_t n)
{
	for (size_t at = 0; at < n; ) {
		const char *nl = memchr(text + at, '\n', n - at);
		size_t len = nl ? (size_t)(nl - text) - at : n - at;
		size_t stack_len;
		uint64_t count;
		bool cut;

		if (len && text[at + len - 1] == '\r')
			len--;
		if (len && text[at] != '#' && split_count(text + at, len, &stack_len, &count, &cut))
			return true;
		at += len + 1;
	}
	return false;
}

struct folded {
	struct hd_profile *p;
	const struct hd_ingest_opts *opts;
	struct hd_selector select;
	uint32_t object, event;
	struct hd_buf name;
};

/* One frame's text: our escapes undone, a trailing mark taken off. */
static hd_frame_id frame_of(struct folded *fo, const char *s, size_t n)
{
	struct hd_frame f = { 0 };
	bool kernel = false;

	if (n == strlen(HD_UNKNOWN) && !memcmp(s, HD_UNKNOWN, n)) {
		struct hd_symbol u = { .object = fo->object, .unresolved = true };

		f.symbol = hd_profile_add_symbol(fo->p, &u);
		return hd_profile_add_frame(fo->p, &f);
	}
	if (n > 4 && s[n - 4] == '_' && s[n - 3] == '[' && s[n - 1] == ']' && memchr("kij", s[n - 2], 3)) {
		kernel = s[n - 2] == 'k';
		f.inlined = s[n - 2] == 'i';
		n -= 4;
	}
	hd_buf_reset(&fo->name);
	hd_dec_folded(&fo->name, s, n);
	f.symbol = hd_profile_add_named_symbol(fo->p, fo->object, hd_buf_str(&fo->name), kernel);
	return hd_profile_add_frame(fo->p, &f);
}

static void add_stack(struct folded *fo, const char *s, size_t n, uint64_t count)
{
	struct hd_profile *p = fo->p;
	struct hd_sample_row row = { .event = fo->event, .weight = count, .count = 1 };
	const struct hd_symbol *leaf;

	p->read++;
	if (fo->opts->select.weight == HD_WEIGHT_SAMPLES)
		row.weight = 1;
	for (size_t at = 0; at <= n; ) {
		const char *semi = memchr(s + at, ';', n - at);
		size_t len = semi ? (size_t)(semi - s) - at : n - at;

		if (at == 0 && p->keys & HD_KEY_COMM) {
			/* By convention the first frame is the command. */
			hd_buf_reset(&fo->name);
			hd_dec_folded(&fo->name, s, len);
			row.comm = hd_profile_name(p, hd_buf_str(&fo->name));
		} else {
			row.self = frame_of(fo, s + at, len);
			row.stack = hd_stacks_add(p->stacks, row.stack, row.self);
		}
		at += len + 1;
	}
	leaf = &p->symbols[p->frames[row.self.v].symbol];
	if (!hd_selector_comm(&fo->select, hd_profile_str(p, row.comm)) ||
	    !hd_selector_symbol(&fo->select, hd_profile_str(p, leaf->name), hd_profile_str(p, leaf->linkage))) {
		hd_profile_drop(p, "not selected", 1);
		return;
	}
	p->kept++;
	hd_profile_add_sample(p, &row);
}

static void add_line(struct folded *fo, const char *line, size_t n, const char *path, uint64_t number)
{
	struct hd_log *log = &fo->p->log;
	size_t stack_len;
	uint64_t count;
	bool cut;

	if (n && line[n - 1] == '\r')
		n--;
	if (!n || line[0] == '#')
		return;
	if (!split_count(line, n, &stack_len, &count, &cut)) {
		hd_warn(log, "lost.folded-line", "each line is `frame;frame COUNT`", "%s: line %llu has no count and was skipped",
			path, (unsigned long long)number);
		return;
	}
	if (cut)
		hd_warn(log, "folded.fraction", "", "%s: line %llu: the decimals of its count were dropped", path,
			(unsigned long long)number);
	add_stack(fo, line, stack_len, count);
}

int hd_ingest_folded(struct hd_profile *p, int fd, const char *path, const struct hd_ingest_opts *opts, struct hd_err *err)
{
	struct folded fo = { .p = p, .opts = opts };
	struct hd_buf text = { 0 };
	uint64_t number = 0;
	int rc;

	rc = hd_selector_init(&fo.select, &opts->select, err);
	if (rc < 0)
		return rc;
	rc = hd_file_slurp(fd, path, 1ull << MAX_BYTES_SHIFT, &text, err);
	if (rc >= 0) {
		fo.object = hd_profile_add_object(p, "[folded]", "", false);
		fo.event = hd_profile_add_event(p, "folded", "samples");
		for (size_t at = 0; at < text.len; number++) {
			const char *nl = memchr(text.data + at, '\n', text.len - at);
			size_t len = nl ? (size_t)(nl - text.data) - at : text.len - at;

			add_line(&fo, text.data + at, len, path, number + 1);
			at += len + 1;
		}
		p->recording.format = "folded";
		p->recording.mode = "file";
		p->recording.bytes = text.len;
	}
	hd_buf_release(&fo.name);
	hd_buf_release(&text);
	hd_selector_release(&fo.select);
	return rc;
}
