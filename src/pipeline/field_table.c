/*
 * field_table.c - see field_table.h
 */
#include "pipeline/field_table.h"

#include "base/mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/*
 * Fields that do not belong to tracepoints.  A sample has the field if its sample_type has any bit of `bits`.  If
 * `bits` is ~UINT64_C(0), every sample has the field.
 */
static const struct known {
	const char *name;
	enum hd_sample_field_source source;
	uint64_t bits;
	bool plain;		/* nearly every sample has this field, so hd_field_table_list() omits it */
} known[] = {
	{ "comm", HD_FIELD_COMM, PERF_SAMPLE_TID, true },
	{ "pid", HD_FIELD_PID, PERF_SAMPLE_TID, true },
	{ "tid", HD_FIELD_TID, PERF_SAMPLE_TID, true },
	{ "cpu", HD_FIELD_CPU, PERF_SAMPLE_CPU, true },
	{ "event", HD_FIELD_EVENT, ~UINT64_C(0), true },
	{ "period", HD_FIELD_PERIOD, ~UINT64_C(0), true },
	{ "time", HD_FIELD_TIME, PERF_SAMPLE_TIME, true },
	{ "ip", HD_FIELD_IP, PERF_SAMPLE_IP, true },
	{ "cpumode", HD_FIELD_CPUMODE, ~UINT64_C(0), true },
	{ "addr", HD_FIELD_ADDR, PERF_SAMPLE_ADDR, false },
	{ "phys_addr", HD_FIELD_PHYS_ADDR, PERF_SAMPLE_PHYS_ADDR, false },
	{ "weight", HD_FIELD_WEIGHT, PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT, false },
	{ "ins_lat", HD_FIELD_INS_LAT, PERF_SAMPLE_WEIGHT_STRUCT, false },
	{ "p_stage_cyc", HD_FIELD_P_STAGE_CYC, PERF_SAMPLE_WEIGHT_STRUCT, false },
	{ "data_src", HD_FIELD_DATA_SRC, PERF_SAMPLE_DATA_SRC, false },
	{ "mem", HD_FIELD_MEM, PERF_SAMPLE_DATA_SRC, false },
	{ "op", HD_FIELD_OP, PERF_SAMPLE_DATA_SRC, false },
	{ "snoop", HD_FIELD_SNOOP, PERF_SAMPLE_DATA_SRC, false },
	{ "tlb", HD_FIELD_TLB, PERF_SAMPLE_DATA_SRC, false },
	{ "locked", HD_FIELD_LOCKED, PERF_SAMPLE_DATA_SRC, false },
	{ "blocked", HD_FIELD_BLOCKED, PERF_SAMPLE_DATA_SRC, false },
	{ "transaction", HD_FIELD_TRANSACTION, PERF_SAMPLE_TRANSACTION, false },
	{ "cgroup", HD_FIELD_CGROUP, PERF_SAMPLE_CGROUP, false },
	{ "cgroup_id", HD_FIELD_CGROUP_ID, PERF_SAMPLE_CGROUP, false },
	{ "data_page_size", HD_FIELD_DATA_PAGE_SIZE, PERF_SAMPLE_DATA_PAGE_SIZE, false },
	{ "code_page_size", HD_FIELD_CODE_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE, false },
};

/* Fields of the span of time that begins with a sample. */
static const struct known of_spans[] = {
	{ "reason", HD_FIELD_REASON, 0, false }, { "waker", HD_FIELD_WAKER, 0, false },
	{ "woken", HD_FIELD_WOKEN, 0, false },
	{ "future", HD_FIELD_FUTURE, 0, false }, { "syscall", HD_FIELD_SYSCALL, 0, false },
	{ "error", HD_FIELD_ERROR, 0, false },
	{ "span", HD_FIELD_SPAN, 0, false },	/* must be last: count_of_spans() omits it unless fs->polls is set */
};

static size_t count_of_spans(const struct hd_field_table *fs)
{
	return fs->spans ? HD_COUNT(of_spans) - !fs->polls : 0;
}

/* Other names of fields, as perf report spells them. */
static const struct { const char *word, *name; } aliases[] = {
	{ "local_weight", "weight" }, { "weight1", "weight" },
	{ "local_ins_lat", "ins_lat" }, { "weight2", "ins_lat" },
	{ "local_p_stage_cyc", "p_stage_cyc" }, { "weight3", "p_stage_cyc" },
	{ "phys_daddr", "phys_addr" },
};

