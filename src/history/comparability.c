/*
 * comparability.c - see comparability.h
 */
#include "history/comparability.h"

#include "base/mem.h"
#include "history/config_diff.h"
#include "history/environment.h"

#include <stdlib.h>
#include <string.h>

#define NAME_OF(id, name, type, column, optional) [HD_RUN_FIELD_##id] = name,
static const char *const names[HD_RUN_FIELDS] = {
	HD_RUN_FIELDS_THAT_MUST_AGREE(NAME_OF) HD_RUN_FIELDS_TO_WARN_OF(NAME_OF)
};

#define IS_OPTIONAL(id, name, type, column, optional) [HD_RUN_FIELD_##id] = optional,
static const bool is_optional[HD_RUN_FIELDS] = {
	HD_RUN_FIELDS_THAT_MUST_AGREE(IS_OPTIONAL) HD_RUN_FIELDS_TO_WARN_OF(IS_OPTIONAL)
};

static bool agree(const struct hd_run_set_member *a, const struct hd_run_set_member *b, int f)
{
	const char *x = a->like[f], *y = b->like[f];

	if (is_optional[f] && (!x || !y))
		return true;
	if (f == HD_RUN_FIELD_ENVIRONMENT)
		return hd_environment_compare(x, y) != HD_ENVIRONMENT_DIFFERENT;
	return x && y ? !strcmp(x, y) : x == y;
}

unsigned hd_comparability_distance(const struct hd_run_set_member *a, const struct hd_run_set_member *b)
{
	unsigned n = 0;

	for (int f = 0; f < HD_RUN_FIELD_MUST_AGREE; f++)
		n += !agree(a, b, f);
	return n;
}

bool hd_comparable(const struct hd_run_set_member *a, const struct hd_run_set_member *b)
{
	return !hd_comparability_distance(a, b);
}

/* ---- listing differences ---- */

static void add(struct hd_comparability *out, char *field, const char *base, const char *head)
{
	HD_GROW(out->items, out->n + 1, out->cap);
	out->items[out->n++] = (struct hd_comparability_difference){ field, base ? hd_strdup(base) : NULL,
		head ? hd_strdup(head) : NULL };
}

static char *value_of(const struct hd_environment_variable *v)
{
	if (v->value)
		return hd_strndup(v->value, v->value_len);
	return hd_strdup(v->name && !v->named ? "set" : "not set");
}

/*
 * Add the environment variables that hotdrift.ini names and that differ between `text` and `other`.  The function is
 * called twice: first with the variables of the base as `text`, then with those of the head (head = true).  The second
 * call skips variables that hotdrift.ini named for both sides, because the first call added them.
 */
static void add_variables(struct hd_comparability *out, const char *text, const char *other, bool head)
{
	struct hd_environment_variable v, w;

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

/*
 * Add the members in which two configurations differ.  If the database lacks one of the configurations, add one row for
 * the field `config` as a whole.
 */
static int add_config(struct hd_comparability *out, struct hd_db *db, const char *base, const char *head,
	struct hd_err *err)
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

int hd_comparability_differences(struct hd_comparability *out, struct hd_db *db, const struct hd_run_set_member *base,
	const struct hd_run_set_member *head, enum hd_run_field from, enum hd_run_field to, struct hd_err *err)
{
	int rc = 0;

	*out = (struct hd_comparability){ 0 };
	for (int f = (int)from; f < (int)to && rc >= 0; f++) {
		if (agree(base, head, f))
			continue;
		if (f == HD_RUN_FIELD_CONFIG && base->like[f] && head->like[f]) {
			rc = add_config(out, db, base->like[f], head->like[f], err);
		} else if (f == HD_RUN_FIELD_ENVIRONMENT) {
			add_variables(out, base->like[f], head->like[f], false);
			add_variables(out, head->like[f], base->like[f], true);
		} else {
			add(out, hd_strdup(names[f]), base->like[f], head->like[f]);
		}
	}
	if (rc < 0)
		hd_comparability_release(out);
	return rc;
}

void hd_comparability_release(struct hd_comparability *a)
{
	for (size_t i = 0; i < a->n; i++) {
		free(a->items[i].field);
		free(a->items[i].base);
		free(a->items[i].head);
	}
	free(a->items);
	*a = (struct hd_comparability){ 0 };
}

static bool is_digest(const char *s)
{
	return s && strlen(s) == 64 && strspn(s, "0123456789abcdef") == 64;
}

void hd_comparability_sentence(struct hd_buf *out, const struct hd_comparability *a)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct hd_comparability_difference *d = &a->items[i];

		int most = is_digest(d->base) || is_digest(d->head) ? 12 : 80;

		hd_buf_addf(out, "%s%s is %.*s in the base and %.*s in the head", i ? "; " : "", d->field, most,
			d->base ? d->base : "not known", most, d->head ? d->head : "not known");
	}
	hd_buf_adds(out, "");
}

static bool is_comparable(const struct hd_run_set_member *r, const void *like)
{
	return hd_comparable(r, like);
}

size_t hd_comparability_keep(struct hd_run_set *s, const struct hd_run_set_member *like)
{
	struct hd_run_set_member wanted = *like;	/* a copy: hd_run_set_keep() moves the run in memory */
	size_t before = s->n;

	hd_run_set_keep(s, is_comparable, &wanted);
	return before - s->n;
}
