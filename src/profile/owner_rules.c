/*
 * owner_rules.c - see owner_rules.h
 */
#include "profile/owner_rules.h"

#include "base/glob.h"
#include "base/mem.h"
#include "profile/stack_classes.h"

#include <stdlib.h>

struct hd_owner_rule {
	char *owner, *text;		/* text: owns the patterns */
	struct hd_string_list patterns;
};

int hd_owner_rules_add(struct hd_owner_rules *r, const char *owner, const char *patterns, const char *where,
	struct hd_err *err)
{
	struct hd_owner_rule rule = { 0 };
	int rc = 0;

	rule.text = hd_stack_class_split(&rule.patterns, patterns);
	if (!rule.patterns.n)
		rc = hd_fail(err, HD_EFORMAT, "%s: owner %s has no pattern", where, owner);
	for (size_t i = 0; i < rule.patterns.n && rc >= 0; i++)
		if (strlen(rule.patterns.items[i]) > HD_OWNER_PATTERN_MAX)
			rc = hd_fail(err, HD_EFORMAT, "%s: a pattern of owner %s is longer than %d bytes", where, owner,
				HD_OWNER_PATTERN_MAX);
	if (rc < 0) {
		free(rule.patterns.items);
		free(rule.text);
		return rc;
	}
	rule.owner = hd_strdup(owner);
	for (size_t i = 0; i < rule.patterns.n; i++)
		r->paths = r->paths || strchr(rule.patterns.items[i], '/');
	HD_GROW(r->items, r->n + 1, r->cap);
	r->items[r->n++] = rule;
	return 0;
}

void hd_owner_rules_release(struct hd_owner_rules *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->items[i].patterns.items);
		free(r->items[i].text);
		free(r->items[i].owner);
	}
	free(r->items);
	*r = (struct hd_owner_rules){ 0 };
}

static bool matches(const char *pattern, const char *text)
{
	return text && hd_glob(pattern, strlen(pattern), text, strlen(text));
}

/*
 * Return true if the pattern matches the whole path or, unless it begins with /, the part of the path after any slash.
 */
static bool matches_path(const char *pattern, const char *path)
{
	char below[HD_OWNER_PATTERN_MAX + 3] = "*/";

	if (matches(pattern, path))
		return true;
	if (*pattern == '/')
		return false;
	strcpy(below + 2, pattern);
	return matches(below, path);
}

static bool matches_file(const char *pattern, const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return matches(pattern, slash ? slash + 1 : path);
}

static bool matches_any(const char *pattern, const struct hd_owner_names *f)
{
	if (strchr(pattern, '/'))
		return matches_path(pattern, f->source) || matches_path(pattern, f->object);
	return matches(pattern, f->name) || matches(pattern, f->linkage) || matches_file(pattern, f->source) ||
		matches_file(pattern, f->object);
}

const char *hd_owner_rules_find(const struct hd_owner_rules *r, const struct hd_owner_names *names)
{
	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < r->items[i].patterns.n; k++)
			if (matches_any(r->items[i].patterns.items[k], names))
				return r->items[i].owner;
	return NULL;
}
