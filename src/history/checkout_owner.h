/*
 * checkout_owner.h - accept or reject the owner of a file that configures hotdrift
 *
 * A hotdrift.ini or a .git that another user owns can name programs, databases and output files.  It is used only
 * if its owner is accepted:
 *
 *     the effective user of this process
 *     SUDO_UID, if the effective user is root
 *     any owner, if the folder or the root of its checkout is named in safe.directory of the system or global
 *     configuration of git, or in $HOTDRIFT_TRUST (folders separated by `:`)
 *
 * checkout.h describes the names.  An empty safe.directory discards the entries before it, as in git.
 */
#ifndef HD_HISTORY_CHECKOUT_OWNER_H
#define HD_HISTORY_CHECKOUT_OWNER_H

#include "base/err.h"

/*
 * Return 0 if the owner of `path` (absolute) is accepted and, if the path is a link, the owner of its target, too.
 * HD_EFORMAT if not; the message has the fix.  HD_EIO if there is no such file.
 */
int hd_checkout_accept(const char *path, struct hd_err *err);

#endif
