/*
 * code_file.h - finding the file with an object's code
 *
 * The rules of symbols.h, in one place for whoever needs the file: for its
 * symbols (hd_binary_load, hd_vdso_load) or for its code alone (hd_symbols_open_code).
 *
 * Private to symbols/.
 */
#ifndef HD_SYMBOLS_CODE_FILE_H
#define HD_SYMBOLS_CODE_FILE_H

#include "symbols/object.h"

/*
 * The file of the recorded build, checked; o->runtime or o->image then says
 * where it is.  NULL: it is not here, and the object's problem says why.
 */
struct hd_elf *hd_binary_open_code(struct hd_symobj *o);
struct hd_elf *hd_vdso_open_code(struct hd_symobj *o);

#endif
