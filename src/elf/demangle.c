/*
 * demangle.c - see demangle.h
 *
 * libiberty implements the grammars; this file sets the limits.  A short name can expand to gigabytes, because
 * substitutions double the output.  So the output is received in pieces by a callback.  If it exceeds the limit, the
 * callback leaves with longjmp(), which is safe because libiberty keeps its state on the stack (for the exception see
 * may_leave()).  libiberty's own recursion limit stays enabled.
 *
 * Without `full`, the form is that of perf: no parameters, no return type, no suffix such as .constprop.0.  `name@plt`
 * keeps its suffix.
 */
#include "elf/demangle.h"

#include "base/buf.h"
#include "base/mem.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum {
	INPUT_MAX = 16 * 1024,
	OUTPUT_MAX = 64 * 1024,
	/*
	 * maximum number of back references in a D name: each may double the output, and D demangling cannot be
	 * interrupted
	 */
	D_BACKREFS = 32,
};

struct sink {
	struct hd_buf out;
	size_t calls;
	bool rust;
	bool full;		/* the limit was exceeded */
	jmp_buf stop;
};

/*
 * The Rust demangler holds a heap block while it prints the characters of a non-ASCII identifier.  None of these
 * characters is punctuation, and between two identifiers there is always some.  So leaving only at punctuation leaks
 * nothing.
 */
static bool may_leave(const struct sink *s, const char *text, size_t n)
{
	return !s->rust || (n && (unsigned char)text[0] < 0x80 && !isalnum((unsigned char)text[0]) && text[0] != '_');
}

static void on_text(const char *text, size_t n, void *opaque)
{
	struct sink *s = opaque;

	s->full |= n > OUTPUT_MAX - s->out.len || ++s->calls > OUTPUT_MAX;
	if (!s->full)
		hd_buf_add(&s->out, text, n);
	else if (may_leave(s, text, n))
		longjmp(s->stop, 1);
}

typedef int demangle_fn(const char *, int, demangle_callbackref, void *);

static char *run(demangle_fn *fn, bool rust, const char *name, int options)
{
	struct sink *s = hd_new(struct sink);
	char *text = NULL;

	s->rust = rust;
	hd_buf_reserve(&s->out, 120);
	if (!setjmp(s->stop) && fn(name, options, on_text, s) && !s->full && s->out.len)
		text = hd_buf_take(&s->out);
	hd_buf_release(&s->out);
	free(s);
	return text;
}

/* Cut `(int) const` off `pair!(int).get(int) const`; template parameters remain. */
static void cut_parameters(char *text)
{
	size_t depth = 0;
	char *c = strrchr(text, ')');

	for (; c && c > text; c--) {
		depth += *c == ')';
		if (*c != '(' || --depth)
			continue;
		if (c[-1] != '!')
			*c = '\0';
		return;
	}
}

static char *demangle_d(const char *name, bool full)
{
	size_t backrefs = 0;
	char *text;

	for (const char *c = name; *c; c++)
		backrefs += *c == 'Q';
	text = backrefs <= D_BACKREFS ? dlang_demangle(name, DMGL_NO_OPTS) : NULL;
	if (text && !full)
		cut_parameters(text);
	return text;
}

/* `camlStdlib__List__map_123` is Stdlib.List.map_123; `$xx` is a byte in hexadecimal. */
static char *demangle_ocaml(const char *name)
{
	struct hd_buf out = { 0 };

	for (const char *c = name + 4; *c; c++) {
		if (c[0] == '_' && c[1] == '_') {
			hd_buf_addc(&out, '.');
			c++;
		} else if (c[0] == '$' && isxdigit((unsigned char)c[1]) && isxdigit((unsigned char)c[2])) {
			char digits[3] = { c[1], c[2], 0 };
			char byte = (char)strtoul(digits, NULL, 16);

			hd_buf_addc(&out, byte ? byte : '?');
			c += 2;
		} else {
			hd_buf_addc(&out, *c);
		}
	}
	return hd_buf_take(&out);
}

static char *demangle_bare(const char *name, bool full)
{
	int options = full ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS;
	char *text;

	if (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R')) {
		/* A legacy Rust name is also a valid C++ name, so Rust comes first. */
		text = run(rust_demangle_callback, true, name, options);
		return text ? text : run(cplus_demangle_v3_callback, false, name, options);
	}
	if (!strncmp(name, "___Z", 4) || !strncmp(name, "__Z", 3) || !strncmp(name, "_GLOBAL_", 8))
		return run(cplus_demangle_v3_callback, false, name, options);
	if (!strncmp(name, "_D", 2) && (isdigit((unsigned char)name[2]) || !strcmp(name, "_Dmain")))
		return demangle_d(name, full);
	if (!strncmp(name, "caml", 4) && isupper((unsigned char)name[4]))
		return demangle_ocaml(name);
	return NULL;
}

/*
 * Object formats and compilers put dots or dollar signs before a name.  Linkers append `@VERSION` or `@@VERSION`, and
 * elf/plt.c appends `@plt`.  Only the part in between is demangled.  The result also has the other parts, unchanged.
 */
char *hd_demangle(const char *linkage, bool full)
{
	size_t before = strspn(linkage, ".$"), n = strnlen(linkage, INPUT_MAX + 1), after;
	struct hd_buf out = { 0 };
	char *bare, *text;

	if (n > INPUT_MAX || (linkage[before] != '_' && linkage[before] != 'c'))
		return NULL;
	after = before + strcspn(linkage + before, "@");
	bare = hd_strndup(linkage + before, after - before);
	text = demangle_bare(bare, full);
	free(bare);
	if (!text || (!before && after == n))
		return text;
	hd_buf_add(&out, linkage, before);
	hd_buf_adds(&out, text);
	hd_buf_add(&out, linkage + after, n - after);
	free(text);
	return hd_buf_take(&out);
}
