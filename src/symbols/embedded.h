/*
 * embedded.h - use the symbol tables that the recording itself contains (hd_embedded_files)
 *
 * A table is used if no file of the recorded build is available; for a perf map, always.  It needs no build-id, because
 * the recorder has already resolved each address that it recorded.  But if the table and the object have build-ids,
 * these must be equal.  If neither the file of the object nor a debug file of it has .symtab, the symbols of the table
 * are added to those of the file.
 */
#ifndef HD_SYMBOLS_EMBEDDED_H
#define HD_SYMBOLS_EMBEDDED_H

#include "symbols/local_object.h"

struct hd_embedded_index;

/* Return an index of the tables, which are borrowed; NULL if there are none. */
struct hd_embedded_index *hd_embedded_index_new(const struct hd_embedded_files *tables);
void hd_embedded_index_free(struct hd_embedded_index *ci);

/*
 * Add the recording's symbols of the object to those of its file.  Returns false if the recording has none for it, or
 * none with addresses as linked.
 */
bool hd_embedded_add(struct hd_local_object *o);
/*
 * Use only the recording's symbols for the object.  Returns false if the recording has none for it, or if their
 * addresses cannot be converted to those of the object.
 */
bool hd_embedded_load(struct hd_local_object *o);

#endif
