/*
 * selection_text.c - see selection_text.h
 */
#include "pipeline/selection_text.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_value(struct hd_buf *out, const char *v)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,@%+-";

	if (*v && !v[strspn(v, plain)]) {
		hd_buf_adds(out, v);
		return;
	}
	hd_buf_addc(out, '\'');
	for (; *v; v++)
		if (*v == '\'')
			hd_buf_adds(out, "'\\''");
		else
			hd_buf_addc(out, *v);
	hd_buf_addc(out, '\'');
}

/* Append an option with its value.  If `value` is NULL, the option is a flag without a value. */
static void put(struct hd_buf *out, const char *option, const char *value)
{
	hd_buf_addf(out, "%s--%s", out->len ? " " : "", option);
	if (!value)
		return;
	hd_buf_addc(out, '=');
	put_value(out, value);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void put_all(struct hd_buf *out, const char *option, const struct hd_string_list *words, bool numbers)
{
	const char **sorted = hd_new_array(const char *, words->n + 1);

	for (size_t i = 0; i < words->n; i++) {
		sorted[i] = words->items[i];
		while (numbers && sorted[i][0] == '0' && sorted[i][1])
			sorted[i]++;
	}
	if (words->n)
		qsort(sorted, words->n, sizeof(*sorted), compare);
	for (size_t i = 0; i < words->n; i++)
		if (!i || strcmp(sorted[i], sorted[i - 1]))
			put(out, option, sorted[i]);
	free(sorted);
}

void hd_selection_text_add(struct hd_buf *out, const struct hd_selection *s)
{
	static const char *const weights[] = {
		[HD_WEIGHT_SAMPLES] = "samples", [HD_WEIGHT_OFF_CPU] = "off-cpu", [HD_WEIGHT_WALL] = "wall",
		[HD_WEIGHT_SYSCALLS] = "syscalls",
	};

	put_all(out, "comm", &s->comm, false);
	put_all(out, "cpu", &s->cpu, true);
	put_all(out, "dso", &s->dso, false);
	put_all(out, "event", &s->event, false);
	if (s->filter)
		put(out, "filter", s->filter);
	if (s->no_kernel)
		put(out, "no-kernel", NULL);
	put_all(out, "pid", &s->pid, true);
	if (s->strip_version)
		put(out, "strip-version", NULL);
	put_all(out, "symbol", &s->symbol, false);
	put_all(out, "tid", &s->tid, true);
	if (s->time)
		put(out, "time", s->time);
	if (s->weight != HD_WEIGHT_PERIOD)
		put(out, "weight", weights[s->weight]);
	if (s->weight_field)
		put(out, "weight-field", s->weight_field);
}

void hd_selection_text_add_skip(struct hd_buf *out, const char *rules)
{
	if (rules)
		put(out, "skip", rules);
}

void hd_selection_text_add_duration(struct hd_buf *out, unsigned seconds)
{
	char text[16];

	if (!seconds)
		return;
	snprintf(text, sizeof(text), "%u", seconds);
	put(out, "duration", text);
}
