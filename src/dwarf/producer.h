/*
 * producer.h - find the compiler that made a file
 *
 * The result is DW_AT_producer of the first compilation unit that has one and is not assembly: "GNU C17 12.2.0 -O2 -g".
 * It is cut to 999 bytes.  Only the first 1000 units are read.  Files without DWARF have no producer, and neither have
 * skeleton units, whose DWARF is in .dwo files.
 */
#ifndef HD_DWARF_PRODUCER_H
#define HD_DWARF_PRODUCER_H

/*
 * Return the producer of the file at `path` as a string that the caller frees, or NULL if there is none.  build_id is
 * hexadecimal; a file with another build-id is not read.  The two are not compared if the file has no build-id, or if
 * build_id is "" or NULL.
 */
char *hd_producer_read(const char *path, const char *build_id);

#endif
