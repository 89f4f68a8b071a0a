/*
 * ini.c - see ini.h
 *
 * The parser makes one pass over the lines.  The following lines can continue a value, so the parser collects it in
 * `more` and stores it at the first line that does not continue it.
 */
#include "cli/ini.h"

#include "base/file.h"
#include "base/mem.h"
#include "history/checkout.h"
#include "profile/mode.h"
#include "history/checkout_owner.h"

#include <ctype.h>
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
	[HD_INI_COVERS] = "covers",
};

/* A part of the text, not terminated. */
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

	const char *at, *end;		/* the unread text */
	unsigned line;			/* number of the current line */

	const char **open;		/* destination of the value being collected, or NULL */
	const char *ignored;		/* destination of values that are dropped */
	struct hd_buf more;		/* lines read so far of the value being collected, separated by \n */
	size_t indent;			/* indent of the key's line; lines with a larger indent continue its value */

	char section[HD_INI_MAX_NAME + sizeof("target ")];	/* the text between [ and ] */
	/* line of the current [section] header while no key has followed it; 0: a key has followed */
	unsigned section_line;
	int target;			/* index of the current target, or -1 */
	bool owners;			/* the section is [owners] */
	bool skip;			/* the section is unknown */
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

/* ---- lines ---- */

/* Get the next line, without its line end.  Returns false at the end of the text. */
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
		return bad(p, "a section is [hotdrift], [owners] or [target NAME]");
	return 0;
}

/* Store the value that was being collected. */
static void end_value(struct parse *p)
{
	if (p->open)
		*p->open = hd_arena_strndup(&p->out->arena, hd_buf_str(&p->more), p->more.len);
	p->open = NULL;
}

/* ---- sections and keys ---- */

static bool is_name(const char *s)
{
	size_t n = strlen(s);

	if (!n || n > HD_INI_MAX_NAME || *s == '-' || *s == '.')
		return false;
	return strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-") == n;
}

