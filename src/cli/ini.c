/*
 * ini.c - see ini.h
 *
 * How long a line may be, whether ` ;` ends a value, whether a value may go on
 * in the next line and how much of a name is kept are fixed when inih is
 * built, differently from system to system.  So inih never sees a value.  Our
 * reader hands it
 *
 *     [section]          as it is, checked for length before
 *     key = 17           the number of the line instead of the value
 *
 * and the handler looks line 17 up.  That also tells the handler its line,
 * which inih would not.
 */
#include "cli/ini.h"

#include "base/file.h"
#include "base/mem.h"
#include "history/checkout.h"
#include "history/checkout_owner.h"

#include <ctype.h>
#include <ini.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const key_names[HD_INI_KEYS] = {
	[HD_INI_DESCRIPTION] = "description",
	[HD_INI_BUILD] = "build", [HD_INI_RUN] = "run", [HD_INI_DIR] = "dir", [HD_INI_MODES] = "modes",
	[HD_INI_EVENT] = "event", [HD_INI_FREQUENCY] = "frequency", [HD_INI_CALL_GRAPH] = "call_graph",
	[HD_INI_MAX_SIZE] = "max_size", [HD_INI_DURATION] = "duration", [HD_INI_CPUS] = "cpus",
	[HD_INI_CONFIG] = "config",
	[HD_INI_LATENCY_CSV] = "latency_csv", [HD_INI_MEMORY_CSV] = "memory_csv", [HD_INI_POWER_CSV] = "power_csv",
	[HD_INI_RESULTS_CSV] = "results_csv", [HD_INI_SERIES_CSV] = "series_csv", [HD_INI_WORK] = "work",
	[HD_INI_KV_CACHE] = "kv_cache", [HD_INI_ACTIVATION] = "activation", [HD_INI_TEMP_BUFFER] = "temp_buffer",
	[HD_INI_SKIP] = "skip",
	[HD_INI_ENV] = "env", [HD_INI_LIMITS] = "limits", [HD_INI_PIN] = "pin", [HD_INI_RULES] = "rules",
};

/* A piece of the text; not terminated. */
struct span {
	const char *s;
	size_t n;
};

struct parse {
	struct hd_ini *out;
	const char *path;
	struct hd_log *log;
	struct hd_err *err;
	int rc;

	const char *at, *end;		/* what is left of the text */
	unsigned line;			/* of the line handed out last */
	unsigned value_line;		/* of value */
	struct span value;		/* of that line */

	const char **open;		/* where the value being collected belongs, or NULL */
	const char *nowhere;		/* the place of values that are left out */
	struct hd_buf more;		/* its lines so far, parted by \n */
	size_t indent;			/* of its first line: lines further in go on */

	unsigned section_line;		/* of a [section] with no key yet; 0: a key was there */
	int target;			/* the index of the one we are in, or -1 */
	bool skip;			/* a section that we do not know */
};

const char *hd_ini_key_name(enum hd_ini_key key)
{
	return key_names[key];
}

static int bad_at(struct parse *p, unsigned line, const char *what)
{
	p->rc = hd_fail(p->err, HD_EFORMAT, "%s:%u: %s", p->path, line, what);
	return p->rc;
}

static int bad(struct parse *p, const char *what)
{
	return bad_at(p, p->line, what);
}

static struct span trim(const char *s, size_t n)
{
	while (n && isspace((unsigned char)*s))
		s++, n--;
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	return (struct span){ s, n };
}

/* ---- the lines, as inih gets to see them */

/* The next line of the text, without its end.  False at the end of the text. */
static bool next_line(struct parse *p, struct span *line)
{
	const char *nl;

	if (p->at == p->end)
		return false;
	nl = memchr(p->at, '\n', (size_t)(p->end - p->at));
	line->s = p->at;
	line->n = (size_t)((nl ? nl : p->end) - p->at);
	p->at = nl ? nl + 1 : p->end;
	p->line++;
	return true;
}

static int check_section(struct parse *p, struct span t)
{
	if (t.s[t.n - 1] != ']')
		return bad(p, "a section ends with ]");
	if (t.n - 2 > sizeof("target ") - 1 + HD_INI_MAX_NAME)
		return bad(p, "the name of a section is too long");
	if (memchr(t.s, ';', t.n) || memchr(t.s + 1, ']', t.n - 2))
		return bad(p, "a section is [hotdrift] or [target NAME]");
	return 0;
}

/* No line goes on with the value that was being collected. */
static void end_value(struct parse *p)
{
	if (p->open)
		*p->open = hd_arena_strndup(&p->out->arena, hd_buf_str(&p->more), p->more.len);
	p->open = NULL;
}

