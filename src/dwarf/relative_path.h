/*
 * relative_path.h - paths that a file of debug information gives of its neighbours
 *
 * `.dwo` files and the alternate file are named relative to a folder, mostly
 * with `..` in it, and nothing that a file names is opened with `..`
 * (base/file.h): so the steps up are taken in the text.
 */
#ifndef HD_DWARF_RELATIVE_PATH_H
#define HD_DWARF_RELATIVE_PATH_H

/* dir/name, or name when it is absolute, without `.` and `..`; yours.  NULL when it is too long or not absolute then. */
char *hd_relative_path_join(const char *dir, const char *name);
/* The folder that a file is in; yours. */
char *hd_relative_path_folder(const char *path);

#endif
