/*
 * perf_script_line.c - see perf_script_line.h
 */
#include "pipeline/perf_script_line.h"

#include "base/hex.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct hd_script_text trim(const char *s, size_t n)
{
	while (n && is_blank(*s)) {
		s++;
		n--;
	}
	while (n && is_blank(s[n - 1]))
		n--;
	return (struct hd_script_text){ s, n };
}

/* Take the word at the start of *t, which has no leading blanks, and the blanks after it. */
static struct hd_script_text take_word(struct hd_script_text *t)
{
	struct hd_script_text w = *t;

	for (w.n = 0; w.n < t->n && !is_blank(t->s[w.n]);)
		w.n++;
	*t = trim(t->s + w.n, t->n - w.n);
	return w;
}

/* Take the word at the end of *t, and the blanks before it. */
static struct hd_script_text take_last_word(struct hd_script_text *t)
{
	size_t n = t->n;

	while (n && !is_blank(t->s[n - 1]))
		n--;
	struct hd_script_text w = { t->s + n, t->n - n };

	*t = trim(t->s, n);
	return w;
}

/* Parse n decimal digits.  Returns false if there is something else or the number exceeds `most`. */
static bool decimal(const char *s, size_t n, uint64_t most, uint64_t *v)
{
	*v = 0;
	for (size_t i = 0; i < n; i++)
		if (!is_digit(s[i]) || __builtin_mul_overflow(*v, 10u, v) ||
		    __builtin_add_overflow(*v, (uint64_t)(s[i] - '0'), v))
			return false;
	return n && *v <= most;
}

static bool id(const char *s, size_t n, int32_t *v)
{
	bool minus = n > 1 && *s == '-';
	uint64_t u;

	if (!decimal(s + minus, n - minus, INT32_MAX, &u))
		return false;
	*v = minus ? -(int32_t)u : (int32_t)u;
	return true;
}

/* Parse the ids of an event: `1234` is a thread, `1234/1235` a process and its thread. */
static bool ids(struct hd_script_text w, struct hd_script_event *e)
{
	const char *slash = memchr(w.s, '/', w.n);
	size_t n = slash ? (size_t)(slash - w.s) : w.n;

	if (!slash)
		return id(w.s, n, &e->tid);
	return id(w.s, n, &e->pid) && id(slash + 1, w.n - n - 1, &e->tid);
}

/* Parse the CPU of an event, `[003]`. */
static bool cpu(struct hd_script_text w, uint32_t *v)
{
	uint64_t u;

	if (w.n < 3 || w.s[0] != '[' || w.s[w.n - 1] != ']' || !decimal(w.s + 1, w.n - 2, UINT32_MAX, &u))
		return false;
	*v = (uint32_t)u;
	return true;
}

/* Parse the time of an event, `12.345678:`, in seconds with at least three decimals. */
static bool time_of(struct hd_script_text w, uint64_t *ns)
{
	const char *dot = memchr(w.s, '.', w.n);
	size_t whole = dot ? (size_t)(dot - w.s) : 0, part = dot ? w.n - whole - 2 : 0;
	uint64_t s, f;

	if (!dot || w.n < whole + 5 || w.s[w.n - 1] != ':' || part > 9 ||
	    !decimal(w.s, whole, UINT64_MAX / 1000000000u, &s) || !decimal(dot + 1, part, 999999999, &f))
		return false;
	for (; part < 9; part++)
		f *= 10;
	return !__builtin_mul_overflow(s, UINT64_C(1000000000), &s) && !__builtin_add_overflow(s, f, ns);
}

/* Find the time.  Set *before and *after to the text on both sides of it.  Returns false if there is no time. */
static bool split_at_time(struct hd_script_text line, struct hd_script_text *before, struct hd_script_text *after,
	uint64_t *ns)
{
	struct hd_script_text rest = line;

	while (rest.n) {
		struct hd_script_text w = take_word(&rest);

		if (time_of(w, ns)) {
			*before = trim(line.s, (size_t)(w.s - line.s));
			*after = rest;
			return true;
		}
	}
	return false;
}

