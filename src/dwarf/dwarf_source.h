/*
 * dwarf_source.h - the files of one object whose DWARF is read
 */
#ifndef HD_DWARF_DWARF_SOURCE_H
#define HD_DWARF_DWARF_SOURCE_H

#include "elf/file_ref.h"

#include <stdbool.h>

/* The readers keep a pointer to this struct, so it must outlive them. */
struct hd_dwarf_source {
	struct hd_file_ref code;	/* the file with the code; its path is NULL if it was not found */
	/* the file with the DWARF: `code` itself or a debug file; its path is NULL if there is none */
	struct hd_file_ref debug;
	const char *path;		/* path of the object as it was recorded; for messages */
	struct hd_log *log;
	bool no_call_files;		/* the caller does not need call_file of struct hd_inline_hit: leave it NULL */
};

#endif
