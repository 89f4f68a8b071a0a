/*
 * source_files.h - look up the source file and line of a function from its address, if its object is still on this
 * machine
 *
 * The object must have the build-id that was recorded.  No server is queried.  Not thread-safe.
 */
#ifndef HD_CLI_SOURCE_FILES_H
#define HD_CLI_SOURCE_FILES_H

#include "base/log.h"

struct hd_source_files;

/* `log` is borrowed. */
struct hd_source_files *hd_source_files_new(struct hd_log *log);
void hd_source_files_free(struct hd_source_files *s);	/* accepts NULL */

/*
 * Return the path of the source file of the function at an address, or NULL if it is unknown.  `vaddr` is the address
 * as linked, as text ("0x..."), in the object `path`.  build_id has hexadecimal digits; without it (NULL) the object
 * cannot be checked, and the result is NULL.  The string lives as long as `s`.  If `line` is not NULL, *line is set to
 * the line number, 0 if it is unknown.
 */
const char *hd_source_files_find(struct hd_source_files *s, const char *path, const char *build_id, const char *vaddr,
	unsigned *line);

#endif