/* Parse `comm pid/tid [cpu] misc`.  It is read from its end, because the comm can contain blanks. */
static void parse_task(struct hd_script_event *e, struct hd_script_text t)
{
	enum { MISC_WORDS = 3 };	/* `-F misc` and flags: K, PU, ... */
	struct hd_script_text all = t, misc = t;

	for (int i = 0; i <= MISC_WORDS && misc.n; i++) {
		struct hd_script_text w = take_last_word(&misc);

		if (cpu(w, &e->cpu)) {
			t = all = misc;
			i--;
		} else if (ids(w, e)) {
			t = misc;
			break;
		}
	}
	e->comm = e->tid < 0 ? all : t;
}

/*
 * Parse `period event: rest`.  The name of an event can contain colons and blanks.  It ends at a colon that is followed
 * by a blank or by the end of the line.
 */
static void parse_event_name(struct hd_script_event *e, struct hd_script_text t)
{
	struct hd_script_text rest = t, w = take_word(&rest);

	if (decimal(w.s, w.n, UINT64_MAX, &e->period) && rest.n) {
		e->has_period = true;
		t = rest;
	}
	for (size_t i = 0; i < t.n; i++) {
		if (t.s[i] != ':' || (i + 1 < t.n && !is_blank(t.s[i + 1])))
			continue;
		e->event = trim(t.s, i);
		e->rest = trim(t.s + i + 1, t.n - i - 1);
		return;
	}
	e->rest = t;
}

/* Parse an event without a time: the first number after the comm is the thread. */
static bool parse_without_time(struct hd_script_event *e, struct hd_script_text line)
{
	struct hd_script_text rest = line;

	take_word(&rest);		/* the comm has at least one word */
	while (rest.n) {
		struct hd_script_text from = rest, w = take_word(&rest), maybe_cpu = rest;

		if (!ids(w, e))
			continue;
		e->comm = trim(line.s, (size_t)(from.s - line.s));
		w = take_word(&maybe_cpu);
		if (cpu(w, &e->cpu))
			rest = maybe_cpu;
		parse_event_name(e, rest);
		if (e->event.n || !rest.n)
			return true;
		e->pid = e->tid = -1;
		e->has_period = false;
	}
	/* the line has no thread: it is `comm event:`, `comm period event:` or `event:` */
	if (line.s[line.n - 1] != ':')
		return false;
	rest = trim(line.s, line.n - 1);
	e->event = take_last_word(&rest);
	if (rest.n) {
		struct hd_script_text before = rest, w = take_last_word(&before);

		e->has_period = decimal(w.s, w.n, UINT64_MAX, &e->period);
		e->comm = e->has_period ? before : rest;
	}
	e->rest = (struct hd_script_text){ line.s + line.n, 0 };
	return e->event.n > 0;
}

bool hd_script_event_parse(struct hd_script_event *e, const char *line, size_t n)
{
	struct hd_script_text t = trim(line, n), before, after;

	*e = (struct hd_script_event){ .pid = -1, .tid = -1, .cpu = UINT32_MAX };
	if (!t.n)
		return false;
	if (split_at_time(t, &before, &after, &e->time_ns)) {
		e->has_time = true;
		parse_task(e, before);
		parse_event_name(e, after);
		return true;
	}
	return parse_without_time(e, t);
}

/* ---- frames ---- */

/* Parse the hexadecimal word of up to 16 digits at the start.  Returns its length, 0 if there is none. */
static size_t address(const char *s, size_t n, uint64_t *v)
{
	size_t i = 0;

	*v = 0;
	for (; i < n && i < 16 && hd_hex_digit(s[i]) >= 0; i++)
		*v = *v << 4 | (uint64_t)hd_hex_digit(s[i]);
	return i && (i == n || is_blank(s[i])) ? i : 0;
}

/* Remove an offset such as `+0x1f` from the end of *t. */
static void cut_offset(struct hd_script_text *t)
{
	size_t i = t->n;

	while (i > 0 && hd_hex_digit(t->s[i - 1]) >= 0)
		i--;
	if (i < t->n && i > 3 && !memcmp(t->s + i - 3, "+0x", 3))
		t->n = i - 3;
}

