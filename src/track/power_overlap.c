/*
 * power_overlap.c - see power_overlap.h
 */
#include "track/power_overlap.h"

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

/* Return true if another source has a domain of the same name. */
static bool is_repeated(const struct hd_power_overlap *d, size_t n, const struct hd_power_overlap *mmio)
{
	for (size_t i = 0; i < n; i++)
		if (d[i].domain && !strcmp(d[i].domain, mmio->domain) && !is(d[i].source, "intel-rapl-mmio"))
			return true;
	return false;
}

/* Return true if it is unknown which part of the machine the sensor measures. */
static bool is_rail(const struct hd_power_overlap *o)
{
	return is(o->source, "hwmon") && !is(o->domain, "gpu") && !is(o->domain, "part") && !is(o->domain, "package") &&
	       !is(o->domain, "core");
}

void hd_power_overlap_resolve(struct hd_power_overlap *d, size_t n)
{
	bool package = false, processor = false, psys = false, known = false, other = false;

	for (size_t i = 0; i < n; i++) {
		bool battery = is(d[i].source, "battery");

		package |= is(d[i].domain, "package");
		processor |= is(d[i].domain, "package") && !is(d[i].source, "hwmon");
		psys |= is(d[i].domain, "psys");
		known |= !battery && !is_rail(&d[i]) && !is(d[i].source, "constant");
		other |= !battery;
	}
	for (size_t i = 0; i < n; i++) {
		struct hd_power_overlap *o = &d[i];

		o->why_not = NULL;
		if (!o->domain)
			continue;
		if (is(o->source, "intel-rapl-mmio") && is_repeated(d, n, o))
			o->why_not = "repeats intel-rapl";
		else if (is(o->source, "battery") && other)
			o->why_not = "contains the others";
		else if (is(o->source, "hwmon") && is(o->domain, "part"))
			o->why_not = "inside the card";
		else if (is_rail(o) && known)
			o->why_not = "may be inside the others";
		else if (is(o->source, "hwmon") && is(o->domain, "package") && processor)
			o->why_not = "inside the package";
		else if (is(o->domain, "dram"))
			o->why_not = "beside the package";
		else if (is(o->domain, "psys") && package)
			o->why_not = "contains the package";
		else if ((is(o->domain, "core") || is(o->domain, "uncore")) && (package || psys))
			o->why_not = "inside the package";
	}
}