/* Write what inih shall read of this line to `to`, of at least 128 bytes. */
static int disguise(struct parse *p, struct span line, char *to)
{
	struct span t = trim(line.s, line.n), key;
	const char *eq;

	*to = '\0';
	if (!t.n || *t.s == ';' || *t.s == '#')
		return 0;
	if (p->open && (size_t)(t.s - line.s) > p->indent) {
		if (p->more.len)
			hd_buf_addc(&p->more, '\n');
		hd_buf_add(&p->more, t.s, t.n);
		return 0;
	}
	end_value(p);
	if (*t.s == '[') {
		if (check_section(p, t) < 0)
			return p->rc;
		p->section_line = p->line;
		sprintf(to, "%.*s\n", (int)t.n, t.s);
		return 0;
	}
	eq = memchr(t.s, '=', t.n);
	if (!eq)
		return bad(p, "neither a [section], a comment nor key = value");
	key = trim(t.s, (size_t)(eq - t.s));
	if (!key.n || key.n > HD_INI_MAX_NAME)
		return bad(p, key.n ? "the name of the key is too long" : "the name of the key is missing");
	for (size_t i = 0; i < key.n; i++)
		if (!isalnum((unsigned char)key.s[i]) && !strchr("_-.", key.s[i]))
			return bad(p, "a key is letters, digits, _ - and .");
	p->value = trim(eq + 1, (size_t)(t.s + t.n - eq - 1));
	p->value_line = p->line;
	p->indent = (size_t)(t.s - line.s);
	sprintf(to, "%.*s = %u\n", (int)key.n, key.s, p->line);
	return 0;
}

/* inih's fgets: one line into str, or NULL at the end and after a failure. */
static char *read_line(char *str, int num, void *stream)
{
	struct parse *p = stream;
	struct span line;
	char text[160];

	if (p->rc < 0 || !next_line(p, &line))
		return NULL;
	if (line.n > HD_INI_MAX_LINE || num < (int)sizeof(text)) {
		bad(p, "the line is too long");
		return NULL;
	}
	if (disguise(p, line, text) < 0)
		return NULL;
	strcpy(str, *text ? text : "\n");
	return str;
}

/* ---- what inih makes of them */

static bool is_name(const char *s)
{
	size_t n = strlen(s);

	if (!n || n > HD_INI_MAX_NAME || *s == '-' || *s == '.')
		return false;
	return strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-") == n;
}

/* A section that is there only by name would not reach the handler: harmless, it says nothing. */
static int enter_section(struct parse *p, const char *section)
{
	struct hd_ini *ini = p->out;
	const unsigned line = p->section_line;
	const char *name;

	p->section_line = 0;
	p->target = -1;
	p->skip = false;
	if (!strcmp(section, "hotdrift"))
		return 0;
	if (strncmp(section, "target", 6) || (section[6] && section[6] != ' ')) {
		p->skip = true;
		hd_warn(p->log, "ini.unknown-section", "", "%s:%u: unknown section [%s] is left out", p->path, line,
			section);
		return 0;
	}
	for (name = section + 6; *name == ' '; name++)
		;
	if (!is_name(name))
		return bad_at(p, line, "the name of a target is letters, digits and . _ + -");
	for (size_t i = 0; i < ini->ntargets; i++) {
		if (!strcmp(ini->targets[i].name, name)) {
			p->rc = hd_fail(p->err, HD_EFORMAT, "%s:%u: target %s is there already, at line %u",
					p->path, line, name, ini->targets[i].line);
			return p->rc;
		}
	}
	if (ini->ntargets == HD_INI_MAX_TARGETS)
		return bad_at(p, line, "too many targets");
	HD_GROW(ini->targets, ini->ntargets + 1, ini->cap);
	ini->targets[ini->ntargets] = (struct hd_ini_target){
		.name = hd_arena_strndup(&ini->arena, name, strlen(name)), .line = line,
	};
	p->target = (int)ini->ntargets++;
	return 0;
}

/* Where the value of `key` goes in this section; *line is the line that set it.  NULL: unknown. */
static const char **place_of(struct parse *p, const char *key, unsigned **line)
{
	struct hd_ini_target *t;

	*line = NULL;
	if (p->target < 0)
		return !strcmp(key, "db") ? &p->out->db : !strcmp(key, "results") ? &p->out->results :
		       !strcmp(key, "remote") ? &p->out->remote : NULL;
	t = &p->out->targets[p->target];
	for (int k = 0; k < HD_INI_KEYS; k++) {
		if (!strcmp(key_names[k], key)) {
			*line = &t->value_line[k];
			return &t->value[k];
		}
	}
	return NULL;
}