/* Split ` (OBJECT)` from the end of *t.  The object can contain blanks and pairs of parentheses. */
static struct hd_script_text take_object(struct hd_script_text *t)
{
	struct hd_script_text none = { t->s + t->n, 0 }, object;
	size_t depth = 0, i = t->n;

	if (!t->n || t->s[t->n - 1] != ')')
		return none;
	while (i > 0) {
		i--;
		depth += t->s[i] == ')';
		if (t->s[i] == '(' && --depth == 0)
			break;
	}
	if (depth || (i && !is_blank(t->s[i - 1])))
		return none;
	object = (struct hd_script_text){ t->s + i + 1, t->n - i - 2 };
	*t = trim(t->s, i);
	return object;
}

static bool equals(struct hd_script_text t, const char *s)
{
	return t.n == strlen(s) && !memcmp(t.s, s, t.n);
}

bool hd_script_frame_parse(struct hd_script_frame *f, const char *line, size_t n, bool strict)
{
	struct hd_script_text t = trim(line, n);
	size_t digits;

	*f = (struct hd_script_frame){ 0 };
	digits = address(t.s, t.n, &f->address);
	if (!digits) {
		f->address = 0;
	} else {
		f->has_address = true;
		t = trim(t.s + digits, t.n - digits);
	}
	f->object = take_object(&t);
	if (strict && (!digits || !f->object.n))
		return false;
	if (equals(f->object, "inlined")) {
		f->inlined = true;
		f->object.n = 0;
	}
	if (equals(f->object, "[unknown]"))
		f->object.n = 0;
	cut_offset(&f->object);
	cut_offset(&t);
	f->symbol = t;
	if (equals(t, "[unknown]"))
		f->symbol.n = 0;
	return digits || t.n;
}

bool hd_script_source_parse(struct hd_script_text *file, uint32_t *number, const char *line, size_t n)
{
	struct hd_script_text t = trim(line, n);
	size_t i = t.n;
	uint64_t v;

	while (i > 0 && is_digit(t.s[i - 1]))
		i--;
	if (i < 2 || t.s[i - 1] != ':' || !decimal(t.s + i, t.n - i, UINT32_MAX, &v))
		return false;
	*file = (struct hd_script_text){ t.s, i - 1 };
	*number = (uint32_t)v;
	return true;
}

/* ---- kinds of lines ---- */

/*
 * Return true for a source line: `app.c:42`, or `libc.so.6[4ca30]` if the line is unknown, or a text of source code (-F
 * srccode), which begins with a bar.
 */
static bool is_source(struct hd_script_text t)
{
	struct hd_script_text file;
	uint32_t number;

	return t.s[0] == '|' || t.s[t.n - 1] == ']' || hd_script_source_parse(&file, &number, t.s, t.n);
}

enum hd_script_line hd_script_line_kind(const char *line, size_t n, bool in_event, bool after_frame)
{
	struct hd_script_text t = trim(line, n), before, after;
	struct hd_script_event e;
	uint64_t v;

	if (split_at_time(t, &before, &after, &v))
		return HD_SCRIPT_EVENT;
	if (in_event && address(t.s, t.n, &v) && (is_blank(line[0]) || t.s[t.n - 1] == ')'))
		return hd_script_event_parse(&e, line, n) && e.event.n && t.s[t.n - 1] == ':' ? HD_SCRIPT_EVENT
											      : HD_SCRIPT_FRAME;
	if (!is_blank(line[0]))
		return HD_SCRIPT_EVENT;
	if (after_frame && is_source(t))
		return HD_SCRIPT_SOURCE;
	if (hd_script_event_parse(&e, line, n) && e.event.n && t.s[t.n - 1] == ':')
		return HD_SCRIPT_EVENT;
	return in_event || address(t.s, t.n, &v) || t.s[t.n - 1] == ')' ? HD_SCRIPT_FRAME : HD_SCRIPT_OTHER;
}
