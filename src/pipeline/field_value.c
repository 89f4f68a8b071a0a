/*
 * field_value.c - read the value of a field from a sample; see field_table.h
 */
#include "pipeline/field_table.h"

#include "base/mem.h"
#include "perfdata/datasrc.h"

#include <string.h>

static bool number(struct hd_sample_field_value *v, enum hd_value_kind kind, uint64_t n)
{
	*v = (struct hd_sample_field_value){ .kind = kind, .number = n };
	return true;
}

static bool text(struct hd_sample_field_value *v, const char *s, size_t n)
{
	*v = (struct hd_sample_field_value){ .kind = HD_VALUE_TEXT, .text = s, .len = n };
	return true;
}

static bool from_scratch(struct hd_sample_field_value *v, const struct hd_buf *scratch)
{
	return text(v, hd_buf_str(scratch), scratch->len);
}

static bool trace_value(const struct hd_tracefield *f, const struct hd_sample *s, struct hd_buf *scratch,
	struct hd_sample_field_value *v)
{
	struct hd_tracevalue raw;

	if (!hd_tracefield_get(f, s->raw, s->raw_bytes, &raw))
		return false;
	switch (f->kind) {
	case HD_TRACE_NUMBER:
		return number(v, f->is_signed ? HD_VALUE_SIGNED : HD_VALUE_UNSIGNED, raw.number);
	case HD_TRACE_ADDRESS:
		return number(v, HD_VALUE_ADDRESS, raw.number);
	case HD_TRACE_TEXT:
		return text(v, (const char *)raw.p, raw.n);
	case HD_TRACE_NUMBERS:
		break;
	}
	hd_tracefield_text(f, &raw, scratch);
	return from_scratch(v, scratch);
}

static bool cgroup_value(const struct hd_cgroups *c, uint64_t id, struct hd_sample_field_value *v)
{
	const char *name = hd_cgroups_name(c, id);

	if (name)
		text(v, name, strlen(name));
	else
		number(v, id ? HD_VALUE_NAMELESS : HD_VALUE_NONE, id);
	v->number = id;
	return id || name;
}

static bool cpumode_value(unsigned mode, struct hd_sample_field_value *v)
{
	static const char *const words[] = { "unknown", "kernel", "user", "hypervisor", "guest kernel", "guest user" };
	const char *word = words[mode < HD_COUNT(words) ? mode : 0];

	return text(v, word, strlen(word));
}

bool hd_sample_field_get(const struct hd_sample_field *f, const struct hd_field_table *fs, const struct hd_sample *s,
	struct hd_buf *scratch, struct hd_sample_field_value *v)
{
	const struct hd_sample_field_place *at = &f->at[s->attr];

	hd_buf_reset(scratch);
	switch (at->source) {
	case HD_FIELD_ABSENT:
	case HD_FIELD_COMM:
	case HD_FIELD_EVENT:
	case HD_FIELD_REASON:
	case HD_FIELD_WAKER:
	case HD_FIELD_WOKEN:
	case HD_FIELD_FUTURE:
	case HD_FIELD_SYSCALL:
	case HD_FIELD_ERROR:
	case HD_FIELD_SPAN:
		return false;
	case HD_FIELD_TRACE:		return trace_value(at->trace, s, scratch, v);
	case HD_FIELD_PID:		return number(v, HD_VALUE_SIGNED, (uint64_t)s->pid);
	case HD_FIELD_TID:		return number(v, HD_VALUE_SIGNED, (uint64_t)s->tid);
	case HD_FIELD_CPU:		return number(v, HD_VALUE_UNSIGNED, s->cpu);
	case HD_FIELD_PERIOD:		return number(v, HD_VALUE_UNSIGNED, s->period);
	case HD_FIELD_TIME:		return number(v, HD_VALUE_UNSIGNED, s->time_ns);
	case HD_FIELD_IP:		return number(v, HD_VALUE_ADDRESS, s->ip);
	case HD_FIELD_ADDR:		return number(v, HD_VALUE_ADDRESS, s->addr);
	case HD_FIELD_PHYS_ADDR:	return number(v, HD_VALUE_ADDRESS, s->phys_addr);
	case HD_FIELD_WEIGHT:		return number(v, HD_VALUE_UNSIGNED, s->weight);
	case HD_FIELD_INS_LAT:		return number(v, HD_VALUE_UNSIGNED, s->weight2);
	case HD_FIELD_P_STAGE_CYC:	return number(v, HD_VALUE_UNSIGNED, s->weight3);
	case HD_FIELD_DATA_SRC:		return number(v, HD_VALUE_ADDRESS, s->data_src);
	case HD_FIELD_CGROUP:		return cgroup_value(&fs->cgroups, s->cgroup, v);
	case HD_FIELD_CGROUP_ID:	return number(v, HD_VALUE_UNSIGNED, s->cgroup);
	case HD_FIELD_DATA_PAGE_SIZE:
		return number(v, HD_VALUE_UNSIGNED, s->data_page_size) && v->number; /* 0: unknown */
	case HD_FIELD_CODE_PAGE_SIZE:	return number(v, HD_VALUE_UNSIGNED, s->code_page_size) && v->number;
	case HD_FIELD_CPUMODE:		return cpumode_value(s->cpumode, v);
	case HD_FIELD_MEM:
	case HD_FIELD_OP:
	case HD_FIELD_SNOOP:
	case HD_FIELD_TLB:
	case HD_FIELD_LOCKED:
	case HD_FIELD_BLOCKED:
		hd_datasrc_text((enum hd_datasrc)(at->source - HD_FIELD_MEM), s->data_src, scratch);
		return from_scratch(v, scratch);
	case HD_FIELD_TRANSACTION:
		hd_transaction_text(s->transaction, scratch);
		return from_scratch(v, scratch) && scratch->len;
	}
	return false;
}

bool hd_sample_field_is_text(const struct hd_sample_field_place *at)
{
	static const uint64_t texts = 1u << HD_FIELD_COMM | 1u << HD_FIELD_EVENT | 1u << HD_FIELD_CGROUP |
		1u << HD_FIELD_CPUMODE | 1u << HD_FIELD_TRANSACTION | 0x3fu << HD_FIELD_MEM;

	if (at->source == HD_FIELD_TRACE)
		return at->trace->kind == HD_TRACE_TEXT || at->trace->kind == HD_TRACE_NUMBERS;
	return texts >> at->source & 1;
}

const char *hd_sample_field_unit(const char *name)
{
	static const char *const sizes[] = { "bytes", "size", "len", "length", "data_page_size", "code_page_size" };
	const char *dot = strrchr(name, '.');
	size_t n;

	name = dot ? dot + 1 : name;
	n = strlen(name);
	for (size_t i = 0; i < HD_COUNT(sizes); i++)
		if (!strcmp(name, sizes[i]))
			return "bytes";
	if (!strncmp(name, "bytes_", 6) || (n > 6 && !strcmp(name + n - 6, "_bytes")))
		return "bytes";
	return n > 3 && !strcmp(name + n - 3, "_ns") ? "ns" : name;
}
