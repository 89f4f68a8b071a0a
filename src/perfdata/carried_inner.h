/*
 * carried_inner.h - for the files of perfdata/ that read what carried.h is about
 */
#ifndef HD_PERFDATA_CARRIED_INNER_H
#define HD_PERFDATA_CARRIED_INNER_H

#include "base/bytes.h"
#include "perfdata/carried.h"

/* A header feature's content; < 0: it is not what it should be, what came before the fault is kept. */
int hd_carried_simpleperf(struct hd_perf *pf, struct hd_bytes *b, bool protobuf, struct hd_err *err);
int hd_carried_hiperf(struct hd_perf *pf, struct hd_bytes *b, struct hd_err *err);
int hd_carried_stacks(struct hd_perf *pf, struct hd_bytes *b, struct hd_err *err);
/* A record of simpleperf's own, met for the first time. */
void hd_carried_record(struct hd_perf *pf, const struct hd_record *rec);
/* Does it tell names or ids? */
bool hd_carried_tells(uint32_t type);
/* The chain that the last word of a sample stands for, into s. */
void hd_carried_chain(struct hd_perf *pf, const uint8_t *word, struct hd_sample *s);
void hd_carried_free(struct hd_perf *pf);
void hd_carried_free_stacks(struct hd_perf *pf);

/*
 * carried.c, for its neighbours.  A file is begun, then kept when it has symbols.  An empty name is none.
 */
struct hd_carried_file *hd_carried_begin(struct hd_perf *pf, const char *path, size_t n);
void hd_carried_end(struct hd_perf *pf);
void hd_carried_add_symbol(struct hd_perf *pf, size_t file, uint64_t start, uint64_t size, const char *name, size_t n);
void hd_carried_set_kind(const struct hd_carried *c, struct hd_carried_file *f, uint64_t type);

#endif
