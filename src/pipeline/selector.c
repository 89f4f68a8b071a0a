/*
 * selector.c - see selector.h
 */
#include "pipeline/selector.h"

#include "base/mem.h"
#include "base/utc.h"
#include "pipeline/filter.h"
#include "symbols/symbols.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int numbers(struct hd_number_list *out, const struct hd_string_list *words, const char *option,
	struct hd_err *err)
{
	out->items = words->n ? hd_new_array(uint64_t, words->n) : NULL;
	for (size_t i = 0; i < words->n; i++) {
		const char *w = words->items[i];
		char *end;

		errno = 0;
		out->items[out->n++] = strtoull(w, &end, 10);
		if (!isdigit((unsigned char)*w) || *end || errno)
			return hd_fail(err, HD_EUSAGE, "--%s takes a number, not '%s'", option, w);
	}
	return 0;
}

static bool among(const struct hd_number_list *set, uint64_t v)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->items[i] == v)
			return true;
	return !set->n;
}

static int time_range(struct hd_selector *s, const char *text, struct hd_err *err)
{
	if (!hd_parse_seconds_range(text, &s->from_ns, &s->to_ns))
		return hd_fail(err, HD_EUSAGE, "--time takes A,B in seconds of the recording's clock, not '%s'", text);
	s->by_time = true;
	return 0;
}

int hd_selector_init(struct hd_selector *s, const struct hd_selection *opts, struct hd_err *err)
{
	int rc;

	*s = (struct hd_selector){ .opts = opts, .to_ns = UINT64_MAX };
	rc = numbers(&s->pid, &opts->pid, "pid", err);
	if (rc >= 0)
		rc = numbers(&s->tid, &opts->tid, "tid", err);
	if (rc >= 0)
		rc = numbers(&s->cpu, &opts->cpu, "cpu", err);
	if (rc >= 0 && opts->time)
		rc = time_range(s, opts->time, err);
	if (rc >= 0 && opts->filter)
		rc = hd_filter_parse(&s->filter, opts->filter, err);
	if (rc >= 0 && opts->weight_field && opts->weight != HD_WEIGHT_PERIOD)
		rc = hd_fail(err, HD_EUSAGE, "--weight and --weight-field %s exclude each other",
			opts->weight_field);
	if (rc < 0)
		hd_selector_release(s);
	s->by_name = opts->comm.n || s->filter;
	s->any = s->by_time || s->pid.n || s->tid.n || s->cpu.n;
	return rc;
}

void hd_selector_release(struct hd_selector *s)
{
	free(s->pid.items);
	free(s->tid.items);
	free(s->cpu.items);
	hd_filter_free(s->filter);
	s->filter = NULL;
	s->pid = s->tid = s->cpu = (struct hd_number_list){ 0 };
}

bool hd_selector_ids(const struct hd_selector *s, int32_t pid, int32_t tid, uint32_t cpu)
{
	return among(&s->pid, (uint32_t)pid) && among(&s->tid, (uint32_t)tid) && among(&s->cpu, cpu);
}

bool hd_selector_time(const struct hd_selector *s, uint64_t time_ns)
{
	return !s->by_time || (time_ns >= s->from_ns && time_ns <= s->to_ns);
}

/*
 * Return true if --event has this name, or its part before the modifiers: `cycles` selects cycles:u and
 * cycles/period=1000/u.
 */
bool hd_selector_event(const struct hd_selector *s, const char *name)
{
	const struct hd_string_list *w = &s->opts->event;
	size_t base = strcspn(name, "/");
	const char *colon = name[base] ? name + base : strrchr(name, ':');

	for (size_t i = 0; i < w->n; i++) {
		size_t len = strlen(w->items[i]);

		if (!strcmp(w->items[i], name) ||
		    (colon && len == (size_t)(colon - name) && !memcmp(w->items[i], name, len)))
			return true;
	}
	return !w->n;
}

bool hd_selector_comm(const struct hd_selector *s, const char *comm)
{
	return !s->opts->comm.n || hd_string_list_has(&s->opts->comm, comm);
}

bool hd_selector_dso(const struct hd_selector *s, const char *path)
{
	const char *slash = strrchr(path, '/');

	return !s->opts->dso.n || hd_string_list_has(&s->opts->dso, path) ||
	       (slash && slash[1] && hd_string_list_has(&s->opts->dso, slash + 1));
}

bool hd_selector_symbol(const struct hd_selector *s, const char *display, const char *linkage)
{
	return !s->opts->symbol.n || hd_string_list_has(&s->opts->symbol, display) ||
		hd_string_list_has(&s->opts->symbol, linkage);
}

char *hd_selector_strip_version(const char *linkage)
{
	char *s = hd_symbol_normalise(linkage), *at = strchr(s, '@');
	const char *version;

	if (!at || at == s || !strcmp(at, "@plt"))
		return s;
	version = at + 1 + (at[1] == '@');	/* the default version is written as @@VERSION */
	while (isalnum((unsigned char)*version) || *version == '_' || *version == '.')
		version++;
	if (!*version && version[-1] != '@')
		*at = '\0';
	return s;
}
