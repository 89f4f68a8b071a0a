/* minidebug.h - open .gnu_debugdata, an xz-compressed ELF file with symbols inside a stripped binary */
#ifndef HD_ELF_MINIDEBUG_H
#define HD_ELF_MINIDEBUG_H

#include "elf/elf_file.h"

/*
 * Open the embedded file, which the caller closes with hd_elf_close().  Returns NULL if there is none.  If it is
 * invalid, too large or cannot be read, the function records this with hd_elf_damaged() and returns NULL.
 */
struct hd_elf *hd_minidebug_open(struct hd_elf *e);

/*
 * Decompress xz data.  The result may have at most 64 times the size of the input or 1 MiB, whichever is more, and at
 * most `max` bytes.  Returns heap memory that the caller frees, or NULL if the data is damaged or larger.
 */
void *hd_xz_unpack(const void *in, size_t n, size_t max, size_t *out_n, struct hd_err *err);

#endif
