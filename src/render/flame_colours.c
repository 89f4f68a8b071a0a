/*
 * flame_colours.c - see flame_colours.h
 */
#include "render/flame_colours.h"

#include "base/encode.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strtab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_MAP_BYTES = 64 << 20 };

/*
 * The colours of the plain palettes.  Each channel (red, green, blue) is base + span * v[axis], where v[0], v[1] and
 * v[2] are numbers from 0 to 1 that mix() computes from the name.
 */
static const struct range {
	struct { unsigned base, span, axis; } channel[3];
} ranges[] = {
	[HD_FLAME_PALETTE_HOT]    = { { { 205, 50, 2 }, { 0, 230, 0 }, { 0, 55, 1 } } },
	[HD_FLAME_PALETTE_MEM]    = { { { 0, 0, 0 }, { 190, 50, 1 }, { 0, 210, 0 } } },
	[HD_FLAME_PALETTE_IO]     = { { { 80, 60, 0 }, { 80, 60, 0 }, { 190, 55, 1 } } },
	[HD_FLAME_PALETTE_RED]    = { { { 200, 55, 0 }, { 50, 80, 0 }, { 50, 80, 0 } } },
	[HD_FLAME_PALETTE_GREEN]  = { { { 50, 60, 0 }, { 200, 55, 0 }, { 50, 60, 0 } } },
	[HD_FLAME_PALETTE_BLUE]   = { { { 80, 60, 0 }, { 80, 60, 0 }, { 205, 50, 0 } } },
	[HD_FLAME_PALETTE_YELLOW] = { { { 175, 55, 0 }, { 175, 55, 0 }, { 50, 20, 0 } } },
	[HD_FLAME_PALETTE_PURPLE] = { { { 190, 65, 0 }, { 80, 60, 0 }, { 190, 65, 0 } } },
	[HD_FLAME_PALETTE_AQUA]   = { { { 50, 60, 0 }, { 165, 55, 0 }, { 165, 55, 0 } } },
	[HD_FLAME_PALETTE_ORANGE] = { { { 190, 65, 0 }, { 90, 65, 0 }, { 0, 0, 0 } } },
};

struct hd_flame_colours {
	struct hd_flame_colours_opts o;
	struct hd_strtab *names;	/* names in the palette map; rgb[id - 1] is the colour of a name */
	char (*rgb)[8];
	size_t n, cap;
};

bool hd_flame_colours_used(const struct hd_flame_colours_opts *o)
{
	return o->palette != HD_FLAME_PALETTE_OWN || o->hash || o->random || o->diffusion || o->map_path;
}

/* ---- the choice of the palette ---- */

static bool has(const char *name, const char *part)
{
	return strstr(name, part) != NULL;
}

