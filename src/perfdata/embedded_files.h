/*
 * embedded_files.h - the readers of the formats that embedded_symbols.h describes; private to perfdata/
 */
#ifndef HD_PERFDATA_EMBEDDED_FILES_H
#define HD_PERFDATA_EMBEDDED_FILES_H

#include "base/bytes.h"
#include "perfdata/embedded_symbols.h"

/* Read the content `b` of a header feature.  Returns < 0 if it is malformed; the rows before the error are kept. */
int hd_simpleperf_read_files(struct hd_perf *pf, struct hd_bytes *b, bool protobuf, struct hd_err *err);
int hd_hiperf_read_files(struct hd_perf *pf, struct hd_bytes *b, struct hd_err *err);
int hd_hiperf_read_stacks(struct hd_perf *pf, struct hd_bytes *b, struct hd_err *err);
/* Handle a record of a type that only simpleperf writes.  It is called on the first walk. */
void hd_simpleperf_read_record(struct hd_perf *pf, const struct hd_record *rec);
/*
 * Set the call chain of sample `s` from the table of chains.  `word`: the last word of the sample, which names a chain.
 * If the chain would exceed the limit for the memory of chains, the sample gets none, and chains_refused is increased.
 */
void hd_hiperf_chain(struct hd_perf *pf, const uint8_t *word, struct hd_sample *s);
void hd_embedded_symbols_free(struct hd_perf *pf);
void hd_hiperf_free_stacks(struct hd_perf *pf);

/*
 * embedded_files.c: begin the symbol table of a file, add its symbols, and end it.  A table without symbols is dropped
 * at its end, and symbols with an empty name are ignored.
 */
struct hd_embedded_file *hd_embedded_file_begin(struct hd_perf *pf, const char *path, size_t n);
void hd_embedded_file_end(struct hd_perf *pf);
void hd_embedded_file_add_symbol(struct hd_perf *pf, size_t file, uint64_t start, uint64_t size, const char *name,
	size_t n);
void hd_embedded_file_set_kind(const struct hd_embedded_symbols *c, struct hd_embedded_file *f, uint64_t type);

#endif
