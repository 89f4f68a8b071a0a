/*
 * producer.h - which compiler made a file
 *
 * The answer is DW_AT_producer of the first compile unit that is not assembly: "GNU C17 12.2.0 -O2 -g".  Files without
 * DWARF, and skeletons whose units are in .dwo files, have none.
 */
#ifndef HD_DWARF_PRODUCER_H
#define HD_DWARF_PRODUCER_H

/*
 * Read the file at `path`.  build_id: hexadecimal; a file with another one is not read; "" or NULL if it is not known.
 * The caller owns the result; NULL if there is none.
 */
char *hd_producer_read(const char *path, const char *build_id);

#endif
