/*
 * embedded.h - symbols from inside the recording: see hd_embedded_files in symbols.h
 *
 * They are what is left when no file of the recorded build is here, and they are the recorder's word for
 * which function was at each address that it met: nothing has to match.  Beside a file with .dynsym alone
 * they add what that does not export.
 */
#ifndef HD_SYMBOLS_EMBEDDED_H
#define HD_SYMBOLS_EMBEDDED_H

#include "symbols/local_object.h"

struct hd_embedded_index;

struct hd_embedded_index *hd_embedded_index_new(const struct hd_embedded_files *tables); /* NULL: there are none */
void hd_embedded_index_free(struct hd_embedded_index *ci);

/* Add the symbols that count as the file's do; false: there are none. */
bool hd_embedded_add(struct hd_local_object *o);
/* All that the object gets; false: nothing is carried for it. */
bool hd_embedded_load(struct hd_local_object *o);

#endif
