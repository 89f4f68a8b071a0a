/*
 * given.h - answers that symbols/ gave elsewhere
 *
 * A bundle (docs/bundle.md) holds, for each object that its recording meets, what was answered
 * on the machine where it was made: nothing of this machine is looked at. remember.h writes it.
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
 *     52      4     warnings      24 each: count 8, when 4 (enum hd_given_when), strings code 4, text 4, fix 4
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
#ifndef HD_SYMBOLS_GIVEN_H
#define HD_SYMBOLS_GIVEN_H

#include "base/buf.h"
#include "symbols/symbols.h"

/* When a warning is due. */
enum hd_given_when {
	HD_GIVEN_LOAD,		/* when the object is met */
	HD_GIVEN_DWARF,		/* when its first line or inlined function is asked for */
	HD_GIVEN_LINES,		/* ... its first line */
	HD_GIVEN_INLINES,	/* ... its first inlined functions */
	HD_GIVEN_CALLS,		/* ... with where they were called */
};

enum { HD_GIVEN_HEAD = 88, HD_GIVEN_WARNING = 24, HD_GIVEN_SYMBOL = 20, HD_GIVEN_ADDRESS = 20, HD_GIVEN_PLACE = 20, HD_GIVEN_LIST = 8, HD_GIVEN_HIT = 24 };
enum { HD_GIVEN_GUEST = 1, HD_GIVEN_ASKED = 2, HD_GIVEN_FOREIGN_PID = 4 };

struct hd_given;
struct hd_given_object;

/* The code of number n, as codecut.h has it.  Asked for by one thread at a time. */
struct hd_given_code {
	int (*load)(void *ctx, uint32_t n, struct hd_buf *out, struct hd_err *err);
	void *ctx;
};

/*
 * Takes the bytes and leaves *bytes empty.  *lost: objects that could not be
 * read; those before them are there.
 */
struct hd_given *hd_given_new(struct hd_buf *bytes, const struct hd_given_code *code, uint64_t *lost);
void hd_given_free(struct hd_given *g);		/* NULL is fine */
size_t hd_given_count(const struct hd_given *g);

/* NULL: it has none. */
const struct hd_given_object *hd_given_find(const struct hd_given *g, const struct hd_symbols_key *key);
enum hd_symbols_quality hd_given_quality(const struct hd_given_object *o);
const char *hd_given_source(const struct hd_given_object *o);		/* NULL: none, and so the next two */
const char *hd_given_problem(const struct hd_given_object *o);
const char *hd_given_build_id(const struct hd_given_object *o);
unsigned hd_given_machine(const struct hd_given_object *o);
void hd_given_warn(const struct hd_given_object *o, enum hd_given_when when, struct hd_log *log);

/* As the functions of symbols.h. */
void hd_given_lookup(const struct hd_given_object *o, uint64_t asked, struct hd_symbol_hit *hit);
void hd_given_line(const struct hd_given_object *o, uint64_t vaddr, struct hd_line_hit *hit);
uint32_t hd_given_inline_instance(const struct hd_given_object *o, uint64_t vaddr);
size_t hd_given_inlines(const struct hd_given_object *o, uint64_t vaddr, struct hd_inline_hit *hits, size_t max);
int hd_given_open_code(const struct hd_given *g, const struct hd_symbols_key *key, struct hd_err *err);

#endif
