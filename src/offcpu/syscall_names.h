/* syscall_names.h - names of system calls and errors; the only user of libseccomp */
#ifndef HD_OFFCPU_SYSCALL_NAMES_H
#define HD_OFFCPU_SYSCALL_NAMES_H

#include "base/buf.h"

#include <stdint.h>

/*
 * Append the name of a system call to `out`: "futex", or "syscall 9999" if the number has no name or the architecture
 * is unknown.  Returns hd_buf_str(out).  `machine` is the recorded architecture, as uname -m prints it; NULL: that of
 * this machine.  Calls of 32-bit programs on a 64-bit kernel get wrong names: their numbers differ, and the recording
 * does not mark them.
 */
const char *hd_syscall_name(const char *machine, int32_t number, struct hd_buf *out);
/* Return the name of an errno: "ENOENT"; "ok" for 0; "error" if it has no name.  The string is static. */
const char *hd_syscall_error(unsigned number);

#endif
