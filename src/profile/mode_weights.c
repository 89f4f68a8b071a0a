/*
 * mode_weights.c - see mode_weights.h
 */
#include "profile/mode_weights.h"

#include "base/mem.h"
#include "profile/mode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parse a number without sign; -1 if it is invalid. */
static double number_of(const char *s, size_t n)
{
	char text[32], *end;
	double v;

	if (!n || n >= sizeof(text) || strspn(s, "0123456789.eE+-") < n || *s == '-' || *s == '+')
		return -1;
	memcpy(text, s, n);
	text[n] = '\0';
	v = strtod(text, &end);
	return *end || !isfinite(v) ? -1 : v;
}

static int add(struct hd_mode_weights *w, const char *s, size_t n, const char *where, struct hd_err *err)
{
	const char *eq = memchr(s, '=', n);
	size_t name = eq ? (size_t)(eq - s) : n, from = name + 1;
	char *word;
	const struct hd_profile_mode *m;
	double v;

	while (name && (s[name - 1] == ' ' || s[name - 1] == '\t'))
		name--;
	while (from < n && (s[from] == ' ' || s[from] == '\t'))
		from++;
	word = hd_strndup(s, name);
	m = hd_profile_mode_find(word);
	free(word);
	if (!eq)
		return hd_fail(err, HD_EUSAGE, "%s: weights are MODE=NUMBER, not '%.*s'", where,
			(int)(n < 60 ? n : 60), s);
	if (!m || !m->recorder || !strcmp(m->word, "power"))
		return hd_fail(err, HD_EUSAGE, "%s: '%.*s' is no mode with hotspots; weights of cpu, memory, faults, "
			"async, syscall and gpu are possible", where, (int)(name < 60 ? name : 60), s);
	if (hd_mode_weights_find(w, m->word) < w->n)
		return hd_fail(err, HD_EUSAGE, "%s: %s has two weights", where, m->word);
	v = number_of(s + from, n - (from < n ? from : n));
	if (v < 0)
		return hd_fail(err, HD_EUSAGE, "%s: the weight of %s is not a number of 0 or more", where, m->word);
	if (w->n < HD_MODE_WEIGHTS_MAX)
		w->of[w->n++] = (struct hd_mode_weight){ m->word, v };
	return 0;
}

int hd_mode_weights_parse(struct hd_mode_weights *w, const char *text, const char *where, struct hd_err *err)
{
	double largest = 0, sum = 0;
	size_t n = 0;

	*w = (struct hd_mode_weights){ 0 };
	while (*(text += strspn(text, ", \t\n"))) {
		size_t len = strcspn(text, ",\n"), word = len;
		int rc;

		while (text[word - 1] == ' ' || text[word - 1] == '\t')
			word--;
		rc = add(w, text, word, where, err);
		if (rc < 0)
			return rc;
		text += len;
	}
	for (size_t i = 0; i < w->n; i++)
		largest = fmax(largest, w->of[i].weight);
	if (!(largest > 0))
		return hd_fail(err, HD_EUSAGE, "%s: no mode has a weight above 0", where);
	/* divide by the largest weight first, so that the sum cannot overflow */
	for (size_t i = 0; i < w->n; i++) {
		w->of[i].weight /= largest;
		sum += w->of[i].weight;
	}
	for (size_t i = 0; i < w->n; i++) {
		w->of[i].weight /= sum;
		if (w->of[i].weight > 0)
			w->of[n++] = w->of[i];
	}
	w->n = n;
	return 0;
}

size_t hd_mode_weights_find(const struct hd_mode_weights *w, const char *mode)
{
	size_t i = 0;

	while (i < w->n && strcmp(w->of[i].mode, mode))
		i++;
	return i;
}