static const struct known *known_of(const char *name)
{
	for (size_t i = 0; i < HD_COUNT(aliases); i++)
		if (!strcmp(aliases[i].word, name))
			name = aliases[i].name;
	for (size_t i = 0; i < HD_COUNT(known); i++)
		if (!strcmp(known[i].name, name))
			return &known[i];
	return NULL;
}

bool hd_sample_field_is_cgroup(const char *name)
{
	return !strcmp(name, "cgroup");
}

/* ---- cgroups ---- */

void hd_cgroups_add(struct hd_cgroups *c, uint64_t id, const char *path, size_t n)
{
	if (hd_map_has(&c->index, id))
		return;
	HD_GROW(c->names, c->n + 1, c->cap);
	c->names[c->n] = hd_strndup(path, n);
	hd_map_put(&c->index, id, (uint32_t)c->n++);
}

const char *hd_cgroups_name(const struct hd_cgroups *c, uint64_t id)
{
	uint32_t at = hd_map_get(&c->index, id);

	return at == HD_MAP_NONE ? NULL : c->names[at];
}

/* ---- the table ---- */

void hd_field_table_release(struct hd_field_table *fs)
{
	for (size_t i = 0; i < fs->n; i++) {
		free(fs->items[i]->at);
		free(fs->items[i]);
	}
	free(fs->items);
	for (size_t i = 0; i < fs->cgroups.n; i++)
		free(fs->cgroups.names[i]);
	free(fs->cgroups.names);
	hd_map_release(&fs->cgroups.index);
	hd_tracepoints_free(fs->tracepoints);
	*fs = (struct hd_field_table){ 0 };
}

int hd_field_table_open(struct hd_field_table *fs, struct hd_err *err)
{
	size_t n;
	const struct hd_perf_attr *attrs = hd_perf_attrs(fs->pf, &n);
	bool any = false;

	for (size_t i = 0; i < n; i++)
		any |= attrs[i].type == PERF_TYPE_TRACEPOINT;
	if (fs->opened || !any)
		return 0;
	fs->opened = true;
	return hd_tracepoints_open(&fs->tracepoints, fs->pf, err);
}

static const struct hd_tracefield *trace_field(const struct hd_field_table *fs, const struct hd_perf_attr *a,
	const char *name)
{
	if (a->type != PERF_TYPE_TRACEPOINT || !(a->sample_type & PERF_SAMPLE_RAW))
		return NULL;
	return hd_tracepoints_find(fs->tracepoints, a->config, name);
}

/*
 * If `name` is EVENT.FIELD and EVENT is the tracepoint of the attr `a`, with or without its subsystem, return FIELD;
 * otherwise NULL.
 */
static const char *of_event(const struct hd_field_table *fs, const struct hd_perf_attr *a, const char *name)
{
	const char *dot = strrchr(name, '.'), *event, *colon;
	size_t n;

	event = dot && a->type == PERF_TYPE_TRACEPOINT ? hd_tracepoints_name(fs->tracepoints, a->config) : NULL;
	if (!event)
		return NULL;
	n = (size_t)(dot - name);
	colon = strchr(event, ':');
	if ((strlen(event) == n && !memcmp(event, name, n)) ||
		(colon && strlen(colon + 1) == n && !memcmp(colon + 1, name, n)))
		return dot + 1;
	return NULL;
}

static struct hd_sample_field_place look_up(const struct hd_field_table *fs, const struct hd_perf_attr *a,
	const char *name, bool key)
{
	const struct known *k = known_of(name);
	const char *own = of_event(fs, a, name);
	const struct hd_tracefield *trace;

	for (size_t i = 0; key && i < count_of_spans(fs); i++)
		if (!strcmp(of_spans[i].name, name))
			return (struct hd_sample_field_place){ of_spans[i].source, NULL };
	if (k && (k->bits == ~UINT64_C(0) || a->sample_type & k->bits))
		return (struct hd_sample_field_place){ k->source, NULL };
	trace = trace_field(fs, a, own ? own : name);
	return (struct hd_sample_field_place){ trace ? HD_FIELD_TRACE : HD_FIELD_ABSENT, trace };
}

