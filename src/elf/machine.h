/*
 * machine.h - machines by the names that `uname -m` gives them
 */
#ifndef HD_ELF_MACHINE_H
#define HD_ELF_MACHINE_H

#include <stdbool.h>

/* Of an EM_... number; NULL: none is known here. */
const char *hd_machine_name(unsigned em);
/*
 * Can code of em run on a machine that calls itself so?  Where either is not known, it is taken to.
 */
bool hd_machine_runs(const char *uname, unsigned em);

#endif
