/*
 * symbols.h - objects and their symbols: (object, foff) -> (symbol, vaddr, line, inlined functions)
 *
 *     sy = hd_symbols_new(&opts, log)
 *     hd_symbols_settle_key(sy, &key)
 *     obj = hd_symbols_object(sy, &key)            found, opened and indexed on first use
 *     hd_object_lookup(obj, foff, &hit)            the symbol that covers the address, or none
 *     hd_object_line(obj, hit.vaddr, &line)        source file and line
 *     n = hd_object_inlines(obj, hit.vaddr, hits, HD_INLINE_MAX)
 *
 * Symbols come from files of this machine (local_source.h) or from any other symbol source (source.h), such as a
 * bundle.
 *
 * Ownership: hd_symbols owns one object per distinct key; objects and all strings they return live as long as it.
 * Warnings: see local_source.h; also lost.bundle-object (bundle/replay.h) and those of jitdump_set.h.
 * Threads: one thread creates objects.  Afterwards, different objects may be used by different threads, each object by
 *        one thread at a time.  hd_object_line() and hd_object_inlines() may log warnings, so callers that use
 *        several threads guard the log.
 */
#ifndef HD_SYMBOLS_SYMBOLS_H
#define HD_SYMBOLS_SYMBOLS_H

#include "symbols/key.h"
#include "symbols/local_source.h"
#include "symbols/source.h"

struct hd_symbols;
struct hd_symobj;

/* Create an hd_symbols that reads the files of this machine.  `log` is borrowed. */
struct hd_symbols *hd_symbols_new(const struct hd_symbols_opts *opts, struct hd_log *log);
/* Create an hd_symbols that sends all lookups to `source` (source.h), and owns it. */
struct hd_symbols *hd_symbols_over(struct hd_symbol_source source);
void hd_symbols_free(struct hd_symbols *sy);	/* accepts NULL */

/*
 * Decide whether the mapped file was replaced during the recording (replaced_file.c).  If so, the key keeps ino and
 * loses its build-id, which is the new file's; such an object gets no symbols.  Otherwise ino and generation become 0.
 * Call this once for each key before any other function uses it.  Thread-safe.
 */
void hd_symbols_settle_key(const struct hd_symbols *sy, struct hd_symbols_key *key);

/*
 * Return the object of a key; equal keys have the same object.  The result is never NULL, but the object can be without
 * symbols.
 */
struct hd_symobj *hd_symbols_object(struct hd_symbols *sy, const struct hd_symbols_key *key);

/*
 * Look up the symbol that covers `foff`, an address as struct hd_process_location has it: an offset in the file; for a
 * module or KSYMBOL the distance from key.kernel_start (or the ip itself); for a jitdump the offset of the code in it;
 * otherwise the ip itself.
 *
 * hit->vaddr is always set: the address as linked in a file (foff itself if no segment contains it), the offset in a
 * jitdump, otherwise the ip.  hit->linkage is set if a symbol covers it.  The size of a KSYMBOL is 0: it is as long as
 * its mapping.  Lookups in ascending order are fastest.
 */
void hd_object_lookup(struct hd_symobj *o, uint64_t foff, struct hd_symbol_hit *hit);

/* Look up the source line of a vaddr of hd_object_lookup().  hit->file is NULL if it is unknown. */
void hd_object_line(struct hd_symobj *o, uint64_t vaddr, struct hd_line_hit *hit);

/*
 * Look up the functions inlined at a vaddr of hd_object_lookup(): the innermost `max` of them, innermost first.  The
 * function that contains them all is not included.  Returns how many were stored in `hits`; 0 also without debug
 * information.
 */
size_t hd_object_inlines(struct hd_symobj *o, uint64_t vaddr, struct hd_inline_hit *hits, size_t max);
/*
 * Return a number that identifies the result of hd_object_inlines(): equal numbers of one object mean equal functions,
 * 0 means none.  This is much faster than to look up the functions.
 */
uint32_t hd_object_inline_instance(struct hd_symobj *o, uint64_t vaddr);

/* ---- properties of an object ---- */

enum hd_symbols_quality hd_object_quality(const struct hd_symobj *o);
/* the file the symbols came from, or HD_EMBEDDED_SOURCE for tables of the recording; "" if there are no symbols */
const char *hd_object_source(const struct hd_symobj *o);
/* the reason why there are no symbols, as a clause; or NULL */
const char *hd_object_problem(const struct hd_symobj *o);
/* build-id of the file in hexadecimal; "" if it has none */
const char *hd_object_build_id(const struct hd_symobj *o);
/* architecture of the file as hd_machine_name() has it; or NULL */
const char *hd_object_machine(const struct hd_symobj *o);

/*
 * Open the file that contains the code of an object in the recorded build; for the vdso of this process, open a copy of
 * its image.  Returns a descriptor that the caller closes, or < 0.  Symbols are not read and nothing is logged.
 * Thread-safe.
 */
int hd_symbols_open_code(const struct hd_symbols *sy, const struct hd_symbols_key *key, struct hd_err *err);

/*
 * Return the name by which functions of different builds are matched: `linkage` demangled without parameters, without
 * Rust hashes and without the suffixes of compilers (.constprop.0, .isra.0, .part.0, .cold, .llvm.123, .lto_priv.0).
 * The caller frees it.
 */
char *hd_symbol_normalise(const char *linkage);

#endif
