/*
 * field_table.h - look up the fields of samples by name
 *
 *     pid tid cpu period time ip comm event         nearly every sample; time in filters only
 *     cpumode                                       every sample
 *     addr phys_addr weight ins_lat p_stage_cyc     samples that were recorded with them
 *     data_src mem op snoop tlb locked blocked
 *     transaction cgroup cgroup_id
 *     data_page_size code_page_size
 *     prev_comm, bytes_req, ...                     fields of tracepoints
 *     reason waker woken future syscall error       with --weight off-cpu, wall and syscalls; keys only
 *     span                                          ... and opts->span_polls: the span on which the thread
 *                                                   worked (span_polls.h); keys only
 *     EVENT.FIELD                                   a field of this tracepoint alone; needed if the name
 *                                                   is also one of those above
 *
 * A field can be a key of the rows (--by), a part of a filter (--filter) or the weight (--weight-field).  A name is
 * looked up once for each event.  The result is a place from which the value of each sample is read.  An event without
 * the field has no value, which differs from 0.
 *
 * Owns:    the places, the names of cgroups.
 * Threads: constant after the lookups; any thread may read values.
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
	HD_FIELD_ERROR,
	HD_FIELD_SPAN,
	HD_FIELD_OF_SPANS = HD_FIELD_REASON,	/* the first field of a span of time (sample_fields.c) */
};

/* Where the samples of an event have a field. */
struct hd_sample_field_place {
	enum hd_sample_field_source source;
	const struct hd_tracefield *trace;
};

struct hd_sample_field {
	const char *name;
	struct hd_sample_field_place *at;		/* indexed by attr */
};

/*
 * The value of a field.  A text is not copied: it is part of the sample, of the scratch buffer of the caller or of the
 * table (names of cgroups), or it is a constant.  The number of a cgroup is its id.
 */
struct hd_sample_field_value {
	enum hd_value_kind kind;
	uint64_t number;
	const char *text;
	size_t len;
};

/* The names of cgroups by id, from CGROUP records. */
struct hd_cgroups {
	struct hd_map index;
	char **names;
	size_t n, cap;
};

struct hd_field_table {
	struct hd_perf *pf;
	struct hd_tracepoints *tracepoints;	/* NULL: none, or not opened yet */
	struct hd_cgroups cgroups;
	struct hd_sample_field **items;
	size_t n, cap;
	bool opened;			/* hd_field_table_open() has tried to open `tracepoints` */
	bool spans;			/* the weight is a time: the fields of spans exist */
	bool polls;			/* opts->span_polls: the field `span` exists */
};

/* Open fs->tracepoints if an event is a tracepoint.  Further calls do nothing and return 0, also after an error. */
int hd_field_table_open(struct hd_field_table *fs, struct hd_err *err);
void hd_field_table_release(struct hd_field_table *fs);

/* Add the path of a cgroup id.  The first path of an id wins, as in perf. */
void hd_cgroups_add(struct hd_cgroups *c, uint64_t id, const char *path, size_t n);
const char *hd_cgroups_name(const struct hd_cgroups *c, uint64_t id);	/* NULL if unknown */

/*
 * Look a name up in every event.  The attrs must be complete.  Returns HD_EFORMAT, with a list of the fields, if none
 * of the events for which wanted[attr] is true has a field of this name; the message names the command-line option
 * `option`.  key: also look among the fields of spans, which are known only after the filter and the weight were
 * applied.  The table owns *out; `name` is borrowed as long as the table.
 */
int hd_field_table_find(const struct hd_sample_field **out, struct hd_field_table *fs, const char *name, bool key,
	const char *option, const bool *wanted, struct hd_err *err);

/*
 * List the names of the fields that an event has: those its samples were recorded with, except those of nearly every
 * sample (pid, cpu, time, ...), then the fields of its tracepoint except common ones.  The caller frees the strings and
 * the array.
 */
int hd_field_table_list(struct hd_field_table *fs, size_t attr, char ***names, size_t *n, struct hd_err *err);

/*
 * Read the value of field f from a sample.  Returns false if the sample has no value, and also for comm, event and the
 * fields of spans: the caller computes these itself.
 */
bool hd_sample_field_get(const struct hd_sample_field *f, const struct hd_field_table *fs, const struct hd_sample *s,
	struct hd_buf *scratch, struct hd_sample_field_value *v);

/* Return true if a field that is read from this place of a sample is a text, false if it is a number. */
bool hd_sample_field_is_text(const struct hd_sample_field_place *at);

/*
 * Guess the unit of a field from its name, without `EVENT.`: "bytes" for bytes, size, len, length, bytes_*, *_bytes and
 * page sizes; "ns" for *_ns.  For any other field this name is the unit.  The result is constant or points into `name`.
 */
const char *hd_sample_field_unit(const char *name);

/* Return true if the field needs the names of cgroups. */
bool hd_sample_field_is_cgroup(const char *name);

#endif