int hd_field_table_list(struct hd_field_table *fs, size_t attr, char ***names, size_t *n, struct hd_err *err)
{
	size_t nattrs, nfields, cap = 0;
	const struct hd_perf_attr *attrs = hd_perf_attrs(fs->pf, &nattrs), *a = &attrs[attr];
	const struct hd_tracefield *fields;
	int rc = hd_field_table_open(fs, err);

	*names = NULL;
	*n = 0;
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < HD_COUNT(known); i++) {
		if (known[i].plain || !(a->sample_type & known[i].bits))
			continue;
		HD_GROW(*names, *n + 1, cap);
		(*names)[(*n)++] = hd_strdup(known[i].name);
	}
	if (a->type != PERF_TYPE_TRACEPOINT || !(a->sample_type & PERF_SAMPLE_RAW))
		return 0;
	fields = hd_tracepoints_fields(fs->tracepoints, a->config, &nfields);
	for (size_t i = 0; i < nfields; i++) {
		if (!strncmp(fields[i].name, "common_", 7))
			continue;
		HD_GROW(*names, *n + 1, cap);
		(*names)[(*n)++] = hd_strdup(fields[i].name);
	}
	return 0;
}

enum { LISTED = 600 };		/* the list of fields in a message ends after the first name beyond this many bytes */

static bool has_word(const struct hd_buf *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = hd_buf_str(list); (at = strstr(at, word)); at += n)
		if ((at == list->data || at[-1] == ' ') && (at[n] == ',' || !at[n]))
			return true;
	return false;
}

/* Append a name unless the list has it already or is full. */
static void add_to(struct hd_buf *list, const char *name)
{
	if (list->len < LISTED && !has_word(list, name))
		hd_buf_addf(list, "%s%s", list->len ? ", " : "", name);
	else if (list->len >= LISTED && list->data[list->len - 1] != '.')
		hd_buf_adds(list, ", ...");
}

static int no_such(struct hd_field_table *fs, const char *name, const char *option, const bool *wanted,
	struct hd_err *err)
{
	struct hd_buf list = { 0 };
	bool key = !strcmp(option, "--by");
	size_t nattrs;
	const struct hd_perf_attr *attrs = hd_perf_attrs(fs->pf, &nattrs);

	hd_buf_adds(&list, key ? "event, comm, pid, tid, cpu, dso, symbol, line" : "");
	for (size_t k = 0; key && k < count_of_spans(fs); k++)
		add_to(&list, of_spans[k].name);
	for (size_t k = 0; k < HD_COUNT(known); k++)
		for (size_t i = 0; i < nattrs; i++)
			if (wanted[i] && known[k].plain && !(key && known[k].source == HD_FIELD_TIME) &&
				attrs[i].sample_type & known[k].bits)
				add_to(&list, known[k].name);
	for (size_t i = 0; i < nattrs; i++) {
		char **names;
		size_t n;

		if (!wanted[i] || hd_field_table_list(fs, i, &names, &n, NULL) < 0)
			continue;
		for (size_t k = 0; k < n; k++) {
			add_to(&list, names[k]);
			free(names[k]);
		}
		free(names);
	}
	hd_fail(err, HD_EFORMAT, "%s: %s: no selected event has a field '%.100s'; there are %s",
		hd_perf_file(fs->pf)->path, option, name, hd_buf_str(&list));
	hd_buf_release(&list);
	return HD_EFORMAT;
}

int hd_field_table_find(const struct hd_sample_field **out, struct hd_field_table *fs, const char *name, bool key,
	const char *option, const bool *wanted, struct hd_err *err)
{
	size_t nattrs;
	const struct hd_perf_attr *attrs = hd_perf_attrs(fs->pf, &nattrs);
	struct hd_sample_field *f;
	bool any = false;
	int rc = hd_field_table_open(fs, err);

	if (rc < 0)
		return rc;
	f = hd_new(struct hd_sample_field);
	f->name = name;
	f->at = hd_new_array(struct hd_sample_field_place, nattrs);
	HD_GROW(fs->items, fs->n + 1, fs->cap);
	fs->items[fs->n++] = f;
	for (size_t i = 0; i < nattrs; i++) {
		f->at[i] = look_up(fs, &attrs[i], name, key);
		any |= wanted[i] && f->at[i].source != HD_FIELD_ABSENT;
	}
	*out = f;
	return any ? 0 : no_such(fs, name, option, wanted, err);
}