/* Returns what inih wants: nonzero to go on. */
static int on_pair(void *user, const char *section, const char *key, const char *number)
{
	struct parse *p = user;
	const char **place;
	unsigned *line = NULL;

	if (p->rc < 0)
		return 0;
	if (strtoul(number, NULL, 10) != p->value_line)		/* not by our reader: cannot happen */
		return bad(p, "cannot be read"), 0;
	if (!*section)
		return bad(p, "a key before the first section"), 0;
	if (p->section_line && enter_section(p, section) < 0)
		return 0;
	place = p->skip ? &p->nowhere : place_of(p, key, &line);
	if (!place) {
		hd_warn(p->log, "ini.unknown-key", "", "%s:%u: unknown key %s in [%s] is left out", p->path, p->line,
			key, section);
		place = &p->nowhere;
	}
	if (*place && place != &p->nowhere)
		return bad(p, "the key is set twice in its section"), 0;
	if (line)
		*line = p->line;
	hd_buf_reset(&p->more);
	hd_buf_add(&p->more, p->value.s, p->value.n);
	p->open = place;
	return 1;
}

/* ---- what the values must be */

static bool is_one_of(const char *word, size_t n, const char *words)
{
	while (*words) {
		size_t len = strcspn(words, " ");

		if (len == n && !memcmp(words, word, n))
			return true;
		words += len + (words[len] == ' ');
	}
	return false;
}

static bool are_modes(const char *s)
{
	static const char sep[] = ", \t\n";

	for (s += strspn(s, sep); *s; s += strspn(s, sep)) {
		size_t n = strcspn(s, sep);

		if (!is_one_of(s, n, "cpu memory gpu async syscall power all"))
			return false;
		s += n;
	}
	return true;
}

static bool is_number(const char *s, unsigned long max)
{
	return *s && strlen(s) <= 9 && strspn(s, "0123456789") == strlen(s) && strtoul(s, NULL, 10) - 1 < max;
}

static bool is_call_graph(const char *s)
{
	return is_one_of(s, strlen(s), "auto fp dwarf lbr") || (!strncmp(s, "dwarf,", 6) && is_number(s + 6, 65528));
}

/* 100M and its like, at most 32 TiB. */
static bool is_size(const char *s)
{
	size_t digits = strspn(s, "0123456789");
	const char *unit = "BKMG";
	int shift = 0;

	if (!digits || *s == '0' || digits > 12 || (s[digits] && s[digits + 1]))
		return false;
	if (s[digits]) {
		const char *at = strchr(unit, s[digits]);

		if (!at)
			return false;
		shift = 10 * (int)(at - unit);
	}
	return strtoull(s, NULL, 10) <= 1ull << (45 - shift);
}

/* 5000, 2.5e3 */
static bool is_amount(const char *s)
{
	char *end;
	double v;

	if (s[strspn(s, "0123456789.eE+")])
		return false;
	v = strtod(s, &end);
	return end != s && !*end && v > 0 && isfinite(v);
}

/* Lines NAME=FILE. */
static bool are_named(const char *s)
{
	while (*s) {
		size_t n = strcspn(s, "\n"), name = strcspn(s, "=");

		if (!name || name + 1 >= n)
			return false;
		s += n + (s[n] == '\n');
	}
	return true;
}

/* What is wrong with the value, or NULL. */
static const char *objection(enum hd_ini_key key, const char *v)
{
	if (!*v)
		return "has no value";
	switch (key) {
	case HD_INI_MODES:
		return are_modes(v) ? NULL : "takes some of cpu, memory, gpu, async, syscall, power, all";
	case HD_INI_FREQUENCY:
		return is_number(v, 1000000) ? NULL : "takes a number from 1 to 1000000";
	case HD_INI_CALL_GRAPH:
		return is_call_graph(v) ? NULL : "takes auto, fp, dwarf, dwarf,BYTES or lbr";
	case HD_INI_MAX_SIZE:
		return is_size(v) ? NULL : "takes bytes, or a number with K, M or G";
	case HD_INI_DURATION:
		return is_number(v, 1000000) ? NULL : "takes a number of seconds from 1 to 1000000";
	case HD_INI_CPUS:
		return is_number(v, 65536) ? NULL : "takes a number from 1 to 65536";
	case HD_INI_WORK:
		return is_amount(v) ? NULL : "takes a number above 0";
	case HD_INI_SERIES_CSV:
		return are_named(v) ? NULL : "takes NAME=FILE, one a line";
	case HD_INI_EVENT: case HD_INI_DIR: case HD_INI_CONFIG: case HD_INI_PIN:
	case HD_INI_LATENCY_CSV: case HD_INI_MEMORY_CSV: case HD_INI_POWER_CSV: case HD_INI_RESULTS_CSV:
		return strchr(v, '\n') ? "takes one line" : NULL;
	case HD_INI_DESCRIPTION: case HD_INI_BUILD: case HD_INI_RUN:
	case HD_INI_KV_CACHE: case HD_INI_ACTIVATION: case HD_INI_TEMP_BUFFER: case HD_INI_SKIP:
	case HD_INI_ENV: case HD_INI_LIMITS: case HD_INI_RULES: case HD_INI_KEYS:
		break;
	}
	return NULL;
}

