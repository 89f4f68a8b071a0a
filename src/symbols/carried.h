/*
 * carried.h - symbols from inside the recording: see hd_symbols_tables in symbols.h
 *
 * They are what is left when no file of the recorded build is here, and they are the recorder's word for
 * which function was at each address that it met: nothing has to match.  Beside a file with .dynsym alone
 * they add what that does not export.
 */
#ifndef HD_SYMBOLS_CARRIED_H
#define HD_SYMBOLS_CARRIED_H

#include "symbols/object.h"

struct hd_carried_index;

struct hd_carried_index *hd_carried_index_new(const struct hd_symbols_tables *tables);	/* NULL: there are none */
void hd_carried_index_free(struct hd_carried_index *ci);

/* Add the symbols that count as the file's do; false: there are none. */
bool hd_carried_add(struct hd_symobj *o);
/* All that the object gets; false: nothing is carried for it. */
bool hd_carried_load(struct hd_symobj *o);

#endif
