/*
 * bundle_replay.h - answers that symbols/ gave elsewhere
 *
 * A bundle (docs/bundle.md) holds, for each object that its recording meets, what was answered
 * on the machine where it was made: nothing of this machine is looked at. bundle_record.h writes it.
 *
 * The tables are used where they lie, so that memory is what they are; every
 * number in them is checked when it is used.  An address that nobody asked
 * about is one that no symbol covers.
 *
 * All numbers are little-endian.  A string is an offset in the strings; 0: none.
 *
 *     OFFSET  SIZE  MEANING
 *     0       4     objects
 *     4       4     bytes of the strings, S
 *     8       S     the strings, each ended by a NUL
 *     8+S           the objects, one behind the other:
 *
 *     0       4     bytes of the object, these 88 and its tables
 *     4       1     kind: enum hd_symbols_kind
 *     5       1     quality: enum hd_symbols_quality
 *     6       2     flags: 1 a guest's, 2 symbols were asked for, 4 a perf map whose writer knew itself by another pid
 *     8       8     kernel_start; of a file that was replaced while it was recorded: its inode
 *     16      8     kernel_pgoff; ... and its generation
 *     24      4     pid
 *     28      4     string: path as recorded
 *     32      4     string: recorded build-id, hexadecimal
 *     36      4     string: where the symbols came from
 *     40      4     string: why there are none
 *     44      4     string: build-id of the file, hexadecimal
 *     48      4     number of its code in the bundle, + 1; 0: none
 *     52      4     warnings      24 each: count 8, when 4 (enum hd_lookup_stage), strings code 4, text 4, fix 4
 *     56      4     symbols       20 each: start 8, size 8, string name 4
 *     60      4     addresses     20 each, ascending: address asked 8, vaddr 8, symbol + 1 or 0 4
 *     64      4     places        20 each, ascending: vaddr 8, string file 4, line 4, list of inlined functions + 1 or 0 4
 *     68      4     lists          8 each: first hit 4, hits 4
 *     72      4     hits          24 each: low 8, strings name 4, calling file 4, calling line 4, 1 when mangled 4
 *     76      4     machine of the file: EM_... of elf.h; 0: none was found
 *     80      8     inode of the mount namespace that the path is one of; 0: the machine's
 *     88            the tables, in this order; each as all first bytes of its rows, then all
 *                   second ones, and so on: neighbours are alike, and it packs to two thirds
 */
#ifndef HD_SYMBOLS_BUNDLE_REPLAY_H
#define HD_SYMBOLS_BUNDLE_REPLAY_H

#include "base/buf.h"
#include "symbols/symbols.h"

/* When a warning is due. */
enum hd_lookup_stage {
	HD_LOOKUP_LOAD,		/* when the object is met */
	HD_LOOKUP_DWARF,		/* when its first line or inlined function is asked for */
	HD_LOOKUP_LINES,		/* ... its first line */
	HD_LOOKUP_INLINES,	/* ... its first inlined functions */
	HD_LOOKUP_CALLS,		/* ... with where they were called */
};

enum {
	HD_REPLAY_HEAD_BYTES = 88,
	HD_REPLAY_WARNING_BYTES = 24,
	HD_REPLAY_SYMBOL_BYTES = 20,
	HD_REPLAY_ADDRESS_BYTES = 20,
	HD_REPLAY_PLACE_BYTES = 20,
	HD_REPLAY_LIST_BYTES = 8,
	HD_REPLAY_HIT_BYTES = 24
};
enum { HD_REPLAY_GUEST = 1, HD_REPLAY_LOOKED_UP = 2, HD_REPLAY_FOREIGN_PID = 4 };

struct hd_bundle_replay;
struct hd_bundle_replay_object;

/* The code of number n, as elf/code_excerpt.h has it.  Asked for by one thread at a time. */
struct hd_bundle_replay_code {
	int (*load)(void *ctx, uint32_t n, struct hd_buf *out, struct hd_err *err);
	void *ctx;
};

/*
 * Takes the bytes and leaves *bytes empty.  *lost: objects that could not be
 * read; those before them are there.
 */
struct hd_bundle_replay *hd_bundle_replay_new(struct hd_buf *bytes, const struct hd_bundle_replay_code *code,
	uint64_t *lost);
void hd_bundle_replay_free(struct hd_bundle_replay *g);		/* NULL is fine */
size_t hd_bundle_replay_count(const struct hd_bundle_replay *g);

/* NULL: it has none. */
const struct hd_bundle_replay_object *hd_bundle_replay_find(const struct hd_bundle_replay *g,
	const struct hd_symbols_key *key);
enum hd_symbols_quality hd_bundle_replay_quality(const struct hd_bundle_replay_object *o);
const char *hd_bundle_replay_source(const struct hd_bundle_replay_object *o); /* NULL: none, and so the next two */
const char *hd_bundle_replay_problem(const struct hd_bundle_replay_object *o);
const char *hd_bundle_replay_build_id(const struct hd_bundle_replay_object *o);
unsigned hd_bundle_replay_machine(const struct hd_bundle_replay_object *o);
void hd_bundle_replay_warn(const struct hd_bundle_replay_object *o, enum hd_lookup_stage when, struct hd_log *log);

/* As the functions of symbols.h. */
void hd_bundle_replay_lookup(const struct hd_bundle_replay_object *o, uint64_t asked, struct hd_symbol_hit *hit);
void hd_bundle_replay_line(const struct hd_bundle_replay_object *o, uint64_t vaddr, struct hd_line_hit *hit);
uint32_t hd_bundle_replay_inline_instance(const struct hd_bundle_replay_object *o, uint64_t vaddr);
size_t hd_bundle_replay_inlines(const struct hd_bundle_replay_object *o, uint64_t vaddr, struct hd_inline_hit *hits,
	size_t max);
int hd_bundle_replay_open_code(const struct hd_bundle_replay *g, const struct hd_symbols_key *key, struct hd_err *err);

#endif
