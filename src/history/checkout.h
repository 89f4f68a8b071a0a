/*
 * checkout.h - find the root of a git checkout, and match the names of trusted folders
 *
 * Folders that users trust are named by entries of safe.directory (git) and of $HOTDRIFT_TRUST (separated by `:`).  An
 * entry is an absolute folder, `*` for all folders, or a folder followed by `/` and `*` for everything below it.
 * Symbolic links in entries are resolved.
 */
#ifndef HD_HISTORY_CHECKOUT_H
#define HD_HISTORY_CHECKOUT_H

#include <stdbool.h>
#include <stddef.h>

/* Return true if `dir` (n bytes) contains an entry called `name`. */
bool hd_checkout_holds(const char *dir, size_t n, const char *name);
/*
 * Return the length of the prefix of `from` (absolute) that is the root of its checkout; 0 if this is the folder /;
 * strlen(from) if there is no checkout.
 */
size_t hd_checkout_root(const char *from);
/* Return true if $HOTDRIFT_TRUST names the folder `dir`, an absolute path without symbolic links. */
bool hd_checkout_trusted(const char *dir);
/*
 * Return true if an entry of safe.directory or $HOTDRIFT_TRUST names the folder `dir`, an absolute path without
 * symbolic links.  `name` is the entry, n bytes.
 */
bool hd_checkout_names(const char *name, size_t n, const char *dir);

#endif
