/*
 * overlap.c - see overlap.h
 */
#include "track/overlap.h"

#include <stdbool.h>
#include <string.h>

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is(const char *name, const char *word)
{
	size_t n = strlen(word);

	return name && !strncmp(name, word, n) && !is_letter(name[n]);
}

/* Is there another source with a domain of the same name? */
static bool is_repeated(const struct hd_overlap *d, size_t n, const struct hd_overlap *mmio)
{
	for (size_t i = 0; i < n; i++)
		if (d[i].domain && !strcmp(d[i].domain, mmio->domain) && !is(d[i].source, "intel-rapl-mmio"))
			return true;
	return false;
}

void hd_overlap_judge(struct hd_overlap *d, size_t n)
{
	bool package = false, psys = false, other = false;

	for (size_t i = 0; i < n; i++) {
		package |= is(d[i].domain, "package");
		psys |= is(d[i].domain, "psys");
		other |= !is(d[i].source, "battery");
	}
	for (size_t i = 0; i < n; i++) {
		struct hd_overlap *o = &d[i];

		o->why_not = NULL;
		if (!o->domain)
			continue;
		if (is(o->source, "intel-rapl-mmio") && is_repeated(d, n, o))
			o->why_not = "repeats intel-rapl";
		else if (is(o->source, "battery") && other)
			o->why_not = "contains the others";
		else if (is(o->source, "hwmon") && (package || psys))
			o->why_not = "may be inside the package";
		else if (is(o->domain, "dram"))
			o->why_not = "beside the package";
		else if (is(o->domain, "psys") && package)
			o->why_not = "contains the package";
		else if ((is(o->domain, "core") || is(o->domain, "uncore")) && (package || psys))
			o->why_not = "inside the package";
	}
}
