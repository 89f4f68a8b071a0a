/*
 * flame_attributes.c - see flame_attributes.h
 */
#include "render/flame_attributes.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/strtab.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { MAX_FILE_BYTES = 64 << 20 };

struct hd_flame_attributes {
	struct hd_buf text;		/* content of the file, with NUL for each tab and line end */
	struct hd_strtab *names;	/* names of functions; the attributes of name `id` are in sets[id - 1] */
	struct hd_flame_attribute_set *sets;
	size_t n, cap;
	uint32_t *order;		/* name ids in byte order of the names */
};

/*
 * Return true if a link cannot run a script: it is relative, or its scheme is http, https, mailto or file.  A link with
 * a blank or a control character is not accepted.
 */
static bool is_safe_link(const char *href)
{
	static const char *const schemes[] = { "http:", "https:", "mailto:", "file:" };
	size_t word = strcspn(href, ":/?#");

	for (const unsigned char *c = (const unsigned char *)href; *c; c++)
		if (*c <= ' ' || *c == 0x7f)
			return false;
	if (href[word] != ':')
		return true;
	for (size_t i = 0; i < HD_COUNT(schemes); i++)
		if (!strncasecmp(href, schemes[i], strlen(schemes[i])))
			return true;
	return false;
}

static bool is_plain_word(const char *s)
{
	return *s && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- ") == strlen(s);
}

static int add_attribute(struct hd_flame_attribute_set *set, char *attribute, const char *path, size_t line,
	struct hd_err *err)
{
	char *value = strchr(attribute, '=');
	size_t n;

	if (!value || value == attribute)
		return hd_fail(err, HD_EFORMAT, "%s: line %zu: '%.40s' is not attribute=value", path, line, attribute);
	*value++ = '\0';
	n = strlen(value);
	if (n >= 2 && value[0] == '"' && value[n - 1] == '"') {
		value[n - 1] = '\0';
		value++;
	}
	if (!strcmp(attribute, "title"))
		set->title = value;
	else if (!strcmp(attribute, "class") && is_plain_word(value))
		set->class_ = value;
	else if (!strcmp(attribute, "target") && is_plain_word(value))
		set->target = value;
	else if (!strcmp(attribute, "href") && is_safe_link(value))
		set->href = value;
	else
		return hd_fail(err, HD_EFORMAT,
			"%s: line %zu: %s=%.40s is not allowed; the attributes are title, class and target (letters "
			"and digits), and href (http, https, mailto, file or relative)",
			path, line, attribute, value);
	return 0;
}

static int parse(struct hd_flame_attributes *a, const char *path, struct hd_err *err)
{
	char *rest = a->text.data;
	int rc = 0;

	for (size_t line = 1; rest && rc >= 0; line++) {
		char *at = strsep(&rest, "\n"), *name = strsep(&at, "\t");
		size_t n = strlen(name);
		uint32_t id;

		if (n && name[n - 1] == '\r')
			name[n - 1] = '\0';
		if (!*name)
			continue;
		id = hd_strtab_add(a->names, name);
		while (a->n < id) {
			HD_GROW(a->sets, a->n + 1, a->cap);
			a->sets[a->n++] = (struct hd_flame_attribute_set){ 0 };
		}
		while (at && rc >= 0) {
			char *attribute = strsep(&at, "\t\r");

			if (*attribute)
				rc = add_attribute(&a->sets[id - 1], attribute, path, line, err);
		}
	}
	return rc;
}

static int by_text(const void *a, const void *b, void *names)
{
	return strcmp(hd_strtab_get(names, *(const uint32_t *)a), hd_strtab_get(names, *(const uint32_t *)b));
}

int hd_flame_attributes_read(struct hd_flame_attributes **out, const char *path, struct hd_err *err)
{
	struct hd_flame_attributes *a = hd_new(struct hd_flame_attributes);
	int fd = hd_file_open(path, err), rc = fd;

	a->names = hd_strtab_new();
	if (fd >= 0) {
		rc = hd_file_slurp(fd, path, MAX_FILE_BYTES, &a->text, err);
		close(fd);
	}
	if (rc >= 0 && a->text.len && memchr(a->text.data, '\0', a->text.len))
		rc = hd_fail(err, HD_EFORMAT, "%s: contains a NUL byte, so it is no text", path);
	if (rc >= 0 && a->text.len)
		rc = parse(a, path, err);
	if (rc < 0) {
		hd_flame_attributes_free(a);
		return rc;
	}
	a->order = hd_new_array(uint32_t, a->n + 1);
	for (uint32_t i = 0; i < a->n; i++)
		a->order[i] = i + 1;
	qsort_r(a->order, a->n, sizeof(*a->order), by_text, a->names);
	*out = a;
	return 0;
}

void hd_flame_attributes_free(struct hd_flame_attributes *a)
{
	if (!a)
		return;
	hd_strtab_free(a->names);
	hd_buf_release(&a->text);
	free(a->sets);
	free(a->order);
	free(a);
}

const struct hd_flame_attribute_set *hd_flame_attributes_get(const struct hd_flame_attributes *a, const char *name)
{
	size_t lo = 0, hi = a ? a->n : 0;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = strcmp(name, hd_strtab_get(a->names, a->order[mid]));

		if (!c)
			return &a->sets[a->order[mid] - 1];
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}
