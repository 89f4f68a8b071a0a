/*
 * limits.c - see limits.h
 */
#include "cli/limits.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define BLANKS ", \t\n="

const struct hd_limits hd_limits_unset = { -1, -1, -1, -1, -1, -1 };

int hd_limits_number(const char *text, double *fraction)
{
	size_t n = strspn(text, "0123456789.");
	char *end;
	double v = strtod(text, &end);

	if (!n || n > 12 || end != text + n)
		return -1;
	end += strspn(end, " ");
	end += *end == '%';
	if (*end || !(v >= 0 && v <= 1000))
		return -1;
	*fraction = v / 100;
	return 0;
}

static double *named(struct hd_limits *l, const char *name)
{
	const struct { const char *name; double *value; } all[] = {
		{ "symbols", &l->symbols }, { "total", &l->total }, { "floor", &l->floor }, { "latency", &l->latency },
		{ "memory", &l->memory },
		{ "energy", &l->energy },
	};

	for (size_t i = 0; i < HD_COUNT(all); i++)
		if (!strcmp(all[i].name, name))
			return all[i].value;
	return NULL;
}

int hd_limits_parse(struct hd_limits *l, const char *text, const char *where, struct hd_err *err)
{
	char *copy = hd_strdup(text), *save = NULL;
	int rc = 0;

	for (char *name = strtok_r(copy, BLANKS, &save); name && rc >= 0; name = strtok_r(NULL, BLANKS, &save)) {
		double *value = named(l, name);
		const char *number;

		if (!strcmp(name, "%"))
			continue;
		number = value ? strtok_r(NULL, BLANKS, &save) : NULL;
		if (!value)
			rc = hd_fail(err, HD_EFORMAT,
				"%s: '%.40s' is not one of symbols, total, latency, memory, energy, "
					"floor", where, name);
		else if (!number || hd_limits_number(number, value) < 0)
			rc = hd_fail(err, HD_EFORMAT, "%s: %s takes a percentage from 0 to 1000, not '%.40s'",
				where, name, number ? number : "");
	}
	free(copy);
	return rc;
}