static bool begins(const char *name, const char *const *starts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

static int java(const char *name, char mark)
{
	static const char *const packages[] = { "java/", "javax/", "jdk/", "net/", "org/", "com/", "io/", "sun/" };

	if (mark == 'j')
		return HD_FLAME_PALETTE_GREEN;
	if (mark == 'i')
		return HD_FLAME_PALETTE_AQUA;
	if (begins(name + (*name == 'L'), packages, HD_COUNT(packages)) || has(name, ":::"))
		return HD_FLAME_PALETTE_GREEN;
	return has(name, "::") ? HD_FLAME_PALETTE_YELLOW : HD_FLAME_PALETTE_RED;
}

static int js(const char *name, char mark)
{
	if (mark == 'j')
		return has(name, "/") ? HD_FLAME_PALETTE_GREEN : HD_FLAME_PALETTE_AQUA;
	if (has(name, "::"))
		return HD_FLAME_PALETTE_YELLOW;
	if (has(name, ".js") || !strcmp(name, " "))
		return HD_FLAME_PALETTE_GREEN;
	return has(name, ":") ? HD_FLAME_PALETTE_AQUA : HD_FLAME_PALETTE_RED;
}

static int perl(const char *name)
{
	if (has(name, "::"))
		return HD_FLAME_PALETTE_YELLOW;
	return has(name, "Perl") || has(name, ".pl") ? HD_FLAME_PALETTE_GREEN : HD_FLAME_PALETTE_RED;
}

/*
 * Return the palette of a Python frame.  Its name contains the file, whose folder shows whether it is an installed
 * package, the standard library or the user's own code.
 */
static int python(const char *name)
{
	if (!has(name, ".py") && !has(name, "<frozen ") && !has(name, "<module>"))
		return HD_FLAME_PALETTE_RED;
	if (has(name, "site-packages") || has(name, "dist-packages"))
		return HD_FLAME_PALETTE_AQUA;
	return has(name, "lib/python") || has(name, "<frozen ") ? HD_FLAME_PALETTE_YELLOW : HD_FLAME_PALETTE_GREEN;
}

static int rust(const char *name)
{
	static const char *const system[] = { "core::", "std::", "alloc::", "<core::", "<std::", "<alloc::", "__rust_",
		"rust_" };

	if (begins(name, system, HD_COUNT(system)))
		return HD_FLAME_PALETTE_ORANGE;
	return has(name, "::") ? HD_FLAME_PALETTE_AQUA : HD_FLAME_PALETTE_YELLOW;
}

static int plain_palette(const struct hd_flame_colours_opts *o, const char *name, char mark)
{
	size_t n = strlen(name);
	bool waker = n > 4 && !strcmp(name + n - 4, "_[w]"), by_kind = o->palette >= HD_FLAME_PALETTE_JAVA;

	if (o->palette == HD_FLAME_PALETTE_OWN)
		return HD_FLAME_PALETTE_HOT;
	if (o->palette == HD_FLAME_PALETTE_WAKEUP)
		return HD_FLAME_PALETTE_AQUA;
	if (o->palette == HD_FLAME_PALETTE_CHAIN)
		return waker ? HD_FLAME_PALETTE_AQUA : HD_FLAME_PALETTE_BLUE;
	if (by_kind && mark == 'k')
		return HD_FLAME_PALETTE_ORANGE;
	switch (o->palette) {
	case HD_FLAME_PALETTE_JAVA:	return java(name, mark);
	case HD_FLAME_PALETTE_JS:	return js(name, mark);
	case HD_FLAME_PALETTE_PERL:	return perl(name);
	case HD_FLAME_PALETTE_PYTHON:	return python(name);
	case HD_FLAME_PALETTE_RUST:	return rust(name);
	default:			return o->palette;
	}
}

/* ---- the choice of the colour within the palette ---- */

/*
 * An FNV-1a hash with a final mix of its bits.  base/hash.h is not used, because its hashes may change between versions
 * and colours must not.
 */
static uint32_t name_hash(const char *name, uint32_t seed)
{
	uint32_t h = 2166136261u ^ seed;

	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * 16777619u;
	h ^= h >> 16;
	return h * 0x85ebca6bu ^ h >> 13;
}

/*
 * Return a number from 0 to 1 that depends on the first three characters of a name, on the first one most.  So
 * functions with a common prefix get similar colours.  A module before a backquote (module`name) is ignored.  step: 1,
 * or -1 to use the last characters instead.
 */
static double prefix_value(const char *name, int step)
{
	const char *tick = strchr(name, '`'), *from = tick ? tick + 1 : name;
	size_t n = strlen(from);
	double sum = 0, most = 0, weight = 1;

	for (size_t i = 0; i < n && i < 3; i++, weight *= 0.7) {
		uint8_t c = (uint8_t)(step > 0 ? from[i] : from[n - 1 - i]);
		unsigned base = 10 + (unsigned)i;

		sum += c % base / (double)(base - 1) * weight;
		most += weight;
	}
	return most > 0 ? 1 - sum / most : 0.5;
}

static void mix(double v[3], const struct hd_flame_colours_opts *o, const char *name, uint32_t number)
{
	uint32_t h;

	if (o->hash) {
		v[0] = prefix_value(name, 1);
		v[1] = v[2] = prefix_value(name, -1);
		return;
	}
	h = name_hash(name, o->random ? (number + 1) * 2654435761u : 0);
	for (unsigned i = 0; i < 3; i++)
		v[i] = (h >> 10 * i & 1023) / 1023.0;
}

static void put(char rgb[8], double r, double g, double b)
{
	snprintf(rgb, 8, "#%02x%02x%02x", (unsigned)r & 255, (unsigned)g & 255, (unsigned)b & 255);
}

static void choose_colour(const struct hd_flame_colours *c, char rgb[8], const char *name, char mark, double share,
	uint32_t number)
{
	const struct range *r = &ranges[plain_palette(&c->o, name, mark)];
	double v[3], out[3];

	if (c->o.diffusion) {
		double other = 255 * (1 - fmin(fmax(share, 0), 1));

		put(rgb, 255, other, other);
		return;
	}
	if (!strcmp(name, "-") || !strcmp(name, "--")) {	/* frames that separate the parts of a combined stack */
		put(rgb, name[1] ? 160 : 200, name[1] ? 160 : 200, name[1] ? 160 : 200);
		return;
	}
	mix(v, &c->o, name, number);
	for (unsigned i = 0; i < 3; i++)
		out[i] = r->channel[i].base + floor(r->channel[i].span * v[r->channel[i].axis]);
	put(rgb, out[0], out[1], out[2]);
}

void hd_flame_colours_get(struct hd_flame_colours *c, char rgb[8], const char *name, char mark, double share,
	uint32_t number)
{
	uint32_t id;

	if (!c->o.map_path) {
		choose_colour(c, rgb, name, mark, share, number);
		return;
	}
	id = hd_strtab_add(c->names, *name ? name : " ");
	while (c->n < id) {
		HD_GROW(c->rgb, c->n + 1, c->cap);
		choose_colour(c, c->rgb[c->n++], name, mark, share, number);
	}
	memcpy(rgb, c->rgb[id - 1], 8);
}

/* ---- the palette map ---- */

/* Add a line of the palette map, `name->rgb(r,g,b)`.  Returns false if the line is invalid. */
static bool add_line(struct hd_flame_colours *c, const char *line, size_t n)
{
	struct hd_buf name = { 0 };
	unsigned r, g, b;
	size_t at = n;
	int used = 0;
	char colour[24];
	uint32_t id;

	while (at > 0 && !(n - at >= 2 && line[at] == '-' && line[at + 1] == '>'))
		at--;
	if (!at || n - at - 2 >= sizeof(colour))
		return false;
	snprintf(colour, sizeof(colour), "%.*s", (int)(n - at - 2), line + at + 2);
	if (sscanf(colour, "rgb(%3u,%3u,%3u)%n", &r, &g, &b, &used) != 3 || !used || colour[used] || r > 255 ||
	    g > 255 || b > 255)
		return false;
	hd_decode_folded(&name, line, at);
	id = hd_strtab_addn(c->names, hd_buf_str(&name), name.len);
	hd_buf_release(&name);
	if (id != c->n + 1)
		return true;		/* the name was listed before, or is empty */
	HD_GROW(c->rgb, c->n + 1, c->cap);
	put(c->rgb[c->n++], r, g, b);
	return true;
}

static int read_map(struct hd_flame_colours *c, struct hd_err *err)
{
	const char *path = c->o.map_path;
	struct hd_buf text = { 0 };
	int fd, rc;

	if (access(path, F_OK) < 0)
		return 0;
	fd = hd_file_open(path, err);
	if (fd < 0)
		return fd;
	rc = hd_file_slurp(fd, path, MAX_MAP_BYTES, &text, err);
	close(fd);
	for (size_t at = 0, line = 1; rc >= 0 && at < text.len; line++) {
		const char *nl = memchr(text.data + at, '\n', text.len - at);
		size_t end = nl ? (size_t)(nl - text.data) : text.len;

		if (end > at && !add_line(c, text.data + at, end - at))
			rc = hd_fail(err, HD_EFORMAT,
				"%s: line %zu is not `name->rgb(r,g,b)`; correct the line or remove the file", path,
				line);
		at = end + 1;
	}
	hd_buf_release(&text);
	return rc;
}

int hd_flame_colours_new(struct hd_flame_colours **out, const struct hd_flame_colours_opts *o, struct hd_err *err)
{
	struct hd_flame_colours *c = hd_new(struct hd_flame_colours);
	int rc = 0;

	c->o = *o;
	c->names = hd_strtab_new();
	if (o->map_path)
		rc = read_map(c, err);
	if (rc < 0) {
		hd_flame_colours_free(c);
		return rc;
	}
	*out = c;
	return 0;
}

void hd_flame_colours_free(struct hd_flame_colours *c)
{
	if (!c)
		return;
	hd_strtab_free(c->names);
	free(c->rgb);
	free(c);
}

static int by_name(const void *a, const void *b, void *names)
{
	return strcmp(hd_strtab_get(names, *(const uint32_t *)a), hd_strtab_get(names, *(const uint32_t *)b));
}

int hd_flame_colours_save(struct hd_flame_colours *c, struct hd_err *err)
{
	uint32_t *order = hd_new_array(uint32_t, c->n + 1);
	struct hd_buf text = { 0 };
	int rc = 0;

	for (uint32_t i = 0; i < c->n; i++)
		order[i] = i + 1;
	qsort_r(order, c->n, sizeof(*order), by_name, c->names);
	for (size_t i = 0; i < c->n; i++) {
		unsigned long rgb = strtoul(c->rgb[order[i] - 1] + 1, NULL, 16);
		const char *name = hd_strtab_get(c->names, order[i]);

		hd_enc_folded(&text, name, strlen(name));
		hd_buf_addf(&text, "->rgb(%lu,%lu,%lu)\n", rgb >> 16, rgb >> 8 & 255, rgb & 255);
	}
	if (c->o.map_path)
		rc = hd_file_write(c->o.map_path, &text, err);
	hd_buf_release(&text);
	free(order);
	return rc;
}