/* Enter a section when its first key is read.  A section without keys is ignored. */
static int enter_section(struct parse *p, const char *section)
{
	struct hd_ini *ini = p->out;
	const unsigned line = p->section_line;
	const char *name;

	p->section_line = 0;
	p->target = -1;
	p->skip = false;
	p->owners = !strcmp(section, "owners");
	if (p->owners || !strcmp(section, "hotdrift"))
		return 0;
	if (strncmp(section, "target", 6) || (section[6] && section[6] != ' ')) {
		p->skip = true;
		hd_warn(p->log, "ini.unknown-section", "", "%s:%u: unknown section [%s] is ignored", p->path, line,
			section);
		return 0;
	}
	for (name = section + 6; *name == ' '; name++)
		;
	if (!is_name(name))
		return bad_at(p, line, "the name of a target is letters, digits and . _ + -");
	for (size_t i = 0; i < ini->ntargets; i++) {
		if (!strcmp(ini->targets[i].name, name)) {
			p->rc = hd_fail(p->err, HD_EFORMAT, "%s:%u: target %s is already defined at line %u",
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

/*
 * Return the destination of the value of `key` in this section, or NULL if the key is unknown.  Set *line to the
 * destination of its line number, or to NULL.
 */
static const char **place_of(struct parse *p, const char *key, unsigned **line)
{
	struct hd_ini_target *t;

	*line = NULL;
	if (p->target < 0 && !strcmp(key, "weights")) {
		*line = &p->out->weights_line;
		return &p->out->weights;
	}
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

/*
 * Add a code owner.  Returns the location where the value of the key, a list of patterns, must be stored, or NULL after
 * an error.  Sets *line to the location of the key's line number.
 */
static const char **owner_of(struct parse *p, const char *key, unsigned **line)
{
	struct hd_ini *ini = p->out;

	for (size_t i = 0; i < ini->nowners; i++) {
		if (!strcmp(ini->owners[i].name, key)) {
			bad(p, "the key is set twice in its section");
			return NULL;
		}
	}
	if (ini->nowners == HD_INI_MAX_OWNERS) {
		bad(p, "too many owners");
		return NULL;
	}
	HD_GROW(ini->owners, ini->nowners + 1, ini->owners_cap);
	ini->owners[ini->nowners] = (struct hd_ini_owner){ .name = hd_arena_strndup(&ini->arena, key, strlen(key)) };
	*line = &ini->owners[ini->nowners].line;
	return &ini->owners[ini->nowners++].patterns;
}

/* Begin to collect the value of a key. */
static int begin_value(struct parse *p, struct span name, struct span value)
{
	const char **place;
	unsigned *line = NULL;
	char key[HD_INI_MAX_NAME + 1];

	snprintf(key, sizeof(key), "%.*s", (int)name.n, name.s);
	if (!*p->section)
		return bad(p, "a key before the first section");
	if (p->section_line && enter_section(p, p->section) < 0)
		return p->rc;
	place = p->skip ? &p->ignored : p->owners ? owner_of(p, key, &line) : place_of(p, key, &line);
	if (p->rc < 0)
		return p->rc;
	if (!place) {
		hd_warn(p->log, "ini.unknown-key", "", "%s:%u: unknown key %s in [%s] is "
			"ignored", p->path, p->line, key,
			p->section);
		place = &p->ignored;
	}
	if (*place && place != &p->ignored)
		return bad(p, "the key is set twice in its section");
	if (line)
		*line = p->line;
	hd_buf_reset(&p->more);
	hd_buf_add(&p->more, value.s, value.n);
	p->open = place;
	return 0;
}

/* Parse one line: a comment, a continuation of a value, a [section], or key = value. */
static int parse_line(struct parse *p, struct span line)
{
	struct span t = trim(line.s, line.n), key;
	const char *eq;

	if (line.n > HD_INI_MAX_LINE)
		return bad(p, "the line is too long");
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
		snprintf(p->section, sizeof(p->section), "%.*s", (int)t.n - 2, t.s + 1);
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
	p->indent = (size_t)(t.s - line.s);
	return begin_value(p, key, trim(eq + 1, (size_t)(t.s + t.n - eq - 1)));
}

/* ---- values ---- */

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
		char *word = hd_strndup(s, n);
		const struct hd_profile_mode *m = hd_profile_mode_find(word);

		free(word);
		if (!m || !m->help)
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

/* Return true if `s` is a size such as 100M, at most 32 TiB. */
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

/* Return true if `s` is a number above 0, such as 5000 or 2.5e3. */
static bool is_amount(const char *s)
{
	char *end;
	double v;

	if (s[strspn(s, "0123456789.eE+")])
		return false;
	v = strtod(s, &end);
	return end != s && !*end && v > 0 && isfinite(v);
}

/* Return true if each line of `s` has the form NAME=FILE. */
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

/* Return a message that describes why the value is invalid, or NULL if it is valid. */
static const char *objection(enum hd_ini_key key, const char *v)
{
	if (!*v)
		return "has no value";
	switch (key) {
	case HD_INI_MODES:
		return are_modes(v) ? NULL : "takes modes of 'hotdrift profile': ";
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
	case HD_INI_ENV: case HD_INI_LIMITS: case HD_INI_RULES: case HD_INI_COVERS:
	case HD_INI_KEYS:
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

			struct hd_buf modes = { 0 };
			int rc;

			if (!why)
				continue;
			if (k == HD_INI_MODES && *t->value[k])
				hd_profile_mode_words(&modes);
			rc = hd_fail(err, HD_EFORMAT, "%s:%u: %s of target %s %s%s", path, t->value_line[k],
				key_names[k], t->name, why, hd_buf_str(&modes));
			hd_buf_release(&modes);
			return rc;
		}
	}
	if ((ini->db && (!*ini->db || strchr(ini->db, '\n'))) ||
		(ini->results && (!*ini->results || strchr(ini->results, '\n'))) ||
		(ini->remote && (!*ini->remote || strchr(ini->remote, '\n'))))
		return hd_fail(err, HD_EFORMAT, "%s: db, results and remote of [hotdrift] take one path each", path);
	if (ini->weights && !*ini->weights)
		return hd_fail(err, HD_EFORMAT, "%s:%u: weights of [hotdrift] has no value", path, ini->weights_line);
	for (size_t i = 0; i < ini->nowners; i++)
		if (!*ini->owners[i].patterns)
			return hd_fail(err, HD_EFORMAT, "%s:%u: owner %s has no value", path, ini->owners[i].line,
				ini->owners[i].name);
	return 0;
}

/* ---- the file ---- */

int hd_ini_parse(struct hd_ini *out, const char *text, size_t len, const char *path, struct hd_log *log,
	struct hd_err *err)
{
	struct parse p = { .out = out, .path = path, .log = log, .err = err, .target = -1 };
	struct span line;

	if (len > HD_INI_MAX_BYTES)
		return hd_fail(err, HD_EFORMAT, "%s: %zu bytes; the limit is %d", path, len, HD_INI_MAX_BYTES);
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		text += 3, len -= 3;
	p.at = text;
	p.end = text + len;
	if (memchr(text, '\0', len))
		return hd_fail(err, HD_EFORMAT, "%s: contains a zero byte, so it is not a text file", path);
	while (p.rc >= 0 && next_line(&p, &line))
		parse_line(&p, line);
	end_value(&p);
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

	fd = hd_file_open_regular(path, err);
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
	free(ini->owners);
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
