/*
 * trace_events.c - see trace_events.h
 */
#include "gpu/trace_events.h"

#include "base/file.h"
#include "base/gunzip.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 256 * 1024, MAX_ITEM = 64 << 20 };

enum state { BEGIN, IN_OBJECT, IN_EVENTS, END };

struct hd_trace_events {
	const char *path;
	struct hd_log *log;
	struct hd_gunzip *in;
	char *buf;
	size_t at, len, cap;		/* unread: buf[at..len) */
	uint64_t base;			/* offset of buf[0] in the text */
	bool eof;
	bool bare;			/* the trace is an array of events, without an object around it */
	bool comma;			/* the next item must follow a comma */
	enum state state;
	struct hd_buf key;
};

struct hd_trace_events *hd_trace_events_new(int fd, const char *path, struct hd_log *log)
{
	struct hd_trace_events *t = hd_new(struct hd_trace_events);

	t->path = path;
	t->log = log;
	t->in = hd_gunzip_new(fd, path);
	t->cap = CHUNK;
	t->buf = hd_alloc(t->cap);
	return t;
}

void hd_trace_events_free(struct hd_trace_events *t)
{
	if (!t)
		return;
	hd_gunzip_free(t->in);
	hd_buf_release(&t->key);
	free(t->buf);
	free(t);
}

/* Read more text into the buffer.  Returns 1; 0 at the end of the text, or if an item exceeds MAX_ITEM; or HD_EIO. */
static int fill(struct hd_trace_events *t, struct hd_err *err)
{
	ssize_t got;

	if (t->eof || t->len - t->at >= MAX_ITEM)
		return 0;
	memmove(t->buf, t->buf + t->at, t->len - t->at);
	t->base += t->at;
	t->len -= t->at;
	t->at = 0;
	if (t->len > t->cap / 2) {
		t->cap *= 2;
		t->buf = hd_realloc(t->buf, t->cap, 1);
	}
	got = hd_gunzip_read(t->in, t->buf + t->len, t->cap - t->len, err);
	if (got < 0)
		return (int)got;
	t->eof = (size_t)got < t->cap - t->len;
	t->len += (size_t)got;
	return got > 0;
}

/* Skip white space.  Returns 1 with *c the next character, 0 at the end of the text, or HD_EIO. */
static int next_char(struct hd_trace_events *t, char *c, struct hd_err *err)
{
	int rc;

	for (;;) {
		t->at += hd_json_scan_blanks(t->buf + t->at, t->len - t->at);
		if (t->at < t->len) {
			*c = t->buf[t->at];
			return 1;
		}
		rc = fill(t, err);
		if (rc <= 0)
			return rc;
	}
}

static int damaged(struct hd_trace_events *t, uint64_t offset, const char *what)
{
	uint64_t packed;
	const char *why = hd_gunzip_damage(t->in, &packed);

	t->state = END;
	if (why)
		hd_warn(t->log, "lost.trace", "copy the file again, or record again",
			"%s: %s at byte %llu of the file; the events before it were read", t->path, why,
			(unsigned long long)packed);
	else
		hd_warn(t->log, "lost.trace", "copy the file again, or record again",
			"%s: %s at offset %llu; the events before it were read", t->path, what,
			(unsigned long long)offset);
	return 0;
}

static int cut(struct hd_trace_events *t)
{
	if (t->len - t->at >= MAX_ITEM)
		return damaged(t, t->base + t->at, "a value of more than 64 MiB begins");
	return damaged(t, t->base + t->len, "the JSON text ends too early");
}

/* Read the value at `at` and advance to its end.  Returns 1, 0 after a warning about damage, or HD_EIO. */
static int take_value(struct hd_trace_events *t, struct hd_json_text *value, struct hd_err *err)
{
	size_t n;
	int rc;

	for (;;) {
		switch (hd_json_scan(t->buf + t->at, t->len - t->at, &n)) {
		case HD_JSON_WHOLE:
			*value = (struct hd_json_text){ t->buf + t->at, n };
			t->at += n;
			return 1;
		case HD_JSON_BAD:
			return damaged(t, t->base + t->at + n, "the JSON text is damaged");
		case HD_JSON_CUT:
			rc = fill(t, err);
			if (rc < 0)
				return rc;
			if (!rc)
				return cut(t);
		}
	}
}

/* Skip the next character.  Returns 1; 0 after a warning, if it is not c or the text has ended; or HD_EIO. */
static int take_char(struct hd_trace_events *t, char c, struct hd_err *err)
{
	char is;
	int rc = next_char(t, &is, err);

	if (rc < 0)
		return rc;
	if (!rc)
		return cut(t);
	if (is != c)
		return damaged(t, t->base + t->at, "the JSON text is damaged");
	t->at++;
	return 1;
}

/*
 * Check the end of the trace: nothing may follow the last item, and the checksum of a gzipped file must be right; warn
 * otherwise.  Returns 0 or HD_EIO.
 */
