/*
 * alike.c - see alike.h
 */
#include "compare/alike.h"

#include "base/mem.h"
#include "compare/side_load.h"
#include "store/configdiff.h"
#include "store/environment.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[HD_ALIKE_FIELDS] = {
	[HD_ALIKE_TARGET] = "target", [HD_ALIKE_MODE] = "mode", [HD_ALIKE_EVENT] = "event", [HD_ALIKE_UNIT] = "unit", [HD_ALIKE_SAMPLING] = "sampling",
	[HD_ALIKE_CALL_GRAPH] = "call graph", [HD_ALIKE_ENVIRONMENT] = "environment", [HD_ALIKE_STACK_BYTES] = "bytes of stack a sample",
	[HD_ALIKE_COMPILER] = "compiler",
	[HD_ALIKE_INLINE] = "inline mode", [HD_ALIKE_SELECTION] = "selection", [HD_ALIKE_ARGUMENTS] = "workload arguments",
	[HD_ALIKE_CONFIG] = "config", [HD_ALIKE_ARCH] = "arch", [HD_ALIKE_CPU_MODEL] = "CPU model", [HD_ALIKE_CPU_ID] = "CPU id",
	[HD_ALIKE_CPU_FLAGS] = "CPU flags", [HD_ALIKE_CPUS] = "CPUs online", [HD_ALIKE_SMT] = "SMT", [HD_ALIKE_KERNEL] = "kernel",
	[HD_ALIKE_GOVERNOR] = "governor", [HD_ALIKE_MICROCODE] = "microcode",
};

const char *hd_alike_name(enum hd_alike_field f)
{
	return names[f];
}

static bool agree(const struct hd_side_run *a, const struct hd_side_run *b, int f)
{
	const char *x = a->like[f], *y = b->like[f];

	/* Runs that were added before hotdrift stored these fields do not have them. */
	if ((f == HD_ALIKE_SAMPLING || f == HD_ALIKE_CALL_GRAPH || f == HD_ALIKE_ENVIRONMENT || f == HD_ALIKE_STACK_BYTES ||
	     f == HD_ALIKE_COMPILER) && (!x || !y))
		return true;
	if (f == HD_ALIKE_ENVIRONMENT)
		return hd_environment_compare(x, y) != HD_ENVIRONMENT_DIFFERENT;
	return x && y ? !strcmp(x, y) : x == y;
}

unsigned hd_alike_distance(const struct hd_side_run *a, const struct hd_side_run *b)
{
	unsigned n = 0;

	for (int f = 0; f < HD_ALIKE_MUST; f++)
		n += !agree(a, b, f);
	return n;
}

bool hd_alike_are(const struct hd_side_run *a, const struct hd_side_run *b)
{
	return !hd_alike_distance(a, b);
}

/* ---- naming them ---- */

static void add(struct hd_alike *out, char *field, const char *base, const char *head)
{
	HD_GROW(out->items, out->n + 1, out->cap);
	out->items[out->n++] = (struct hd_alike_difference){ field, base ? hd_strdup(base) : NULL, head ? hd_strdup(head) : NULL };
}

static char *value_of(const struct hd_variable *v)
{
	if (v->value)
		return hd_strndup(v->value, v->value_len);
	return hd_strdup(v->name && !v->named ? "set" : "not set");
}

/* Add each named variable of `text` that differs in `other`.  head: `text` is the head's; what the base names, too, was added before. */
static void add_variables(struct hd_alike *out, const char *text, const char *other, bool head)
{
	struct hd_variable v, w;

	while (hd_environment_next(&text, &v)) {
		struct hd_buf field = { 0 };
		char *a, *b;

		if (!v.named || hd_environment_relate(&v, other, &w) != HD_ENVIRONMENT_DIFFERENT || (head && w.named))
			continue;
		hd_buf_adds(&field, "environment variable ");
		hd_buf_add(&field, v.name, v.name_len);
		a = value_of(head ? &w : &v);
		b = value_of(head ? &v : &w);
		add(out, hd_buf_take(&field), a, b);
		free(a);
		free(b);
	}
}

/* The fields inside of two configurations, when the database has both. */
static int add_config(struct hd_alike *out, struct hd_db *db, const char *base, const char *head, struct hd_err *err)
{
	struct hd_config a = { 0 }, b = { 0 };
	struct hd_config_diff d = { 0 };
	size_t before = out->n;
	int rc;

	rc = hd_config_load(&a, db, base, err);
	if (rc >= 0)
		rc = hd_config_load(&b, db, head, err);
	if (rc >= 0)
		rc = hd_config_diff(&d, &a, &b, err);
	for (size_t i = 0; rc >= 0 && i < d.n; i++) {
		struct hd_buf field = { 0 };

		hd_buf_addf(&field, "config: %s", d.items[i].path);
		add(out, hd_buf_take(&field), d.items[i].a, d.items[i].b);
	}
	hd_config_diff_release(&d);
	hd_config_release(&a);
	hd_config_release(&b);
	if (rc == HD_EIO)
		return rc;
	if (out->n == before)
		add(out, hd_strdup("config"), base, head);
	return 0;
}

