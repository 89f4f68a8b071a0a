/*
 * minidebug.h - .gnu_debugdata: a small ELF file with symbols, packed with xz
 */
#ifndef HD_ELF_MINIDEBUG_H
#define HD_ELF_MINIDEBUG_H

#include "elf/elf_file.h"

/* The file inside e; NULL with e->damage told when it is damaged, NULL when there is none. */
struct hd_elf *hd_minidebug_open(struct hd_elf *e);

/*
 * Unpack xz from in; at most 64 times its size and never more than max bytes.
 * Returns the bytes (yours) or NULL.
 */
void *hd_xz_unpack(const void *in, size_t n, size_t max, size_t *out_n, struct hd_err *err);

#endif
