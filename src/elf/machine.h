/* machine.h - names of the architectures of ELF files (EM_*), and whether a machine (`uname -m`) can run one */
#ifndef HD_ELF_MACHINE_H
#define HD_ELF_MACHINE_H

#include <stdbool.h>

/*
 * Return the name of an EM_* number, or NULL if it is unknown.  Variants are not distinguished: the name is "riscv" or
 * "arm" where `uname -m` prints riscv64 or armv7l.
 */
const char *hd_machine_name(unsigned em);
/* Return true if a machine with this `uname -m` can run code of architecture `em`, or if one of the two is unknown. */
bool hd_machine_runs(const char *uname, unsigned em);

#endif
