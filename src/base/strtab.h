/*
 * strtab.h - interned byte strings
 *
 * Equal strings get equal ids; "" is id 0.  Strings may contain any byte and are also NUL-terminated.  Ids
 * are dense and ascending, so they can index arrays.  Pointers from hd_strtab_get() are valid until
 * hd_strtab_free().
 */
#ifndef HD_BASE_STRTAB_H
#define HD_BASE_STRTAB_H

#include <stddef.h>
#include <stdint.h>

struct hd_strtab;

struct hd_strtab *hd_strtab_new(void);
void hd_strtab_free(struct hd_strtab *st);		/* accepts NULL */
uint32_t hd_strtab_add(struct hd_strtab *st, const char *s);
uint32_t hd_strtab_addn(struct hd_strtab *st, const char *s, size_t n);
const char *hd_strtab_get(const struct hd_strtab *st, uint32_t id);
size_t hd_strtab_len(const struct hd_strtab *st, uint32_t id);
uint32_t hd_strtab_count(const struct hd_strtab *st);
size_t hd_strtab_bytes(const struct hd_strtab *st);	/* estimate of the memory of strings and index */

#endif
