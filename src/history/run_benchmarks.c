/*
 * run_benchmarks.c - see run_benchmarks.h
 */
#include "history/run_benchmarks.h"

#include "base/glob.h"
#include "base/mem.h"
#include "track/number.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { COVERS_MAX = 64, WORD_LEAST = 3, STATS_MAX = 9 };

/* The symbols of one benchmark, in the arena of the set. */
struct covers {
	struct hd_arena *arena;
	const char *items[COVERS_MAX];
	size_t n;
};

static void cover(struct covers *c, const char *symbol, size_t n)
{
	for (size_t i = 0; i < c->n; i++)
		if (strlen(c->items[i]) == n && !memcmp(c->items[i], symbol, n))
			return;
	if (n && c->n < COVERS_MAX)
		c->items[c->n++] = hd_arena_strndup(c->arena, symbol, n);
}

/* ---- rules ---- */

static size_t trimmed(const char **s, size_t n)
{
	while (n && isspace((unsigned char)**s))
		(*s)++, n--;
	while (n && isspace((unsigned char)(*s)[n - 1]))
		n--;
	return n;
}

/*
 * Split a line PATTERN = SYMBOL at its last " = ", because both sides can contain '='.  Returns false if the line has
 * another form.
 */
static bool split_rule(const char *line, size_t n, const char **pattern, size_t *np, const char **symbol, size_t *ns)
{
	const char *eq = NULL;

	for (size_t i = 0; i + 3 <= n; i++)
		if (!memcmp(line + i, " = ", 3))
			eq = line + i;
	if (!eq)
		return false;
	*pattern = line;
	*np = trimmed(pattern, (size_t)(eq - line));
	*symbol = eq + 3;
	*ns = trimmed(symbol, n - (size_t)(eq + 3 - line));
	return *np && *ns;
}

/* Apply all rules to a name. */
static int by_rules(struct covers *c, const char *name, const char *rules, struct hd_err *err)
{
	for (const char *line = rules; *line;) {
		size_t n = strcspn(line, "\n"), np, ns;
		const char *pattern, *symbol;

		if (!split_rule(line, n, &pattern, &np, &symbol, &ns))
			return hd_fail(err, HD_EFORMAT, "covers takes lines PATTERN = SYMBOL, not '%.*s'",
				(int)(n < 200 ? n : 200), line);
		if (hd_glob(pattern, np, name, strlen(name)))
			cover(c, symbol, ns);
		line += n + (line[n] == '\n');
	}
	return 0;
}

/* ---- names ---- */

/* Return the length of the identifier at `s`, with :: inside it. */
static size_t identifier(const char *s, size_t n)
{
	size_t len = 0;

	if (!n || !(isalpha((unsigned char)*s) || *s == '_' || *s == '~'))
		return 0;
	while (len < n && (isalnum((unsigned char)s[len]) || s[len] == '_' || s[len] == '~' ||
				(s[len] == ':' && len + 1 < n && s[len + 1] == ':')))
		len += s[len] == ':' ? 2 : 1;
	return len;
}

static void by_word(struct covers *c, const char *word, size_t n)
{
	static const char *const prefixes[] = { "BM_", "bench_", "benchmark_" };
	size_t len;

	for (size_t i = 0; i < HD_COUNT(prefixes); i++) {
		size_t np = strlen(prefixes[i]);

		if (n > np && !memcmp(word, prefixes[i], np)) {
			word += np;
			n -= np;
			break;
		}
	}
	len = identifier(word, n);
	if (len >= WORD_LEAST && word[len - 1] != ':' && (len == n || word[len] == '<'))
		cover(c, word, len);
}

/* Use the parts of the name between slashes as words.  A slash inside template arguments is not a separator. */
static void by_words(struct covers *c, const char *name)
{
	size_t depth = 0, from = 0, n = strlen(name);

	for (size_t i = 0; i <= n; i++) {
		depth += name[i] == '<';
		depth -= name[i] == '>' && depth;
		if (i < n && (name[i] != '/' || depth))
			continue;
		by_word(c, name + from, i - from);
		from = i + 1;
	}
}

