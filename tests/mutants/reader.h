/*
 * reader.h - the state of the strict reader, shared by layout.c (header, framing) and bodies.c
 * (contents of records)
 */
#ifndef HD_TESTS_MUTANTS_READER_H
#define HD_TESTS_MUTANTS_READER_H

#include "mutants.h"

#include <zstd.h>

enum { ATTR = 64, TRACING_DATA = 66, AUXTRACE = 71, FEATURE = 80, COMPRESSED = 81, COMPRESSED2 = 83 };
enum { MAX_EVENTS = 64, MAX_IDS = 4096, INNER_MAX = 1 << 20 };

struct event {
	uint64_t sample_type, read_format, branch_type, regs_user, regs_intr;
	uint64_t last;			/* value of a group's first counter */
	bool id_all;
};

struct reader {
	struct layout *l;
	const uint8_t *p;
	uint64_t n;
	struct event events[MAX_EVENTS];
	size_t nevents, nids, events_with_ids;
	struct { uint64_t id; size_t event; } ids[MAX_IDS];
	ZSTD_DCtx *zstd;
	struct bytes inner;		/* decompressed and not yet walked */
	uint64_t inner_off;
	bool lost_stream;
};

struct body {
	const uint8_t *p;
	uint64_t n, pos;
	uint64_t file_off;		/* offset of p in the file; fields inside of compressed data have none */
	bool mapped;
};

static inline uint64_t at(const struct reader *r, uint64_t off, unsigned int width)
{
	return load(r->p + off, width, r->l->swap);
}

/* ---- layout.c ---- */

void found(struct reader *r, uint64_t off, unsigned int width, enum what what);	/* a field */
void broken(struct reader *r, const char *what, uint64_t off);

/* ---- bodies.c ---- */

void add_event(struct reader *r, uint64_t off, uint64_t n);
void add_ids(struct reader *r, uint64_t off, uint64_t n);
void on_feature_body(struct reader *r, uint64_t bit, uint64_t off, uint64_t n);
void on_record(struct reader *r, struct body *b, uint32_t type, uint64_t off);

#endif
