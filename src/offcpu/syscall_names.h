/*
 * syscall_names.h - names of system calls and their errors, the one door to libseccomp
 */
#ifndef HD_OFFCPU_SYSCALL_NAMES_H
#define HD_OFFCPU_SYSCALL_NAMES_H

#include "base/buf.h"

#include <stdint.h>

/*
 * "futex", or "syscall 9999" for a number without a name, appended to out.  machine is the recording's, as uname -m
 * says it; NULL: this one.  A 32-bit program's calls on a 64-bit kernel have other numbers, which nothing in a recording tells.
 */
const char *hd_syscall_name(const char *machine, int32_t number, struct hd_buf *out);
/* "ENOENT"; "ok" for 0; a number without a name is "error". */
const char *hd_syscall_error(unsigned number);

#endif
