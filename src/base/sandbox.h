/*
 * sandbox.h - drop the rights that a command which only reads does not need
 *
 * Recordings, debug files and folded text are hostile input.  Before such a command opens its input, it gives up:
 *
 *     no_new_privs   set-user-id programs and file capabilities give it nothing
 *     landlock       it reads anywhere, and writes only below the folder of -o, TMPDIR and the debuginfod cache.  Left out
 *                    while it may look into a process with a mount namespace of its own (a container): landlock would
 *                    close /proc/PID/root, and with it the container's files
 *     seccomp        exec, ptrace, access to the memory of other processes, and sockets fail with EPERM; sockets of the
 *                    internet stay if DEBUGINFOD_URLS is set
 *
 * Files that are open already, such as standard output, can be written.  A kernel that lacks one of these, or a
 * container that forbids it, is not an error: the command runs without it.
 */
#ifndef HD_BASE_SANDBOX_H
#define HD_BASE_SANDBOX_H

/*
 * Confine this process, for good.  It may then write only below the folder of `output` (NULL or "-": none), TMPDIR
 * and the debuginfod cache.  Errors are ignored: the process keeps the rights that could not be dropped.
 */
void hd_sandbox_enter(const char *output);

#endif
