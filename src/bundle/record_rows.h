/*
 * record_rows.h - the results that record.c collects and record_write.c writes
 *
 * Private to bundle/.  hd_bundle_record_sort() relies on the first member of hd_record_address, hd_record_line and
 * hd_record_inlined: it is the address that was looked up.
 */
#ifndef HD_BUNDLE_RECORD_ROWS_H
#define HD_BUNDLE_RECORD_ROWS_H

#include "base/map.h"
#include "base/strtab.h"
#include "bundle/replay_format.h"
#include "symbols/source.h"

#include <pthread.h>

/* `name` and `file` are string ids of hd_bundle_record.strings; 0: none, or (if `named`) an empty name. */
struct hd_record_address { uint64_t foff, vaddr, start, size; uint32_t name; bool named; };
struct hd_record_line { uint64_t vaddr; uint32_t file, line; };
struct hd_record_inlined { uint64_t vaddr; uint32_t list; };

struct hd_bundle_record_object {
	struct hd_bundle_record *r;
	struct hd_bundle_record_object *next;	/* next object with the same hash of its key */
	struct hd_symbols_owned_key id;
	bool looked_up;
	enum hd_symbols_quality quality;
	uint32_t origin, problem, build_id, machine;
	uint32_t code;				/* index in r->codes + 1; 0: none */
	uint32_t *functions;			/* functions that unwinding used, as indexes into .eh_frame_hdr */
	size_t nfunctions, functions_cap;
	bool all_functions;
	struct hd_replay_warning *warnings;
	struct hd_record_address *addresses;
	struct hd_record_line *lines;
	struct hd_record_inlined *inlined;
	struct hd_replay_list *lists;
	struct hd_replay_hit *hits;
	size_t nwarnings, naddresses, nlines, ninlined, nlists, nhits;
	size_t warnings_cap, addresses_cap, lines_cap, inlined_cap, lists_cap, hits_cap;
	struct hd_map lists_by_hash;
};

struct hd_bundle_record {
	/* guards objects, by_hash and codes, and the member `code` of an object, but not its other members */
	pthread_mutex_t lock;
	struct hd_strtab *strings;
	struct hd_bundle_record_object **objects;
	size_t n, cap;
	struct hd_map by_hash;
	struct hd_buf *codes;
	size_t ncodes, codes_cap;
};

/* Sort rows by their first member, and keep one row for each value of it.  Returns how many rows remain. */
size_t hd_bundle_record_sort(void *rows, size_t n, size_t width);

#endif
