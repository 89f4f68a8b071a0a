/*
 * line_files.h - the directories and files a line program counts on
 *
 * Private to line_table.c.  Up to DWARF 4 two lists of strings, files counted
 * from 1, directory 0 being the compilation's; DWARF 5 says first which forms
 * the entries have, and counts both from 0.
 */
#ifndef HD_DWARF_LINE_FILES_H
#define HD_DWARF_LINE_FILES_H

#include "base/arena.h"
#include "elf/debug_section.h"

struct hd_line_table_in {
	const uint8_t *unit;				/* the unit's bytes, from its length on */
	size_t n;
	bool swap;
	const struct hd_debug_section *line_str, *str;		/* .debug_line_str, .debug_str */
	const char *comp_dir;				/* NULL: not known */
	bool names_only; /* do not run it: files, no lines; n may end at the header's end */
};

/* A string in the unit (s), or at off of a section; neither: none. */
struct hd_line_str {
	const char *s;
	const struct hd_debug_section *sec;
	uint64_t off;
};

struct hd_line_file {
	struct hd_line_str name;
	uint32_t dir;
	const char *path;	/* once asked for */
};

struct hd_line_files {
	struct hd_line_str *dirs;
	size_t ndirs, dirs_cap;
	struct hd_line_file *files;
	size_t nfiles, files_cap;
	struct hd_arena paths;
	const char *comp_dir;
};

/* Read what stands at b, the rest of the header; is64: 8-byte offsets.  False when it is damaged. */
bool hd_line_files_read(struct hd_line_files *n, struct hd_bytes *b, unsigned version, bool is64,
	const struct hd_line_table_in *in);
void hd_line_files_define(struct hd_line_files *n, struct hd_line_str name, uint64_t dir);
const char *hd_line_files_path(struct hd_line_files *n, uint32_t file);
void hd_line_files_release(struct hd_line_files *n);

#endif
