/*
 * embedded.h - symbols that the recording itself contains (hd_embedded_files)
 *
 * They are used if no file of the recorded build is available.  The recorder has already resolved each address that it
 * recorded, so no build-id has to match.  If a file has only .dynsym, these symbols are added to it.
 */
#ifndef HD_SYMBOLS_EMBEDDED_H
#define HD_SYMBOLS_EMBEDDED_H

#include "symbols/local_object.h"

struct hd_embedded_index;

struct hd_embedded_index *hd_embedded_index_new(const struct hd_embedded_files *tables); /* NULL if there are none */
void hd_embedded_index_free(struct hd_embedded_index *ci);

/* Add the symbols to those of the object's file.  Returns false if there are none. */
bool hd_embedded_add(struct hd_local_object *o);
/* Use the symbols as the object's only ones.  Returns false if the recording contains none for it. */
bool hd_embedded_load(struct hd_local_object *o);

#endif
