/*
 * planted.c DIR - compare the verdicts on planted regressions with planted/truth.tsv
 */
#include "answers.h"

#include "base/buf.h"
#include "stats/top_change.h"
#include "stats/verdict.h"
#include "base/symbol_name.h"

enum { STACKS_MAX = 512, RUNS_MAX = 64 };

/* One case.  A row is a leaf function, by its normalised name.  Its domains are its caller and the function itself. */
struct profile {
	size_t stacks, symbols, domains, base, head;
	char *path[STACKS_MAX];			/* the normalised names of the stack, joined */
	char *caller[STACKS_MAX];
	size_t symbol_of[STACKS_MAX];
	char *name[STACKS_MAX];			/* name of each row */
	double counts[STACKS_MAX][RUNS_MAX];
	double y[STACKS_MAX * RUNS_MAX], domain_y[2 * STACKS_MAX * RUNS_MAX];
	size_t of[STACKS_MAX][HD_DOMAINS_PER_ROW];
	struct hd_symbol_verdict rows[STACKS_MAX];
};

static struct profile pf;

static void normal_path(const char *stack, char **path, char **caller, char **leaf)
{
	struct hd_buf b = { 0 };
	size_t end = 0, last = 0;

	for (const char *s = stack; *s; ) {
		size_t n = strcspn(s, ";");
		char *whole = strndup(s, n), *name = hd_symbol_name_normalize(whole);

		end = b.len;
		hd_buf_adds(&b, end ? ";" : "");
		last = b.len;
		hd_buf_adds(&b, name);
		free(whole);
		free(name);
		s += n + (s[n] == ';');
	}
	*path = strdup(b.data);
	*leaf = strdup(b.data + last);
	*caller = strndup(b.data, end);
	hd_buf_release(&b);
}

static bool is_below(const char *path, const char *prefix)
{
	size_t n = strlen(prefix);

	return !strncmp(path, prefix, n) && (path[n] == '\0' || path[n] == ';');
}

static void sum_domain(size_t domain, const char *prefix)
{
	size_t runs = pf.base + pf.head;

	for (size_t r = 0; r < runs; r++)
		pf.domain_y[domain * runs + r] = 0;
	for (size_t i = 0; i < pf.stacks; i++)
		for (size_t r = 0; r < runs && is_below(pf.path[i], prefix); r++)
			pf.domain_y[domain * runs + r] += pf.counts[i][r];
}

static bool load(const char *dir, const char *name)
{
	char file[128];
	struct table t;
	size_t runs;

	snprintf(file, sizeof(file), "planted/%s.tsv", name);
	memset(&pf, 0, sizeof(pf));
	if (!answers_open_by(&t, dir, file, '\t'))
		return false;
	for (size_t c = 1; c < t.columns; c++) {
		pf.base += t.cells[c][0] == 'b';
		pf.head += t.cells[c][0] == 'c';
	}
	runs = pf.base + pf.head;
	for (size_t i = 0; i < t.rows && i < STACKS_MAX && runs <= RUNS_MAX; i++, pf.stacks++) {
		char *leaf;
		size_t s = 0;

		normal_path(t.cells[(i + 1) * t.columns], &pf.path[i], &pf.caller[i], &leaf);
		while (s < pf.symbols && strcmp(pf.name[s], leaf) != 0)
			s++;
		if (s == pf.symbols)
			pf.name[pf.symbols++] = strdup(leaf);
		free(leaf);
		pf.symbol_of[i] = s;
		for (size_t r = 0; r < runs; r++) {
			pf.counts[i][r] = strtod(t.cells[(i + 1) * t.columns + 1 + r], NULL);
			pf.y[s * runs + r] += pf.counts[i][r];
		}
	}
	for (size_t i = 0; i < pf.stacks; i++) {
		pf.of[pf.symbol_of[i]][0] = pf.domains;
		sum_domain(pf.domains++, pf.caller[i]);
		pf.of[pf.symbol_of[i]][1] = pf.domains;
		pf.of[pf.symbol_of[i]][HD_DOMAIN_OLD_NAME] = HD_NO_DOMAIN;
		sum_domain(pf.domains++, pf.path[i]);
	}
	answers_close(&t);
	return true;
}

static void unload(void)
{
	for (size_t i = 0; i < pf.stacks; i++) {
		free(pf.path[i]);
		free(pf.caller[i]);
	}
	for (size_t i = 0; i < pf.symbols; i++)
		free(pf.name[i]);
}

