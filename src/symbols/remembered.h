/*
 * remembered.h - what remember.c keeps and remember_write.c writes
 *
 * Private to symbols/.  The first member of a row is what it answers for.
 */
#ifndef HD_SYMBOLS_REMEMBERED_H
#define HD_SYMBOLS_REMEMBERED_H

#include "base/map.h"
#include "base/strtab.h"
#include "symbols/elffile.h"
#include "symbols/remember.h"

#include <pthread.h>

/* Strings are ids of r->strings; 0: none. */
struct hd_remembered_warning { uint64_t count; uint32_t when, code, text, fix; };
struct hd_remembered_address { uint64_t asked, vaddr, start, size; uint32_t name; bool named; };
struct hd_remembered_line { uint64_t vaddr; uint32_t file, line; };
struct hd_remembered_inlined { uint64_t vaddr; uint32_t list; };
struct hd_remembered_list { uint32_t first, n; };
struct hd_remembered_hit { uint64_t low; uint32_t name, file, line, mangled; };

struct hd_remembered_object {
	struct hd_remembered *r;
	struct hd_remembered_object *next;	/* of the same hash */
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
	struct hd_remembered_warning *warnings;
	struct hd_remembered_address *addresses;
	struct hd_remembered_line *lines;
	struct hd_remembered_inlined *inlined;
	struct hd_remembered_list *lists;
	struct hd_remembered_hit *hits;
	size_t nwarnings, naddresses, nlines, ninlined, nlists, nhits;
	size_t warnings_cap, addresses_cap, lines_cap, inlined_cap, lists_cap, hits_cap;
	struct hd_map lists_by_hash;
};

struct hd_remembered {
	pthread_mutex_t lock;			/* of the objects and the codes */
	struct hd_strtab *strings;
	struct hd_remembered_object **objects;
	size_t n, cap;
	struct hd_map by_hash;
	struct hd_buf *codes;
	size_t ncodes, codes_cap;
};

/* Rows in order of their first word, one of each; returns how many. */
size_t hd_remembered_sort(void *rows, size_t n, size_t width);

#endif
