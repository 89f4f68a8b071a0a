/*
 * sandbox.h - drop rights that a reading command does not need
 *
 * Recordings, debug files and folded text are untrusted.  A command that only reads drops these rights before it opens
 * its input:
 *
 *     no_new_privs   set-user-id programs and file capabilities have no effect
 *     landlock       The process can read everything and execute nothing.  It can write only below the folder of -o,
 *                    TMPDIR (default /tmp) and, if DEBUGINFOD_URLS is set, the debuginfod cache.  Landlock is not used
 *                    if a visible process has a mount namespace of its own (a container), because landlock would deny
 *                    /proc/PID/root, and thus the files of the container.
 *     seccomp        exec, ptrace, access to the memory of other processes, bpf, io_uring, and sockets fail with EPERM.
 *                    If DEBUGINFOD_URLS is set, the sockets that a download needs (Unix, internet, netlink) are
 *                    allowed, but they cannot accept connections.
 *
 * Open files, such as standard output, remain writable.  If the kernel or a container does not support one of these,
 * the command runs without it; this is not an error.
 */
#ifndef HD_BASE_SANDBOX_H
#define HD_BASE_SANDBOX_H

/*
 * Confine this process, for good.  It may then create and change files only below the folders listed above; `output` is
 * the argument of -o (NULL or "-": none).  Errors are ignored: the process keeps the rights that could not be dropped.
 */
void hd_sandbox_enter(const char *output);

#endif