/* ---- series ---- */

struct stats {
	struct hd_run_stat items[STATS_MAX];
	size_t n;
};

/* Add a statistic if it is known. */
static void stat(struct stats *s, const char *name, double value, struct hd_interval ci)
{
	if (!isfinite(value))
		return;
	s->items[s->n] = (struct hd_run_stat){ .name = name, .value = value };
	if (isfinite(ci.lo) && isfinite(ci.hi)) {
		s->items[s->n].has_interval = true;
		s->items[s->n].lo = ci.lo;
		s->items[s->n].hi = ci.hi;
	}
	s->n++;
}

static struct stats stats_of(const struct hd_micro_benchmark *b)
{
	static const struct hd_interval none = { NAN, NAN };
	struct stats s = { .n = 0 };

	stat(&s, "n", (double)b->n, none);
	stat(&s, "mean", b->mean.value, b->mean.ci);
	stat(&s, "p50", b->median.value, b->median.ci);
	stat(&s, "std", b->std.value, b->std.ci);
	stat(&s, "slope", b->slope.value, b->slope.ci);
	stat(&s, "r2", b->r2, none);
	stat(&s, "cpu", b->cpu_ns, none);
	stat(&s, "elements_per_s", b->elements_per_s, none);
	stat(&s, "bytes_per_s", b->bytes_per_s, none);
	return s;
}

/* Write the samples as CSV into the arena. */
static const char *samples_of(struct hd_arena *arena, const struct hd_micro_benchmark *b, size_t *len)
{
	char iterations[HD_NUMBER_TEXT_MAX], time[HD_NUMBER_TEXT_MAX];
	struct hd_buf text = { 0 };
	const char *kept;

	hd_buf_adds(&text, "iterations,time_ns\n");
	for (size_t i = 0; i < b->n; i++) {
		hd_number_write(iterations, b->iterations[i]);
		hd_number_write(time, b->time_ns[i]);
		hd_buf_addf(&text, "%s,%s\n", iterations, time);
	}
	kept = hd_arena_strndup(arena, text.data, text.len);
	*len = text.len;
	hd_buf_release(&text);
	return kept;
}

static void add_series(struct hd_run_csv_set *all, const struct hd_micro_benchmark *b, const struct covers *c)
{
	struct stats stats = stats_of(b);
	struct hd_run_stat *kept = hd_arena_alloc(&all->arena, sizeof(stats.items));
	const char **covers = hd_arena_alloc(&all->arena, (c->n + 1) * sizeof(*covers));
	struct hd_run_series *s;

	memcpy(kept, stats.items, sizeof(stats.items));
	memcpy(covers, c->items, c->n * sizeof(*covers));
	HD_GROW(all->series, all->n + 1, all->cap);
	s = &all->series[all->n++];
	*s = (struct hd_run_series){ .kind = "benchmark", .unit = "ns", .method = b->tool, .samples = b->n,
		.stats = kept, .nstats = stats.n, .covers = covers, .ncovers = c->n };
	s->name = hd_arena_strndup(&all->arena, b->name, strlen(b->name));
	if (b->n)
		s->csv = samples_of(&all->arena, b, &s->csv_len);
}

int hd_run_benchmarks_add(struct hd_run_csv_set *all, const struct hd_micro_benchmarks *b, const char *rules,
	struct hd_err *err)
{
	for (size_t i = 0; i < b->n; i++) {
		struct covers c = { .arena = &all->arena };
		int rc = rules ? by_rules(&c, b->items[i].name, rules, err) : 0;

		if (rc < 0)
			return rc;
		if (!c.n)
			by_words(&c, b->items[i].name);
		add_series(all, &b->items[i], &c);
	}
	return 0;
}
