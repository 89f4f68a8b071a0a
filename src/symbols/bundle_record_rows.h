/*
 * bundle_record_rows.h - what bundle_record.c keeps and bundle_record_write.c writes
 *
 * Private to symbols/.  The first member of a row is what it answers for.
 */
#ifndef HD_SYMBOLS_BUNDLE_RECORD_ROWS_H
#define HD_SYMBOLS_BUNDLE_RECORD_ROWS_H

#include "base/map.h"
#include "base/strtab.h"
#include "elf/elf_file.h"
#include "symbols/bundle_record.h"

#include <pthread.h>

/* Strings are ids of r->strings; 0: none. */
struct hd_bundle_warning_row { uint64_t count; uint32_t when, code, text, fix; };
struct hd_bundle_address_row { uint64_t asked, vaddr, start, size; uint32_t name; bool named; };
struct hd_bundle_line_row { uint64_t vaddr; uint32_t file, line; };
struct hd_bundle_inlined_row { uint64_t vaddr; uint32_t list; };
struct hd_bundle_list_row { uint32_t first, n; };
struct hd_bundle_hit_row { uint64_t low; uint32_t name, file, line, mangled; };

struct hd_bundle_record_object {
	struct hd_bundle_record *r;
	struct hd_bundle_record_object *next;	/* of the same hash */
	struct hd_symbols_key key;
	char *path;
	uint8_t id[HD_ELF_BUILD_ID];
	bool asked;
	enum hd_symbols_quality quality;
	uint32_t source, problem, build_id, machine;
	uint32_t code;				/* its number + 1; 0: none */
	uint32_t *functions;			/* what of the code counts */
	size_t nfunctions, functions_cap;
	bool all_functions;
	struct hd_bundle_warning_row *warnings;
	struct hd_bundle_address_row *addresses;
	struct hd_bundle_line_row *lines;
	struct hd_bundle_inlined_row *inlined;
	struct hd_bundle_list_row *lists;
	struct hd_bundle_hit_row *hits;
	size_t nwarnings, naddresses, nlines, ninlined, nlists, nhits;
	size_t warnings_cap, addresses_cap, lines_cap, inlined_cap, lists_cap, hits_cap;
	struct hd_map lists_by_hash;
};

struct hd_bundle_record {
	pthread_mutex_t lock;			/* of the objects and the codes */
	struct hd_strtab *strings;
	struct hd_bundle_record_object **objects;
	size_t n, cap;
	struct hd_map by_hash;
	struct hd_buf *codes;
	size_t ncodes, codes_cap;
};

/* Rows in order of their first word, one of each; returns how many. */
size_t hd_bundle_record_sort(void *rows, size_t n, size_t width);

#endif
