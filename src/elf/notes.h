/*
 * notes.h - find the build-id in ELF notes
 *
 *     OFFSET  SIZE  MEANING
 *     0       4     length of the name, including its NUL
 *     4       4     length of the description
 *     8       4     type; 3 with the name `GNU` is the build-id
 *     12      ..    name, padded to 4 bytes; description, padded to the alignment of the notes
 */
#ifndef HD_ELF_NOTES_H
#define HD_ELF_NOTES_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stdint.h>

enum { HD_ELF_BUILD_ID = 64 };	/* the longest build-id that is accepted, in bytes */

/*
 * Copy the first build-id of `notes` to `id`, which has room for HD_ELF_BUILD_ID bytes.  `align` is the alignment of
 * the section or segment.  Returns the length of the build-id, or 0 if there is none.  Sets *bad if the notes are
 * damaged.
 */
uint8_t hd_notes_build_id(struct hd_bytes notes, uint64_t align, uint8_t *id, bool *bad);

#endif