static int check_values(const struct hd_ini *ini, const char *path, struct hd_err *err)
{
	for (size_t i = 0; i < ini->ntargets; i++) {
		const struct hd_ini_target *t = &ini->targets[i];

		for (int k = 0; k < HD_INI_KEYS; k++) {
			const char *why = t->value[k] ? objection(k, t->value[k]) : NULL;

			if (why)
				return hd_fail(err, HD_EFORMAT, "%s:%u: %s of target %s %s", path, t->value_line[k],
					       key_names[k], t->name, why);
		}
	}
	if ((ini->db && (!*ini->db || strchr(ini->db, '\n'))) ||
		(ini->results && (!*ini->results || strchr(ini->results, '\n'))) ||
		(ini->remote && (!*ini->remote || strchr(ini->remote, '\n'))))
		return hd_fail(err, HD_EFORMAT, "%s: db, results and remote of [hotdrift] take one path each", path);
	return 0;
}

/* ---- the module */

int hd_ini_parse(struct hd_ini *out, const char *text, size_t len, const char *path, struct hd_log *log,
	struct hd_err *err)
{
	struct parse p = { .out = out, .path = path, .log = log, .err = err, .target = -1 };
	int line;

	if (len > HD_INI_MAX_BYTES)
		return hd_fail(err, HD_EFORMAT, "%s: %zu bytes; the limit is %d", path, len, HD_INI_MAX_BYTES);
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		text += 3, len -= 3;
	p.at = text;
	p.end = text + len;
	if (memchr(text, '\0', len))
		return hd_fail(err, HD_EFORMAT, "%s: holds a zero byte, so it is no text", path);
	line = ini_parse_stream(read_line, &p, on_pair, &p);
	end_value(&p);
	if (line < 0 && p.rc >= 0)
		p.rc = hd_fail(err, HD_EIO, "%s: inih has no memory", path);
	if (line > 0 && p.rc >= 0)
		p.rc = hd_fail(err, HD_EFORMAT, "%s:%d: cannot be read", path, line);
	if (p.rc >= 0)
		p.rc = check_values(out, path, err);
	hd_buf_release(&p.more);
	if (p.rc < 0)
		hd_ini_release(out);
	return p.rc;
}

int hd_ini_read(struct hd_ini *out, const char *path, struct hd_log *log, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	int fd, rc;

	fd = hd_file_open(path, err);
	if (fd < 0)
		return fd;
	rc = hd_file_slurp(fd, path, HD_INI_MAX_BYTES, &text, err);
	close(fd);
	if (rc >= 0)
		rc = hd_ini_parse(out, hd_buf_str(&text), text.len, path, log, err);
	hd_buf_release(&text);
	return rc;
}

void hd_ini_release(struct hd_ini *ini)
{
	hd_arena_release(&ini->arena);
	free(ini->targets);
	*ini = (struct hd_ini){ 0 };
}

const struct hd_ini_target *hd_ini_find(const struct hd_ini *ini, const char *name)
{
	for (size_t i = 0; i < ini->ntargets; i++)
		if (!strcmp(ini->targets[i].name, name))
			return &ini->targets[i];
	return NULL;
}

int hd_ini_locate(struct hd_buf *path, const char *from, struct hd_err *err)
{
	size_t n = strlen(from), root = hd_checkout_root(from);

	for (;;) {
		if (hd_checkout_holds(from, n, "hotdrift.ini")) {
			hd_buf_add(path, from, n);
			hd_buf_adds(path, "/hotdrift.ini");
			return access(path->data, F_OK) < 0               ? 0
				: hd_checkout_accept(path->data, err) < 0 ? HD_EFORMAT
									  : 1;
		}
		if (n <= root)
			return 0;
		while (n && from[n - 1] != '/')
			n--;
		n -= n > 0;
	}
}

bool hd_ini_locate_or_warn(struct hd_buf *path, const char *from, struct hd_log *log)
{
	struct hd_err err = { 0 };
	int rc = hd_ini_locate(path, from, &err);

	if (rc < 0)
		hd_warn(log, "ini.other-owner", "", "%s", err.msg);
	return rc > 0;
}
