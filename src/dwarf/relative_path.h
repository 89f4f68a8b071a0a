/*
 * relative_path.h - resolve paths that debug information contains
 *
 * `.dwo` files and the alternate file are named relative to a folder, often with `..`.  Untrusted paths with `..` are
 * never opened (base/file.h), so the steps up are resolved in the text.
 */
#ifndef HD_DWARF_RELATIVE_PATH_H
#define HD_DWARF_RELATIVE_PATH_H

/*
 * Join dir/name, or take `name` if it is absolute, and resolve `.` and `..`.  The caller frees the result; NULL if it
 * is too long or not absolute.
 */
char *hd_relative_path_join(const char *dir, const char *name);
/* Return the folder of a file; the caller frees it. */
char *hd_relative_path_folder(const char *path);

#endif
