/*
 * field_table.h - what a sample holds beside its stack, by name
 *
 *     pid tid cpu period time ip comm event         of every sample; for filters
 *     addr phys_addr weight ins_lat p_stage_cyc     of samples that were recorded with them
 *     data_src mem op snoop tlb locked blocked
 *     transaction cgroup cgroup_id
 *     data_page_size code_page_size cpumode
 *     prev_comm, bytes_req, ...                     of tracepoints that have such a field
 *     reason waker woken future                     of spans of time, with --weight off-cpu and wall
 *     syscall error                                 ... and syscalls; for keys only
 *     EVENT.FIELD                                   the same of that tracepoint alone; also where the
 *                                                   name alone means one of those above
 *
 * A name is looked up once for each event; a sample's value is then fetched
 * from a place.  What an event does not have is no value, never a 0.
 *
 * Owns:  the places, the cgroups' names.  Immutable once bound: threads may ask at once.
 */
#ifndef HD_PIPELINE_FIELD_TABLE_H
#define HD_PIPELINE_FIELD_TABLE_H

#include "base/buf.h"
#include "base/map.h"
#include "perfdata/perfdata.h"
#include "perfdata/tracepoint.h"
#include "profile/tuple.h"

enum hd_sample_field_source {
	HD_FIELD_ABSENT,
	HD_FIELD_TRACE,
	HD_FIELD_PID,
	HD_FIELD_TID,
	HD_FIELD_CPU,
	HD_FIELD_PERIOD,
	HD_FIELD_TIME,
	HD_FIELD_IP,
	HD_FIELD_COMM,
	HD_FIELD_EVENT,
	HD_FIELD_ADDR,
	HD_FIELD_PHYS_ADDR,
	HD_FIELD_WEIGHT,
	HD_FIELD_INS_LAT,
	HD_FIELD_P_STAGE_CYC,
	HD_FIELD_DATA_SRC,
	HD_FIELD_MEM,
	HD_FIELD_OP,
	HD_FIELD_SNOOP,
	HD_FIELD_TLB,
	HD_FIELD_LOCKED,
	HD_FIELD_BLOCKED,
	HD_FIELD_TRANSACTION,
	HD_FIELD_CGROUP,
	HD_FIELD_CGROUP_ID,
	HD_FIELD_DATA_PAGE_SIZE,
	HD_FIELD_CODE_PAGE_SIZE,
	HD_FIELD_CPUMODE,
	HD_FIELD_REASON,
	HD_FIELD_WAKER,
	HD_FIELD_WOKEN,
	HD_FIELD_FUTURE,
	HD_FIELD_SYSCALL,
	HD_FIELD_ERROR, /* of a span: sample_fields.c */
	HD_FIELD_OF_SPANS = HD_FIELD_REASON,
};

/* One field, in each event. */
struct hd_sample_field_place {
	enum hd_sample_field_source source;
	const struct hd_tracefield *trace;
};

struct hd_sample_field {
	const char *name;
	struct hd_sample_field_place *at;		/* by attr */
};

/* A value as it was found; a text is a view, or lies in the buffer that was given. */
struct hd_sample_field_value {
	enum hd_value_kind kind;
	uint64_t number;
	const char *text;
	size_t len;
};

/* Names of cgroups by their ids, from the CGROUP records. */
struct hd_cgroups {
	struct hd_map index;
	char **names;
	size_t n, cap;
};

struct hd_field_table {
	struct hd_perf *pf;
	struct hd_tracepoints *tracepoints;	/* NULL: none, or not asked for yet */
	struct hd_cgroups cgroups;
	struct hd_sample_field **items;
	size_t n, cap;
	bool opened;
	bool spans;			/* samples count for spans of time, which have fields of their own */
};

int hd_field_table_open(struct hd_field_table *fs, struct hd_err *err);	/* fs->tracepoints, if there are any */
void hd_field_table_release(struct hd_field_table *fs);

/* The first path of an id is kept, as perf does. */
void hd_cgroups_add(struct hd_cgroups *c, uint64_t id, const char *path, size_t n);
const char *hd_cgroups_name(const struct hd_cgroups *c, uint64_t id);	/* or NULL */

/*
 * Look a name up in every event, once the attrs are complete.  wanted, by attr: which events are selected; that none of
 * them has it is HD_EFORMAT, and what there is is listed; `option` is for that sentence.  *out is the table's.
 */
int hd_field_table_find(const struct hd_sample_field **out, struct hd_field_table *fs, const char *name,
	const char *option, const bool *wanted, struct hd_err *err);

/*
 * Names of what an event has of its own: what its samples were recorded with, then the tracepoint's fields but the
 * common ones.  Fresh strings, *n of them.
 */
int hd_field_table_list(struct hd_field_table *fs, size_t attr, char ***names, size_t *n, struct hd_err *err);

/* false: the sample has no such field.  COMM, EVENT and fields of spans have no value here: who asks knows them. */
bool hd_sample_field_get(const struct hd_sample_field *f, const struct hd_field_table *fs, const struct hd_sample *s,
	struct hd_buf *scratch, struct hd_sample_field_value *v);

bool hd_sample_field_is_text(const struct hd_sample_field_place *at);	/* else it is a number */

/* "bytes" when the name says so (bytes, size, len, length, bytes_*, *_bytes, page sizes), "ns" for *_ns, else the name. */
const char *hd_sample_field_unit(const char *name);

/* Cgroups' names are needed for it. */
bool hd_sample_field_is_cgroup(const char *name);

#endif
