/*
 * embedded_files.h - for the files of perfdata/ that read what embedded_symbols.h is about
 */
#ifndef HD_PERFDATA_EMBEDDED_FILES_H
#define HD_PERFDATA_EMBEDDED_FILES_H

#include "base/bytes.h"
#include "perfdata/embedded_symbols.h"

/* A header feature's content; < 0: it is not what it should be, what came before the fault is kept. */
int hd_simpleperf_read_files(struct hd_perf *pf, struct hd_bytes *b, bool protobuf, struct hd_err *err);
int hd_hiperf_read_files(struct hd_perf *pf, struct hd_bytes *b, struct hd_err *err);
int hd_hiperf_read_stacks(struct hd_perf *pf, struct hd_bytes *b, struct hd_err *err);
/* A record of simpleperf's own, met for the first time. */
void hd_simpleperf_read_record(struct hd_perf *pf, const struct hd_record *rec);
/* The chain that the last word of a sample stands for, into s. */
void hd_hiperf_chain(struct hd_perf *pf, const uint8_t *word, struct hd_sample *s);
void hd_embedded_symbols_free(struct hd_perf *pf);
void hd_hiperf_free_stacks(struct hd_perf *pf);

/*
 * embedded_files.c, for its neighbours.  A file is begun, then kept when it has symbols.  An empty name is none.
 */
struct hd_embedded_file *hd_embedded_file_begin(struct hd_perf *pf, const char *path, size_t n);
void hd_embedded_file_end(struct hd_perf *pf);
void hd_embedded_file_add_symbol(struct hd_perf *pf, size_t file, uint64_t start, uint64_t size, const char *name,
	size_t n);
void hd_embedded_file_set_kind(const struct hd_embedded_symbols *c, struct hd_embedded_file *f, uint64_t type);

#endif