int hd_alike_differences(struct hd_alike *out, struct hd_db *db, const struct hd_side_run *base, const struct hd_side_run *head,
			 enum hd_alike_field from, enum hd_alike_field to, struct hd_err *err)
{
	int rc = 0;

	*out = (struct hd_alike){ 0 };
	for (int f = (int)from; f < (int)to && rc >= 0; f++) {
		if (agree(base, head, f))
			continue;
		if (f == HD_ALIKE_CONFIG && base->like[f] && head->like[f]) {
			rc = add_config(out, db, base->like[f], head->like[f], err);
		} else if (f == HD_ALIKE_ENVIRONMENT) {
			add_variables(out, base->like[f], head->like[f], false);
			add_variables(out, head->like[f], base->like[f], true);
		} else {
			add(out, hd_strdup(names[f]), base->like[f], head->like[f]);
		}
	}
	if (rc < 0)
		hd_alike_release(out);
	return rc;
}

void hd_alike_release(struct hd_alike *a)
{
	for (size_t i = 0; i < a->n; i++) {
		free(a->items[i].field);
		free(a->items[i].base);
		free(a->items[i].head);
	}
	free(a->items);
	*a = (struct hd_alike){ 0 };
}

static bool is_digest(const char *s)
{
	return s && strlen(s) == 64 && strspn(s, "0123456789abcdef") == 64;
}

void hd_alike_sentence(struct hd_buf *out, const struct hd_alike *a)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct hd_alike_difference *d = &a->items[i];

		int most = is_digest(d->base) || is_digest(d->head) ? 12 : 80;

		hd_buf_addf(out, "%s%s is %.*s in the base and %.*s in the head", i ? "; " : "", d->field, most, d->base ? d->base : "not known",
			    most, d->head ? d->head : "not known");
	}
	hd_buf_adds(out, "");
}

/* ---- the workload's arguments ---- */

/* The next word, words being parted by blanks; NULL at the end. */
static const char *next_word(const char **at, size_t *n)
{
	const char *word = *at + strspn(*at, " ");

	*n = strcspn(word, " ");
	*at = word + *n;
	return *n ? word : NULL;
}

static bool is_word(const char *word, size_t n, const char *what)
{
	return strlen(what) == n && !memcmp(word, what, n);
}

/* Does this option of perf record take the next word for its value? */
static bool takes_value(const char *word, size_t n)
{
	static const char *const options[] = {
		"-F", "--freq", "-e", "--event", "-o", "--output", "-c", "--count", "-p", "--pid", "-t", "--tid", "-C", "--cpu", "-m",
		"--mmap-pages", "-u", "--uid", "-G", "--cgroup", "-k", "--clockid", "-D", "--delay", "--call-graph", "--filter", "--max-size",
		"--user-callchains", "-j", "--branch-filter", "-I", "--proc-map-timeout",
	};

	for (size_t i = 0; i < HD_COUNT(options); i++)
		if (is_word(word, n, options[i]))
			return strcmp(options[i], "-I") != 0;	/* its value is part of it */
	return false;
}

/* Behind `perf record` and its options; NULL when there is no workload. */
static const char *behind_perf(const char *command)
{
	const char *at = command, *word, *dashes = strstr(command, " -- ");
	size_t n;
	bool value = false;

	if (dashes)
		return dashes + 4;
	next_word(&at, &n);
	next_word(&at, &n);
	while ((word = next_word(&at, &n))) {
		if (!value && *word != '-')
			return word;
		value = !value && takes_value(word, n);
	}
	return NULL;
}

void hd_alike_arguments(struct hd_buf *out, const char *command)
{
	const char *at = command, *word, *slash;
	size_t n;

	word = next_word(&at, &n);
	if (!word)
		return;
	slash = memrchr(word, '/', n);
	if (is_word(slash ? slash + 1 : word, slash ? n - (size_t)(slash + 1 - word) : n, "perf")) {
		word = next_word(&at, &n);
		if (!word || !is_word(word, n, "record"))
			return;
		at = behind_perf(command);
		word = at ? next_word(&at, &n) : NULL;
		if (!word)
			return;
	}
	slash = memrchr(word, '/', n);
	hd_buf_adds(out, slash ? slash + 1 : word);
}

static bool is_like(const struct hd_side_run *r, const void *like)
{
	return hd_alike_are(r, like);
}

size_t hd_alike_keep(struct hd_side *s, const struct hd_side_run *like)
{
	struct hd_side_run wanted = *like;	/* it may be one of them, and moves */
	size_t before = s->n;

	hd_side_keep(s, is_like, &wanted);
	return before - s->n;
}