/* Return true if truth.tsv allows this verdict of the gate. */
static bool allowed(const char *want, const struct hd_judged_profile *j)
{
	enum hd_verdict v = j->verdict;

	if (!strncmp(want, "environment warning", 19))
		return v != HD_FAIL && j->total.level_moved;
	if (!strcmp(want, "not FAIL"))
		return v != HD_FAIL;
	if (!strcmp(want, "either"))
		return true;
	if (!strcmp(want, "PASS or INCONCLUSIVE"))
		return v == HD_PASS || v == HD_INCONCLUSIVE;
	if (!strcmp(want, "FAIL or INCONCLUSIVE"))
		return v == HD_FAIL || v == HD_INCONCLUSIVE;
	return !strcmp(want, hd_verdict_name(v));
}

/*
 * Return true if the row of the planted function failed.  If the change is a new function, any new row may have failed.
 */
static bool right_row_failed(const char *planted, const char *kind)
{
	for (size_t i = 0; i < pf.symbols; i++)
		if (pf.rows[i].verdict == HD_FAIL &&
			(!strcmp(pf.name[i], planted) || (!strcmp(kind, "new_symbol") && pf.rows[i].is_new)))
			return true;
	return false;
}

static void show_rows(void)
{
	for (size_t i = 0; i < pf.symbols; i++) {
		const struct hd_symbol_verdict *s = &pf.rows[i];

		if (s->verdict != HD_PASS)
			printf("      %-12s %-20s %5.2f %% %5.2f %% %+6.1f %% (%+.1f .. %+.1f, limit %+.1f) q %.3g "
				"needs %u\n",
				hd_verdict_name(s->verdict), pf.name[i], 100 * s->share_base, 100 * s->share_head,
				100 * s->change, 100 * s->lo, 100 * s->hi, 100 * s->limit, s->q, s->runs_needed);
	}
}

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static void judge_case(struct verdict *v, struct verdict *top, const struct table *t, size_t i)
{
	const char *want = cell(t, i, "gate_at_10_percent"), *set = cell(t, i, "top5_set_changed"),
		   *order = cell(t, i, "top5_order_changed");
	struct hd_run_counts in = { pf.symbols, pf.base, pf.head, pf.y, NULL, NULL };
	struct hd_domains domains = { pf.domains, pf.domain_y, pf.of, 1e-3 };
	struct hd_variance_model m;
	struct hd_judged_profile j;
	struct hd_top_change change;

	if (hd_variance_model_fit(&m, &in) < 0 ||
		hd_verdicts(&j, pf.rows, &in, &m, &domains, &hd_verdict_defaults, true) < 0 ||
		hd_top_change_find(&change, pf.rows, pf.symbols, &m, &hd_top_change_defaults) < 0) {
		differ(v, "%s: no verdict", cell(t, i, "case"));
		return;
	}
	printf("    %s %-20s %-13s want %-22s %s drift %.3f (limit %.3f) moved %.1f %% net %+.1f %% noise %.1f %% "
		"(spread %.2f)\n",
		cell(t, i, "case"), cell(t, i, "kind"), hd_verdict_name(j.verdict), want,
		change.material ? "top 5 changed" : "-", change.score, change.score_limit, 100 * change.moved,
		100 * j.net, 100 * m.noise.cv, m.noise.spread);
	if (!allowed(want, &j) ||
		(!strcmp(want, "FAIL") && !right_row_failed(cell(t, i, "symbol"), cell(t, i, "kind")))) {
		differ(v, "%s %s: %s, expected %s", cell(t, i, "case"), cell(t, i, "kind"), hd_verdict_name(j.verdict),
			want);
		show_rows();
	} else if (getenv("V")) {
		show_rows();
	}
	if (change.material != (begins(set, "yes") || begins(order, "yes")))
		differ(top, "%s %s: top 5 %s, expected set %s, order %s", cell(t, i, "case"), cell(t, i, "kind"),
		       change.material ? "changed" : "unchanged", set, order);
	hd_variance_model_release(&m);
}

int main(int argc, char **argv)
{
	struct verdict v = { .file = "planted/truth.tsv", .note = "verdict of each case" };
	struct verdict top = { .file = "planted/truth.tsv (top 5)", .note = "material change of each case" };
	struct table t;

	if (argc != 2)
		return 2;
	if (!answers_open(&t, argv[1], v.file))
		return 0;
	for (size_t i = 0; i < t.rows; i++) {
		if (!load(argv[1], cell(&t, i, "case"))) {
			differ(&v, "%s: has no table", cell(&t, i, "case"));
			continue;
		}
		v.rows++;
		top.rows++;
		judge_case(&v, &top, &t, i);
		unload();
	}
	verdict_end(&v);
	verdict_end(&top);
	answers_close(&t);
	return 0;
}
