/*
 * producer.h - find the compiler that made a file
 *
 * It is DW_AT_producer of the first compilation unit that is not assembly: "GNU C17 12.2.0 -O2 -g".  Files without
 * DWARF have none, and neither have skeletons whose units are in .dwo files.
 */
#ifndef HD_DWARF_PRODUCER_H
#define HD_DWARF_PRODUCER_H

/*
 * Read the file at `path`.  build_id is hexadecimal; a file with another build-id is not read; "" or NULL: unknown.
 * The caller frees the result; NULL if there is none.
 */
char *hd_producer_read(const char *path, const char *build_id);

#endif
