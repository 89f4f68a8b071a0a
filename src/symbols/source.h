/*
 * source.h - the interface between hd_symbols and the places where symbols come from
 *
 * A symbol source answers all lookups of one hd_symbols:
 *
 *     symbols/local_source.h    reads the files of this machine
 *     bundle/replay.h           reads the results stored in a bundle
 *     bundle/record.h           a decorator: forwards to another source and stores the results for a bundle
 *
 * hd_symbols keeps one source object per distinct key and frees it before the source.
 *
 * Threads: hd_symbols calls `object` from one thread only, and the functions of one source object from one thread at a
 * time.  Different source objects may be used by different threads; callers that do so guard the log.  `open_code` and
 * `was_replaced` may be called by any thread at any time.
 */
#ifndef HD_SYMBOLS_SOURCE_H
#define HD_SYMBOLS_SOURCE_H

#include "base/err.h"
#include "dwarf/source_line.h"
#include "symbols/key.h"

#include <stddef.h>

/* The quality of an object's symbols. */
enum hd_symbols_quality { HD_SYMQ_NONE, HD_SYMQ_DYNSYM, HD_SYMQ_SYMTAB, HD_SYMQ_DEBUGINFO };

struct hd_symbol_hit {
	uint64_t vaddr;			/* vaddr of the address that was looked up */
	uint64_t start, size;		/* vaddr and size of the symbol */
	/* linkage name of the symbol, borrowed from the object; NULL: no symbol covers the address */
	const char *linkage;
};

/* The properties of an object that are known without any lookup.  Strings live as long as the source object. */
struct hd_symbol_info {
	enum hd_symbols_quality quality;
	const char *origin;		/* the file with the symbols; NULL: none */
	/* the reason why there are no symbols, as a clause; NULL: there are some, or such an object never has any */
	const char *problem;
	const char *build_id;		/* build-id of the file in hexadecimal; NULL or "": none */
	uint16_t machine;		/* EM_* of the file; 0: no file was opened */
};

struct hd_symbol_source_ops {
	/* Create the source object of `key` and fill in `info`.  Returns NULL if no lookup could find anything. */
	void *(*object)(void *ctx, const struct hd_symbols_key *key, struct hd_symbol_info *info);
	void (*free_object)(void *obj);

	/* Implements hd_object_lookup().  On entry, `hit` is empty except for vaddr = hd_symbols_key_vaddr(). */
	void (*lookup)(void *obj, uint64_t foff, struct hd_symbol_hit *hit);
	/* Open the debug information.  `line`, `inline_instance` and `inlines` do this on first use. */
	void (*open_debug)(void *obj);
	/*
	 * These implement hd_object_line(), hd_object_inline_instance() and hd_object_inlines().  On entry, `hit` is
	 * empty.
	 */
	void (*line)(void *obj, uint64_t vaddr, struct hd_line_hit *hit);
	uint32_t (*inline_instance)(void *obj, uint64_t vaddr);
	size_t (*inlines)(void *obj, uint64_t vaddr, struct hd_inline_hit *hits, size_t max);

	/* Implements hd_symbols_open_code(). */
	int (*open_code)(void *ctx, const struct hd_symbols_key *key, struct hd_err *err);
	/* True if the mapped file was replaced during the recording; see hd_symbols_settle_key(). */
	bool (*was_replaced)(void *ctx, const struct hd_symbols_key *key);

	void (*free)(void *ctx);
};

struct hd_symbol_source {
	const struct hd_symbol_source_ops *ops;
	void *ctx;
};

#endif
