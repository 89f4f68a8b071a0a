/*
 * fuzz_perfdata.c - read any bytes as a recording: walk it three times and parse every record
 *
 * Invariants: all walks give the same number of records, and the last two, which decode tracepoints, give the same
 * contents.
 */
#include "perfdata/embedded_symbols.h"
#include "perfdata/perfdata.h"
#include "perfdata/tracepoint.h"
#include "fuzz/input.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read all n bytes at p, so that a sanitizer detects a view that is longer than its data. */
static uint64_t touch(const uint8_t *p, uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; p && i < n; i++)
		sum += p[i];
	return sum;
}

static uint64_t on_sample(struct hd_perf *pf, const struct hd_record *rec, struct hd_tracepoints *tp)
{
	const struct hd_perf_attr *attrs;
	const struct hd_read_value *values;
	struct hd_sample s;
	struct hd_err err;
	uint64_t sum = 0;
	size_t nattrs, n;

	if (hd_perf_parse_sample(pf, rec, &s, &err) < 0) {
		assert(s.drop);
		return 1;
	}
	attrs = hd_perf_attrs(pf, &nattrs);
	assert(s.attr < nattrs);
	for (uint32_t i = 0; i < s.nchain; i++)
		sum += hd_sample_chain_ip(&s, i);
	sum += touch(s.raw, s.raw_bytes) + touch(s.branches, 24 * (uint64_t)s.nbranches);
	sum += touch(s.regs_user, 8 * (uint64_t)__builtin_popcountll(attrs[s.attr].regs_user));
	sum += touch(s.regs_intr, 8 * (uint64_t)__builtin_popcountll(attrs[s.attr].regs_intr));
	sum += touch(s.stack_user, s.stack_user_bytes);
	hd_perf_note_sample_times(pf, &s);
	n = hd_perf_group_values(pf, rec, &s, &values);
	for (size_t i = 0; i < n; i++) {
		assert(values[i].attr < nattrs);
		sum += values[i].value;
	}
	if (tp && s.raw) {
		const struct hd_tracefield *f = hd_tracepoints_find(tp, attrs[s.attr].config, "common_pid");
		struct hd_tracevalue v;

		sum += f && hd_tracefield_get(f, s.raw, s.raw_bytes, &v) ? v.n : 0;
	}
	return sum;
}

static uint64_t on_record(struct hd_perf *pf, const struct hd_record *rec, struct hd_tracepoints *tp)
{
	struct hd_mmap_event m;
	struct hd_comm_event c;
	struct hd_fork_event f;
	struct hd_ksymbol_event k;
	struct hd_namespaces_event ns;
	struct hd_deferred_event d;
	struct hd_cgroup_event cg;
	struct hd_err err;
	struct hd_lost lost;

	switch (rec->kind) {
	case HD_REC_SAMPLE:
		return on_sample(pf, rec, tp);
	case HD_REC_MMAP:
		return hd_perf_parse_mmap(pf, rec, &m, &err) < 0 ? 0 : touch((const uint8_t *)m.name, m.name_len + 1);
	case HD_REC_COMM:
		return hd_perf_parse_comm(pf, rec, &c, &err) < 0 ? 0 : touch((const uint8_t *)c.comm, c.comm_len + 1);
	case HD_REC_FORK:
	case HD_REC_EXIT:
		return hd_perf_parse_fork(pf, rec, &f, &err) < 0 ? 0 : f.when.time_ns;
	case HD_REC_KSYMBOL:
		return hd_perf_parse_ksymbol(pf, rec, &k, &err) < 0 ? 0
								    : touch((const uint8_t *)k.name, k.name_len + 1);
	case HD_REC_NAMESPACES:
		return hd_perf_parse_namespaces(pf, rec, &ns, &err) < 0 ? 0 : ns.mnt_ino;
	case HD_REC_CGROUP:
		return hd_perf_parse_cgroup(pf, rec, &cg, &err) < 0 ? 0
								    : touch((const uint8_t *)cg.path, cg.path_len + 1);
	case HD_REC_LOST:
	case HD_REC_LOST_SAMPLES:
		return hd_perf_parse_lost(pf, rec, &lost, &err) < 0 ? 0 : lost.count + lost.attr + lost.counter;
	case HD_REC_CALLCHAIN_DEFERRED:
		return hd_perf_parse_deferred(pf, rec, &d, &err) < 0 ? 0 : touch(d.ips, 8 * (size_t)d.n) + d.cookie;
	case HD_REC_THROTTLE:
	case HD_REC_FINISHED_ROUND:
	case HD_REC_OTHER:
		return touch(rec->data, rec->size - 8);
	}
	return 0;
}

/* Limit the number of records per walk, because a small compressed stream can expand to very many. */
enum { RECORDS_MAX = 200000 };

static uint64_t walk(struct hd_perf *pf, struct hd_tracepoints *tp, uint64_t *records)
{
	struct hd_record rec;
	struct hd_err err;
	uint64_t sum = 0;

	*records = 0;
	while (hd_perf_next(pf, &rec, &err) > 0 && *records < RECORDS_MAX) {
		assert(rec.size >= 8 && rec.seq >= *records);
		sum += on_record(pf, &rec, tp) + rec.off;
		++*records;
	}
	return sum;
}

/* Check that every embedded symbol belongs to a file, and that both have names. */
static uint64_t on_carried(struct hd_perf *pf)
{
	const struct hd_embedded_symbols *c = hd_perf_embedded_symbols(pf);
	uint64_t sum = touch((const uint8_t *)c->kallsyms.data, c->kallsyms.len);

	for (size_t i = 0; i < c->nfiles; i++) {
		assert(c->files[i].n <= c->nsymbols && c->files[i].path < c->names.len);
		for (size_t k = 0; k < c->files[i].n; k++) {
			const struct hd_embedded_symbol *s = &c->symbols[c->files[i].first + k];

			assert(s->file == i && s->name < c->names.len && *hd_embedded_str(c, s->name));
			sum += s->start + s->size;
		}
	}
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_log log = { 0 };
	struct hd_perf *pf = NULL;
	struct hd_tracepoints *tp = NULL;
	struct hd_err err;
	uint64_t n[3], sum[3];
	int fd = fuzz_memory_file(data, size);

	if (hd_perf_open_fd(&pf, fd, "fuzz.data", &log, &err) < 0)
		goto out;
	/* In pipe output, the first walk finds the attrs; the later walks know them from the start. */
	sum[0] = walk(pf, NULL, &n[0]);
	if (hd_tracepoints_open(&tp, pf, &err) < 0)
		abort();
	for (int i = 1; i < 3; i++) {
		if (hd_perf_rewind(pf, &err) < 0)
			abort();
		sum[i] = walk(pf, tp, &n[i]);
	}
	sum[0] = on_carried(pf);
	if (n[0] != n[1] || n[1] != n[2] || sum[1] != sum[2])
		abort();
	hd_tracepoints_free(tp);
	hd_perf_close(pf);
out:
	hd_log_release(&log);
	return 0;
}
