/*
 * replay_format.h - the section of a bundle that stores symbol lookups
 *
 * A bundle (docs/bundle.md) stores, for each object of its recording, the results of all symbol lookups on the machine
 * that wrote it.  record.h writes this section, replay.h answers lookups from it.
 *
 * All numbers are little-endian.  A string is an offset in the strings; 0 means none.
 *
 *     OFFSET  SIZE  MEANING
 *     0       4     number of objects
 *     4       4     size of the strings in bytes, S
 *     8       S     the strings, each ended by a NUL
 *     8+S           the objects, one after another:
 *
 *     0       4     size of the object in bytes: these 88 and its tables
 *     4       1     kind: enum hd_object_kind
 *     5       1     quality: enum hd_symbols_quality
 *     6       2     flags: 1 belongs to a guest, 2 its symbols were looked up, 4 a perf map written under another pid
 *     8       8     kernel_start; of a file: its inode if it was replaced during the recording, else 0
 *     16      8     kernel_pgoff; of a file: its generation if it was replaced, else 0
 *     24      4     pid
 *     28      4     string: path as recorded
 *     32      4     string: recorded build-id, hexadecimal
 *     36      4     string: the file the symbols came from
 *     40      4     string: why there are no symbols
 *     44      4     string: build-id of the file, hexadecimal
 *     48      4     index of the object's code section in the bundle, plus 1; 0 if there is none
 *     52      24    the number of rows of each table, in the order of enum hd_replay_table
 *     76      4     architecture of the file: EM_* of elf.h; 0 if no file was opened
 *     80      8     inode of the mount namespace that the path is in; 0: the machine's own
 *     88            the tables, in the same order.  A table stores the first bytes of all rows, then all second bytes,
 *                   and so on: neighbouring rows are similar, so this compresses to two thirds of the size
 *
 * The columns of a row are its struct members below, in order and without padding.  Rows with a vaddr or foff as first
 * column are sorted by it.
 */
#ifndef HD_BUNDLE_REPLAY_FORMAT_H
#define HD_BUNDLE_REPLAY_FORMAT_H

#include "base/buf.h"
#include "base/bytes.h"

#include <stdbool.h>
#include <stdint.h>

enum { HD_REPLAY_GUEST = 1, HD_REPLAY_LOOKED_UP = 2, HD_REPLAY_FOREIGN_PID = 4 };

enum hd_replay_table {
	HD_REPLAY_WARNINGS, HD_REPLAY_SYMBOLS, HD_REPLAY_ADDRESSES, HD_REPLAY_PLACES, HD_REPLAY_LISTS, HD_REPLAY_HITS,
	HD_REPLAY_TABLES
};

/* The kind of lookup that causes a warning.  Only the first lookup of a kind causes its warnings. */
enum hd_lookup_stage {
	HD_LOOKUP_LOAD,		/* the first lookup of any kind */
	HD_LOOKUP_DWARF,	/* the first lookup of a line or of inlined functions */
	HD_LOOKUP_LINES,	/* the first lookup of a line */
	HD_LOOKUP_INLINES,	/* the first lookup of inlined functions */
	HD_LOOKUP_CALLS,	/* the first lookup of inlined functions with the source files of their calls */
};

/*
 * The rows of the tables.  Each has its members of 8 bytes first, then those of 4 bytes.  Strings are offsets in the
 * section's strings.
 */
struct hd_replay_warning { uint64_t count; uint32_t stage, code, text, fix; };	/* code, text, fix: strings */
struct hd_replay_symbol { uint64_t start, size; uint32_t name; };		/* name: string */
/* symbol: 1 + the index of a row in the table SYMBOLS; 0: none */
struct hd_replay_address { uint64_t foff, vaddr; uint32_t symbol; };
/* `file` is a string; `list` is 1 + the index in the table LISTS of the functions inlined here, or 0: none */
struct hd_replay_place { uint64_t vaddr; uint32_t file, line, list; };
/* the functions inlined at an address: n rows of the table HITS from `first` on */
struct hd_replay_list { uint32_t first, n; };
struct hd_replay_hit { uint64_t low; uint32_t name, call_file, call_line, mangled; };	/* name, call_file: strings */

/* The fixed part of an object, without its length. */
struct hd_replay_head {
	uint8_t kind, quality;
	uint16_t flags;
	uint64_t start, pgoff;
	uint32_t pid, path, id, origin, problem, build_id, code, rows[HD_REPLAY_TABLES], machine;
	uint64_t mnt_ns;
};

enum { HD_REPLAY_HEAD_BYTES = 88 };	/* with the length */

/*
 * hd_replay_head_write() appends the length of an object whose tables have `table_bytes` bytes, then its head.
 * hd_replay_head_read() reads only the head; its caller must have read the length before.
 */
void hd_replay_head_write(struct hd_buf *out, const struct hd_replay_head *h, size_t table_bytes);
void hd_replay_head_read(struct hd_bytes *b, struct hd_replay_head *h);

/* Bytes of a row in the file. */
size_t hd_replay_row_bytes(enum hd_replay_table t);
/* Append a row to `out`, or read a row from `p`.  `row` points to the struct of table t, such as hd_replay_symbol. */
void hd_replay_row_write(struct hd_buf *out, enum hd_replay_table t, const void *row);
void hd_replay_row_read(const uint8_t *p, enum hd_replay_table t, void *row);

/*
 * Convert n rows at `p` in place.  to_planes: from an array of rows to the order in the file, which has the first bytes
 * of all rows, then all second bytes, and so on; otherwise back.
 */
void hd_replay_planes(uint8_t *p, enum hd_replay_table t, size_t n, bool to_planes);

#endif
