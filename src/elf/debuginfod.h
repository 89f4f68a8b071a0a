/*
 * debuginfod.h - files by build-id from the servers in DEBUGINFOD_URLS
 *
 * Asked last, only when the caller allows it and the user set the variable,
 * and within one budget of time for the whole run.  The library is loaded on
 * the first question: it brings a network stack that nobody else here needs.
 */
#ifndef HD_ELF_DEBUGINFOD_H
#define HD_ELF_DEBUGINFOD_H

#include "symbols/object.h"

/*
 * A file with symbols for the object: its debug file, or, when the server has
 * none, the file itself.  e: the object's own file, or NULL.  NULL when there
 * is none or time is up.
 */
struct hd_elf *hd_debuginfod_find(struct hd_symobj *o, struct hd_elf *e, struct hd_file_ref *place);
void hd_debuginfod_free(struct hd_debuginfod *d);

#endif
