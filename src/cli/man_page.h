/*
 * man_page.h - manual pages in roff, from the table of commands
 */
#ifndef HD_CLI_MAN_PAGE_H
#define HD_CLI_MAN_PAGE_H

#include "base/err.h"

/*
 * Write the manual pages into the existing folder `dir`: hotdrift.1, hotdrift-COMMAND.1 for each command, profile.sh.1,
 * and hotdrift.ini.5.  Returns 0, or the error of the first file that cannot be written.
 */
int hd_man_pages(const char *dir, struct hd_err *err);

#endif