static int finish(struct hd_trace_events *t, struct hd_err *err)
{
	uint64_t packed;
	char c;
	int rc = next_char(t, &c, err);

	t->state = END;
	if (rc < 0)
		return rc;
	if (rc > 0)
		return damaged(t, t->base + t->at, "something else follows the trace");
	return hd_gunzip_damage(t->in, &packed) ? cut(t) : 0;
}

/*
 * Skip the comma between two items, or the bracket after the last.  Returns 1 before an item, 0 at the end or at
 * damage, or HD_EIO.
 */
static int begin_item(struct hd_trace_events *t, char closing, struct hd_err *err)
{
	uint64_t packed;
	char c;
	int rc = next_char(t, &c, err);

	if (rc > 0 && c == ',' && t->comma) {
		t->at++;
		t->comma = false;
		rc = next_char(t, &c, err);
	}
	if (rc < 0)
		return rc;
	if (!rc && t->bare && !hd_gunzip_damage(t->in, &packed)) {
		t->state = END;
		return 0;
	}
	if (!rc)
		return cut(t);
	if (c != closing && t->comma)
		return damaged(t, t->base + t->at, "the JSON text is damaged");
	t->comma = true;
	if (c != closing)
		return 1;
	t->at++;
	if (t->state == IN_OBJECT || t->bare)
		return finish(t, err);
	t->state = IN_OBJECT;
	return 0;
}

static int next_event(struct hd_trace_events *t, struct hd_trace_item *item, struct hd_err *err)
{
	int rc = begin_item(t, ']', err);

	item->key = (struct hd_json_text){ NULL, 0 };
	return rc > 0 ? take_value(t, &item->value, err) : rc;
}

/*
 * Read the next member of the outermost object.  Returns 1; 0 after the last member, at damage, or if the member is the
 * list of events; or HD_EIO.
 */
static int next_member(struct hd_trace_events *t, struct hd_trace_item *item, struct hd_err *err)
{
	char c;
	int rc = begin_item(t, '}', err);

	if (rc > 0)
		rc = take_value(t, &item->key, err);
	if (rc <= 0)
		return rc;
	if (item->key.s[0] != '"' || item->key.len < 2)
		return damaged(t, t->base + t->at, "the JSON text is damaged");
	hd_buf_reset(&t->key);	/* copy the key, because the next reads can move the text */
	hd_buf_add(&t->key, item->key.s + 1, item->key.len - 2);
	item->key = (struct hd_json_text){ t->key.data, t->key.len };
	rc = take_char(t, ':', err);
	if (rc > 0)
		rc = next_char(t, &c, err);
	if (rc <= 0)
		return rc < 0 || t->state == END ? rc : cut(t);
	if (c != '[' || !hd_json_text_is(item->key, "traceEvents"))
		return take_value(t, &item->value, err);
	t->at++;
	t->comma = false;
	t->state = IN_EVENTS;
	return 0;
}

static int begin(struct hd_trace_events *t, struct hd_err *err)
{
	char c;
	int rc = next_char(t, &c, err);

	if (rc <= 0)
		return rc < 0 ? rc : cut(t);
	if (c != '{' && c != '[')
		return damaged(t, t->base + t->at, "the JSON text is damaged");
	t->at++;
	t->bare = c == '[';
	t->state = t->bare ? IN_EVENTS : IN_OBJECT;
	return 0;
}

int hd_trace_events_next(struct hd_trace_events *t, struct hd_trace_item *item, struct hd_err *err)
{
	int rc = 0;

	while (!rc && t->state != END) {
		switch (t->state) {
		case BEGIN:	rc = begin(t, err); break;
		case IN_OBJECT:	rc = next_member(t, item, err); break;
		case IN_EVENTS:	rc = next_event(t, item, err); break;
		case END:	break;
		}
	}
	if (rc > 0)
		item->offset = t->base + t->at - item->value.len;
	return rc;
}

/* ---- what a file is ---- */

static bool begins_like_one(const char *s, size_t n)
{
	size_t at = hd_json_scan_blanks(s, n);

	if (at >= n)
		return false;
	if (s[at] == '{')
		return memmem(s, n, "\"traceEvents\"", 13) || memmem(s, n, "\"schemaVersion\"", 15);
	if (s[at] != '[')
		return false;
	at++;
	at += hd_json_scan_blanks(s + at, n - at);
	return at < n && s[at] == '{' && memmem(s, n, "\"ph\"", 4);
}

bool hd_trace_events_is(const char *head, size_t n)
{
	char *text;
	bool is;

	if (!hd_gunzip_is(head, n))
		return begins_like_one(head, n);
	text = hd_alloc(HD_FILE_HEAD);
	is = begins_like_one(text, hd_gunzip_head(head, n, text, HD_FILE_HEAD));
	free(text);
	return is;
}
