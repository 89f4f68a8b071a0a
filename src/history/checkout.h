/*
 * checkout.h - the root of a git checkout, and whether its owner is accepted
 *
 * A hotdrift.ini or a .git that another user owns can name programs, databases and output files.  It is used only
 * if its owner is accepted:
 *
 *     the effective user of this process
 *     SUDO_UID, if the effective user is root
 *     any owner, if the folder or the root of its checkout is named in safe.directory of the system or global
 *     configuration of git, or in $HOTDRIFT_TRUST (folders separated by `:`)
 *
 * A name is a folder, `*` for all, or a folder followed by `/` and `*` for everything below it.  An empty
 * safe.directory discards the entries before it, as in git.
 */
#ifndef HD_HISTORY_CHECKOUT_H
#define HD_HISTORY_CHECKOUT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Return true if `dir` (n bytes) contains an entry called `name`. */
bool hd_checkout_holds(const char *dir, size_t n, const char *name);
/* Return the length of the root of the checkout that contains folder `from` (absolute); without one, strlen(from). */
size_t hd_checkout_root(const char *from);
/* Return 0 if the owner of `path` (absolute), and of the target of a link, is accepted; else HD_EFORMAT with the fix. */
int hd_checkout_accept(const char *path, struct hd_err *err);
/* Return true if $HOTDRIFT_TRUST names the folder `dir` (absolute). */
bool hd_checkout_trusted(const char *dir);

#endif
