/*
 * notes.h - ELF notes, of which the build-id is the one that matters
 *
 *     OFFSET  SIZE  MEANING
 *     0       4     bytes of the name, with its NUL
 *     4       4     bytes of the description
 *     8       4     type; 3 by `GNU` is the build-id
 *     12      ..    name, padded; description, padded
 */
#ifndef HD_ELF_NOTES_H
#define HD_ELF_NOTES_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stdint.h>

/* Look for the build-id among the notes in n bytes; not more than 32; 0: none.  id has room for HD_ELF_BUILD_ID. */
uint8_t hd_notes_build_id(struct hd_bytes notes, uint64_t align, uint8_t *id, bool *bad);

#endif
